#include "checkpointing.h"
#include <inttypes.h>
#include <math.h>

/* Before the first update checkpointing_begin has saved. */
static bool save_is_due(const settings *s, int64_t iteration) {
    return iteration > 0 && iteration % (s->save_interval ? s->save_interval : s->eval_interval) == 0;
}

void checkpointing_settle(run *r, progress *p) {
    problem failure;
    if (!saver_wait(r->saver, &failure)) progress_warn(p, &failure, true);
}

static bool finite_block(const run *r, const float *block, const char *what, int64_t iteration,
                         problem *why) {
    const parameter *p = parameters_not_finite(&r->start.model.table, block);
    if (!p) return true;
    return run_stops(r, why, "after %" PRId64 " iterations %s of %s is not finite", iteration, what, p->name);
}

/* Nothing that is not finite may take a good checkpoint's place. */
static bool state_is_finite(const run *r, int64_t iteration, problem *why) {
    return finite_block(r, r->start.model.block, "a weight", iteration, why) &&
           finite_block(r, learner_adamw_m(r->learner), "AdamW's mean", iteration, why) &&
           finite_block(r, learner_adamw_v(r->learner), "AdamW's mean square", iteration, why);
}

static training_state state_after(const run *r, int64_t iteration) {
    return (training_state){.present = true,
                            .has_settings = true,
                            .settings = r->settings,
                            .iteration = iteration,
                            .seed = r->settings.seed,
                            .has_data = true,
                            .training_data = r->corpus.train_sum,
                            .validation_data = r->corpus.validation_sum,
                            .best_loss = saver_best_loss(r->saver)};
}

static bool begin_last(run *r, int64_t iteration, problem *why) {
    const training_state state = state_after(r, iteration);
    return run_directory_keep(&r->directory, why) && saver_begin_last(r->saver, &state, why);
}

static bool write_best(run *r, int64_t iteration, double val_loss, problem *why) {
    training_state state = state_after(r, iteration);
    state.best_loss = val_loss;
    return run_directory_keep(&r->directory, why) && saver_write_best(r->saver, &state, why);
}

/* A best.npz that cannot be written is no reason to lose last.npz, which then does not know of it. What went
 * wrong with last.npz is worth more telling. */
static bool save(run *r, int64_t iteration, double val_loss, bool best, bool last, problem *why) {
    problem of_last;
    bool best_saved = !best || write_best(r, iteration, val_loss, why);
    bool last_saved = !last || begin_last(r, iteration, &of_last);
    if (!last_saved) *why = of_last;
    return best_saved && last_saved;
}

/* Rows that cannot be written are no reason to lose a checkpoint, nor to call one lost. */
static void sync_metrics(run *r, progress *p, bool again) {
    problem failure;
    if (!metrics_sync(&r->metrics, &failure)) progress_warn(p, &failure, again);
}

bool checkpointing_begin(run *r, progress *p, problem *why) {
    problem failure;
    if (r->resumed) return true;
    if (!state_is_finite(r, 0, why)) return false;
    if (!begin_last(r, 0, &failure)) progress_warn(p, &failure, true);
    return true;
}

/* What has come in the way since training began is no bad input any more. */
static bool saved_at_the_end(const run *r, bool saved, problem *why) {
    problem of_last;
    bool last_saved = saver_wait(r->saver, &of_last);
    if (!last_saved) *why = of_last;
    if (saved && last_saved) return true;
    why->exit_status = RUN_FAILED;
    return false;
}

bool checkpointing_save(run *r, progress *p, int64_t iteration, double val_loss, bool ends, problem *why) {
    bool last = ends || save_is_due(&r->settings, iteration);
    if (isnan(val_loss) && !last && saver_is_writing(r->saver)) return true; /* updates go on meanwhile */
    checkpointing_settle(r, p);
    bool best = val_loss < saver_best_loss(r->saver);
    if (!best && !last) return true;
    if (!state_is_finite(r, iteration, why)) return false;
    bool saved = save(r, iteration, val_loss, best, last, why);
    sync_metrics(r, p, !ends);
    if (ends) return saved_at_the_end(r, saved, why);
    if (!saved) progress_warn(p, why, true);
    return true;
}
