/* The transformer over rows, from tokens to the final layer norm: the one forward that everything runs. */
#ifndef TRANSFORMER_H
#define TRANSFORMER_H
#include "activations.h"
#include "cache.h"
#include "dropout_plan.h"
#include "model.h"

/* Rows of one sequence: `count` tokens at positions `position`.. ; the cache holds the positions before. */
typedef struct sequence_rows {
    const int32_t *tokens;
    int count, position;
    kv_cache *cache; /* its length becomes position + count */
} sequence_rows;

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

/* Of a member, where a call's rows are split among members. Half as many where a matrix has fewer pieces of
 * columns than the team has members. */
enum { FEWEST_ROWS = 64 };

/* Every member of the team calls it with the same call; a member that works alone does all of it. On return
 * of all members acts.norm_f holds the final layer norm's rows. Does not change the caches' lengths. */
typedef void transformer_function(const transformer_call *call, member me);
void transformer_forward(const transformer_call *call, member me);

#endif
