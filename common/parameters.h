/* The parameter table: name, shape and place of every tensor of a model, in the order of nanoGPT's
 * state_dict. Checkpoint, optimizer, info and export all walk it. */
#ifndef PARAMETERS_H
#define PARAMETERS_H
#include "shape.h"

typedef enum { INIT_ZERO, INIT_ONE, INIT_NORMAL, INIT_RESIDUAL } init_kind;

typedef struct parameter {
    char name[64];
    int dims; /* 1: a vector (cols,), stored as one row; 2: a matrix (rows, cols) */
    int rows, cols;
    size_t stride;       /* floats from one row to the next: padded(cols) */
    size_t offset;       /* floats from the start of the block */
    size_t scale_offset; /* of a matrix: its place among the scales of int8 weights */
    init_kind init;
} parameter;

typedef struct parameter_table {
    size_t count;
    size_t floats;   /* length of a block that holds every tensor, padding included */
    size_t scales;   /* scales of int8 weights: one for each row and SCALE_GROUP columns of every matrix */
    size_t elements; /* numbers without the padding: what people call the parameter count */
    parameter *list;
} parameter_table;

/* Builds the table of a checked shape; release with parameter_table_close. */
bool parameter_table_open(parameter_table *table, const shape *s, problem *why);
void parameter_table_close(parameter_table *table);

/* zlib's CRC-32 of every tensor's float32 bytes (little-endian, padding left out) in table order. */
uint32_t parameters_fingerprint(const parameter_table *table, const float *block);

/* The first tensor that holds a NaN or an infinity, or NULL. */
const parameter *parameters_not_finite(const parameter_table *table, const float *block);
#endif
