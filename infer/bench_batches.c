/* Bench: a token for each of several sequences at once. */
#include "bench_figures.h"
#include "clock.h"
#include "flops.h"

enum { POSITIONS = 128, STEPS = 16 }; /* few positions: 64 caches of a whole context may not fit in memory */

static int last_position(const shape *s) {
    return (s->block_size < POSITIONS ? s->block_size : POSITIONS) - 1;
}

/* One sequence runs, the others take over its keys and values: what they are changes no speed. */
bool together_open(bench *b, problem *why) {
    shape s = b->engine.model->shape;
    int last = last_position(&s);
    s.block_size = last + 1;
    for (int i = 0; i < MOST_TOGETHER; i++)
        if (!cache_open(&b->together[i], &s, b->engine.model->cache_type, s.n_layer, why)) return false;
    sequence_rows rows = {b->tokens, last, 0, &b->together[0]};
    if (last > 0) engine_forward(&b->engine, 1, &rows, LAST_ROWS, b->logits);
    for (int i = 1; i < MOST_TOGETHER; i++) cache_copy(&b->together[i], &b->together[0], &s, last);
    return true;
}

void together_close(bench *b) {
    for (int i = 0; i < MOST_TOGETHER; i++) cache_close(&b->together[i]);
}

void batches_plan(batch_figures figures[BENCH_BATCHES], const model *m) {
    for (int i = 0, n = 1; i < BENCH_BATCHES; i++, n *= 4) {
        int last = last_position(&m->shape);
        figures[i] = (batch_figures){
            .sequences = n, .position = last, .flops = forward_flops(&m->shape, n, n, n * (last + 1.0))};
    }
}

/* Seconds of a step of n sequences: the median of some in a row. */
static double step(bench *b, int n, int position) {
    sequence_rows rows[MOST_TOGETHER];
    series seconds = {.count = 0};
    for (int i = 0; i < n; i++) rows[i] = (sequence_rows){b->tokens + position, 1, position, &b->together[i]};
    for (int i = 0; i < STEPS; i++) {
        double began = clock_seconds();
        engine_forward(&b->engine, n, rows, LAST_ROWS, b->logits);
        series_add(&seconds, clock_seconds() - began);
    }
    return series_median(&seconds);
}

void batches_measure(bench *b, batch_figures figures[BENCH_BATCHES]) {
    for (int i = 0; i < BENCH_BATCHES; i++)
        series_add(&figures[i].seconds, step(b, figures[i].sequences, figures[i].position));
}
