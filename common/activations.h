/* Memory for what a forward pass computes, row by row. In training every layer keeps its own (the tape that
 * backward reads); otherwise all layers share one, and the residual stream is updated in place. */
#ifndef ACTIVATIONS_H
#define ACTIVATIONS_H
#include "shape.h"

/* Rows that are worked on together: their activations stay in the second cache. */
enum { BLOCK_ROWS = 96 };

/* Where the block ends that begins at row `from` of rows from..to-1. The last one is longer rather than
 * followed by a short one, which would read all weights for a few rows. */
static inline int block_end(int from, int to) {
    return to - from <= BLOCK_ROWS * 4 / 3 ? to : from + BLOCK_ROWS;
}

/* R rows; C = n_embd, H = n_head. Matrix rows are padded(columns) floats apart. */
typedef struct layer_activations {
    float *in;                  /* (R, C) residual stream entering the layer */
    float *stats_1, *norm_1;    /* (R, 2), (R, C) */
    float *qkv;                 /* (R, 3C) */
    float *row_max, *row_scale; /* (H, R) softmax of each row: largest score, 1 / sum */
    float *att;                 /* (R, C) heads side by side */
    float *mid;                 /* (R, C) residual stream after attention */
    float *stats_2, *norm_2;    /* (R, 2), (R, C) */
    float *fc;                  /* (R, 4C) before the activation */
} layer_activations;

typedef struct activations {
    int rows, n_layer;
    layer_activations *layers; /* n_layer, and one more whose `in` leaves the last layer */
    float *branch;             /* (R, C) what a block is about to add to the residual stream */
    float *act;                /* (R, 4C) after the activation */
    float *stats_f, *norm_f;   /* (R, 2), (R, C) final layer norm */
    float *memory;
} activations;

/* For so many rows; every_layer: as training needs them. */
bool activations_open(activations *a, const shape *s, int rows, bool every_layer, problem *why);
void activations_close(activations *a);
#endif
