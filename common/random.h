/* Random numbers as functions of what they are for: never of a generator's history. Resuming is exact,
 * dropout needs no stored masks, and sample k of a batch is the text it would be alone. */
#ifndef RANDOM_H
#define RANDOM_H
#include "kernels/philox.h"

typedef enum { FOR_INIT = 1, FOR_BATCH, FOR_DROPOUT, FOR_SAMPLING, FOR_CHECK } random_purpose;

/* The stream of (seed, purpose, iteration, sequence, site): two Philox calls derive its key and high
 * counter. */
random_stream random_open(uint64_t seed, random_purpose purpose, uint64_t iteration, uint64_t sequence,
                          uint32_t site);

/* Number `index` of a stream. */
uint64_t random_u64(const random_stream *s,
                    uint64_t index); /* uniform over 64-bit integers: words 2i, 2i+1 */
double random_uniform(const random_stream *s, uint64_t index); /* in [0, 1), a multiple of 2^-53 */
double random_normal(const random_stream *s, uint64_t index);  /* standard normal, by Box and Muller */
/* Uniform in [0, n), n >= 1: the high half of a 128-bit product, bias below n / 2^64. */
uint64_t random_below(const random_stream *s, uint64_t index, uint64_t n);
#endif
