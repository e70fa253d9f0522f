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

/* Up to sixteen rows of `columns` columns to a panel, [columns][16]; rows that are missing are zeros. */
INLINE void turn_to_panel(int rows, int columns, const float *p, size_t stride, float *panel) {
    for (int c = 0; c < columns; c += 16) {
        int n = columns - c < 16 ? columns - c : 16;
        square s = turn(load_square(rows, n, p + c, stride));
        for (int i = 0; i < n; i++, panel += 16) store16(panel, s.row[i]);
    }
}

/* The same with sixteen rows to a panel of halves. */
INLINE void turn_to_half_panel(int columns, const float *p, size_t stride, uint16_t *panel) {
    for (int c = 0; c < columns; c += 16) {
        int n = columns - c < 16 ? columns - c : 16;
        square s = turn(load_square(16, n, p + c, stride));
        for (int i = 0; i < n; i++, panel += 16) store_half16(panel, s.row[i]);
    }
}

/* A row of n numbers to whole vectors, padded with zeros. */
INLINE void copy_padded(int n, const float *from, float *to) {
    for (int i = 0; i < n; i += 16) store16(to + i, load_first16(n - i, from + i));
}

INLINE void copy_padded_halves(int n, const float *from, uint16_t *to) {
    for (int i = 0; i < n; i += 16) store_half16(to + i, load_first16(n - i, from + i));
}
#endif
