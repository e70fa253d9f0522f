#include "kernels.h"
#include <string.h>

#define SET(kind) kernels_##kind
extern const kernels KERNEL_SETS;
#undef SET
#define SET(kind) &kernels_##kind
#ifdef HAVE_OPENBLAS
extern const kernels kernels_openblas;
static const kernels *const built[] = {KERNEL_SETS, &kernels_openblas};
#else
static const kernels *const built[] = {KERNEL_SETS};
#endif

enum { SETS = sizeof built / sizeof *built };

const kernels *kernels_built(int i) {
    return i >= 0 && i < SETS ? built[i] : NULL;
}

bool kernels_run_here(const kernels *k) {
#ifdef __x86_64__
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!strcmp(k->name, "avx2")) return avx2;
    if (!strcmp(k->name, "avx512"))
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    (void)k; /* neon is part of 64-bit ARM; plain and openblas run anywhere */
    return true;
}

const kernels *kernels_named(const char *name) {
    for (int i = 0; i < SETS; i++)
        if (kernels_run_here(built[i]) && (!strcmp(name, "auto") || !strcmp(name, built[i]->name))) return built[i];
    return NULL;
}
