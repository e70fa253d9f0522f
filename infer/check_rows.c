/* Check: one sequence through the cache, however it is cut, and several at once. */
#include "check_subject.h"
#include "least.h"

/* What a walk does not write itself must not be there from the one before. */
static bool forget(subject *s, problem *why) {
    comparison unused = {0};
    return spoil_cache(s, &unused, why);
}

static bool check_one_more(subject *s, report *r, problem *why) {
    finding f = {.what = "prefill of N - 1 tokens, then one through the cache, against the whole forward"};
    if (!forget(s, why)) return false;
    for (int n = 0; (n = next_size(s, n));) {
        if (n > 1) run_rows(&s->engine, &s->cache, s->tokens, 0, n - 1, LAST_ROWS, s->logits);
        compare_rows(s, &s->engine, n - 1, n, &f.seen);
    }
    name_sizes(s, &f);
    report_equal(r, &f);
    return true;
}

/* Where that would take long: the first tokens, and the last ones after a prefill. */
static bool check_decoding(subject *s, report *r, problem *why) {
    enum { FIRST = 48, LAST = 16 };
    finding f = {.what = "decoding one token at a time, against the whole forward"};
    int end = context_of(s), first = subject_sampled(s) ? least(FIRST, end) : end;
    if (!forget(s, why)) return false;
    for (int i = 0; i < first; i++) compare_rows(s, &s->engine, i, i + 1, &f.seen);
    if (first + LAST < end) {
        run_rows(&s->engine, &s->cache, s->tokens, 0, end - LAST, LAST_ROWS, s->logits);
        first = end - LAST;
        found_at(&f, "positions 0..%d and %d..%d", FIRST - 1, end - LAST, end - 1);
    } else
        found_at(&f, "positions 0..%d", end - 1);
    for (int i = first; i < end; i++) compare_rows(s, &s->engine, i, i + 1, &f.seen);
    report_equal(r, &f);
    return true;
}

static bool check_chunks(subject *s, report *r, problem *why) {
    static const int every[] = {2, 3, 5, 7, 16, 17, 33, 64, 100}, some[] = {3, 17, 100};
    bool sampled = subject_sampled(s);
    const int *sizes = sampled ? some : every;
    size_t count = sampled ? sizeof some / sizeof *some : sizeof every / sizeof *every;
    finding f = {.what = "prefill, then chunks on the warm cache, against the whole forward"};
    for (size_t i = 0; i < count; i++) {
        if (!forget(s, why)) return false;
        for (int from = 0, to; from < context_of(s); from = to) {
            to = least(from + sizes[i], context_of(s));
            compare_rows(s, &s->engine, from, to, &f.seen);
        }
    }
    found_at(&f, "chunks of %s", sampled ? "3, 17 and 100" : "2, 3, 5, 7, 16, 17, 33, 64 and 100");
    report_equal(r, &f);
    return true;
}

bool check_rows(subject *s, report *r, problem *why) {
    return check_one_more(s, r, why) && check_decoding(s, r, why) && check_chunks(s, r, why);
}
