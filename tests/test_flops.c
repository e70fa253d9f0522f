/* The operation count against figures worked out by hand. */
#include "flops.h"
#include "support/suite.h"

START_TEST(test_shakespeare) {
    shape s = {.n_layer = 6, .n_head = 6, .n_embd = 384, .block_size = 256, .vocab_size = 65};
    /* 6 x (6 x 1,769,472 + 24,960) + 3 x 6 x 2 x 256 x 384 */
    ck_assert_double_eq(training_flops_per_token(&s), 63850752.0 + 3538944.0);
}
END_TEST

START_TEST(test_gpt2_does_not_overflow) {
    shape s = {.n_layer = 12, .n_head = 12, .n_embd = 768, .block_size = 1024, .vocab_size = 50257};
    ck_assert_double_eq(training_flops_per_token(&s), 6 * (84934656.0 + 38597376.0) + 3 * 18874368.0);
}
END_TEST

/* A row through the layers, one through the head, and a row that looks back at ten keys. */
START_TEST(test_parts) {
    shape s = {.n_layer = 2, .n_head = 1, .n_embd = 10, .block_size = 8, .vocab_size = 7};
    ck_assert_double_eq(forward_flops(&s, 1, 0, 0), 2 * 2 * 1200.0);
    ck_assert_double_eq(forward_flops(&s, 0, 1, 0), 2 * 70.0);
    ck_assert_double_eq(forward_flops(&s, 0, 0, 10), 10 * 2 * 4 * 10.0);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("flops");
    tcase_add_test(cases, test_shakespeare);
    tcase_add_test(cases, test_gpt2_does_not_overflow);
    tcase_add_test(cases, test_parts);
    return suite_run(cases, "flops", 10);
}
