/* Backward through one layer of the transformer: the counterpart of common/transformer.c, step by step
 * in reverse. */
#ifndef BACKWARD_H
#define BACKWARD_H
#include "transformer.h"

/* Gradients of one layer's activations, of R rows. With what the layer's own activations have become, they
 * are all that the weight gradients are made from. */
typedef struct layer_gradient {
    float *stream; /* (R, C) of the residual stream: enters as the layer's output's, leaves as its input's */
    float *mlp;    /* (R, C) of mlp_proj's output */
    float *fc;     /* (R, 4C) of fc's output */
    float *norm_2; /* (R, C) of ln_2's output */
    float *proj;   /* (R, C) of attn_proj's output */
    float *att;    /* (R, C) of attention's output */
    float *norm_1; /* (R, C) of ln_1's output */
} layer_gradient;

/* For so many rows. */
bool layer_gradient_open(layer_gradient *g, const shape *s, int rows, problem *why);
void layer_gradient_close(layer_gradient *g);

/* Back through layer `index` of a call that transformer_forward has run with every layer's activations kept;
 * the gradients are in the same rows as they. Of the activations that are used for the last time, qkv becomes
 * its gradient, and fc what the activation function makes of it. Members of a team call it together;
 * scratch[rank] has attention_gradient_scratch(block_size, D) floats. */
void backward_layer(const transformer_call *call, int index, const layer_gradient *g, float *const *scratch,
                    member me);

/* Adds dy^T x to one weight matrix's gradient and dy's column sums to its bias's, from `rows` rows: this
 * member's share, some of its rows or, where there are more of them, of its columns. Sums run over the rows
 * in their order. scratch: this member's, WEIGHT_GRADIENT_SCRATCH floats. */
void backward_linear(const kernels *k, const linear *into, int rows, const float *dy, const float *x,
                     float *scratch, member me);

/* Adds the gradients of layer `index`'s weights from `rows` rows that backward_layer has been through: this
 * member's share of every tensor. Sums run over the rows in their order. scratch: this member's,
 * WEIGHT_GRADIENT_SCRATCH floats. */
void backward_weights(const kernels *k, const shape *s, const activations *acts, int index,
                      const layer_gradient *g, int rows, const layer_weights *into, float *scratch,
                      member me);
#endif
