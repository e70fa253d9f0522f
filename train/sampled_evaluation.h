/* nanoGPT's evaluation: a mean over random windows, cheaper than all of them and noisier. */
#ifndef SAMPLED_EVALUATION_H
#define SAMPLED_EVALUATION_H
#include "evaluate.h"
#include "settings.h"

/* Mean loss over eval_iters batches of batch_size random windows of `tokens` (count > block_size), a function
 * of seed and iteration. Stops as evaluate_exact does. */
bool evaluate_sampled(engine *e, const settings *s, int64_t iteration, const int32_t *tokens, size_t count,
                      evaluate_stop stop, void *context, double *loss, problem *why);
#endif
