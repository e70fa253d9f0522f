/* The sum of gradients over micro-batches, as a fixed binary tree over their index: its bits do not depend on
 * who computes which micro-batch when, so that it can span machines. */
#ifndef GRADIENT_TREE_H
#define GRADIENT_TREE_H
#include "kernels/kernels.h"
#include "team.h"

typedef struct gradient_tree {
    size_t floats; /* in a gradient: a multiple of 16 */
    int levels;
    float **waiting; /* [level]: the sum of 2^level micro-batches that waits for its neighbour */
} gradient_tree;

/* For so many micro-batches in an update: with one there is nothing to keep. */
bool gradient_tree_open(gradient_tree *t, size_t floats, int64_t micro_batches, problem *why);
void gradient_tree_close(gradient_tree *t);

/* Micro-batch i joins the waiting sums of its finished neighbours, like a carry in a binary counter, and
 * waits itself for the next; the last one joins all that still wait, and `gradient` is then the sum. Each
 * member does its share of the floats. */
void gradient_tree_join(const gradient_tree *t, const kernels *k, int64_t i, bool last, float *gradient,
                        member me);

/* A member's share of n floats, in whole vectors of sixteen. */
typedef struct span {
    size_t from, count;
} span;
span span_of(member me, size_t n);
#endif
