/* A few rows times half-precision weights, which is decoding: each weight is widened in a register right
 * before its products, so that what memory delivers is the only limit. More rows are worth a copy of the
 * widened panels in the first cache (linear.c). The sums are the same. */
#include "set.h"
#include "tile.h"

/* y columns 16 panel .. 16 (panel + V) of R rows. */
typedef struct half_rows {
    const linear *l;
    const float *x;
    size_t xs;
    float *y;
    size_t ys;
} half_rows;

INLINE void half_tile(const int R, const int V, const half_rows *r, int panel) {
    size_t in = (size_t)r->l->in;
    const uint16_t *weights = (const uint16_t *)r->l->packed + 16 * (size_t)panel * in;
    tile_sums s;
    if (r->l->bias)
        tile_load(R, V, r->l->bias + 16 * panel, 0, s);
    else
        tile_zero(R, V, s);
    for (size_t j = 0; j < in; j++) {
        v16 x[TILE_ROWS];
        for (int i = 0; i < R; i++) x[i] = set16(r->x[(size_t)i * r->xs + j]);
        UNROLL
        for (int v = 0; v < V; v++) {
            v16 w = load_half16(weights + 16 * ((size_t)v * in + j));
            for (int i = 0; i < R; i++) s[i][v] = fma16(x[i], w, s[i][v]);
        }
    }
    tile_store(R, V, s, r->y + 16 * panel, r->ys);
}

/* The registers hold R V sums and a row's x. */
INLINE int panels_for(const int R) {
    if (SIMD16_WIDE == 2) return 4;
    if (SIMD16_WIDE == 1) return R == 1 ? 4 : R == 2 ? 2 : 1;
    return 1;
}

INLINE void half_panels(const int R, const half_rows *r, int panel, int end) {
    const int V = panels_for(R);
    for (; panel + V <= end; panel += V) half_tile(R, V, r, panel);
    for (; panel < end; panel++) half_tile(R, 1, r, panel);
}

#define HALVES(R)                                                                                            \
    static __attribute__((noinline)) void halves_##R(const half_rows *r, int panel, int end) {               \
        half_panels(R, r, panel, end);                                                                       \
    }
HALVES(1)
HALVES(2)
HALVES(3)
HALVES(4)

void KERNEL(linear_half)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                         size_t ys) {
    static void (*const of_rows[HALF_ROWS])(const half_rows *, int, int) = {halves_1, halves_2, halves_3,
                                                                            halves_4};
    half_rows r = {l, x, xs, y, ys};
    of_rows[rows - 1](&r, from / 16, to / 16);
}
