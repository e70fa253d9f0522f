#include "attention_tiles.h"
#include "least.h"

/* Panels (or vectors of columns) at once beside R rows: few rows take many, to keep the adders busy. */
INLINE int width_for(const int R) {
    if (SIMD16_WIDE == 2) return R >= TILE_ROWS ? 2 : R == 4 ? 4 : MOST_PANELS;
    if (SIMD16_WIDE == 1) return R >= 4 ? 1 : R == 2 ? 2 : MOST_PANELS;
    return 1;
}

/* Panels (or rows of values) first .. first + count - 1, as floats. */
typedef struct group {
    const float *p;
    int first, count;
} group;

/* The processor fetches ahead within a head but not from one to the next, and a head is short. Two vectors of
 * halves share a line. */
static void widen_and_fetch(const uint16_t *halves, size_t n, float *to, const uint16_t *next) {
    for (size_t j = 0; j < n; j += 2) {
        __builtin_prefetch(next + 16 * j, 0, 2);
        widen(halves + 16 * j, n - j < 2 ? 1 : 2, to + 16 * j);
    }
}

/* `size` numbers to a panel (or row). */
static group group_at(const operand *c, size_t size, int first, int count) {
    size_t from = (size_t)first * size, n = (size_t)count * size / 16;
    if (!c->wide) return (group){(const float *)c->numbers + from, first, count};
    const uint16_t *halves = (const uint16_t *)c->numbers + from;
    if (c->next)
        widen_and_fetch(halves, n, c->wide, c->next + from);
    else
        widen(halves, n, c->wide);
    return (group){c->wide, first, count};
}

INLINE void score_tile(const int R, const int V, const score_block *b, int row, const group *g, int panel) {
    tile_sums s;
    size_t size = (size_t)b->head_size * 16;
    fetch_ahead(b->ahead);
    tile_zero(R, V, s);
    tile_sum(R, V, b->head_size, (left_operand){b->a + (size_t)row * b->a_stride, b->a_stride, 1},
             (right_operand){g->p + (size_t)panel * size, size, 16}, s);
    tile_store(R, V, s, b->scores + (size_t)row * b->stride + 16 * (size_t)(g->first + panel), b->stride);
}

/* The group's first `count` panels. */
INLINE void score_rows(const int R, const score_block *b, int row, const group *g, int count) {
    const int V = width_for(R);
    int panel = 0;
    for (; panel + V <= count; panel += V) score_tile(R, V, b, row, g, panel);
    for (; panel < count; panel++) score_tile(R, 1, b, row, g, panel);
}

/* Rows i of the tile see `full + i` of the group's values: all rows the first `full`, then row i those below
 * it in the triangle. */
INLINE void lower_tile(const int R, const int V, const lower_block *b, int row, const group *g, int full,
                       bool triangle, int column) {
    tile_sums s;
    left_operand a = {b->weights + (size_t)row * b->stride + g->first, b->stride, 1};
    right_operand v = {g->p + column, 16, (size_t)b->width};
    float *out = b->out + (size_t)row * b->out_stride + column;
    fetch_ahead(b->ahead);
    if (g->first > 0)
        tile_load(R, V, out, b->out_stride, s);
    else
        tile_zero(R, V, s);
    tile_sum(R, V, full, a, v, s);
    if (triangle) {
        UNROLL
        for (int t = 1; t < R; t++)
            for (int p = 0; p < V; p++) {
                v16 w = load16(v.p + (size_t)(full + t - 1) * v.step + 16 * p);
                for (int i = 1; i < R; i++)
                    if (i >= t)
                        s[i][p] = fma16(set16(a.p[(size_t)i * a.row + (size_t)(full + t - 1)]), w, s[i][p]);
            }
    }
    tile_store(R, V, s, out, b->out_stride);
}

INLINE void lower_rows(const int R, const lower_block *b, int row, const group *g, int full, bool triangle) {
    const int V = SIMD16_WIDE == 2 && R < TILE_ROWS ? 4 : width_for(R);
    int c = 0;
    for (; c + 16 * V <= b->width; c += 16 * V) lower_tile(R, V, b, row, g, full, triangle, c);
    for (; c < b->width; c += 16) lower_tile(R, 1, b, row, g, full, triangle, c);
}

/* Keys key..key+R-1 over the block's rows from `first` on; in the triangle, row first + t serves only
 * keys <= t. */
INLINE void upper_tile(const int R, const int V, const upper_block *b, int key, int first, bool triangle,
                       int column) {
    tile_sums s;
    left_operand a = {b->weights + (size_t)first * b->stride + key, 1, b->stride};
    right_operand r = {b->rows + (size_t)first * b->rows_stride + column, 16, b->rows_stride};
    float *out = b->out + (size_t)key * b->out_stride + column;
    int n = b->count - first;
    fetch_ahead(b->ahead);
    if (!triangle)
        tile_load(R, V, out, b->out_stride, s);
    else {
        tile_zero(R, V, s);
        UNROLL
        for (int t = 0; t < R - 1; t++)
            for (int p = 0; p < V; p++) {
                v16 w = load16(r.p + (size_t)t * r.step + 16 * p);
                for (int i = 0; i < R - 1; i++)
                    if (i <= t) s[i][p] = fma16(set16(a.p[(size_t)i + (size_t)t * a.step]), w, s[i][p]);
            }
        a.p += (size_t)(R - 1) * a.step;
        r.p += (size_t)(R - 1) * r.step;
        n -= R - 1;
    }
    tile_sum(R, V, n, a, r, s);
    tile_store(R, V, s, out, b->out_stride);
}

INLINE void upper_rows(const int R, const upper_block *b, int key, int first, bool triangle) {
    const int V = SIMD16_WIDE == 2 && R < TILE_ROWS ? 4 : width_for(R);
    int c = 0;
    for (; c + 16 * V <= b->width; c += 16 * V) upper_tile(R, V, b, key, first, triangle, c);
    for (; c < b->width; c += 16) upper_tile(R, 1, b, key, first, triangle, c);
}

/* One function for each height, kept apart: in one big function gcc runs out of integer registers. */
#define HEIGHT(R)                                                                                            \
    static __attribute__((noinline)) void scores_##R(const score_block *b, int row, const group *g, int n) { \
        score_rows(R, b, row, g, n);                                                                         \
    }                                                                                                        \
    static __attribute__((noinline)) void lower_##R(const lower_block *b, int row, const group *g, int full, \
                                                    bool tri) {                                              \
        lower_rows(R, b, row, g, full, tri);                                                                 \
    }                                                                                                        \
    static __attribute__((noinline)) void upper_##R(const upper_block *b, int key, int first, bool tri) {    \
        upper_rows(R, b, key, first, tri);                                                                   \
    }
HEIGHT(1)
HEIGHT(2)
HEIGHT(4)
#if SIMD16_WIDE == 2
HEIGHT(8)
#define HIGHEST(name) name##_8
#elif SIMD16_WIDE == 1
HEIGHT(6)
#define HIGHEST(name) name##_6
#else
#define HIGHEST(name) name##_4
#endif

typedef struct heights {
    void (*scores)(const score_block *b, int row, const group *g, int count);
    void (*lower)(const lower_block *b, int row, const group *g, int full, bool triangle);
    void (*upper)(const upper_block *b, int key, int first, bool triangle);
} heights;

static const heights *height(int rows) {
    static const heights of[] = {{scores_1, lower_1, upper_1},
                                 {scores_2, lower_2, upper_2},
                                 {scores_4, lower_4, upper_4},
                                 {HIGHEST(scores), HIGHEST(lower), HIGHEST(upper)}};
    return &of[rows >= TILE_ROWS ? 3 : rows >= 4 ? 2 : rows >= 2 ? 1 : 0];
}

void KERNEL(attention_scores)(const score_block *b) {
    int panels = (b->position + b->rows - 1) / 16 + 1;
    for (int p = 0; p < panels; p += PANEL_GROUP) {
        group g = group_at(&b->panels, (size_t)b->head_size * 16, p, least(PANEL_GROUP, panels - p));
        for (int r = 0; r < b->rows; r += tile_height(b->rows - r)) {
            int seen = (b->position + r + tile_height(b->rows - r) - 1) / 16 + 1;
            if (p < seen) height(b->rows - r)->scores(b, r, &g, least(seen - p, g.count));
        }
    }
}

_Static_assert((int)VALUE_GROUP + (int)TILE_ROWS <= (int)WIDENED_ROWS, "a triangle's values");

void KERNEL(attention_lower)(const lower_block *b) {
    int keys = b->position + b->count;
    for (int j = 0; j < keys; j += VALUE_GROUP) {
        group g = group_at(&b->rows, (size_t)b->width, j, least(VALUE_GROUP + TILE_ROWS, keys - j));
        for (int r = 0; r < b->count; r += tile_height(b->count - r)) {
            int all = b->position + r + 1; /* keys that every row of the tile sees */
            if (j >= all) continue;
            bool triangle = j + VALUE_GROUP >= all;
            height(b->count - r)->lower(b, r, &g, triangle ? all - j : VALUE_GROUP, triangle);
        }
    }
}

void KERNEL(attention_upper)(const upper_block *b) {
    int keys = b->position + b->count;
    for (int j = 0; j < keys;) {
        bool triangle = j >= b->position;
        int left = triangle ? keys - j : b->position - j; /* no tile crosses into the triangle */
        height(left)->upper(b, j, triangle ? j - b->position : 0, triangle);
        j += tile_height(left);
    }
}
