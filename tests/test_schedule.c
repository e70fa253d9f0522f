/* The learning rate: nanoGPT's get_lr, evaluated in Python, and what it does not define. */
#include "schedule.h"
#include "support/suite.h"

static settings shakespeare(void) {
    return (settings){.learning_rate = 1e-3, .min_lr = 1e-4, .warmup_iters = 100, .max_iters = 5000};
}

static settings gpt2(void) {
    return (settings){.learning_rate = 6e-4,
                      .min_lr = 6e-5,
                      .warmup_iters = 2000,
                      .lr_decay_iters = 600000,
                      .max_iters = 7};
}

typedef struct golden_rate {
    int64_t iteration;
    double rate;
} golden_rate;

static void check(settings s, size_t count, const golden_rate *expected) {
    for (size_t i = 0; i < count; i++)
        ck_assert_double_eq_tol(learning_rate_at(&s, expected[i].iteration), expected[i].rate,
                                1e-14 * expected[i].rate);
}

START_TEST(test_shakespeare) {
    static const golden_rate expected[] = {
        {0, 9.900990099009901e-06},
        {1, 1.9801980198019803e-05},
        {99, 0.0009900990099009901},
        {100, 0.001},
        {101, 0.000999999907510999},
        {1234, 0.0008862110040286674},
        {2549, 0.0005502885135912778},
        {2550, 0.00055},
        {3000, 0.0004219625860160354},
        {4999, 0.00010000009248900101},
        {5000, 0.0001},
        {700000, 0.0001},
    };
    check(shakespeare(), sizeof expected / sizeof *expected, expected);
}
END_TEST

START_TEST(test_decay_longer_than_the_run) {
    static const golden_rate expected[] = {
        {0, 2.998500749625187e-07},
        {1234, 0.0003703148425787106},
        {2549, 0.0005999988770109184},
        {5000, 0.0005999664675978719},
        {300000, 0.0003314184383189326},
        {599999, 6.00000000037259e-05},
        {600000, 6e-05},
        {600001, 6e-05},
    };
    check(gpt2(), sizeof expected / sizeof *expected, expected);
}
END_TEST

START_TEST(test_constant_after_the_warm_up) {
    settings s = shakespeare();
    s.decay = DECAY_NONE;
    static const golden_rate expected[] = {
        {0, 9.900990099009901e-06}, {100, 1e-3}, {2550, 1e-3}, {5000, 1e-3}, {1000000, 1e-3}};
    check(s, sizeof expected / sizeof *expected, expected);
}
END_TEST

START_TEST(test_without_warm_up) {
    settings s = shakespeare();
    s.warmup_iters = 0;
    static const golden_rate expected[] = {{0, 1e-3}, {2500, 5.5e-4}, {5000, 1e-4}};
    check(s, sizeof expected / sizeof *expected, expected);
}
END_TEST

/* get_lr divides by 0 here: the warm-up comes first, then what follows the decay. */
START_TEST(test_warm_up_as_long_as_the_decay_or_longer) {
    settings s = shakespeare();
    s.lr_decay_iters = 100;
    static const golden_rate expected[] = {{99, 0.0009900990099009901}, {100, 1e-4}, {101, 1e-4}};
    check(s, sizeof expected / sizeof *expected, expected);
    s.lr_decay_iters = 10;
    check(s, sizeof expected / sizeof *expected, expected);
}
END_TEST

START_TEST(test_a_run_of_no_iterations) {
    settings s = shakespeare();
    s.max_iters = s.warmup_iters = 0;
    static const golden_rate expected[] = {{0, 1e-4}};
    check(s, sizeof expected / sizeof *expected, expected);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("schedule");
    tcase_add_test(cases, test_shakespeare);
    tcase_add_test(cases, test_decay_longer_than_the_run);
    tcase_add_test(cases, test_constant_after_the_warm_up);
    tcase_add_test(cases, test_without_warm_up);
    tcase_add_test(cases, test_warm_up_as_long_as_the_decay_or_longer);
    tcase_add_test(cases, test_a_run_of_no_iterations);
    return suite_run(cases, "schedule", 10);
}
