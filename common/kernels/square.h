/* Squares of sixteen rows and sixteen columns, which is how rows become panels. */
#ifndef SQUARE_H
#define SQUARE_H
#include "simd16.h"
#include <stddef.h>
#include <string.h>

typedef struct square {
    v16 row[16];
} square;

/* The first n numbers at p, and zeros. */
INLINE v16 load_first16(int n, const float *p) {
    float part[16] = {0};
    if (n >= 16) return load16(p);
    memcpy(part, p, (size_t)n * sizeof(float));
    return load16(part);
}

/* Up to sixteen rows and columns; those that are missing are zeros. */
INLINE square load_square(int rows, int columns, const float *p, size_t stride) {
    square s;
    if (rows >= 16 && columns >= 16)
        for (int i = 0; i < 16; i++) s.row[i] = load16(p + (size_t)i * stride);
    else
        for (int i = 0; i < 16; i++)
            s.row[i] = i < rows ? load_first16(columns, p + (size_t)i * stride) : set16(0);
    return s;
}

/* Rows become columns: each round deals the two halves of the rows into one another. */
INLINE square turn(square s) {
    for (int round = 0; round < 4; round++) {
        square dealt;
        for (int i = 0; i < 8; i++) {
            dealt.row[2 * i] = zip_low16(s.row[i], s.row[i + 8]);
            dealt.row[2 * i + 1] = zip_high16(s.row[i], s.row[i + 8]);
        }
        s = dealt;
    }
    return s;
}
#endif
