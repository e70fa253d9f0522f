#include "reference_math.h"
#include "blas.h"
#include <math.h>

/* Outputs of a linear layer whose weights are held in double at a time. */
enum { WEIGHT_ROWS = 256 };

static const double LAYER_NORM_EPSILON = 1e-5;

static double element(matrix m, int row, int col) {
    return m.flipped ? m.at[(size_t)col * (size_t)m.step + (size_t)row]
                     : m.at[(size_t)row * (size_t)m.step + (size_t)col];
}

static void multiply(double scale, matrix a, matrix b, double keep, double *c, int c_step) {
    for (int row = 0; row < a.rows; row++)
        for (int col = 0; col < b.cols; col++) {
            double sum = 0, *to = c + (size_t)row * (size_t)c_step + col;
            for (int i = 0; i < a.cols; i++) sum += element(a, row, i) * element(b, i, col);
            *to = scale * sum + (keep != 0 ? keep * *to : 0);
        }
}

#ifdef HAVE_OPENBLAS
static CBLAS_TRANSPOSE flip(matrix m) {
    return m.flipped ? CblasTrans : CblasNoTrans;
}

void reference_multiply(double scale, matrix a, matrix b, double keep, double *c, int c_step) {
    problem ignored; /* what OpenBLAS does the loops do, only slower */
    const blas *fast = blas_open(1, &ignored);
    if (fast)
        fast->dgemm(CblasRowMajor, flip(a), flip(b), a.rows, b.cols, a.cols, scale, a.at, a.step, b.at,
                    b.step, keep, c, c_step);
    else
        multiply(scale, a, b, keep, c, c_step);
}
#else
void reference_multiply(double scale, matrix a, matrix b, double keep, double *c, int c_step) {
    multiply(scale, a, b, keep, c, c_step);
}
#endif

size_t reference_linear_scratch(int in) {
    return (size_t)WEIGHT_ROWS * (size_t)in;
}

static void weights_to_double(const linear *l, int from, int rows, double *to) {
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < l->in; col++)
            *to++ = l->weight[(size_t)(from + row) * l->stride + (size_t)col];
}

static void start_from_bias(const linear *l, int count, bool add, double *y) {
    for (int row = 0; row < count; row++)
        for (int col = 0; col < l->out; col++, y++) *y = (add ? *y : 0) + (l->bias ? l->bias[col] : 0);
}

void reference_linear(const linear *l, int count, const double *x, bool add, double *y, double *scratch) {
    start_from_bias(l, count, add, y);
    for (int from = 0; from < l->out; from += WEIGHT_ROWS) {
        int rows = l->out - from < WEIGHT_ROWS ? l->out - from : WEIGHT_ROWS;
        weights_to_double(l, from, rows, scratch);
        matrix weight = rows_of(scratch, rows, l->in, l->in);
        reference_multiply(1, rows_of(x, count, l->in, l->in), transpose(weight), 1, y + from, l->out);
    }
}

static void normalize(const layer_norm *ln, int n, const double *x, double *y) {
    double mean = 0, variance = 0;
    for (int i = 0; i < n; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean) / n;
    for (int i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrt(variance + LAYER_NORM_EPSILON) * ln->weight[i] +
               (ln->bias ? ln->bias[i] : 0);
}

/* From a half of x's size to the next. */
static double half_unit(double x) {
    int exponent = 0;
    frexp(x, &exponent);
    return ldexp(1, x == 0 || exponent < -13 ? -24 : exponent - 11);
}

double reference_half(double x) {
    if (!isfinite(x)) return x;
    double unit = half_unit(x), half = rint(x / unit) * unit;
    return fabs(half) > 65504 ? copysign(INFINITY, x) : half;
}

double reference_half_near(double x, double given) {
    bool near = isfinite(x) && fabs(given - x) <= 0.75 * half_unit(x);
    return near ? given : reference_half(x);
}

static void round_bytes(int n, double *x) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; largest > 0 && i < n; i++) x[i] = rint(x[i] / largest * 127) * largest / 127;
}

void reference_round_bytes(int count, int n, double *x) {
    for (int r = 0; r < count; r++, x += n)
        for (int i = 0; i < n; i += SCALE_GROUP)
            round_bytes(n - i < SCALE_GROUP ? n - i : SCALE_GROUP, x + i);
}

void reference_layer_norm(const layer_norm *ln, int count, int n, const double *x, double *y) {
    for (size_t row = 0; row < (size_t)count; row++)
        normalize(ln, n, x + row * (size_t)n, y + row * (size_t)n);
}

static void softmax(int n, double *x) {
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, x[i]);
    for (int i = 0; i < n; i++) sum += x[i] = exp(x[i] - largest);
    for (int i = 0; i < n; i++) x[i] /= sum;
}

void reference_causal_softmax(int count, double *x) {
    for (int row = 0; row < count; row++, x += count) {
        softmax(row + 1, x);
        for (int col = row + 1; col < count; col++) x[col] = 0;
    }
}

double reference_activation(activation_kind activation, double x) {
    switch (activation) {
    case RELU:
        return x > 0 ? x : 0;
    case GELU:
        return x / 2 * (1 + erf(x * M_SQRT1_2));
    case GELU_TANH:
        return x / 2 * (1 + tanh(M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x)));
    }
    return NAN;
}
