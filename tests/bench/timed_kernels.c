#include "timed_kernels.h"
#include "clock.h"
#include "model.h"

/* A kernel has no argument to carry a clock in, so each thread has its own, and what is timed is one for all.
 */
static const kernels *timed;
static activation_kind activation_used;
static _Thread_local part_times spent;

static void add_time(part p, double began, double flops) {
    spent.seconds[p] += clock_seconds() - began;
    spent.flops[p] += flops;
}

static void linear_forward(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                           size_t ys) {
    double began = clock_seconds();
    timed->linear(l, rows, from, to, x, xs, y, ys);
    add_time(LINEAR_FORWARD, began, 2.0 * rows * ((to < l->out ? to : l->out) - from) * l->in);
}

static void input_gradient(const linear *l, int rows, int from, int to, const float *dy, size_t dys,
                           float *dx, size_t dxs) {
    double began = clock_seconds();
    timed->linear_input_gradient(l, rows, from, to, dy, dys, dx, dxs);
    add_time(INPUT_GRADIENT, began, 2.0 * rows * ((to < l->in ? to : l->in) - from) * l->out);
}

static void weight_gradient(const linear *gradient, int rows, int from, int to, const float *dy, size_t dys,
                            const float *x, size_t xs, float *scratch) {
    double began = clock_seconds();
    timed->linear_weight_gradient(gradient, rows, from, to, dy, dys, x, xs, scratch);
    add_time(WEIGHT_GRADIENT, began, 2.0 * rows * (to - from) * gradient->in);
}

static void norm(int rows, int n, const float *x, size_t xs, const float *weight, const float *bias, float *y,
                 size_t ys, float *stats) {
    double began = clock_seconds();
    timed->layer_norm(rows, n, x, xs, weight, bias, y, ys, stats);
    add_time(LAYER_NORM, began, 0);
}

static void norm_backward(int rows, int n, const float *dy, size_t dys, const float *x, size_t xs,
                          const float *weight, const float *stats, float *dx, size_t dxs) {
    double began = clock_seconds();
    timed->layer_norm_backward(rows, n, dy, dys, x, xs, weight, stats, dx, dxs);
    add_time(LAYER_NORM, began, 0);
}

static void norm_weights(int rows, int from, int to, const float *dy, size_t dys, const float *x, size_t xs,
                         const float *stats, float *dweight, float *dbias) {
    double began = clock_seconds();
    timed->layer_norm_weight_gradient(rows, from, to, dy, dys, x, xs, stats, dweight, dbias);
    add_time(LAYER_NORM, began, 0);
}

static void activation(int rows, int n, const float *x, size_t xs, float *y, size_t ys) {
    double began = clock_seconds();
    timed->activation[activation_used](rows, n, x, xs, y, ys);
    add_time(ACTIVATION, began, 0);
}

static void activation_backward(int rows, int n, float *x, size_t xs, float *dy, size_t dys) {
    double began = clock_seconds();
    timed->activation_backward[activation_used](rows, n, x, xs, dy, dys);
    add_time(ACTIVATION, began, 0);
}

static void add(int rows, int n, const float *x, size_t xs, const float *y, size_t ys, const dropout *drop,
                uint64_t first, size_t drop_row, float *out, size_t os) {
    double began = clock_seconds();
    timed->add(rows, n, x, xs, y, ys, drop, first, drop_row, out, os);
    add_time(DROPOUT_AND_RESIDUAL, began, 0);
}

static void drop(int rows, int n, const float *y, size_t ys, const dropout *drop, uint64_t first,
                 size_t drop_row, float *out, size_t os) {
    double began = clock_seconds();
    timed->drop(rows, n, y, ys, drop, first, drop_row, out, os);
    add_time(DROPOUT_AND_RESIDUAL, began, 0);
}

/* Scores and weighted values: each 2 D operations for each key that a row reads. */
static double attention_flops(int rows, int position, int head_size) {
    double keys = rows * (position + (rows + 1) / 2.0);
    return 4 * keys * head_size;
}

static void append(const new_positions *n) {
    double began = clock_seconds();
    timed->append(n);
    add_time(ATTENTION_FORWARD, began, 0);
}

static void attention(const attention_rows *a) {
    double began = clock_seconds();
    timed->attention(a);
    add_time(ATTENTION_FORWARD, began, attention_flops(a->rows, a->position, a->head_size));
}

static void attention_back(const attention_gradient *a) {
    double began = clock_seconds();
    timed->attention_gradient(a);
    add_time(ATTENTION_BACKWARD, began, 2 * attention_flops(a->rows, 0, a->head_size));
}

static void cross_entropy(int rows, int n, float *logits, size_t stride, const int32_t *targets, float scale,
                          row_loss *losses) {
    double began = clock_seconds();
    timed->cross_entropy(rows, n, logits, stride, targets, scale, losses);
    add_time(LOSS, began, 0);
}

static void adamw(size_t n, const adamw_step *step, const float *gradient, float *weight, float *m,
                  float *v) {
    double began = clock_seconds();
    timed->adamw(n, step, gradient, weight, m, v);
    add_time(OPTIMIZER, began, 0);
}

static double sum_of_squares(size_t n, const float *x) {
    double began = clock_seconds(), sum = timed->sum_of_squares(n, x);
    add_time(OPTIMIZER, began, 0);
    return sum;
}

static void accumulate(size_t n, float *a, const float *b) {
    double began = clock_seconds();
    timed->accumulate(n, a, b);
    add_time(OPTIMIZER, began, 0);
}

const kernels *timed_kernels(const kernels *real, activation_kind kind) {
    static kernels table = {
        .linear = linear_forward,
        .linear_input_gradient = input_gradient,
        .linear_weight_gradient = weight_gradient,
        .layer_norm = norm,
        .layer_norm_backward = norm_backward,
        .layer_norm_weight_gradient = norm_weights,
        .activation = {activation, activation, activation},
        .activation_backward = {activation_backward, activation_backward, activation_backward},
        .add = add,
        .drop = drop,
        .append = append,
        .attention = attention,
        .attention_gradient = attention_back,
        .cross_entropy = cross_entropy,
        .adamw = adamw,
        .sum_of_squares = sum_of_squares,
        .accumulate = accumulate,
    };
    timed = real;
    activation_used = kind;
    table.name = real->name;
    table.fma_peak_flops = real->fma_peak_flops;
    table.read_floats = real->read_floats;
    return &table;
}

/* Linked with --wrap: calls of team_sync and model_pack_panel from other files come here. */
void __real_team_sync(member me);
void __wrap_team_sync(member me);
void __wrap_team_sync(member me) {
    double began = clock_seconds();
    __real_team_sync(me);
    if (me.size > 1) add_time(WAITING, began, 0);
}

void __real_model_pack_panel(const model *m, const linear *l, const parameter *p, int panel);
void __wrap_model_pack_panel(const model *m, const linear *l, const parameter *p, int panel);
void __wrap_model_pack_panel(const model *m, const linear *l, const parameter *p, int panel) {
    double began = clock_seconds();
    __real_model_pack_panel(m, l, p, panel);
    add_time(PACKING, began, 0);
}

static void hand_over(void *argument, member me) {
    part_times *of_members = argument;
    of_members[me.rank] = spent;
    spent = (part_times){0};
}

part_times timed_collect(team *t) {
    part_times of_members[MAX_THREADS], sum = {0};
    team_run(t, hand_over, of_members);
    for (int i = 0; i < team_size(t); i++)
        for (part p = 0; p < PARTS; p++) {
            sum.seconds[p] += of_members[i].seconds[p];
            sum.flops[p] += of_members[i].flops[p];
        }
    return sum;
}
