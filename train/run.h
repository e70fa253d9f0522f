/* Everything a training run holds, opened in the order that refuses bad input before anything is written. */
#ifndef RUN_H
#define RUN_H
#include "batches.h"
#include "checkpoint.h"
#include "corpus.h"
#include "engine.h"
#include "learner.h"
#include "metrics.h"
#include "options.h"
#include "run_directory.h"
#include "saver.h"

typedef struct run {
    const char *program; /* as it was called */
    settings settings;   /* effective */
    bool resumed;        /* from its own last.npz */
    bool other_data;     /* than it has learned from so far; or been validated on: */
    bool other_validation;
    bool loaded;      /* from that or from init_from; false: the model is new */
    checkpoint start; /* the model, its vocabulary, and where training stands at the start */
    corpus corpus;
    int32_t *validation; /* the validation split's tokens */
    size_t validation_count;
    run_directory directory;
    const kernels *kernels;
    team *team;
    learner *learner;
    engine engine; /* evaluates, and generates samples */
    batches batches;
    saver *saver;
    metrics metrics;
} run;

/* Reads the checkpoint that the run starts from, if any, and completes the settings from it. */
bool run_settle(run *r, const options *o, problem *why);

/* Opens the rest of a settled run, and writes its first files when all else has succeeded. run_close is due
 * whether these two succeed or not. */
bool run_open(run *r, const options *o, problem *why);
void run_close(run *r);

/* False, with the message of a run that must stop: the reason, and last.npz as the last good checkpoint where
 * there is one. */
bool run_stops(const run *r, problem *why, const char *format, ...) __attribute__((format(printf, 3, 4)));
#endif
