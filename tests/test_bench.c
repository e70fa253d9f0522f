/* What `bench` divides by seconds, against figures worked out by hand; and medians. */
#include "cache.h"
#include "model.h"
#include "series.h"
#include "support/suite.h"
#include <math.h>

static const shape sizes = {2, 3, 48, 40, 65, GELU, .tie_weights = true};

static void open_model(model *m, weight_type type) {
    problem why;
    must(model_open(m, &sizes, &why), &why);
    must(model_set_type(m, type, &why) && model_prepare(m, false, NULL, &why), &why);
}

/* 2 x 12 x 48 x 48 weights in the layers, 80 x 48 in the head. Each output has a scale for 128 inputs: the
 * last matrix of a layer, with 192 inputs, has two. */
START_TEST(test_bytes_of_weights) {
    const double numbers = 55296 + 3840, scales = 2 * (3 + 1 + 4 + 2) * 48 + 80;
    static const double sizes_of[] = {4, 2, 1};
    model m;
    open_model(&m, (weight_type)_i);
    ck_assert_double_eq((double)m.packed_bytes,
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
    must(model_open(&m, &odd, &why) && model_set_type(&m, (weight_type)_i, &why) &&
             model_prepare(&m, false, NULL, &why),
         &why);
    ck_assert_double_eq((double)m.packed_bytes, bytes[_i]);
    model_close(&m);
}
END_TEST

/* Keys in panels of 16 positions, values in rows: 2 layers, 48 floats a position. */
START_TEST(test_bytes_of_a_cache) {
    shape s = sizes;
    s.block_size = 32;
    ck_assert_uint_eq(cache_bytes(&s, CACHE_F32, s.n_layer), 2 * 48 * (32 + 32) * 4);
    ck_assert_uint_eq(cache_bytes(&s, CACHE_F16, s.n_layer), 2 * 48 * (32 + 32) * 2);
    s.block_size = 33;
    ck_assert_uint_eq(cache_bytes(&s, CACHE_F32, s.n_layer), 2 * 48 * (48 + 33) * 4);
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
    TCase *cases = tcase_create("bench");
    tcase_add_loop_test(cases, test_bytes_of_padded_weights, WEIGHTS_F32, WEIGHTS_INT8 + 1);
    tcase_add_loop_test(cases, test_bytes_of_weights, WEIGHTS_F32, WEIGHTS_INT8 + 1);
    tcase_add_test(cases, test_bytes_of_a_cache);
    tcase_add_test(cases, test_median);
    return suite_run(cases, "bench", 10);
}
