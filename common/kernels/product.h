/* One product of some rows by one group of panels, a tile at a time: what the products of linear layers are
 * made of. */
#ifndef PRODUCT_H
#define PRODUCT_H
#include "least.h"
#include "set.h"
#include "tile.h"

/* Steps of the reduced index at a time, at most, so that a group of panels stays in the first cache. */
enum { DEPTH = SIMD16_WIDE == 2 ? 192 : 256 };

/* Steps of one block of n in all: as few blocks as can be, of about the same depth. */
static inline int depth_of(int n) {
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

typedef struct product { /* of some rows of a and some panels of b, over n steps of the reduced index */
    layout layout;
    int n;
    const float *a;
    size_t a_row, a_tile; /* from a row to the next (by rows), from a tile to the next */
    const float *b;
    size_t b_panel; /* by rows */
    float *c;
    size_t c_row;
    const float *start; /* start[16v + lane] begins the sums of every row; NULL: c does */
    ahead next, then;   /* the panels after b's; what comes after all panels, or nothing */
    fetch fetch;        /* product_rows's own */
} product;

/* How many of the panels left go together, for at least one row. */
int KERNEL(product_panels)(layout how, int rows, int left);

/* The panels that follow a group of them, or, at the end, the same again. */
static inline ahead panels_after(right_operand b, int panels, int left) {
    int count = least(left - panels, panels);
    if (count <= 0) return (ahead){b, panels};
    b.p += (size_t)panels * b.panel;
    return (ahead){b, count};
}

/* p.c (+)= p.a p.b for `rows` rows and as many panels as product_panels said. */
void KERNEL(product_rows)(product p, int rows, int panels);
#endif
