/* The forward pass with a fault built in: a test-only variant, so that check can show that its
 * comparisons would have found the mistakes that a key/value cache invites. The shipped
 * engine_forward has none of these paths. */
#ifndef FAULTY_FORWARD_H
#define FAULTY_FORWARD_H
#include "engine.h"

typedef enum {
    FAULT_NONE,               /* as the shipped forward */
    FAULT_NO_POSITION_OFFSET, /* row i of a chunk has position i's embedding, whatever the chunk's position */
    FAULT_NO_MASK_OFFSET,     /* row i of a chunk attends as if it stood at position i */
    FAULT_STALE_ROW,   /* past position 0 the first new row's key and value are not written to the cache */
    FAULT_WRONG_LAYER, /* attention of layer l reads the cache of layer l + 1, the last one of layer 0 */
    FAULT_POSITIONS_NOT_RESET, /* rows that start a cache have the embeddings of the last positions of the
                                  context */
} forward_fault;

void engine_forward_faulty(engine *e, int n, const sequence_rows *sequences, logit_rows wanted, float *logits,
                           forward_fault fault);
#endif
