/* The three products of a linear layer of floats against their definition, a sequential sum of fused
 * multiply-adds: the same bits, on every kernel set that promises them, for every height and width of tile,
 * cut by rows or columns. */
#include "backward.h"
#include "support/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 9 };

static float random_float(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)((int)(*state >> 40) - (1 << 23)) * 0x1p-23f;
}

/* Rows `stride` floats apart of `columns` numbers each and zeros. */
static float *random_rows(int rows, int columns, size_t stride) {
    uint64_t state = (uint64_t)(rows * 1009 + columns);
    float *x = zeros((size_t)rows * stride + 1, sizeof *x);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) x[(size_t)r * stride + (size_t)c] = random_float(&state);
    return x;
}

static float *not_numbers(size_t n) {
    float *x = zeros(n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = NAN;
    return x;
}

static void same(const char *what, const kernels *k, int rows, int in, int out, const float *found,
                 const float *expected, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(&found[i], &expected[i], sizeof *found) != 0)
            ck_abort_msg("%s, %s, %d rows, %d inputs, %d outputs: number %zu is %a and should be %a", k->name,
                         what, rows, in, out, i, (double)found[i], (double)expected[i]);
}

/* c[i][j] of x (rows, n) and w (columns, n): begin[j], or 0, and then x[i][t] w[j][t] in order. */
static float *products(int rows, int columns, int n, const float *x, size_t xs, const float *w, size_t ws,
                       size_t wt, const float *begin, size_t stride) {
    float *c = zeros((size_t)rows * stride + 1, sizeof *c);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            float sum = begin ? begin[j] : 0;
            for (int t = 0; t < n; t++)
                sum = fmaf(x[(size_t)i * xs + (size_t)t], w[(size_t)j * ws + (size_t)t * wt], sum);
            c[(size_t)i * stride + (size_t)j] = sum;
        }
    return c;
}

/* Panels of sixteen of w's rows (`across` apart), each step after step (`along` apart). */
static float *pack(int rows, int steps, const float *w, size_t across, size_t along) {
    float *panels = zeros((size_t)padded(rows) * (size_t)steps, sizeof *panels);
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < steps; t++)
            panels[((size_t)(r / 16) * (size_t)steps + (size_t)t) * 16 + (size_t)(r % 16)] =
                w[(size_t)r * across + (size_t)t * along];
    return panels;
}

static void check_forward(int rows, int in, int out) {
    size_t xs = (size_t)padded(in), ys = (size_t)padded(out), n = (size_t)rows * ys;
    float *x = random_rows(rows, in, xs), *w = random_rows(out, in, xs), *bias = random_rows(1, out, ys);
    linear l = {.out = out, .in = in, .weight = w, .stride = xs, .bias = (rows + in + out) % 2 ? bias : NULL};
    l.packed = pack(out, in, w, xs, 1);
    float *expected = products(rows, out, in, x, xs, w, xs, 1, l.bias, ys);
    const kernels *k;
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        float *y = not_numbers(n);
        int middle = padded(out) / 32 * 16;
        k->linear(&l, rows, 0, middle, x, xs, y, ys);
        k->linear(&l, rows, middle, padded(out), x, xs, y, ys);
        same("forward", k, rows, in, out, y, expected, n);
        free(y);
    }
    free(x), free(w), free(bias), free(l.packed), free(expected);
}

static void check_input_gradient(int rows, int in, int out) {
    size_t xs = (size_t)padded(in), ys = (size_t)padded(out), n = (size_t)rows * xs;
    float *dy = random_rows(rows, out, ys), *w = random_rows(out, in, xs);
    linear l = {.out = out, .in = in, .weight = w, .stride = xs};
    l.packed_back = pack(in, out, w, 1, xs);
    float *expected = products(rows, in, out, dy, ys, w, 1, xs, NULL, xs);
    const kernels *k;
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        float *dx = not_numbers(n);
        k->linear_input_gradient(&l, rows, 0, padded(in), dy, ys, dx, xs);
        same("input gradient", k, rows, in, out, dx, expected, n);
        free(dx);
    }
    free(dy), free(w), free(l.packed_back), free(expected);
}

typedef struct gradient {
    int in, out;
    size_t xs, ys;
    float *weight, *bias;
} gradient;

static gradient gradient_open(int in, int out) {
    size_t xs = (size_t)padded(in), ys = (size_t)padded(out);
    return (gradient){in, out, xs, ys, random_rows(out, in, xs), random_rows(1, out, ys)};
}

static void gradient_close(gradient *g) {
    free(g->weight), free(g->bias);
}

static void define(gradient *g, int rows, const float *dy, const float *x) {
    for (int r = 0; r < rows; r++)
        for (int o = 0; o < g->out; o++) {
            float d = dy[(size_t)r * g->ys + (size_t)o], *w = g->weight + (size_t)o * g->xs;
            for (int i = 0; i < g->in; i++) w[i] = fmaf(d, x[(size_t)r * g->xs + (size_t)i], w[i]);
            g->bias[o] += d;
        }
}

static void check_weight_gradient(int rows, int in, int out, int members) {
    gradient expected = gradient_open(in, out);
    float *dy = random_rows(rows, out, expected.ys), *x = random_rows(rows, in, expected.xs);
    float *scratch = not_numbers(WEIGHT_GRADIENT_SCRATCH);
    const kernels *k;
    define(&expected, rows, dy, x);
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        gradient g = gradient_open(in, out);
        linear l = {.out = out, .in = in, .weight = g.weight, .stride = g.xs, .bias = g.bias};
        for (int m = 0; m < members; m++)
            backward_linear(k, &l, rows, dy, x, scratch, (member){.rank = m, .size = members});
        same("weight gradient", k, rows, in, out, g.weight, expected.weight, (size_t)out * g.xs);
        same("bias gradient", k, rows, in, out, g.bias, expected.bias, g.ys);
        gradient_close(&g);
    }
    free(dy), free(x), free(scratch);
    gradient_close(&expected);
}

/* One panel to several groups of them with every number left over, and depths of one block and of three. */
static const int widths[] = {1, 16, 20, 33, 49, 64, 80, 97, 130, 150, 390};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Each height alone, beside whole tiles, and none. */
static const int heights[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 22};
enum { HEIGHTS = sizeof heights / sizeof *heights };

START_TEST(test_forward) {
    for (int h = 0; h < HEIGHTS; h++)
        for (int w = 0; w < WIDTHS; w++) check_forward(heights[h], widths[_i], widths[w]);
}
END_TEST

START_TEST(test_input_gradient) {
    for (int h = 0; h < HEIGHTS; h++)
        for (int w = 0; w < WIDTHS; w++) check_input_gradient(heights[h], widths[w], widths[_i]);
}
END_TEST

START_TEST(test_weight_gradient) {
    static const int rows[] = {0, 1, 5, 192, 193, 600};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int h = 1; h < HEIGHTS; h++) check_weight_gradient(rows[r], widths[_i], heights[h], 1);
}
END_TEST

/* By rows where there are more outputs, by columns where there are more inputs; more members than either; and
 * more outputs than go together. */
START_TEST(test_members) {
    static const struct { int in, out; } sizes[] = {{70, 9}, {9, 70}, {64, 64}, {1, 3}, {40, 385}, {33, 800}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_weight_gradient(200, sizes[i].in, sizes[i].out, _i);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("products");
    tcase_add_loop_test(cases, test_forward, 0, WIDTHS);
    tcase_add_loop_test(cases, test_input_gradient, 0, WIDTHS);
    tcase_add_loop_test(cases, test_weight_gradient, 0, WIDTHS);
    tcase_add_loop_test(cases, test_members, 1, MOST_MEMBERS + 1);
    return suite_run(cases, "products", 60);
}
