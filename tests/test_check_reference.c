/* The one line of the equivalence table with a tolerance: fair to weights that make much of every rounding,
 * and still able to fail on them. */
#include "check_subject.h"
#include "narrow.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shape small = {8, 2, 32, 24, 11, GELU, .tie_weights = true};
static const double sizes[] = {0.02, 0.1, 0.3, 1, 4};
enum { SIZES = sizeof sizes / sizeof *sizes, SEEDS = 12 };

/* Whether the line passes on weights of this size and type, with such a cache and these kernels. */
static bool passes(const shape *what, double size, uint64_t seed, weight_type type, cache_type cache,
                   const kernels *k) {
    model m;
    problem why;
    must(model_open(&m, what, &why), &why);
    model_init(&m, seed, size, false);
    must(model_set_type(&m, type, &why), &why);
    m.cache_type = cache;
    model_round(&m, alone());
    must(model_prepare(&m, false, NULL, &why), &why);
    int32_t *tokens = random_tokens(what->vocab_size, 3 * (size_t)what->block_size, 1);
    team *t = team_open(1, &why);
    must(t, &why);
    subject s = {.model = &m, .kernels = k, .team = t, .tokens = tokens};
    must(subject_open(&s, &why), &why);
    report r = report_open(false, "rough", "model");
    must(check_reference(&s, &r, &why), &why);
    subject_close(&s);
    team_close(t);
    free(tokens);
    model_close(&m);
    return r.failed == 0;
}

START_TEST(test_honest_kernels_pass) {
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    for (weight_type type = WEIGHTS_F32; type <= WEIGHTS_INT8; type++)
        for (cache_type cache = CACHE_F32; cache <= CACHE_F16; cache++)
            for (uint64_t seed = 1; seed <= (type == WEIGHTS_INT8 ? 1 : SEEDS); seed++)
                ck_assert_msg(passes(&small, sizes[_i], seed, type, cache, kernels_named("auto")),
                              "%s weights of size %g, %s cache, seed %d: fail", weight_names[type], sizes[_i],
                              cache_names[cache], (int)seed);
}
END_TEST

/* Scores of 1e11 and more: to scale the largest by 1 / sqrt(8) rounds off more than exp's argument may be. */
START_TEST(test_huge_weights_pass) {
    const shape narrow = {1, 4, 32, 24, 11, GELU, .tie_weights = true};
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    const kernels *k;
    for (int i = 0; (k = exact_kernel_set(i)); i++)
        ck_assert_msg(passes(&narrow, 1e5, 1, WEIGHTS_F32, CACHE_F32, k), "%s", k->name);
}
END_TEST

/* One function is off by a thousandth. */
static void careless_gelu(int rows, int n, const float *x, size_t xs, float *y, size_t ys) {
    kernels_named("auto")->activation[GELU](rows, n, x, xs, y, ys);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) y[(size_t)r * ys + (size_t)i] *= 1.001F;
}

START_TEST(test_careless_kernels_fail) {
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    kernels careless = *kernels_named("auto");
    careless.activation[GELU] = careless_gelu;
    for (weight_type type = WEIGHTS_F32; type <= WEIGHTS_F16; type++)
        ck_assert_msg(!passes(&small, sizes[_i], 1, type, CACHE_F32, &careless),
                      "on %s weights of size %g an error passes", weight_names[type], sizes[_i]);
}
END_TEST

/* Forgets half of what each output should be. */
static void half_linear(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                        size_t ys) {
    kernels_named("auto")->linear(l, rows, from, to, x, xs, y, ys);
    for (int r = 0; r < rows; r++)
        for (int i = from; i < to; i++) y[(size_t)r * ys + (size_t)i] /= 2;
}

/* Halves cut off instead of rounded. */
static void careless_append(const new_positions *n) {
    float cut[2][64];
    const float *from[] = {n->k, n->v};
    kernels_named("auto")->append(n);
    for (int t = 0; t < n->count && n->cache.halves; t++) {
        for (int i = 0; i < 2; i++)
            for (int d = 0; d < n->head_size; d++) {
                uint32_t bits;
                memcpy(&bits, &from[i][(size_t)t * n->stride + (size_t)d], sizeof bits);
                bits &= ~0x1fffu;
                memcpy(&cut[i][d], &bits, sizeof bits);
            }
        new_positions one = *n;
        one.position += t, one.count = 1, one.k = cut[0], one.v = cut[1];
        kernels_named("auto")->append(&one);
    }
}

START_TEST(test_careless_halves_fail) {
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    kernels careless = *kernels_named("auto");
    careless.append = careless_append;
    ck_assert_msg(!passes(&small, sizes[_i], 1, WEIGHTS_F32, CACHE_F16, &careless), "size %g passes",
                  sizes[_i]);
}
END_TEST

START_TEST(test_what_has_a_larger_tolerance_can_fail) {
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    kernels careless = *kernels_named("auto");
    careless.linear = half_linear;
    ck_assert(!passes(&small, sizes[_i], 1, WEIGHTS_INT8, CACHE_F32, &careless));
    ck_assert(!passes(&small, sizes[_i], 1, WEIGHTS_F32, CACHE_F16, &careless));
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("check_reference");
    tcase_add_loop_test(cases, test_honest_kernels_pass, 0, SIZES);
    tcase_add_test(cases, test_huge_weights_pass);
    tcase_add_loop_test(cases, test_careless_kernels_fail, 1,
                        SIZES - 1); /* the smallest and largest hide it */
    tcase_add_loop_test(cases, test_careless_halves_fail, 0,
                        SIZES - 2); /* larger weights make much of any rounding */
    tcase_add_loop_test(cases, test_what_has_a_larger_tolerance_can_fail, 1, SIZES);
    return suite_run(cases, "check_reference", 60);
}
