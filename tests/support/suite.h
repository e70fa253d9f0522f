/* What every suite needs: a main, a way to insist, and the kernel sets to go through. */
#ifndef SUITE_H
#define SUITE_H
#include "kernels/kernels.h"
#include "problem.h"
#include <check.h>
#include <math.h>

/* Runs the cases and frees them: main's result. `seconds` is each test's limit. */
int suite_run(TCase *cases, const char *name, double seconds);

/* Fails the test with the problem's text unless `ok`. */
void must(bool ok, const problem *why);

/* calloc that fails the test instead of returning NULL. */
void *zeros(size_t count, size_t size);

/* The larger of two errors. What is not a number is worst of all, and stays so. */
static inline double worse_of(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

/* The i-th kernel set that runs here, or NULL past the last; exact sets are those that promise
 * equal bits: all but "openblas". */
const kernels *kernel_set(int i);
const kernels *exact_kernel_set(int i);
#endif
