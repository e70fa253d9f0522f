/* The .npy format (numpy.lib.format): magic, version, the header's length, the header, which is a Python
 * dictionary
 * {'descr': '<f4', 'fortran_order': False, 'shape': (65, 24), }, and the elements. Versions 1.0, 2.0 and 3.0
 * are read, 1.0 is written. */
#ifndef NPY_H
#define NPY_H
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

enum { NPY_DIMS = 8, NPY_TYPE_LENGTH = 16, NPY_PREAMBLE = 12, NPY_HEADER_LIMIT = 16384 };

typedef struct npy_header {
    char type[NPY_TYPE_LENGTH]; /* numpy's name of the element type: "<f4", "|i1" */
    bool fortran_order;
    int dims;
    uint64_t shape[NPY_DIMS];
} npy_header;

/* How many bytes precede the elements, told by the first NPY_PREAMBLE of them: NPY_PREAMBLE to
 * NPY_HEADER_LIMIT. `source` names the file in messages, here and below. */
bool npy_header_size(const char preamble[NPY_PREAMBLE], size_t *size, const char *source, problem *why);

/* Parses these bytes, preamble included. */
bool npy_header_parse(npy_header *h, const char *bytes, size_t size, const char *source, problem *why);

/* Refuses, saying what was found, all but this type and shape in C order. */
bool npy_header_expect(const npy_header *h, const char *type, int dims, const uint64_t *shape,
                       const char *source, problem *why);

typedef struct npy_array npy_array;

/* How the floats of an array are stored. */
typedef struct npy_element {
    const char *type; /* numpy's name */
    size_t size;      /* bytes, at most those of a float */
    /* Makes `count` elements of a row from column `col` on; NULL: they are the floats as they lie. */
    void (*make)(const npy_array *a, size_t row, size_t col, size_t count, void *out);
} npy_element;

extern const npy_element npy_float32;

/* An array of floats in memory that is to be a .npy: a vector (cols,), with one row, or a matrix
 * (rows, cols). */
struct npy_array {
    const npy_element *element;
    int dims;
    size_t rows, cols, stride; /* floats from a row to the next */
    const float *data;
    const float *scales; /* for the element's `make` */
};

/* The length of its .npy, and any part of it: bytes offset..offset+count. `array` is an npy_array; a caller
 * that streams knows it as a context (archive_writer.h). */
uint64_t npy_size(const npy_array *a);
void npy_bytes(const void *array, uint64_t offset, void *out, size_t count);

/* Writes a float32 matrix (rows, cols) as a .npy, atomically. */
bool npy_write_file(const char *path, size_t rows, size_t cols, size_t stride, const float *data,
                    problem *why);
#endif
