#include "memory.h"
#include "resources.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, LARGE_PAGE = 2 << 20 };
/* Less than this no machine lacks, and to ask takes a tenth of a millisecond. */
enum { WORTH_ASKING = 16 << 20 };

bool memory_has_room(size_t count, size_t size, const char *what, problem *why) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)-1 / 2)
        return run_failed(why, "out of memory: %zu x %zu bytes for %s is more than can be addressed", count,
                          size, what);
    size_t left = bytes < WORTH_ASKING ? bytes : resources_memory("");
    return bytes <= left ||
           run_failed(why, "out of memory: %zu bytes for %s, where %zu can be had", bytes, what, left);
}

static void *allocate_pages(bool large, size_t count, size_t size, const char *what, problem *why) {
    if (!memory_has_room(count, size, what, why)) return NULL;
    size_t bytes = count * size;
    size_t alignment = large || bytes >= 2 * (size_t)LARGE_PAGE ? LARGE_PAGE : CACHE_LINE;
    size_t rounded = bytes ? (bytes + alignment - 1) / alignment * alignment : alignment;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, rounded) != 0) {
        run_failed(why, "out of memory: %zu bytes for %s", bytes, what);
        return NULL;
    }
    if (alignment == LARGE_PAGE)
        (void)madvise(memory, rounded, MADV_HUGEPAGE); /* a wish: refusal changes speed only */
    memset(memory, 0, rounded);
    return memory;
}

void *allocate(size_t count, size_t size, const char *what, problem *why) {
    return allocate_pages(false, count, size, what, why);
}

float *allocate_scratch(size_t count, problem *why) {
    return allocate_pages(true, count, sizeof(float), "scratch", why);
}

void release(void *memory) {
    free(memory);
}
