#ifdef HAVE_OPENBLAS
#include "blas.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

/* It maps a buffer for each call under way, and keeps it for later calls. */
static const size_t BUFFER = (size_t)128 << 20, LIBRARY = (size_t)64 << 20;
enum { MOST_BUFFERS = 64 };

/* A process loads a library once, and for good. */
static struct {
    blas functions;
    void *(*take)(int position); /* a buffer, for ever in search of memory; NULL in a build without it */
    void (*give)(void *buffer);
    int buffers; /* that are there */
} library;

static bool can_map(size_t bytes) {
    void *there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return there != MAP_FAILED && munmap(there, bytes) == 0;
}

static bool has_room(int buffers, problem *why) {
    size_t bytes = (size_t)(buffers - library.buffers) * BUFFER + (library.functions.sgemm ? 0 : LIBRARY);
    return can_map(bytes) || run_failed(why, "out of memory: %zu bytes for OpenBLAS", bytes);
}

/* A data pointer becomes a function's, as POSIX has it. */
static void find(void *handle, const char *name, void *function) {
    *(void **)function = dlsym(handle, name);
}

static bool load(problem *why) {
    if (library.functions.sgemm) return true;
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1); /* it looks when it is loaded: our threads split the work */
    void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return run_failed(why, "cannot load OpenBLAS: %s", dlerror());
    blas functions;
    find(handle, "cblas_dgemm", &functions.dgemm);
    find(handle, "cblas_sgemm", &functions.sgemm);
    if (!functions.sgemm || !functions.dgemm)
        return run_failed(why, "cannot load OpenBLAS: libopenblas.so.0 has no sgemm or no dgemm");
    find(handle, "blas_memory_alloc", &library.take);
    find(handle, "blas_memory_free", &library.give);
    library.functions = functions;
    return true;
}

/* Takes buffers while there is room for them: a call that finds none must not look for memory. */
static void take_buffers(int count) {
    void *buffers[MOST_BUFFERS];
    if (!library.take || !library.give) return;
    for (int i = 0; i < count; i++) buffers[i] = library.take(0);
    for (int i = 0; i < count; i++) library.give(buffers[i]);
    library.buffers = count;
}

const blas *blas_open(int threads, problem *why) {
    int buffers = threads < MOST_BUFFERS ? threads : MOST_BUFFERS;
    if (buffers <= library.buffers) return &library.functions;
    if (!has_room(buffers, why) || !load(why)) return NULL;
    take_buffers(buffers);
    return &library.functions;
}

const blas *blas_loaded(void) {
    return &library.functions;
}
#else
typedef int blas_is_left_out; /* ISO C wants a translation unit to declare something */
#endif
