/* One update of a model: loss and gradient of a batch by forward and backward, then AdamW. Bits depend on
 * weights, windows, settings and iteration alone: not on threads, nor on how sequences are grouped. */
#ifndef LEARNER_H
#define LEARNER_H
#include "engine.h"
#include "settings.h"

typedef struct learner learner;

/* A learner borrows model, kernels and team. NULL and a message without memory. The AdamW state starts
 * at zero. */
learner *learner_open(model *m, const kernels *k, team *t, const settings *s, problem *why);
void learner_close(learner *l);

/* AdamW's first and second moment, blocks laid out as the model's table says: to save, and to fill on
 * resume. */
float *learner_adamw_m(learner *l);
float *learner_adamw_v(learner *l);

/* The gradient block of the last learner_gradient (for tests). */
const float *learner_gradient_block(const learner *l);

/* Loss (mean cross-entropy in nats, weights before the update, dropout on) and gradient of
 * one iteration: windows[b], b < batch_size * grad_accum, points to block_size + 1 tokens.
 * Also the gradient's global norm. */
void learner_gradient(learner *l, uint64_t iteration, const int32_t *const *windows, double *loss,
                      double *norm);

/* Clips by the norm that learner_gradient found, makes AdamW's update number iteration + 1, and
 * repacks the model. */
void learner_apply(learner *l, uint64_t iteration, double learning_rate, double norm);
#endif
