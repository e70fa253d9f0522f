/* Prints each kernel set's fingerprints of the small training run and of losses on narrow weights: for builds
 * that the test suites do not reach, such as one for another processor under an emulator.
 * test_processor_invariance.c holds the numbers to expect. */
#include "support/small_training.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const kernels *k;
    for (int i = 0; (k = kernels_built(i)); i++) {
        uint64_t trained, narrow;
        problem why;
        if (!kernels_run_here(k)) continue;
        if (!small_training_fingerprint(k, 2, &trained, &why) ||
            !small_narrow_fingerprint(k, 2, &narrow, &why)) {
            fprintf(stderr, "%s\n", why.text);
            return EXIT_FAILURE;
        }
        printf("%s %016" PRIx64 " %016" PRIx64 "\n", k->name, trained, narrow);
    }
    return EXIT_SUCCESS;
}
