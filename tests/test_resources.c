/* What control groups and the kernel leave us, read from files that stand for /proc and /sys. */
#include "memory.h"
#include "resources.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

/* Writes a text, and makes the directories above it. */
static void put(const char *path, const char *text) {
    char above[256];
    for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
        memcpy(above, path, (size_t)(slash - path));
        above[slash - path] = 0;
        (void)mkdir(above, 0777);
    }
    scratch_write(path, text, strlen(text));
}

static void expect_processors(double expected) {
    ck_assert_double_eq(resources_processors("."), expected);
}

START_TEST(test_without_files_there_are_no_limits) {
    ck_assert(isinf(resources_processors(".")));
    ck_assert_uint_eq(resources_memory("."), SIZE_MAX);
}
END_TEST

START_TEST(test_quota_of_version_2) {
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    ck_assert(isinf(resources_processors(".")));
    put("sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
    expect_processors(1.5);
    put("sys/fs/cgroup/a/cpu.max", "50000 100000\n"); /* what holds for all in it */
    expect_processors(0.5);
    put("sys/fs/cgroup/a/cpu.max", "400000 100000\n");
    expect_processors(1.5);
    put("proc/self/cgroup", "0::/elsewhere\n"); /* a container sees its own as the top */
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    expect_processors(2);
}
END_TEST

START_TEST(test_quota_of_version_1) {
    put("proc/self/cgroup", "5:cpuset:/c\n4:cpu,cpuacct:/a\n3:memory:/m\n0::/\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    ck_assert(isinf(resources_processors(".")));
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
    expect_processors(3);
}
END_TEST

START_TEST(test_memory) {
    put("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable:  200 kB\nSwapFree: 56 kB\n");
    ck_assert_uint_eq(resources_memory("."), 256 * 1024);
    put("proc/self/cgroup", "0::/a\n");
    put("sys/fs/cgroup/a/memory.max", "max\n");
    put("sys/fs/cgroup/a/memory.current", "70000\n");
    put("sys/fs/cgroup/a/memory.stat", "anon 1\nfile 50000\nkernel 2\nshmem 10000\n");
    ck_assert_uint_eq(resources_memory("."), 256 * 1024);
    put("sys/fs/cgroup/a/memory.max", "100000\n");
    ck_assert_uint_eq(resources_memory("."), 70000);
    put("sys/fs/cgroup/a/memory.current", "170000\n");
    ck_assert_uint_eq(resources_memory("."), 0);
    put("proc/self/cgroup", "3:memory:/m\n");
    put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "90000\n");
    put("sys/fs/cgroup/memory/m/memory.usage_in_bytes", "60000\n");
    ck_assert_uint_eq(resources_memory("."), 30000);
}
END_TEST

START_TEST(test_more_than_the_machine_has_is_refused) {
    problem why;
    ck_assert_ptr_null(allocate(1, (size_t)1 << 46, "a dream", &why));
    ck_assert_msg(strstr(why.text, "out of memory: 70368744177664 bytes for a dream, where ") == why.text,
                  "%s", why.text);
    ck_assert_int_eq(why.exit_status, 1);
    ck_assert(!memory_has_room((size_t)1 << 40, (size_t)1 << 40, "a dream", &why));
    must(memory_has_room(1 << 10, 1 << 10, "a wish", &why), &why);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("resources");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_test(cases, test_without_files_there_are_no_limits);
    tcase_add_test(cases, test_quota_of_version_2);
    tcase_add_test(cases, test_quota_of_version_1);
    tcase_add_test(cases, test_memory);
    tcase_add_test(cases, test_more_than_the_machine_has_is_refused);
    return suite_run(cases, "resources", 30);
}
