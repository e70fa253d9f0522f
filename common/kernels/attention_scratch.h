/* How attention cuts its work, which decides how much scratch memory it needs. */
#ifndef ATTENTION_SCRATCH_H
#define ATTENTION_SCRATCH_H
#include "padded.h"
#include <stddef.h>

enum { ROW_ARRAYS = 3, BLOCK_ARRAYS = 3, PANEL_ARRAYS = 2, SCORE_ARRAYS = 2 }; /* of the gradient */
enum {
    SCORE_ROWS = 96,  /* rows whose scores are worked on together: a multiple of every tile height */
    PANEL_GROUP = 8,  /* key panels that stay in the first cache for all rows of a block */
    VALUE_GROUP = 64, /* rows of values that do */
    WIDENED_ROWS = 16 * PANEL_GROUP, /* of a group of halves: its keys, or its values with a triangle's */
};

/* Floats from one row of scores to the next: an odd number of vectors and so no multiple of a page, or all
 * rows would share a few cache sets. */
static inline size_t score_stride(int keys) {
    return ((size_t)(keys + 15) / 16 | 1) * 16;
}

#endif
