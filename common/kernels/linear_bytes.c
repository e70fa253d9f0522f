/* A linear layer of bytes (as Dettmers et al. 2022, LLM.int8(), without its outliers): the weights are, and
 * each row of x becomes, whole multiples of a scale for each group of inputs. A group's sum of products is
 * exact, so no order matters in it; groups follow one another in fused multiply-adds. */
#include "least.h"
#include "set.h"
#include "tile.h"

enum {
    TOGETHER = 4,         /* inputs that dot16 takes at a time */
    STEP = 16 * TOGETHER, /* bytes of a panel that are one step */
    UNROLLED = 4,         /* steps at a time */
    BYTE_ROWS = 96,       /* rows of x that are bytes at a time */
    BLOCK_BYTES = 1 << 15,
    BLOCK_GROUPS = BLOCK_BYTES / SCALE_GROUP
};

#if SIMD16_WIDE == 2
enum { HEIGHT = 8, PANELS = 3, WIDE_HEIGHT = 3, WIDE_PANELS = 8 };
#elif SIMD16_WIDE == 1
enum { HEIGHT = 4, PANELS = 1, WIDE_HEIGHT = 1, WIDE_PANELS = 4 };
#else
enum { HEIGHT = 4, PANELS = 1, WIDE_HEIGHT = 0, WIDE_PANELS = 1 };
#endif

_Static_assert((int)HEIGHT <= (int)MOST_LINES && (int)WIDE_PANELS <= (int)MOST_LINES,
               "a walk has room for a tile");
_Static_assert(BLOCK_GROUPS >= BYTE_ROWS, "a block has a group of every row");

/* Some rows of x, of a block of their groups: row r, group g is `bytes + r row + g SCALE_GROUP`. */
typedef struct byte_rows {
    int groups; /* a row */
    size_t row;
    int8_t bytes[BLOCK_BYTES];
    float scale[BLOCK_GROUPS]; /* [row][group] */
    int sum[BLOCK_GROUPS];     /* of a group's bytes */
} byte_rows;

/* n <= SCALE_GROUP numbers, a multiple of sixteen: x's padding is among them, and is zero. One that is not
 * finite makes the scale NaN. */
static float round_group(int n, const float *x, int8_t *bytes, int *sum) {
    const float whole = 0x1.8p23f, smallest = 1e-35f; /* adding `whole` rounds; 127 / smallest is finite */
    v16 largest = set16(0), nothing = set16(0), total = set16(0);
    for (int i = 0; i < n; i += 16) {
        largest = max16(abs16(load16(x + i)), largest);
        nothing = fma16(load16(x + i), set16(0), nothing);
    }
    float most = max_of16(largest), inverse = most < smallest ? 0 : MOST_BYTE / most;
    for (int i = 0; i < n; i += 16) {
        v16 rounded = fma16(load16(x + i), set16(inverse), set16(whole));
        store_bytes16(bytes + i, rounded);
        total = add16(total, sub16(rounded, set16(whole)));
    }
    float bytes_sum = sum16(total);
    *sum = bytes_sum == bytes_sum ? (int)bytes_sum : 0;
    return most / MOST_BYTE + sum16(nothing);
}

/* Inputs d.. of some rows. */
static void round_rows(int rows, int inputs, const float *x, size_t xs, byte_rows *b) {
    b->groups = groups_of(inputs);
    b->row = (size_t)b->groups * SCALE_GROUP;
    for (int r = 0; r < rows; r++)
        for (int g = 0; g < b->groups; g++) {
            int at = r * b->groups + g, first = g * SCALE_GROUP;
            b->scale[at] = round_group(least(SCALE_GROUP, inputs - first), x + (size_t)r * xs + first,
                                       b->bytes + (size_t)r * b->row + first, &b->sum[at]);
        }
}

/* What a tile multiplies: rows from `row` on, panels from `panel` on, the groups of x's block. */
typedef struct byte_product {
    const linear *l;
    const byte_rows *x;
    int inputs, group, row, panel; /* group: of the layer, where x's block begins */
    float *y;
    size_t ys;
} byte_product;

INLINE w16 four_bytes(const void *p) {
    uint32_t four;
    __builtin_memcpy(&four, p, sizeof four);
    return set_w16(four);
}

typedef w16 byte_sums[HEIGHT][WIDE_PANELS];

INLINE void byte_step(const int R, const int V, const walk *w, const int u, byte_sums s) {
    w16 b[WIDE_PANELS];
    for (int v = 0; v < V; v++) b[v] = load_w16(line_at(&w->panels, v, u));
    for (int i = 0; i < R; i++) {
        w16 x = four_bytes(line_at(&w->rows, i, u));
        for (int v = 0; v < V; v++) s[i][v] = dot16(s[i][v], b[v], x);
    }
}

INLINE void byte_steps(const int R, const int V, const int U, walk *w, byte_sums s) {
    UNROLL
    for (int u = 0; u < U; u++) byte_step(R, V, w, u, s);
    lines_on(R, &w->rows, U);
    lines_on(V, &w->panels, U);
}

/* The exact sums of group g. */
INLINE void sum_group(const int R, const int V, const byte_product *p, int g, byte_sums s) {
    const byte_rows *x = p->x;
    size_t panel = (size_t)packed_inputs(p->l) * 16;
    const char *bytes =
        (const char *)p->l->packed + (size_t)p->panel * panel + (size_t)(p->group + g) * SCALE_GROUP * 16;
    walk w = {lines_from(R, x->bytes + (size_t)p->row * x->row + (size_t)g * SCALE_GROUP, x->row, TOGETHER),
              lines_from(V, bytes, panel, STEP)};
    UNROLL
    for (int i = 0; i < R; i++)
        for (int v = 0; v < V; v++) s[i][v] = dot_start16(x->sum[(p->row + i) * x->groups + g]);
    int n = least(SCALE_GROUP, p->inputs - g * SCALE_GROUP);
    for (; n >= UNROLLED * TOGETHER; n -= UNROLLED * TOGETHER) byte_steps(R, V, UNROLLED, &w, s);
    for (; n > 0; n -= TOGETHER) byte_steps(R, V, 1, &w, s);
}

/* Group g's sums join y, or the bias where it is the first. */
INLINE void add_group(const int R, const int V, const byte_product *p, int g, byte_sums s) {
    static const float zeros[16 * WIDE_PANELS];
    int group = p->group + g, groups = groups_of(p->l->in);
    const float *scales = p->l->scales + ((size_t)p->panel * (size_t)groups + (size_t)group) * 16;
    const float *row_scale = p->x->scale + p->row * p->x->groups + g;
    float *y = p->y + (size_t)p->row * p->ys + 16 * p->panel;
    const float *before = group > 0 ? y : p->l->bias ? p->l->bias + 16 * p->panel : zeros;
    size_t before_row = group > 0 ? p->ys : 0, scale_step = (size_t)p->x->groups;
    v16 scale[WIDE_PANELS];
    for (int v = 0; v < V; v++) scale[v] = load16(scales + (size_t)(v * groups) * 16);
    UNROLL
    for (int i = 0; i < R; i++, before += before_row, y += p->ys, row_scale += scale_step) {
        v16 one = set16(*row_scale);
        for (int v = 0; v < V; v++)
            store16(y + 16 * v, fma16(float_w16(s[i][v]), mul16(scale[v], one), load16(before + 16 * v)));
    }
}

INLINE void byte_tile(const int R, const int V, const byte_product *p) {
    for (int g = 0; g < p->x->groups; g++) {
        byte_sums s;
        sum_group(R, V, p, g, s);
        add_group(R, V, p, g, s);
    }
}

typedef void byte_tile_function(const byte_product *p);

#define TILE(R, V)                                                                                           \
    static __attribute__((noinline)) void tile_##R##x##V(const byte_product *p) {                            \
        byte_tile(R, V, p);                                                                                  \
    }

/* tiles[V - 1][R - 1]; and for few rows many panels, to keep the adders busy. */
#if SIMD16_WIDE == 2
EACH_OF_8(TILE, 1)
EACH_OF_8(TILE, 2)
EACH_OF_8(TILE, 3)
TILE(1, 8)
TILE(2, 8)
TILE(3, 8)
static byte_tile_function *const tiles[PANELS][HEIGHT] = {TABLE_OF_8(tile, 1), TABLE_OF_8(tile, 2),
                                                          TABLE_OF_8(tile, 3)};
static byte_tile_function *const wide[] = {tile_1x8, tile_2x8, tile_3x8};
#else
TILE(1, 1)
TILE(2, 1)
TILE(3, 1)
TILE(4, 1)
static byte_tile_function *const tiles[PANELS][HEIGHT] = {{tile_1x1, tile_2x1, tile_3x1, tile_4x1}};
#if SIMD16_WIDE == 1
TILE(1, 4)
static byte_tile_function *const wide[] = {tile_1x4};
#else
static byte_tile_function *const *const wide = tiles[0];
#endif
#endif

static int panels_at_once(int rows, int left) {
    return rows <= WIDE_HEIGHT && left >= WIDE_PANELS ? WIDE_PANELS : panels_of_tile(left, PANELS);
}

static byte_tile_function *tile_for(int rows, int panels) {
    return panels <= PANELS ? tiles[panels - 1][rows - 1] : wide[rows - 1];
}

/* A panel's steps are read for all rows while they are in the first cache. */
static void multiply(byte_product p, int rows, int from, int to) {
    int panels;
    for (p.panel = from; p.panel < to; p.panel += panels) {
        panels = panels_at_once(rows, to - p.panel);
        for (p.row = 0; p.row < rows; p.row += HEIGHT) tile_for(least(rows - p.row, HEIGHT), panels)(&p);
    }
}

void KERNEL(linear_bytes)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                          size_t ys) {
    byte_rows b;
    int inputs = packed_inputs(l);
    for (int r = 0; r < rows; r += BYTE_ROWS) {
        int high = least(rows - r, BYTE_ROWS), deep = BLOCK_BYTES / high / SCALE_GROUP * SCALE_GROUP;
        for (int d = 0; d < inputs; d += deep) {
            byte_product p = {.l = l,
                              .x = &b,
                              .inputs = least(deep, inputs - d),
                              .group = d / SCALE_GROUP,
                              .y = y + (size_t)r * ys,
                              .ys = ys};
            round_rows(high, p.inputs, x + (size_t)r * xs + d, xs, &b);
            multiply(p, high, from / 16, to / 16);
        }
    }
}
