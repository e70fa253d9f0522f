#include "signals.h"
#include "clock.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t received;
static signal_notices notices; /* set before a handler is */

static void say(const char *text) {
    if (text) (void)!write(STDERR_FILENO, text, strlen(text)); /* where nobody listens nothing is lost */
}

/* One Ctrl-C may come twice, from the terminal and from a program such as timeout. */
static bool gives_up(void) {
    static const double SAME_WISH = 1;
    static int interrupts;
    static double first;
    if (++interrupts == 1) first = clock_seconds();
    return interrupts > 2 || (interrupts == 2 && clock_seconds() - first >= SAME_WISH);
}

static void receive(int number) {
    int before = errno;
    if (number == SIGINT && gives_up()) {
        say(notices.gives_up);
        _exit(128 + number);
    }
    if (!received) {
        received = number;
        say(notices.stops);
    }
    errno = before;
}

/* No handler interrupts another. */
static bool handle(int number, void (*handler)(int), problem *why) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    if (sigaction(number, &action, NULL) == 0) return true;
    return run_failed(why, "cannot catch signal %d: %s", number, strerror(errno));
}

static bool is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

bool signals_let_writes_fail(problem *why) {
    return handle(SIGXFSZ, SIG_IGN, why);
}

bool signals_catch(signal_notices texts, problem *why) {
    notices = texts;
    return signals_let_writes_fail(why) && handle(SIGPIPE, SIG_IGN, why) && handle(SIGINT, receive, why) &&
           handle(SIGTERM, receive, why) && (is_ignored(SIGHUP) || handle(SIGHUP, receive, why));
}

int signals_received(void) {
    return received;
}
