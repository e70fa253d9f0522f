/* The linear layers' three products through OpenBLAS's sgemm: see kernels.h for what they compute,
 * and blas.h for what must have been loaded. */
#ifndef OPENBLAS_H
#define OPENBLAS_H
#include "kernels.h"

void linear_openblas(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                     size_t ys);
void linear_input_gradient_openblas(const linear *l, int rows, int from, int to, const float *dy, size_t dys,
                                    float *dx, size_t dxs);
void linear_weight_gradient_openblas(const linear *gradient, int rows, int from, int to, const float *dy,
                                     size_t dys, const float *x, size_t xs, float *scratch);
#endif
