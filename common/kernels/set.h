/* The functions of one kernel set. Each source here is compiled once for each kind of processor, with KIND
 * defined as avx512, avx2, neon or plain, which becomes the ending of every name that is not static. */
#ifndef SET_H
#define SET_H
#include "kernels.h"

#define PASTE(name, kind)  name##_##kind
#define SUFFIX(name, kind) PASTE(name, kind)
#define KERNEL(name)       SUFFIX(name, KIND)

void KERNEL(linear)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                    size_t ys);
void KERNEL(linear_input_gradient)(const linear *l, int rows, int from, int to, const float *dy, size_t dys,
                                   float *dx, size_t dxs);
void KERNEL(linear_weight_gradient)(const linear *gradient, int rows, int from, int to, const float *dy,
                                    size_t dys, const float *x, size_t xs, float *scratch);

/* KERNEL(linear) for 1..HALF_ROWS rows and f16 weights; and for int8 weights. */
enum { HALF_ROWS = 4 };
void KERNEL(linear_half)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                         size_t ys);
void KERNEL(linear_bytes)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                          size_t ys);

void KERNEL(layer_norm)(int rows, int n, const float *x, size_t xs, const float *weight, const float *bias,
                        float *y, size_t ys, float *stats);
void KERNEL(layer_norm_backward)(int rows, int n, const float *dy, size_t dys, const float *x, size_t xs,
                                 const float *weight, const float *stats, float *dx, size_t dxs);
void KERNEL(layer_norm_weight_gradient)(int rows, int from, int to, const float *dy, size_t dys,
                                        const float *x, size_t xs, const float *stats, float *dweight,
                                        float *dbias);

void KERNEL(relu)(int rows, int n, const float *x, size_t xs, float *y, size_t ys);
void KERNEL(gelu)(int rows, int n, const float *x, size_t xs, float *y, size_t ys);
void KERNEL(gelu_tanh)(int rows, int n, const float *x, size_t xs, float *y, size_t ys);
void KERNEL(relu_backward)(int rows, int n, const float *x, size_t xs, float *y, size_t ys, float *dy,
                           size_t dys);
void KERNEL(gelu_backward)(int rows, int n, const float *x, size_t xs, float *y, size_t ys, float *dy,
                           size_t dys);
void KERNEL(gelu_tanh_backward)(int rows, int n, const float *x, size_t xs, float *y, size_t ys, float *dy,
                                size_t dys);

void KERNEL(add)(int rows, int n, const float *x, size_t xs, const float *y, size_t ys, const dropout *drop,
                 uint64_t first, size_t drop_row, float *out, size_t os);
void KERNEL(drop)(int rows, int n, const float *y, size_t ys, const dropout *drop, uint64_t first,
                  size_t drop_row, float *out, size_t os);

void KERNEL(append)(const new_positions *n);
void KERNEL(attention)(const attention_rows *a);
void KERNEL(attention_gradient)(const attention_gradient *a);

void KERNEL(cross_entropy)(int rows, int n, float *logits, size_t stride, const int32_t *targets, float scale,
                           row_loss *losses);

void KERNEL(adamw)(size_t n, const adamw_step *step, const float *gradient, float *weight, float *m,
                   float *v);
double KERNEL(sum_of_squares)(size_t n, const float *x);
void KERNEL(accumulate)(size_t n, float *a, const float *b);

double KERNEL(fma_peak_flops)(long repeats);
float KERNEL(read_floats)(size_t n, const float *x);
#endif
