/* sawtooth-infer generate: prompts in, text out. */
#include "generate.h"
#include "command.h"
#include "loaded.h"
#include "memory.h"
#include "output.h"
#include "prompt.h"
#include "signals.h"
#include <math.h>
#include <stdio.h>

static const option options[] = {
    {"prompt", 'p', "TEXT", "the text to go on from (default: a new line)"},
    {"prompt-file", 0, "FILE", "the same from a file (-: standard input)"},
    {"tokens", 0, "IDS", "the same as token ids: 1,2,3"},
    {"new-tokens", 'n', "N", "tokens to generate (default: 200)"},
    {"temperature", 0, "X", "divides the logits (default: 1); 0 takes the likeliest token"},
    {"top-k", 0, "K", "draw among the K likeliest tokens (default: 0, all)"},
    {"top-p", 0, "P", "draw among the likeliest tokens that together reach P (default: 1, all)"},
    {"seed", 0, "S", "the same seed gives the same text (default: 1337)"},
    {"samples", 0, "N", "so many texts, with seeds S, S+1, ... (default: 1)"},
    {"keep", 0, "K", "tokens left when the context is full and the cache is rebuilt (default: half)"},
    {"no-cache", 0, NULL, "recompute the window at each step: the same text, slower"},
    {"stats", 0, NULL, "speed and cache size on standard error"},
    {NULL, 0, NULL, NULL},
};

enum { MOST_SAMPLES = 65536, MOST_TOP_K = 1 << 30 };
static const int64_t most_tokens = (int64_t)1 << 40;

static bool read_sampling(sampling *s, const arguments *a, problem *why) {
    int64_t top_k = 0;
    *s = (sampling){.temperature = 1, .top_p = 1, .seed = 1337};
    bool ok =
        arguments_real(a, "temperature", (real_range){.min = 0, .max = INFINITY}, &s->temperature, why) &&
        arguments_integer(a, "top-k", 0, MOST_TOP_K, &top_k, why) &&
        arguments_real(a, "top-p", (real_range){.min = 0, .max = 1}, &s->top_p, why) &&
        arguments_seed(a, "seed", &s->seed, why);
    s->top_k = (int)top_k;
    return ok;
}

static bool read_generation(generation *g, const arguments *a, problem *why) {
    int64_t count = 200, samples = 1;
    if (!read_sampling(&g->sampling, a, why) ||
        !arguments_integer(a, "new-tokens", 0, most_tokens, &count, why) ||
        !arguments_integer(a, "samples", 1, MOST_SAMPLES, &samples, why))
        return false;
    g->new_tokens = (size_t)count;
    g->samples = (int)samples;
    g->use_cache = !arguments_value(a, "no-cache");
    return true;
}

static bool read_keep(generation *g, const arguments *a, const shape *s, problem *why) {
    int64_t keep = default_keep(s);
    if (!arguments_integer(a, "keep", 1, s->block_size, &keep, why)) return false;
    g->keep = (int)keep;
    return true;
}

/* Text under way on standard output. Characters follow one another, token ids have commas between them. */
typedef struct writer {
    const tokenizer *tokenizer;
    bool begun;
    size_t received; /* tokens of all samples */
    problem *why;
    bool failed; /* to write */
} writer;

static void write_token(writer *w, int32_t token) {
    char text[16];
    size_t length = tokenizer_text(w->tokenizer, token, text);
    if (!w->tokenizer->chars) {
        length--; /* the comma that follows it */
        if (w->begun) putchar(',');
    }
    w->begun = true;
    fwrite(text, 1, length, stdout);
}

static void write_prompt(writer *w, const prompt *p) {
    w->begun = false;
    for (size_t i = 0; p->given && i < p->count; i++) write_token(w, p->tokens[i]);
}

static bool receive(void *context, int sample, int32_t token) {
    (void)sample;
    (void)token;
    writer *w = context;
    w->received++;
    return signals_received() == 0;
}

static bool stream(void *context, int sample, int32_t token) {
    writer *w = context;
    write_token(w, token);
    w->failed = !output_flush(w->why);
    return !w->failed && receive(w, sample, token);
}

static bool generate_one(engine *e, generation *g, const prompt *p, writer *w, generation_stats *stats,
                         problem *why) {
    g->emit = stream;
    write_prompt(w, p);
    if (!output_flush(why)) return false;
    bool ok = generate(e, g, NULL, stats, why) && !w->failed;
    putchar('\n');
    return ok;
}

/* Samples grow together, so they are complete together. */
static bool generate_several(engine *e, generation *g, const prompt *p, writer *w, generation_stats *stats,
                             problem *why) {
    size_t samples = (size_t)g->samples;
    int32_t *tokens = allocate(samples * g->new_tokens, sizeof *tokens, "the samples' tokens", why);
    g->emit = receive;
    bool ok = tokens && generate(e, g, tokens, stats, why);
    for (size_t k = 0; ok && k < samples; k++) {
        if (k) puts("---");
        write_prompt(w, p);
        for (size_t i = 0; i < w->received / samples; i++) write_token(w, tokens[k * g->new_tokens + i]);
        putchar('\n');
    }
    release(tokens);
    return ok;
}

static void print_speed(const char *what, size_t tokens, double seconds) {
    fprintf(stderr, "%s: %zu token%s in %.3f s, %.0f tokens/s\n", what, tokens, tokens == 1 ? "" : "s",
            seconds, seconds > 0 ? (double)tokens / seconds : 0);
}

static void print_stats(const generation_stats *s) {
    print_speed("prefill", s->prefill_tokens, s->prefill_seconds);
    print_speed("decode", s->decode_tokens, s->decode_seconds);
    fprintf(stderr, "cache: %zu bytes, %zu rebuilds of %zu tokens in all\n", s->cache_bytes, s->rebuilds,
            s->rebuilt_tokens);
}

static bool generate_text(const loaded *l, const generation *wanted, const prompt *p, bool with_stats,
                          problem *why) {
    engine e;
    generation_stats stats = {0};
    writer w = {.tokenizer = &l->checkpoint.tokenizer, .why = why};
    generation g = *wanted;
    g.prompt = p->tokens;
    g.prompt_count = p->count;
    g.context = &w;
    if (!loaded_engine(l, generation_rows(&l->checkpoint.model.shape, &g), &e, why)) return false;
    bool ok = signals_catch((signal_notices){NULL, NULL}, why) &&
              (g.samples == 1 ? generate_one : generate_several)(&e, &g, p, &w, &stats, why);
    ok = ok && output_flush(why); /* the text's end comes before what is said about it */
    if (ok && with_stats) print_stats(&stats);
    engine_close(&e);
    return ok;
}

static bool run(const arguments *a, problem *why) {
    generation g = {.prompt = NULL};
    loaded l;
    prompt p;
    if (!read_generation(&g, a, why) || !loaded_open(&l, a, why)) return false;
    bool ok =
        read_keep(&g, a, &l.checkpoint.model.shape, why) && prompt_open(&p, a, &l.checkpoint.tokenizer, why);
    if (ok) {
        ok = generate_text(&l, &g, &p, arguments_value(a, "stats"), why);
        prompt_close(&p);
    }
    loaded_close(&l);
    int signal = signals_received();
    if (ok && signal) *why = (problem){.exit_status = 128 + signal};
    return ok && !signal;
}

const command generate_command = {
    .name = "generate",
    .usage = "MODEL [--prompt TEXT | --prompt-file FILE | --tokens IDS] [-n N] [options]",
    .summary = "Generates text: the prompt and what follows",
    .options = options,
    .run = run,
};
