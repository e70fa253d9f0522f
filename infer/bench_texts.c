/* Bench: whole texts, past the context and inside it. */
#include "bench_figures.h"
#include "clock.h"
#include "generate.h"
#include "least.h"
#include <string.h>

enum { TEETH = 2, PROMPT = 4, NEW_TOKENS = 200 };

static generation greedy(const bench *b, int prompt, int tokens, bool use_cache) {
    return (generation){.prompt = b->tokens,
                        .prompt_count = (size_t)prompt,
                        .new_tokens = (size_t)tokens,
                        .samples = 1,
                        .keep = default_keep(&b->engine.model->shape),
                        .use_cache = use_cache,
                        .sampling = {.temperature = 0, .top_p = 1}};
}

/* ---- The sawtooth ---- */

void sawtooth_plan(sawtooth_figures *f, const shape *s) {
    *f = (sawtooth_figures){.keep = default_keep(s), .teeth = TEETH};
}

/* When the text passed the places that are measured between. */
typedef struct passage {
    int received, tooth;        /* tokens, and tokens a tooth */
    double first, full, latest; /* the first token (the prompt has run), the context's last one, the latest */
} passage;

static bool pass(void *context, int sample, int32_t token) {
    passage *p = context;
    (void)sample;
    (void)token;
    p->received++;
    p->latest = clock_seconds();
    if (p->received == 1) p->first = p->latest;
    if (p->received == p->tooth) p->full = p->latest;
    return true;
}

/* A prompt of `keep` tokens puts the first window where every tooth begins. */
bool sawtooth_measure(bench *b, sawtooth_figures *f, problem *why) {
    int tooth = b->engine.model->shape.block_size - f->keep + 1, inside = tooth - 1;
    passage p = {.tooth = tooth};
    generation g = greedy(b, f->keep, tooth * (1 + f->teeth), true);
    g.emit = pass;
    g.context = &p;
    if (inside == 0) return true;
    if (!generate(&b->engine, &g, NULL, NULL, why)) return false;
    series_add(&f->inside, inside / (p.full - p.first));
    series_add(&f->steady, f->teeth * tooth / (p.latest - p.full));
    return true;
}

/* ---- Cached and uncached ---- */

void text_plan(text_figures *f, const shape *s) {
    int prompt = least(PROMPT, s->block_size), room = s->block_size - prompt;
    *f = (text_figures){.prompt = prompt, .tokens = room > 0 ? least(NEW_TOKENS, room) : 1, .same = true};
}

static bool run_text(bench *b, const text_figures *f, bool use_cache, int32_t *tokens, series *seconds,
                     problem *why) {
    generation g = greedy(b, f->prompt, f->tokens, use_cache);
    double began = clock_seconds();
    if (!generate(&b->engine, &g, tokens, NULL, why)) return false;
    series_add(seconds, clock_seconds() - began);
    return true;
}

bool text_measure(bench *b, text_figures *f, problem *why) {
    int32_t cached[NEW_TOKENS], uncached[NEW_TOKENS];
    if (!run_text(b, f, true, cached, &f->cached, why) || !run_text(b, f, false, uncached, &f->uncached, why))
        return false;
    f->same = f->same && !memcmp(cached, uncached, (size_t)f->tokens * sizeof *cached);
    return true;
}
