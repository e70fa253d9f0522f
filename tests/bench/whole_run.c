/* sawtooth-train with clocks: build/bench/whole_run takes the same arguments, does the same, and then adds to
 * the file that FIGURES names where the run's time went. STRETCH=n counts every update n times: a short run
 * stands for one with fewer evaluations and checkpoints. The linker's --wrap sends the trainer's calls
 * through here, so that the product has no clock in it. */
#include "checkpointing.h"
#include "clock.h"
#include "evaluation.h"
#include "table.h"
#include "trainer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE, UPDATES, EVALUATION, SAVING, AT_THE_END, COUNT, COLUMNS };
static const column columns[COLUMNS] = {
    [WHOLE] = {"s", "seconds", 1, 1, ""},
    [UPDATES] = {"updates", "updates_share", 100, 1, " %"},
    [EVALUATION] = {"evaluation", "evaluation_share", 100, 1, " %"},
    [SAVING] = {"waiting for saving", "saving_share", 100, 2, " %"},
    [AT_THE_END] = {"of this at the end", "last_save_share", 100, 2, " %"},
    [COUNT] = {"checkpoints", "checkpoints", 1, 0, ""},
};

/* What is wrapped has no argument to carry a clock in. */
static double spent[COLUMNS];

void __real_learner_gradient(learner *l, uint64_t iteration, const int32_t *const *windows, double *loss,
                             double *norm);
void __wrap_learner_gradient(learner *l, uint64_t iteration, const int32_t *const *windows, double *loss,
                             double *norm);
void __wrap_learner_gradient(learner *l, uint64_t iteration, const int32_t *const *windows, double *loss,
                             double *norm) {
    double began = clock_seconds();
    __real_learner_gradient(l, iteration, windows, loss, norm);
    spent[UPDATES] += clock_seconds() - began;
}

void __real_learner_apply(learner *l, uint64_t iteration, double learning_rate, double norm);
void __wrap_learner_apply(learner *l, uint64_t iteration, double learning_rate, double norm);
void __wrap_learner_apply(learner *l, uint64_t iteration, double learning_rate, double norm) {
    double began = clock_seconds();
    __real_learner_apply(l, iteration, learning_rate, norm);
    spent[UPDATES] += clock_seconds() - began;
}

bool __real_run_evaluation(run *r, int64_t iteration, progress *p, double *loss, problem *why);
bool __wrap_run_evaluation(run *r, int64_t iteration, progress *p, double *loss, problem *why);
bool __wrap_run_evaluation(run *r, int64_t iteration, progress *p, double *loss, problem *why) {
    double began = clock_seconds();
    bool fine = __real_run_evaluation(r, iteration, p, loss, why);
    spent[EVALUATION] += clock_seconds() - began;
    return fine;
}

void __real_checkpointing_settle(run *r, progress *p);
void __wrap_checkpointing_settle(run *r, progress *p);
void __wrap_checkpointing_settle(run *r, progress *p) {
    double began = clock_seconds();
    __real_checkpointing_settle(r, p);
    spent[SAVING] += clock_seconds() - began;
}

bool __real_checkpointing_begin(run *r, progress *p, problem *why);
bool __wrap_checkpointing_begin(run *r, progress *p, problem *why);
bool __wrap_checkpointing_begin(run *r, progress *p, problem *why) {
    double began = clock_seconds();
    bool fine = __real_checkpointing_begin(r, p, why);
    spent[SAVING] += clock_seconds() - began;
    return fine;
}

bool __real_checkpointing_save(run *r, progress *p, int64_t iteration, double val_loss, bool ends,
                               problem *why);
bool __wrap_checkpointing_save(run *r, progress *p, int64_t iteration, double val_loss, bool ends,
                               problem *why);
bool __wrap_checkpointing_save(run *r, progress *p, int64_t iteration, double val_loss, bool ends,
                               problem *why) {
    double began = clock_seconds();
    bool fine = __real_checkpointing_save(r, p, iteration, val_loss, ends, why);
    double seconds = clock_seconds() - began;
    spent[SAVING] += seconds;
    if (ends) spent[AT_THE_END] += seconds;
    return fine;
}

bool __real_saver_write_best(saver *s, const training_state *state, problem *why);
bool __wrap_saver_write_best(saver *s, const training_state *state, problem *why);
bool __wrap_saver_write_best(saver *s, const training_state *state, problem *why) {
    spent[COUNT]++;
    return __real_saver_write_best(s, state, why);
}

bool __real_saver_begin_last(saver *s, const training_state *state, problem *why);
bool __wrap_saver_begin_last(saver *s, const training_state *state, problem *why);
bool __wrap_saver_begin_last(saver *s, const training_state *state, problem *why) {
    spent[COUNT]++;
    return __real_saver_begin_last(s, state, why);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static long stretch_factor(void) {
    const char *text = getenv("STRETCH");
    long factor = text ? strtol(text, NULL, 10) : 1;
    return factor > 0 ? factor : 1;
}

static bool print_figures(const settings *s, problem *why) {
    table t;
    char label[PATH_LENGTH + 128];
    const char *path = getenv("FIGURES");
    long stretch = stretch_factor();
    spent[WHOLE] += (double)(stretch - 1) * spent[UPDATES];
    spent[UPDATES] *= (double)stretch;
    for (int i = UPDATES; i < COUNT; i++) spent[i] /= spent[WHOLE];
    (void)snprintf(label, sizeof label, "%s: %ld updates, an evaluation each %ld%s", base_name(s->out_dir),
                   (long)s->max_iters * stretch, (long)s->eval_interval * stretch,
                   stretch > 1 ? " (from a short run)" : "");
    if (!table_open(&t, path ? path : "/dev/null", "runs", "a run, where its time goes", COLUMNS, columns,
                    why))
        return false;
    table_row(&t, label, spent);
    return table_close(&t, why);
}

training_end __real_train(run *r, problem *why);
training_end __wrap_train(run *r, problem *why);
training_end __wrap_train(run *r, problem *why) {
    double began = clock_seconds();
    training_end end = __real_train(r, why);
    spent[WHOLE] = clock_seconds() - began;
    return print_figures(&r->settings, why) ? end : TRAINING_FAILED;
}
