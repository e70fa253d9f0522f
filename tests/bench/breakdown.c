/* Where an update's time goes:
 *   build/bench/breakdown FIGURES.json ROUNDS CONFIG [--key=value ...] [+ --key=value ...]
 * Milliseconds are of all threads together, divided by their number, so that they add up to the update's. */
#include "cases.h"
#include "machine.h"
#include "median.h"
#include "memory.h"
#include "subject.h"
#include "table.h"
#include "timed_kernels.h"
#include <math.h>
#include <stdio.h>

enum { OTHER = PARTS, UPDATE, ROWS };
static const char *const row_names[ROWS] = {
    [LINEAR_FORWARD] = "linear layers, forward",
    [INPUT_GRADIENT] = "linear layers, input gradient",
    [WEIGHT_GRADIENT] = "linear layers, weight gradient",
    [ATTENTION_FORWARD] = "attention, forward",
    [ATTENTION_BACKWARD] = "attention, backward",
    [LAYER_NORM] = "layer norm, both ways",
    [ACTIVATION] = "activation, both ways",
    [DROPOUT_AND_RESIDUAL] = "dropout and residual sums, both ways",
    [LOSS] = "loss",
    [OPTIMIZER] = "norm, AdamW, sums of gradients",
    [PACKING] = "packing weights",
    [WAITING] = "waiting for other threads",
    [OTHER] = "embeddings, clearing, the rest",
    [UPDATE] = "an update",
};

enum { MILLISECONDS, SHARE, OF_PEAK, FIGURES };
static const column figures[FIGURES] = {
    [MILLISECONDS] = {"ms", "seconds", 1e3, 1, ""},
    [SHARE] = {"share", "share_of_update", 100, 1, " %"},
    [OF_PEAK] = {"of peak", "share_of_peak", 100, 0, " %"},
};

typedef struct patient {
    subject subject;
    double peak[MOST_ROUNDS], seconds[ROWS][MOST_ROUNDS], flops[ROWS];
} patient;

typedef struct heads { /* the columns' names, which differ from case to case */
    char title[MOST_CASES][FIGURES][300], key[MOST_CASES][FIGURES][32];
    column columns[MOST_CASES][FIGURES];
} heads;

typedef struct bench {
    cases cases;
    patient list[MOST_CASES];
    heads heads;
} bench;

static const kernels *timed_of(const subject *s) {
    return timed_kernels(s->kernels, s->settings.activation);
}

static bool open_all(bench *b, problem *why) {
    for (int i = 0; i < b->cases.count; i++) {
        subject *s = &b->list[i].subject;
        if (!subject_open(s, &b->cases.list[i].settings, why) || !subject_learn(s, timed_of(s), why))
            return false;
        subject_update(s);
    }
    return true;
}

static void examine(patient *p, int round) {
    subject *s = &p->subject;
    double size = team_size(s->team), sum = 0;
    uint64_t before = s->iteration;
    p->peak[round] = machine_fma_peak(s->kernels, s->team) / size;
    (void)timed_of(s);
    (void)timed_collect(s->team);
    double whole = subject_seconds(s), parts = size * (double)(s->iteration - before);
    part_times times = timed_collect(s->team);
    for (part i = 0; i < PARTS; i++) {
        p->seconds[i][round] = times.seconds[i] / parts;
        p->flops[i] = times.flops[i] / parts;
        sum += p->seconds[i][round];
    }
    p->seconds[OTHER][round] = whole - sum;
    p->seconds[UPDATE][round] = whole;
}

static void figures_of(patient *p, int rounds, int row, double values[FIGURES]) {
    double seconds = median(p->seconds[row], rounds);
    if (row == UPDATE)
        for (int i = 0; i < PARTS; i++) p->flops[UPDATE] += p->flops[i];
    values[MILLISECONDS] = seconds;
    values[SHARE] = seconds / median(p->seconds[UPDATE], rounds);
    values[OF_PEAK] = p->flops[row] > 0 ? p->flops[row] / seconds / median(p->peak, rounds) : NAN;
}

static void name_columns(bench *b) {
    heads *h = &b->heads;
    for (int i = 0; i < b->cases.count; i++)
        for (int j = 0; j < FIGURES; j++) {
            const char *label = j == 0 && b->cases.count > 1 ? b->cases.list[i].label : "";
            (void)snprintf(h->title[i][j], sizeof h->title[i][j], "%s%s%s", label, *label ? ": " : "",
                           figures[j].title);
            (void)snprintf(h->key[i][j], sizeof h->key[i][j], "%s%s", i ? "then_" : "", figures[j].key);
            h->columns[i][j] = figures[j];
            h->columns[i][j].title = h->title[i][j];
            h->columns[i][j].key = h->key[i][j];
        }
}

static bool print_all(bench *b, problem *why) {
    table t;
    char what[300], key[300];
    name_columns(b);
    (void)snprintf(what, sizeof what, "an update of %s", b->cases.list[0].label);
    (void)snprintf(key, sizeof key, "breakdown of %s", b->cases.list[0].label);
    if (!table_open(&t, b->cases.figures, key, what, FIGURES * b->cases.count, b->heads.columns[0], why))
        return false;
    for (int row = 0; row < ROWS; row++) {
        double values[MOST_CASES * FIGURES];
        for (int i = 0; i < b->cases.count; i++)
            figures_of(&b->list[i], b->cases.rounds, row, values + i * FIGURES);
        table_row(&t, row_names[row], values);
    }
    return table_close(&t, why);
}

int main(int argc, char **argv) {
    problem why = {0};
    bench *b = allocate(1, sizeof *b, "the benchmark", &why);
    bool fine = b && cases_read(&b->cases, argc, argv, &why) && open_all(b, &why);
    for (int round = 0; fine && round < b->cases.rounds; round++)
        for (int i = 0; i < b->cases.count; i++) examine(&b->list[i], round);
    fine = fine && print_all(b, &why);
    for (int i = 0; b && i < b->cases.count; i++) subject_close(&b->list[i].subject);
    release(b);
    if (!fine) (void)fprintf(stderr, "breakdown: %s\n", why.text);
    return fine ? 0 : why.exit_status;
}
