/* Checkpoints: an .npz, which is a ZIP of deflate-compressed .npy arrays, so that numpy reads it with no code
 * of ours. Members: meta.json, <parameter>.npy, and in resumable checkpoints adamw.m/<parameter>.npy and
 * adamw.v/<parameter>.npy. Weights may be float16 or bytes with scales (<parameter>.scale.npy): such
 * checkpoints are for inference alone. The format is described in full at the top of checkpoint.c. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H
#include "file.h"
#include "model.h"
#include "settings.h"
#include "token_sum.h"
#include "tokenizer.h"

typedef struct training_state {
    bool present; /* meta.json has a "train" object */
    bool has_settings;
    settings settings; /* the run's effective settings, where meta.json has them */
    int64_t iteration; /* updates made */
    uint64_t seed;
    bool has_data;
    token_sum training_data, validation_data; /* what the run learns from, where meta.json has it */
    double best_loss;                         /* lowest validation loss so far; infinity: none yet */
} training_state;

typedef struct checkpoint {
    model model; /* model_prepare is the next step to run it */
    tokenizer tokenizer;
    training_state train;
    float *adamw_m, *adamw_v; /* blocks laid out as model.table says; NULL without optimizer state */
} checkpoint;

/* What to write; nothing here is owned. adamw_m and adamw_v both NULL: weights only. */
typedef struct checkpoint_view {
    const shape *shape;
    const parameter_table *table;
    const float *block, *adamw_m, *adamw_v;
    const tokenizer *tokenizer;
    const training_state *train; /* NULL: no "train" object */
    weight_type type;            /* of the matrices: the block holds what its narrow numbers stand for */
    const float *scales;         /* int8: a model's scales */
} checkpoint_view;

/* Writes atomically and durably (file.h): whatever happens, the file at `path` is the previous one or the new
 * one, and whole. All threads of the team compress; NULL: the caller alone. The same view gives the same
 * bytes with any team. */
bool checkpoint_write(const char *path, const checkpoint_view *view, team *t, problem *why);

/* The first half of it: the view is then in a file of its own, and may change. The other half,
 * replacement_finish(r, true, why), waits for the disk and may be left to another thread. */
bool checkpoint_prepare(replacement *r, const char *path, const checkpoint_view *view, team *t, problem *why);

/* Reads and verifies: format, version, and every member's name, shape, type and CRC against the model's own
 * table before anything of the declared size is allocated. Refuses (bad input) with the file's and the
 * member's name. want_optimizer: also read the AdamW state (refused when it is absent, and with it narrow
 * weights). Close with checkpoint_close. */
bool checkpoint_read(checkpoint *c, const char *path, bool want_optimizer, problem *why);
void checkpoint_close(checkpoint *c);

/* Refuses narrow weights of the checkpoint at `path`: training goes on with the numbers it had. */
bool checkpoint_trainable(weight_type type, const char *path, problem *why);

/* In a run directory: the weights with the lowest validation loss, and everything needed to go on. */
#define BEST_FILE "best.npz"
#define LAST_FILE "last.npz"

/* The file that MODEL names on a command line: `name` itself, or, when it is a directory, its best.npz. */
bool checkpoint_path(const char *name, char *path, size_t size, problem *why);
#endif
