/* Narrow weights: halves and the rounding to bytes against their plain definitions; a model of halves against
 * the float32 model on the same rounded weights, bit for bit; a model of bytes on every kernel set. What a
 * layer of bytes computes: test_bytes.c. */
#include "kernels/half.h"
#include "narrow.h"
#include "reference.h"
#include "support/full_forward.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = 1 << 16, SIGN = 0x8000, INFINITE = 0x7c00 };

static bool same_bits(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- Halves ---- */

static bool is_nan(uint16_t half) {
    return (half & ~SIGN) > INFINITE;
}

/* IEEE 754, binary16: a sign, five bits of exponent, ten of fraction. */
static double half_value(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude = exponent == 31  ? INFINITY
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(1024 + fraction, exponent - 25);
    return half & SIGN ? -magnitude : magnitude;
}

START_TEST(test_every_half_there_and_back) {
    for (int i = 0; i < HALVES; i++) {
        uint16_t half = (uint16_t)i;
        float x = half_to_float(half);
        ck_assert_msg(is_nan(half) ? isnan(x) : same_bits(x, (float)half_value(half)), "%04x: %a", half,
                      (double)x);
        uint16_t back = half_from_float(x);
        ck_assert_msg(is_nan(half) ? is_nan(back) : back == half, "%04x: back %04x", half, back);
    }
}
END_TEST

static void expect_half(float x, uint16_t half) {
    ck_assert_msg(half_from_float(x) == half, "%a: %04x, expected %04x", (double)x, half_from_float(x), half);
    ck_assert_msg(half_from_float(-x) == (half | SIGN), "%a: %04x", (double)-x, half_from_float(-x));
}

/* Between each half and the next one, subnormal ones too; past the largest, the next would be 2^16. */
START_TEST(test_the_nearest_half_and_of_two_the_even_one) {
    for (int i = 0; i < INFINITE; i++) {
        uint16_t below = (uint16_t)i, above = (uint16_t)(i + 1);
        double low = half_value(below), high = above == INFINITE ? 0x1p16 : half_value(above);
        float middle = (float)((low + high) / 2);
        expect_half(middle, i % 2 ? above : below);
        expect_half(nextafterf(middle, 0), below);
        expect_half(nextafterf(middle, INFINITY), above);
        expect_half((float)(low + (high - low) / 4), below);
        expect_half((float)(high - (high - low) / 4), above);
    }
    expect_half(FLT_TRUE_MIN, 0);
    expect_half(FLT_MIN, 0);
    expect_half(FLT_MAX, INFINITE);
    expect_half(INFINITY, INFINITE);
}
END_TEST

/* ---- What kernels make of them ---- */

/* One input, 1, and a bias of -0, which changes no bit of a weight. */
static void multiply_by_one(const kernels *k, linear l, float *y) {
    float x[16] = {1};
    l.in = 1;
    l.bias = zeros((size_t)l.out, sizeof(float));
    for (int i = 0; i < l.out; i++) l.bias[i] = -0.0f;
    k->linear(&l, 1, 0, l.out, x, 16, y, (size_t)l.out);
    free(l.bias);
}

START_TEST(test_kernels_widen_every_half) {
    uint16_t *halves = zeros(HALVES, sizeof *halves);
    float *y = zeros(HALVES, sizeof *y);
    const kernels *k;
    for (int i = 0; i < HALVES; i++) halves[i] = (uint16_t)i;
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        multiply_by_one(k, (linear){.out = HALVES, .type = WEIGHTS_F16, .packed = halves}, y);
        for (int i = 0; i < HALVES; i++)
            ck_assert_msg(is_nan(halves[i]) ? isnan(y[i]) : same_bits(y[i], half_to_float(halves[i])),
                          "%s: %04x: %a", k->name, i, (double)y[i]);
    }
    free(y);
    free(halves);
}
END_TEST

/* ---- Rounded models ---- */

/* A head 7 wide; and rows of several groups of scales, the last one shorter than the others. */
static const shape shapes[] = {
    {2, 3, 21, 40, 65, RELU, .qkv_bias = true, .bias = true, .head_bias = true, .tie_weights = true},
    {1, 2, 150, 40, 33, GELU, .bias = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, WIDE = 1 };

static void open_narrow(model *m, const shape *s, weight_type type) {
    problem why;
    rough_model(m, s, 0.3);
    must(model_set_type(m, type, &why), &why);
    model_round(m, alone());
    must(model_prepare(m, false, NULL, &why), &why);
}

static void narrow_row(model *m, const float *row, size_t n) {
    problem why;
    must(model_open(m, &shapes[WIDE], &why), &why);
    memcpy(m->w.wte, row, n * sizeof *row);
    must(model_set_type(m, WEIGHTS_INT8, &why), &why);
    model_round(m, alone());
}

static void expect_row(const float *found, const float *expected, size_t n) {
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(same_bits(found[i], expected[i]), "%zu: %a, expected %a", i, (double)found[i],
                      (double)expected[i]);
}

/* The first group's largest number is 127, so its scale is 1. */
START_TEST(test_bytes_are_rounded_half_to_even) {
    static const float row[] = {127,  0.5f, 1.5f, 2.5f,   -0.5f, -1.5f, -2.5f,
                                -127, 0.4f, 0.6f, 126.5f, -0.0f, 1e-30f};
    static const float rounded[] = {127, 0, 2, 2, 0, -2, -2, -127, 0, 1, 126, 0, 0};
    model m;
    narrow_row(&m, row, sizeof row / sizeof *row);
    expect_row(m.w.wte, rounded, sizeof row / sizeof *row);
    ck_assert(same_bits(m.scales[0], 1));
    model_close(&m);
}
END_TEST

/* Columns 128..149 of 150 have a scale of their own, and so have zeros: 0. */
START_TEST(test_each_group_has_its_scale) {
    float row[150] = {0}, rounded[150] = {0};
    model m;
    row[127] = -0.0f;
    row[128] = rounded[128] = -254;
    row[149] = 3;
    rounded[149] = 4;
    narrow_row(&m, row, 150);
    expect_row(m.w.wte, rounded, 150);
    for (int i = 150; i < padded(150); i++) ck_assert(same_bits(m.w.wte[i], 0));
    ck_assert(same_bits(m.scales[0], 0) && same_bits(m.scales[1], 2));
    ck_assert(same_bits(m.scales[2], 0) && same_bits(m.scales[3], 0));
    model_close(&m);
}
END_TEST

static float *element(const model *m, const parameter *p, int row, int col) {
    return m->block + p->offset + (size_t)row * p->stride + col;
}

static float scale_at(const model *m, const parameter *p, int row, int col) {
    return m->scales[p->scale_offset + (size_t)row * (size_t)groups_of(p->cols) + (size_t)col / SCALE_GROUP];
}

/* Half of what lies between two neighbours that a number can be rounded to. */
static double most_error(const model *m, const parameter *p, int row, int col, float x) {
    if (m->type == WEIGHTS_INT8) return 0.5001 * (double)scale_at(m, p, row, col);
    return fmax(0x1p-11 * fabs((double)x), 0x1p-25);
}

static void expect_near(const model *narrow, const model *whole, const parameter *p) {
    for (int r = 0; r < p->rows; r++)
        for (int c = 0; c < p->cols; c++) {
            float x = *element(whole, p, r, c), rounded = *element(narrow, p, r, c);
            if (p->dims == 1)
                ck_assert(same_bits(x, rounded));
            else
                ck_assert(fabs((double)rounded - (double)x) <= most_error(narrow, p, r, c, x));
        }
}

START_TEST(test_no_number_moves_further_than_rounding_takes_it) {
    for (weight_type type = WEIGHTS_F16; type <= WEIGHTS_INT8; type++) {
        model whole, narrow;
        rough_model(&whole, &shapes[_i], 0.3);
        open_narrow(&narrow, &shapes[_i], type);
        for (size_t i = 0; i < whole.table.count; i++) expect_near(&narrow, &whole, &whole.table.list[i]);
        model_close(&narrow);
        model_close(&whole);
    }
}
END_TEST

static void open_float32(model *m, const model *narrow) {
    problem why;
    must(model_open(m, &narrow->shape, &why), &why);
    memcpy(m->block, narrow->block, m->table.floats * sizeof(float));
    must(model_prepare(m, false, NULL, &why), &why);
}

static void expect_same_bytes(const model *a, const model *b, const parameter *p) {
    for (int r = 0; p->dims == 2 && r < p->rows; r++)
        for (int c = 0; c < p->cols; c++)
            ck_assert_int_eq(byte_of(*element(a, p, r, c), scale_at(a, p, r, c)),
                             byte_of(*element(b, p, r, c), scale_at(b, p, r, c)));
}

/* Rounded halves are halves. Bytes stay the same too, whatever the last bit of their new scale. */
START_TEST(test_rounding_again_changes_nothing) {
    for (weight_type type = WEIGHTS_F16; type <= WEIGHTS_INT8; type++) {
        model once, twice;
        problem why;
        open_narrow(&once, &shapes[_i], type);
        open_float32(&twice, &once);
        must(model_set_type(&twice, type, &why), &why);
        model_round(&twice, alone());
        for (size_t i = 0; type == WEIGHTS_INT8 && i < once.table.count; i++)
            expect_same_bytes(&once, &twice, &once.table.list[i]);
        if (type == WEIGHTS_F16) ck_assert_mem_eq(once.block, twice.block, once.table.floats * sizeof(float));
        model_close(&twice);
        model_close(&once);
    }
}
END_TEST

static void compare_forward(const model *a, const kernels *k, int threads, const model *b, const kernels *b_k,
                            int rows) {
    int32_t *tokens = random_tokens(a->shape.vocab_size, (size_t)rows, 1);
    const int32_t *window[] = {tokens};
    float *found = full_forward(a, k, threads, 1, window, rows);
    float *expected = full_forward(b, b_k, 1, 1, window, rows);
    size_t count = (size_t)rows * (size_t)padded(a->shape.vocab_size);
    ck_assert_msg(!memcmp(found, expected, count * sizeof *found), "%s, %s: %d rows, %d threads", k->name,
                  weight_names[a->type], rows, threads);
    free(expected);
    free(found);
    free(tokens);
}

static const int row_counts[] = {1, 2, 3, 4, 5, 12, 13, 40};
enum { ROW_COUNTS = sizeof row_counts / sizeof *row_counts };

START_TEST(test_a_half_model_is_the_float32_model_on_its_weights) {
    const kernels *k;
    model half, whole;
    open_narrow(&half, &shapes[_i], WEIGHTS_F16);
    open_float32(&whole, &half);
    for (int set = 0; (k = exact_kernel_set(set)); set++)
        for (int i = 0; i < ROW_COUNTS; i++) compare_forward(&half, k, 1 + i % 3, &whole, k, row_counts[i]);
    model_close(&whole);
    model_close(&half);
}
END_TEST

START_TEST(test_a_byte_model_is_one_on_every_processor) {
    const kernels *k;
    model bytes;
    open_narrow(&bytes, &shapes[_i], WEIGHTS_INT8);
    for (int set = 0; (k = exact_kernel_set(set)); set++)
        for (int i = 0; i < ROW_COUNTS; i++)
            compare_forward(&bytes, k, 1 + i % 3, &bytes, exact_kernel_set(0), row_counts[i]);
    model_close(&bytes);
}
END_TEST

/* The root of the mean square difference between a model's logits and the reference's, a part of theirs. */
static double distance(const model *m, const model *reference, int rows) {
    int32_t *tokens = random_tokens(m->shape.vocab_size, (size_t)rows, 1);
    const int32_t *window[] = {tokens};
    size_t vocab = (size_t)m->shape.vocab_size;
    float *found = full_forward(m, exact_kernel_set(0), 1, 1, window, rows);
    double *expected = zeros((size_t)rows * vocab, sizeof *expected), differences = 0, squares = 0;
    problem why;
    must(reference_logits(reference, tokens, rows, false, NULL, expected, &why), &why);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t i = 0; i < vocab; i++) {
            double e = expected[r * vocab + i], d = found[r * (size_t)padded((int)vocab) + i] - e;
            differences += d * d;
            squares += e * e;
        }
    free(expected);
    free(found);
    free(tokens);
    return sqrt(differences / squares);
}

/* Of the rounding of its inputs a reference that rounds them too shows little: where a double falls to
 * another byte than a float. */
START_TEST(test_a_byte_model_rounds_as_the_reference_does) {
    model bytes, whole;
    open_narrow(&bytes, &shapes[_i], WEIGHTS_INT8);
    open_float32(&whole, &bytes);
    double rounding = distance(&bytes, &whole, 40), same = distance(&bytes, &bytes, 40);
    ck_assert_msg(rounding < 0.05 && rounding > 1e-4, "rounding inputs changes logits by %g", rounding);
    ck_assert_msg(same < rounding / 5, "%g from the reference, where rounding changes %g", same, rounding);
    model_close(&whole);
    model_close(&bytes);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("narrow");
    tcase_add_test(cases, test_every_half_there_and_back);
    tcase_add_test(cases, test_the_nearest_half_and_of_two_the_even_one);
    tcase_add_test(cases, test_kernels_widen_every_half);
    tcase_add_test(cases, test_bytes_are_rounded_half_to_even);
    tcase_add_test(cases, test_each_group_has_its_scale);
    tcase_add_loop_test(cases, test_no_number_moves_further_than_rounding_takes_it, 0, SHAPES);
    tcase_add_loop_test(cases, test_rounding_again_changes_nothing, 0, SHAPES);
    tcase_add_loop_test(cases, test_a_half_model_is_the_float32_model_on_its_weights, 0, SHAPES);
    tcase_add_loop_test(cases, test_a_byte_model_is_one_on_every_processor, 0, SHAPES);
    tcase_add_loop_test(cases, test_a_byte_model_rounds_as_the_reference_does, 0, SHAPES);
    return suite_run(cases, "narrow", 60);
}
