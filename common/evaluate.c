#include "evaluate.h"
#include "memory.h"
#include <string.h>

/* A group of windows goes through the model together. One layer's cache serves all layers, since
 * each layer's keys are used at once; only a window longer than the engine's rows comes in pieces,
 * and then every layer's are kept. */
typedef struct group {
    engine *engine;
    int windows, piece; /* windows a group, rows of one window a call */
    kv_cache *caches;
    sequence_rows *rows;
    int32_t *targets;
    double *losses;
} group;

static bool open_caches(group *g, problem *why) {
    const shape *s = &g->engine->model->shape;
    bool whole = g->piece == s->block_size;
    for (int i = 0; i < g->windows; i++)
        if (!cache_open(&g->caches[i], s, g->engine->model->cache, whole ? 1 : s->n_layer, why)) return false;
    return true;
}

static bool group_open(group *g, engine *e, size_t windows, problem *why) {
    int length = e->model->shape.block_size, fit = e->max_rows / length;
    *g = (group){.engine = e, .windows = 1, .piece = length < e->max_rows ? length : e->max_rows};
    if (fit > 1) g->windows = windows < (size_t)fit ? (int)windows : fit;
    size_t n = (size_t)g->windows, tokens = n * (size_t)g->piece;
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

/* Sets up rows `from`.. of window i of the group, which go with the targets at `at`; returns their number. */
static int set_rows(group *g, int i, window w, int from, int at) {
    int count = w.count - from < g->piece ? w.count - from : g->piece;
    g->caches[i].length = from;
    g->rows[i] = (sequence_rows){w.tokens + from, count, from, &g->caches[i]};
    memcpy(g->targets + at, w.tokens + from + 1, (size_t)count * sizeof *g->targets);
    return count;
}

/* Runs the group's rows and adds the losses that count; returns their number. */
static size_t add_losses(group *g, const window_list *list, size_t first, int windows, double *sum) {
    size_t counted = 0;
    const double *losses = g->losses;
    engine_losses(g->engine, windows, g->rows, g->targets, g->losses);
    for (int i = 0; i < windows; losses += g->rows[i++].count) {
        int skip = list->at(list->context, first + (size_t)i).skip - g->rows[i].position;
        for (int r = skip > 0 ? skip : 0; r < g->rows[i].count; r++, counted++) *sum += losses[r];
    }
    return counted;
}

/* Windows first.. of the list, as many as a group takes; returns how many predictions were counted. */
static size_t run_group(group *g, const window_list *list, size_t first, double *sum) {
    size_t left = list->count - first, counted = 0;
    int windows = left < (size_t)g->windows ? (int)left : g->windows;
    window w = list->at(list->context, first);
    for (int from = 0; from < w.count; from += g->piece) {
        int rows = 0;
        for (int i = 0; i < windows; i++)
            rows += set_rows(g, i, list->at(list->context, first + (size_t)i), from, rows);
        counted += add_losses(g, list, first, windows, sum);
    }
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
