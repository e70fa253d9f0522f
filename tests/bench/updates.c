/* Our side of tests/bench/peers.py, which takes turns: build/bench/updates CONFIG [--key=value ...]
 * Answers each line of standard input with a line. "update": the seconds of an update, the mean over a
 * quarter of a second. Anything else: the tokens of an update, and the threads. */
#include "cases.h"
#include "subject.h"
#include <stdio.h>
#include <string.h>

static void answer(subject *s) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "update\n") == 0)
            printf("%.9f\n", subject_seconds(s));
        else
            printf("%.0f %d\n", subject_update_tokens(s), team_size(s->team));
        (void)fflush(stdout);
    }
}

int main(int argc, char **argv) {
    problem why = {0};
    cases c = {0};
    subject s = {0};
    bool fine = cases_read_recipe(&c, argc - 1, argv + 1, &why) &&
                subject_open(&s, &c.list[0].settings, &why) && subject_learn(&s, s.kernels, &why);
    if (fine) answer(&s);
    subject_close(&s);
    if (!fine) (void)fprintf(stderr, "updates: %s\n", why.text);
    return fine ? 0 : why.exit_status;
}
