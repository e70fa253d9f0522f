#ifdef HAVE_OPENBLAS
#include "openblas.h"
#include "blas.h"
#include <string.h>

void linear_openblas(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                     size_t ys) {
    int n = (to < l->out ? to : l->out) - from;
    for (int r = 0; r < rows; r++) {
        float *row = y + (size_t)r * ys + from;
        memset(row, 0, (size_t)(to - from) * sizeof(float));
        if (l->bias) memcpy(row, l->bias + from, (size_t)n * sizeof(float));
    }
    blas_loaded()->sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, n, l->in, 1, x, (int)xs,
                         l->weight + (size_t)from * l->stride, (int)l->stride, 1, y + from, (int)ys);
}

void linear_input_gradient_openblas(const linear *l, int rows, int from, int to, const float *dy, size_t dys,
                                    float *dx, size_t dxs) {
    blas_loaded()->sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, to - from, l->out, 1, dy, (int)dys,
                         l->weight + from, (int)l->stride, 0, dx + from, (int)dxs);
}

void linear_weight_gradient_openblas(const linear *gradient, int rows, int from, int to, const float *dy,
                                     size_t dys, const float *x, size_t xs) {
    if (from == to) return;
    blas_loaded()->sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, to - from, gradient->in, rows, 1, dy + from,
                         (int)dys, x, (int)xs, 1, gradient->weight + (size_t)from * gradient->stride,
                         (int)gradient->stride);
    for (int m = 0; gradient->bias && m < rows; m++)
        for (int n = from; n < to; n++) gradient->bias[n] += dy[(size_t)m * dys + (size_t)n];
}
#else
typedef int openblas_is_left_out; /* ISO C wants a translation unit to declare something */
#endif
