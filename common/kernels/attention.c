/* Causal attention (Vaswani et al. 2017; PyTorch scaled_dot_product_attention, is_causal), each row of a
 * head:
 *
 *   p[j] = exp(q.k[j] / sqrt(D) - max)               over keys j <= the row's position
 *   out  = sum_j dropout(p[j]) v[j] / sum_j p[j]
 *
 * A score is the sequential sum over the head's dimensions with lanes across keys; a row's sum of p has
 * sixteen lanes, key j in lane j mod 16, joined in a fixed tree; out is the sequential sum over the keys. */
#include "attention_tiles.h"
#include "dropout.h"
#include <math.h>

/* Vectors v .. v + n - 1 of the 64 keys at s: exp(score * factor + shift), added to sum, stored after
 * dropout. */
INLINE v16 softmax_keys(const int n, float *s, int v, v16 factor, v16 shift, v16 sum, const dropout *drop,
                        const keep64 *keep) {
    v16 x[MOST_VECTORS];
    for (int u = 0; u < n; u++) x[u] = fma16(load16(s + 16 * (v + u)), factor, shift);
    exp16n(n, x);
    for (int u = 0; u < n; u++) {
        sum = add16(sum, x[u]);
        store16(s + 16 * (v + u), drop ? keep_scaled(keep, v + u, drop, x[u]) : x[u]);
    }
    return sum;
}

/* One row's softmax in place: scores of keys 0..at to exp(score * scale - max) after dropout, whose index
 * begins at `first`; +0 past them up to the panel's end (NaN where the row is, which nobody reads). */
INLINE void softmax_row(float *s, int at, float scale, const dropout *drop, uint64_t first, float *row_max,
                        float *row_scale) {
    int last = at / 16 * 16, seen = at % 16 + 1;
    *row_max = largest_score(s, at) * scale;
    v16 factor = set16(scale), shift = set16(softmax_shift(s, at, *row_max)), sum = set16(0);
    store16(s + last, first16(seen, load16(s + last), set16(-INFINITY))); /* whose exp is +0 */
    row_masks masks = {.drop = drop, .first = first};
    for (int j = 0; j <= last; j += 64) {
        const keep64 *keep = next_mask(&masks, (size_t)j);
        int left = (last - j) / 16 + 1;
        if (left >= MOST_VECTORS)
            sum = softmax_keys(MOST_VECTORS, s + j, 0, factor, shift, sum, drop, keep);
        else
            for (int v = 0; v < left; v++) sum = softmax_keys(1, s + j, v, factor, shift, sum, drop, keep);
    }
    *row_scale = 1 / sum16(sum);
}

/* out = sums * row_scale, exactly D columns a row. */
static void scale_rows(int rows, int head_size, const float *sums, size_t sums_stride, const float *row_scale,
                       float *out, size_t out_stride) {
    for (int i = 0; i < rows; i++)
        for (int d = 0; d < head_size; d++)
            out[(size_t)i * out_stride + (size_t)d] =
                sums[(size_t)i * sums_stride + (size_t)d] * row_scale[i];
}

/* Rows i0..i0+n-1 of the call. */
static void attention_block(const attention_rows *a, int i0, int n) {
    int position = a->position + i0, width = padded(a->head_size);
    float scale = 1 / sqrtf((float)a->head_size);
    size_t stride = score_stride(a->position + a->rows);
    float *scores = a->scratch, *sums = scores + SCORE_ROWS * stride;
    float *wide = a->cache.halves ? sums + SCORE_ROWS * (size_t)width : NULL;
    score_block s = {.rows = n,
                     .position = position,
                     .head_size = a->head_size,
                     .a = a->q + (size_t)i0 * a->q_stride,
                     .a_stride = a->q_stride,
                     .panels = {a->cache.keys, wide, a->next.keys},
                     .scores = scores,
                     .stride = stride};
    KERNEL(attention_scores)(&s);
    for (int i = 0; i < n; i++) {
        fetch_piece(a->q + (size_t)(i0 + i) * a->q_stride + a->head_size, a->head_size);
        fetch_piece(a->out + (size_t)(i0 + i) * a->out_stride, a->head_size);
        softmax_row(scores + (size_t)i * stride, position + i, scale, a->drop,
                    (uint64_t)(position + i) * a->drop_row, &a->row_max[i0 + i], &a->row_scale[i0 + i]);
    }
    lower_block l = {.count = n,
                     .position = position,
                     .width = width,
                     .weights = scores,
                     .stride = stride,
                     .rows = {a->cache.values, wide, a->next.values},
                     .out = sums,
                     .out_stride = (size_t)width};
    KERNEL(attention_lower)(&l);
    scale_rows(n, a->head_size, sums, (size_t)width, a->row_scale + i0, a->out + (size_t)i0 * a->out_stride,
               a->out_stride);
}

void KERNEL(attention)(const attention_rows *a) {
    for (int i = 0; i < a->rows; i += SCORE_ROWS)
        attention_block(a, i, a->rows - i < SCORE_ROWS ? a->rows - i : SCORE_ROWS);
}
