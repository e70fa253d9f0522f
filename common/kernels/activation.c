/* The activation functions, forward and backward. Padded columns are taken along: each maps 0 to 0. */
#include "set.h"
#include "vector_math.h"

/* n vectors: y = f(x), and where slope is not NULL slope = f'(x). */
typedef void activation16n(const int n, const v16 *x, v16 *y, v16 *slope);

INLINE void relu16n(const int n, const v16 *x, v16 *y, v16 *slope) {
    const v16 zero = set16(0);
    for (int k = 0; k < n; k++) {
        y[k] = max16(x[k], zero);
        if (slope) slope[k] = select_lt16(zero, x[k], set16(1), zero);
    }
}

INLINE void apply(activation16n f, const int n, const float *x, float *y, float *dy) {
    v16 in[MOST_VECTORS], out[MOST_VECTORS], slope[MOST_VECTORS];
    for (int k = 0; k < n; k++) in[k] = load16(x + 16 * k);
    f(n, in, out, dy ? slope : NULL);
    for (int k = 0; k < n; k++) store16(y + 16 * k, out[k]);
    if (!dy) return;
    for (int k = 0; k < n; k++) store16(dy + 16 * k, mul16(load16(dy + 16 * k), slope[k]));
}

INLINE void apply_row(activation16n f, int n, const float *x, float *y, float *dy) {
    const int step = 16 * VECTORS_AT_ONCE;
    int i = 0;
    for (; step > 16 && i + step <= n; i += step) apply(f, VECTORS_AT_ONCE, x + i, y + i, dy ? dy + i : NULL);
    for (; i < n; i += 16) apply(f, 1, x + i, y + i, dy ? dy + i : NULL);
}

INLINE void forward(activation16n f, int rows, int n, const float *x, size_t xs, float *y, size_t ys) {
    for (int r = 0; r < rows; r++, x += xs, y += ys) apply_row(f, n, x, y, NULL);
}

INLINE void backward(activation16n f, int rows, int n, float *x, size_t xs, float *dy, size_t dys) {
    for (int r = 0; r < rows; r++, x += xs, dy += dys) apply_row(f, n, x, x, dy);
}

void KERNEL(relu)(int rows, int n, const float *x, size_t xs, float *y, size_t ys) {
    forward(relu16n, rows, n, x, xs, y, ys);
}

void KERNEL(gelu)(int rows, int n, const float *x, size_t xs, float *y, size_t ys) {
    forward(gelu16n, rows, n, x, xs, y, ys);
}

void KERNEL(gelu_tanh)(int rows, int n, const float *x, size_t xs, float *y, size_t ys) {
    forward(gelu_tanh16n, rows, n, x, xs, y, ys);
}

void KERNEL(relu_backward)(int rows, int n, float *x, size_t xs, float *dy, size_t dys) {
    backward(relu16n, rows, n, x, xs, dy, dys);
}

void KERNEL(gelu_backward)(int rows, int n, float *x, size_t xs, float *dy, size_t dys) {
    backward(gelu16n, rows, n, x, xs, dy, dys);
}

void KERNEL(gelu_tanh_backward)(int rows, int n, float *x, size_t xs, float *dy, size_t dys) {
    backward(gelu_tanh16n, rows, n, x, xs, dy, dys);
}
