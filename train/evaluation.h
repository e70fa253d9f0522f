/* The validation loss of a run, exact or sampled as its settings say. */
#ifndef EVALUATION_H
#define EVALUATION_H
#include "progress.h"
#include "run.h"

/* A loss that is not finite ends the run. NAN where a signal has ended the evaluation, which is not worth
 * waiting for. */
bool run_evaluation(run *r, int64_t iteration, progress *p, double *loss, problem *why);

/* Ends the run where the loss of the validation split's first window is not finite: weights that can only
 * fail need no more to show it. */
bool run_evaluate_window(run *r, int64_t iteration, problem *why);
#endif
