#include "signals.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t received;

static void receive(int number) {
    if (received) _exit(128 + number);
    received = number;
}

static bool handle(int number, void (*handler)(int), problem *why) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    if (sigaction(number, &action, NULL) == 0) return true;
    return run_failed(why, "cannot catch signal %d: %s", number, strerror(errno));
}

static bool is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

bool signals_catch(problem *why) {
    return handle(SIGPIPE, SIG_IGN, why) && handle(SIGXFSZ, SIG_IGN, why) && handle(SIGINT, receive, why) &&
           handle(SIGTERM, receive, why) && (is_ignored(SIGHUP) || handle(SIGHUP, receive, why));
}

int signals_received(void) {
    return received;
}
