#include "evaluation.h"
#include "sampled_evaluation.h"
#include "signals.h"
#include <inttypes.h>
#include <math.h>

typedef struct watch {
    progress *progress;
    int64_t iteration;
    bool stopped;
} watch;

static bool signal_stops(void *context, double done) {
    watch *w = context;
    progress_evaluation(w->progress, w->iteration, done);
    return w->stopped = signals_received() != 0;
}

static bool is_finite(const run *r, int64_t iteration, const char *what, double loss, problem *why) {
    return isfinite(loss) ||
           run_stops(r, why, "iteration %" PRId64 ": the %s is %g", iteration, what, fabs(loss));
}

bool run_evaluation(run *r, int64_t iteration, progress *p, double *loss, problem *why) {
    const settings *s = &r->settings;
    watch w = {.progress = p, .iteration = iteration};
    bool done = s->eval == EVAL_FULL ? evaluate_exact(&r->engine, r->validation, r->validation_count,
                                                      signal_stops, &w, loss, why)
                                     : evaluate_sampled(&r->engine, s, iteration, r->validation,
                                                        r->validation_count, signal_stops, &w, loss, why);
    if (done) return is_finite(r, iteration, "validation loss", *loss, why);
    *loss = NAN;
    return w.stopped;
}

bool run_evaluate_window(run *r, int64_t iteration, problem *why) {
    size_t count = (size_t)r->settings.block_size + 1;
    double loss;
    return evaluate_exact(&r->engine, r->validation,
                          count < r->validation_count ? count : r->validation_count, NULL, NULL, &loss,
                          why) &&
           is_finite(r, iteration, "loss of one window", loss, why);
}
