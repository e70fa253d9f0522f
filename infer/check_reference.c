/* Check: the forward pass against the double-precision reference. */
#include "check_subject.h"
#include "memory.h"
#include "reference.h"
#include <math.h>

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

bool check_reference(subject *s, report *r, problem *why) {
    finding f = {.what = "forward of N tokens against the double-precision reference"};
    size_t count = (size_t)context_of(s) * (size_t)s->model->shape.vocab_size;
    double *expected = allocate(count, sizeof *expected, "the reference's logits", why);
    bool ok = expected && reference_logits(s->model, s->tokens, context_of(s), expected, why);
    if (ok) {
        f.limit = 1e-5 * fmax(1, largest(expected, count));
        for (int n = 0; (n = next_size(s, n));) compare_size(s, expected, n, &f.seen);
        name_sizes(s, &f);
        report_equal(r, &f);
    }
    release(expected);
    return ok;
}
