/* Kernels that say how long they take: a table whose entries time those of another. Waiting in team_sync and
 * packing, which the table does not hold, are timed by the linker's --wrap. The product has no clock in it.
 */
#ifndef TIMED_KERNELS_H
#define TIMED_KERNELS_H
#include "kernels/kernels.h"
#include "shape.h"
#include "team.h"

typedef enum {
    LINEAR_FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT,
    ATTENTION_FORWARD,
    ATTENTION_BACKWARD,
    LAYER_NORM,
    ACTIVATION,
    DROPOUT_AND_RESIDUAL,
    LOSS,
    OPTIMIZER,
    PACKING,
    WAITING,
    PARTS
} part;

typedef struct part_times {
    double seconds[PARTS]; /* of all threads together */
    double flops[PARTS];   /* of the matrix products and attention, counted as flops.h does */
} part_times;

/* The table that times `real`'s functions, for models with this activation. One at a time: the one asked for
 * last. */
const kernels *timed_kernels(const kernels *real, activation_kind activation);

/* What the team's threads have spent since they were last asked. */
part_times timed_collect(team *t);
#endif
