#include "tensor_error.h"
#include "suite.h"
#include <math.h>
#include <string.h>

double *as_doubles(const float *block, size_t count) {
    double *x = zeros(count, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = block[i];
    return x;
}

static bool is_key_bias(const parameter *p, int col) {
    int width = p->cols / 3;
    return strstr(p->name, ".attn.c_attn.bias") && col >= width && col < 2 * width;
}

static double relative_error(const parameter *p, const double *x, const double *expected) {
    double error = 0, norm = 0;
    for (int row = 0; row < p->rows; row++, x += p->stride, expected += p->stride)
        for (int col = 0; col < p->cols; col++) {
            if (is_key_bias(p, col)) continue;
            error += (x[col] - expected[col]) * (x[col] - expected[col]);
            norm += expected[col] * expected[col];
        }
    return norm > 0 ? sqrt(error / norm) : sqrt(error);
}

static double key_bias_error(const parameter *p, const double *x, const double *expected) {
    double largest = 0;
    for (int col = 0; col < p->cols; col++)
        if (is_key_bias(p, col)) largest = worse_of(largest, fabs(x[col] - expected[col]));
    return largest;
}

tensor_error block_error(const parameter_table *table, const double *block, const double *expected) {
    tensor_error e = {.relative = -1};
    for (size_t i = 0; i < table->count; i++) {
        const parameter *p = &table->list[i];
        double relative = relative_error(p, block + p->offset, expected + p->offset);
        e.key_bias = worse_of(e.key_bias, key_bias_error(p, block + p->offset, expected + p->offset));
        if (isnan(e.relative) || relative <= e.relative) continue; /* what is not a number is worst of all */
        e.relative = relative;
        e.worst = p;
    }
    return e;
}
