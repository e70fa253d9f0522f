/* The forward pass over rows: one function for training, evaluation, prefill, decode and batched decode.
 *
 * A row is one token at one position of one sequence. All layers but attention treat rows alone; attention
 * lets a row read its own sequence's keys and values at positions 0..its own. A row's bits depend on
 * nothing else: not on how many rows share the call, how a prompt was cut, which sequences are in the
 * batch, or how many threads run. */
#ifndef FORWARD_H
#define FORWARD_H
#include "transformer.h"

/* An engine is a model ready to run: kernels, threads and activations for `max_rows` rows at a time. */
typedef struct engine {
    const model *model;
    const kernels *kernels;
    team *team;
    int max_rows;
    struct engine_memory *memory;
} engine;

bool engine_open(engine *e, const model *m, const kernels *k, team *t, int max_rows, problem *why);
void engine_close(engine *e);

/* Reads all packed weights with every thread at once, before many calls with few rows. Of a line that several
 * cores hold, a processor whose last cache takes what the others cast out (Intel's since Skylake-SP) keeps a
 * copy there. Else a line wanders: out of the last cache to the one core that reads it, and back when that
 * has no more room, which takes a quarter longer. */
void engine_warm(engine *e);

/* The loss in nats of one row of kernels' cross_entropy. */
double cross_entropy_of(row_loss loss);

/* Which rows' logits are wanted. */
typedef enum { ALL_ROWS, LAST_ROWS } logit_rows;

/* Runs the rows of `n` sequences (at most max_rows in all; every position below block_size, every token below
 * vocab_size: the caller has checked) and appends their keys and values to their caches.
 * logits: (rows, V), rows padded(V) floats apart, the padding zero: one row for each row of each sequence in
 * order (ALL_ROWS) or for each sequence's last row (LAST_ROWS). */
void engine_forward(engine *e, int n, const sequence_rows *sequences, logit_rows wanted, float *logits);

/* The same with another body: the variant with faults built in, which sees `fault`. */
void engine_forward_by(engine *e, int n, const sequence_rows *sequences, logit_rows wanted, float *logits,
                       transformer_function *body, int fault);

/* The same forward, then cross-entropy: losses[r] = logsumexp(logits[r]) - logits[r][targets[r]]
 * in nats, for each row of each sequence in order, logits made and used in blocks of rows.
 * `targets` has one token for each row. */
void engine_losses(engine *e, int n, const sequence_rows *sequences, const int32_t *targets, double *losses);
#endif
