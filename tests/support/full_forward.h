/* Logits of whole windows in one call of the forward pass. */
#ifndef FULL_FORWARD_H
#define FULL_FORWARD_H
#include "engine.h"

/* (windows, count, V), rows padded(V) floats apart; free(). */
float *full_forward(const model *m, const kernels *k, int threads, int windows, const int32_t *const *window,
                    int count);
#endif
