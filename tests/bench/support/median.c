#include "median.h"
#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

int rounds_from(const char *text) {
    char *end;
    long rounds = strtol(text, &end, 10);
    return end == text || *end || rounds < 1 || rounds > MOST_ROUNDS ? 0 : (int)rounds;
}
