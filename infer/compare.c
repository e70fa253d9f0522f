#include "compare.h"
#include <math.h>
#include <string.h>

static void add(comparison *c, double a, double b, bool equal) {
    bool finite = isfinite(a) && isfinite(b);
    double difference = finite ? fabs(a - b) : INFINITY;
    c->unequal += !equal || !finite;
    if (difference > c->largest) c->largest = difference;
}

void compare_bits(comparison *c, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++) add(c, (double)a[i], (double)b[i], memcmp(&a[i], &b[i], sizeof *a) == 0);
    c->values += n;
}

void compare_doubles(comparison *c, const float *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++) add(c, (double)a[i], b[i], true);
    c->values += n;
}

void compare_tokens(comparison *c, const int32_t *a, const int32_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) add(c, a[i], b[i], a[i] == b[i]);
    c->values += n;
}
