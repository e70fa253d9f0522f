/* What a pass of a model has to do, counted: operations and bytes, the numerators of shares of peak and
 * bandwidth. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H
#include "model.h"

/* Packed weights with their scales: what a token reads. */
double work_weight_bytes(const model *m);

/* Cached keys and values of so many tokens. */
double work_cache_bytes(const model *m, int tokens);

/* Floating-point operations of `rows` rows through the layers, `logits` of them through the head, and
 * attention to `keys` keys in all. */
double work_flops(const model *m, double rows, double logits, double keys);
#endif
