/* What one quantity was in each round of a measurement. Machines are noisy: the median counts. */
#ifndef SERIES_H
#define SERIES_H

enum { MOST_ROUNDS = 99 };

typedef struct series {
    int count;
    double values[MOST_ROUNDS];
} series;

void series_add(series *s, double value);

/* NaN where nothing was measured. */
double series_median(const series *s);
#endif
