/* A tensor's member of a checkpoint being read: declared as expected, and from narrow numbers to floats. */
#ifndef CHECKPOINT_TENSOR_H
#define CHECKPOINT_TENSOR_H
#include "archive_reader.h"
#include "kernels/kernels.h"
#include "parameters.h"

/* Opens member `index`, checks all that it declares (numbers of this type, t's shape, the length) and leaves
 * it at its first element. Close with entry_close. */
bool tensor_open(archive_entry *e, archive *a, size_t index, const parameter *t, weight_type type,
                 problem *why);

/* Reads it to its end into `block`. `scales` is the block of scales, for bytes. */
bool tensor_read(archive_entry *e, const parameter *t, weight_type type, const float *scales, float *block,
                 problem *why);
#endif
