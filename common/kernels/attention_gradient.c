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
#include "least.h"
#include "square.h"
#include <math.h>

enum { ROWS_AHEAD = 8 }; /* fetched where rows are copied */

/* The head's own arrays side by side, rows padded with zeros to whole vectors, in the caller's scratch. */
typedef struct head {
    int rows, size, width;
    float *k;                         /* (T, width) */
    float *key_panels, *value_panels; /* [T/16][D][16] */
    float *dk, *dv;                   /* (T, width) */
    float *q, *dout, *dq;             /* (SCORE_ROWS, width) */
    float *p, *ds;                    /* (SCORE_ROWS, stride) */
    size_t stride;
    float scale;
} head;

static void copy_in(const head *h, int rows, const float *from, size_t stride, float *to) {
    for (int t = 0; t < rows; t++, from += stride, to += h->width) copy_padded(h->size, from, to);
}

/* The rows' lines are far apart: the processor would not ask for the next one by itself. */
static void copy_out(const head *h, int rows, const float *from, float factor, float *to, size_t stride) {
    for (int t = 0; t < rows; t++, from += h->width, to += stride) {
        int d = 0;
        for (; d + 16 <= h->size; d += 16) {
            __builtin_prefetch(to + ROWS_AHEAD * stride + d, 1, 3);
            store16(to + d, mul16(load16(from + d), set16(factor)));
        }
        for (; d < h->size; d++) to[d] = from[d] * factor;
    }
}

/* Rows to panels of sixteen positions; positions past the last are zero. */
static void to_panels(const head *h, const float *rows, size_t stride, float *panels) {
    for (int t = 0; t < h->rows; t += 16, rows += 16 * stride, panels += 16 * h->size)
        turn_to_panel(h->rows - t, h->size, rows, stride, panels);
}

static head open_head(const attention_gradient *a) {
    size_t rows = (size_t)a->rows, width = (size_t)padded(a->head_size);
    size_t panels = (size_t)padded(a->rows) * (size_t)a->head_size;
    float *next = a->scratch;
    head h = {.rows = a->rows, .size = a->head_size, .width = (int)width, .stride = score_stride(a->rows)};
    h.scale = 1 / sqrtf((float)a->head_size);
    float **const row_arrays[ROW_ARRAYS] = {&h.k, &h.dk, &h.dv};
    for (int i = 0; i < ROW_ARRAYS; i++, next += rows * width) *row_arrays[i] = next;
    float **const block_arrays[BLOCK_ARRAYS] = {&h.q, &h.dout, &h.dq};
    for (int i = 0; i < BLOCK_ARRAYS; i++, next += SCORE_ROWS * width) *block_arrays[i] = next;
    h.key_panels = next, next += panels;
    h.value_panels = next, next += panels;
    h.p = next, next += SCORE_ROWS * h.stride;
    h.ds = next;
    copy_in(&h, a->rows, a->k, a->stride, h.k);
    to_panels(&h, a->k, a->stride, h.key_panels);
    to_panels(&h, a->v, a->stride, h.value_panels);
    return h;
}

/* What a row's scores and its dout.v become m p and ds with. */
typedef struct row_factors {
    v16 scale, shift, row_scale, delta;
    const dropout *drop;
} row_factors;

/* Vectors v .. v + n - 1 of the 64 keys at s and dp. */
INLINE void gradient_keys(const int n, float *s, float *dp, int v, const row_factors *f, const keep64 *keep) {
    v16 x[MOST_VECTORS];
    s += 16 * v;
    dp += 16 * v;
    for (int u = 0; u < n; u++) x[u] = fma16(load16(s + 16 * u), f->scale, f->shift);
    exp16n(n, x);
    for (int u = 0; u < n; u++) {
        v16 p = mul16(x[u], f->row_scale), mp = p, d = load16(dp + 16 * u);
        if (f->drop) {
            mp = keep_scaled(keep, v + u, f->drop, p);
            d = keep_scaled(keep, v + u, f->drop, d);
        }
        store16(s + 16 * u, mp);
        store16(dp + 16 * u, mul16(p, sub16(d, f->delta)));
    }
}

/* In place: scores to m p, and dout.v to ds, for keys 0..at; +0 past them up to the panel's end. */
static void gradient_row(float *s, float *dp, int at, float scale, float row_max, float row_scale,
                         float delta, const dropout *drop, uint64_t first) {
    int last = at / 16 * 16, seen = at % 16 + 1;
    const row_factors f = {set16(scale), set16(softmax_shift(s, at, row_max)), set16(row_scale), set16(delta),
                           drop};
    row_masks masks = {.drop = drop, .first = first};
    for (int j = 0; j <= last; j += 64) {
        const keep64 *keep = next_mask(&masks, (size_t)j);
        int left = (last - j) / 16 + 1;
        if (left >= MOST_VECTORS)
            gradient_keys(MOST_VECTORS, s + j, dp + j, 0, &f, keep);
        else
            for (int v = 0; v < left; v++) gradient_keys(1, s + j, dp + j, v, &f, keep);
    }
    store16(s + last, first16(seen, load16(s + last), set16(0)));
    store16(dp + last, first16(seen, load16(dp + last), set16(0)));
}

/* delta[i] = dout[i].out[i], summed over d in order like dout.v, so that a row with one key gives ds = 0
 * exactly. Sixteen rows at a time. */
static void row_deltas(const head *h, int n, const float *dout, const float *out, size_t out_stride,
                       float *delta) {
    for (int i = 0; i < n; i += 16) {
        v16 sum = set16(0);
        for (int d = 0; d < h->size; d += 16) {
            int columns = least(16, h->size - d);
            square x = turn(load_square(n - i, columns, dout + (size_t)(i * h->width) + d, (size_t)h->width));
            square y = turn(load_square(n - i, columns, out + (size_t)i * out_stride + d, out_stride));
            for (int j = 0; j < columns; j++) sum = fma16(x.row[j], y.row[j], sum);
        }
        store16(delta + i, sum);
    }
}

/* The next head's pieces lie right behind this one's. */
static pieces_ahead next_head(const attention_gradient *a) {
    int d = a->head_size;
    size_t s = a->stride, o = a->out_stride;
    return (pieces_ahead){
        {a->k + d, a->v + d, a->q + d, a->dout + d, a->out + d}, {s, s, s, o, o}, a->rows, d, 0, 0};
}

static void gradient_block(const attention_gradient *a, const head *h, pieces_ahead *next, int i0, int n) {
    size_t width = (size_t)h->width;
    float delta[SCORE_ROWS];
    copy_in(h, n, a->q + (size_t)i0 * a->stride, a->stride, h->q);
    copy_in(h, n, a->dout + (size_t)i0 * a->out_stride, a->out_stride, h->dout);
    row_deltas(h, n, h->dout, a->out + (size_t)i0 * a->out_stride, a->out_stride, delta);
    score_block s = {n, i0, h->size, h->q, width, {.numbers = h->key_panels}, h->p, h->stride, next};
    KERNEL(attention_scores)(&s);
    score_block dp = {n, i0, h->size, h->dout, width, {.numbers = h->value_panels}, h->ds, h->stride, next};
    KERNEL(attention_scores)(&dp);
    for (int i = 0; i < n; i++)
        gradient_row(h->p + (size_t)i * h->stride, h->ds + (size_t)i * h->stride, i0 + i, h->scale,
                     a->row_max[i0 + i], a->row_scale[i0 + i], delta[i], a->drop,
                     (uint64_t)(i0 + i) * a->drop_row);
    lower_block dq = {n, i0, h->width, h->ds, h->stride, {.numbers = h->k}, h->dq, width, next};
    KERNEL(attention_lower)(&dq);
    copy_out(h, n, h->dq, h->scale, a->q + (size_t)i0 * a->stride, a->stride);
    upper_block dv = {n, i0, h->width, h->p, h->stride, h->dout, width, h->dv, width, next};
    KERNEL(attention_upper)(&dv);
    upper_block dk = {n, i0, h->width, h->ds, h->stride, h->q, width, h->dk, width, next};
    KERNEL(attention_upper)(&dk);
}

void KERNEL(attention_gradient)(const attention_gradient *a) {
    head h = open_head(a);
    pieces_ahead next = next_head(a);
    for (int i = 0; i < a->rows; i += SCORE_ROWS)
        gradient_block(a, &h, &next, i, a->rows - i < SCORE_ROWS ? a->rows - i : SCORE_ROWS);
    copy_out(&h, a->rows, h.dk, h.scale, a->k, a->stride);
    copy_out(&h, a->rows, h.dv, 1, a->v, a->stride);
}
