/* Floating-point operations, counted from the model's shape and not from what a kernel happens to do. */
#ifndef FLOPS_H
#define FLOPS_H
#include "shape.h"

/* Operations of training on one token of a full window: 6 for each parameter that takes part in a matrix
 * product, the head included (a multiplication and an addition forward, twice that backward), and three times
 * the causal attention, whose forward is 2 T C a layer: scores and weighted values are each 2 C operations
 * for each of T/2 keys on average. */
double training_flops_per_token(const shape *s);
#endif
