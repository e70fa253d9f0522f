/* Bench: one sequence, prefill and decoding at a few lengths. */
#include "bench_figures.h"
#include "bench_work.h"
#include "clock.h"

enum { PREFILLED = 5, DECODED = 16 };

void lengths_plan(length_figures figures[BENCH_LENGTHS], const model *m) {
    for (int i = 0; i < BENCH_LENGTHS; i++) {
        int part = m->shape.block_size >> (BENCH_LENGTHS - 1 - i), n = part > 0 ? part : 1;
        double cache = work_cache_bytes(m, n);
        figures[i] = (length_figures){.tokens = n,
                                      .prefill_flops = work_flops(m, n, 1, 0.5 * n * (n + 1.0)),
                                      .decode_bytes = work_weight_bytes(m) + cache,
                                      .cache_bytes = cache};
    }
}

/* Seconds of the rows at positions from..to-1. */
static double run_rows(bench *b, int from, int to) {
    double began = clock_seconds();
    b->cache.length = from;
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
        series_add(&f->decode, typical(b, DECODED, f->tokens - 1, f->tokens));
    }
}
