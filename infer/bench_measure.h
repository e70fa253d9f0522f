/* How fast a model runs, and what the machine could do in the same minutes. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H
#include "bench_figures.h"

typedef struct bench_figures {
    int rounds;
    double weight_bytes;   /* packed */
    series fma_peak;       /* floating-point operations a second */
    series read_bandwidth; /* bytes a second, of a working set as large as the packed weights */
    length_figures lengths[BENCH_LENGTHS];
    batch_figures batches[BENCH_BATCHES];
    sawtooth_figures sawtooth;
    text_figures text;
    series start; /* seconds; empty where there is no checkpoint */
} bench_figures;

/* Rounds that measure everything in turn. `reload`: the arguments that name the model, to load it again;
 * NULL: it has no checkpoint. */
bool bench_measure(const loaded *l, const arguments *reload, int rounds, bench_figures *figures,
                   problem *why);
#endif
