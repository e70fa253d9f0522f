/* Which windows of the training split an iteration learns from: a function of seed and iteration alone. */
#ifndef BATCHES_H
#define BATCHES_H
#include "corpus.h"
#include "settings.h"

typedef struct batches {
    corpus *corpus;
    const settings *settings;
    size_t count;            /* windows an iteration: batch_size * grad_accum */
    int32_t *tokens;         /* count windows of block_size + 1 tokens */
    const int32_t **windows; /* pointers to them */
} batches;

/* Borrows corpus and settings; the training split has at least block_size + 1 tokens. */
bool batches_open(batches *b, corpus *c, const settings *s, problem *why);
void batches_close(batches *b);

/* First token of window `sequence` of an iteration. Random order: uniform over every place a window fits.
 * Sequential: window (iteration * count + sequence) mod W of the W windows that lie side by side. */
size_t batches_start(const batches *b, int64_t iteration, size_t sequence);

/* Fetches an iteration's windows; they stay until the next call. NULL where the corpus cannot be read. */
const int32_t *const *batches_fetch(batches *b, int64_t iteration, problem *why);
#endif
