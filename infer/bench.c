/* sawtooth-infer bench: speed against what the machine can do, measured in the same run. */
#include "bench_measure.h"
#include "command.h"
#include "json.h"
#include "named_shape.h"
#include <stdio.h>

static const option options[] = {
    {"shape", 0, "NAME", "random weights of this shape instead of a model: gpt2-124m, nanogpt-10m, ..."},
    {"json", 0, NULL, "print JSON instead of a table"},
    {NULL, 0, NULL, NULL},
};

static double bandwidth(const length_figures *n) {
    return n->decode_bytes / n->decode_seconds;
}

static double flops(const length_figures *n) {
    return n->prefill_flops / n->prefill_seconds;
}

static void print_table(const bench_figures *f, const shape *s, const char *name, const char *description) {
    printf("%s: %s\n", name, description);
    printf("fused multiply-add peak %.0f GFLOP/s; read bandwidth %.1f GB/s for the %.1f MB of weights\n\n",
           1e-9 * f->fma_peak, 1e-9 * f->read_bandwidth, 1e-6 * f->weight_bytes);
    printf("%7s | %16s %8s %7s | %15s %6s %12s | %17s | %8s\n", "tokens", "prefill tokens/s", "GFLOP/s",
           "of peak", "decode tokens/s", "GB/s", "of bandwidth", "uncached tokens/s", "cache MB");
    for (int i = 0; i < BENCH_LENGTHS; i++) {
        const length_figures *n = &f->lengths[i];
        printf("%7d | %16.0f %8.0f %6.0f%% | %15.0f %6.1f %11.0f%% | %17.1f | %8.2f\n", n->tokens,
               n->tokens / n->prefill_seconds, 1e-9 * flops(n), 100 * flops(n) / f->fma_peak,
               1 / n->decode_seconds, 1e-9 * bandwidth(n), 100 * bandwidth(n) / f->read_bandwidth,
               1 / n->prefill_seconds, 1e-6 * (double)cache_bytes(s, s->n_layer));
    }
}

static void write_length(json *j, const bench_figures *f, const length_figures *n) {
    json_open(j, NULL, '{');
    json_number(j, "tokens", n->tokens);
    json_number(j, "prefill_tokens_per_second", n->tokens / n->prefill_seconds);
    json_number(j, "prefill_flops", flops(n));
    json_number(j, "prefill_share_of_peak", flops(n) / f->fma_peak);
    json_number(j, "decode_tokens_per_second", 1 / n->decode_seconds);
    json_number(j, "decode_bytes_per_second", bandwidth(n));
    json_number(j, "decode_share_of_bandwidth", bandwidth(n) / f->read_bandwidth);
    json_number(j, "uncached_tokens_per_second", 1 / n->prefill_seconds);
    json_close(j, '}');
}

static void write_json(const bench_figures *f, const shape *s, const char *name, const char *description) {
    json j = {.begun = false};
    json_open(&j, NULL, '{');
    json_text(&j, "model", name);
    json_text(&j, "run", description);
    json_number(&j, "fma_peak_flops", f->fma_peak);
    json_number(&j, "read_bandwidth", f->read_bandwidth);
    json_number(&j, "weight_bytes", f->weight_bytes);
    json_number(&j, "cache_bytes", (double)cache_bytes(s, s->n_layer));
    json_open(&j, "lengths", '[');
    for (int i = 0; i < BENCH_LENGTHS; i++) write_length(&j, f, &f->lengths[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    putchar('\n');
}

/* Random weights of a named shape, as training would start from. */
static bool open_shape(loaded *l, const arguments *a, problem *why) {
    int i = 0;
    *l = (loaded){.path = ""};
    if (!arguments_choice(a, "shape", shape_names, &i, why)) return false;
    shape s = named_shape(i);
    if (a->positional_count > 0) return bad_input(why, "a model and --shape exclude each other");
    if (!runtime_open(&l->runtime, a, why)) return false;
    snprintf(l->path, sizeof l->path, "%s", shape_names[i]);
    model *m = &l->checkpoint.model;
    if (model_open(m, &s, why)) {
        model_init(m, 1, 0.02, true);
        if (loaded_convert(l, why)) return true;
    }
    loaded_close(l);
    return false;
}

static bool run(const arguments *a, problem *why) {
    loaded l = {.path = ""};
    bench_figures f;
    char description[256];
    if (!(arguments_value(a, "shape") ? open_shape : loaded_open)(&l, a, why)) return false;
    const shape *s = &l.checkpoint.model.shape;
    describe_run(&l.checkpoint.model, &l.runtime, description, sizeof description);
    bool ok = bench_measure(&l, &f, why);
    if (ok) (arguments_value(a, "json") ? write_json : print_table)(&f, s, l.path, description);
    loaded_close(&l);
    return ok;
}

const command bench_command = {
    .name = "bench",
    .usage = "MODEL | --shape NAME [--json]",
    .summary = "Measures prefill and decoding against the machine's peak and bandwidth",
    .options = options,
    .run = run,
};
