/* What check calls equal. */
#include "../infer/compare.h"
#include "support/suite.h"
#include <math.h>

START_TEST(test_equal_bits) {
    comparison c = {.values = 0};
    compare_bits(&c, (float[]){1, -0.0f, 1e-45f}, (float[]){1, -0.0f, 1e-45f}, 3);
    compare_bits(&c, (float[]){2}, (float[]){2}, 1);
    ck_assert_uint_eq(c.values, 4);
    ck_assert_uint_eq(c.unequal, 0);
    ck_assert_double_eq(c.largest, 0);
}
END_TEST

START_TEST(test_the_smallest_difference_counts) {
    comparison c = {.values = 0};
    compare_bits(&c, (float[]){1, 5}, (float[]){nextafterf(1, 2), 5}, 2);
    ck_assert_uint_eq(c.unequal, 1);
    ck_assert_double_eq(c.largest, 0x1p-23);
}
END_TEST

START_TEST(test_zeros_of_different_sign_are_not_equal) {
    comparison c = {.values = 0};
    compare_bits(&c, (float[]){0.0f}, (float[]){-0.0f}, 1);
    ck_assert_uint_eq(c.unequal, 1);
}
END_TEST

START_TEST(test_what_is_not_finite_equals_nothing) {
    const float bad[] = {NAN, INFINITY, -INFINITY};
    const double doubles[] = {NAN, 1, 1};
    for (int i = 0; i < 3; i++) {
        comparison bits = {.values = 0}, reference = {.values = 0};
        compare_bits(&bits, &bad[i], &bad[i], 1);
        compare_doubles(&reference, &bad[i], &doubles[i], 1);
        ck_assert_uint_eq(bits.unequal, 1);
        ck_assert_uint_eq(reference.unequal, 1);
        ck_assert(isinf(bits.largest) && isinf(reference.largest));
    }
}
END_TEST

START_TEST(test_doubles_and_tokens) {
    comparison doubles = {.values = 0}, tokens = {.values = 0};
    compare_doubles(&doubles, (float[]){1, 2}, (double[]){1.25, 1.5}, 2);
    ck_assert_uint_eq(doubles.unequal, 0);
    ck_assert_double_eq(doubles.largest, 0.5);
    compare_tokens(&tokens, (int32_t[]){1, 2, 3}, (int32_t[]){1, 5, 3}, 3);
    ck_assert_uint_eq(tokens.unequal, 1);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("compare");
    tcase_add_test(cases, test_equal_bits);
    tcase_add_test(cases, test_the_smallest_difference_counts);
    tcase_add_test(cases, test_zeros_of_different_sign_are_not_equal);
    tcase_add_test(cases, test_what_is_not_finite_equals_nothing);
    tcase_add_test(cases, test_doubles_and_tokens);
    return suite_run(cases, "compare", 10);
}
