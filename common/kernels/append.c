/* New positions of a head's cache. */
#include "attention_scratch.h"
#include "half.h"
#include "set.h"
#include "square.h"

/* Position t's lane of its panel of keys. */
static size_t key_lane(const new_positions *n, int t) {
    return (size_t)(t / 16) * (size_t)n->head_size * 16 + (size_t)(t % 16);
}

static void append_key(const new_positions *n, int t, const float *k) {
    float *panel = (float *)n->cache.keys + key_lane(n, t);
    for (int d = 0; d < n->head_size; d++) panel[16 * d] = k[d];
}

static void append_half_key(const new_positions *n, int t, const float *k) {
    uint16_t *panel = (uint16_t *)n->cache.keys + key_lane(n, t);
    for (int d = 0; d < n->head_size; d++) panel[16 * d] = half_from_float(k[d]);
}

static void append_panel(const new_positions *n, int t, const float *k) {
    if (n->cache.halves)
        turn_to_half_panel(n->head_size, k, n->stride, (uint16_t *)n->cache.keys + key_lane(n, t));
    else
        turn_to_panel(16, n->head_size, k, n->stride, (float *)n->cache.keys + key_lane(n, t));
}

/* Whole panels at once, and else lane by lane: other lanes may be another member's. */
static void append_keys(const new_positions *n) {
    for (int i = 0; i < n->count;) {
        int t = n->position + i;
        bool whole = t % 16 == 0 && n->count - i >= 16;
        const float *k = n->k + (size_t)i * n->stride;
        if (whole)
            append_panel(n, t, k);
        else if (n->cache.halves)
            append_half_key(n, t, k);
        else
            append_key(n, t, k);
        i += whole ? 16 : 1;
    }
}

static void append_values(const new_positions *n) {
    size_t width = (size_t)padded(n->head_size), first = (size_t)n->position * width;
    for (size_t i = 0; i < (size_t)n->count; i++) {
        const float *v = n->v + i * n->stride;
        if (n->cache.halves)
            copy_padded_halves(n->head_size, v, (uint16_t *)n->cache.values + first + i * width);
        else
            copy_padded(n->head_size, v, (float *)n->cache.values + first + i * width);
    }
}

void KERNEL(append)(const new_positions *n) {
    append_keys(n);
    append_values(n);
}
