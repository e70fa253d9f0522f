/* Check: several sequences in one call against each alone. */
#include "check_subject.h"
#include "memory.h"

enum { SEQUENCES = 5 };

typedef struct batch {
    kv_cache caches[SEQUENCES];
    sequence_rows rows[SEQUENCES];
    int lengths[SEQUENCES];
} batch;

/* Lengths that leave room for a token more, where the context has any. */
static bool open_batch(batch *b, const subject *s, problem *why) {
    int most = context_of(s) > 1 ? context_of(s) - 1 : 1;
    const int lengths[SEQUENCES] = {7, 1, most, 16, 33};
    *b = (batch){.lengths = {0}};
    for (int i = 0; i < SEQUENCES; i++) {
        b->lengths[i] = lengths[i] < most ? lengths[i] : most;
        if (!cache_open(&b->caches[i], &s->model->shape, s->model->cache_type, s->model->shape.n_layer, why))
            return false;
    }
    return true;
}

static void close_batch(batch *b) {
    for (int i = 0; i < SEQUENCES; i++) cache_close(&b->caches[i]);
}

/* Each sequence is a text of its own. */
static const int32_t *tokens_of(const subject *s, int sequence) {
    return s->tokens + sequence * context_of(s) / 4;
}

/* All sequences' rows from..: their prompts (from 0), or the one token after them. */
static void run_batch(batch *b, subject *s, bool prompts) {
    for (int i = 0; i < SEQUENCES; i++) {
        int from = prompts ? 0 : b->lengths[i], count = prompts ? b->lengths[i] : 1;
        b->rows[i] = (sequence_rows){tokens_of(s, i) + from, count, from, &b->caches[i]};
    }
    engine_forward(&s->engine, SEQUENCES, b->rows, ALL_ROWS, s->logits);
}

/* s->logits holds the batch's logits; `single` has room for those of a sequence alone. */
static void compare_batch(const batch *b, subject *s, float *single, comparison *c) {
    size_t row = 0;
    for (int i = 0; i < SEQUENCES; i++) {
        int from = b->rows[i].position, to = from + b->rows[i].count;
        run_rows(&s->engine, &s->cache, tokens_of(s, i), 0, to, ALL_ROWS, single);
        compare_logits(s, s->logits + row * row_floats(s), single + (size_t)from * row_floats(s), to - from,
                       c);
        row += (size_t)(to - from);
    }
}

static bool check_ragged(subject *s, report *r, problem *why) {
    finding f = {.what =
                     "sequences of different lengths in one call, then a token for each, against each alone"};
    batch b;
    float *single = allocate((size_t)context_of(s) * row_floats(s), sizeof *single, "logits", why);
    bool ok = single && open_batch(&b, s, why);
    if (ok) {
        run_batch(&b, s, true);
        compare_batch(&b, s, single, &f.seen);
        if (context_of(s) > 1) {
            run_batch(&b, s, false);
            compare_batch(&b, s, single, &f.seen);
        }
        const int *n = b.lengths;
        found_at(&f, "lengths %d, %d, %d, %d and %d", n[0], n[1], n[2], n[3], n[4]);
        report_equal(r, &f);
    }
    if (single) close_batch(&b);
    release(single);
    return ok;
}

/* Contexts that begin one token after another. Each layer's keys are used before the next layer's. */
static bool run_windows(subject *s, int n, problem *why) {
    kv_cache *caches = allocate((size_t)n, sizeof *caches, "caches", why);
    sequence_rows *rows = allocate((size_t)n, sizeof *rows, "rows", why);
    bool ok = caches && rows;
    for (int i = 0; ok && i < n; i++) {
        ok = cache_open(&caches[i], &s->model->shape, s->model->cache_type, 1, why);
        rows[i] = (sequence_rows){s->tokens + i % context_of(s), context_of(s), 0, &caches[i]};
    }
    if (ok) engine_forward(&s->engine, n, rows, ALL_ROWS, s->logits);
    for (int i = 0; caches && i < n; i++) cache_close(&caches[i]);
    release(rows);
    release(caches);
    return ok;
}

static bool check_windows(subject *s, report *r, problem *why) {
    finding f = {.what = "whole contexts in one call, its rows split among the threads, against each alone"};
    int n = subject_windows(s), context = context_of(s);
    if (n == 1) {
        report_skipped(r, f.what,
                       team_size(s->team) == 1 ? "one thread splits nothing"
                                               : "one context has rows enough to be split in every line");
        return true;
    }
    float *alone = allocate((size_t)context * row_floats(s), sizeof *alone, "logits", why);
    bool ok = alone && run_windows(s, n, why);
    for (int i = 0; ok && i < n; i++) {
        run_rows(&s->engine, &s->cache, s->tokens + i % context, 0, context, ALL_ROWS, alone);
        compare_logits(s, s->logits + (size_t)i * (size_t)context * row_floats(s), alone, context, &f.seen);
    }
    found_at(&f, "%d contexts", n);
    if (ok) report_equal(r, &f);
    release(alone);
    return ok;
}

bool check_batch(subject *s, report *r, problem *why) {
    finding f = {.what = "a token for each of several sequences in one call, against each alone"};
    if (!check_windows(s, r, why) || !check_ragged(s, r, why)) return false;
    compare_crowd(s, &s->engine, CROWD, &f.seen);
    found_at(&f, "1, 2, 7 and %d sequences", CROWD);
    report_equal(r, &f);
    return true;
}
