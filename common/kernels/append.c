/* New positions of a head's cache. */
#include "attention_scratch.h"
#include "set.h"
#include "square.h"

/* Whole panels at once, and else lane by lane: other lanes may be another member's. */
static void append_keys(const new_positions *n) {
    for (int i = 0; i < n->count;) {
        int t = n->position + i;
        bool whole = t % 16 == 0 && n->count - i >= 16;
        float *panel = n->keys + (size_t)(t / 16) * (size_t)n->head_size * 16 + t % 16;
        const float *k = n->k + (size_t)i * n->stride;
        if (whole)
            turn_to_panel(16, n->head_size, k, n->stride, panel);
        else
            for (int d = 0; d < n->head_size; d++) panel[16 * d] = k[d];
        i += whole ? 16 : 1;
    }
}

void KERNEL(append)(const new_positions *n) {
    size_t width = (size_t)padded_head(n->head_size);
    append_keys(n);
    for (int i = 0; i < n->count; i++)
        copy_padded(n->head_size, n->v + (size_t)i * n->stride,
                    n->values + (size_t)(n->position + i) * width);
}
