/* The training loop. */
#ifndef TRAINER_H
#define TRAINER_H
#include "run.h"

typedef enum { TRAINING_FAILED, TRAINING_FINISHED, TRAINING_INTERRUPTED } training_end;

/* Trains an open run from where it stands to max_iters. Interrupted: a signal came (signals.h), and last.npz
 * holds everything up to it. Failed: `why` says how; last.npz, where there is one, is the last good
 * checkpoint. */
training_end train(run *r, problem *why);
#endif
