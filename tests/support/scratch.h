/* A directory of its own for each test: a checked fixture, tcase_add_checked_fixture(c,
 * scratch_enter, scratch_leave). */
#ifndef SCRATCH_H
#define SCRATCH_H
#include <stddef.h>

/* Makes an empty directory and goes there; leaves it and removes it with all it holds. */
void scratch_enter(void);
void scratch_leave(void);

/* A file's bytes and a 0; free(). A failure fails the test. */
char *scratch_read(const char *path, size_t *size);
void scratch_write(const char *path, const void *bytes, size_t size);

/* How many files the directory holds. */
int scratch_count(void);
#endif
