/* Sequences of different texts and lengths, each ready for one more token: what batches are made of. */
#ifndef CHECK_CROWD_H
#define CHECK_CROWD_H
#include "cache.h"

enum { CROWD = 64 };

typedef struct crowd {
    kv_cache caches[CROWD]; /* each holds the positions before its sequence's next token */
    int lengths[CROWD];
    float *alone; /* (CROWD, V): the next tokens' logits, each sequence alone */
} crowd;
#endif
