/* The one tile behind every matrix product of floats: R rows times V panels of sixteen columns, summed in
 * registers.
 *
 * An element is a sequential sum of fused multiply-adds over the reduced index in its natural order, so its
 * bits depend on its own row and column alone. Tile heights and widths, and cuts of the reduced index (a
 * stored partial sum is exact), choose only which elements share registers. */
#ifndef TILE_H
#define TILE_H
#include "least.h"
#include "walk.h"

#if SIMD16_WIDE == 2
enum { TILE_ROWS = 8, TILE_PANELS = 3, MOST_PANELS = 8 }; /* 24 sums of 32 registers */
#elif SIMD16_WIDE == 1
enum { TILE_ROWS = 6, TILE_PANELS = 1, MOST_PANELS = 4 }; /* 12 of 16 registers, two to a sum */
#else
enum { TILE_ROWS = 4, TILE_PANELS = 1, MOST_PANELS = 1 };
#endif

/* How many of the panels left go together: as many as can be, but none is left alone. */
static inline int panels_of_tile(int left, int most) {
    if (most > 2 && left == most + 1) return most - 1;
    return least(left, most);
}

/* One function for each height, 1 to 8, and their table. */
#define EACH_OF_8(X, V) X(1, V) X(2, V) X(3, V) X(4, V) X(5, V) X(6, V) X(7, V) X(8, V)
#define TABLE_OF_8(kind, V)                                                                                  \
    {                                                                                                        \
        kind##_1x##V, kind##_2x##V, kind##_3x##V, kind##_4x##V, kind##_5x##V, kind##_6x##V, kind##_7x##V,    \
            kind##_8x##V                                                                                     \
    }

typedef struct left_operand { /* element (i, j) at p[i * row + j * step] */
    const float *p;
    size_t row, step;
} left_operand;

typedef struct right_operand { /* element (j, 16v + lane) at p[v * panel + j * step + lane] */
    const float *p;
    size_t panel, step;
} right_operand;

/* n vectors of halves as floats. */
INLINE void widen(const uint16_t *halves, size_t n, float *to) {
    for (size_t j = 0; j < n; j++) store16(to + 16 * j, load_half16(halves + 16 * j));
}

typedef v16 tile_sums[TILE_ROWS][MOST_PANELS];
_Static_assert((int)TILE_ROWS <= (int)MOST_LINES && (int)MOST_PANELS <= (int)MOST_LINES,
               "a walk has room for a tile");

/* What a tile brings to the caches while it works: a line of the panels that come next for every FETCH_STEPS
 * steps, and the rows of results that come next. More at a time would be in the way of its own operands. */
typedef struct fetch {
    const float *line; /* the next one, and the floats from one to the next */
    size_t line_step;
    const float *c; /* rows of results, c_row apart, as many as the tile has */
    size_t c_row;
} fetch;
enum { FETCH_STEPS = 4 };

INLINE void tile_step(const int R, const int V, const walk *w, const int u, tile_sums s) {
    v16 b[MOST_PANELS];
    for (int v = 0; v < V; v++) b[v] = load16(line_at(&w->panels, v, u));
    for (int i = 0; i < R; i++) {
        v16 x = set16(*(const float *)line_at(&w->rows, i, u));
        for (int v = 0; v < V; v++) s[i][v] = fma16(x, b[v], s[i][v]);
    }
}

/* U steps. */
INLINE void tile_steps(const int R, const int V, const int U, walk *w, tile_sums s) {
    UNROLL
    for (int u = 0; u < U; u++) tile_step(R, V, w, u, s);
    lines_on(R, &w->rows, U);
    lines_on(V, &w->panels, U);
}

INLINE walk walk_from(const int R, const int V, left_operand a, right_operand b) {
    const size_t size = sizeof(float);
    return (walk){lines_from(R, a.p, a.row * size, a.step * size),
                  lines_from(V, b.p, b.panel * size, b.step * size)};
}

/* s[i][v] += sum over j < n of a(i, j) b(j, v). R and V are constants where this is inlined. */
INLINE void tile_sum(const int R, const int V, int n, left_operand a, right_operand b, tile_sums s) {
    walk w = walk_from(R, V, a, b);
    for (; n >= FETCH_STEPS; n -= FETCH_STEPS) tile_steps(R, V, FETCH_STEPS, &w, s);
    for (; n > 0; n--) tile_steps(R, V, 1, &w, s);
}

/* The same where both operands' steps are constants, fetching meanwhile. */
INLINE void tile_sum_fetching(const int R, const int V, int n, left_operand a, right_operand b,
                              const fetch *f, tile_sums s) {
    walk w = walk_from(R, V, a, b);
    const float *line = f->line, *c = f->c;
    for (int row = 0; n >= FETCH_STEPS; n -= FETCH_STEPS, line += f->line_step, row++) {
        __builtin_prefetch(line, 0, 2);
        if (row < R) {
            for (int v = 0; v < V; v++) __builtin_prefetch(c + 16 * v, 1, 3);
            c += f->c_row;
        }
        tile_steps(R, V, FETCH_STEPS, &w, s);
    }
    for (; n > 0; n--) tile_steps(R, V, 1, &w, s);
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
