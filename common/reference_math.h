/* The textbook formulas in double precision that the reference model is made of. They share no numerical code
 * with the kernels: matrix products are OpenBLAS's dgemm (a plain loop where the program is built without
 * it), the rest is libm. */
#ifndef REFERENCE_MATH_H
#define REFERENCE_MATH_H
#include "model.h"

/* A row-major matrix, `step` numbers from a row to the next, or the transpose of one. */
typedef struct matrix {
    const double *at;
    int rows, cols, step;
    bool flipped; /* element (r, c) lies at at[c step + r] */
} matrix;

static inline matrix rows_of(const double *at, int rows, int cols, int step) {
    return (matrix){at, rows, cols, step, false};
}
static inline matrix transpose(matrix m) {
    return (matrix){m.at, m.cols, m.rows, m.step, !m.flipped};
}

/* c = scale a b + keep c, c row-major. Where keep is 0 the old c is not read. */
void reference_multiply(double scale, matrix a, matrix b, double keep, double *c, int c_step);

/* y = x W^T + b, or y += x W^T + b, for x (count, in) and y (count, out).
 * scratch: reference_linear_scratch(in) doubles. */
void reference_linear(const linear *l, int count, const double *x, bool add, double *y, double *scratch);
size_t reference_linear_scratch(int in);

/* x as a half, to nearest even; infinity from 65520 on (IEEE 754 binary16: 11 bits, multiples of 2^-24). */
double reference_half(double x);

/* The same, but `given`, another's rounding of nearly the same number, where it lies within three quarters of
 * a unit of x: near the middle of two halves either is right. */
double reference_half_near(double x, double given);

/* Each group of SCALE_GROUP numbers of each row of (count, n) becomes whole multiples of its largest
 * magnitude / 127, half to even: what a layer of int8 weights makes of its input. */
void reference_round_bytes(int count, int n, double *x);

/* y = (x - mean) / sqrt(variance + 1e-5) weight + bias for each row of (count, n), with the variance that
 * divides by n (Ba et al. 2016; PyTorch nn.LayerNorm). */
void reference_layer_norm(const layer_norm *ln, int count, int n, const double *x, double *y);

/* Row i of (count, count) becomes exp(x) / sum of exp(x) over its columns 0..i, and 0 to their right. */
void reference_causal_softmax(int count, double *x);

/* relu: max(x, 0). gelu: x Phi(x) (Hendrycks and Gimpel 2016). gelu_tanh: the same paper's approximation
 * x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). */
double reference_activation(activation_kind activation, double x);
#endif
