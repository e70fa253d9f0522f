/* A model ready to run, with kernels, threads and activations for `max_rows` rows at a time: evaluation,
 * prefill, decode and batched decode, all by the one forward of transformer.h. */
#ifndef ENGINE_H
#define ENGINE_H
#include "transformer.h"

typedef struct engine {
    const model *model;
    const kernels *kernels;
    team *team;
    int max_rows;
    struct engine_memory *memory;
} engine;

/* Borrows the model, which model_prepare has packed, the kernels and the team. Close with engine_close, which
 * is harmless on an engine of zeros. */
bool engine_open(engine *e, const model *m, const kernels *k, team *t, int max_rows, problem *why);
void engine_close(engine *e);

/* Reads all packed weights with every thread at once, between calls with many rows and many calls with few. A
 * last cache that keeps only lines that several cores have used (Intel's since Skylake-SP) does not keep a
 * weight that one core alone reads: it moves into that core's cache and back, which makes decoding up to a
 * quarter slower. */
void engine_warm(engine *e);

/* Which rows' logits are wanted. */
typedef enum { ALL_ROWS, LAST_ROWS } logit_rows;

/* Runs the rows of `n` sequences (at most max_rows in all; every position below block_size, every token below
 * vocab_size: the caller has checked), and puts their keys and values into their caches.
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
