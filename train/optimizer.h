/* From a gradient to new weights: the global norm, clipping, AdamW. */
#ifndef OPTIMIZER_H
#define OPTIMIZER_H
#include "kernels/kernels.h"
#include "model.h"
#include "settings.h"

typedef struct optimizer {
    const kernels *kernels;
    const parameter_table *table;
    const settings *settings;
    float *m, *v;    /* AdamW's moments, blocks laid out as the table says */
    double *squares; /* sums of squares of consecutive chunks of the gradient */
} optimizer;

bool optimizer_open(optimizer *o, const kernels *k, const parameter_table *table, const settings *s,
                    problem *why);
void optimizer_close(optimizer *o);

/* The gradient's Euclidean norm over all tensors: every member calls it, then one of them after a team_sync
 * calls optimizer_norm. Chunks do not depend on the team, and are added in their order. */
void optimizer_squares(const optimizer *o, const float *gradient, member me);
double optimizer_norm(const optimizer *o);

/* AdamW's update number `iteration` + 1 of this member's share of every tensor, which is packed again while
 * it is at hand. The gradient is first multiplied by min(1, grad_clip / (norm + 1e-6)), as PyTorch's
 * clip_grad_norm_ does. */
void optimizer_step(const optimizer *o, uint64_t iteration, double learning_rate, double norm,
                    const float *gradient, model *m, member me);
#endif
