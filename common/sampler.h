/* Draws a token from a row of logits. Everything is in double and in a fixed order, so the same logits and
 * the same random number draw the same token on every machine. */
#ifndef SAMPLER_H
#define SAMPLER_H
#include "problem.h"
#include <stdint.h>

typedef struct sampling {
    double temperature; /* 0: greedy, the lowest id among equal logits */
    int top_k;          /* 0, or the vocabulary's size and more: off */
    double top_p;       /* 1: off */
    uint64_t seed;
} sampling;

typedef struct sampler {
    int vocab_size;
    double *weights; /* each token's exp((logit - largest) / temperature) */
    int32_t *ids;    /* a heap of token ids; those taken from it lie behind it */
} sampler;

/* Allocates what a draw needs; sampler_close is harmless on a sampler of zeros. */
bool sampler_open(sampler *s, int vocab_size, problem *why);
void sampler_close(sampler *s);

/* The first of n logits that is NaN or infinite; -1: there is none. */
int logits_not_finite(const float *logits, int n);

/* The token that `uniform` in [0, 1) draws from finite logits. top_k leaves exactly that many tokens, the
 * lower id first among equal logits; top_p then leaves the shortest list of the best whose probabilities,
 * after top_k, add up to it: at least one token. A probability that underflows to 0 is never drawn. */
int32_t sampler_draw(sampler *s, const float *logits, const sampling *how, double uniform);
#endif
