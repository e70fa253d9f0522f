#include "evaluation.h"
#include "sampled_evaluation.h"
#include "signals.h"
#include <inttypes.h>
#include <math.h>

typedef struct watch {
    progress *progress;
    int64_t iteration;
} watch;

static bool signal_stops(void *context, double done) {
    const watch *w = context;
    progress_evaluation(w->progress, w->iteration, done);
    return signals_received() != 0;
}

bool run_evaluation(run *r, int64_t iteration, progress *p, double *loss, problem *why) {
    const settings *s = &r->settings;
    watch w = {p, iteration};
    bool done = s->eval == EVAL_FULL ? evaluate_exact(&r->engine, r->validation, r->validation_count,
                                                      signal_stops, &w, loss, why)
                                     : evaluate_sampled(&r->engine, s, iteration, r->validation,
                                                        r->validation_count, signal_stops, &w, loss, why);
    if (!done || isfinite(*loss)) return done;
    return run_stops(r, why, "iteration %" PRId64 ": the validation loss is %g", iteration, fabs(*loss));
}
