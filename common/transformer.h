/* The transformer over rows, from tokens to the final layer norm: the one forward that everything runs. */
#ifndef TRANSFORMER_H
#define TRANSFORMER_H
#include "activations.h"
#include "forward.h"

/* Dropout of one sequence in one iteration: at gpt.py's sites (attention weights, attention
 * output, MLP output) and nanoGPT's (also embeddings). Each mask is a function of these numbers,
 * the site and the element's place. */
typedef struct dropout_plan {
    double rate, embd_rate;
    uint64_t seed, iteration, sequence;
} dropout_plan;

/* The dropout at one site; false: none there. Forward and backward ask the same question. */
bool dropout_at(const dropout_plan *plan, double rate, uint32_t site, dropout *drop);
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

typedef struct transformer_call {
    const model *model;
    const kernels *kernels;
    activations acts;               /* rows 0.. are this call's */
    int n;                          /* sequences */
    const sequence_rows *sequences; /* their rows follow one another */
    const dropout_plan *drop;       /* NULL: no dropout; else n is 1 and the position 0 */
    float *const *scratch;          /* [rank]: attention_scratch(block_size, D) floats for each member */
    int fault; /* read only by the variant of transformer.c that check compiles with faults built in */
} transformer_call;

/* Every member of the team calls it with the same call; a member that works alone does all of it. On return
 * of all members acts.norm_f holds the final layer norm's rows. Does not change the caches' lengths. */
typedef void transformer_function(const transformer_call *call, member me);
void transformer_forward(const transformer_call *call, member me);

/* engine_forward with another body (the faulty variant), which sees `fault`. */
void engine_forward_by(engine *e, int n, const sequence_rows *sequences, logit_rows wanted, float *logits,
                       transformer_function *body, int fault);
#endif
