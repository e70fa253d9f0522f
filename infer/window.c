/* sawtooth-infer window: what the sawtooth costs against crop-and-recompute, keep by keep. */
#include "command.h"
#include "evaluate.h"
#include "json.h"
#include "loaded.h"
#include "memory.h"
#include "text.h"
#include "window_rules.h"
#include <stdio.h>

static const option options[] = {
    {"text", 0, "FILE", "held-out text (or token file, .bin)"},
    {"split", 0, "PART",
     "val: its last tenth, or as trained (default); train; all (default if val_data was given)"},
    {"count", 'n', "N", "tokens to predict (default: what takes about half a minute)"},
    {"json", 0, NULL, "print JSON instead of a table"},
    {NULL, 0, NULL, NULL},
};

enum { EIGHTHS = 8, MOST_RULES = EIGHTHS };

typedef struct rule {
    int keep;
    bool crop; /* recompute the window at each step: what the others are compared with */
    double loss, tokens_per_second;
    size_t same; /* generated tokens before the first that differs from crop-and-recompute's */
} rule;

typedef struct table {
    const char *path, *split;
    window_trial trial;
    rule rules[MOST_RULES];
    int count;
} table;

/* Crop-and-recompute, then keep = 1/8 .. 7/8 of the context, where these are different numbers. */
static void list_rules(table *t, int context) {
    t->rules[t->count++] = (rule){.keep = context, .crop = true};
    for (int i = 1; i < EIGHTHS; i++) {
        int keep = (int)((int64_t)context * i / EIGHTHS);
        if (keep > 0 && (t->count == 1 || keep > t->rules[t->count - 1].keep))
            t->rules[t->count++] = (rule){.keep = keep};
    }
}

static size_t same_tokens(const int32_t *a, const int32_t *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i;
}

static bool measure(table *t, problem *why) {
    size_t n = t->trial.generated;
    int32_t *cropped = allocate(n, sizeof *cropped, "generated tokens", why);
    int32_t *tokens = cropped ? allocate(n, sizeof *tokens, "generated tokens", why) : NULL;
    bool ok = tokens;
    for (int i = 0; ok && i < t->count; i++) {
        rule *r = &t->rules[i];
        fprintf(stderr, "keep %d ...\n", r->keep);
        ok = window_loss(&t->trial, r->keep, &r->loss, why) &&
             window_generate(&t->trial, r->keep, !r->crop, r->crop ? cropped : tokens, &r->tokens_per_second,
                             why);
        r->same = ok && !r->crop ? same_tokens(cropped, tokens, n) : n;
    }
    release(tokens);
    release(cropped);
    return ok;
}

static void print_table(const table *t) {
    printf("%s, %s: %zu token%s predicted and %zu generated (greedy) after the first context\n\n", t->path,
           t->split, t->trial.predicted, t->trial.predicted == 1 ? "" : "s", t->trial.generated);
    printf("%-24s %9s %13s %17s %10s\n", "keep", "loss", "against crop", "first difference", "tokens/s");
    for (int i = 0; i < t->count; i++) {
        const rule *r = &t->rules[i];
        char keep[32], first[32] = "none";
        snprintf(keep, sizeof keep, r->crop ? "%d (crop-and-recompute)" : "%d", r->keep);
        if (r->same < t->trial.generated) snprintf(first, sizeof first, "%zu", r->same);
        printf("%-24s %9.5f %+13.5f %17s %10.0f\n", keep, r->loss, r->loss - t->rules[0].loss, first,
               r->tokens_per_second);
    }
}

static void write_rule(json *j, const rule *r, size_t generated) {
    json_open(j, NULL, '{');
    json_number(j, "keep", r->keep);
    json_bool(j, "crop_and_recompute", r->crop);
    json_number(j, "loss", r->loss);
    json_bool(j, "differs", r->same < generated);
    json_number(j, "same_tokens", (double)r->same);
    json_number(j, "tokens_per_second", r->tokens_per_second);
    json_close(j, '}');
}

static void write_json(const table *t) {
    json j = {.begun = false};
    json_open(&j, NULL, '{');
    json_text(&j, "text", t->path);
    json_text(&j, "split", t->split);
    json_number(&j, "predicted", (double)t->trial.predicted);
    json_number(&j, "generated", (double)t->trial.generated);
    json_open(&j, "rules", '[');
    for (int i = 0; i < t->count; i++) write_rule(&j, &t->rules[i], t->trial.generated);
    json_close(&j, ']');
    json_close(&j, '}');
    putchar('\n');
}

/* Crop-and-recompute runs a whole context for each token: so many tokens that it takes about half a
 * minute. */
static size_t affordable(const model *m) {
    enum { LEAST = 64, MOST = 20000 };
    double work = 2 * (double)m->table.elements * m->shape.block_size, tokens = 6e12 / work;
    return tokens < LEAST ? LEAST : tokens > MOST ? MOST : (size_t)tokens;
}

static bool plan(table *t, const arguments *a, const model *m, const text *held_out, problem *why) {
    size_t context = (size_t)m->shape.block_size, left = held_out->count - context, most = affordable(m);
    int64_t count = (int64_t)(left < most ? left : most);
    if (!arguments_integer(a, "count", 1, (int64_t)left, &count, why)) return false;
    t->trial.tokens = held_out->tokens;
    t->trial.predicted = (size_t)count;
    t->trial.generated = (size_t)count < 2 * context ? (size_t)count : 2 * context;
    list_rules(t, m->shape.block_size);
    return true;
}

static bool show(table *t, const loaded *l, bool as_json, problem *why) {
    engine e;
    if (!loaded_engine(l, evaluation_rows(&l->checkpoint.model.shape), &e, why)) return false;
    t->trial.engine = &e;
    bool ok = measure(t, why);
    engine_close(&e);
    if (ok) (as_json ? write_json : print_table)(t);
    return ok;
}

static bool run(const arguments *a, problem *why) {
    table t = {.path = arguments_value(a, "text")};
    text_split split;
    loaded l;
    text held_out;
    if (!t.path) return bad_input(why, "no --text: expected held-out text");
    if (!loaded_open(&l, a, why)) return false;
    const model *m = &l.checkpoint.model;
    bool ok = text_split_of(a, &l.checkpoint, &split, why) &&
              text_open(&held_out, t.path, split, &l.checkpoint, (size_t)m->shape.block_size + 1, why);
    if (ok) {
        t.split = text_splits[split];
        ok = plan(&t, a, m, &held_out, why) && show(&t, &l, arguments_value(a, "json"), why);
        text_close(&held_out);
    }
    loaded_close(&l);
    return ok;
}

const command window_command = {
    .name = "window",
    .usage = "MODEL --text FILE [--split val|train|all] [-n N] [--json]",
    .summary = "Shows what the sawtooth costs against crop-and-recompute",
    .options = options,
    .run = run,
};
