#include "nearest.h"
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* What it takes to turn the first i bytes of a into the first j of b, where less of both is known. */
static size_t distance_at(size_t known[LONGEST + 1][LONGEST + 1], const char *a, const char *b, size_t i,
                          size_t j) {
    if (i == 0 || j == 0) return i + j;
    size_t replaced = known[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
    size_t least = smaller(replaced, smaller(known[i - 1][j], known[i][j - 1]) + 1);
    bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
    return swapped ? smaller(least, known[i - 2][j - 2] + 1) : least;
}

size_t edit_distance(const char *a, const char *b) {
    size_t known[LONGEST + 1][LONGEST + 1], rows = strnlen(a, LONGEST), cols = strnlen(b, LONGEST);
    for (size_t i = 0; i <= rows; i++)
        for (size_t j = 0; j <= cols; j++) known[i][j] = distance_at(known, a, b, i, j);
    return known[rows][cols];
}

void nearest_try(nearest *best, const char *candidate) {
    size_t distance = edit_distance(best->word, candidate);
    if (best->found && distance >= best->distance) return;
    best->found = candidate;
    best->distance = distance;
}
