/* What distinguishes one GPT from another: sizes, activation, biases, tied weights. */
#ifndef SHAPE_H
#define SHAPE_H
#include "kernels/padded.h"
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

typedef enum {
    RELU,
    GELU,
    GELU_TANH
} activation_kind; /* GELU is x Phi(x) by erf; GELU_TANH is GPT-2's approximation */

/* The names in config files and meta.json: "relu", "gelu", "gelu_tanh", then NULL. */
extern const char *const activation_names[];

typedef struct shape {
    int n_layer, n_head, n_embd, block_size, vocab_size;
    activation_kind activation;
    bool qkv_bias, bias, head_bias,
        tie_weights; /* bias: layer norms, and every linear layer but qkv and head */
} shape;

enum {
    MAX_LAYERS = 1000,
    MAX_HEADS = 1000,
    MAX_WIDTH = 16384,
    MAX_CONTEXT = 32768,
    MAX_VOCABULARY = 0x110000
};

/* Bad input where a size is out of range or n_embd is not a multiple of n_head. Within these limits every
 * product of two sizes fits an int and every tensor's size an int64_t. */
bool shape_check(const shape *s, problem *why);

static inline int head_size(const shape *s) {
    return s->n_embd / s->n_head;
}
#endif
