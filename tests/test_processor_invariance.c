/* Every kernel set that promises equal bits trains the same weights, and finds the same losses on narrow
 * ones: those that every processor and compiler gives. */
#include "support/small_training.h"
#include "support/suite.h"
#include <inttypes.h>

static const uint64_t TRAINED = 0x3f457cc0c77f55d8, NARROW = 0xf2f8eface3dd4f00;

static void expect(bool (*fingerprint)(const kernels *, int, uint64_t *, problem *), uint64_t expected) {
    const kernels *k;
    problem why;
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        uint64_t found;
        must(fingerprint(k, 2, &found, &why), &why);
        ck_assert_msg(found == expected, "%s: %016" PRIx64 ", not %016" PRIx64, k->name, found, expected);
    }
}

START_TEST(test_same_training) {
    expect(small_training_fingerprint, TRAINED);
}
END_TEST

START_TEST(test_same_losses_of_narrow_weights) {
    expect(small_narrow_fingerprint, NARROW);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("processor invariance");
    tcase_add_test(cases, test_same_training);
    tcase_add_test(cases, test_same_losses_of_narrow_weights);
    return suite_run(cases, "processor invariance", 300);
}
