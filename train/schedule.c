#include "schedule.h"
#include "scalar_math.h"

static double cosine(const settings *s, int64_t iteration) {
    int64_t end = s->lr_decay_iters > 0 ? s->lr_decay_iters : s->max_iters;
    if (iteration >= end) return s->min_lr;
    double done = (double)(iteration - s->warmup_iters) / (double)(end - s->warmup_iters);
    double share = 0.5 * (1 + exact_cos_turn(0.5 * done));
    return s->min_lr + share * (s->learning_rate - s->min_lr);
}

double learning_rate_at(const settings *s, int64_t iteration) {
    if (iteration < s->warmup_iters)
        return s->learning_rate * (double)(iteration + 1) / (double)(s->warmup_iters + 1);
    return s->decay == DECAY_NONE ? s->learning_rate : cosine(s, iteration);
}
