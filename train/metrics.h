/* metrics.csv: how a run went, one row each log_interval and each evaluation. */
#ifndef METRICS_H
#define METRICS_H
#include "file.h"
#include "settings.h"

typedef struct metrics_row {
    int64_t iteration, tokens;        /* updates made before, and the tokens they learned from */
    double train_loss, val_loss;      /* of these weights: batch `iteration`, and the validation split */
    double learning_rate, grad_norm;  /* of the update that follows; the norm before clipping */
    double tokens_per_second, gflops; /* since the row before, without evaluation and saving */
} metrics_row;                        /* NaN: not known, an empty field */

typedef struct metrics {
    file file;
    char path[PATH_LENGTH];
    uint64_t length; /* bytes of the file that are whole rows */
    char *pending;   /* rows that a full disk has not taken yet */
    size_t pending_length, capacity;
} metrics;

/* Opens out_dir/metrics.csv for rows of `iteration` and later: rows from there on, which an earlier run has
 * left, are dropped, atomically. */
bool metrics_open(metrics *m, const char *out_dir, int64_t iteration, problem *why);

/* Appends a row. After a failure the row is kept and written together with the next one. */
bool metrics_append(metrics *m, const metrics_row *row, problem *why);

/* Writes what is pending and waits until the disk has it all. */
bool metrics_sync(metrics *m, problem *why);
void metrics_close(metrics *m);
#endif
