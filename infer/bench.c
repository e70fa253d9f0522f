/* sawtooth-infer bench: speed against what the machine can do, measured in the same run. */
#include "bench_report.h"
#include "command.h"
#include "named_shape.h"
#include <stdio.h>

static const option options[] = {
    {"shape", 0, "NAME",
     "random weights instead of a model: gpt2-124m, gpt2-355m, gpt2-774m, gpt2-1558m, nanogpt-10m"},
    {"rounds", 0, "N", "measure everything in turn so many times, and take medians (default: 5)"},
    {"json", 0, NULL, "print JSON instead of tables"},
    {NULL, 0, NULL, NULL},
};

/* Random weights of a named shape, as training would start from. */
static bool open_shape(loaded *l, const arguments *a, problem *why) {
    int i = 0;
    *l = (loaded){.path = ""};
    if (!arguments_choice(a, "shape", shape_names, &i, why)) return false;
    shape s = named_shape(i);
    if (a->positional_count > 0) return bad_input(why, "a model and --shape exclude each other");
    if (!runtime_open(&l->runtime, a, why)) return false;
    snprintf(l->path, sizeof l->path, "%s", shape_names[i]);
    model *m = &l->checkpoint.model;
    if (model_open(m, &s, why)) {
        model_init(m, 1, 0.02, true);
        if (loaded_convert(l, why) && loaded_prepare(l, why)) return true;
    }
    loaded_close(l);
    return false;
}

static bool open_model(loaded *l, const arguments *a, problem *why) {
    if (a->positional_count < 1)
        return bad_input(why, "no model: expected a checkpoint (.npz), a run directory or --shape NAME");
    return loaded_open(l, a, why);
}

static bool run(const arguments *a, problem *why) {
    loaded l = {.path = ""};
    bench_figures f;
    char description[256];
    int64_t rounds = 5;
    bool named = arguments_value(a, "shape");
    if (!arguments_integer(a, "rounds", 1, MOST_ROUNDS, &rounds, why) ||
        !(named ? open_shape : open_model)(&l, a, why))
        return false;
    describe_run(&l.checkpoint.model, &l.runtime, description, sizeof description);
    bool ok = bench_measure(&l, named ? NULL : a, (int)rounds, &f, why);
    if (ok) (arguments_value(a, "json") ? bench_write_json : bench_print_tables)(&f, l.path, description);
    loaded_close(&l);
    return ok;
}

const command bench_command = {
    .name = "bench",
    .usage = "MODEL | --shape NAME [--rounds N] [--json]",
    .summary = "Measures prefill, decoding and whole texts against the machine's peak and bandwidth",
    .options = options,
    .run = run,
};
