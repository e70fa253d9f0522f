/* Which token a row of logits and a random number give. */
#include "random.h"
#include "sampler.h"
#include "support/suite.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { DRAWS = 40000, MOST = 16 };

static const sampling greedy = {.temperature = 0, .top_p = 1};

static sampling at(double temperature, int top_k, double top_p) {
    return (sampling){.temperature = temperature, .top_k = top_k, .top_p = top_p};
}

/* How often each of n tokens is drawn by random numbers spread evenly over [0, 1). */
static void frequencies(const float *logits, int n, sampling how, double share[MOST]) {
    sampler s;
    problem why;
    ck_assert(sampler_open(&s, n, &why));
    for (int i = 0; i < n; i++) share[i] = 0;
    for (int i = 0; i < DRAWS; i++) share[sampler_draw(&s, logits, &how, (i + 0.5) / DRAWS)] += 1.0 / DRAWS;
    sampler_close(&s);
}

/* Token i has the share expected[i], and none where that is 0. */
static void expect(const float *logits, int n, sampling how, const double *expected) {
    double share[MOST];
    frequencies(logits, n, how, share);
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq_tol(share[i], expected[i], 2.0 / DRAWS);
        if (expected[i] <= 0) ck_assert_double_eq(share[i], 0);
    }
}

static int32_t draw(const float *logits, int n, sampling how, double uniform) {
    sampler s;
    problem why;
    ck_assert(sampler_open(&s, n, &why));
    int32_t token = sampler_draw(&s, logits, &how, uniform);
    sampler_close(&s);
    return token;
}

START_TEST(test_greedy_takes_the_largest_and_the_lowest_id_of_equals) {
    ck_assert_int_eq(draw((float[]){1, 3, 2, 3}, 4, greedy, 0.99), 1);
    ck_assert_int_eq(draw((float[]){-5, -5, -5}, 3, greedy, 0.99), 0);
    ck_assert_int_eq(draw((float[]){-0.0f, 0.0f}, 2, greedy, 0.99), 0);
    ck_assert_int_eq(draw((float[]){7}, 1, greedy, 0.99), 0);
}
END_TEST

START_TEST(test_frequencies_are_the_softmax) {
    const float logits[] = {0.5f, -1, 2, 0};
    double expected[4], total = 0;
    for (int i = 0; i < 4; i++) total += exp((double)logits[i] / 0.7);
    for (int i = 0; i < 4; i++) expected[i] = exp((double)logits[i] / 0.7) / total;
    expect(logits, 4, at(0.7, 0, 1), expected);
}
END_TEST

/* Logits whose probabilities are 0.4, 0.3, 0.2 and 0.1, not in their order. */
static void tenths(float logits[4]) {
    const int tenth[] = {2, 4, 1, 3};
    for (int i = 0; i < 4; i++) logits[i] = logf((float)tenth[i]);
}

START_TEST(test_top_k_leaves_exactly_k) {
    float logits[4];
    tenths(logits);
    expect(logits, 4, at(1, 1, 1), (double[]){0, 1, 0, 0});
    expect(logits, 4, at(1, 2, 1), (double[]){0, 4 / 7.0, 0, 3 / 7.0});
    expect(logits, 4, at(1, 3, 1), (double[]){2 / 9.0, 4 / 9.0, 0, 3 / 9.0});
    expect(logits, 4, at(1, 4, 1), (double[]){0.2, 0.4, 0.1, 0.3});
    expect(logits, 4, at(1, 1000, 1), (double[]){0.2, 0.4, 0.1, 0.3});
}
END_TEST

START_TEST(test_top_k_takes_the_lower_id_of_equals) {
    expect((float[]){1, 1, 1, 1, 1}, 5, at(1, 2, 1), (double[]){0.5, 0.5, 0, 0, 0});
    expect((float[]){0, 1, 0, 1, 0}, 5, at(1e6, 3, 1), (double[]){1 / 3.0, 1 / 3.0, 0, 1 / 3.0, 0});
}
END_TEST

START_TEST(test_top_p_leaves_the_shortest_list_that_reaches_p) {
    float logits[4];
    tenths(logits);
    expect(logits, 4, at(1, 0, 0), (double[]){0, 1, 0, 0});
    expect(logits, 4, at(1, 0, 0.39), (double[]){0, 1, 0, 0});
    expect(logits, 4, at(1, 0, 0.41), (double[]){0, 4 / 7.0, 0, 3 / 7.0});
    expect(logits, 4, at(1, 0, 0.71), (double[]){2 / 9.0, 4 / 9.0, 0, 3 / 9.0});
    expect(logits, 4, at(1, 0, 0.91), (double[]){0.2, 0.4, 0.1, 0.3});
}
END_TEST

START_TEST(test_top_p_counts_what_top_k_leaves) {
    float logits[4];
    tenths(logits);
    expect(logits, 4, at(1, 2, 0.5), (double[]){0, 1, 0, 0});
    expect(logits, 4, at(1, 2, 0.6), (double[]){0, 4 / 7.0, 0, 3 / 7.0});
    expect(logits, 4, at(1, 3, 0.99), (double[]){2 / 9.0, 4 / 9.0, 0, 3 / 9.0});
}
END_TEST

START_TEST(test_equal_logits) {
    expect((float[]){3, 3, 3, 3}, 4, at(1, 0, 1), (double[]){0.25, 0.25, 0.25, 0.25});
    expect((float[]){3, 3, 3, 3}, 4, at(1, 0, 0.5), (double[]){0.5, 0.5, 0, 0});
}
END_TEST

START_TEST(test_extreme_temperatures) {
    const float logits[] = {1, 1.001f, -40, 1.001f};
    expect(logits, 4, at(1e-6, 0, 1), (double[]){0, 0.5, 0, 0.5});
    expect(logits, 4, at(5e-324, 0, 1), (double[]){0, 0.5, 0, 0.5});
    expect(logits, 4, at(1e6, 0, 1), (double[]){0.25, 0.25, 0.25, 0.25});
    expect(logits, 4, at(DBL_MAX, 0, 1), (double[]){0.25, 0.25, 0.25, 0.25});
}
END_TEST

START_TEST(test_underflowing_probabilities_are_never_drawn) {
    const float logits[] = {-FLT_MAX, 0, FLT_MAX, 0, -FLT_MAX};
    double last = nextafter(1, 0);
    for (int top_k = 0; top_k <= 5; top_k++)
        for (int wide = 0; wide < 2; wide++)
            for (int end = 0; end < 2; end++)
                ck_assert_int_eq(draw(logits, 5, at(1, top_k, wide ? 1 : 0.999999), end ? last : 0), 2);
}
END_TEST

START_TEST(test_names_what_is_not_finite) {
    ck_assert_int_eq(logits_not_finite((float[]){1, -FLT_MAX, 0}, 3), -1);
    ck_assert_int_eq(logits_not_finite((float[]){1, NAN, INFINITY}, 3), 1);
    ck_assert_int_eq(logits_not_finite((float[]){1, 2, -INFINITY}, 3), 2);
}
END_TEST

/* A large vocabulary against a plain sort: top_k and top_p at once. */
static int by_logit(const void *a, const void *b, void *logits) {
    const float *of = logits;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    if (of[i] < of[j] || of[i] > of[j]) return of[i] > of[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

START_TEST(test_a_large_vocabulary_against_a_sort) {
    enum { N = 5000, K = 100 };
    static float logits[N];
    static int32_t ids[N];
    random_stream stream = random_open(7, FOR_CHECK, 0, 0, 0);
    for (int32_t i = 0; i < N; i++) {
        logits[i] = (float)random_below(&stream, (uint64_t)i, 300) / 50; /* many equal ones */
        ids[i] = i;
    }
    qsort_r(ids, N, sizeof *ids, by_logit, logits);
    bool allowed[N] = {false};
    for (int i = 0; i < K; i++) allowed[ids[i]] = true;
    for (int i = 0; i < 1000; i++) ck_assert(allowed[draw(logits, N, at(1, K, 1), i / 1000.0)]);
    ck_assert_int_eq(draw(logits, N, at(1, K, 0), 0.5), ids[0]);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("sampler");
    tcase_add_test(cases, test_greedy_takes_the_largest_and_the_lowest_id_of_equals);
    tcase_add_test(cases, test_frequencies_are_the_softmax);
    tcase_add_test(cases, test_top_k_leaves_exactly_k);
    tcase_add_test(cases, test_top_k_takes_the_lower_id_of_equals);
    tcase_add_test(cases, test_top_p_leaves_the_shortest_list_that_reaches_p);
    tcase_add_test(cases, test_top_p_counts_what_top_k_leaves);
    tcase_add_test(cases, test_equal_logits);
    tcase_add_test(cases, test_extreme_temperatures);
    tcase_add_test(cases, test_underflowing_probabilities_are_never_drawn);
    tcase_add_test(cases, test_names_what_is_not_finite);
    tcase_add_test(cases, test_a_large_vocabulary_against_a_sort);
    return suite_run(cases, "sampler", 60);
}
