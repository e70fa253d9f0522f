/* Bench: one sequence, prefill and decoding at a few lengths. */
#include "bench_figures.h"
#include "clock.h"
#include "flops.h"

enum { PREFILLED = 5, DECODED = 16 };

static double bytes_of_cache(const model *m, int tokens) {
    shape s = m->shape;
    s.block_size = tokens;
    return (double)cache_bytes(&s, m->cache_type, s.n_layer);
}

void lengths_plan(length_figures figures[BENCH_LENGTHS], const model *m) {
    for (int i = 0; i < BENCH_LENGTHS; i++) {
        int part = m->shape.block_size >> (BENCH_LENGTHS - 1 - i), n = part > 0 ? part : 1;
        double cache = bytes_of_cache(m, n);
        figures[i] = (length_figures){.tokens = n,
                                      .prefill_flops = forward_flops(&m->shape, n, 1, 0.5 * n * (n + 1.0)),
                                      .decode_bytes = (double)m->packed_bytes + cache,
                                      .cache_bytes = cache};
    }
}

/* Seconds of the rows at positions from..to-1. */
static double run_rows(bench *b, int from, int to) {
    double began = clock_seconds();
    engine_forward(&b->engine, 1, &(sequence_rows){b->tokens + from, to - from, from, &b->cache}, LAST_ROWS,
                   b->logits);
    return clock_seconds() - began;
}

/* The median of some runs in a row: of the first one caches still know nothing, and a machine's hiccup is
 * none of ours. */
static double typical(bench *b, int runs, int from, int to) {
    series s = {.count = 0};
    for (int i = 0; i < runs; i++) series_add(&s, run_rows(b, from, to));
    return series_median(&s);
}

void lengths_measure(bench *b, length_figures figures[BENCH_LENGTHS]) {
    for (int i = 0; i < BENCH_LENGTHS; i++) {
        length_figures *f = &figures[i];
        series_add(&f->prefill, typical(b, PREFILLED, 0, f->tokens));
        engine_warm(&b->engine); /* as generation does after a prompt */
        series_add(&f->decode, typical(b, DECODED, f->tokens - 1, f->tokens));
    }
}
