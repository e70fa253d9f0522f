#include "check_crowd.h"
#include "check_subject.h"
#include "memory.h"

enum { DEPTH = 34 }; /* positions: three panels of keys, the last one begun */

static int depth_of(const subject *s) {
    return context_of(s) < DEPTH ? context_of(s) : DEPTH;
}

static const int32_t *tokens_of(const subject *s, int sequence) {
    return s->tokens + (size_t)sequence * (size_t)context_of(s) * 2 / CROWD;
}

/* What stands before the next token goes to the sequence's own cache; the token runs in the subject's. */
static void run_alone(subject *s, int i) {
    crowd *c = &s->crowd;
    const int32_t *tokens = tokens_of(s, i);
    int length = c->lengths[i] = depth_of(s) - 1 - i % depth_of(s);
    float *logits = c->alone + (size_t)i * row_floats(s);
    if (length > 0) run_rows(&s->engine, &s->cache, tokens, 0, length, LAST_ROWS, logits);
    cache_copy(&c->caches[i], &s->cache, &s->model->shape, length);
    run_rows(&s->engine, &s->cache, tokens, length, length + 1, LAST_ROWS, logits);
}

bool crowd_open(subject *s, problem *why) {
    crowd *c = &s->crowd;
    shape shallow = s->model->shape;
    shallow.block_size = depth_of(s);
    c->alone = allocate(CROWD * row_floats(s), sizeof *c->alone, "logits", why);
    for (int i = 0; i < CROWD; i++) {
        if (!c->alone || !cache_open(&c->caches[i], &shallow, s->model->cache_type, shallow.n_layer, why))
            return false;
        run_alone(s, i);
    }
    return true;
}

void crowd_close(subject *s) {
    for (int i = 0; i < CROWD; i++) cache_close(&s->crowd.caches[i]);
    release(s->crowd.alone);
}

static void compare_batch(subject *s, engine *e, int n, comparison *seen) {
    crowd *c = &s->crowd;
    sequence_rows rows[CROWD];
    for (int i = 0; i < n; i++)
        rows[i] = (sequence_rows){tokens_of(s, i) + c->lengths[i], 1, c->lengths[i], &c->caches[i]};
    engine_forward(e, n, rows, ALL_ROWS, s->logits);
    compare_logits(s, s->logits, c->alone, n, seen);
}

int compare_crowd(subject *s, engine *e, int most, comparison *seen) {
    static const int sizes[] = {1, 2, 7, CROWD};
    int largest = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++)
        compare_batch(s, e, largest = sizes[i], seen);
    return largest;
}
