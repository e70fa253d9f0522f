/* The third product of a linear layer: dW[n][k] += sum_m dy[m][n] x[m][k], dy read down its columns and x as
 * it lies. Both are first copied side by side: a column of rows a power of two apart would fall into a few
 * sets of the cache. */
#include "product.h"
#include <string.h>

enum {
    LEFT_ROWS = 384,                    /* of dW at a time: whole tiles of every height */
    LEFT_TILE = DEPTH * TILE_ROWS + 16, /* floats of a tile: no multiple of a page, whose lines share a set */
    LEFT_FLOATS = LEFT_ROWS / TILE_ROWS * LEFT_TILE,
};

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
    int rows, depth, to; /* depth: rows at a time; to: dW's last row and one */
    const float *dy;
    size_t dys;
    const float *x;
    size_t xs;
    float *left, *right; /* operands side by side */
} weight_gradient;

/* Fetching dy for the block after row m, column n: the share of `panels` panels from panel k on, of `all`. */
static ahead next_columns(const weight_gradient *w, int m, int n, int k, int panels, int all) {
    m += w->depth;
    if (m >= w->rows) m = 0, n += LEFT_ROWS;
    if (n >= w->to) return (ahead){0};
    int vectors = (least(LEFT_ROWS, w->to - n) + 15) / 16, first = vectors * k / all;
    const float *from = w->dy + (size_t)m * w->dys + n + 16 * first;
    return (ahead){{from, 16, w->dys}, vectors * (k + panels) / all - first};
}

/* dW rows n.. (at most LEFT_ROWS of them), summed over rows m.. (at most `depth`). */
static void weight_gradient_block(const weight_gradient *w, int m, int n) {
    const linear *g = w->gradient;
    const float *x = w->x + (size_t)m * w->xs;
    int depth = least(w->depth, w->rows - m), rows = least(LEFT_ROWS, w->to - n), panels;
    copy_columns(depth, rows, w->dy + (size_t)m * w->dys + n, w->dys, w->left);
    int all = (g->in + 15) / 16;
    for (int k = 0; k < all; k += panels) {
        panels = KERNEL(product_panels)(BY_COLUMNS, rows, all - k);
        copy_rows(depth, panels, x + 16 * k, w->xs, w->right);
        product p = {.layout = BY_COLUMNS,
                     .n = depth,
                     .a = w->left,
                     .a_tile = LEFT_TILE,
                     .b = w->right,
                     .c = g->weight + (size_t)n * g->stride + 16 * k,
                     .c_row = g->stride,
                     .next = panels_after((right_operand){x + 16 * k, 16, w->xs}, panels, all - k),
                     .then = next_columns(w, m, n, k, panels, all)};
        KERNEL(product_rows)(p, rows, panels);
    }
}

static void bias_gradient(const linear *g, int rows, int from, int to, const float *dy, size_t dys) {
    for (int m = 0; m < rows; m++)
        for (int n = from; n < to; n++) g->bias[n] += dy[(size_t)m * dys + (size_t)n];
}

void KERNEL(linear_weight_gradient)(const linear *gradient, int rows, int from, int to, const float *dy,
                                    size_t dys, const float *x, size_t xs, float *scratch) {
    if (rows == 0) return;
    weight_gradient w = {gradient, rows, depth_of(rows), to, dy, dys, x, xs, scratch, scratch + LEFT_FLOATS};
    for (int n = from; n < to; n += LEFT_ROWS)
        for (int m = 0; m < rows; m += w.depth) weight_gradient_block(&w, m, n);
    if (gradient->bias) bias_gradient(gradient, rows, from, to, dy, dys);
}
