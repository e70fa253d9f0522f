/* Every kernel set that promises equal bits trains the same weights: those that every processor and
 * compiler gives. */
#include "support/small_training.h"
#include "support/suite.h"
#include <inttypes.h>

static const uint64_t FINGERPRINT = 0x3f457cc0c77f55d8;

START_TEST(test_same_training) {
    const kernels *k;
    problem why;
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        uint64_t found;
        must(small_training_fingerprint(k, 2, &found, &why), &why);
        ck_assert_msg(found == FINGERPRINT, "%s: %016" PRIx64 ", not %016" PRIx64, k->name, found,
                      FINGERPRINT);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("processor invariance");
    tcase_add_test(cases, test_same_training);
    return suite_run(cases, "processor invariance", 300);
}
