/* A small training run that uses everything that reaches a tensor: dropout, gradient
 * accumulation, clipping, warm-up and cosine. It needs nothing but the C library, so that a build
 * for another processor can run it. */
#ifndef SMALL_TRAINING_H
#define SMALL_TRAINING_H
#include "learner.h"

typedef struct small_training {
    settings settings;
    model model;
    team *team;
    learner *learner;
    int64_t iteration;
    double loss, norm; /* of the last iteration */
} small_training;

/* A model with this activation, freshly initialized. Close with small_training_close. */
bool small_training_open(small_training *t, activation_kind activation, const kernels *k, int threads,
                         problem *why);
void small_training_close(small_training *t);

/* Makes so many updates more. */
void small_training_run(small_training *t, int iterations);

/* FNV-1a (Fowler, Noll, Vo), 64 bits, over the weights of three runs of thirty updates, one for each
 * activation. */
bool small_training_fingerprint(const kernels *k, int threads, uint64_t *fingerprint, problem *why);

/* The same over the losses of one window of each model, freshly initialized, on f16 and on int8 weights,
 * with floats and with halves in the cache. */
bool small_narrow_fingerprint(const kernels *k, int threads, uint64_t *fingerprint, problem *why);
#endif
