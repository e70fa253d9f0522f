/* Layer norm over each row: y = (x - mean) / sqrt(variance + 1e-5) w + b, the variance biased (Ba,
 * Kiros, Hinton 2016; PyTorch nn.LayerNorm). A row's sums have sixteen lanes, column c in lane c
 * mod 16, joined in a fixed tree. */
#include "set.h"
#include "simd16.h"
#include <math.h>

static const float EPSILON = 1e-5f;
enum { COLUMN_VECTORS = SIMD16_WIDE == 2 ? 12 : 2 }; /* of weight gradients that the registers hold */

/* Lanes past the last column are +0. */
INLINE v16 within(int n, int c, v16 x) {
    return c + 16 <= n ? x : first16(n - c, x, set16(0));
}

static float row_mean(int n, const float *x) {
    v16 sum = set16(0);
    for (int c = 0; c < n; c += 16) sum = add16(sum, load16(x + c));
    return sum16(sum) / (float)n;
}

static float row_variance(int n, const float *x, float mean) {
    v16 sum = set16(0), centre = set16(mean);
    for (int c = 0; c < n; c += 16) {
        v16 d = within(n, c, sub16(load16(x + c), centre));
        sum = fma16(d, d, sum);
    }
    return sum16(sum) / (float)n;
}

INLINE v16 normalized(const float *x, v16 mean, v16 inverse) {
    return mul16(sub16(load16(x), mean), inverse);
}

void KERNEL(layer_norm)(int rows, int n, const float *x, size_t xs, const float *weight, const float *bias,
                        float *y, size_t ys, float *stats) {
    for (int r = 0; r < rows; r++, x += xs, y += ys, stats += 2) {
        stats[0] = row_mean(n, x);
        stats[1] = 1 / sqrtf(row_variance(n, x, stats[0]) + EPSILON);
        v16 mean = set16(stats[0]), inverse = set16(stats[1]);
        for (int c = 0; c < n; c += 16) {
            v16 b = bias ? load16(bias + c) : set16(0);
            store16(y + c, within(n, c, fma16(normalized(x + c, mean, inverse), load16(weight + c), b)));
        }
    }
}

/* With h the normalized row and g = dy w: dx += (g - mean(g) - h mean(g h)) / deviation. */
void KERNEL(layer_norm_backward)(int rows, int n, const float *dy, size_t dys, const float *x, size_t xs,
                                 const float *weight, const float *stats, float *dx, size_t dxs) {
    for (int r = 0; r < rows; r++, dy += dys, x += xs, stats += 2, dx += dxs) {
        v16 mean = set16(stats[0]), inverse = set16(stats[1]), sum_g = set16(0), sum_gh = set16(0);
        for (int c = 0; c < n; c += 16) {
            v16 g = mul16(load16(dy + c), load16(weight + c));
            sum_g = add16(sum_g, g);
            sum_gh = fma16(g, normalized(x + c, mean, inverse), sum_gh);
        }
        v16 mean_g = set16(sum16(sum_g) / (float)n), mean_gh = set16(sum16(sum_gh) / (float)n);
        for (int c = 0; c < n; c += 16) {
            v16 g = mul16(load16(dy + c), load16(weight + c)), h = normalized(x + c, mean, inverse);
            v16 d = sub16(sub16(g, mean_g), mul16(h, mean_gh));
            store16(dx + c, within(n, c, fma16(d, inverse, load16(dx + c))));
        }
    }
}

/* V vectors of columns, whose lines lie together in each row. */
INLINE void weight_gradient_columns(const int V, int rows, const float *dy, size_t dys, const float *x,
                                    size_t xs, const float *stats, float *dweight, float *dbias) {
    v16 dw[COLUMN_VECTORS], db[COLUMN_VECTORS];
    for (int v = 0; v < V; v++)
        dw[v] = load16(dweight + 16 * v), db[v] = dbias ? load16(dbias + 16 * v) : set16(0);
    for (int r = 0; r < rows; r++, dy += dys, x += xs, stats += 2) {
        v16 mean = set16(stats[0]), inverse = set16(stats[1]);
        for (int v = 0; v < V; v++) {
            v16 g = load16(dy + 16 * v);
            dw[v] = fma16(g, normalized(x + 16 * v, mean, inverse), dw[v]);
            db[v] = add16(db[v], g);
        }
    }
    for (int v = 0; v < V; v++) {
        store16(dweight + 16 * v, dw[v]);
        if (dbias) store16(dbias + 16 * v, db[v]);
    }
}

void KERNEL(layer_norm_weight_gradient)(int rows, int from, int to, const float *dy, size_t dys,
                                        const float *x, size_t xs, const float *stats, float *dweight,
                                        float *dbias) {
    const int V = COLUMN_VECTORS;
    int c = from;
    for (; c + 16 * V <= to; c += 16 * V)
        weight_gradient_columns(V, rows, dy + c, dys, x + c, xs, stats, dweight + c,
                                dbias ? dbias + c : NULL);
    for (; c < to; c += 16)
        weight_gradient_columns(1, rows, dy + c, dys, x + c, xs, stats, dweight + c,
                                dbias ? dbias + c : NULL);
}
