#include "evaluate.h"
#include "memory.h"
#include <assert.h>
#include <string.h>

/* Windows that go through the model together. One layer's cache serves all layers, since each layer's keys
 * are used at once. */
typedef struct group {
    engine *engine;
    int windows; /* at most */
    kv_cache *caches;
    sequence_rows *rows;
    int32_t *targets;
    double *losses;
} group;

static bool open_caches(group *g, problem *why) {
    for (int i = 0; i < g->windows; i++)
        if (!cache_open(&g->caches[i], &g->engine->model->shape, g->engine->model->cache_type, 1, why))
            return false;
    return true;
}

static bool group_open(group *g, engine *e, size_t windows, problem *why) {
    int fit = e->max_rows / e->model->shape.block_size;
    assert(fit > 0);
    *g = (group){.engine = e, .windows = windows < (size_t)fit ? (int)windows : fit};
    size_t n = (size_t)g->windows, tokens = n * (size_t)e->model->shape.block_size;
    return (g->caches = allocate(n, sizeof *g->caches, "evaluation", why)) &&
           (g->rows = allocate(n, sizeof *g->rows, "evaluation", why)) &&
           (g->targets = allocate(tokens, sizeof *g->targets, "evaluation", why)) &&
           (g->losses = allocate(tokens, sizeof *g->losses, "evaluation", why)) && open_caches(g, why);
}

static void group_close(group *g) {
    for (int i = 0; g->caches && i < g->windows; i++) cache_close(&g->caches[i]);
    release(g->caches);
    release(g->rows);
    release(g->targets);
    release(g->losses);
}

/* Adds the losses of windows first.. of the list, as many as a group takes; returns how many count. */
static size_t run_group(group *g, const window_list *list, size_t first, double *sum) {
    size_t left = list->count - first, counted = 0;
    int windows = left < (size_t)g->windows ? (int)left : g->windows, rows = 0;
    for (int i = 0; i < windows; rows += g->rows[i++].count) {
        window w = list->at(list->context, first + (size_t)i);
        g->rows[i] = (sequence_rows){w.tokens, w.count, 0, &g->caches[i]};
        memcpy(g->targets + rows, w.tokens + 1, (size_t)w.count * sizeof *g->targets);
    }
    engine_losses(g->engine, windows, g->rows, g->targets, g->losses);
    const double *losses = g->losses;
    for (int i = 0; i < windows; losses += g->rows[i++].count)
        for (int r = list->at(list->context, first + (size_t)i).skip; r < g->rows[i].count; r++, counted++)
            *sum += losses[r];
    return counted;
}

static bool run_all(group *g, const window_list *list, evaluate_stop stop, void *context, double *loss) {
    double sum = 0;
    size_t counted = 0;
    for (size_t done = 0; done < list->count; done += (size_t)g->windows) {
        if (stop && stop(context, (double)done / (double)list->count)) return false;
        counted += run_group(g, list, done, &sum);
    }
    *loss = sum / (double)counted;
    return true;
}

bool evaluate_windows(engine *e, const window_list *windows, evaluate_stop stop, void *context, double *loss,
                      problem *why) {
    group g;
    bool fine = group_open(&g, e, windows->count, why) && run_all(&g, windows, stop, context, loss);
    group_close(&g);
    return fine;
}

typedef struct sequence {
    const int32_t *tokens;
    size_t count;
    int length; /* of a window */
} sequence;

static window side_by_side(const void *context, size_t i) {
    const sequence *s = context;
    size_t start = i * (size_t)s->length, left = s->count - 1 - start;
    return (window){s->tokens + start, left < (size_t)s->length ? (int)left : s->length, 0};
}

bool evaluate_exact(engine *e, const int32_t *tokens, size_t count, evaluate_stop stop, void *context,
                    double *loss, problem *why) {
    sequence s = {tokens, count, e->model->shape.block_size};
    size_t windows = (count - 2) / (size_t)s.length + 1;
    window_list list = {windows, side_by_side, &s};
    return evaluate_windows(e, &list, stop, context, loss, why);
}
