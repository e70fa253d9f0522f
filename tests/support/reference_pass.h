/* The reference's forward over one window in double precision that keeps what its backward needs. */
#ifndef REFERENCE_PASS_H
#define REFERENCE_PASS_H
#include "reference_backward.h"
#include "reference_math.h"

/* One layer in one window: its weights, its dropout (masks NULL: none) and what the
 * backward needs of the forward. */
typedef struct tape {
    const layer_weights *weights;

    double *attention_mask; /* (n_head, T, T) */
    double *attn_proj_mask; /* (T, C) */
    double *mlp_proj_mask;  /* (T, C) */

    double *x;      /* (T, C) the layer's input */
    double *norm_1; /* (T, C) */
    double *qkv;    /* (T, 3C) */
    double *mixed;  /* (T, C) the heads' outputs side by side */
    double *middle; /* (T, C) the residual stream between attention and MLP */
    double *norm_2; /* (T, C) */
    double *hidden; /* (T, 4C) before the activation */
    double *active; /* (T, 4C) after it */
} tape;

typedef struct pass {
    const model *model;
    const dropout_masks *masks; /* of this window, or NULL */
    int count;                  /* T */

    double *weights;          /* the model's block in double */
    double *gradient;         /* laid out as the block */
    double *kept;             /* the tapes' memory */
    double *x;                /* (T, C) the residual stream; in the backward, its gradient */
    double *branch;           /* (T, 4C) what a branch adds to x; in the backward, a gradient in the branch */
    double *inner;            /* (T, 4C) the same, one step further in */
    double *scores, *dscores; /* (T, T) of one head */
    double *logits;           /* (T, V) */
    double *scratch;          /* for linear layers */
} pass;

/* The count of (T, C), and of (T, T). */
size_t pass_plane(const pass *p);
size_t pass_square(const pass *p);

/* How many doubles p->kept holds. */
size_t pass_kept(const pass *p);

tape pass_tape(const pass *p, int depth);
double *pass_head_mask(const pass *p, const tape *t, int head);

/* x *= mask; mask NULL: no dropout. */
void pass_drop(size_t count, double *x, const double *mask);

typedef struct head_view { /* one head's queries, keys, values: (T, D) each */
    matrix q, k, v;
} head_view;

head_view pass_head(const pass *p, const double *qkv, int head);

/* p->scores = softmax(Q K^T / sqrt(D)), before dropout. */
void pass_attention_weights(const pass *p, head_view h);

/* Fills the tapes, p->x with the last layer's output and p->logits. */
void pass_forward(const pass *p, const int32_t *tokens);
#endif
