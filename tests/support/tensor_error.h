/* How far a block of tensors is from what is expected of it. */
#ifndef TENSOR_ERROR_H
#define TENSOR_ERROR_H
#include "parameters.h"

/* The block's numbers in double; free(). */
double *as_doubles(const float *block, size_t count);

typedef struct tensor_error {
    double relative;        /* the worst tensor's ||x - expected|| / ||expected|| */
    const parameter *worst; /* which it is */
    double key_bias;        /* largest |x - expected| among the keys' biases */
} tensor_error;

/* Of all tensors of two blocks that are laid out as the table says. The keys' part of the bias of queries,
 * keys and values is apart: it adds the same number to all scores of a query, so softmax takes no notice, its
 * gradient is 0 but for rounding, and training moves it by chance. */
tensor_error block_error(const parameter_table *table, const double *block, const double *expected);
#endif
