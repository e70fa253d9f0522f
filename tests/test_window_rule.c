/* The window rule against a window that is filled, and emptied down to `keep`, token by token. */
#include "generate.h"
#include "support/suite.h"

/* The window's length before token p is predicted. */
static size_t simulated_length(size_t p, size_t context, size_t keep) {
    size_t length = 0;
    for (size_t token = 0; token < p; token++)
        if (++length > context) length = keep;
    return length;
}

START_TEST(test_every_small_window) {
    for (int context = 1; context <= 12; context++)
        for (int keep = 1; keep <= context; keep++)
            for (size_t p = 1; p <= 5 * (size_t)context; p++)
                ck_assert_uint_eq(p - window_start(p, context, keep),
                                  simulated_length(p, (size_t)context, (size_t)keep));
}
END_TEST

START_TEST(test_keeping_the_context_is_crop_and_recompute) {
    for (size_t p = 1; p <= 100; p++) ck_assert_uint_eq(window_start(p, 32, 32), p > 32 ? p - 32 : 0);
}
END_TEST

START_TEST(test_far_along) {
    size_t p = ((size_t)1 << 40) + 12345, start = window_start(p, 256, 128);
    ck_assert_uint_eq(start % 129, 0);
    ck_assert(p - start <= 256 && p - (start - 129) > 256);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("window rule");
    tcase_add_test(cases, test_every_small_window);
    tcase_add_test(cases, test_keeping_the_context_is_crop_and_recompute);
    tcase_add_test(cases, test_far_along);
    return suite_run(cases, "window rule", 60);
}
