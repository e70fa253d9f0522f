/* OpenBLAS, loaded when it is first wanted. Linked in the ordinary way it would start a thread for each
 * processor before main, and wait for ever for memory that a limit denies it. */
#ifndef BLAS_H
#define BLAS_H
#ifdef HAVE_OPENBLAS
#include "problem.h"
#include <cblas.h>

typedef struct blas {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(cblas_dgemm) *dgemm;
} blas;

/* Loads it where that is still to be done, and takes the memory with which so many threads at once can call
 * it; it starts no threads of its own. Called by the main thread. NULL and a message where it cannot be had.
 */
const blas *blas_open(int threads, problem *why);

/* What blas_open has loaded. */
const blas *blas_loaded(void);
#endif
#endif
