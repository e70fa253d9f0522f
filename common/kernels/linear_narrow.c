/* A few rows times narrow weights, which is decoding: each weight is widened in a register right before its
 * products, so that what memory delivers is the only limit. More rows are worth a copy of the widened panels
 * in the first cache (linear.c). The sums are the same. */
#include "set.h"
#include "tile.h"

/* y columns 16 panel .. 16 (panel + V) of R rows. */
typedef struct narrow_rows {
    const linear *l;
    const float *x;
    size_t xs;
    float *y;
    size_t ys;
} narrow_rows;

/* Step j of sixteen outputs. */
INLINE v16 widened(const weight_type type, const void *packed, size_t step, v16 scale) {
    if (type == WEIGHTS_F16) return load_half16((const uint16_t *)packed + 16 * step);
    return mul16(load_byte16((const int8_t *)packed + 16 * step), scale);
}

/* Adds steps from..to, which share a scale. `panels`: the first step of the first panel. */
INLINE void sum_steps(const weight_type type, const int R, const int V, const narrow_rows *r, size_t panels,
                      int from, int to, const v16 *scale, tile_sums s) {
    size_t in = (size_t)r->l->in;
    for (int j = from; j < to; j++) {
        v16 x[TILE_ROWS];
        for (int i = 0; i < R; i++) x[i] = set16(r->x[(size_t)i * r->xs + (size_t)j]);
        UNROLL
        for (int v = 0; v < V; v++) {
            v16 w = widened(type, r->l->packed, panels + (size_t)v * in + (size_t)j, scale[v]);
            for (int i = 0; i < R; i++) s[i][v] = fma16(x[i], w, s[i][v]);
        }
    }
}

INLINE void narrow_tile(const weight_type type, const int R, const int V, const narrow_rows *r, int panel) {
    const linear *l = r->l;
    int groups = (l->in + SCALE_GROUP - 1) / SCALE_GROUP;
    tile_sums s;
    if (l->bias)
        tile_load(R, V, l->bias + 16 * panel, 0, s);
    else
        tile_zero(R, V, s);
    for (int g = 0; g < groups; g++) {
        v16 scale[MOST_PANELS];
        for (int v = 0; v < V; v++)
            scale[v] = type == WEIGHTS_INT8
                           ? load16(l->scales + ((size_t)(panel + v) * (size_t)groups + (size_t)g) * 16)
                           : set16(1);
        int from = g * SCALE_GROUP, to = from + SCALE_GROUP;
        sum_steps(type, R, V, r, (size_t)panel * (size_t)l->in, from, to < l->in ? to : l->in, scale, s);
    }
    tile_store(R, V, s, r->y + 16 * panel, r->ys);
}

/* The registers hold R V sums, V scales and a row's x. */
INLINE int narrow_width(const int R) {
    if (SIMD16_WIDE == 2) return 4;
    if (SIMD16_WIDE == 1) return R == 1 ? 4 : R == 2 ? 2 : 1;
    return 1;
}

INLINE void narrow_panels(const weight_type type, const int R, const narrow_rows *r, int panel, int end) {
    const int V = narrow_width(R);
    for (; panel + V <= end; panel += V) narrow_tile(type, R, V, r, panel);
    for (; panel < end; panel++) narrow_tile(type, R, 1, r, panel);
}

#define NARROW(R)                                                                                            \
    static __attribute__((noinline)) void narrow_##R(const narrow_rows *r, int panel, int end) {             \
        if (r->l->type == WEIGHTS_F16)                                                                       \
            narrow_panels(WEIGHTS_F16, R, r, panel, end);                                                    \
        else                                                                                                 \
            narrow_panels(WEIGHTS_INT8, R, r, panel, end);                                                   \
    }
NARROW(1)
NARROW(2)
NARROW(3)
NARROW(4)

void KERNEL(linear_narrow)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                           size_t ys) {
    static void (*const of_rows[NARROW_ROWS])(const narrow_rows *, int, int) = {narrow_1, narrow_2, narrow_3,
                                                                                narrow_4};
    narrow_rows r = {l, x, xs, y, ys};
    of_rows[rows - 1](&r, from / 16, to / 16);
}
