#include "resources.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 512, LONGEST = 1024 };

static FILE *open_in(const char *directory, const char *name) {
    char path[LONGEST];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length < LONGEST ? fopen(path, "re") : NULL;
}

/* The first numbers of a file, as many as are there; "max" is not one. */
static int read_numbers(const char *directory, const char *name, double numbers[2]) {
    FILE *file = open_in(directory, name);
    if (!file) return 0;
    int count = fscanf(file, "%lf %lf", &numbers[0], &numbers[1]);
    fclose(file);
    return count < 0 ? 0 : count;
}

/* The number after `key` and a blank or colon at the start of a line; 0 without one. */
static double read_field(const char *directory, const char *name, const char *key) {
    FILE *file = open_in(directory, name);
    char line[LINE];
    size_t length = strlen(key);
    double number = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, length) && strchr(": ", line[length])) {
            (void)sscanf(line + length + 1, "%lf", &number);
            break;
        }
    if (file) fclose(file);
    return number;
}

/* ---- Control groups: what one allows, or infinity ---- */

typedef double group_limit(const char *group);

static double processors_2(const char *group) {
    double quota[2];
    return read_numbers(group, "cpu.max", quota) == 2 && quota[1] > 0 ? quota[0] / quota[1] : INFINITY;
}

static double processors_1(const char *group) {
    double quota[2], period[2];
    bool limited = read_numbers(group, "cpu.cfs_quota_us", quota) && quota[0] > 0 &&
                   read_numbers(group, "cpu.cfs_period_us", period) && period[0] > 0;
    return limited ? quota[0] / period[0] : INFINITY;
}

/* Pages of files are given up when memory is wanted. */
static double memory_2(const char *group) {
    double most[2], used[2];
    if (!read_numbers(group, "memory.max", most) || !read_numbers(group, "memory.current", used))
        return INFINITY;
    double files = read_field(group, "memory.stat", "file") - read_field(group, "memory.stat", "shmem");
    return fmax(0, most[0] - used[0] + files);
}

static double memory_1(const char *group) {
    double most[2], used[2];
    if (!read_numbers(group, "memory.limit_in_bytes", most) ||
        !read_numbers(group, "memory.usage_in_bytes", used))
        return INFINITY;
    double files =
        read_field(group, "memory.stat", "total_cache") - read_field(group, "memory.stat", "total_shmem");
    return fmax(0, most[0] - used[0] + files);
}

/* The least that a group and those around it allow, up to the top of what can be seen. */
static double least_upwards(const char *root, const char *controller, const char *path, group_limit *limit) {
    char group[LONGEST];
    int top = snprintf(group, sizeof group, "%s/sys/fs/cgroup%s", root, controller);
    if (snprintf(group, sizeof group, "%s/sys/fs/cgroup%s%s", root, controller, path) >= LONGEST)
        return INFINITY;
    double least = limit(group);
    for (char *slash; (slash = strrchr(group + top, '/'));) {
        *slash = 0;
        least = fmin(least, limit(group));
    }
    return least;
}

static bool lists(const char *controllers, const char *name) {
    for (size_t n = strlen(name); *controllers; controllers += strspn(controllers, ",")) {
        size_t length = strcspn(controllers, ",");
        if (length == n && !memcmp(controllers, name, n)) return true;
        controllers += length;
    }
    return false;
}

/* Lines are number:controllers:path, without controllers in version 2. */
static double group_of_line(const char *root, char *line, const char *controller, group_limit *first,
                            group_limit *second) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) return INFINITY;
    *path++ = 0;
    if (!*++controllers) return least_upwards(root, "", path, second);
    char mount[32];
    (void)snprintf(mount, sizeof mount, "/%s", controller);
    return lists(controllers, controller) ? least_upwards(root, mount, path, first) : INFINITY;
}

static double groups(const char *root, const char *controller, group_limit *first, group_limit *second) {
    FILE *file = open_in(root, "proc/self/cgroup");
    char line[LINE];
    double least = INFINITY;
    while (file && fgets(line, sizeof line, file))
        least = fmin(least, group_of_line(root, line, controller, first, second));
    if (file) fclose(file);
    return least;
}

/* ---- What is ours ---- */

double resources_processors(const char *root) {
    return groups(root, "cpu", processors_1, processors_2);
}

size_t resources_memory(const char *root) {
    double kilobytes =
        read_field(root, "proc/meminfo", "MemAvailable") + read_field(root, "proc/meminfo", "SwapFree");
    double left =
        fmin(kilobytes > 0 ? 1024 * kilobytes : INFINITY, groups(root, "memory", memory_1, memory_2));
    return left < 0x1p63 ? (size_t)left : SIZE_MAX;
}
