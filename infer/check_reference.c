/* Check: the forward pass against the double-precision reference. */
#include "check_subject.h"
#include "memory.h"
#include "narrow.h"
#include "reference.h"
#include <math.h>
#include <stdio.h>

/* Every row of a forward over n tokens; the reference is causal, so its one pass serves every n. */
static void compare_size(subject *s, const double *expected, int n, comparison *c) {
    size_t vocabulary = (size_t)s->model->shape.vocab_size;
    run_rows(&s->engine, &s->cache, s->tokens, 0, n, ALL_ROWS, s->logits);
    for (size_t r = 0; r < (size_t)n; r++)
        compare_doubles(c, s->logits + r * row_floats(s), expected + r * vocabulary, vocabulary);
}

static double largest(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static double *window_logits(const model *m, const int32_t *tokens, bool rounded, const kv_cache *cached,
                             problem *why) {
    size_t count = (size_t)m->shape.block_size * (size_t)m->shape.vocab_size;
    double *logits = allocate(count, sizeof *logits, "the reference's logits", why);
    if (!logits || reference_logits(m, tokens, m->shape.block_size, rounded, cached, logits, why))
        return logits;
    release(logits);
    return NULL;
}

double *reference_window(const model *m, const int32_t *tokens, problem *why) {
    return window_logits(m, tokens, false, NULL, why);
}

/* What the whole forward has cached, where that was rounded. */
static const kv_cache *halves_of(const subject *s) {
    return s->model->cache_type == CACHE_F16 ? &s->cache : NULL;
}

/* What a forward in float32 may differ by: a part of the largest logit, or, where the weights make much of
 * every rounding, a multiple of what one rounding a step does to the reference itself. Layers of bytes need a
 * larger part: where a number is so near the middle of two bytes that it falls to another one than the
 * reference's, results differ by a part of a hundredth. */
static bool tolerance(const subject *s, const double *exact, double *limit, problem *why) {
    static const double PART = 1e-5, PART_OF_BYTES = 0.1, ROUNDINGS = 64;
    size_t count = (size_t)context_of(s) * (size_t)s->model->shape.vocab_size;
    double part = s->model->type == WEIGHTS_INT8 ? PART_OF_BYTES : PART;
    double most = 0, *rounded = window_logits(s->model, s->tokens, true, halves_of(s), why);
    for (size_t i = 0; rounded && i < count; i++) most = fmax(most, fabs(rounded[i] - exact[i]));
    *limit = fmax(part * fmax(1, largest(exact, count)), ROUNDINGS * most);
    release(rounded);
    return rounded;
}

bool check_reference(subject *s, report *r, problem *why) {
    finding f = {.what = "forward of N tokens against the double-precision reference"};
    run_rows(&s->engine, &s->cache, s->tokens, 0, context_of(s), ALL_ROWS, s->logits);
    double *expected = window_logits(s->model, s->tokens, false, halves_of(s), why);
    bool ok = expected && tolerance(s, expected, &f.limit, why);
    for (int n = 0; ok && (n = next_size(s, n));) compare_size(s, expected, n, &f.seen);
    name_sizes(s, &f);
    if (ok) report_equal(r, &f);
    release(expected);
    return ok;
}

/* What rounding weights, keys and values does: no verdict. */
bool check_narrowing(subject *s, report *r, problem *why) {
    (void)why;
    char what[80];
    const model *m = s->model;
    snprintf(what, sizeof what, "%s weights, %s cache against the float32 reference", weight_names[m->type],
             cache_names[m->cache_type]);
    finding f = {.what = what};
    size_t vocabulary = (size_t)s->model->shape.vocab_size;
    if (m->type == WEIGHTS_F32 && m->cache_type == CACHE_F32) return true;
    for (size_t i = 0; s->exact && i < (size_t)context_of(s); i++)
        compare_doubles(&f.seen, s->whole + i * row_floats(s), s->exact + i * vocabulary, vocabulary);
    found_at(&f, "positions 0..%d", context_of(s) - 1);
    if (s->exact)
        report_information(r, &f);
    else
        report_skipped(r, what, "the file holds no float32 weights");
    return true;
}
