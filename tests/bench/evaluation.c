/* How fast a validation split's exact loss is computed, as a run does it:
 *   build/bench/evaluation FIGURES.json ROUNDS CONFIG [--key=value ...] */
#include "cases.h"
#include "clock.h"
#include "evaluate.h"
#include "flops.h"
#include "machine.h"
#include "median.h"
#include "memory.h"
#include "subject.h"
#include "table.h"
#include <stdio.h>

enum {
    SPLIT = 111540 /* tiny-shakespeare's validation split */,
    SAMPLE = 1 << 15,
    ROWS = 1024 /* as run.c */
};

enum { TOKENS, FLOPS, SHARE, SECONDS, COLUMNS };
static const column columns[COLUMNS] = {
    [TOKENS] = {"tokens/s", "tokens_per_second", 1, 0, ""},
    [FLOPS] = {"GFLOP/s", "flops", 1e-9, 0, ""},
    [SHARE] = {"of peak", "share_of_peak", 100, 0, " %"},
    [SECONDS] = {"s for tiny-shakespeare's validation split", "seconds", 1, 2, ""},
};

typedef struct bench {
    cases cases;
    subject subject;
    engine engine;
    int32_t *tokens;
    double seconds[MOST_ROUNDS], peak[MOST_ROUNDS];
} bench;

static bool open_bench(bench *b, problem *why) {
    subject *s = &b->subject;
    if (!subject_open(s, &b->cases.list[0].settings, why)) return false;
    int length = s->model.shape.block_size, rows = length > ROWS ? length : ROWS;
    b->tokens = subject_tokens(s, SAMPLE + 1, why);
    return b->tokens && engine_open(&b->engine, &s->model, s->kernels, s->team, rows, why);
}

static bool measure(bench *b, problem *why) {
    double loss;
    for (int i = 0; i < b->cases.rounds; i++) {
        b->peak[i] = machine_fma_peak(b->subject.kernels, b->subject.team);
        double began = clock_seconds();
        if (!evaluate_exact(&b->engine, b->tokens, SAMPLE + 1, NULL, NULL, &loss, why)) return false;
        b->seconds[i] = clock_seconds() - began;
    }
    return true;
}

static bool print_row(bench *b, problem *why) {
    table t;
    double values[COLUMNS];
    if (!table_open(&t, b->cases.figures, "evaluation", "evaluation", COLUMNS, columns, why)) return false;
    values[TOKENS] = SAMPLE / median(b->seconds, b->cases.rounds);
    values[FLOPS] = values[TOKENS] * training_flops_per_token(&b->subject.model.shape) / 3;
    values[SHARE] = values[FLOPS] / median(b->peak, b->cases.rounds);
    values[SECONDS] = SPLIT / values[TOKENS];
    table_row(&t, b->cases.list[0].label, values);
    return table_close(&t, why);
}

int main(int argc, char **argv) {
    problem why = {0};
    bench b = {0};
    bool fine = cases_read(&b.cases, argc, argv, &why) && open_bench(&b, &why) && measure(&b, &why) &&
                print_row(&b, &why);
    engine_close(&b.engine);
    release(b.tokens);
    subject_close(&b.subject);
    if (!fine) (void)fprintf(stderr, "evaluation: %s\n", why.text);
    return fine ? 0 : why.exit_status;
}
