/* exp and GELU on vectors against the C library's double precision, over floats taken at a fine step of their
 * bits; what they do at the edges; and that a result does not depend on how many vectors go together. */
#include "kernels/vector_math.h"
#include "support/suite.h"
#include "support/ulps.h"
#include <math.h>
#include <string.h>

enum { FLOATS = 16 * MOST_VECTORS, STEP = 499 };

typedef struct sample {
    float x[FLOATS], y[FLOATS], slope[FLOATS];
} sample;

typedef void function16n(const int n, const v16 *x, v16 *y, v16 *slope);

static void exp_function(const int n, const v16 *x, v16 *y, v16 *slope) {
    for (int k = 0; k < n; k++) y[k] = x[k];
    exp16n(n, y);
    for (int k = 0; k < n; k++) slope[k] = y[k];
}

static void gelu_function(const int n, const v16 *x, v16 *y, v16 *slope) {
    gelu16n(n, x, y, slope);
}

static void gelu_tanh_function(const int n, const v16 *x, v16 *y, v16 *slope) {
    gelu_tanh16n(n, x, y, slope);
}

static void evaluate(function16n f, const int n, sample *s) {
    v16 x[MOST_VECTORS], y[MOST_VECTORS], slope[MOST_VECTORS];
    for (int k = 0; k < MOST_VECTORS; k++) x[k] = load16(s->x + 16 * k);
    f(n, x, y, slope);
    for (int k = 0; k < n; k++) store16(s->y + 16 * k, y[k]);
    for (int k = 0; k < n; k++) store16(s->slope + 16 * k, slope[k]);
}

static float one(function16n f, float x, float *slope) {
    sample s = {.x = {x}};
    evaluate(f, 1, &s);
    if (slope) *slope = s.slope[0];
    return s.y[0];
}

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef double error_function(double x, float y, float slope);

/* The largest error over the floats of one sign from 0 to `end`. */
static double worst(function16n f, float end, error_function error) {
    double largest = 0;
    uint32_t sign = signbit(end) ? 0x80000000u : 0, bits = 0, last;
    float magnitude = fabsf(end);
    memcpy(&last, &magnitude, sizeof last);
    while (bits <= last) {
        sample s;
        for (int i = 0; i < FLOATS; i++, bits += STEP) s.x[i] = bits <= last ? from_bits(sign | bits) : end;
        evaluate(f, MOST_VECTORS, &s);
        for (int i = 0; i < FLOATS; i++) largest = worse_of(largest, error(s.x[i], s.y[i], s.slope[i]));
    }
    return largest;
}

static double exp_error(double x, float y, float slope) {
    (void)slope;
    return float_ulps(y, exp(x));
}

START_TEST(test_exp) {
    ck_assert_double_le(worst(exp_function, -87.3f, exp_error), 0.9);
    ck_assert_double_le(worst(exp_function, 88.37f, exp_error), 0.9);
}
END_TEST

START_TEST(test_exp_at_the_edges) {
    static const float low[] = {-INFINITY, -1e30f, -100, -87.31f};
    for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
        float y = one(exp_function, low[i], NULL);
        ck_assert(y == 0 && !signbit(y));
    }
    ck_assert(one(exp_function, -87.3f, NULL) > 0x1p-126f);
    ck_assert(one(exp_function, 0.0f, NULL) == 1);
    ck_assert(one(exp_function, -0.0f, NULL) == 1);
    ck_assert(isinf(one(exp_function, 89, NULL)));
    ck_assert(isnan(one(exp_function, NAN, NULL)));
}
END_TEST

static double phi(double x) {
    return 0.5 * erfc(-x / sqrt(2));
}

static double gelu_ulps(double x, float y, float slope) {
    (void)slope;
    return float_ulps(y, x * phi(x));
}

static double gelu_error(double x, float y, float slope) {
    (void)slope;
    return fabs(y - x * phi(x)) / fmax(1, fabs(x));
}

static double gelu_slope_error(double x, float y, float slope) {
    (void)y;
    return fabs(slope - (phi(x) + x * exp(-0.5 * x * x) / sqrt(2 * acos(-1))));
}

START_TEST(test_gelu) {
    ck_assert_double_le(worst(gelu_function, -13, gelu_ulps), 5);
    ck_assert_double_le(worst(gelu_function, 20, gelu_ulps), 5);
    ck_assert_double_le(worst(gelu_function, -20, gelu_error), 1e-7);
    ck_assert_double_le(worst(gelu_function, -20, gelu_slope_error), 2e-7);
    ck_assert_double_le(worst(gelu_function, 20, gelu_slope_error), 2e-7);
}
END_TEST

/* GPT-2's formula, and its derivative by the chain rule. */
static double gelu_tanh(double x) {
    double u = sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1 + tanh(u));
}

static double gelu_tanh_slope(double x) {
    double k = sqrt(2 / acos(-1)), t = tanh(k * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x);
}

static double gelu_tanh_ulps(double x, float y, float slope) {
    (void)slope;
    return float_ulps(y, gelu_tanh(x));
}

static double gelu_tanh_error(double x, float y, float slope) {
    (void)slope;
    return fabs(y - gelu_tanh(x)) / fmax(1, fabs(x));
}

static double gelu_tanh_slope_error(double x, float y, float slope) {
    (void)y;
    return fabs(slope - gelu_tanh_slope(x));
}

START_TEST(test_gelu_tanh) {
    ck_assert_double_le(worst(gelu_tanh_function, -1, gelu_tanh_ulps), 3);
    ck_assert_double_le(worst(gelu_tanh_function, 20, gelu_tanh_ulps), 3);
    ck_assert_double_le(worst(gelu_tanh_function, -20, gelu_tanh_error), 1.5e-7);
    ck_assert_double_le(worst(gelu_tanh_function, -20, gelu_tanh_slope_error), 2.5e-7);
    ck_assert_double_le(worst(gelu_tanh_function, 20, gelu_tanh_slope_error), 2.5e-7);
}
END_TEST

START_TEST(test_gelu_at_the_edges) {
    function16n *const functions[] = {gelu_function, gelu_tanh_function};
    for (int i = 0; i < 2; i++) {
        float slope, y = one(functions[i], -INFINITY, &slope);
        ck_assert(y <= 0 && y > -2e-37f && fabsf(slope) < 1e-35f);
        ck_assert(one(functions[i], INFINITY, &slope) == INFINITY && slope == 1);
        ck_assert(one(functions[i], 0, &slope) == 0 && slope == 0.5f);
        ck_assert(isnan(one(functions[i], NAN, &slope)) && isnan(slope));
    }
}
END_TEST

START_TEST(test_any_number_of_vectors) {
    function16n *const functions[] = {exp_function, gelu_function, gelu_tanh_function};
    for (int i = 0; i < 3; i++) {
        sample all, some;
        for (int j = 0; j < FLOATS; j++) all.x[j] = some.x[j] = 0.37f * (float)(j - FLOATS / 2);
        evaluate(functions[i], MOST_VECTORS, &all);
        for (int n = 1; n < MOST_VECTORS; n++) {
            evaluate(functions[i], n, &some);
            ck_assert_mem_eq(some.y, all.y, (size_t)n * 16 * sizeof(float));
            ck_assert_mem_eq(some.slope, all.slope, (size_t)n * 16 * sizeof(float));
        }
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("vector math");
    tcase_add_test(cases, test_exp);
    tcase_add_test(cases, test_exp_at_the_edges);
    tcase_add_test(cases, test_gelu);
    tcase_add_test(cases, test_gelu_tanh);
    tcase_add_test(cases, test_gelu_at_the_edges);
    tcase_add_test(cases, test_any_number_of_vectors);
    return suite_run(cases, "vector math", 60);
}
