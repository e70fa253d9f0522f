/* Floating-point operations, counted from the model's shape and not from what a kernel happens to do: two, a
 * multiplication and an addition, for each use of a number. */
#ifndef FLOPS_H
#define FLOPS_H
#include "shape.h"

/* Of `rows` rows through the layers, `logits` of them through the head, and attention to `keys` keys in all:
 * a key's score takes C products, its value as many. */
double forward_flops(const shape *s, double rows, double logits, double keys);

/* Of training on one token of a full window, which looks back at half of it on average: a forward pass, and
 * twice that backward. */
double training_flops_per_token(const shape *s);
#endif
