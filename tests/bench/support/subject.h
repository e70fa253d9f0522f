/* A model that is trained on random tokens: what the benchmarks measure. */
#ifndef SUBJECT_H
#define SUBJECT_H
#include "learner.h"

typedef struct subject {
    settings settings;
    model model;
    const kernels *kernels;
    team *team;
    learner *learner;
    int32_t *tokens; /* of one batch */
    const int32_t **windows;
    int64_t sequences;
    uint64_t iteration; /* of the next update */
} subject;

/* The model of these settings, 65 tokens in its vocabulary unless they say otherwise, its threads and
 * kernels. subject_learn adds what training needs; its learner computes with `k`. */
bool subject_open(subject *s, const settings *what, problem *why);
bool subject_learn(subject *s, const kernels *k, problem *why);
void subject_close(subject *s);

/* Random tokens of the model's vocabulary; release(). */
int32_t *subject_tokens(const subject *s, size_t count, problem *why);

/* Makes one update; returns its seconds. */
double subject_update(subject *s);

/* The mean seconds of an update over as many as take at least a quarter of a second. */
double subject_seconds(subject *s);

double subject_update_tokens(const subject *s);
#endif
