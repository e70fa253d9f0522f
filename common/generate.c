#include "generate.h"
#include "clock.h"
#include "least.h"
#include "memory.h"
#include "random.h"
#include <string.h>

size_t window_start(size_t p, int block_size, int keep) {
    size_t context = (size_t)block_size, step = context - (size_t)keep + 1;
    return p <= context ? 0 : (p - context + step - 1) / step * step;
}

/* Samples share one prompt, so they are always at the same place: only their tokens differ. */
typedef struct generator {
    engine *e;
    const generation *g;
    size_t next;      /* index of the token to predict, counted from the first prompt token */
    size_t start;     /* first token of the window that predicts it */
    int32_t *windows; /* of each sample: tokens start..next-1, with room for one more */
    kv_cache *caches; /* of each sample */
    int held;         /* positions of the window that they hold */
    bool cold;        /* the weights were last used for many rows: engine_warm is due */
    sequence_rows *rows;
    float *logits; /* of each sample's last row */
    sampler sampler;
    generation_stats stats;
} generator;

static const shape *shape_of(const generator *r) {
    return &r->e->model->shape;
}

static int32_t *window_of(const generator *r, int sample) {
    return r->windows + (size_t)sample * ((size_t)shape_of(r)->block_size + 1);
}

static size_t logit_stride(const generator *r) {
    return (size_t)padded(shape_of(r)->vocab_size);
}

int generation_rows(const shape *s, const generation *g) {
    return g->samples > s->block_size ? g->samples : s->block_size;
}

/* Without the cache a window's keys are needed only while its layer runs: all layers share one layer's
 * memory. */
static bool open_caches(generator *r, problem *why) {
    const shape *s = shape_of(r);
    cache_type type = r->e->model->cache_type;
    int layers = r->g->use_cache ? s->n_layer : 1;
    if (!memory_has_room((size_t)r->g->samples, cache_bytes(s, type, layers), "the samples' caches", why))
        return false;
    for (int k = 0; k < r->g->samples; k++)
        if (!cache_open(&r->caches[k], s, type, layers, why)) return false;
    if (r->g->use_cache) r->stats.cache_bytes = (size_t)r->g->samples * cache_bytes(s, type, s->n_layer);
    return true;
}

static void close_generator(generator *r) {
    for (int k = 0; r->caches && k < r->g->samples; k++) cache_close(&r->caches[k]);
    release(r->caches);
    release(r->windows);
    release(r->rows);
    release(r->logits);
    sampler_close(&r->sampler);
}

static bool open_generator(generator *r, engine *e, const generation *g, problem *why) {
    *r = (generator){.e = e, .g = g, .next = g->prompt_count};
    size_t samples = (size_t)g->samples, window = (size_t)shape_of(r)->block_size + 1;
    r->windows = allocate(samples * window, sizeof *r->windows, "the window's tokens", why);
    r->caches = r->windows ? allocate(samples, sizeof *r->caches, "the caches", why) : NULL;
    r->rows = r->caches ? allocate(samples, sizeof *r->rows, "the rows", why) : NULL;
    r->logits = r->rows ? allocate(samples * logit_stride(r), sizeof *r->logits, "logits", why) : NULL;
    if (!r->logits || !sampler_open(&r->sampler, shape_of(r)->vocab_size, why)) return false;
    return open_caches(r, why);
}

/* Fills the windows from the prompt's end: a prompt longer than the context is no special case. */
static void begin(generator *r) {
    r->start = window_start(r->next, shape_of(r)->block_size, r->g->keep);
    for (int k = 0; k < r->g->samples; k++)
        memcpy(window_of(r, k), r->g->prompt + r->start, (r->next - r->start) * sizeof *r->windows);
}

/* Drops what has left the window, and with it the cache: positions have changed. */
static void move_window(generator *r) {
    size_t start = window_start(r->next, shape_of(r)->block_size, r->g->keep), shift = start - r->start;
    if (shift == 0) return;
    for (int k = 0; k < r->g->samples; k++) {
        int32_t *window = window_of(r, k);
        memmove(window, window + shift, (r->next - start) * sizeof *window);
    }
    r->start = start;
    r->held = 0;
    r->stats.rebuilds += r->g->use_cache;
    r->stats.rebuilt_tokens += r->g->use_cache ? (r->next - start) * (size_t)r->g->samples : 0;
}

static float *logits_of(const generator *r, int sample) {
    return r->logits + (size_t)sample * logit_stride(r);
}

static bool at_prompt(const generator *r) {
    return r->next == r->g->prompt_count;
}

/* Runs the part of the first samples' windows that their caches do not hold, as many samples a call as the
 * engine takes: every sample in a decoding step, and a few where whole windows run. */
static void run_windows(generator *r, int samples) {
    int held = r->held, count = (int)(r->next - r->start) - held, together = r->e->max_rows / count;
    if (r->cold && count == 1 && !at_prompt(r)) engine_warm(r->e);
    r->cold = count > 1 || at_prompt(r);
    for (int from = 0; from < samples; from += together) {
        int n = least(together, samples - from);
        for (int i = 0; i < n; i++)
            r->rows[i] = (sequence_rows){window_of(r, from + i) + held, count, held, &r->caches[from + i]};
        engine_forward(r->e, n, r->rows, LAST_ROWS, logits_of(r, from));
    }
    if (r->g->use_cache) r->held += count;
}

/* The prompt is the same for all samples: it runs once, and they take over what came of it. */
static void run_prompt(generator *r) {
    run_windows(r, 1);
    for (int k = 1; k < r->g->samples; k++) {
        if (r->g->use_cache) cache_copy(&r->caches[k], &r->caches[0], shape_of(r), r->held);
        memcpy(logits_of(r, k), r->logits, logit_stride(r) * sizeof *r->logits);
    }
}

static bool draw(generator *r, int sample, int32_t *token, problem *why) {
    const float *logits = logits_of(r, sample);
    int bad = logits_not_finite(logits, shape_of(r)->vocab_size);
    if (bad >= 0)
        return run_failed(why, "token %zu of sample %d: the logit of id %d is %g, not a finite number%s",
                          r->next, sample, bad, (double)logits[bad], cache_limit(r->e->model->cache_type));
    const sampling *how = &r->g->sampling;
    random_stream stream = random_open(how->seed + (uint64_t)sample, FOR_SAMPLING, r->next, 0, 0);
    *token = sampler_draw(&r->sampler, logits, how, random_uniform(&stream, 0));
    return true;
}

/* One token for each sample, behind its window. */
static bool predict(generator *r, problem *why) {
    size_t count = r->next - r->start;
    if (at_prompt(r))
        run_prompt(r);
    else
        run_windows(r, r->g->samples);
    for (int k = 0; k < r->g->samples; k++)
        if (!draw(r, k, window_of(r, k) + count, why)) return false;
    r->next++;
    return true;
}

/* The first prediction runs the prompt, all others follow a token: prefill and decode. */
static bool predict_timed(generator *r, problem *why) {
    bool first = at_prompt(r);
    size_t prompt_rows = r->next - r->start;
    double began = clock_seconds();
    if (!predict(r, why)) return false;
    double took = clock_seconds() - began;
    if (first) {
        r->stats.prefill_tokens = prompt_rows;
        r->stats.prefill_seconds = took;
    } else {
        r->stats.decode_tokens += (size_t)r->g->samples;
        r->stats.decode_seconds += took;
    }
    return true;
}

/* Hands on the tokens that were predicted last; false when the receiver has had enough. */
static bool hand_on(const generator *r, int32_t *tokens) {
    const generation *g = r->g;
    for (int k = 0; k < g->samples; k++) {
        int32_t token = window_of(r, k)[r->next - 1 - r->start];
        if (tokens) tokens[(size_t)k * g->new_tokens + (r->next - 1 - g->prompt_count)] = token;
        if (g->emit && !g->emit(g->context, k, token)) return false;
    }
    return true;
}

bool generate(engine *e, const generation *g, int32_t *tokens, generation_stats *stats, problem *why) {
    generator r;
    bool ok = open_generator(&r, e, g, why);
    if (ok) begin(&r);
    for (bool go_on = true; ok && go_on && r.next - g->prompt_count < g->new_tokens;) {
        move_window(&r);
        ok = predict_timed(&r, why);
        go_on = ok && hand_on(&r, tokens);
    }
    if (stats) *stats = r.stats;
    close_generator(&r);
    return ok;
}
