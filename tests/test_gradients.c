/* The learner's gradient with dropout on, for odd shapes and each activation: against finite differences of
 * its own loss, and against the double-precision reference under the same masks. */
#include "learner.h"
#include "support/learner_masks.h"
#include "support/reference_backward.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include "support/tensor_error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 3, ACCUMULATE = 2, WINDOWS = BATCH * ACCUMULATE, ITERATION = 5 };

static const shape shapes[] = {
    {2, 3, 21, 19, 31, RELU, .bias = true, .head_bias = true},
    {2, 2, 22, 17, 40, GELU, .qkv_bias = true, .bias = true, .tie_weights = true},
    {1, 2, 16, 33, 17, GELU_TANH, .bias = false},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct fixture {
    model model;
    settings settings;
    team *team;
    learner *learner;
    int32_t *tokens;
    const int32_t *windows[WINDOWS];
} fixture;

static void open_fixture(fixture *f, const shape *s, const kernels *k, bool drops) {
    problem why;
    size_t window = (size_t)s->block_size + 1;
    rough_model(&f->model, s, 0.2);
    settings_default(&f->settings);
    settings_from_shape(&f->settings, s);
    f->settings.dropout = drops ? 0.3 : 0;
    f->settings.embd_dropout = drops ? 0.2 : 0;
    f->settings.batch_size = BATCH;
    f->settings.grad_accum = ACCUMULATE;
    f->team = team_open(2, &why);
    f->learner = f->team ? learner_open(&f->model, k, f->team, &f->settings, &why) : NULL;
    must(f->learner != NULL, &why);
    f->tokens = random_tokens(s->vocab_size, WINDOWS * window, 0);
    for (size_t b = 0; b < WINDOWS; b++) f->windows[b] = f->tokens + b * window;
}

static void close_fixture(fixture *f) {
    learner_close(f->learner);
    team_close(f->team);
    model_close(&f->model);
    free(f->tokens);
}

/* Takes the hidden units far from 0, where ReLU's slope jumps and a difference is no slope: half on,
 * half off. */
static void leave_the_kink(fixture *f) {
    for (int i = 0; i < f->model.shape.n_layer; i++) {
        const linear *fc = &f->model.w.layers[i].fc;
        for (int j = 0; j < fc->out; j++) fc->bias[j] = j % 2 ? 5 : -5;
    }
    model_pack(&f->model, alone());
}

static double loss_of(fixture *f) {
    double loss, norm;
    learner_gradient(f->learner, ITERATION, f->windows, &loss, &norm);
    return loss;
}

/* The loss with `distance` steps of `direction` added to a tensor, whose weights are at `start`. */
static double loss_at(fixture *f, const parameter *p, const float *start, const float *direction,
                      double distance) {
    size_t floats = (size_t)p->rows * p->stride;
    float *tensor = f->model.block + p->offset;
    for (size_t i = 0; i < floats; i++) tensor[i] = (float)(start[i] + distance * direction[i]);
    model_pack(&f->model, alone());
    double loss = loss_of(f);
    memcpy(tensor, start, floats * sizeof *tensor);
    return loss;
}

/* The loss's slope along `direction` from four points: error O(h^4), so that h can be large against
 * rounding. */
static double slope(fixture *f, const parameter *p, const float *direction, double h) {
    size_t floats = (size_t)p->rows * p->stride;
    float *start = zeros(floats, sizeof *start);
    memcpy(start, f->model.block + p->offset, floats * sizeof *start);
    double near = loss_at(f, p, start, direction, h) - loss_at(f, p, start, direction, -h);
    double far = loss_at(f, p, start, direction, 2 * h) - loss_at(f, p, start, direction, -2 * h);
    free(start);
    return (8 * near - far) / (12 * h);
}

static double norm_of(size_t count, const float *x) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)x[i] * x[i];
    return sqrt(sum);
}

/* Along its own gradient g the loss changes by |g|. */
static void check_slope(fixture *f, const parameter *p, const float *gradient) {
    size_t floats = (size_t)p->rows * p->stride;
    double norm = norm_of(floats, gradient + p->offset);
    float *direction = zeros(floats, sizeof *direction);
    for (size_t i = 0; i < floats; i++) direction[i] = (float)(gradient[p->offset + i] / norm);
    double found = slope(f, p, direction, 0.02);
    ck_assert_msg(fabs(found / norm - 1) <= 1e-3, "%s: slope %g, gradient %g", p->name, found, norm);
    free(direction);
}

START_TEST(test_finite_differences) {
    fixture f;
    open_fixture(&f, &shapes[_i], kernels_named("auto"), true);
    if (shapes[_i].activation == RELU) leave_the_kink(&f);
    size_t bytes = f.model.table.floats * sizeof(float);
    float *gradient = zeros(bytes, 1);
    loss_of(&f);
    memcpy(gradient, learner_gradient_block(f.learner), bytes);
    for (size_t i = 0; i < f.model.table.count; i++) check_slope(&f, &f.model.table.list[i], gradient);
    free(gradient);
    close_fixture(&f);
}
END_TEST

static double reference(fixture *f, const kernels *k, double *gradient) {
    dropout_masks masks[WINDOWS];
    for (int b = 0; b < WINDOWS; b++) {
        dropout_plan plan = {f->settings.dropout, f->settings.embd_dropout, f->settings.seed, ITERATION,
                             (uint64_t)b};
        masks[b] = masks_open(&f->model.shape, k, &plan);
    }
    double loss =
        reference_gradient(&f->model, WINDOWS, f->windows, f->model.shape.block_size, masks, gradient);
    for (int b = 0; b < WINDOWS; b++) masks_close(&masks[b]);
    return loss;
}

/* Queries `times` as long, and so the scores. */
static void stretch_queries(fixture *f, float times) {
    for (int i = 0; i < f->model.shape.n_layer; i++) {
        const linear *qkv = &f->model.w.layers[i].qkv;
        for (size_t j = 0; j < (size_t)f->model.shape.n_embd * qkv->stride; j++) qkv->weight[j] *= times;
    }
    model_pack(&f->model, alone());
}

static void check_against_reference(fixture *f, const kernels *k) {
    const parameter_table *table = &f->model.table;
    double *expected = zeros(table->floats, sizeof *expected);
    double loss = reference(f, k, expected);
    ck_assert_double_eq_tol(loss_of(f) / loss, 1, 1e-6);
    double *found = as_doubles(learner_gradient_block(f->learner), table->floats);
    tensor_error e = block_error(table, found, expected);
    ck_assert_msg(e.relative <= 1e-5, "%s: %s differs by %g", k->name, e.worst->name, e.relative);
    ck_assert_msg(e.key_bias <= 1e-7, "%s: a gradient of the keys' bias differs by %g", k->name, e.key_bias);
    free(found);
    free(expected);
}

START_TEST(test_reference) {
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++) {
        fixture f;
        open_fixture(&f, &shapes[_i], k, true);
        check_against_reference(&f, k);
        close_fixture(&f);
    }
}
END_TEST

/* Head size 8: to scale such scores rounds off more than exp's argument may be. Every row sees one key alone,
 * and without dropout the gradient of its scores is exactly 0, which is as well: it would be multiplied by
 * such queries. */
START_TEST(test_scores_of_any_size) {
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++) {
        fixture f;
        open_fixture(&f, &shapes[SHAPES - 1], k, false);
        stretch_queries(&f, 1e11F);
        check_against_reference(&f, k);
        close_fixture(&f);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("gradients");
    tcase_add_loop_test(cases, test_finite_differences, 0, SHAPES);
    tcase_add_loop_test(cases, test_reference, 0, SHAPES);
    tcase_add_test(cases, test_scores_of_any_size);
    return suite_run(cases, "gradients", 60);
}
