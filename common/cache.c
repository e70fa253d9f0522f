#include "cache.h"
#include "memory.h"
#include <string.h>

bool cache_open(kv_cache *cache, const shape *s, int layers, problem *why) {
    size_t positions = (size_t)padded(s->block_size), d = (size_t)head_size(s);
    size_t heads = (size_t)s->n_head, width = (size_t)padded(head_size(s));
    *cache = (kv_cache){.key_head = positions * d, .value_head = (size_t)s->block_size * width};
    size_t keys = heads * cache->key_head, values = heads * cache->value_head;
    if (layers > 1)
        cache->key_layer = keys, cache->value_layer = values; /* else all layers use the one in turn */
    cache->keys = allocate((size_t)layers * keys, sizeof(float), "cached keys", why);
    cache->values = allocate((size_t)layers * values, sizeof(float), "cached values", why);
    if (cache->keys && cache->values) return true;
    cache_close(cache);
    return false;
}

void cache_close(kv_cache *cache) {
    release(cache->keys);
    release(cache->values);
    *cache = (kv_cache){0};
}

void cache_copy(kv_cache *to, const kv_cache *from, const shape *s) {
    size_t keys = (size_t)padded(from->length) * (size_t)head_size(s);
    size_t values = (size_t)from->length * (size_t)padded(head_size(s));
    for (size_t l = 0; l < (size_t)s->n_layer; l++)
        for (size_t h = 0; h < (size_t)s->n_head; h++) {
            memcpy(to->keys + l * to->key_layer + h * to->key_head,
                   from->keys + l * from->key_layer + h * from->key_head, keys * sizeof(float));
            memcpy(to->values + l * to->value_layer + h * to->value_head,
                   from->values + l * from->value_layer + h * from->value_head, values * sizeof(float));
        }
    to->length = from->length;
}

size_t cache_bytes(const shape *s, int layers) {
    size_t keys = (size_t)padded(s->block_size) * (size_t)head_size(s);
    size_t values = (size_t)s->block_size * (size_t)padded(head_size(s));
    return sizeof(float) * (size_t)layers * (size_t)s->n_head * (keys + values);
}
