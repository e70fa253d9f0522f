#include "window_rules.h"
#include "evaluate.h"
#include "generate.h"

typedef struct rule {
    const window_trial *trial;
    int keep;
} rule;

static size_t context_of(const window_trial *t) {
    return (size_t)t->engine->model->shape.block_size;
}

static size_t end_of(const window_trial *t) {
    return context_of(t) + t->predicted;
}

/* The i-th window, as a teacher would force it: the first predicts only the token after the first context,
 * each one after it starts from the `keep` tokens of its rebuild. */
static window nth_window(const void *context, size_t i) {
    const rule *r = context;
    size_t length = context_of(r->trial), start = i * (length - (size_t)r->keep + 1);
    size_t left = end_of(r->trial) - 1 - start, count = left < length ? left : length;
    return (window){r->trial->tokens + start, (int)count, i == 0 ? (int)length - 1 : r->keep - 1};
}

bool window_loss(const window_trial *t, int keep, double *loss, problem *why) {
    rule r = {t, keep};
    size_t step = context_of(t) - (size_t)keep + 1;
    size_t last = window_start(end_of(t) - 1, (int)context_of(t), keep);
    return evaluate_windows(t->engine, &(window_list){last / step + 1, nth_window, &r}, NULL, NULL, loss,
                            why);
}

bool window_generate(const window_trial *t, int keep, bool use_cache, int32_t *tokens,
                     double *tokens_per_second, problem *why) {
    generation g = {.prompt = t->tokens,
                    .prompt_count = context_of(t),
                    .new_tokens = t->generated,
                    .samples = 1,
                    .keep = keep,
                    .use_cache = use_cache,
                    .sampling = {.temperature = 0, .top_p = 1}};
    generation_stats stats;
    if (!generate(t->engine, &g, tokens, &stats, why)) return false;
    /* A single token comes with the prompt. */
    bool decodes = stats.decode_tokens > 0;
    double made = decodes ? (double)stats.decode_tokens : 1,
           seconds = decodes ? stats.decode_seconds : stats.prefill_seconds;
    *tokens_per_second = made / (seconds > 0 ? seconds : 1);
    return true;
}
