/* Every setting of a training run, and the one table that drives config files, --key=value, --help,
 * validation and meta.json. */
#ifndef SETTINGS_H
#define SETTINGS_H
#include "shape.h"

enum { PATH_LENGTH = 1024 };

typedef struct settings {
    /* model */
    int64_t n_layer, n_head, n_embd, block_size;
    activation_kind activation;
    bool qkv_bias, bias, head_bias, tie_weights;
    double dropout, embd_dropout, init_std;
    bool scale_residual_init;
    /* data */
    char data[PATH_LENGTH], val_data[PATH_LENGTH], vocab[PATH_LENGTH];
    int64_t vocab_size;
    double val_fraction;
    enum { ORDER_RANDOM, ORDER_SEQUENTIAL } data_order;
    /* optimization */
    int64_t batch_size, grad_accum, max_iters;
    double learning_rate, min_lr;
    int64_t warmup_iters, lr_decay_iters;
    enum { DECAY_COSINE, DECAY_NONE } decay;
    double beta1, beta2, eps, weight_decay;
    bool decay_all;
    double grad_clip;
    /* run */
    char out_dir[PATH_LENGTH], init_from[PATH_LENGTH];
    uint64_t seed;
    enum { EVAL_FULL, EVAL_SAMPLED } eval;
    int64_t eval_interval, eval_iters, save_interval, log_interval, sample_tokens;
    int64_t threads;  /* 0: auto */
    char kernels[16]; /* "auto" or a kernel set's name */
} settings;

/* One bit for each row of the table that was given explicitly (file or command line). */
typedef struct settings_given {
    uint64_t bits;
} settings_given;

void settings_default(settings *s);

/* Sets one key from its text. `source` names where it stands ("quick.conf line 3", "--n_layer"). An unknown
 * key names the nearest one; a bad value says what was expected. `given` may be NULL. */
bool settings_set(settings *s, settings_given *given, const char *key, const char *value, const char *source,
                  problem *why);
bool settings_was_given(const settings_given *given, const char *key);

/* Reads `key = value` lines with comments after # (or ;). The same key twice in one file is refused. */
bool settings_read(settings *s, settings_given *given, const char *path, problem *why);

/* What single values cannot show: n_embd against n_head, `data` present, products that overflow. */
bool settings_check(const settings *s, problem *why);

/* A row of the table. */
typedef struct setting {
    const char *group, *key;
    size_t offset; /* in settings */
    const struct setting_type *type;
    const char *initial; /* the default, as settings_set reads it */
    enum {
        IS_SHAPE = 1,   /* it is a part of the model's shape, which init_from can supply */
        MAY_CHANGE = 2, /* when a run is resumed */
        IS_PATH = 4     /* it names a file, which may move: what it holds is what matters */
    } flags;
    const char *help; /* one line */
} setting;

/* Row i, NULL past the last; and the row of a key, NULL where there is none. */
const setting *settings_at(size_t i);
const setting *settings_find(const char *key);

/* A row's value as text, exactly as settings_set reads it back: doubles with as few digits as give the same
 * double. */
void settings_value(const settings *s, const setting *row, char *value, size_t size);

/* Shape of the model that these settings ask for, and back. */
shape settings_shape(const settings *s, int vocab_size);
void settings_from_shape(settings *s, const shape *model);

/* Writes all settings as a config file to `text` (release()): what config.conf holds and
 * --print-config shows. */
char *settings_text(const settings *s, problem *why);
#endif
