/* The transformer over rows, from tokens to the final layer norm: the one forward for training, evaluation,
 * prefill, decode and batched decode.
 *
 * A row is one token at one position of one sequence. All layers but attention treat rows alone; attention
 * lets a row read its own sequence's keys and values at positions 0..its own. A row's bits depend on nothing
 * else: not on how many rows share the call, how a prompt was cut, which sequences are in the batch, or how
 * many threads run. */
#ifndef TRANSFORMER_H
#define TRANSFORMER_H
#include "activations.h"
#include "cache.h"
#include "dropout_plan.h"
#include "model.h"

/* Rows of one sequence: `count` tokens at positions `position`.. ; the cache holds the positions before, and
 * then theirs too. */
typedef struct sequence_rows {
    const int32_t *tokens;
    int count, position;
    kv_cache *cache;
} sequence_rows;

typedef struct transformer_call {
    const model *model;
    const kernels *kernels;
    activations acts;
    int first;                      /* row of acts: it and those that follow are this call's */
    int n;                          /* sequences */
    const sequence_rows *sequences; /* their rows follow one another */
    const dropout_plan *drop;       /* NULL: no dropout; else n is 1 and the position 0 */
    float *const *scratch;          /* [rank]: attention_scratch(block_size, D) floats for each member */
    int fault; /* read only by the variant of transformer.c that check compiles with faults built in */
} transformer_call;

/* Calls with at least this many rows a member are split by rows; half as many suffice where a matrix has
 * fewer pieces of columns than the team has members. */
enum { FEWEST_ROWS = 64 };

/* Every member of the team calls it with the same call; a member that works alone does all of it. On return
 * of all members acts.norm_f holds the final layer norm's rows. */
typedef void transformer_function(const transformer_call *call, member me);
void transformer_forward(const transformer_call *call, member me);

#endif
