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

static bool begin_save(run *r, int64_t iteration, double best_loss, bool best, bool last, problem *why) {
    training_state state = {.present = true,
                            .has_settings = true,
                            .settings = r->settings,
                            .iteration = iteration,
                            .seed = r->settings.seed,
                            .has_data = true,
                            .training_data = r->corpus.train_sum,
                            .validation_data = r->corpus.validation_sum,
                            .best_loss = best_loss};
    if (!run_directory_keep(&r->directory, why)) return false;
    saver_start(r->saver, &state, best, last);
    return true;
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
    if (!begin_save(r, 0, saver_best(r->saver), false, true, &failure)) progress_warn(p, &failure, true);
    return true;
}

bool checkpointing_save(run *r, progress *p, int64_t iteration, double val_loss, bool ends, problem *why) {
    bool last = ends || save_is_due(&r->settings, iteration);
    if (isnan(val_loss) && !last && saver_is_writing(r->saver)) return true; /* updates go on meanwhile */
    checkpointing_settle(r, p);
    bool best = val_loss < saver_best(r->saver);
    if (!best && !last) return true;
    if (!state_is_finite(r, iteration, why)) return false;
    bool begun = begin_save(r, iteration, best ? val_loss : saver_best(r->saver), best, last, why);
    sync_metrics(r, p, !ends);
    if (ends) return begun && saver_wait(r->saver, why);
    if (!begun) progress_warn(p, why, true);
    return true;
}
