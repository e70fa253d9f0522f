#include "describe.h"
#include "schedule.h"
#include <inttypes.h>
#include <sys/resource.h>

static void describe_model(const run *r, progress *p) {
    const shape *s = &r->start.model.shape;
    progress_say(p, "model: %zu parameters: %d layers, %d heads, %d wide, context %d, vocabulary %d",
                 r->start.model.table.elements, s->n_layer, s->n_head, s->n_embd, s->block_size,
                 s->vocab_size);
    if (r->resumed)
        progress_say(p, "goes on: %s/%s after %" PRId64 " iterations%s", r->settings.out_dir, LAST_FILE,
                     r->start.train.iteration,
                     r->start.train.iteration < r->settings.max_iters
                         ? ""
                         : ", all there are: to train on, raise max_iters");
    else if (r->loaded)
        progress_say(p, "starts from: the weights of %s", r->settings.init_from);
}

/* Where max_iters has moved the end of the cosine, the rate leaps. */
static void describe_rate(const run *r, progress *p) {
    const training_state *t = &r->start.train;
    if (!r->resumed || !t->has_settings) return;
    double was = learning_rate_at(&t->settings, t->iteration),
           now = learning_rate_at(&r->settings, t->iteration);
    if (was == now) return;
    progress_say(p,
                 "learning rate: %.3g now, and %.3g by the settings so far: its cosine ends at "
                 "lr_decay_iters (0: max_iters)",
                 now, was);
}

static void describe_work(const run *r, progress *p) {
    const settings *s = &r->settings;
    double tokens = (double)(s->batch_size * s->grad_accum * s->block_size);
    progress_say(p, "data: %s: %zu tokens to train on, %zu to validate on", s->data, r->corpus.train_count,
                 r->validation_count);
    if (r->other_data)
        progress_say(p, "data: not the tokens that this run has learned from so far%s",
                     r->other_validation ? "; losses on others do not compare, " BEST_FILE " begins anew"
                                         : "");
    progress_say(p, "work: %" PRId64 " iterations of %.0f tokens, %.3g times the training tokens",
                 s->max_iters, tokens, (double)s->max_iters * tokens / (double)r->corpus.train_count);
}

/* What is allocated so far: training adds little, a generated sample its cache. */
static double megabytes_so_far(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024e-6 : 0;
}

void describe_training(const run *r, progress *p) {
    describe_model(r, p);
    describe_work(r, p);
    describe_rate(r, p);
    progress_say(p, "machine: %.0f MB of memory so far, %s kernels, %d thread%s", megabytes_so_far(),
                 r->kernels->name, team_size(r->team), team_size(r->team) == 1 ? "" : "s");
}
