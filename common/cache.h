/* The key/value cache of one sequence: keys and values of every head for block_size positions in each layer,
 * allocated once, appended to without copying.
 * Keys lie in panels of sixteen positions, [layer][head][T/16][D][16], so that a score is a sequential sum
 * over the head's dimensions with lanes across keys. Values lie in rows, [layer][head][T][padded(D)].
 * CACHE_F16: both are halves, rounded as they join. Every forward does it, cached or not, so the cache still
 * changes nothing. */
#ifndef CACHE_H
#define CACHE_H
#include "kernels/kernels.h"
#include "shape.h"

typedef enum { CACHE_F32, CACHE_F16 } cache_type;
extern const char *const cache_names[]; /* and NULL */

typedef struct kv_cache {
    char *keys, *values;
    cache_type type;
    size_t key_layer, key_head; /* bytes from a layer (a head) to the next */
    size_t value_layer, value_head;
} kv_cache;

/* layers: n_layer to generate; 1 where a layer's keys are used before the next layer's, as in training and
 * whole windows: all layers then take turns in the same memory. Close with cache_close, which is harmless on
 * a cache of zeros. */
bool cache_open(kv_cache *cache, const shape *s, cache_type type, int layers, problem *why);
void cache_close(kv_cache *cache);

/* What to add to the news that a number is not finite: halves end where floats do not. */
const char *cache_limit(cache_type type);

cached_head cache_head(const kv_cache *cache, int layer, int head);

/* Makes `to` hold what `from` does at positions 0..positions-1. Both have a layer's memory for each layer of
 * `s`, numbers of one type, and room for so many: their block_size may differ. */
void cache_copy(kv_cache *to, const kv_cache *from, const shape *s, int positions);

/* Bytes allocated for a cache. */
size_t cache_bytes(const shape *s, cache_type type, int layers);
#endif
