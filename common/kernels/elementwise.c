/* Sums and dropout, element by element. Padded columns are taken along: 0 and 0 give 0. */
#include "dropout.h"
#include "set.h"

/* One vector of a row: x + y, or y where there is no x. */
INLINE void put(const float *x, size_t i, v16 y, float *out) {
    store16(out + i, x ? add16(load16(x + i), y) : y);
}

INLINE void whole_row(size_t n, const float *x, const float *y, float *out) {
    for (size_t i = 0; i < n; i += 16) put(x, i, load16(y + i), out);
}

/* `first` is the index of the row's first element. */
INLINE void thinned_row(size_t n, const float *x, const float *y, const dropout *drop, uint64_t first,
                        float *out) {
    row_masks masks = {.drop = drop, .first = first};
    for (size_t i = 0; i < n; i += 64) {
        const keep64 *keep = next_mask(&masks, i);
        for (size_t j = i; j < n && j < i + 64; j += 16)
            put(x, j, keep_scaled(keep, (int)(j - i) / 16, drop, load16(y + j)), out);
    }
}

/* A row of out = x + dropout(y); x NULL: dropout(y). */
INLINE void one_row(int n, const float *x, const float *y, const dropout *drop, uint64_t first, float *out) {
    if (drop)
        thinned_row((size_t)n, x, y, drop, first, out);
    else
        whole_row((size_t)n, x, y, out);
}

void KERNEL(add)(int rows, int n, const float *x, size_t xs, const float *y, size_t ys, const dropout *drop,
                 uint64_t first, size_t drop_row, float *out, size_t os) {
    for (int r = 0; r < rows; r++, x += xs, y += ys, out += os, first += drop_row)
        one_row(n, x, y, drop, first, out);
}

void KERNEL(drop)(int rows, int n, const float *y, size_t ys, const dropout *drop, uint64_t first,
                  size_t drop_row, float *out, size_t os) {
    for (int r = 0; r < rows; r++, y += ys, out += os, first += drop_row)
        one_row(n, NULL, y, drop, first, out);
}

void KERNEL(accumulate)(size_t n, float *a, const float *b) {
    for (size_t i = 0; i < n; i += 16) store16(a + i, add16(load16(a + i), load16(b + i)));
}
