#include "sampled_evaluation.h"
#include "random.h"

enum { EVALUATION_SITE = 1 }; /* training's batches draw from site 0 of the same stream */

typedef struct sample {
    const settings *settings;
    int64_t iteration;
    const int32_t *tokens;
    size_t count;
} sample;

static window random_window(const void *context, size_t i) {
    const sample *s = context;
    random_stream stream =
        random_open(s->settings->seed, FOR_BATCH, (uint64_t)s->iteration, i, EVALUATION_SITE);
    uint64_t start = random_below(&stream, 0, s->count - (size_t)s->settings->block_size);
    return (window){s->tokens + start, (int)s->settings->block_size, 0};
}

bool evaluate_sampled(engine *e, const settings *s, int64_t iteration, const int32_t *tokens, size_t count,
                      evaluate_stop stop, void *context, double *loss, problem *why) {
    sample random = {s, iteration, tokens, count};
    window_list list = {(size_t)s->eval_iters * (size_t)s->batch_size, random_window, &random};
    return evaluate_windows(e, &list, stop, context, loss, why);
}
