/* The one tile behind every matrix product of floats: R rows times V panels of sixteen columns, summed in
 * registers.
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

/* What a tile brings to the caches while it works: a line of the panels that come next for every FETCH_STEPS
 * steps, and the rows of results that come next. More at a time would be in the way of its own operands. */
typedef struct fetch {
    const float *line; /* the next one, and the floats from one to the next */
    size_t line_step;
    const float *c; /* rows of results, c_row apart, as many as the tile has */
    size_t c_row;
} fetch;
enum { FETCH_STEPS = 4 };

/* Where a tile's operands are read, step by step; distances in bytes. Rows are reached from every fourth one,
 * in addresses that the processor adds up itself: integer work would take turns from the fused multiply-adds.
 */
enum { ROWS_TOGETHER = 4, MOST_GROUPS = (TILE_ROWS + ROWS_TOGETHER - 1) / ROWS_TOGETHER };
typedef struct walk {
    const char *rows[MOST_GROUPS];
    size_t row, three_rows, step;
    const char *panels;
    size_t panel, panel_step;
} walk;

INLINE walk walk_rows(const int R, const void *first, size_t row, size_t step) {
    walk w = {.row = row, .three_rows = 3 * row, .step = step};
    for (int g = 0; g * ROWS_TOGETHER < R; g++)
        w.rows[g] = (const char *)first + (size_t)(g * ROWS_TOGETHER) * row;
    __asm__("" : "+r"(w.three_rows)); /* or gcc would add it up again in every step */
    return w;
}

INLINE const void *row_at(const walk *w, const int i) {
    const int k = i % ROWS_TOGETHER;
    return w->rows[i / ROWS_TOGETHER] + (k == 3 ? w->three_rows : (size_t)k * w->row);
}

INLINE const void *panel_at(const walk *w, const int v) {
    return w->panels + (size_t)v * w->panel;
}

INLINE void walk_on(const int R, walk *w) {
    for (int g = 0; g * ROWS_TOGETHER < R; g++) {
        w->rows[g] += w->step;
        __asm__("" : "+r"(w->rows[g])); /* one pointer for four rows, not one each */
    }
    w->panels += w->panel_step;
}

INLINE void tile_step(const int R, const int V, walk *w, tile_sums s) {
    v16 b[MOST_PANELS];
    for (int v = 0; v < V; v++) b[v] = load16(panel_at(w, v));
    for (int i = 0; i < R; i++) {
        v16 x = set16(*(const float *)row_at(w, i));
        for (int v = 0; v < V; v++) s[i][v] = fma16(x, b[v], s[i][v]);
    }
    walk_on(R, w);
}

/* s[i][v] += sum over j < n of a(i, j) b(j, v). R and V are constants where this is inlined. f: what to fetch
 * meanwhile, or NULL (a constant). */
INLINE void tile_sum_fetching(const int R, const int V, int n, left_operand a, right_operand b,
                              const fetch *f, tile_sums s) {
    walk w = walk_rows(R, a.p, a.row * sizeof *a.p, a.step * sizeof *a.p);
    w.panels = (const char *)b.p, w.panel = b.panel * sizeof *b.p, w.panel_step = b.step * sizeof *b.p;
    if (f) {
        const float *line = f->line, *c = f->c;
        int row = 0;
        for (; n >= FETCH_STEPS; n -= FETCH_STEPS, line += f->line_step) {
            __builtin_prefetch(line, 0, 2);
            if (row++ < R) {
                __builtin_prefetch(c, 1, 3);
                if (V > 1) __builtin_prefetch(c + 16, 1, 3);
                c += f->c_row;
            }
            UNROLL
            for (int u = 0; u < FETCH_STEPS; u++) tile_step(R, V, &w, s);
        }
    }
    for (; n > 0; n--) tile_step(R, V, &w, s);
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
