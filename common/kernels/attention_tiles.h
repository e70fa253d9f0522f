/* What attention's forward and backward share: blocks of rows, their products with panels of keys (or
 * values), and the triangle of the causal mask.
 *
 * Sums over keys stop exactly at the diagonal: adding a masked +0 times a value is not neutral (-0
 * would become +0, and a NaN further on would poison the row). Rows are taken in tiles of TILE_ROWS, 4,
 * 2 and 1; no bit depends on it. */
#ifndef ATTENTION_TILES_H
#define ATTENTION_TILES_H
#include "attention_scratch.h"
#include "set.h"
#include "tile.h"
#include "vector_math.h"
#include <math.h>

static inline int tile_height(int rows) {
    return rows >= TILE_ROWS ? TILE_ROWS : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
}

/* Brings one head's piece of a row to the second cache. The pieces of a head lie too far apart for the
 * processor to see them coming; the next head's lie right behind them. */
INLINE void fetch_piece(const float *piece, int head_size) {
    for (int d = 0; d < head_size; d += 16) __builtin_prefetch(piece + d, 0, 2);
}

/* What is to be read after this head: pieces of rows. One is brought near for each tile that is computed;
 * many at a time would wait for one another. */
enum { AHEAD_ARRAYS = 5 };
typedef struct pieces_ahead {
    const float *arrays[AHEAD_ARRAYS]; /* `rows` pieces of head_size numbers each, */
    size_t strides[AHEAD_ARRAYS];      /* so far apart */
    int rows, head_size;
    int array, row; /* the next one */
} pieces_ahead;

INLINE void fetch_ahead(pieces_ahead *a) {
    if (!a || a->array == AHEAD_ARRAYS) return;
    fetch_piece(a->arrays[a->array] + (size_t)a->row * a->strides[a->array], a->head_size);
    if (++a->row < a->rows) return;
    a->row = 0;
    a->array++;
}

/* The largest score of keys 0..at. */
INLINE float largest_score(const float *s, int at) {
    int last = at / 16 * 16;
    v16 lowest = set16(-INFINITY), top = first16(at - last + 1, load16(s + last), lowest);
    for (int j = 0; j < last; j += 16) top = max16(top, load16(s + j));
    return max_of16(top);
}

/* What to add to the scaled scores of a row before exp, `row_max` being the largest of them. Its rounding is
 * common to the whole row, and the quotient forgets it. From 2^24 on it would be 1 and more, and soon more
 * than exp can take: there the scores are first made relative to the largest. */
INLINE float softmax_shift(float *s, int at, float row_max) {
    if (!(fabsf(row_max) >= 0x1p24f)) return -row_max;
    v16 largest = set16(largest_score(s, at));
    for (int j = 0; j <= at; j += 16) store16(s + j, sub16(load16(s + j), largest));
    return 0;
}

/* Panels of keys, or rows of values: floats, or halves where there is room to widen them. */
typedef struct operand {
    const void *numbers;
    float *wide;          /* WIDENED_ROWS rows of padded(D) floats for some halves; NULL: they are floats */
    const uint16_t *next; /* halves to be read after these, or NULL */
} operand;

/* scores[i][key] = sum over d of a[i][d] panel(key)[d] for a block of rows; row i of the block
 * is position + i and needs keys 0 .. position + i. Whole panels are computed; what lies past
 * a row's own key is for nobody. */
typedef struct score_block {
    int rows, position, head_size;
    const float *a; /* (rows, D) */
    size_t a_stride;
    operand panels; /* [..][D][16] */
    float *scores;
    size_t stride;
    pieces_ahead *ahead; /* NULL: nothing to fetch; here and below */
} score_block;
void KERNEL(attention_scores)(const score_block *b);

/* out[i] = sum over keys j <= position + i of weights[i][j] rows[j], all padded columns. */
typedef struct lower_block {
    int count, position, width; /* rows of the block; position of the first; padded columns */
    const float *weights;
    size_t stride;
    operand rows; /* (.., width) */
    float *out;
    size_t out_stride;
    pieces_ahead *ahead;
} lower_block;
void KERNEL(attention_lower)(const lower_block *b);

/* out[j] (+)= sum over the block's rows i >= j of weights[i][j] rows[i]: keys before the block's position add
 * to what out holds, the others start from 0. */
typedef struct upper_block {
    int count, position, width;
    const float *weights;
    size_t stride;
    const float *rows; /* (count, width), rows_stride apart: the block's own */
    size_t rows_stride;
    float *out; /* (position + count, width) */
    size_t out_stride;
    pieces_ahead *ahead;
} upper_block;
void KERNEL(attention_upper)(const upper_block *b);
#endif
