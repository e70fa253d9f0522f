/* The arithmetic, as a table of functions with one entry for each kind of processor.
 *
 * Every set gives the same bits: each sum's order is fixed by the algorithm, and every operation is an IEEE
 * add, multiply, divide, square root or explicit fused multiply-add. The exception is "openblas", whose
 * linear layers go through sgemm: the independent second implementation and the yardstick (of int8 layers it
 * rounds the weights only).
 *
 * Conventions. Matrices are row-major; a stride is the number of floats from a row to the next, a multiple
 * of 16, and what lies between the columns and the stride is zero ("padding") and stays zero. Column
 * ranges from..to start at multiples of 16. Pointers are aligned to 64 bytes where the stride allows.
 * Nothing here allocates or fails. */
#ifndef KERNELS_H
#define KERNELS_H
#include "padded.h"
#include "philox.h"
#include "problem.h"
#include <stdbool.h>
#include <stddef.h>

/* How a linear layer's packed weights are stored.
 * f16: each is widened to the float it stands for, so the layer is the f32 one on rounded weights.
 * int8: a weight is q times the scale of its output and group of inputs, and a row of x is rounded likewise
 * as it comes (symmetric, half to even, the largest of its group to 127). Products of bytes are summed
 * exactly; groups follow one another:  y = b; y = fma(sum of q p, weight scale x row scale, y) for each
 * group. */
typedef enum { WEIGHTS_F32, WEIGHTS_F16, WEIGHTS_INT8 } weight_type;
enum {
    SCALE_GROUP = 128, /* inputs that share a scale */
    MOST_BYTE = 127    /* what the largest of them is a multiple of it */
};

typedef struct linear { /* y = x W^T + b */
    int out, in;
    float *weight; /* (out, in) */
    size_t stride;
    float *bias; /* (out,), padded with zeros, or NULL */
    weight_type type;
    void *packed;       /* panels of sixteen outputs: [padded(out)/16][in][16] float or half; int8:
                           [padded(out)/16][padded(in)/4][16][4], 128 + q (padding: anything).
                           NULL in a gradient */
    float *scales;      /* int8: [padded(out)/16][groups of in][16] */
    float *packed_back; /* [padded(in)/16][out][16]: panels of sixteen inputs, for the input gradient; NULL:
                           not trained */
} linear;

/* Scales of a row of `in` bytes. */
static inline int groups_of(int in) {
    return (in + SCALE_GROUP - 1) / SCALE_GROUP;
}

/* Inputs of a packed panel: bytes are padded to whole vectors. */
static inline int packed_inputs(const linear *l) {
    return l->type == WEIGHTS_INT8 ? padded(l->in) : l->in;
}

/* Inverted dropout (Srivastava et al. 2014; PyTorch nn.Dropout): an element is kept when its sixteen random
 * bits are below `limit`, and then multiplied by `scale`. dropout.h says which bits of the stream an element
 * has; rows start at multiples of 64 elements. */
typedef struct dropout {
    uint32_t limit; /* round(65536 (1 - p)) */
    float scale;    /* 1 / (1 - p) */
    random_stream stream;
} dropout;

/* The cached keys and values of one head: floats, or halves that are widened as they are read. */
typedef struct cached_head {
    void *keys;   /* panels [..][D][16] */
    void *values; /* (.., D), rows padded(D) apart */
    bool halves;
} cached_head;

/* Positions that join a head's cache, from `position` on; halves are rounded to nearest even. */
typedef struct new_positions {
    int position, count, head_size;
    const float *k, *v; /* (count, D) */
    size_t stride;
    cached_head cache;
} new_positions;

/* Attention of some rows of one head: row i is position + i, and reads keys 0 .. position + i. */
typedef struct attention_rows {
    int rows, position, head_size;
    const float *q; /* (rows, D) */
    size_t q_stride;
    cached_head cache;
    cached_head next; /* what the caller's next call reads, if it is halves: fetched meanwhile; or NULLs */
    float *out;       /* (rows, D): exactly D columns are written */
    size_t out_stride;
    float *row_max, *row_scale; /* (rows,): each row's largest score and 1 / sum of exp(score - max) */
    const dropout *drop;        /* on the attention weights; NULL: none */
    size_t drop_row;            /* elements from a row to the next in the dropout's index: a multiple of 64 */
    float *scratch;             /* attention_scratch(position + rows, D) floats */
} attention_rows;

/* Backward of a whole sequence of one head (position 0). */
typedef struct attention_gradient {
    int rows, head_size;
    float *q, *k, *v; /* (rows, D), `stride` apart: their gradients take their place */
    size_t stride;
    const float *out, *dout; /* (rows, D) */
    size_t out_stride;
    const float *row_max, *row_scale;
    const dropout *drop;
    size_t drop_row;
    float *scratch; /* attention_gradient_scratch(rows, D) floats */
} attention_gradient;

typedef struct adamw_step {         /* one update, the same for every element */
    float first_rate;               /* 1 - beta1 */
    float second_keep, second_rate; /* beta2 and 1 - beta2, each rounded from double */
    float eps;
    float step_size;       /* learning_rate / (1 - beta1^t) */
    float root_correction; /* sqrt(1 - beta2^t) */
    float keep;            /* 1 - learning_rate * weight_decay, or 1 */
    float gradient_scale;  /* from clipping by global norm; 1: none */
} adamw_step;

typedef struct row_loss { /* cross-entropy = log(sum) + gap, in nats */
    float sum;            /* of exp(logit - largest logit) */
    float gap;            /* largest logit - target's logit */
} row_loss;

enum { ACTIVATIONS = 3 }; /* in the order of activation_kind: relu, gelu, gelu_tanh */

typedef struct kernels {
    const char *name;
    const struct kernels *openblas; /* the same with OpenBLAS's linear layers; NULL: built without it */

    /* Linear layers, columns from..to of the result only.
     * linear: y = x W^T + b; linear_input_gradient: dx = dy W;
     * linear_weight_gradient: dW += dy^T x and db += column sums of dy, rows from..to of dW (any bounds),
     * summed over the rows in their order, so that consecutive calls equal one call; scratch:
     * WEIGHT_GRADIENT_SCRATCH floats. */
    void (*linear)(const linear *l, int rows, int from, int to, const float *x, size_t xs, float *y,
                   size_t ys);
    void (*linear_input_gradient)(const linear *l, int rows, int from, int to, const float *dy, size_t dys,
                                  float *dx, size_t dxs);
    void (*linear_weight_gradient)(const linear *gradient, int rows, int from, int to, const float *dy,
                                   size_t dys, const float *x, size_t xs, float *scratch);

    /* Layer norm (Ba et al. 2016; PyTorch nn.LayerNorm), epsilon 1e-5. stats: (rows, 2), mean and
     * 1/deviation. backward adds to dx; weight_gradient adds columns from..to over the rows in
     * order. bias, dbias may be NULL. */
    void (*layer_norm)(int rows, int n, const float *x, size_t xs, const float *weight, const float *bias,
                       float *y, size_t ys, float *stats);
    void (*layer_norm_backward)(int rows, int n, const float *dy, size_t dys, const float *x, size_t xs,
                                const float *weight, const float *stats, float *dx, size_t dxs);
    void (*layer_norm_weight_gradient)(int rows, int from, int to, const float *dy, size_t dys,
                                       const float *x, size_t xs, const float *stats, float *dweight,
                                       float *dbias);

    /* y = activation(x); backward, in place: dy *= activation'(x), and x becomes activation(x). */
    void (*activation[ACTIVATIONS])(int rows, int n, const float *x, size_t xs, float *y, size_t ys);
    void (*activation_backward[ACTIVATIONS])(int rows, int n, float *x, size_t xs, float *dy, size_t dys);

    /* out = x + dropout(y), and out = dropout(y); element (r, c) has index `first + r drop_row + c`
     * (multiples of 64). drop NULL: no dropout. In place is allowed. */
    void (*add)(int rows, int n, const float *x, size_t xs, const float *y, size_t ys, const dropout *drop,
                uint64_t first, size_t drop_row, float *out, size_t os);
    void (*drop)(int rows, int n, const float *y, size_t ys, const dropout *drop, uint64_t first,
                 size_t drop_row, float *out, size_t os);

    /* append also zeroes the padding of its rows of values. Others may append to other lanes of the same
     * panel meanwhile. */
    void (*append)(const new_positions *n);
    void (*attention)(const attention_rows *a);
    void (*attention_gradient)(const attention_gradient *a);

    /* Softmax of rows of n logits: what each row's cross-entropy against its target is made of. Where `scale`
     * is not 0 the logits become scale (softmax - onehot), the loss's gradient. */
    void (*cross_entropy)(int rows, int n, float *logits, size_t stride, const int32_t *targets, float scale,
                          row_loss *losses);

    /* n elements (multiple of 16): AdamW (Loshchilov and Hutter 2019; PyTorch optim.AdamW); the sum of
     * squares in double, sixteen lanes joined in a fixed tree; a += b. */
    void (*adamw)(size_t n, const adamw_step *step, const float *gradient, float *weight, float *m, float *v);
    double (*sum_of_squares)(size_t n, const float *x);
    void (*accumulate)(size_t n, float *a, const float *b);

    /* What this processor can do: `repeats` rounds of independent fused multiply-adds,
     * returning how many floating-point operations they were; and the sum of n floats (a
     * multiple of 64), which is their reading. */
    double (*fma_peak_flops)(long repeats);
    float (*read_floats)(size_t n, const float *x);
} kernels;

enum { WEIGHT_GRADIENT_SCRATCH = 1 << 17 }; /* floats of scratch for linear_weight_gradient */

/* Floats of scratch, a multiple of 16, for attention over `keys` keys. */
size_t attention_scratch(int keys, int head_size);
size_t attention_gradient_scratch(int rows, int head_size);

/* The i-th kernel set built into this program, best first, "openblas" last; NULL past the end. */
const kernels *kernels_built(int i);
/* Whether this processor runs it. */
bool kernels_run_here(const kernels *k);
/* Takes what a set needs to run on so many threads: OpenBLAS is loaded. Engines and learners have done so. */
bool kernels_ready(const kernels *k, int threads, problem *why);
/* By name; "auto" is the best that runs here. NULL: unknown, or does not run here. */
const kernels *kernels_named(const char *name);
#endif
