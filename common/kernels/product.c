#include "product.h"

INLINE void tile(const layout how, const int R, const int V, const product *p) {
    tile_sums s;
    if (p->start)
        tile_load(R, V, p->start, 0, s);
    else
        tile_load(R, V, p->c, p->c_row, s);
    if (how == BY_ROWS)
        tile_sum_fetching(R, V, p->n, (left_operand){p->a, p->a_row, 1},
                          (right_operand){p->b, p->b_panel, 16}, &p->fetch, s);
    else
        tile_sum_fetching(R, V, p->n, (left_operand){p->a, 1, TILE_ROWS},
                          (right_operand){p->b, 16, 16 * (size_t)V}, &p->fetch, s);
    tile_store(R, V, s, p->c, p->c_row);
}

typedef void tile_function(const product *p);

/* One function a height and width, kept apart: in one big function gcc runs out of integer registers. */
#define ROWS(R, V)                                                                                           \
    static __attribute__((noinline)) void rows_##R##x##V(const product *p) {                                 \
        tile(BY_ROWS, R, V, p);                                                                              \
    }
#define TILE(R, V)                                                                                           \
    ROWS(R, V)                                                                                               \
    static __attribute__((noinline)) void columns_##R##x##V(const product *p) {                              \
        tile(BY_COLUMNS, R, V, p);                                                                           \
    }

/* tiles[how][V - 1][R - 1]; and for few rows as many panels as the registers hold, by rows. */
typedef struct wide_tile {
    tile_function *function;
    int panels;
} wide_tile;

/* clang-format off */
#if SIMD16_WIDE == 2
EACH_OF_8(TILE, 1) EACH_OF_8(TILE, 2) EACH_OF_8(TILE, 3)
ROWS(1, 8) ROWS(2, 8) ROWS(3, 8) ROWS(4, 6) ROWS(5, 4) ROWS(6, 4)
#define WIDTHS(kind) {TABLE_OF_8(kind, 1), TABLE_OF_8(kind, 2), TABLE_OF_8(kind, 3)}
static const wide_tile wide[] = {{rows_1x8, 8}, {rows_2x8, 8}, {rows_3x8, 8},
                                 {rows_4x6, 6}, {rows_5x4, 4}, {rows_6x4, 4}};
#elif SIMD16_WIDE == 1
TILE(1, 1) TILE(2, 1) TILE(3, 1) TILE(4, 1) TILE(5, 1) TILE(6, 1)
ROWS(1, 4) ROWS(2, 3) ROWS(3, 2)
#define WIDTHS(kind) {{kind##_1x1, kind##_2x1, kind##_3x1, kind##_4x1, kind##_5x1, kind##_6x1}}
static const wide_tile wide[] = {{rows_1x4, 4}, {rows_2x3, 3}, {rows_3x2, 2}};
#else
TILE(1, 1) TILE(2, 1) TILE(3, 1) TILE(4, 1)
#define WIDTHS(kind) {{kind##_1x1, kind##_2x1, kind##_3x1, kind##_4x1}}
static const wide_tile wide[] = {{rows_1x1, 1}};
#endif
static tile_function *const tiles[][TILE_PANELS][TILE_ROWS] = {WIDTHS(rows), WIDTHS(columns)};
/* clang-format on */
enum { WIDE_ROWS = sizeof wide / sizeof *wide };

/* How many of the panels left to take at once, of at least one row: many where there are few rows, to keep
 * the adders busy. */
int KERNEL(product_panels)(layout how, int rows, int left) {
    if (how == BY_ROWS && rows <= WIDE_ROWS && left >= wide[rows - 1].panels) return wide[rows - 1].panels;
    return panels_of_tile(left, TILE_PANELS);
}

static tile_function *tile_for(layout how, int rows, int panels) {
    return panels <= TILE_PANELS ? tiles[how][panels - 1][rows - 1] : wide[rows - 1].function;
}

/* The line of what is ahead where a tile begins to fetch. Past the last a few fetches are of no use. */
static void fetch_from(product *p, int line) {
    int v = line / p->n;
    bool later = p->then.count > 0 && v >= p->next.count;
    const ahead *a = later ? &p->then : &p->next;
    v = least(later ? v - p->next.count : v, a->count - 1);
    p->fetch.line = a->panels.p + (size_t)v * a->panels.panel + (size_t)(line % p->n) * a->panels.step;
    p->fetch.line_step = a->panels.step;
}

/* The rows of one group of panels, a tile at a time, which share the lines ahead. */
void KERNEL(product_rows)(product p, int rows, int panels) {
    p.fetch.c_row = p.c_row;
    for (int line = 0; rows > 0; rows -= TILE_ROWS, line += p.n / FETCH_STEPS) {
        fetch_from(&p, line);
        p.fetch.c = rows > TILE_ROWS ? p.c + TILE_ROWS * p.c_row : p.c;
        tile_for(p.layout, least(rows, TILE_ROWS), panels)(&p);
        p.a += p.a_tile;
        p.c += TILE_ROWS * p.c_row;
    }
}
