#include "settings.h"
#include "nearest.h"
#include "setting_type.h"
#include "team.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const orders[] = {[ORDER_RANDOM] = "random", [ORDER_SEQUENTIAL] = "sequential", NULL};
static const char *const decays[] = {[DECAY_COSINE] = "cosine", [DECAY_NONE] = "none", NULL};
static const char *const evals[] = {[EVAL_FULL] = "full", [EVAL_SAMPLED] = "sampled", NULL};

static const setting_type layers = {.kind = INTEGER, .range = {.min = 1, .max = MAX_LAYERS}};
static const setting_type heads = {.kind = INTEGER, .range = {.min = 1, .max = MAX_HEADS}};
static const setting_type width = {.kind = INTEGER, .range = {.min = 1, .max = MAX_WIDTH}};
static const setting_type context = {.kind = INTEGER, .range = {.min = 1, .max = MAX_CONTEXT}};
static const setting_type vocabulary = {.kind = INTEGER, .range = {.min = 0, .max = MAX_VOCABULARY}};
static const setting_type batch = {.kind = INTEGER, .range = {.min = 1, .max = 1 << 20}};
static const setting_type count = {.kind = INTEGER, .range = {.min = 0, .max = 1e12}};
static const setting_type interval = {.kind = INTEGER, .range = {.min = 1, .max = 1e12}};
static const setting_type workers = {.kind = INTEGER_OR_AUTO, .range = {.min = 1, .max = MAX_THREADS}};
static const setting_type seed = {.kind = SEED};
static const setting_type not_negative = {.kind = REAL, .range = {.min = 0, .max = INFINITY}};
/* In float, where a smaller one would be subnormal or zero. */
static const setting_type epsilon = {.kind = REAL, .range = {.min = 1e-37, .max = INFINITY}};
static const setting_type below_one = {.kind = REAL, .range = {.min = 0, .max = 1, .below_max = true}};
static const setting_type fraction = {.kind = REAL,
                                      .range = {.min = 0, .max = 1, .above_min = true, .below_max = true}};
static const setting_type boolean = {.kind = BOOLEAN};
static const setting_type activation = {.kind = CHOICE, .choices = activation_names};
static const setting_type order = {.kind = CHOICE, .choices = orders};
static const setting_type decay = {.kind = CHOICE, .choices = decays};
static const setting_type evaluation = {.kind = CHOICE, .choices = evals};
static const setting_type path = {.kind = TEXT, .range = {.min = 0, .max = PATH_LENGTH - 1}};
static const setting_type directory = {.kind = TEXT, .range = {.min = 1, .max = PATH_LENGTH - 1}};
static const setting_type kernel_set = {.kind = TEXT,
                                        .range = {.min = 1, .max = sizeof((settings *)0)->kernels - 1}};

#define KEY(field) #field, offsetof(settings, field)

static const setting table[] = {
    {"model", KEY(n_layer), &layers, "6", IS_SHAPE, "transformer layers"},
    {"model", KEY(n_head), &heads, "6", IS_SHAPE, "attention heads in each layer"},
    {"model", KEY(n_embd), &width, "384", IS_SHAPE, "width of the residual stream, a multiple of n_head"},
    {"model", KEY(block_size), &context, "256", IS_SHAPE, "tokens of context"},
    {"model", KEY(activation), &activation, "gelu", IS_SHAPE, "relu, gelu (by erf) or gelu_tanh (GPT-2's)"},
    {"model", KEY(qkv_bias), &boolean, "false", IS_SHAPE, "bias of queries, keys and values"},
    {"model", KEY(bias), &boolean, "false", IS_SHAPE,
     "bias of layer norms and all other layers but the head"},
    {"model", KEY(head_bias), &boolean, "false", IS_SHAPE, "bias of the head"},
    {"model", KEY(tie_weights), &boolean, "true", IS_SHAPE, "the head uses the token embedding's weights"},
    {"model", KEY(dropout), &below_one, "0", 0, "dropout of attention weights and both block outputs"},
    {"model", KEY(embd_dropout), &below_one, "0", 0, "dropout of the embeddings"},
    {"model", KEY(init_std), &not_negative, "0.02", 0, "standard deviation of the first weights"},
    {"model", KEY(scale_residual_init), &boolean, "true", 0, "residual projections: std / sqrt(2 n_layer)"},

    {"data", KEY(data), &path, "", IS_PATH | MAY_CHANGE,
     "a UTF-8 text, or a token file of 16-bit ids (.bin)"},
    {"data", KEY(val_data), &path, "", IS_PATH | MAY_CHANGE,
     "a second token file to validate on; without it, the end of data"},
    {"data", KEY(vocab), &path, "", IS_PATH | MAY_CHANGE,
     "for a token file: a UTF-8 text, one character for each id"},
    {"data", KEY(vocab_size), &vocabulary, "0", 0, "for a token file: number of ids; 0: the largest + 1"},
    {"data", KEY(val_fraction), &fraction, "0.1", 0, "the share of data, at its end, that validates"},
    {"data", KEY(data_order), &order, "random", 0, "random or sequential windows"},

    {"optimization", KEY(batch_size), &batch, "12", 0, "sequences in a micro-batch"},
    {"optimization", KEY(grad_accum), &batch, "1", 0, "micro-batches in an update"},
    {"optimization", KEY(max_iters), &count, "5000", MAY_CHANGE, "updates in the whole run"},
    {"optimization", KEY(learning_rate), &not_negative, "1e-3", 0, "highest learning rate"},
    {"optimization", KEY(min_lr), &not_negative, "1e-4", 0, "learning rate at the end of the cosine"},
    {"optimization", KEY(warmup_iters), &count, "100", 0, "updates of linear warm-up"},
    {"optimization", KEY(lr_decay_iters), &count, "0", MAY_CHANGE, "end of the cosine; 0: max_iters"},
    {"optimization", KEY(decay), &decay, "cosine", 0, "cosine, or none: constant after the warm-up"},
    {"optimization", KEY(beta1), &below_one, "0.9", 0, "AdamW's decay of the mean gradient"},
    {"optimization", KEY(beta2), &below_one, "0.99", 0, "AdamW's decay of the mean squared gradient"},
    {"optimization", KEY(eps), &epsilon, "1e-8", 0, "AdamW's epsilon"},
    {"optimization", KEY(weight_decay), &not_negative, "0.1", 0, "AdamW's weight decay"},
    {"optimization", KEY(decay_all), &boolean, "false", 0, "decay every parameter, not the matrices alone"},
    {"optimization", KEY(grad_clip), &not_negative, "1", 0, "largest norm of the gradient; 0: no limit"},

    {"run", KEY(out_dir), &directory, "out", IS_PATH, "where the run is kept"},
    {"run", KEY(init_from), &path, "", IS_PATH, "a checkpoint to start from, or a run: its best.npz"},
    {"run", KEY(seed), &seed, "1337", 0, "of every random number"},
    {"run", KEY(eval), &evaluation, "full", MAY_CHANGE, "full: exact, all validation windows; or sampled"},
    {"run", KEY(eval_interval), &interval, "250", MAY_CHANGE, "updates between evaluations"},
    {"run", KEY(eval_iters), &interval, "200", MAY_CHANGE, "batches of a sampled evaluation"},
    {"run", KEY(save_interval), &count, "0", MAY_CHANGE, "updates between checkpoints; 0: eval_interval"},
    {"run", KEY(log_interval), &interval, "10", MAY_CHANGE, "updates between rows of metrics.csv"},
    {"run", KEY(sample_tokens), &count, "0", MAY_CHANGE, "generated tokens to show at each evaluation"},
    {"run", KEY(threads), &workers, "auto", MAY_CHANGE, "threads; auto: the physical cores"},
    {"run", KEY(kernels), &kernel_set, "auto", MAY_CHANGE,
     "auto, avx512, avx2, neon, plain; openblas (not bit for bit)"},
};

_Static_assert(sizeof((settings *)0)->decay == sizeof(int), "setting_type.c stores an enum as an int");

enum { ROWS = sizeof table / sizeof *table };
_Static_assert(ROWS <= 64, "settings_given has a bit for each row");

const setting *settings_at(size_t i) {
    return i < ROWS ? &table[i] : NULL;
}

const setting *settings_find(const char *key) {
    for (size_t i = 0; i < ROWS; i++)
        if (!strcmp(key, table[i].key)) return &table[i];
    return NULL;
}

static bool unknown(const char *key, const char *source, problem *why) {
    nearest best = {.word = key};
    for (size_t i = 0; i < ROWS; i++) nearest_try(&best, table[i].key);
    return bad_input(why, "%s: unknown key \"%.80s\"; the nearest is %s", source, key, best.found);
}

bool settings_set(settings *s, settings_given *given, const char *key, const char *value, const char *source,
                  problem *why) {
    const setting *r = settings_find(key);
    if (!r) return unknown(key, source, why);
    char name[PATH_LENGTH];
    snprintf(name, sizeof name, "%s: %s", source, key);
    if (!setting_read(r->type, (char *)s + r->offset, value, name, why)) return false;
    if (given) given->bits |= UINT64_C(1) << (r - table);
    return true;
}

bool settings_was_given(const settings_given *given, const char *key) {
    const setting *r = settings_find(key);
    return r && given->bits >> (r - table) & 1;
}

void settings_default(settings *s) {
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < ROWS; i++) {
        problem why;
        bool stored = settings_set(s, NULL, table[i].key, table[i].initial, "default", &why);
        assert(stored);
        (void)stored;
    }
}

void settings_value(const settings *s, const setting *row, char *value, size_t size) {
    setting_write(row->type, (const char *)s + row->offset, value, size);
}
