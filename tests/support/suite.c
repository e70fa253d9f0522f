#include "suite.h"
#include <stdlib.h>
#include <string.h>

int suite_run(TCase *cases, const char *name, double seconds) {
    tcase_set_timeout(cases, seconds);
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void must(bool ok, const problem *why) {
    ck_assert_msg(ok, "%s", why->text);
}

void *zeros(size_t count, size_t size) {
    void *memory = calloc(count, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

const kernels *kernel_set(int i) {
    const kernels *k;
    for (int built = 0; (k = kernels_built(built)); built++)
        if (kernels_run_here(k) && i-- == 0) break;
    problem why;
    if (k) must(kernels_ready(k, 1, &why), &why);
    return k;
}

const kernels *exact_kernel_set(int i) {
    const kernels *k = kernel_set(i);
    return k && strcmp(k->name, "openblas") ? k : NULL;
}
