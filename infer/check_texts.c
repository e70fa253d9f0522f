/* Check: generated texts with the cache against the same texts without it. */
#include "check_subject.h"
#include "generate.h"
#include "least.h"
#include "memory.h"

static bool compare_texts(subject *s, generation g, finding *f, problem *why) {
    size_t count = (size_t)g.samples * g.new_tokens;
    int32_t *cached = allocate(2 * count, sizeof *cached, "generated tokens", why);
    g.prompt = s->tokens;
    g.use_cache = true;
    bool ok = cached && generate(&s->engine, &g, cached, NULL, why);
    g.use_cache = false;
    ok = ok && generate(&s->engine, &g, cached + count, NULL, why);
    if (ok) compare_tokens(&f->seen, cached, cached + count, count);
    release(cached);
    return ok;
}

static bool check_short_texts(subject *s, report *r, double temperature, problem *why) {
    enum { SAMPLES = 2, PROMPT = 4, TOKENS = 200, FEWER = 24 };
    size_t tokens = subject_sampled(s) ? FEWER : TOKENS;
    generation g = {.prompt_count = (size_t)least(PROMPT, context_of(s)),
                    .new_tokens = tokens,
                    .samples = SAMPLES,
                    .keep = default_keep(&s->model->shape),
                    .sampling = {.temperature = temperature, .top_p = 1, .seed = 1}};
    finding f = {.what = temperature > 0 ? "sampled text, cached against uncached"
                                         : "greedy text, cached against uncached"};
    found_at(&f, "%zu tokens, %d samples", tokens, SAMPLES);
    if (!compare_texts(s, g, &f, why)) return false;
    report_equal(r, &f);
    return true;
}

enum { REBUILDS = 2, AROUND = 4 };

/* The first rebuilds alone, with a few tokens on both sides of each. */
static bool compare_rebuilds(subject *s, generation g, finding *f, problem *why) {
    int context = context_of(s);
    found_at(f, "%d tokens around each of %d rebuilds, keep %d", AROUND, REBUILDS, g.keep);
    g.new_tokens = AROUND;
    for (int i = 0; i < REBUILDS; i++) {
        int before = context - AROUND / 2 + i * (context - g.keep + 1);
        g.prompt_count = (size_t)before;
        if (!compare_texts(s, g, f, why)) return false;
    }
    return true;
}

static bool check_sawtooth(subject *s, report *r, int keep, problem *why) {
    finding f = {.what = "text past the window, cached against uncached"};
    generation g = {.prompt_count = 1,
                    .new_tokens = 3 * (size_t)context_of(s),
                    .samples = 1,
                    .keep = keep,
                    .sampling = {.temperature = 1, .top_p = 1, .seed = 2}};
    bool some = subject_sampled(s) && context_of(s) > AROUND;
    found_at(&f, "%zu tokens, keep %d", g.new_tokens, keep);
    if (!(some ? compare_rebuilds : compare_texts)(s, g, &f, why)) return false;
    report_equal(r, &f);
    return true;
}

bool check_texts(subject *s, report *r, problem *why) {
    int context = context_of(s), half = default_keep(&s->model->shape);
    if (!check_short_texts(s, r, 0, why) || !check_short_texts(s, r, 1, why) ||
        !check_sawtooth(s, r, half, why))
        return false;
    return !s->full || (check_sawtooth(s, r, 1, why) && check_sawtooth(s, r, context, why));
}
