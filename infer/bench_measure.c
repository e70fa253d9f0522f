#include "bench_measure.h"
#include "machine.h"
#include "memory.h"
#include "text.h"
#include <stdio.h>

static bool open_bench(bench *b, const loaded *l, problem *why) {
    const shape *s = &l->checkpoint.model.shape;
    int rows = s->block_size > MOST_TOGETHER ? s->block_size : MOST_TOGETHER;
    size_t logits = MOST_TOGETHER * (size_t)padded(s->vocab_size);
    *b = (bench){.tokens = NULL};
    b->tokens = allocate((size_t)s->block_size, sizeof *b->tokens, "tokens", why);
    b->logits = b->tokens ? allocate(logits, sizeof *b->logits, "logits", why) : NULL;
    if (!b->logits || !cache_open(&b->cache, s, l->checkpoint.model.cache_type, s->n_layer, why))
        return false;
    text_draw(b->tokens, (size_t)s->block_size, s->vocab_size);
    return loaded_engine(l, rows, &b->engine, why) && together_open(b, why);
}

static void close_bench(bench *b) {
    together_close(b);
    engine_close(&b->engine);
    cache_close(&b->cache);
    release(b->logits);
    release(b->tokens);
}

static void plan(bench_figures *f, const model *m, int rounds) {
    *f = (bench_figures){.rounds = rounds, .weight_bytes = (double)m->packed_bytes};
    lengths_plan(f->lengths, m);
    batches_plan(f->batches, m);
    sawtooth_plan(&f->sawtooth, &m->shape);
    text_plan(&f->text, &m->shape);
}

/* Weights are read as generation finds them: warm. */
static void measure_machine(bench *b, bench_figures *f) {
    const model *m = b->engine.model;
    const kernels *fastest = kernels_named("auto");
    series_add(&f->fma_peak, machine_fma_peak(fastest, b->engine.team));
    engine_warm(&b->engine);
    series_add(&f->read_bandwidth,
               machine_read_bandwidth(fastest, b->engine.team, m->packed_bytes / sizeof(float), m->packed));
}

static bool measure_round(bench *b, const arguments *reload, bench_figures *f, problem *why) {
    measure_machine(b, f);
    lengths_measure(b, f->lengths);
    batches_measure(b, f->batches);
    return sawtooth_measure(b, &f->sawtooth, why) && text_measure(b, &f->text, why) &&
           (!reload || start_measure(reload, &f->start, why));
}

bool bench_measure(const loaded *l, const arguments *reload, int rounds, bench_figures *figures,
                   problem *why) {
    bench b;
    bool ok = open_bench(&b, l, why);
    plan(figures, &l->checkpoint.model, rounds);
    for (int round = 0; ok && round < rounds; round++) {
        fprintf(stderr, "round %d of %d ...\n", round + 1, rounds);
        ok = measure_round(&b, reload, figures, why);
    }
    close_bench(&b);
    return ok;
}
