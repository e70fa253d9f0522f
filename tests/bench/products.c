/* The matrix products of a model's layer, through our kernels and through OpenBLAS in turn:
 *   build/bench/products FIGURES.json ROUNDS CONFIG [--key=value ...]
 * Each thread has 512 rows, as in training: forward and input gradient split them, the weight gradient its
 * own rows or columns. Ours reads packed weights; packing them, once an update, is in the breakdown. */
#include "backward.h"
#include "cases.h"
#include "clock.h"
#include "machine.h"
#include "median.h"
#include "memory.h"
#include "subject.h"
#include "table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 512 };
static const double SHORTEST = 0.03; /* seconds */

enum { OURS, OF_PEAK, OPENBLAS, RATIO, COLUMNS };
static const column columns[COLUMNS] = {
    [OURS] = {"GFLOP/s", "flops", 1e-9, 0, ""},
    [OF_PEAK] = {"of peak", "share_of_peak", 100, 0, " %"},
    [OPENBLAS] = {"OpenBLAS, GFLOP/s", "openblas_flops", 1e-9, 0, ""},
    [RATIO] = {"ours / OpenBLAS", "ratio", 1, 2, ""},
};

typedef enum { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, PRODUCTS } product;
static const char *const product_names[PRODUCTS] = {"forward", "input gradient", "weight gradient"};

typedef struct bench {
    cases cases;
    subject subject;
    weights gradient;
    float *block, *x, *y;
    float *scratch; /* WEIGHT_GRADIENT_SCRATCH floats for each thread */
    const kernels *openblas;
    table table;
} bench;

typedef struct job {
    const kernels *kernels;
    const linear *layer, *gradient;
    product product;
    float *x, *y, *scratch;
    int rows, repeats;
} job;

static void multiply_once(const job *j, member me) {
    const linear *l = j->layer;
    size_t xs = (size_t)padded(l->in), ys = (size_t)padded(l->out);
    range r = share(me, j->rows, 1);
    float *x = j->x + (size_t)r.from * xs, *y = j->y + (size_t)r.from * ys;
    if (j->product == FORWARD)
        j->kernels->linear(l, r.to - r.from, 0, (int)ys, x, xs, y, ys);
    else if (j->product == INPUT_GRADIENT)
        j->kernels->linear_input_gradient(l, r.to - r.from, 0, (int)xs, y, ys, x, xs);
    else
        backward_linear(j->kernels, j->gradient, j->rows, j->y, j->x,
                        j->scratch + (size_t)me.rank * WEIGHT_GRADIENT_SCRATCH, me);
}

static void multiply(void *argument, member me) {
    const job *j = argument;
    for (int i = 0; i < j->repeats; i++) {
        multiply_once(j, me);
        team_sync(me);
    }
}

/* Values near 1 again, whatever the products have made of them. */
static void refill(bench *b, const linear *l) {
    size_t rows = (size_t)ROWS * (size_t)team_size(b->subject.team);
    size_t nx = rows * (size_t)padded(l->in), ny = rows * (size_t)padded(l->out);
    for (size_t i = 0; i < nx; i++) b->x[i] = (float)(i % 61) / 30 - 1;
    for (size_t i = 0; i < ny; i++) b->y[i] = (float)(i % 59) / 29 - 1;
    memset(b->block, 0, b->subject.model.table.floats * sizeof(float));
}

static double rate(bench *b, const linear *l, const linear *gradient, product p, const kernels *k) {
    int rows = ROWS * team_size(b->subject.team);
    job j = {.kernels = k,
             .layer = l,
             .gradient = gradient,
             .product = p,
             .x = b->x,
             .y = b->y,
             .scratch = b->scratch,
             .rows = rows};
    refill(b, l);
    for (j.repeats = 1;; j.repeats *= 2) {
        double began = clock_seconds();
        team_run(b->subject.team, multiply, &j);
        double seconds = clock_seconds() - began;
        if (seconds > SHORTEST) return 2.0 * rows * l->in * l->out * j.repeats / seconds;
    }
}

static void print_product(bench *b, const char *name, const linear *l, const linear *gradient, product p) {
    double ours[MOST_ROUNDS], theirs[MOST_ROUNDS], peak[MOST_ROUNDS], values[COLUMNS];
    const kernels *k = b->subject.kernels;
    char label[96];
    for (int i = 0; i < b->cases.rounds; i++) {
        peak[i] = machine_fma_peak(k, b->subject.team);
        ours[i] = rate(b, l, gradient, p, k);
        theirs[i] = b->openblas ? rate(b, l, gradient, p, b->openblas) : NAN;
    }
    values[OURS] = median(ours, b->cases.rounds);
    values[OF_PEAK] = values[OURS] / median(peak, b->cases.rounds);
    values[OPENBLAS] = median(theirs, b->cases.rounds);
    values[RATIO] = values[OURS] / values[OPENBLAS];
    (void)snprintf(label, sizeof label, "%s, %s: %d x %d", name, product_names[p], l->in, l->out);
    table_row(&b->table, label, values);
}

static bool open_rows(bench *b, problem *why) {
    const model *m = &b->subject.model;
    size_t rows = (size_t)ROWS * (size_t)team_size(b->subject.team),
           wide = (size_t)padded(4 * m->shape.n_embd);
    b->openblas = kernels_named("openblas");
    if (b->openblas && !kernels_ready(b->openblas, team_size(b->subject.team), why)) return false;
    return (b->x = allocate(rows * wide, sizeof(float), "rows", why)) &&
           (b->y = allocate(rows * wide, sizeof(float), "rows", why)) &&
           (b->scratch = allocate((size_t)team_size(b->subject.team), WEIGHT_GRADIENT_SCRATCH * sizeof(float),
                                  "scratch", why)) &&
           (b->block = allocate(m->table.floats, sizeof(float), "the gradient", why)) &&
           weights_open(&b->gradient, m, b->block, why) &&
           model_prepare(&b->subject.model, true, b->subject.team, why);
}

static bool measure(bench *b, problem *why) {
    if (!table_open(&b->table, b->cases.figures, "products", "matrix products", COLUMNS, columns, why))
        return false;
    const layer_weights *w = &b->subject.model.w.layers[0], *g = &b->gradient.layers[0];
    for (product p = FORWARD; p < PRODUCTS; p++) {
        print_product(b, "qkv", &w->qkv, &g->qkv, p);
        print_product(b, "attn_proj", &w->attn_proj, &g->attn_proj, p);
        print_product(b, "fc", &w->fc, &g->fc, p);
        print_product(b, "mlp_proj", &w->mlp_proj, &g->mlp_proj, p);
    }
    return table_close(&b->table, why);
}

int main(int argc, char **argv) {
    problem why = {0};
    bench b = {0};
    bool fine = cases_read(&b.cases, argc, argv, &why) &&
                subject_open(&b.subject, &b.cases.list[0].settings, &why) && open_rows(&b, &why) &&
                measure(&b, &why);
    weights_close(&b.gradient);
    release(b.block);
    release(b.x);
    release(b.y);
    release(b.scratch);
    subject_close(&b.subject);
    if (!fine) (void)fprintf(stderr, "products: %s\n", why.text);
    return fine ? 0 : why.exit_status;
}
