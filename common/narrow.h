/* Narrow weights, number by number: what they are called, how large they are, and a byte from a float. */
#ifndef NARROW_H
#define NARROW_H
#include "kernels/kernels.h"
#include <math.h>

/* "f32", "f16", "int8", then NULL: in weight_type's order. On a command line and in meta.json. */
extern const char *const weight_names[];

static inline size_t number_size(weight_type type) {
    return type == WEIGHTS_F32 ? sizeof(float) : type == WEIGHTS_F16 ? sizeof(uint16_t) : sizeof(int8_t);
}

/* The nearest whole number of scales, half to even. What q times its scale was rounded to gives q again. */
static inline int8_t byte_of(float x, float scale) {
    float q = scale == 0 ? 0 : x / scale;
    return (int8_t)lrintf(q > MOST_BYTE ? MOST_BYTE : q < -MOST_BYTE ? -MOST_BYTE : q);
}
#endif
