/* What the trainer tells whoever watches, on standard error: on a terminal one live line that is drawn again
 * and again, plain lines otherwise. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include "metrics.h"

typedef struct progress {
    bool terminal; /* standard error is one */
    bool drawn;    /* a live line stands there */
    double drawn_at, printed_at, warned_at;
    problem warned;     /* the last time */
    int64_t iterations; /* of the whole run */
} progress;

progress progress_open(int64_t iterations);

/* A line that stays. */
void progress_say(progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A failure that does not end the run; `again`: what failed will be tried again. The same one is told once in
 * a while. */
void progress_warn(progress *p, const problem *what, bool again);

/* An iteration's figures: the live line on a terminal; otherwise a line where `logged`, every
 * second or two. */
void progress_step(progress *p, const metrics_row *row, double seconds_left, bool logged);

/* The live line while an evaluation runs. */
void progress_evaluation(progress *p, int64_t iteration, double done);

/* Takes the live line away, so that what others print begins a line. */
void progress_erase(progress *p);

/* "45 s", "3 min 20 s", "2 h 05 min". */
void progress_duration(double seconds, char text[32]);
#endif
