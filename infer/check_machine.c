/* Check: threads and kernel sets; and, for comparison, what an ordinary matrix library does. */
#include "check_subject.h"
#include "least.h"
#include "memory.h"
#include <stdio.h>
#include <string.h>

enum { DECODED = 8, LARGEST_TEAM = 4 };

/* Many rows, few rows, single rows and batches share the work differently: no more than `most` rows are run
 * in each way. Returns the largest batch. */
static int compare_ways(subject *s, engine *e, int most, comparison *c) {
    int rows = least(most, context_of(s)), chunk = least(rows, 2 * DECODED);
    compare_rows(s, e, 0, rows, c);
    compare_rows(s, e, 0, chunk, c);
    for (int i = chunk - least(chunk, DECODED); i < chunk; i++) compare_rows(s, e, i, i + 1, c);
    return compare_crowd(s, e, most, c);
}

static bool compare_threads(subject *s, int threads, finding *f, problem *why) {
    team *t = team_open(threads, why);
    if (!t) return false;
    engine e;
    bool ok = engine_open(&e, s->model, s->kernels, t, subject_rows(s), why);
    if (ok) {
        compare_ways(s, &e, subject_rows(s), &f->seen);
        size_t length = strlen(f->where);
        snprintf(f->where + length, sizeof f->where - length, "%s%d", length ? ", " : "", threads);
        engine_close(&e);
    }
    team_close(t);
    return ok;
}

bool check_threads(subject *s, report *r, problem *why) {
    char what[80];
    int mine = team_size(s->team);
    snprintf(what, sizeof what, "other numbers of threads against %d, rows and batches", mine);
    finding f = {.what = what};
    for (int threads = 1; threads <= LARGEST_TEAM; threads++)
        if (threads != mine && !compare_threads(s, threads, &f, why)) return false;
    report_equal(r, &f);
    return true;
}

static bool is_openblas(const kernels *k) {
    return !strcmp(k->name, "openblas");
}

/* The plain set runs at about a GFLOP/s: a second or two of work. */
static int affordable_rows(const subject *s, const kernels *k) {
    double rows = 2e9 / (2 * (double)s->model->table.elements);
    if (s->full || strcmp(k->name, "plain") || rows >= subject_rows(s)) return subject_rows(s);
    return rows < 2 ? 2 : (int)rows;
}

static bool check_kernel_set(subject *s, const kernels *k, report *r, problem *why) {
    char what[80];
    snprintf(what, sizeof what, "kernels %s against %s", k->name, s->kernels->name);
    finding f = {.what = what};
    engine e;
    int rows = affordable_rows(s, k);
    if (!engine_open(&e, s->model, k, s->team, subject_rows(s), why)) return false;
    int batch = compare_ways(s, &e, rows, &f.seen);
    found_at(&f, "rows 0..%d, batches of up to %d", least(rows, context_of(s)) - 1, batch);
    engine_close(&e);
    report_equal(r, &f);
    return true;
}

bool check_kernel_sets(subject *s, report *r, problem *why) {
    const kernels *k;
    for (int i = 0; (k = kernels_built(i)); i++)
        if (k != s->kernels && !is_openblas(k) && kernels_run_here(k) && !check_kernel_set(s, k, r, why))
            return false;
    return true;
}

/* One token at a time against many at once, both through OpenBLAS. */
static bool compare_openblas(subject *s, const kernels *k, finding *f, problem *why) {
    enum { POSITIONS = 64 };
    engine e;
    float *row = allocate(row_floats(s), sizeof *row, "logits", why);
    bool ok = row && engine_open(&e, s->model, k, s->team, context_of(s), why);
    if (ok) {
        int end = subject_sampled(s) ? least(POSITIONS, context_of(s)) : context_of(s);
        run_rows(&e, &s->cache, s->tokens, 0, context_of(s), ALL_ROWS, s->logits);
        for (int i = 0; i < end; i++) {
            run_rows(&e, &s->cache, s->tokens, i, i + 1, ALL_ROWS, row);
            compare_logits(s, row, s->logits + (size_t)i * row_floats(s), 1, &f->seen);
        }
        found_at(f, "positions 0..%d", end - 1);
        engine_close(&e);
    }
    release(row);
    return ok;
}

bool check_openblas(subject *s, report *r, problem *why) {
    finding f = {.what = "through OpenBLAS instead: decoding against the whole forward"};
    problem missing = {.text = "it is not built in"};
    const kernels *k = kernels_named("openblas");
    if (!k || !kernels_ready(k, team_size(s->team), &missing)) {
        report_skipped(r, f.what, missing.text);
        return true;
    }
    if (!compare_openblas(s, k, &f, why)) return false;
    report_information(r, &f);
    return true;
}
