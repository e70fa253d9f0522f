#include "scratch.h"
#include "suite.h"
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char PREFIX[] = "/tmp/sawtooth-test-";

void scratch_enter(void) {
    char directory[sizeof PREFIX + 6];
    sprintf(directory, "%sXXXXXX", PREFIX);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status, (void)kind, (void)where;
    return remove(path);
}

void scratch_leave(void) {
    char *directory = getcwd(NULL, 0);
    ck_assert_ptr_nonnull(directory);
    ck_assert_msg(!strncmp(directory, PREFIX, strlen(PREFIX)), "%s is not ours to remove", directory);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(directory);
}

char *scratch_read(const char *path, size_t *size) {
    FILE *f = fopen(path, "r");
    ck_assert_msg(f, "%s: cannot open", path);
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    char *bytes = zeros(*size + 1, 1);
    ck_assert_uint_eq(fread(bytes, 1, *size, f), *size);
    ck_assert_int_eq(fclose(f), 0);
    return bytes;
}

void scratch_write(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "w");
    ck_assert_msg(f, "%s: cannot open", path);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
}

int scratch_count(void) {
    DIR *here = opendir(".");
    ck_assert_ptr_nonnull(here);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(here));) count += entry->d_name[0] != '.';
    closedir(here);
    return count;
}
