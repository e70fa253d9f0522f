#include "check_subject.h"
#include "memory.h"
#include <stdio.h>

enum { LARGE_CONTEXT = 256, LARGE_MODEL = 20000000 };

int context_of(const subject *s) {
    return s->model->shape.block_size;
}

size_t row_floats(const subject *s) {
    return (size_t)padded(s->model->shape.vocab_size);
}

bool subject_sampled(const subject *s) {
    return !s->full && (context_of(s) > LARGE_CONTEXT || s->model->table.elements > LARGE_MODEL);
}

int subject_windows(const subject *s) {
    return (FEWEST_ROWS * team_size(s->team) + context_of(s) - 1) / context_of(s);
}

int subject_rows(const subject *s) {
    int windows = subject_windows(s) * context_of(s);
    return windows > context_of(s) + CROWD ? windows : context_of(s) + CROWD;
}

int next_size(const subject *s, int n) {
    static const int sample[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 100, 255, 256, 257, 500};
    int last = context_of(s), next = n + 1;
    if (n >= last) return 0;
    if (!subject_sampled(s)) return next;
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++)
        if (sample[i] > n && sample[i] < last - 1) return sample[i];
    return n < last - 1 ? last - 1 : last;
}

void name_sizes(const subject *s, finding *f) {
    char *end = f->where + sizeof f->where, *p = f->where;
    if (!subject_sampled(s))
        found_at(f, "N = 1..%d", context_of(s));
    else
        for (int n = 0; (n = next_size(s, n)) && p < end;)
            p += snprintf(p, (size_t)(end - p), p == f->where ? "N = %d" : " %d", n);
}

bool subject_open(subject *s, problem *why) {
    const shape *sizes = &s->model->shape;
    int rows = subject_rows(s);
    size_t whole = (size_t)context_of(s) * row_floats(s), logits = (size_t)rows * row_floats(s);
    bool ok = cache_open(&s->cache, sizes, s->model->cache_type, sizes->n_layer, why) &&
              (s->whole = allocate(whole, sizeof *s->whole, "the whole forward's logits", why)) &&
              (s->logits = allocate(logits, sizeof *s->logits, "logits", why)) &&
              engine_open(&s->engine, s->model, s->kernels, s->team, rows, why) && crowd_open(s, why);
    if (!ok) subject_close(s);
    if (ok) run_rows(&s->engine, &s->cache, s->tokens, 0, context_of(s), ALL_ROWS, s->whole);
    return ok;
}

void subject_close(subject *s) {
    crowd_close(s);
    engine_close(&s->engine);
    release(s->logits);
    release(s->whole);
    cache_close(&s->cache);
}

void run_rows(engine *e, kv_cache *cache, const int32_t *tokens, int from, int to, logit_rows wanted,
              float *logits) {
    engine_forward(e, 1, &(sequence_rows){tokens + from, to - from, from, cache}, wanted, logits);
}

bool compare_other_text(subject *s, int changed, int from, comparison *c, problem *why) {
    int context = context_of(s);
    int32_t *others = allocate((size_t)context, sizeof *others, "tokens", why);
    if (!others) return false;
    for (int i = 0; i < context; i++)
        others[i] = i < changed ? (s->tokens[i] + 1) % s->model->shape.vocab_size : s->tokens[i];
    run_rows(&s->engine, &s->cache, others, 0, context, ALL_ROWS, s->logits);
    size_t first = (size_t)from * row_floats(s);
    compare_logits(s, s->logits + first, s->whole + first, context - from, c);
    release(others);
    return true;
}

bool spoil_cache(subject *s, comparison *c, problem *why) {
    return compare_other_text(s, context_of(s), 0, c, why);
}

void compare_rows(subject *s, engine *e, int from, int to, comparison *c) {
    run_rows(e, &s->cache, s->tokens, from, to, ALL_ROWS, s->logits);
    compare_logits(s, s->logits, s->whole + (size_t)from * row_floats(s), to - from, c);
}

void compare_logits(const subject *s, const float *a, const float *b, int rows, comparison *c) {
    for (size_t r = 0; r < (size_t)rows; r++)
        compare_bits(c, a + r * row_floats(s), b + r * row_floats(s), (size_t)s->model->shape.vocab_size);
}
