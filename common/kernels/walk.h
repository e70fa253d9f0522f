/* Where a tile's operands are read, step by step; distances in bytes. Lines (a row of the left operand, a
 * panel of the right one) are reached from every fourth one, and steps from every few, in addresses that the
 * processor adds up itself: integer work would take turns from the multiply-adds. */
#ifndef WALK_H
#define WALK_H
#include "simd16.h"
#include <stddef.h>

enum { LINES_TOGETHER = 4, MOST_LINES = 8 };

typedef struct lines {
    const char *fourth[MOST_LINES / LINES_TOGETHER];
    size_t apart, three_apart, step;
} lines;

typedef struct walk {
    lines rows, panels;
} walk;

INLINE lines lines_from(const int n, const void *first, size_t apart, size_t step) {
    lines l = {.apart = apart, .three_apart = 3 * apart, .step = step};
    for (int g = 0; g * LINES_TOGETHER < n; g++)
        l.fourth[g] = (const char *)first + (size_t)(g * LINES_TOGETHER) * apart;
    __asm__("" : "+r"(l.three_apart)); /* or gcc would add it up again in every step */
    return l;
}

/* Line i, u steps on. */
INLINE const void *line_at(const lines *l, const int i, const int u) {
    const int k = i % LINES_TOGETHER;
    return l->fourth[i / LINES_TOGETHER] + (k == 3 ? l->three_apart : (size_t)k * l->apart) +
           (size_t)u * l->step;
}

INLINE void lines_on(const int n, lines *l, const int u) {
    for (int g = 0; g * LINES_TOGETHER < n; g++) {
        l->fourth[g] += (size_t)u * l->step;
        __asm__("" : "+r"(l->fourth[g])); /* one pointer for four lines, not one each */
    }
    __asm__("" : "+r"(l->apart), "+r"(l->three_apart)); /* nor a distance for each line and step */
}
#endif
