/* sawtooth-train: trains a GPT, or goes on with a run. */
#include "memory.h"
#include "options.h"
#include "run.h"
#include "signals.h"
#include "standard_streams.h"
#include "trainer.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool print_config(run *r, problem *why) {
    char *text = settings_text(&r->settings, why);
    if (text) (void)fputs(text, stdout);
    release(text);
    return text != NULL;
}

/* The handlers' texts, on a terminal over the live line, are needed to the end. */
static bool catch_signals(const char *out_dir, problem *why) {
    static char stops[128], gives_up[PATH_LENGTH + 128];
    const char *begin = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
    (void)snprintf(stops, sizeof stops, "%sstopping: this update is finished and saved first\n", begin);
    (void)snprintf(gives_up, sizeof gives_up,
                   "%ssawtooth-train: interrupted again: stopped at once; %s is as the last save left it\n",
                   begin, out_dir);
    return signals_catch((signal_notices){stops, gives_up}, why);
}

static bool train_or_print(const options *o, int *status, problem *why) {
    run r;
    training_end end = TRAINING_FINISHED;
    bool fine = run_settle(&r, o, why);
    if (fine && o->action == PRINT_CONFIG)
        fine = print_config(&r, why);
    else if (fine)
        fine = catch_signals(r.settings.out_dir, why) && run_open(&r, o, why) &&
               (end = train(&r, why)) != TRAINING_FAILED;
    run_close(&r);
    *status = end == TRAINING_INTERRUPTED ? 128 + signals_received() : 0;
    return fine;
}

static bool act(const options *o, int *status, problem *why) {
    if (o->action == HELP)
        options_help();
    else if (o->action == VERSION)
        printf("sawtooth-train %s\n", SAWTOOTH_VERSION);
    else if (!train_or_print(o, status, why))
        return false;
    return fflush(stdout) == 0 || run_failed(why, "standard output: cannot write: %s", strerror(errno));
}

int main(int argc, char **argv) {
    options o;
    problem why;
    int status = 0;
    if (standard_streams_open(&why) && options_read(&o, argc, argv, &why) && act(&o, &status, &why))
        return status;
    (void)fprintf(stderr, "sawtooth-train: %s\n", why.text);
    return why.exit_status;
}
