/* Two of the three products of a linear layer y = x W^T + b of floats; only strides differ:
 *   forward          y[m][n]  = b[n] + sum_k x[m][k] W[n][k]     W packed in panels of sixteen outputs
 *   input gradient   dx[m][k] = sum_n dy[m][n] W[n][k]           W packed in panels of sixteen inputs
 * Blocks of the reduced index go one after another over all columns. */
#include "product.h"

enum {
    SHALLOW = 64, /* steps at a time for few rows and many panels */
    BLOCK_FLOATS =
        16 * (DEPTH * TILE_PANELS > SHALLOW * MOST_PANELS ? DEPTH * TILE_PANELS : SHALLOW * MOST_PANELS),
};

static const float zeros[16 * MOST_PANELS];

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
    int left = (f->to - n) / 16, panels = KERNEL(product_panels)(BY_ROWS, f->rows, left);
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
        p.next = panels_after((right_operand){p.b, panel, 16}, panels, left);
    } else {
        for (int v = 0; v < panels; v++)
            widen((const uint16_t *)l->packed + first + (size_t)v * panel, (size_t)p.n,
                  floats + v * p.n * 16);
        p.b = floats, p.b_panel = (size_t)p.n * 16;
        p.next = (ahead){{floats, p.b_panel, 16}, panels};
    }
    KERNEL(product_rows)(p, f->rows, panels);
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
            panels = KERNEL(product_panels)(BY_ROWS, rows, (to - k) / 16);
            product p = {.n = least(depth, l->out - d),
                         .a = dy + d,
                         .a_row = dys,
                         .a_tile = TILE_ROWS * dys,
                         .b = l->packed_back + (size_t)(k / 16) * panel + (size_t)d * 16,
                         .b_panel = panel,
                         .c = dx + k,
                         .c_row = dxs,
                         .start = d > 0 ? NULL : zeros};
            p.next = panels_after((right_operand){p.b, panel, 16}, panels, (to - k) / 16);
            KERNEL(product_rows)(p, rows, panels);
        }
    }
}
