/* Where dropout happens in training, and which mask each place has. */
#ifndef DROPOUT_PLAN_H
#define DROPOUT_PLAN_H
#include "kernels/kernels.h"
#include "shape.h"

/* Dropout of one sequence in one iteration: at gpt.py's sites (attention weights, attention
 * output, MLP output) and nanoGPT's (also embeddings). Each mask is a function of these numbers,
 * the site and the element's place. */
typedef struct dropout_plan {
    double rate, embd_rate;
    uint64_t seed, iteration, sequence;
} dropout_plan;

/* The dropout at one site; false: none there, as where plan is NULL. Forward and backward ask the same
 * question. */
bool dropout_at(const dropout_plan *plan, uint32_t site, dropout *drop);

/* Sites by number: the embeddings, then for each layer its heads' attention weights, attention's output, the
 * MLP's. */
static inline uint32_t embedding_site(void) {
    return 0;
}
static inline uint32_t attention_site(const shape *s, int layer, int head) {
    return 1 + (uint32_t)layer * ((uint32_t)s->n_head + 2) + (uint32_t)head;
}
static inline uint32_t attention_output_site(const shape *s, int layer) {
    return attention_site(s, layer, s->n_head);
}
static inline uint32_t mlp_output_site(const shape *s, int layer) {
    return attention_site(s, layer, s->n_head + 1);
}

/* A mask's rows start at multiples of 64 elements: floats (columns or keys) rounded up. */
static inline size_t drop_row(int columns) {
    return ((size_t)columns + 63) / 64 * 64;
}
#endif
