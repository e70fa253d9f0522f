/* How fast a model runs at a length, and what the machine could do in the same minutes. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H
#include "loaded.h"

enum { BENCH_LENGTHS = 3 };

typedef struct length_figures {
    int tokens;
    double prefill_seconds; /* of so many tokens into an empty cache: what an uncached step takes */
    double decode_seconds;  /* of the last of them, the others being cached */
    double prefill_flops;
    double decode_bytes; /* read for it: packed weights, cached keys and values */
} length_figures;

typedef struct bench_figures {
    double fma_peak;       /* floating-point operations a second */
    double read_bandwidth; /* bytes a second, of a working set as large as the packed weights */
    double weight_bytes;
    length_figures lengths[BENCH_LENGTHS]; /* a quarter of the context, half, all of it */
} bench_figures;

/* Medians over rounds that measure everything in turn. */
bool bench_measure(const loaded *l, bench_figures *figures, problem *why);
#endif
