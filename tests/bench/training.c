/* How fast recipes train, beside what the processor can do in the same minute:
 *   build/bench/training FIGURES.json ROUNDS CONFIG [--key=value ...] [+ --key=value ... [+ ...]]
 * Every round measures each case's peak of fused multiply-adds and then its updates. One case alone also has
 * its peak memory, beside all that a run of it allocates. */
#include "cases.h"
#include "evaluate.h"
#include "flops.h"
#include "machine.h"
#include "median.h"
#include "memory.h"
#include "subject.h"
#include "table.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { THREADS, TOKENS, FLOPS, SHARE, SECONDS, LAST, COLUMNS };
static const column memory = {"peak MB", "peak_bytes", 1e-6, 0, ""};
static const column against_first = {"against the first", "against_first", 1, 2, ""};
static const column first_columns[LAST] = {
    [THREADS] = {"threads", "threads", 1, 0, ""},
    [TOKENS] = {"tokens/s", "tokens_per_second", 1, 0, ""},
    [FLOPS] = {"GFLOP/s", "flops", 1e-9, 0, ""},
    [SHARE] = {"of peak", "share_of_peak", 100, 0, " %"},
    [SECONDS] = {"ms an update", "seconds", 1e3, 1, ""},
};

typedef struct contender {
    subject subject;
    engine engine; /* as a run has it, to evaluate */
    bool runs;
    double seconds[MOST_ROUNDS], peak[MOST_ROUNDS];
} contender;

typedef struct bench {
    cases cases;
    contender list[MOST_CASES];
} bench;

static bool open_rest(contender *c, problem *why) {
    subject *s = &c->subject;
    const model *m = &s->model;
    return engine_open(&c->engine, m, s->kernels, s->team, evaluation_rows(&m->shape), why);
}

/* A case that this machine cannot run (a kernel set, say) is told and left out; the first must run. */
static bool open_all(bench *b, problem *why) {
    for (int i = 0; i < b->cases.count; i++) {
        contender *c = &b->list[i];
        c->runs = subject_open(&c->subject, &b->cases.list[i].settings, why) &&
                  subject_learn(&c->subject, c->subject.kernels, why);
        if (!c->runs && i == 0) return false;
        if (!c->runs) (void)fprintf(stderr, "training: left out: %s\n", why->text);
    }
    return b->cases.count > 1 || open_rest(&b->list[0], why);
}

static void measure(bench *b) {
    for (int i = 0; i < b->cases.count; i++)
        if (b->list[i].runs) subject_update(&b->list[i].subject);
    for (int round = 0; round < b->cases.rounds; round++)
        for (int i = 0; i < b->cases.count; i++) {
            contender *c = &b->list[i];
            if (!c->runs) continue;
            c->peak[round] = machine_fma_peak(c->subject.kernels, c->subject.team);
            c->seconds[round] = subject_seconds(&c->subject);
        }
}

static double peak_bytes(void) {
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void print_case(bench *b, int i, double first, table *t) {
    contender *c = &b->list[i];
    double seconds = median(c->seconds, b->cases.rounds), values[COLUMNS];
    values[THREADS] = team_size(c->subject.team);
    values[TOKENS] = subject_update_tokens(&c->subject) / seconds;
    values[FLOPS] = values[TOKENS] * training_flops_per_token(&c->subject.model.shape);
    values[SHARE] = values[FLOPS] / median(c->peak, b->cases.rounds);
    values[SECONDS] = seconds;
    values[LAST] = b->cases.count > 1 ? values[TOKENS] / first : peak_bytes();
    table_row(t, b->cases.list[i].label, values);
}

static bool print_all(bench *b, problem *why) {
    table t;
    column columns[COLUMNS];
    bool many = b->cases.count > 1;
    const char *key = many ? "variants" : "training";
    const char *what = many ? "training, one thing changed at a time" : "training";
    memcpy(columns, first_columns, sizeof first_columns);
    columns[LAST] = many ? against_first : memory;
    if (!table_open(&t, b->cases.figures, key, what, COLUMNS, columns, why)) return false;
    subject *first = &b->list[0].subject;
    double tokens = subject_update_tokens(first) / median(b->list[0].seconds, b->cases.rounds);
    for (int i = 0; i < b->cases.count; i++)
        if (b->list[i].runs) print_case(b, i, tokens, &t);
    return table_close(&t, why);
}

int main(int argc, char **argv) {
    problem why = {0};
    bench *b = allocate(1, sizeof *b, "the benchmark", &why);
    bool fine = b && cases_read(&b->cases, argc, argv, &why) && open_all(b, &why);
    if (fine) measure(b);
    fine = fine && print_all(b, &why);
    for (int i = 0; b && i < b->cases.count; i++) {
        engine_close(&b->list[i].engine);
        subject_close(&b->list[i].subject);
    }
    release(b);
    if (!fine) (void)fprintf(stderr, "training: %s\n", why.text);
    return fine ? 0 : why.exit_status;
}
