/* The insides of a learner: what its files share. */
#ifndef LEARNER_PARTS_H
#define LEARNER_PARTS_H
#include "backward.h"
#include "gradient_tree.h"
#include "learner.h"
#include "optimizer.h"

struct learner {
    model *model;
    const kernels *kernels;
    team *team;
    settings settings;
    int group_size;   /* sequences in a group, at most */
    activations acts; /* of a group, every layer kept */
    layer_gradient g; /* of a group, one layer at a time */
    kv_cache *caches; /* [rank]: one layer's keys and values of the sequence in work */
    float **scratch;  /* [rank] */
    float *block;     /* the micro-batch's gradient */
    weights gradient; /* the same by role */
    float
        *embedding; /* (V, C) gradient of wte as embedding; its own where the head adds to the same tensor */
    gradient_tree tree;
    int logit_rows;
    float *logits;    /* (logit_rows, V) */
    row_loss *losses; /* of a micro-batch's rows */
    double loss;
    optimizer optimizer;
};

/* One iteration as the team sees it. */
typedef struct iteration_job {
    learner *l;
    uint64_t iteration;
    const int32_t *const *windows;
    double learning_rate, norm;
} iteration_job;

/* Consecutive sequences of a micro-batch that go through the model together. */
typedef struct group {
    const iteration_job *job;
    int64_t first;     /* the first sequence, counted in the iteration */
    int64_t first_row; /* its first row, counted in the micro-batch */
    int count;
} group;

static inline int block_size(const learner *l) {
    return l->model->shape.block_size;
}

/* Adds the group's gradient to the micro-batch's and stores its rows' losses; all members call it. */
void group_gradient(const group *g, member me);

/* The part of it from the model's last rows to the loss and back to the residual stream (g.stream). */
void head_gradient(const group *g, member me);
#endif
