#include "batches.h"
#include "memory.h"
#include "random.h"

bool batches_open(batches *b, corpus *c, const settings *s, problem *why) {
    size_t window = (size_t)s->block_size + 1;
    *b = (batches){.corpus = c, .settings = s, .count = (size_t)s->batch_size * (size_t)s->grad_accum};
    b->tokens = allocate(b->count, window * sizeof *b->tokens, "batches", why);
    b->windows = b->tokens ? allocate(b->count, sizeof *b->windows, "batches", why) : NULL;
    if (!b->windows) {
        batches_close(b);
        return false;
    }
    for (size_t i = 0; i < b->count; i++) b->windows[i] = b->tokens + i * window;
    return true;
}

void batches_close(batches *b) {
    release(b->tokens);
    release(b->windows);
    *b = (batches){0};
}

static size_t random_start(const batches *b, int64_t iteration, size_t sequence) {
    random_stream stream = random_open(b->settings->seed, FOR_BATCH, (uint64_t)iteration, sequence, 0);
    return random_below(&stream, 0, b->corpus->train_count - (size_t)b->settings->block_size);
}

static size_t sequential_start(const batches *b, int64_t iteration, size_t sequence) {
    size_t length = (size_t)b->settings->block_size;
    size_t windows = (b->corpus->train_count - 1) / length;
    return ((size_t)iteration * b->count + sequence) % windows * length;
}

size_t batches_start(const batches *b, int64_t iteration, size_t sequence) {
    bool random = b->settings->data_order == ORDER_RANDOM;
    return random ? random_start(b, iteration, sequence) : sequential_start(b, iteration, sequence);
}

const int32_t *const *batches_fetch(batches *b, int64_t iteration, problem *why) {
    size_t window = (size_t)b->settings->block_size + 1;
    for (size_t i = 0; i < b->count; i++)
        if (!corpus_read(b->corpus, batches_start(b, iteration, i), window, b->tokens + i * window, why))
            return NULL;
    return b->windows;
}
