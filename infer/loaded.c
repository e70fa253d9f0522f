#include "loaded.h"
#include "file.h"
#include "narrow.h"
#include "resources.h"
#include <stdio.h>
#include <string.h>

enum { MOST_KERNELS = 16 };

static bool choose_kernels(const arguments *a, const kernels **chosen, problem *why) {
    const char *names[MOST_KERNELS + 1] = {"auto"};
    for (int i = 0; i + 1 < MOST_KERNELS && kernels_built(i); i++) names[i + 1] = kernels_built(i)->name;
    int choice = 0;
    if (!arguments_choice(a, "kernels", names, &choice, why)) return false;
    *chosen = kernels_named(names[choice]);
    return *chosen || bad_input(why, "--kernels %s: this processor cannot run them", names[choice]);
}

static bool choose_cache(const arguments *a, cache_type *chosen, problem *why) {
    int choice = CACHE_F32;
    if (!arguments_choice(a, "cache", cache_names, &choice, why)) return false;
    *chosen = (cache_type)choice;
    return true;
}

static bool choose_weights(const arguments *a, runtime *r, problem *why) {
    int type = WEIGHTS_F32;
    if (!arguments_choice(a, "weights", weight_names, &type, why)) return false;
    r->weights = (weight_type)type;
    r->weights_given = arguments_value(a, "weights");
    return true;
}

bool runtime_open(runtime *r, const arguments *a, problem *why) {
    int64_t threads = 0;
    *r = (runtime){.team = NULL};
    if (!arguments_threads(a, &threads, why) || !choose_kernels(a, &r->kernels, why) ||
        !choose_cache(a, &r->cache, why) || !choose_weights(a, r, why))
        return false;
    r->team = team_open(threads ? (int)threads : physical_cores(), why);
    return r->team;
}

static void runtime_close(runtime *r) {
    if (r->team) team_close(r->team);
    *r = (runtime){.team = NULL};
}

/* Narrow weights stay as they are: to make others of them would round twice. */
static bool settle_weights(loaded *l, problem *why) {
    runtime *r = &l->runtime;
    l->stored = l->checkpoint.model.type;
    if (!r->weights_given) r->weights = l->stored;
    return l->stored == WEIGHTS_F32 || r->weights == l->stored ||
           bad_input(why, "--weights %s: %s holds %s weights", weight_names[r->weights], l->path,
                     weight_names[l->stored]);
}

bool loaded_narrows(const loaded *l) {
    return l->runtime.weights != l->stored;
}

static void round_weights(void *m, member me) {
    model_round(m, me);
}

/* Numbers that are not finite have no scale; large ones may have no half. */
static bool narrow(loaded *l, problem *why) {
    model *m = &l->checkpoint.model;
    if (!loaded_finite(l, why) || !model_set_type(m, l->runtime.weights, why)) return false;
    team_run(l->runtime.team, round_weights, m);
    const parameter *bad = parameters_not_finite(&m->table, m->block);
    return !bad || bad_input(why, "%s: %s holds a number too large for %s weights", l->path, bad->name,
                             weight_names[m->type]);
}

bool loaded_convert(loaded *l, problem *why) {
    l->checkpoint.model.cache_type = l->runtime.cache;
    return !loaded_narrows(l) || narrow(l, why);
}

bool loaded_prepare(loaded *l, problem *why) {
    return model_prepare(&l->checkpoint.model, false, l->runtime.team, why);
}

/* A run that was stopped before its first evaluation has a last.npz alone. */
static bool has_best(const char *run, const char *best, problem *why) {
    char last[sizeof((loaded *)0)->path];
    int length = snprintf(last, sizeof last, "%s/" LAST_FILE, run);
    if (!file_is_directory(run) || file_exists(best) || length >= (int)sizeof last || !file_exists(last))
        return true;
    return bad_input(why, "%s: not there: the run was not evaluated yet; %s is what it has", best, last);
}

bool loaded_read(loaded *l, const arguments *a, problem *why) {
    *l = (loaded){.path = ""};
    if (a->positional_count < 1 || !*a->positionals[0])
        return bad_input(why, "no model: expected a checkpoint (.npz) or a run directory");
    if (!runtime_open(&l->runtime, a, why)) return false;
    if (checkpoint_path(a->positionals[0], l->path, sizeof l->path, why) &&
        has_best(a->positionals[0], l->path, why) && checkpoint_read(&l->checkpoint, l->path, false, why) &&
        settle_weights(l, why))
        return true;
    loaded_close(l);
    return false;
}

bool loaded_open(loaded *l, const arguments *a, problem *why) {
    if (!loaded_read(l, a, why)) return false;
    if ((loaded_narrows(l) || loaded_finite(l, why)) && loaded_convert(l, why) && loaded_prepare(l, why))
        return true;
    loaded_close(l);
    return false;
}

void loaded_close(loaded *l) {
    checkpoint_close(&l->checkpoint);
    runtime_close(&l->runtime);
}

bool loaded_finite(const loaded *l, problem *why) {
    const model *m = &l->checkpoint.model;
    const parameter *bad = parameters_not_finite(&m->table, m->block);
    return !bad || bad_input(why, "%s: %s holds a number that is not finite", l->path, bad->name);
}

bool loaded_engine(const loaded *l, int rows, engine *e, problem *why) {
    return engine_open(e, &l->checkpoint.model, l->runtime.kernels, l->runtime.team, rows, why);
}

static const char *plural(int n) {
    return n == 1 ? "" : "s";
}

void describe_run(const model *m, const runtime *r, char *text, size_t size) {
    const shape *s = &m->shape;
    int threads = team_size(r->team);
    snprintf(
        text, size,
        "%d layer%s, %d head%s, %d wide, context %d, vocabulary %d; %s weights, %s cache, %s, %d thread%s",
        s->n_layer, plural(s->n_layer), s->n_head, plural(s->n_head), s->n_embd, s->block_size, s->vocab_size,
        weight_names[m->type], cache_names[m->cache_type], r->kernels->name, threads, plural(threads));
}
