/* Reads the arrays of an .npz (a ZIP of .npy files) for the tests. A file that is not as expected
 * fails the test. */
#ifndef ARRAYS_H
#define ARRAYS_H
#include <stddef.h>

enum { ARRAY_DIMS = 4 };

typedef struct array {
    int dims;
    size_t shape[ARRAY_DIMS];
    size_t count;   /* product of the shape */
    double *values; /* C order; every element type converted; free() */
} array;

/* The member "<name>.npy" of the file at `path`: float64, float32, int64 or int32, little-endian, C order. */
array array_read(const char *path, const char *name);

/* A member's bytes and a terminating 0; free(). */
char *member_read(const char *path, const char *member);
#endif
