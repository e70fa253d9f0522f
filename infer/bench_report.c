#include "bench_report.h"
#include "json.h"
#include <stdio.h>

/* ---- What follows from medians ---- */

static double prefill_flops(const length_figures *n) {
    return n->prefill_flops / series_median(&n->prefill);
}

static double bandwidth(const length_figures *n) {
    return n->decode_bytes / series_median(&n->decode);
}

static double batch_flops(const batch_figures *b) {
    return b->flops / series_median(&b->seconds);
}

static double steady_share(const sawtooth_figures *s) {
    return series_median(&s->steady) / series_median(&s->inside);
}

/* ---- Tables ---- */

static void print_lengths(const bench_figures *f) {
    double peak = series_median(&f->fma_peak), most = series_median(&f->read_bandwidth);
    printf("%9s | %16s %8s %8s | %15s %6s %13s | %17s | %8s\n", "tokens", "prefill tokens/s", "GFLOP/s",
           "of peak", "decode tokens/s", "GB/s", "of bandwidth", "uncached tokens/s", "cache MB");
    for (int i = 0; i < BENCH_LENGTHS; i++) {
        const length_figures *n = &f->lengths[i];
        double prefill = series_median(&n->prefill), decode = series_median(&n->decode);
        printf("%9d | %16.0f %8.1f %6.0f %% | %15.0f %6.1f %11.0f %% | %17.1f | %8.3f\n", n->tokens,
               n->tokens / prefill, 1e-9 * prefill_flops(n), 100 * prefill_flops(n) / peak, 1 / decode,
               1e-9 * bandwidth(n), 100 * bandwidth(n) / most, 1 / prefill, 1e-6 * n->cache_bytes);
    }
}

static void print_batches(const bench_figures *f) {
    double peak = series_median(&f->fma_peak);
    printf("\n%9s | %16s %8s %8s   (a token for each at once, at position %d)\n", "sequences",
           "decode tokens/s", "GFLOP/s", "of peak", f->batches[0].position);
    for (int i = 0; i < BENCH_BATCHES; i++) {
        const batch_figures *b = &f->batches[i];
        printf("%9d | %16.0f %8.1f %6.0f %%\n", b->sequences, b->sequences / series_median(&b->seconds),
               1e-9 * batch_flops(b), 100 * batch_flops(b) / peak);
    }
}

static void print_sawtooth(const sawtooth_figures *s) {
    if (s->steady.count > 0)
        printf("far past the context, keep %d: %.0f tokens/s with rebuilds, %.0f %% of the %.0f before the "
               "first one\n",
               s->keep, series_median(&s->steady), 100 * steady_share(s), series_median(&s->inside));
}

static void print_text(const text_figures *t) {
    double cached = series_median(&t->cached), uncached = series_median(&t->uncached);
    printf(
        "greedy text, %d tokens after %d: %.4g s cached (%.1f tokens/s), %.4g s uncached (%.1f), %.1f times "
        "as long; %s text\n",
        t->tokens, t->prompt, cached, t->tokens / cached, uncached, t->tokens / uncached, uncached / cached,
        t->same ? "the same" : "ANOTHER");
}

void bench_print_tables(const bench_figures *f, const char *name, const char *run) {
    if (f->rounds == 1)
        printf("%s: %s; one round\n", name, run);
    else
        printf("%s: %s; medians of %d rounds\n", name, run, f->rounds);
    printf("fused multiply-add peak %.0f GFLOP/s; read bandwidth %.1f GB/s for the %.1f MB of weights\n\n",
           1e-9 * series_median(&f->fma_peak), 1e-9 * series_median(&f->read_bandwidth),
           1e-6 * f->weight_bytes);
    print_lengths(f);
    print_batches(f);
    putchar('\n');
    print_sawtooth(&f->sawtooth);
    print_text(&f->text);
    if (f->start.count > 0)
        printf("from the checkpoint to its first token: %.3g s\n", series_median(&f->start));
}

/* ---- JSON ---- */

static void write_length(json *j, const bench_figures *f, const length_figures *n) {
    json_open(j, NULL, '{');
    json_number(j, "tokens", n->tokens);
    json_number(j, "prefill_tokens_per_second", n->tokens / series_median(&n->prefill));
    json_number(j, "prefill_flops", prefill_flops(n));
    json_number(j, "prefill_share_of_peak", prefill_flops(n) / series_median(&f->fma_peak));
    json_number(j, "decode_tokens_per_second", 1 / series_median(&n->decode));
    json_number(j, "decode_bytes_per_second", bandwidth(n));
    json_number(j, "decode_share_of_bandwidth", bandwidth(n) / series_median(&f->read_bandwidth));
    json_number(j, "uncached_tokens_per_second", 1 / series_median(&n->prefill));
    json_number(j, "cache_bytes", n->cache_bytes);
    json_close(j, '}');
}

static void write_batch(json *j, const bench_figures *f, const batch_figures *b) {
    json_open(j, NULL, '{');
    json_number(j, "sequences", b->sequences);
    json_number(j, "position", b->position);
    json_number(j, "tokens_per_second", b->sequences / series_median(&b->seconds));
    json_number(j, "flops", batch_flops(b));
    json_number(j, "share_of_peak", batch_flops(b) / series_median(&f->fma_peak));
    json_close(j, '}');
}

static void write_sawtooth(json *j, const sawtooth_figures *s) {
    json_open(j, "sawtooth", '{');
    json_number(j, "keep", s->keep);
    json_number(j, "teeth", s->teeth);
    json_number(j, "tokens_per_second", series_median(&s->steady));
    json_number(j, "tokens_per_second_before", series_median(&s->inside));
    json_number(j, "share", steady_share(s));
    json_close(j, '}');
}

static void write_text(json *j, const text_figures *t) {
    json_open(j, "text", '{');
    json_number(j, "prompt_tokens", t->prompt);
    json_number(j, "new_tokens", t->tokens);
    json_number(j, "cached_seconds", series_median(&t->cached));
    json_number(j, "uncached_seconds", series_median(&t->uncached));
    json_number(j, "ratio", series_median(&t->uncached) / series_median(&t->cached));
    json_bool(j, "same", t->same);
    json_close(j, '}');
}

static void write_lists(json *j, const bench_figures *f) {
    json_open(j, "lengths", '[');
    for (int i = 0; i < BENCH_LENGTHS; i++) write_length(j, f, &f->lengths[i]);
    json_close(j, ']');
    json_open(j, "batches", '[');
    for (int i = 0; i < BENCH_BATCHES; i++) write_batch(j, f, &f->batches[i]);
    json_close(j, ']');
}

void bench_write_json(const bench_figures *f, const char *name, const char *run) {
    json j = {.begun = false};
    json_open(&j, NULL, '{');
    json_text(&j, "model", name);
    json_text(&j, "run", run);
    json_number(&j, "rounds", f->rounds);
    json_number(&j, "fma_peak_flops", series_median(&f->fma_peak));
    json_number(&j, "read_bandwidth", series_median(&f->read_bandwidth));
    json_number(&j, "weight_bytes", f->weight_bytes);
    write_lists(&j, f);
    write_sawtooth(&j, &f->sawtooth);
    write_text(&j, &f->text);
    if (f->start.count > 0) json_number(&j, "start_seconds", series_median(&f->start));
    json_close(&j, '}');
    putchar('\n');
}
