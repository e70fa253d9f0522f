#include "resources.h"
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MASKS = 16, MOST_PROCESSORS = MASKS * CPU_SETSIZE };

typedef struct processor_set {
    cpu_set_t masks[MASKS];
} processor_set;

static bool has(const processor_set *set, int processor) {
    return CPU_ISSET_S((size_t)processor, sizeof set->masks, set->masks);
}

static void include(processor_set *set, int processor) {
    CPU_SET_S((size_t)processor, sizeof set->masks, set->masks);
}

static processor_set usable(void) {
    processor_set set;
    memset(&set, 0, sizeof set);
    if (sched_getaffinity(0, sizeof set.masks, set.masks) != 0) include(&set, 0);
    return set;
}

/* The first processor of the core that this one belongs to; itself where the system does not say. */
static int first_sibling(int processor) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor);
    FILE *file = fopen(path, "re");
    int first = processor;
    if (!file) return processor;
    if (fscanf(file, "%d", &first) != 1 || first < 0 || first >= MOST_PROCESSORS) first = processor;
    fclose(file);
    return first;
}

int physical_cores(void) {
    processor_set set = usable(), cores;
    memset(&cores, 0, sizeof cores);
    for (int i = 0; i < MOST_PROCESSORS; i++)
        if (has(&set, i)) include(&cores, first_sibling(i));
    double count = fmin(CPU_COUNT_S(sizeof cores.masks, cores.masks), round(resources_processors("")));
    return count > 1 ? (int)count : 1;
}
