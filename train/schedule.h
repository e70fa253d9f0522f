/* The learning rate of each iteration. */
#ifndef SCHEDULE_H
#define SCHEDULE_H
#include "settings.h"

/* Linear warm-up to learning_rate; then constant (decay = none), or a cosine down to min_lr at lr_decay_iters
 * (0: max_iters) and min_lr after it: nanoGPT's get_lr. Any warm-up or decay may be longer than the run. */
double learning_rate_at(const settings *s, int64_t iteration);
#endif
