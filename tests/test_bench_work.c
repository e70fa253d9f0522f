/* What `bench` divides by seconds, against the trainer's count and figures worked out by hand; and medians.
 */
#include "bench_work.h"
#include "flops.h"
#include "series.h"
#include "support/suite.h"
#include <math.h>

static const shape sizes = {2, 3, 48, 40, 65, GELU, .tie_weights = true};

static void open_model(model *m, weight_type type) {
    problem why;
    must(model_open(m, &sizes, &why), &why);
    if (type != WEIGHTS_F32) must(model_set_type(m, type, &why), &why);
}

/* A token's training is three forward passes; half of a window's keys are behind a token on average. */
START_TEST(test_a_window_is_a_third_of_its_training) {
    model m;
    double rows = sizes.block_size;
    open_model(&m, WEIGHTS_F32);
    double flops = work_flops(&m, rows, rows, rows * rows / 2);
    ck_assert_double_eq(3 * flops, rows * training_flops_per_token(&sizes));
    model_close(&m);
}
END_TEST

/* 2 x 12 x 48 x 48 weights in the layers, 80 x 48 in the head. Each output has a scale for 128 inputs: the
 * last matrix of a layer, with 192 inputs, has two. */
START_TEST(test_bytes_of_weights) {
    const double numbers = 55296 + 3840, scales = 2 * (3 + 1 + 4 + 2) * 48 + 80;
    static const double sizes_of[] = {4, 2, 1};
    model m;
    open_model(&m, (weight_type)_i);
    ck_assert_double_eq(work_weight_bytes(&m),
                        sizes_of[_i] * numbers + (_i == WEIGHTS_INT8 ? 4 * scales : 0));
    model_close(&m);
}
END_TEST

/* Outputs are padded to 128 (qkv), 48, 160, 48 and 80 (the head), bytes of 40 inputs to 48; two groups of the
 * 160 inputs. */
START_TEST(test_bytes_of_padded_weights) {
    static const double bytes[] = {4 * (416 * 40 + 48 * 160), 2 * (416 * 40 + 48 * 160),
                                   416 * 48 + 48 * 160 + 4 * (416 + 2 * 48)};
    const shape odd = {1, 1, 40, 8, 65, GELU, .tie_weights = true};
    model m;
    problem why;
    must(model_open(&m, &odd, &why) && model_set_type(&m, (weight_type)_i, &why), &why);
    ck_assert_double_eq(work_weight_bytes(&m), bytes[_i]);
    model_close(&m);
}
END_TEST

/* Keys in panels of 16 positions, values in rows: 2 layers, 48 floats a position. */
START_TEST(test_bytes_of_a_cache) {
    model m;
    open_model(&m, WEIGHTS_F32);
    ck_assert_double_eq(work_cache_bytes(&m, 32), 2 * 48 * (32 + 32) * 4);
    ck_assert_double_eq(work_cache_bytes(&m, 33), 2 * 48 * (48 + 33) * 4);
    model_close(&m);
}
END_TEST

START_TEST(test_median) {
    series s = {.count = 0};
    ck_assert(isnan(series_median(&s)));
    series_add(&s, 5);
    ck_assert_double_eq(series_median(&s), 5);
    series_add(&s, 1);
    series_add(&s, 4);
    ck_assert_double_eq(series_median(&s), 4);
    series_add(&s, 9);
    series_add(&s, -2);
    ck_assert_double_eq(series_median(&s), 4);
    ck_assert_double_eq(s.values[0], 5);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("bench_work");
    tcase_add_test(cases, test_a_window_is_a_third_of_its_training);
    tcase_add_loop_test(cases, test_bytes_of_padded_weights, WEIGHTS_F32, WEIGHTS_INT8 + 1);
    tcase_add_loop_test(cases, test_bytes_of_weights, WEIGHTS_F32, WEIGHTS_INT8 + 1);
    tcase_add_test(cases, test_bytes_of_a_cache);
    tcase_add_test(cases, test_median);
    return suite_run(cases, "bench_work", 10);
}
