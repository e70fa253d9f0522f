#include "random.h"
#include "scalar_math.h"
#include <math.h>

static uint32_t low(uint64_t x) {
    return (uint32_t)x;
}

static uint32_t high(uint64_t x) {
    return (uint32_t)(x >> 32);
}

/* The first call mixes what the counter has room for, the second the rest. */
random_stream random_open(uint64_t seed, random_purpose purpose, uint64_t iteration, uint64_t sequence,
                          uint32_t site) {
    uint32_t first[4], second[4];
    philox((uint32_t[]){low(seed), high(seed)}, (uint32_t[]){purpose, site, low(sequence), high(sequence)},
           first);
    philox(first, (uint32_t[]){low(iteration), high(iteration), first[2], first[3]}, second);
    return (random_stream){{second[0], second[1]}, {second[2], second[3]}};
}

static void random_block(const random_stream *s, uint64_t block, uint32_t words[4]) {
    philox(s->key, (uint32_t[]){low(block), high(block), s->high[0], s->high[1]}, words);
}

static uint64_t joined(const uint32_t pair[2]) {
    return (uint64_t)pair[1] << 32 | pair[0];
}

static double uniform(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

uint64_t random_u64(const random_stream *s, uint64_t index) {
    uint32_t words[4];
    random_block(s, index / 2, words);
    return joined(words + 2 * (index % 2));
}

double random_uniform(const random_stream *s, uint64_t index) {
    return uniform(random_u64(s, index));
}

/* From the uniform numbers 2 index and 2 index + 1; 1 - u is never 0. */
double random_normal(const random_stream *s, uint64_t index) {
    uint32_t words[4];
    random_block(s, index, words);
    return sqrt(-2 * exact_log(1 - uniform(joined(words)))) * exact_cos_turn(uniform(joined(words + 2)));
}

uint64_t random_below(const random_stream *s, uint64_t index, uint64_t n) {
    return (uint64_t)((unsigned __int128)random_u64(s, index) * n >> 64);
}
