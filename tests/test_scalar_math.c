/* The scalar functions against the C library's long double. */
#include "random.h"
#include "scalar_math.h"
#include "support/suite.h"
#include "support/ulps.h"
#include <math.h>

enum { SAMPLES = 300000 };

/* The i-th of the random numbers from..to. */
static double between(double from, double to, uint64_t i) {
    random_stream s = random_open(0, FOR_CHECK, 0, 0, 0);
    return from + (to - from) * random_uniform(&s, i);
}

static double worst(double (*f)(double), long double (*reference)(long double), double from, double to) {
    double largest = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double x = between(from, to, i);
        largest = worse_of(largest, double_ulps(f(x), reference(x)));
    }
    return largest;
}

START_TEST(test_exp) {
    ck_assert_double_le(worst(exact_exp, expl, -1, 1), 1.01);
    ck_assert_double_le(worst(exact_exp, expl, -745, 709.78), 1.01);
    ck_assert_double_le(worst(exact_exp, expl, -745, -700), 1.01);
}
END_TEST

START_TEST(test_exp_at_the_edges) {
    ck_assert(exact_exp(0) == 1 && exact_exp(-0.0) == 1);
    ck_assert(exact_exp(709.78) < INFINITY && exact_exp(709.79) == INFINITY &&
              exact_exp(INFINITY) == INFINITY);
    ck_assert(exact_exp(-745.13) == 0x1p-1074 && exact_exp(-745.2) == 0 && exact_exp(-INFINITY) == 0);
    ck_assert(isnan(exact_exp(NAN)));
}
END_TEST

START_TEST(test_log) {
    ck_assert_double_le(worst(exact_log, logl, 0.5, 2), 1);
    ck_assert_double_le(worst(exact_log, logl, 0, 1e-300), 1);
    ck_assert_double_le(worst(exact_log, logl, 0, 1e-310), 1);
    ck_assert_double_le(worst(exact_log, logl, 1, 1e300), 1);
}
END_TEST

START_TEST(test_log_at_the_edges) {
    ck_assert(exact_log(0) == -INFINITY && exact_log(INFINITY) == INFINITY);
    double one = exact_log(1);
    ck_assert(one == 0 && !signbit(one));
    ck_assert(isnan(exact_log(-1)) && isnan(exact_log(-INFINITY)) && isnan(exact_log(NAN)));
    ck_assert(exact_log(0x1p-1074) == log(0x1p-1074));
}
END_TEST

START_TEST(test_cos) {
    static const double spans[] = {0.25, 1, 100, 0x1p49};
    for (size_t span = 0; span < sizeof spans / sizeof *spans; span++)
        for (uint64_t i = 0; i < SAMPLES; i++) {
            double turns = between(-spans[span], spans[span], i);
            long double part = turns - rint(turns), want = cosl(2 * acosl(-1) * part);
            ck_assert_double_le(fabs((double)(exact_cos_turn(turns) - want)), 4e-16);
        }
}
END_TEST

START_TEST(test_cos_of_quarters) {
    ck_assert(exact_cos_turn(0) == 1 && exact_cos_turn(1) == 1 && exact_cos_turn(-7) == 1);
    ck_assert(exact_cos_turn(0.5) == -1 && exact_cos_turn(-0.5) == -1);
    ck_assert(exact_cos_turn(0.25) == 0 && exact_cos_turn(-0.75) == 0);
}
END_TEST

START_TEST(test_power) {
    ck_assert(exact_power(0.5, 0) == 1 && exact_power(3, 5) == 243 && exact_power(-2, 63) == -0x1p63);
    ck_assert(exact_power(0.5, 1100) == 0 && exact_power(1, UINT64_MAX) == 1);
    ck_assert_double_le(fabs(exact_power(0.99, 5000) / (double)powl(0.99, 5000) - 1), 1e-12);
    ck_assert_double_le(fabs(exact_power(0.999, 100000) / (double)powl(0.999, 100000) - 1), 3e-11);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("scalar math");
    tcase_add_test(cases, test_exp);
    tcase_add_test(cases, test_exp_at_the_edges);
    tcase_add_test(cases, test_log);
    tcase_add_test(cases, test_log_at_the_edges);
    tcase_add_test(cases, test_cos);
    tcase_add_test(cases, test_cos_of_quarters);
    tcase_add_test(cases, test_power);
    return suite_run(cases, "scalar math", 60);
}
