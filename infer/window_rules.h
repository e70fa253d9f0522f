/* What a rule for moving the window costs: on a text, and in what is generated. */
#ifndef WINDOW_RULES_H
#define WINDOW_RULES_H
#include "engine.h"

/* A text that is longer than the context, and how much of what follows its first context is used. */
typedef struct window_trial {
    engine *engine;
    const int32_t *tokens; /* block_size + predicted of them */
    size_t predicted, generated;
} window_trial;

/* Mean loss of the `predicted` tokens after the first context, each predicted from the window that
 * ends before it. */
bool window_loss(const window_trial *t, int keep, double *loss, problem *why);

/* Generates `generated` tokens greedily after the first context of the text, with the cache, or (keep =
 * block_size) by recomputing the window at each step. */
bool window_generate(const window_trial *t, int keep, bool use_cache, int32_t *tokens,
                     double *tokens_per_second, problem *why);
#endif
