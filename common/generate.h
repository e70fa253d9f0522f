/* Generation: prompts in, tokens out, through the cache or by recomputing the window at each step: the same
 * tokens.
 *
 * Windows: to predict the token at index p (counted from the first prompt token) the model sees
 * tokens start..p-1 at positions 0.., where start = j (block_size - keep + 1) for the smallest j
 * with p - start <= block_size. When the window moves, the cache is dropped and rebuilt from the
 * latest `keep` tokens: a sawtooth. */
#ifndef GENERATE_H
#define GENERATE_H
#include "engine.h"
#include "sampler.h"

/* What remains after a rebuild unless something else is asked for: half the context. */
static inline int default_keep(const shape *s) {
    return (s->block_size + 1) / 2;
}

/* First token of the window that predicts token p. */
size_t window_start(size_t p, int block_size, int keep);

typedef struct generation {
    const int32_t *prompt; /* at least one token */
    size_t prompt_count, new_tokens;
    int samples;    /* sample k draws with seed + k and is the text it would be alone */
    int keep;       /* 1..block_size tokens remain after a rebuild */
    bool use_cache; /* false: recompute the window at each step */
    sampling sampling;
    /* Called for each new token, step by step, sample by sample; false stops. May be NULL. */
    bool (*emit)(void *context, int sample, int32_t token);
    void *context;
} generation;

typedef struct generation_stats {
    size_t prefill_tokens, decode_tokens, rebuilds, rebuilt_tokens, cache_bytes;
    double prefill_seconds; /* of the prompt, which runs once for all samples */
    double decode_seconds;  /* rebuilds count here, and warming the weights */
} generation_stats;

/* Rows that the engine of this generation must have room for. */
int generation_rows(const shape *s, const generation *g);

/* Generates; tokens[k * new_tokens ..] receives sample k's tokens when `tokens` is not NULL. stats may
 * be NULL. */
bool generate(engine *e, const generation *g, int32_t *tokens, generation_stats *stats, problem *why);
#endif
