#include "loaded.h"
#include <stdio.h>
#include <string.h>

enum { MOST_KERNELS = 16 };
static const char *const type_names[] = {
    [WEIGHTS_F32] = "f32", [WEIGHTS_F16] = "f16", [WEIGHTS_INT8] = "int8", NULL};

static bool choose_kernels(const arguments *a, const kernels **chosen, problem *why) {
    const char *names[MOST_KERNELS + 1] = {"auto"};
    for (int i = 0; i + 1 < MOST_KERNELS && kernels_built(i); i++) names[i + 1] = kernels_built(i)->name;
    int choice = 0;
    if (!arguments_choice(a, "kernels", names, &choice, why)) return false;
    *chosen = kernels_named(names[choice]);
    return *chosen || bad_input(why, "--kernels %s: this processor cannot run them", names[choice]);
}

static bool choose_weights(const arguments *a, weight_type *chosen, problem *why) {
    int type = WEIGHTS_F32;
    if (!arguments_choice(a, "weights", type_names, &type, why)) return false;
    *chosen = (weight_type)type;
    return true;
}

bool runtime_open(runtime *r, const arguments *a, problem *why) {
    int64_t threads = 0;
    *r = (runtime){.team = NULL};
    if (!arguments_threads(a, &threads, why) || !choose_kernels(a, &r->kernels, why) ||
        !choose_weights(a, &r->weights, why))
        return false;
    r->team = team_open(threads ? (int)threads : physical_cores(), why);
    return r->team;
}

void runtime_close(runtime *r) {
    if (r->team) team_close(r->team);
    *r = (runtime){.team = NULL};
}

/* Numbers that are not finite have no scale. */
bool loaded_convert(loaded *l, problem *why) {
    model *m = &l->checkpoint.model;
    if (l->runtime.weights == m->type) return true;
    if (!loaded_finite(l, why) || !model_narrow(m, l->runtime.weights, why)) return false;
    model_pack(m, alone());
    return true;
}

bool loaded_open(loaded *l, const arguments *a, problem *why) {
    *l = (loaded){.path = ""};
    if (a->positional_count < 1)
        return bad_input(why, "no model: expected a checkpoint (.npz) or a run directory");
    if (!runtime_open(&l->runtime, a, why)) return false;
    if (checkpoint_path(a->positionals[0], l->path, sizeof l->path, why) &&
        checkpoint_read(&l->checkpoint, l->path, false, why) && loaded_convert(l, why))
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
    snprintf(text, size,
             "%d layer%s, %d head%s, %d wide, context %d, vocabulary %d; %s weights, %s, %d thread%s",
             s->n_layer, plural(s->n_layer), s->n_head, plural(s->n_head), s->n_embd, s->block_size,
             s->vocab_size, type_names[m->type], r->kernels->name, threads, plural(threads));
}
