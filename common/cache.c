#include "cache.h"
#include "memory.h"
#include <string.h>

const char *const cache_names[] = {"f32", "f16", NULL};

static size_t number_bytes(cache_type type) {
    return type == CACHE_F16 ? sizeof(uint16_t) : sizeof(float);
}

/* Numbers of one head's keys and values at so many positions. */
static size_t key_numbers(const shape *s, int positions) {
    return (size_t)padded(positions) * (size_t)head_size(s);
}
static size_t value_numbers(const shape *s, int positions) {
    return (size_t)positions * (size_t)padded(head_size(s));
}

bool cache_open(kv_cache *cache, const shape *s, cache_type type, int layers, problem *why) {
    size_t heads = (size_t)s->n_head;
    *cache = (kv_cache){.type = type};
    cache->key_head = key_numbers(s, s->block_size) * number_bytes(type);
    cache->value_head = value_numbers(s, s->block_size) * number_bytes(type);
    size_t keys = heads * cache->key_head, values = heads * cache->value_head;
    if (layers > 1)
        cache->key_layer = keys, cache->value_layer = values; /* else all layers use the one in turn */
    cache->keys = allocate((size_t)layers, keys, "cached keys", why);
    cache->values = allocate((size_t)layers, values, "cached values", why);
    if (cache->keys && cache->values) return true;
    cache_close(cache);
    return false;
}

void cache_close(kv_cache *cache) {
    release(cache->keys);
    release(cache->values);
    *cache = (kv_cache){0};
}

const char *cache_limit(cache_type type) {
    return type == CACHE_F16 ? "; an f16 cache holds keys and values below 65520" : "";
}

cached_head cache_head(const kv_cache *c, int layer, int head) {
    size_t l = (size_t)layer, h = (size_t)head;
    return (cached_head){.keys = c->keys + l * c->key_layer + h * c->key_head,
                         .values = c->values + l * c->value_layer + h * c->value_head,
                         .halves = c->type == CACHE_F16};
}

void cache_copy(kv_cache *to, const kv_cache *from, const shape *s, int positions) {
    size_t keys = key_numbers(s, positions) * number_bytes(from->type);
    size_t values = value_numbers(s, positions) * number_bytes(from->type);
    for (int l = 0; l < s->n_layer; l++)
        for (int h = 0; h < s->n_head; h++) {
            memcpy(cache_head(to, l, h).keys, cache_head(from, l, h).keys, keys);
            memcpy(cache_head(to, l, h).values, cache_head(from, l, h).values, values);
        }
}

size_t cache_bytes(const shape *s, cache_type type, int layers) {
    size_t numbers = key_numbers(s, s->block_size) + value_numbers(s, s->block_size);
    return number_bytes(type) * (size_t)layers * (size_t)s->n_head * numbers;
}
