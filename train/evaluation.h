/* The validation loss of a run, exact or sampled as its settings say. */
#ifndef EVALUATION_H
#define EVALUATION_H
#include "progress.h"
#include "run.h"

/* False without a message when a signal has come; an evaluation is not worth waiting for. A loss
 * that is not finite ends the run. */
bool run_evaluation(run *r, int64_t iteration, progress *p, double *loss, problem *why);
#endif
