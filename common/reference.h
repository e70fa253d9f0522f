/* The second opinion: the textbook GPT forward (Radford et al. 2019; nanoGPT's model.py) in double precision,
 * the whole window at once, written from the formulas. It shares no numerical code with the kernels. */
#ifndef REFERENCE_H
#define REFERENCE_H
#include "model.h"

/* Not rounded: in double precision throughout. Rounded: each step's result to float32, which costs what these
 * weights cost any float32 forward at least.
 *
 * logits[t] (count, vocab_size) for the tokens at positions 0..count-1, 1 <= count <= block_size; the caller
 * has checked that every token is below vocab_size. Reads the float32 weights in m->block; for int8 models
 * each linear layer's input is rounded to bytes as theirs is, and for an f16 cache keys and values to halves.
 *
 * cached: NULL, or what a forward of these tokens has left in an f16 cache: near the midpoint of two halves
 * either is right, so the cache's own is taken within three quarters of a unit. */
bool reference_logits(const model *m, const int32_t *tokens, int count, bool rounded, const kv_cache *cached,
                      double *logits, problem *why);
#endif
