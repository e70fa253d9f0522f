/* Activations, additions and dropout of every kernel set, through the table: against the C library's double
 * precision and against the definition of a dropout mask, element by element; the same bits from every set
 * that promises them; padding that stays zero and nothing touched past it. */
#include "random.h"
#include "shape.h"
#include "support/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, STRIDE = 176, FLOATS = ROWS * STRIDE, DROP_ROW = 192 };

static const int widths[] = {1, 15, 16, 17, 63, 64, 65, 130, 144};
enum { WIDTHS = sizeof widths / sizeof *widths };
static const float UNTOUCHED = 12345;

typedef struct plane {
    float v[FLOATS];
} plane;

static plane filled(float value) {
    plane p;
    for (int i = 0; i < FLOATS; i++) p.v[i] = value;
    return p;
}

/* (ROWS, n): normal numbers of several sizes, a few of them zero, padding 0. */
static plane numbers(int n, uint64_t which) {
    plane p = {0};
    random_stream s = random_open(1, FOR_CHECK, which, 0, 0);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < n; c++) {
            double size = c % 11 == 3 ? 30 : c % 7 == 2 ? 1e-3 : c % 13 == 5 ? 0 : 3;
            p.v[r * STRIDE + c] = (float)(size * random_normal(&s, (uint64_t)(r * STRIDE + c)));
        }
    return p;
}

/* Columns n .. padded(n) are 0 and nothing after them has been written. */
static void check_padding(const plane *p, int n) {
    for (int i = 0; i < FLOATS; i++) {
        int c = i % STRIDE;
        if (c >= n) ck_assert(p->v[i] == (c < padded(n) ? 0 : UNTOUCHED));
    }
}

static double relu(double x) {
    return x > 0 ? x : 0;
}

static double gelu(double x) {
    return 0.5 * x * erfc(-x / sqrt(2));
}

static double gelu_tanh(double x) {
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static double (*const references[ACTIVATIONS])(double x) = {relu, gelu, gelu_tanh};

static void check_forward(const kernels *k, int a, int n) {
    plane x = numbers(n, 1), y = filled(UNTOUCHED);
    k->activation[a](ROWS, n, x.v, STRIDE, y.v, STRIDE);
    check_padding(&y, n);
    for (int i = 0; i < FLOATS; i++)
        if (i % STRIDE < n)
            ck_assert_double_le(fabs(y.v[i] - references[a](x.v[i])), 1.5e-7 * fmax(1, fabsf(x.v[i])));
}

/* A central difference, away from the kink of ReLU. */
static double slope(double (*f)(double x), double x) {
    const double h = 1e-5;
    if (f == relu) return x > 0;
    return (f(x + h) - f(x - h)) / (2 * h);
}

static void check_backward(const kernels *k, int a, int n) {
    plane x = numbers(n, 1), dy = numbers(n, 2), y = x, want = x, old = dy;
    k->activation[a](ROWS, n, x.v, STRIDE, want.v, STRIDE);
    k->activation_backward[a](ROWS, n, y.v, STRIDE, dy.v, STRIDE);
    ck_assert_mem_eq(&y, &want, sizeof y);
    for (int i = 0; i < FLOATS; i++)
        ck_assert_double_le(fabs(dy.v[i] - old.v[i] * slope(references[a], x.v[i])), 4e-7 * fabsf(old.v[i]));
}

START_TEST(test_activations) {
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++)
        for (int a = 0; a < ACTIVATIONS; a++)
            for (int w = 0; w < WIDTHS; w++) {
                check_forward(k, a, widths[w]);
                check_backward(k, a, widths[w]);
            }
}
END_TEST

START_TEST(test_activations_in_place) {
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++)
        for (int a = 0; a < ACTIVATIONS; a++) {
            plane x = numbers(100, 1), y = x;
            k->activation[a](ROWS, 100, x.v, STRIDE, y.v, STRIDE);
            k->activation[a](ROWS, 100, x.v, STRIDE, x.v, STRIDE);
            ck_assert_mem_eq(&x, &y, sizeof x);
        }
}
END_TEST

START_TEST(test_activations_at_the_edges) {
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++)
        for (int a = 0; a < ACTIVATIONS; a++) {
            float x[16] = {INFINITY, -INFINITY, NAN, -0.0f, 3e38f, -3e38f}, y[16], dy[16];
            memcpy(y, x, sizeof y);
            for (int i = 0; i < 16; i++) dy[i] = 1;
            k->activation_backward[a](1, 16, y, 16, dy, 16);
            ck_assert(y[0] == INFINITY && y[1] <= 0 && y[1] > -2e-37f && y[3] == 0 && y[4] == x[4]);
            ck_assert(dy[0] == 1 && fabsf(dy[1]) < 1e-35f && dy[4] == 1 && fabsf(dy[5]) < 1e-35f);
            ck_assert(a == 0 ? y[2] == 0 : isnan(y[2]) && isnan(dy[2]));
        }
}
END_TEST

/* The scalar definition of dropout.h. */
static float dropped(const dropout *d, uint64_t element, float y) {
    uint64_t vector = element / 16 % 4, lane = element % 16, block = element / 64 * 8 + lane / 2;
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), d->stream.high[0], d->stream.high[1]},
             words[4];
    philox(d->stream.key, counter, words);
    uint32_t word = words[vector / 2 * 2 + lane % 2], bits = vector % 2 ? word >> 16 : word & 0xffff;
    return bits < d->limit ? y * d->scale : 0;
}

static dropout mask(uint32_t limit) {
    return (dropout){limit, 65536.0f / (float)limit, random_open(3, FOR_DROPOUT, 5, 6, 7)};
}

static void check_dropout(const kernels *k, const dropout *d, uint64_t first, int n) {
    plane x = numbers(n, 3), y = numbers(n, 4), sum = filled(UNTOUCHED), thinned = sum;
    k->add(ROWS, n, x.v, STRIDE, y.v, STRIDE, d, first, DROP_ROW, sum.v, STRIDE);
    k->drop(ROWS, n, y.v, STRIDE, d, first, DROP_ROW, thinned.v, STRIDE);
    check_padding(&sum, n);
    check_padding(&thinned, n);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < n; c++) {
            int i = r * STRIDE + c;
            float kept = d ? dropped(d, first + (uint64_t)(r * DROP_ROW + c), y.v[i]) : y.v[i],
                  total = x.v[i] + kept;
            ck_assert_mem_eq(&thinned.v[i], &kept, sizeof kept);
            ck_assert_mem_eq(&sum.v[i], &total, sizeof total);
        }
}

START_TEST(test_dropout) {
    static const uint32_t limits[] = {58982, 1, 32768, 65535, 65536};
    static const uint64_t firsts[] = {0, 64, ((uint64_t)1 << 35) - 64, (uint64_t)1 << 50};
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++)
        for (int w = 0; w < WIDTHS; w++) {
            check_dropout(k, NULL, 0, widths[w]);
            for (int l = 0; l < 5; l++)
                for (int f = 0; f < 4; f++) {
                    dropout d = mask(limits[l]);
                    check_dropout(k, &d, firsts[f], widths[w]);
                }
        }
}
END_TEST

START_TEST(test_dropout_in_place) {
    const kernels *k;
    dropout d = mask(50000);
    for (int set = 0; (k = kernel_set(set)); set++) {
        plane x = numbers(100, 3), y = numbers(100, 4), sum = {0}, thinned = {0};
        k->add(ROWS, 100, x.v, STRIDE, y.v, STRIDE, &d, 0, DROP_ROW, sum.v, STRIDE);
        k->drop(ROWS, 100, y.v, STRIDE, &d, 0, DROP_ROW, thinned.v, STRIDE);
        k->add(ROWS, 100, x.v, STRIDE, y.v, STRIDE, &d, 0, DROP_ROW, x.v, STRIDE);
        k->drop(ROWS, 100, y.v, STRIDE, &d, 0, DROP_ROW, y.v, STRIDE);
        ck_assert_mem_eq(&x, &sum, sizeof x);
        ck_assert_mem_eq(&y, &thinned, sizeof y);
    }
}
END_TEST

/* Of many elements the right share is kept, within five standard deviations. */
START_TEST(test_share_kept) {
    enum { ELEMENTS = 1 << 16 };
    dropout d = mask(52429);
    d.scale = 1;
    float *ones = zeros(ELEMENTS, sizeof *ones), *kept = zeros(ELEMENTS, sizeof *kept);
    double sum = 0, p = d.limit / 65536.0;
    for (int i = 0; i < ELEMENTS; i++) ones[i] = 1;
    kernel_set(0)->drop(1, ELEMENTS, ones, ELEMENTS, &d, 0, ELEMENTS, kept, ELEMENTS);
    for (int i = 0; i < ELEMENTS; i++) sum += kept[i];
    ck_assert_double_le(fabs(sum - p * ELEMENTS), 5 * sqrt(p * (1 - p) * ELEMENTS));
    free(ones);
    free(kept);
}
END_TEST

START_TEST(test_accumulate) {
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++) {
        plane a = numbers(STRIDE, 5), b = numbers(STRIDE, 6), sum = a;
        k->accumulate(FLOATS - 16, sum.v, b.v);
        for (int i = 0; i < FLOATS; i++) {
            float want = i < FLOATS - 16 ? a.v[i] + b.v[i] : a.v[i];
            ck_assert_mem_eq(&sum.v[i], &want, sizeof want);
        }
    }
}
END_TEST

typedef struct results {
    plane y[ACTIVATIONS], dy[ACTIVATIONS], sum;
} results;

static results all_results(const kernels *k, int n) {
    results r = {0};
    plane x = numbers(n, 7);
    dropout d = mask(60000);
    for (int a = 0; a < ACTIVATIONS; a++) {
        r.y[a] = x;
        r.dy[a] = numbers(n, 8);
        k->activation_backward[a](ROWS, n, r.y[a].v, STRIDE, r.dy[a].v, STRIDE);
    }
    k->add(ROWS, n, x.v, STRIDE, r.y[1].v, STRIDE, &d, 128, DROP_ROW, r.sum.v, STRIDE);
    return r;
}

START_TEST(test_same_bits_from_every_set) {
    const kernels *k;
    for (int w = 0; w < WIDTHS; w++) {
        results first = all_results(exact_kernel_set(0), widths[w]);
        for (int set = 1; (k = exact_kernel_set(set)); set++) {
            results other = all_results(k, widths[w]);
            ck_assert_mem_eq(&other, &first, sizeof first);
        }
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("elementwise");
    tcase_add_test(cases, test_activations);
    tcase_add_test(cases, test_activations_in_place);
    tcase_add_test(cases, test_activations_at_the_edges);
    tcase_add_test(cases, test_dropout);
    tcase_add_test(cases, test_dropout_in_place);
    tcase_add_test(cases, test_share_kept);
    tcase_add_test(cases, test_accumulate);
    tcase_add_test(cases, test_same_bits_from_every_set);
    return suite_run(cases, "elementwise", 60);
}
