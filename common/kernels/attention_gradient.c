/* Backward of causal attention over a whole sequence of one head (Dao et al. 2022, FlashAttention, appendix
 * B). With p the softmax, recomputed from the scores and each row's maximum and 1 / sum, and m the dropout
 * factor of a weight, 0 or 1 / (1 - rate):
 *
 *   dv[j]    = sum_i m p[i][j] dout[i]
 *   dp[i][j] = m dout[i].v[j]
 *   ds[i][j] = p[i][j] (dp[i][j] - delta[i])          delta[i] = sum_j p[i][j] dp[i][j] = dout[i].out[i]
 *   dq[i]    = sum_j ds[i][j] k[j] / sqrt(D)
 *   dk[j]    = sum_i ds[i][j] q[i] / sqrt(D)
 *
 * Sums run over i or j in order; rows are taken in blocks. */
#include "attention_tiles.h"
#include "dropout.h"
#include <math.h>
#include <string.h>

/* The head's own arrays side by side, rows padded with zeros to whole vectors, in the caller's scratch. */
typedef struct head {
    int rows, size, width;
    float *q, *k, *v, *dout;          /* (T, width) */
    float *key_panels, *value_panels; /* [T/16][D][16] */
    float *dq;                        /* (ROW_BLOCK, width) */
    float *dk, *dv;                   /* (T, width) */
    float *p, *ds;                    /* (ROW_BLOCK, stride) */
    size_t stride;
    float scale;
} head;

static void copy_in(const head *h, const float *from, size_t stride, float *to) {
    for (int t = 0; t < h->rows; t++) {
        float *row = to + (size_t)t * (size_t)h->width;
        memcpy(row, from + (size_t)t * stride, (size_t)h->size * sizeof(float));
        for (int d = h->size; d < h->width; d++) row[d] = 0;
    }
}

static void copy_out(int rows, const head *h, const float *from, float factor, float *to, size_t stride) {
    for (int t = 0; t < rows; t++)
        for (int d = 0; d < h->size; d++)
            to[(size_t)t * stride + (size_t)d] = from[(size_t)t * (size_t)h->width + (size_t)d] * factor;
}

/* Rows (T, width) to panels of sixteen positions; positions past the last are zero. */
static void copy_panels(const head *h, const float *rows, float *panels) {
    int positions = (h->rows + 15) / 16 * 16;
    for (int t = 0; t < positions; t++) {
        float *to = panels + (size_t)(t / 16) * (size_t)h->size * 16 + t % 16;
        const float *from = rows + (size_t)t * (size_t)h->width;
        for (int d = 0; d < h->size; d++) to[16 * d] = t < h->rows ? from[d] : 0;
    }
}

static head open_head(const attention_gradient *a) {
    size_t rows = (size_t)a->rows, width = (size_t)padded_head(a->head_size);
    size_t panels = (rows + 15) / 16 * 16 * (size_t)a->head_size;
    float *next = a->scratch;
    head h = {.rows = a->rows, .size = a->head_size, .width = (int)width, .stride = score_stride(a->rows)};
    h.scale = 1 / sqrtf((float)a->head_size);
    float **const row_arrays[ROW_ARRAYS] = {&h.q, &h.k, &h.v, &h.dout, &h.dk, &h.dv};
    for (int i = 0; i < ROW_ARRAYS; i++, next += rows * width) *row_arrays[i] = next;
    h.key_panels = next, next += panels;
    h.value_panels = next, next += panels;
    h.dq = next, next += ROW_BLOCK * width;
    h.p = next, next += ROW_BLOCK * h.stride;
    h.ds = next;
    copy_in(&h, a->q, a->stride, h.q);
    copy_in(&h, a->k, a->stride, h.k);
    copy_in(&h, a->v, a->stride, h.v);
    copy_in(&h, a->dout, a->out_stride, h.dout);
    copy_panels(&h, h.k, h.key_panels);
    copy_panels(&h, h.v, h.value_panels);
    return h;
}

/* In place: scores to m p, and dout.v to ds, for keys 0..at; +0 past them up to the panel's end. */
static void gradient_row(float *s, float *dp, int at, float scale, float row_max, float row_scale,
                         float delta, const dropout *drop, uint64_t first) {
    v16 factor = set16(scale), shift = set16(-row_max), inverse = set16(row_scale), less = set16(delta);
    keep64 keep = {0};
    for (int j = 0; j <= at; j += 16) {
        v16 p = mul16(exp16(fma16(load16(s + j), factor, shift)), inverse), d = load16(dp + j), mp = p;
        if (drop) {
            if (j % 64 == 0) keep = keep_bits(drop, first + (uint64_t)j);
            mp = keep_scaled(&keep, j / 16 % 4, drop, p);
            d = keep_scaled(&keep, j / 16 % 4, drop, d);
        }
        v16 ds = mul16(p, sub16(d, less));
        int seen = at - j + 1;
        if (seen < 16) {
            mp = first16(seen, mp, set16(0));
            ds = first16(seen, ds, set16(0));
        }
        store16(s + j, mp);
        store16(dp + j, ds);
    }
}

/* delta[i] = dout[i].out[i], summed over d in order like dout.v, so that a row with one key gives ds = 0
 * exactly; eight rows at a time hide the latency of the chain. */
static void row_deltas(const attention_gradient *a, int i0, int n, float *delta) {
    enum { TOGETHER = 8 };
    for (int i = 0; i < n; i += TOGETHER) {
        int r = n - i < TOGETHER ? n - i : TOGETHER;
        float sum[TOGETHER] = {0};
        const float *x = a->dout + (size_t)(i0 + i) * a->out_stride,
                    *y = a->out + (size_t)(i0 + i) * a->out_stride;
        for (int d = 0; d < a->head_size; d++)
            for (int u = 0; u < r; u++)
                sum[u] = fmaf(x[(size_t)u * a->out_stride + (size_t)d],
                              y[(size_t)u * a->out_stride + (size_t)d], sum[u]);
        memcpy(delta + i, sum, (size_t)r * sizeof(float));
    }
}

static void gradient_block(const attention_gradient *a, const head *h, int i0, int n) {
    size_t width = (size_t)h->width;
    const float *q = h->q + (size_t)i0 * width, *dout = h->dout + (size_t)i0 * width;
    float delta[ROW_BLOCK];
    row_deltas(a, i0, n, delta);
    score_block s = {n, i0, h->size, q, width, h->key_panels, h->p, h->stride};
    KERNEL(attention_scores)(&s);
    score_block dp = {n, i0, h->size, dout, width, h->value_panels, h->ds, h->stride};
    KERNEL(attention_scores)(&dp);
    for (int i = 0; i < n; i++)
        gradient_row(h->p + (size_t)i * h->stride, h->ds + (size_t)i * h->stride, i0 + i, h->scale,
                     a->row_max[i0 + i], a->row_scale[i0 + i], delta[i], a->drop,
                     (uint64_t)(i0 + i) * a->drop_row);
    lower_block dq = {n, i0, h->width, h->ds, h->stride, h->k, width, h->dq, width};
    KERNEL(attention_lower)(&dq);
    copy_out(n, h, h->dq, h->scale, a->dq + (size_t)i0 * a->dstride, a->dstride);
    upper_block dv = {n, i0, h->width, h->p, h->stride, dout, width, h->dv, width};
    KERNEL(attention_upper)(&dv);
    upper_block dk = {n, i0, h->width, h->ds, h->stride, q, width, h->dk, width};
    KERNEL(attention_upper)(&dk);
}

void KERNEL(attention_gradient)(const attention_gradient *a) {
    head h = open_head(a);
    for (int i = 0; i < a->rows; i += ROW_BLOCK)
        gradient_block(a, &h, i, a->rows - i < ROW_BLOCK ? a->rows - i : ROW_BLOCK);
    copy_out(a->rows, &h, h.dk, h.scale, a->dk, a->dstride);
    copy_out(a->rows, &h, h.dv, 1, a->dv, a->dstride);
}
