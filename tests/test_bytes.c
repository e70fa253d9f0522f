/* Linear layers of bytes against their plain definition, number by number, on every kernel set. */
#include "kernels/kernels.h"
#include "shape.h"
#include "support/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A layer with random weights, and its numbers as they are before they are packed. */
typedef struct byte_layer {
    linear l;
    int groups;
    int8_t *q;     /* (out, in) */
    float *scales; /* (out, groups) */
} byte_layer;

static int random_int(uint64_t *state, int below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (uint64_t)below);
}

static float random_float(uint64_t *state) {
    return (float)(random_int(state, 1 << 20) - (1 << 19)) * 0x1p-18f;
}

static void put(byte_layer *b, int out, int in, int8_t q) {
    size_t panel = (size_t)padded(b->l.in) * 16;
    uint8_t *to = (uint8_t *)b->l.packed + (size_t)(out / 16) * panel;
    to[in / 4 * 64 + out % 16 * 4 + in % 4] = (uint8_t)(q + 128);
    b->q[(size_t)out * (size_t)b->l.in + (size_t)in] = q;
}

static byte_layer layer_open(int out, int in, bool bias) {
    byte_layer b = {.l = {.out = out, .in = in, .type = WEIGHTS_INT8},
                    .groups = (in + SCALE_GROUP - 1) / SCALE_GROUP};
    uint64_t state = (uint64_t)(out * 100003 + in);
    b.l.packed = zeros((size_t)padded(out) * (size_t)padded(in), 1);
    b.l.scales = zeros((size_t)padded(out) * (size_t)b.groups, sizeof(float));
    b.q = zeros((size_t)out * (size_t)in, 1);
    b.scales = zeros((size_t)out * (size_t)b.groups, sizeof(float));
    if (bias) b.l.bias = zeros((size_t)padded(out), sizeof(float));
    for (int o = 0; o < out; o++) {
        for (int i = 0; i < in; i++) put(&b, o, i, (int8_t)(random_int(&state, 255) - 127));
        for (int g = 0; g < b.groups; g++)
            b.scales[o * b.groups + g] = b.l.scales[(o / 16 * b.groups + g) * 16 + o % 16] =
                fabsf(random_float(&state));
        if (bias) b.l.bias[o] = random_float(&state);
    }
    return b;
}

static void layer_close(byte_layer *b) {
    free(b->l.packed);
    free(b->l.scales);
    free(b->l.bias);
    free(b->q);
    free(b->scales);
}

/* Whole multiples of the scale that is returned. */
static float rounded(int n, const float *x, int *p) {
    float largest = 0;
    for (int i = 0; i < n; i++) largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    float inverse = 127 / largest;
    for (int i = 0; i < n; i++) p[i] = largest < 1e-35f ? 0 : (int)rint((double)x[i] * (double)inverse);
    return largest < 1e-35f ? 0 : largest / 127;
}

/* (out,) of one row. */
static void expected_row(const byte_layer *b, const float *x, float *y) {
    int p[SCALE_GROUP];
    for (int o = 0; o < b->l.out; o++) y[o] = b->l.bias ? b->l.bias[o] : 0;
    for (int g = 0; g < b->groups; g++) {
        int first = g * SCALE_GROUP, n = b->l.in - first < SCALE_GROUP ? b->l.in - first : SCALE_GROUP;
        float scale = rounded(n, x + first, p);
        for (int o = 0; o < b->l.out; o++) {
            int sum = 0;
            for (int i = 0; i < n; i++) sum += b->q[(size_t)o * (size_t)b->l.in + (size_t)(first + i)] * p[i];
            y[o] = fmaf((float)sum, b->scales[o * b->groups + g] * scale, y[o]);
        }
    }
}

/* Rows of ordinary numbers; a row of zeros, a tiny one and a huge one among them. */
static float *make_rows(int rows, int in) {
    size_t stride = (size_t)padded(in);
    float *x = zeros((size_t)rows * stride, sizeof *x);
    uint64_t state = (uint64_t)in;
    for (int r = 0; r < rows; r++) {
        float size = r % 7 == 3 ? 0 : r % 7 == 4 ? 1e-36f : r % 7 == 5 ? 1e30f : 1;
        for (int i = 0; i < in; i++) x[(size_t)r * stride + (size_t)i] = size * random_float(&state);
    }
    return x;
}

static void compare(const byte_layer *b, int rows, const float *x, const float *y, const kernels *k) {
    size_t xs = (size_t)padded(b->l.in), ys = (size_t)padded(b->l.out);
    float *expected = zeros(ys, sizeof *expected);
    for (int r = 0; r < rows; r++) {
        expected_row(b, x + (size_t)r * xs, expected);
        ck_assert_msg(!memcmp(y + (size_t)r * ys, expected, ys * sizeof *y), "%s: row %d of %d, %d to %d",
                      k->name, r, rows, b->l.in, b->l.out);
    }
    free(expected);
}

/* All columns, in two calls as two members of a team would make them. */
static void run(const kernels *k, const linear *l, int rows, const float *x, float *y) {
    int end = padded(l->out), middle = end / 32 * 16;
    k->linear(l, rows, 0, middle, x, (size_t)padded(l->in), y, (size_t)end);
    k->linear(l, rows, middle, end, x, (size_t)padded(l->in), y, (size_t)end);
}

static const struct {
    int out, in;
    bool bias;
} sizes[] = {{1, 1, false},   {16, 3, true},    {33, 21, true},    {150, 128, false},
             {65, 150, true}, {300, 400, true}, {17, 33000, false}};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(test_every_output_is_its_definition) {
    static const int rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 40, 96, 97, 200};
    const kernels *k;
    byte_layer b = layer_open(sizes[_i].out, sizes[_i].in, sizes[_i].bias);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && (b.l.in < 1000 || rows[i] < 6); i++) {
        float *x = make_rows(rows[i], b.l.in),
              *y = zeros((size_t)(rows[i] + 1) * (size_t)padded(b.l.out), sizeof *y);
        for (int set = 0; (k = exact_kernel_set(set)); set++) {
            run(k, &b.l, rows[i], x, y);
            compare(&b, rows[i], x, y, k);
        }
        free(y);
        free(x);
    }
    layer_close(&b);
}
END_TEST

/* The largest bytes meet in tiles of every width, where sums of pairs must not be cut to 16 bits. */
START_TEST(test_the_largest_sums_are_exact) {
    enum { ROWS = 13, IN = SCALE_GROUP, OUT = 272 };
    const kernels *k;
    byte_layer b = layer_open(OUT, IN, false);
    float x[ROWS * IN], y[ROWS * OUT];
    for (int o = 0; o < OUT; o++)
        for (int i = 0; i < IN; i++) put(&b, o, i, o % 2 ? -127 : 127);
    for (int i = 0; i < ROWS * IN; i++) x[i] = i / IN % 2 ? -127 : 127;
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        for (int rows = 1; rows <= ROWS; rows += 4) {
            run(k, &b.l, rows, x, y);
            compare(&b, rows, x, y, k);
        }
    }
    layer_close(&b);
}
END_TEST

/* What is not finite is passed on to its own row, all of it, and to no other. */
START_TEST(test_what_is_not_finite_stays_so) {
    const float values[] = {NAN, INFINITY, -INFINITY};
    const kernels *k;
    byte_layer b = layer_open(40, 150, true);
    float *x = make_rows(3, 150), *y = zeros(3 * 48, sizeof *y);
    float *group = x + (size_t)padded(150) + SCALE_GROUP; /* the second row's last one */
    group[12] = values[_i];
    for (int others = 0; others < 2; others++) { /* as they are, then zeros */
        for (int set = 0; (k = exact_kernel_set(set)); set++) {
            run(k, &b.l, 3, x, y);
            for (int i = 0; i < 40; i++) ck_assert(isfinite(y[i]) && isnan(y[48 + i]) && isfinite(y[96 + i]));
        }
        for (int i = 0; i < 150 - SCALE_GROUP; i++)
            if (i != 12) group[i] = 0;
    }
    free(y);
    free(x);
    layer_close(&b);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("bytes");
    tcase_add_loop_test(cases, test_every_output_is_its_definition, 0, SIZES);
    tcase_add_test(cases, test_the_largest_sums_are_exact);
    tcase_add_loop_test(cases, test_what_is_not_finite_stays_so, 0, 3);
    return suite_run(cases, "bytes", 60);
}
