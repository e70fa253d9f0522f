/* The dropout masks that the learner uses, spelt out for the reference. */
#ifndef LEARNER_MASKS_H
#define LEARNER_MASKS_H
#include "reference_backward.h"
#include "transformer.h"

/* Masks of one window of block_size tokens; close with masks_close. */
dropout_masks masks_open(const shape *s, const kernels *k, const dropout_plan *plan);
void masks_close(dropout_masks *masks);
#endif
