/* What this machine can do, measured in the run in which it is compared with what a program does: the
 * denominators of "share of peak" and "share of bandwidth". Machines are noisy: measure several times, in
 * turn with the other thing, and take medians. */
#ifndef MACHINE_H
#define MACHINE_H
#include "kernels/kernels.h"
#include "team.h"

/* Fused multiply-adds of the whole team with k's vectors, in floating-point operations a second. */
double machine_fma_peak(const kernels *k, team *t);

/* Bytes a second that the team reads of the n floats at x, each member its own share, when it has just
 * read them. */
double machine_read_bandwidth(const kernels *k, team *t, size_t n, const float *x);
#endif
