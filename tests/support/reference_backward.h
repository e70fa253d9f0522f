/* The reference's gradient: the textbook GPT forward and backward in double precision, for the tests.
 * It shares no numerical code with the kernels. A failure to allocate fails the test. */
#ifndef REFERENCE_BACKWARD_H
#define REFERENCE_BACKWARD_H
#include "model.h"

/* What inverted dropout multiplies by in one window: each element 0 or 1 / (1 - p). */
typedef struct dropout_masks {
    double *embedding; /* (T, C) */
    double *attention; /* (n_layer, n_head, T, T), on the attention weights */
    double *attn_proj; /* (n_layer, T, C), on the output of attention */
    double *mlp_proj;  /* (n_layer, T, C), on the output of the MLP */
} dropout_masks;

/* The mean cross-entropy in nats over `windows` windows of count + 1 tokens, and its gradient for every
 * parameter: `gradient` is a block of m->table.floats doubles laid out as the table says. masks: one for each
 * window, or NULL for no dropout. */
double reference_gradient(const model *m, int windows, const int32_t *const *window, int count,
                          const dropout_masks *masks, double *gradient);
#endif
