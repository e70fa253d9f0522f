/* The one tile behind every matrix product: R rows times V panels of sixteen columns, summed in registers.
 *
 * An element is a sequential sum of fused multiply-adds over the reduced index in its natural order, so its
 * bits depend on its own row and column alone. Tile heights and widths, and cuts of the reduced index (a
 * stored partial sum is exact), choose only which elements share registers. */
#ifndef TILE_H
#define TILE_H
#include "simd16.h"
#include <stddef.h>

#define UNROLL _Pragma("GCC unroll 16")

#if SIMD16_WIDE == 2
enum { TILE_ROWS = 12, TILE_PANELS = 2, MOST_PANELS = 8 }; /* 24 sums of 32 registers */
#elif SIMD16_WIDE == 1
enum { TILE_ROWS = 6, TILE_PANELS = 1, MOST_PANELS = 4 }; /* 12 of 16 registers, two to a sum */
#else
enum { TILE_ROWS = 4, TILE_PANELS = 1, MOST_PANELS = 1 };
#endif

typedef struct left_operand { /* element (i, j) at p[i * row + j * step] */
    const float *p;
    size_t row, step;
} left_operand;

typedef struct right_operand { /* element (j, 16v + lane) at p[v * panel + j * step + lane] */
    const float *p;
    size_t panel, step;
} right_operand;

typedef v16 tile_sums[TILE_ROWS][MOST_PANELS];

/* What a tile brings to the caches while it works: lines of the panels that come next, and rows of the tile
 * of results that does. A few every FETCH_STEPS steps: all at once they would be in the way of its own
 * operands. */
typedef struct fetch {
    const float *line; /* the next one, and the floats from one to the next */
    size_t line_step;
    int lines;      /* at a time */
    const float *c; /* rows of results, c_row apart, as many as the tile has */
    size_t c_row;
} fetch;
enum { FETCH_STEPS = 4 };

INLINE void fetch_some(const int R, const int V, int j, fetch *f) {
    for (int i = 0; i < f->lines; i++, f->line += f->line_step) __builtin_prefetch(f->line, 0, 2);
    if (j >= FETCH_STEPS * R) return;
    for (int v = 0; v < V; v++) __builtin_prefetch(f->c + 16 * v, 1, 3);
    f->c += f->c_row;
}

/* s[i][v] += sum over j < n of a(i, j) b(j, v). R and V are constants where this is inlined.
 * Rows are reached from every fourth one, so that addresses are sums that the processor makes
 * itself and take few registers. f: what to fetch meanwhile, or NULL (a constant). */
INLINE void tile_sum_fetching(const int R, const int V, int n, left_operand a, right_operand b, fetch *f,
                              tile_sums s) {
    enum { TOGETHER = 4, MOST_GROUPS = (TILE_ROWS + TOGETHER - 1) / TOGETHER };
    const int groups = (R + TOGETHER - 1) / TOGETHER;
    const float *rows[MOST_GROUPS];
    for (int g = 0; g < groups; g++) rows[g] = a.p + (size_t)(g * TOGETHER) * a.row;
    for (int j = 0; j < n; j++) {
        v16 w[MOST_PANELS];
        for (int v = 0; v < V; v++) w[v] = load16(b.p + (size_t)v * b.panel);
        for (int i = 0; i < R; i++) {
            v16 x = set16(rows[i / TOGETHER][(size_t)(i % TOGETHER) * a.row]);
            for (int v = 0; v < V; v++) s[i][v] = fma16(x, w[v], s[i][v]);
        }
        for (int g = 0; g < groups; g++) {
            rows[g] += a.step;
            __asm__("" : "+r"(rows[g])); /* or gcc would undo it */
        }
        b.p += b.step;
        if (f && j % FETCH_STEPS == 0) fetch_some(R, V, j, f);
    }
}

INLINE void tile_sum(const int R, const int V, int n, left_operand a, right_operand b, tile_sums s) {
    tile_sum_fetching(R, V, n, a, b, NULL, s);
}

INLINE void tile_zero(const int R, const int V, tile_sums s) {
    UNROLL
    for (int i = 0; i < R; i++)
        for (int v = 0; v < V; v++) s[i][v] = set16(0);
}

INLINE void tile_load(const int R, const int V, const float *c, size_t c_row, tile_sums s) {
    UNROLL
    for (int i = 0; i < R; i++)
        for (int v = 0; v < V; v++) s[i][v] = load16(c + (size_t)i * c_row + 16 * v);
}

INLINE void tile_store(const int R, const int V, tile_sums s, float *c, size_t c_row) {
    UNROLL
    for (int i = 0; i < R; i++)
        for (int v = 0; v < V; v++) store16(c + (size_t)i * c_row + 16 * v, s[i][v]);
}
#endif
