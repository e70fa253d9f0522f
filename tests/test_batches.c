/* Which windows an iteration learns from. */
#include "batches.h"
#include "support/suite.h"
#include <string.h>

enum { TRAIN = 100, ALL = 120, CONTEXT = 8, BATCH = 5, ACCUMULATE = 3, COUNT = BATCH * ACCUMULATE };

/* A corpus whose token i is i. */
typedef struct fixture {
    int32_t tokens[ALL];
    corpus corpus;
    settings settings;
    batches batches;
} fixture;

static void open_fixture(fixture *f, bool random, int train) {
    problem why;
    *f = (fixture){
        .settings = {.block_size = CONTEXT, .batch_size = BATCH, .grad_accum = ACCUMULATE, .seed = 7}};
    f->settings.data_order = random ? ORDER_RANDOM : ORDER_SEQUENTIAL;
    for (int i = 0; i < ALL; i++) f->tokens[i] = i;
    f->corpus = (corpus){.text_tokens = f->tokens, .count = ALL, .train_count = (size_t)train};
    must(batches_open(&f->batches, &f->corpus, &f->settings, &why), &why);
    ck_assert_uint_eq(f->batches.count, COUNT);
}

START_TEST(test_sequential_windows_lie_side_by_side) {
    fixture f;
    open_fixture(&f, false, TRAIN);
    size_t windows = (TRAIN - 1) / CONTEXT;
    for (int64_t i = 0; i < 50; i++)
        for (size_t b = 0; b < COUNT; b++)
            ck_assert_uint_eq(batches_start(&f.batches, i, b), ((size_t)i * COUNT + b) % windows * CONTEXT);
    batches_close(&f.batches);
}
END_TEST

static const int32_t *const *fetched(fixture *f, int64_t iteration) {
    problem why;
    const int32_t *const *windows = batches_fetch(&f->batches, iteration, &why);
    must(windows, &why);
    return windows;
}

START_TEST(test_a_window_is_the_corpus_from_its_start) {
    fixture f;
    open_fixture(&f, _i, TRAIN);
    for (int64_t i = 0; i < 50; i++) {
        const int32_t *const *windows = fetched(&f, i);
        for (size_t b = 0; b < COUNT; b++)
            for (int t = 0; t <= CONTEXT; t++)
                ck_assert_int_eq(windows[b][t], (int32_t)batches_start(&f.batches, i, b) + t);
    }
    batches_close(&f.batches);
}
END_TEST

/* Chi-squared over the TRAIN - CONTEXT places a window fits: 91 degrees of freedom, below 160 but for
 * one in 10^5. */
START_TEST(test_random_windows_are_everywhere_and_never_reach_validation) {
    enum { PLACES = TRAIN - CONTEXT, ITERATIONS = 1000 };
    fixture f;
    int found[PLACES] = {0};
    open_fixture(&f, true, TRAIN);
    for (int64_t i = 0; i < ITERATIONS; i++)
        for (size_t b = 0; b < COUNT; b++) {
            size_t start = batches_start(&f.batches, i, b);
            ck_assert_uint_lt(start, PLACES);
            found[start]++;
        }
    double expected = (double)ITERATIONS * COUNT / PLACES, chi = 0;
    for (int i = 0; i < PLACES; i++) chi += (found[i] - expected) * (found[i] - expected) / expected;
    ck_assert_double_lt(chi, 160);
    batches_close(&f.batches);
}
END_TEST

START_TEST(test_the_smallest_split_has_one_window) {
    fixture f;
    open_fixture(&f, _i, CONTEXT + 1);
    for (int64_t i = 0; i < 20; i++)
        for (size_t b = 0; b < COUNT; b++) ck_assert_uint_eq(batches_start(&f.batches, i, b), 0);
    batches_close(&f.batches);
}
END_TEST

START_TEST(test_an_iteration_is_the_same_whatever_came_before) {
    fixture f;
    int32_t first[CONTEXT + 1], other[CONTEXT + 1];
    open_fixture(&f, true, TRAIN);
    memcpy(first, fetched(&f, 17)[3], sizeof first);
    memcpy(other, fetched(&f, 18)[3], sizeof other);
    ck_assert_mem_ne(first, other, sizeof first);
    ck_assert_mem_eq(first, fetched(&f, 17)[3], sizeof first);
    f.settings.seed++;
    ck_assert_mem_ne(first, fetched(&f, 17)[3], sizeof first);
    batches_close(&f.batches);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("batches");
    tcase_add_test(cases, test_sequential_windows_lie_side_by_side);
    tcase_add_loop_test(cases, test_a_window_is_the_corpus_from_its_start, 0, 2);
    tcase_add_test(cases, test_random_windows_are_everywhere_and_never_reach_validation);
    tcase_add_loop_test(cases, test_the_smallest_split_has_one_window, 0, 2);
    tcase_add_test(cases, test_an_iteration_is_the_same_whatever_came_before);
    return suite_run(cases, "batches", 10);
}
