/* Check: generated texts with the cache against the same texts without it. */
#include "check.h"
#include "generate.h"
#include "memory.h"
#include <stdio.h>

static int least(int a, int b) {
    return a < b ? a : b;
}

static bool compare_texts(subject *s, generation g, finding *f, problem *why) {
    size_t count = (size_t)g.samples * g.new_tokens;
    int32_t *cached = allocate(2 * count, sizeof *cached, "generated tokens", why),
            *uncached = cached + count;
    g.prompt = s->tokens;
    g.use_cache = true;
    bool ok = cached && generate(&s->engine, &g, cached, NULL, why);
    g.use_cache = false;
    ok = ok && generate(&s->engine, &g, uncached, NULL, why);
    if (ok) compare_tokens(&f->seen, cached, uncached, count);
    release(cached);
    return ok;
}

static bool check_short_texts(subject *s, report *r, double temperature, problem *why) {
    enum { SAMPLES = 2, PROMPT = 4, TOKENS = 200, FEWER = 24 };
    size_t tokens = subject_sampled(s) ? FEWER : TOKENS;
    generation g = {.prompt_count = (size_t)least(PROMPT, context_of(s)),
                    .new_tokens = tokens,
                    .samples = SAMPLES,
                    .keep = (context_of(s) + 1) / 2,
                    .sampling = {.temperature = temperature, .top_p = 1, .seed = 1}};
    finding f = {.what = temperature > 0 ? "sampled text, cached against uncached"
                                         : "greedy text, cached against uncached"};
    found_at(&f, "%zu tokens, %d samples", tokens, SAMPLES);
    if (!compare_texts(s, g, &f, why)) return false;
    report_equal(r, &f);
    return true;
}

/* 3 x block_size tokens. Where that would take long: a few tokens around each of the first rebuilds. */
static bool check_sawtooth(subject *s, report *r, int keep, problem *why) {
    enum { REBUILDS = 2, AROUND = 4 };
    finding f = {.what = "text past the window, cached against uncached"};
    int context = context_of(s);
    generation g = {.prompt_count = 1,
                    .new_tokens = 3 * (size_t)context,
                    .samples = 1,
                    .keep = keep,
                    .sampling = {.temperature = 1, .top_p = 1, .seed = 2}};
    bool ok = true;
    if (!subject_sampled(s)) {
        found_at(&f, "%zu tokens, keep %d", g.new_tokens, keep);
        ok = compare_texts(s, g, &f, why);
    } else {
        found_at(&f, "%d tokens around each of %d rebuilds, keep %d", AROUND, REBUILDS, keep);
        g.new_tokens = AROUND;
        for (int i = 0; i < REBUILDS; i++) {
            g.prompt_count = (size_t)(context - AROUND / 2 + i * (context - keep + 1));
            ok = ok && compare_texts(s, g, &f, why);
        }
    }
    if (ok) report_equal(r, &f);
    return ok;
}

bool check_texts(subject *s, report *r, problem *why) {
    int context = context_of(s), half = (context + 1) / 2;
    if (!check_short_texts(s, r, 0, why) || !check_short_texts(s, r, 1, why) ||
        !check_sawtooth(s, r, half, why))
        return false;
    return !s->full || (check_sawtooth(s, r, 1, why) && check_sawtooth(s, r, context, why));
}
