#include "nearest.h"
#include <string.h>

enum { LONGEST = 64 };

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t edit_distance(const char *a, const char *b) {
    size_t length = strnlen(b, LONGEST),
           row[LONGEST + 1]; /* row[j]: from the part of a so far to b's first j bytes */
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (const char *end = a + strnlen(a, LONGEST); a < end; a++) {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < length; j++) {
            size_t replaced = diagonal + (*a != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = smaller(replaced, smaller(diagonal, row[j]) + 1);
        }
    }
    return row[length];
}

void nearest_try(nearest *best, const char *candidate) {
    size_t distance = edit_distance(best->word, candidate);
    if (best->found && distance >= best->distance) return;
    best->found = candidate;
    best->distance = distance;
}
