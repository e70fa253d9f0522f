/* Prints each kernel set's fingerprint of the small training run: for builds that the test
 * suites do not reach, such as one for another processor under an emulator.
 * test_processor_invariance.c holds the number to expect. */
#include "support/small_training.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const kernels *k;
    for (int i = 0; (k = kernels_built(i)); i++) {
        uint64_t fingerprint;
        problem why;
        if (!kernels_run_here(k)) continue;
        if (!small_training_fingerprint(k, 2, &fingerprint, &why)) {
            fprintf(stderr, "%s\n", why.text);
            return EXIT_FAILURE;
        }
        printf("%s %016" PRIx64 "\n", k->name, fingerprint);
    }
    return EXIT_SUCCESS;
}
