#include "window_rules.h"
#include "generate.h"
#include "memory.h"

typedef struct loss_work {
    kv_cache cache;
    float *logits;  /* of a row that nobody asks for */
    double *losses; /* of a window's rows */
} loss_work;

static bool open_work(loss_work *w, const shape *s, problem *why) {
    *w = (loss_work){.logits = NULL};
    return cache_open(&w->cache, s, s->n_layer, why) &&
           (w->logits = allocate((size_t)padded(s->vocab_size), sizeof *w->logits, "logits", why)) &&
           (w->losses = allocate((size_t)s->block_size, sizeof *w->losses, "losses", why));
}

static void close_work(loss_work *w) {
    cache_close(&w->cache);
    release(w->logits);
    release(w->losses);
}

/* Losses of tokens from..to-1, which one window predicts: its rows up to the first of them as a rebuild runs
 * them, then the rows that follow. */
static double window_losses(const window_trial *t, loss_work *w, size_t start, size_t from, size_t to) {
    int before = (int)(from - 1 - start), count = (int)(to - from);
    sequence_rows rows = {t->tokens + start, before, 0, &w->cache};
    w->cache.length = 0;
    if (before > 0) engine_forward(t->engine, 1, &rows, LAST_ROWS, w->logits);
    rows = (sequence_rows){t->tokens + from - 1, count, before, &w->cache};
    engine_losses(t->engine, 1, &rows, t->tokens + from, w->losses);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += w->losses[i];
    return sum;
}

bool window_loss(const window_trial *t, int keep, double *loss, problem *why) {
    const shape *s = &t->engine->model->shape;
    size_t context = (size_t)s->block_size, end = context + t->predicted;
    loss_work w;
    double sum = 0;
    bool ok = open_work(&w, s, why);
    for (size_t p = context, next; ok && p < end; p = next) {
        size_t start = window_start(p, s->block_size, keep);
        next = start + context + 1 < end ? start + context + 1 : end;
        sum += window_losses(t, &w, start, p, next);
    }
    *loss = sum / (double)t->predicted;
    close_work(&w);
    return ok;
}

bool window_generate(const window_trial *t, int keep, bool use_cache, int32_t *tokens,
                     double *tokens_per_second, problem *why) {
    generation g = {.prompt = t->tokens,
                    .prompt_count = (size_t)t->engine->model->shape.block_size,
                    .new_tokens = t->generated,
                    .samples = 1,
                    .keep = keep,
                    .use_cache = use_cache,
                    .sampling = {.temperature = 0, .top_p = 1}};
    generation_stats stats;
    if (!generate(t->engine, &g, tokens, &stats, why)) return false;
    *tokens_per_second = (double)stats.decode_tokens / (stats.decode_seconds > 0 ? stats.decode_seconds : 1);
    return true;
}
