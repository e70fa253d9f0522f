#include "trainer.h"
#include "checkpointing.h"
#include "clock.h"
#include "describe.h"
#include "evaluation.h"
#include "flops.h"
#include "progress.h"
#include "schedule.h"
#include "shell_word.h"
#include "show_sample.h"
#include "signals.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How long something takes, by the times before: the first one, which finds cold caches, only while it is
 * alone. */
typedef struct pace {
    int64_t times;
    double first, rest;
} pace;

static void pace_add(pace *p, double seconds) {
    *(p->times++ ? &p->rest : &p->first) += seconds;
}

static double pace_mean(const pace *p) {
    return p->times > 1 ? p->rest / (double)(p->times - 1) : p->first;
}

typedef struct trainer {
    run *run;
    progress progress;
    double began;
    double seconds;  /* of the updates since the last row of metrics */
    int64_t updates; /* their number */
    bool metrics_fail;
    pace updating, evaluating;
} trainer;

/* ---- Metrics ---- */

static int64_t tokens_in(const settings *s, int64_t iterations) {
    return iterations * s->batch_size * s->grad_accum * s->block_size;
}

static metrics_row row_at(const trainer *t, int64_t iteration) {
    const settings *s = &t->run->settings;
    double rate = t->updates ? (double)tokens_in(s, t->updates) / t->seconds : NAN;
    return (metrics_row){.iteration = iteration,
                         .tokens = tokens_in(s, iteration),
                         .train_loss = NAN,
                         .val_loss = NAN,
                         .learning_rate = learning_rate_at(s, iteration),
                         .grad_norm = NAN,
                         .tokens_per_second = rate,
                         .gflops = 1e-9 * rate * training_flops_per_token(&t->run->start.model.shape)};
}

/* One warning is enough for a disk that stays full. */
static void record(trainer *t, const metrics_row *row) {
    problem failure;
    bool written = metrics_append(&t->run->metrics, row, &failure);
    if (!written && !t->metrics_fail) progress_warn(&t->progress, &failure, true);
    t->metrics_fail = !written;
    t->seconds = 0;
    t->updates = 0;
}

static void record_last(trainer *t, int64_t iteration, double val_loss) {
    metrics_row row = row_at(t, iteration);
    row.val_loss = val_loss;
    record(t, &row);
}

/* ---- One iteration ---- */

/* Updates, and the evaluations among them. */
static double seconds_left(const trainer *t, int64_t iteration) {
    const settings *s = &t->run->settings;
    int64_t updates = s->max_iters - iteration - 1,
            evaluations = (s->max_iters - 1) / s->eval_interval - iteration / s->eval_interval + 1;
    return pace_mean(&t->updating) * (double)updates + pace_mean(&t->evaluating) * (double)evaluations;
}

/* An update in the making: the gradient is there, the weights are still the ones that it was taken at. */
typedef struct update {
    int64_t iteration;
    double loss, norm, seconds;
} update;

static bool diverged(const run *r, const update *u, problem *why) {
    return run_stops(r, why, "iteration %" PRId64 ": the loss is %g, the gradient's norm %g", u->iteration,
                     fabs(u->loss), fabs(u->norm));
}

static bool take_gradient(trainer *t, update *u, problem *why) {
    run *r = t->run;
    double began = clock_seconds();
    const int32_t *const *windows = batches_fetch(&r->batches, u->iteration, why);
    if (!windows) return run_stops(r, why, "%s", why->text);
    learner_gradient(r->learner, (uint64_t)u->iteration, windows, &u->loss, &u->norm);
    u->seconds = clock_seconds() - began;
    return (isfinite(u->loss) && isfinite(u->norm)) || diverged(r, u, why);
}

static void tell_update(trainer *t, const update *u, double val_loss) {
    metrics_row row = row_at(t, u->iteration);
    row.train_loss = u->loss;
    row.grad_norm = u->norm;
    row.val_loss = val_loss;
    bool logged = row.iteration % t->run->settings.log_interval == 0;
    progress_step(&t->progress, &row, seconds_left(t, row.iteration), logged);
    if (logged || !isnan(val_loss)) record(t, &row);
}

static void apply_gradient(trainer *t, update *u, double val_loss) {
    run *r = t->run;
    double began = clock_seconds();
    learner_apply(r->learner, (uint64_t)u->iteration, learning_rate_at(&r->settings, u->iteration), u->norm);
    u->seconds += clock_seconds() - began;
    pace_add(&t->updating, u->seconds);
    t->seconds += u->seconds;
    t->updates++;
    tell_update(t, u, val_loss);
}

/* ---- Evaluation ---- */

static bool evaluation_is_due(const settings *s, int64_t iteration) {
    return iteration % s->eval_interval == 0 || iteration == s->max_iters;
}

/* *val_loss stays NAN where a signal ends the evaluation. */
static bool evaluate(trainer *t, int64_t iteration, double *val_loss, problem *why) {
    run *r = t->run;
    double began = clock_seconds();
    if (!run_evaluation(r, iteration, &t->progress, val_loss, why)) return false;
    if (isnan(*val_loss)) return true;
    pace_add(&t->evaluating, clock_seconds() - began);
    checkpointing_settle(r, &t->progress);
    bool lowest = *val_loss < saver_best_loss(r->saver);
    progress_say(&t->progress, "%" PRId64 "/%" PRId64 "  validation loss %.4f%s", iteration,
                 r->settings.max_iters, *val_loss, lowest ? ", the lowest so far" : "");
    return true;
}

static void show(trainer *t, bool last) {
    run *r = t->run;
    problem failure;
    if (r->settings.sample_tokens == 0) return;
    progress_say(&t->progress, "---");
    if (!show_sample(&r->engine, &r->start.tokenizer, &r->settings, &failure))
        progress_warn(&t->progress, &failure, !last);
    progress_say(&t->progress, "---");
}

/* ---- The run ---- */

static training_end finished(trainer *t) {
    char time[32];
    progress_duration(clock_seconds() - t->began, time);
    progress_say(&t->progress, "finished in %s; lowest validation loss %.4f: %s/%s", time,
                 saver_best_loss(t->run->saver), t->run->settings.out_dir, BEST_FILE);
    return TRAINING_FINISHED;
}

static training_end interrupted(trainer *t, int64_t iteration) {
    const char *out_dir = t->run->settings.out_dir;
    shell_word program = shell_quote(t->run->program), directory = shell_quote(out_dir);
    progress_say(&t->progress,
                 "stopped after %" PRId64 " iteration%s, saved in %s/%s; to go on: %s --resume %s", iteration,
                 iteration == 1 ? "" : "s", out_dir, LAST_FILE, program.text, directory.text);
    return TRAINING_INTERRUPTED;
}

/* The run ends here, at its last iteration or by a signal. */
static training_end end(trainer *t, int64_t iteration, double val_loss, bool stops, problem *why) {
    if (!stops) record_last(t, iteration, val_loss);
    if (!checkpointing_save(t->run, &t->progress, iteration, val_loss, true, why)) return TRAINING_FAILED;
    if (stops) return interrupted(t, iteration);
    show(t, true);
    return finished(t);
}

static bool save_and_show(trainer *t, int64_t iteration, double val_loss, problem *why) {
    if (!checkpointing_save(t->run, &t->progress, iteration, val_loss, false, why)) return false;
    show(t, false);
    return true;
}

/* A validation loss that is finite vouches for what is saved, or else the next batch's, or where a signal
 * does not leave time for it one window's: weights that can only fail are not to take a good checkpoint's
 * place. */
static training_end iterate(trainer *t, problem *why) {
    run *r = t->run;
    for (int64_t i = r->start.train.iteration;; i++) {
        double val_loss = NAN;
        update u = {.iteration = i};
        if (evaluation_is_due(&r->settings, i) && !evaluate(t, i, &val_loss, why)) return TRAINING_FAILED;
        bool stops = signals_received() != 0, evaluated = !isnan(val_loss);
        if (stops && !evaluated && !run_evaluate_window(r, i, why)) return TRAINING_FAILED;
        if (stops || i == r->settings.max_iters) return end(t, i, val_loss, stops, why);
        if (evaluated && !save_and_show(t, i, val_loss, why)) return TRAINING_FAILED;
        if (!take_gradient(t, &u, why)) return TRAINING_FAILED;
        if (!evaluated && !checkpointing_save(r, &t->progress, i, NAN, false, why)) return TRAINING_FAILED;
        apply_gradient(t, &u, val_loss);
    }
}

training_end train(run *r, problem *why) {
    trainer t = {.run = r, .progress = progress_open(r->settings.max_iters), .began = clock_seconds()};
    describe_training(r, &t.progress);
    bool begun = checkpointing_begin(r, &t.progress, why);
    training_end ended = begun ? iterate(&t, why) : TRAINING_FAILED;
    progress_erase(&t.progress); /* a failure is told on a line of its own */
    return ended;
}
