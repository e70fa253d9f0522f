/* The three products of a linear layer y = x W^T + b of floats from one tile; only strides differ:
 *   forward          y[m][n]  = b[n] + sum_k x[m][k] W[n][k]     W packed in panels of sixteen outputs
 *   input gradient   dx[m][k] = sum_n dy[m][n] W[n][k]           W packed in panels of sixteen inputs
 *   weight gradient  dW[n][k] += sum_m dy[m][n] x[m][k]          dy read down its columns, x as it lies
 * The reduced index is cut in blocks whose panels stay in the first cache. Operands whose rows lie far apart
 * are first copied side by side: a column of rows a power of two apart would fall into a few sets of the
 * cache. */
#include "least.h"
#include "set.h"
#include "tile.h"
#include <string.h>

enum {
    DEPTH = 192,  /* steps of the reduced index at a time, at most */
    SHALLOW = 64, /* the same for few rows and many panels */
    BLOCK_FLOATS =
        16 * (DEPTH * TILE_PANELS > SHALLOW * MOST_PANELS ? DEPTH * TILE_PANELS : SHALLOW * MOST_PANELS),
    LEFT_ROWS = 384,                    /* of the weight gradient at a time: whole tiles of every height */
    LEFT_TILE = DEPTH * TILE_ROWS + 16, /* floats of a tile: no multiple of a page, whose lines share a set */
    LEFT_FLOATS = LEFT_ROWS / TILE_ROWS * LEFT_TILE,
};

/* Steps of one block of n in all: as few blocks as can be, of about the same depth. */
static int depth_of(int n) {
    int blocks = (n + DEPTH - 1) / DEPTH, depth = (n + blocks - 1) / blocks;
    return (depth + FETCH_STEPS - 1) / FETCH_STEPS * FETCH_STEPS;
}

/* What lies together in memory: the rows of a and the panels of b, or the tile's column of a
 * ([step][TILE_ROWS]) and the row of b ([step][panel]). */
typedef enum layout { BY_ROWS, BY_COLUMNS } layout;

typedef struct ahead { /* panels that tiles fetch while they work */
    right_operand panels;
    int count;
} ahead;

typedef struct product { /* c (+)= a b for some rows of a, some panels of b and n steps of the reduced index
                          */
    layout layout;
    int n;
    const float *a;
    size_t a_row, a_tile; /* from a row to the next where they lie together, from a tile to the next */
    const float *b;
    size_t b_panel;
    float *c;
    size_t c_row;
    const float *start; /* start[16v + lane] begins the sums of every row; NULL: c does */
    ahead next, then;   /* the panels after b's; what comes after all panels, or nothing */
    fetch fetch;
} product;

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
TILE(1, 1) TILE(2, 1) TILE(3, 1) TILE(4, 1) TILE(5, 1) TILE(6, 1) TILE(7, 1) TILE(8, 1)
TILE(1, 2) TILE(2, 2) TILE(3, 2) TILE(4, 2) TILE(5, 2) TILE(6, 2) TILE(7, 2) TILE(8, 2)
TILE(1, 3) TILE(2, 3) TILE(3, 3) TILE(4, 3) TILE(5, 3) TILE(6, 3) TILE(7, 3) TILE(8, 3)
ROWS(1, 8) ROWS(2, 8) ROWS(3, 8) ROWS(4, 6) ROWS(5, 4) ROWS(6, 4)
#define HEIGHTS(kind, V) {kind##_1x##V, kind##_2x##V, kind##_3x##V, kind##_4x##V, \
                          kind##_5x##V, kind##_6x##V, kind##_7x##V, kind##_8x##V}
#define WIDTHS(kind) {HEIGHTS(kind, 1), HEIGHTS(kind, 2), HEIGHTS(kind, 3)}
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
static int panels_at_once(layout how, int rows, int left) {
    if (how == BY_ROWS && rows <= WIDE_ROWS && left >= wide[rows - 1].panels) return wide[rows - 1].panels;
    if (TILE_PANELS > 2 && left == TILE_PANELS + 1) return TILE_PANELS - 1; /* no panel is left alone */
    return least(left, TILE_PANELS);
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
static void rows_of_tiles(product p, int rows, int panels) {
    p.fetch.c_row = p.c_row;
    for (int line = 0; rows > 0; rows -= TILE_ROWS, line += p.n / FETCH_STEPS) {
        fetch_from(&p, line);
        p.fetch.c = rows > TILE_ROWS ? p.c + TILE_ROWS * p.c_row : p.c;
        tile_for(p.layout, least(rows, TILE_ROWS), panels)(&p);
        p.a += p.a_tile;
        p.c += TILE_ROWS * p.c_row;
    }
}

/* The panels that lie after these, or, at the end, these. */
static ahead after(right_operand b, int panels, int left) {
    if (left >= 2 * panels) b.p += (size_t)panels * b.panel;
    return (ahead){b, panels};
}

static const float zeros[16 * MOST_PANELS];

/* n steps of one panel, of halves, as floats. */
static void widen(const uint16_t *halves, int n, float *to) {
    for (int j = 0; j < n; j++) store16(to + 16 * j, load_half16(halves + 16 * j));
}

typedef struct forward { /* a call of linear */
    const linear *l;
    int rows, to;
    const float *x;
    size_t xs;
    float *y;
    size_t ys;
} forward;

/* Columns n.. of as many panels as go together, steps d.. of the sums; how many panels. */
static int forward_block(const forward *f, int n, int d, int depth) {
    _Alignas(64) float floats[BLOCK_FLOATS];
    const linear *l = f->l;
    int left = (f->to - n) / 16, panels = panels_at_once(BY_ROWS, f->rows, left);
    size_t panel = (size_t)l->in * 16, first = (size_t)(n / 16) * panel + (size_t)d * 16;
    product p = {.n = least(depth, l->in - d),
                 .a = f->x + d,
                 .a_row = f->xs,
                 .a_tile = TILE_ROWS * f->xs,
                 .c = f->y + n,
                 .c_row = f->ys};
    p.start = d > 0 ? NULL : l->bias ? l->bias + n : zeros;
    if (l->type == WEIGHTS_F32) {
        p.b = (const float *)l->packed + first, p.b_panel = panel;
        p.next = after((right_operand){p.b, panel, 16}, panels, left);
    } else {
        for (int v = 0; v < panels; v++)
            widen((const uint16_t *)l->packed + first + (size_t)v * panel, p.n, floats + v * p.n * 16);
        p.b = floats, p.b_panel = (size_t)p.n * 16;
        p.next = (ahead){{floats, p.b_panel, 16}, panels};
    }
    rows_of_tiles(p, f->rows, panels);
    return panels;
}

void KERNEL(linear)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                    size_t ys) {
    if (rows == 0) return; /* a team may have more members than rows */
    if (l->type == WEIGHTS_INT8) {
        KERNEL(linear_bytes)(l, rows, from, to, x, xs, y, ys);
        return;
    }
    if (l->type == WEIGHTS_F16 && rows <= HALF_ROWS) {
        KERNEL(linear_half)(l, rows, from, to, x, xs, y, ys);
        return;
    }
    forward f = {l, rows, to, x, xs, y, ys};
    if (rows < TILE_ROWS) { /* one tile high: no panel is read twice, so each is read to its end */
        int depth = l->type == WEIGHTS_F32 ? l->in : SHALLOW, panels = 0;
        for (int n = from; n < to; n += 16 * panels)
            for (int d = 0; d < l->in; d += depth) panels = forward_block(&f, n, d, depth);
    } else {
        int depth = depth_of(l->in);
        for (int d = 0; d < l->in; d += depth)
            for (int n = from; n < to;) n += 16 * forward_block(&f, n, d, depth);
    }
}

void KERNEL(linear_input_gradient)(const linear *l, int rows, int from, int to, const float *dy, size_t dys,
                                   float *dx, size_t dxs) {
    if (rows == 0) return; /* a team may have more members than rows */
    size_t panel = (size_t)l->out * 16;
    int depth = depth_of(l->out);
    for (int d = 0; d < l->out; d += depth) {
        int panels;
        for (int k = from; k < to; k += 16 * panels) {
            panels = panels_at_once(BY_ROWS, rows, (to - k) / 16);
            product p = {.n = least(depth, l->out - d),
                         .a = dy + d,
                         .a_row = dys,
                         .a_tile = TILE_ROWS * dys,
                         .b = l->packed_back + (size_t)(k / 16) * panel + (size_t)d * 16,
                         .b_panel = panel,
                         .c = dx + k,
                         .c_row = dxs,
                         .start = d > 0 ? NULL : zeros};
            p.next = after((right_operand){p.b, panel, 16}, panels, (to - k) / 16);
            rows_of_tiles(p, rows, panels);
        }
    }
}

/* Copies n rows of `panels` panels side by side. */
INLINE void copy_panels(const int panels, int n, const float *from, size_t stride, float *to) {
    for (int j = 0; j < n; j++, from += stride, to += 16 * panels)
        for (int v = 0; v < panels; v++) store16(to + 16 * v, load16(from + 16 * v));
}

static void copy_rows(int n, int panels, const float *from, size_t stride, float *to) {
    if (panels == TILE_PANELS)
        copy_panels(TILE_PANELS, n, from, stride, to); /* a constant: moves instead of calls */
    else
        copy_panels(panels, n, from, stride, to);
}

/* Copies n rows of some columns of dy so that a tile's columns lie together: [tile][row][TILE_ROWS]. */
static void copy_columns(int n, int columns, const float *dy, size_t dys, float *to) {
    int whole = columns / TILE_ROWS * TILE_ROWS;
    for (int j = 0; j < n; j++, dy += dys, to += TILE_ROWS) {
        float *tile = to;
        for (int i = 0; i < whole; i += TILE_ROWS, tile += LEFT_TILE)
            memcpy(tile, dy + i, TILE_ROWS * sizeof(float)); /* a constant: moves instead of a call */
        memcpy(tile, dy + whole, (size_t)(columns - whole) * sizeof(float));
    }
}

_Static_assert(LEFT_FLOATS + DEPTH * 16 * TILE_PANELS <= WEIGHT_GRADIENT_SCRATCH, "scratch");

typedef struct weight_gradient { /* a call of linear_weight_gradient */
    const linear *gradient;
    int rows, depth, from, to; /* depth: rows at a time */
    const float *dy;
    size_t dys;
    const float *x;
    size_t xs;
    float *left, *right; /* operands side by side */
} weight_gradient;

/* Part `part` of `parts` of the lines of dy for the block after row m and column n. */
static ahead next_columns(const weight_gradient *w, int m, int n, int part, int parts) {
    n += LEFT_ROWS;
    if (n >= w->to) n = w->from, m += w->depth;
    if (m >= w->rows) return (ahead){0};
    int vectors = (least(LEFT_ROWS, w->to - n) + 15) / 16, first = vectors * part / parts;
    const float *from = w->dy + (size_t)m * w->dys + n + 16 * first;
    return (ahead){{from, 16, w->dys}, vectors * (part + 1) / parts - first};
}

/* dW rows n.. (at most LEFT_ROWS of them), summed over rows m.. (at most `depth`). */
static void weight_gradient_block(const weight_gradient *w, int m, int n) {
    const linear *g = w->gradient;
    const float *x = w->x + (size_t)m * w->xs;
    int depth = least(w->depth, w->rows - m), rows = least(LEFT_ROWS, w->to - n), panels;
    copy_columns(depth, rows, w->dy + (size_t)m * w->dys + n, w->dys, w->left);
    int all = (g->in + 15) / 16;
    for (int k = 0; k < all; k += panels) {
        panels = panels_at_once(BY_COLUMNS, rows, all - k);
        copy_rows(depth, panels, x + 16 * k, w->xs, w->right);
        product p = {.layout = BY_COLUMNS,
                     .n = depth,
                     .a = w->left,
                     .a_tile = LEFT_TILE,
                     .b = w->right,
                     .c = g->weight + (size_t)n * g->stride + 16 * k,
                     .c_row = g->stride,
                     .next = after((right_operand){x + 16 * k, 16, w->xs}, panels, all - k),
                     .then = next_columns(w, m, n, k / TILE_PANELS, (all + TILE_PANELS - 1) / TILE_PANELS)};
        rows_of_tiles(p, rows, panels);
    }
}

static void bias_gradient(const linear *g, int rows, int from, int to, const float *dy, size_t dys) {
    for (int m = 0; m < rows; m++)
        for (int n = from; n < to; n++) g->bias[n] += dy[(size_t)m * dys + (size_t)n];
}

void KERNEL(linear_weight_gradient)(const linear *gradient, int rows, int from, int to, const float *dy,
                                    size_t dys, const float *x, size_t xs, float *scratch) {
    if (rows == 0) return;
    weight_gradient w = {gradient, rows,    depth_of(rows),       from, to, dy, dys, x,
                         xs,       scratch, scratch + LEFT_FLOATS};
    for (int m = 0; m < rows; m += w.depth)
        for (int n = from; n < to; n += LEFT_ROWS) weight_gradient_block(&w, m, n);
    if (gradient->bias) bias_gradient(gradient, rows, from, to, dy, dys);
}
