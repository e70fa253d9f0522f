#include "bench_measure.h"
#include "clock.h"
#include "machine.h"
#include "memory.h"
#include "narrow.h"
#include "random.h"
#include <stdlib.h>

enum { ROUNDS = 7, DECODED = 16, LINE_FLOATS = 64 };

/* One series of measurements for each figure. */
typedef struct series {
    double peak[ROUNDS], bandwidth[ROUNDS], prefill[BENCH_LENGTHS][ROUNDS], decode[BENCH_LENGTHS][ROUNDS];
} series;

typedef struct bench {
    engine engine;
    kv_cache cache;
    int32_t *tokens;
    float *logits;
    size_t floats; /* as many as fill the packed weights' bytes */
} bench;

/* Of one linear layer: numbers in the packed weights, or the bytes they and their scales take. */
typedef double linear_size(const linear *l);

static double numbers(const linear *l) {
    return (double)padded(l->out) * l->in;
}

static double bytes(const linear *l) {
    double scales = l->type == WEIGHTS_INT8 ? (double)padded(l->out) * groups_of(l->in) : 0;
    return (double)number_size(l->type) * numbers(l) + (double)sizeof *l->scales * scales;
}

static double layers_size(const model *m, linear_size *size) {
    const layer_weights *l = m->w.layers; /* all have one shape */
    return m->shape.n_layer * (size(&l->qkv) + size(&l->attn_proj) + size(&l->fc) + size(&l->mlp_proj));
}

static double packed_bytes(const model *m) {
    return layers_size(m, bytes) + bytes(&m->w.head);
}

/* Products of weights, for every row but the head's, and causal attention: 2 C for a key's score, 2 C
 * for its value. */
static double prefill_flops(const model *m, int rows) {
    double keys = 0.5 * rows * (rows + 1.0), attention = 4 * keys * m->shape.n_embd * m->shape.n_layer;
    return 2 * rows * layers_size(m, numbers) + 2 * numbers(&m->w.head) + attention;
}

/* The last token reads all weights, and the keys and values of all positions. */
static double decode_bytes(const model *m, int tokens) {
    const shape *s = &m->shape;
    double keys = (double)padded(tokens) * head_size(s), values = (double)tokens * padded(head_size(s));
    return packed_bytes(m) + (double)sizeof(float) * s->n_layer * s->n_head * (keys + values);
}

static bool open_bench(bench *b, const loaded *l, problem *why) {
    const shape *s = &l->checkpoint.model.shape;
    size_t n = (size_t)s->block_size;
    *b = (bench){.floats = (size_t)packed_bytes(&l->checkpoint.model) / sizeof(float)};
    b->tokens = allocate(n, sizeof *b->tokens, "tokens", why);
    b->logits = b->tokens ? allocate((size_t)padded(s->vocab_size), sizeof *b->logits, "logits", why) : NULL;
    if (!b->logits || !cache_open(&b->cache, s, s->n_layer, why)) return false;
    random_stream stream = random_open(1, FOR_CHECK, 0, 0, 0);
    for (size_t i = 0; i < n; i++) b->tokens[i] = (int32_t)random_below(&stream, i, (uint64_t)s->vocab_size);
    return loaded_engine(l, s->block_size, &b->engine, why);
}

static void close_bench(bench *b) {
    engine_close(&b->engine);
    cache_close(&b->cache);
    release(b->logits);
    release(b->tokens);
}

/* Seconds of the rows at positions from..to-1. */
static double run_rows(bench *b, int from, int to) {
    double began = clock_seconds();
    b->cache.length = from;
    engine_forward(&b->engine, 1, &(sequence_rows){b->tokens + from, to - from, from, &b->cache}, LAST_ROWS,
                   b->logits);
    return clock_seconds() - began;
}

static double decode(bench *b, int tokens) {
    double sum = 0;
    for (int i = 0; i < DECODED; i++) sum += run_rows(b, tokens - 1, tokens);
    return sum / DECODED;
}

static void measure_round(bench *b, const bench_figures *f, series *s, int round) {
    const kernels *fastest = kernels_named("auto");
    s->peak[round] = machine_fma_peak(fastest, b->engine.team);
    s->bandwidth[round] = machine_read_bandwidth(
        fastest, b->engine.team, b->floats / LINE_FLOATS * LINE_FLOATS, b->engine.model->packed);
    for (int i = 0; i < BENCH_LENGTHS; i++) {
        s->prefill[i][round] = run_rows(b, 0, f->lengths[i].tokens);
        s->decode[i][round] = decode(b, f->lengths[i].tokens);
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x) {
    qsort(x, ROUNDS, sizeof *x, by_size);
    return x[ROUNDS / 2];
}

static void plan(bench_figures *f, const model *m) {
    *f = (bench_figures){.weight_bytes = packed_bytes(m)};
    for (int i = 0; i < BENCH_LENGTHS; i++) {
        int n = m->shape.block_size >> (BENCH_LENGTHS - 1 - i), tokens = n > 0 ? n : 1;
        f->lengths[i] = (length_figures){.tokens = tokens,
                                         .prefill_flops = prefill_flops(m, tokens),
                                         .decode_bytes = decode_bytes(m, tokens)};
    }
}

bool bench_measure(const loaded *l, bench_figures *f, problem *why) {
    bench b;
    series s;
    bool ok = open_bench(&b, l, why);
    plan(f, &l->checkpoint.model);
    if (ok) run_rows(&b, 0, l->checkpoint.model.shape.block_size);
    for (int round = 0; ok && round < ROUNDS; round++) measure_round(&b, f, &s, round);
    if (ok) {
        f->fma_peak = median(s.peak);
        f->read_bandwidth = median(s.bandwidth);
    }
    for (int i = 0; ok && i < BENCH_LENGTHS; i++) {
        f->lengths[i].prefill_seconds = median(s.prefill[i]);
        f->lengths[i].decode_seconds = median(s.decode[i]);
    }
    close_bench(&b);
    return ok;
}
