#include "series.h"
#include <math.h>
#include <stdlib.h>

void series_add(series *s, double value) {
    s->values[s->count++] = value;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double series_median(const series *s) {
    series sorted = *s;
    if (s->count == 0) return NAN;
    qsort(sorted.values, (size_t)sorted.count, sizeof *sorted.values, by_size);
    return sorted.values[sorted.count / 2];
}
