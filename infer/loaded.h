/* A model with the threads and kernels to run it: what every command opens first. */
#ifndef LOADED_H
#define LOADED_H
#include "arguments.h"
#include "checkpoint.h"
#include "engine.h"

/* --threads, --kernels, --cache and --weights. */
typedef struct runtime {
    const kernels *kernels;
    cache_type cache;
    weight_type weights;
    bool weights_given; /* else: as the model holds them */
    team *team;
} runtime;

bool runtime_open(runtime *r, const arguments *a, problem *why); /* loaded_close closes it */

typedef struct loaded {
    char path[4096];
    checkpoint checkpoint;
    weight_type stored; /* of the file's weights; the model's are what --weights says */
    runtime runtime;
} loaded;

/* Reads the model that the command's positional names. */
bool loaded_open(loaded *l, const arguments *a, problem *why);
void loaded_close(loaded *l);

/* The three steps of it: the model as the file has it, with a cache of floats; what --weights (nothing new
 * unless loaded_narrows) and --cache make of it; and that ready to run. */
bool loaded_read(loaded *l, const arguments *a, problem *why);
bool loaded_convert(loaded *l, problem *why);
bool loaded_prepare(loaded *l, problem *why);
bool loaded_narrows(const loaded *l);

/* Refuses weights that are not finite, naming the tensor: no text comes of them, and no proof. */
bool loaded_finite(const loaded *l, problem *why);

/* An engine for `rows` rows at a time on the loaded model. */
bool loaded_engine(const loaded *l, int rows, engine *e, problem *why);

/* "4 layers, 4 heads, 128 wide, context 64, vocabulary 65; f32 weights, f32 cache, avx512, 2 threads" */
void describe_run(const model *m, const runtime *r, char *text, size_t size);
#endif
