#include "blas.h"
#include "openblas.h"
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

/* The Makefile says which sets it builds, best first. */
#ifndef KERNEL_SETS
#define KERNEL_SETS SET(plain)
#endif

#define SET(kind) kernels_##kind
extern const kernels KERNEL_SETS;
#undef SET
#define SET(kind) &kernels_##kind
static const kernels *const built[] = {KERNEL_SETS};
#undef SET

enum { SETS = sizeof built / sizeof *built };

bool kernels_run_here(const kernels *k) {
#ifdef __x86_64__
    unsigned a = 0, b = 0, c = 0, d = 0; /* not every compiler's __builtin_cpu_supports knows F16C */
    bool f16c = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && f16c;
    if (!strcmp(k->name, "avx2")) return avx2;
    if (!strcmp(k->name, "avx512"))
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vnni");
#endif
    (void)k; /* neon is part of 64-bit ARM; plain and openblas run anywhere */
    return true;
}

const kernels *kernels_built(int i) {
    if (i >= 0 && i < SETS) return built[i];
    for (int best = 0; i == SETS && best < SETS; best++)
        if (kernels_run_here(built[best])) return built[best]->openblas;
    return NULL;
}

bool kernels_ready(const kernels *k, int threads, problem *why) {
#ifdef HAVE_OPENBLAS
    if (!strcmp(k->name, "openblas")) return blas_open(threads, why);
#endif
    (void)k, (void)threads, (void)why;
    return true;
}

const kernels *kernels_named(const char *name) {
    const kernels *k;
    for (int i = 0; (k = kernels_built(i)); i++)
        if (kernels_run_here(k) && (!strcmp(name, "auto") || !strcmp(name, k->name))) return k;
    return NULL;
}
