/* A model in memory: one contiguous block of parameters, the same numbers packed for the forward products,
 * and pointers into both by role. Gradients use the same layout, so `weights` serves them as well. */
#ifndef MODEL_H
#define MODEL_H
#include "cache.h"
#include "parameters.h"
#include "team.h"

typedef struct layer_norm {
    float *weight, *bias; /* (n_embd,); bias may be NULL */
} layer_norm;

typedef struct layer_weights {
    layer_norm ln_1;
    linear qkv, attn_proj;
    layer_norm ln_2;
    linear fc, mlp_proj;
} layer_weights;

typedef struct weights {
    float *wte, *wpe; /* (V, C) and (T, C), rows padded(C) apart */
    layer_weights *layers;
    layer_norm ln_f;
    linear head; /* its weight is wte when tied */
} weights;

typedef struct model {
    shape shape;
    parameter_table table;
    float *block;          /* table.floats floats: what the weights stand for, whatever their type */
    weight_type type;      /* of the packed copy */
    cache_type cache_type; /* of the keys and values that its forward makes */
    float *scales;         /* int8: table.scales floats, a row's groups of inputs side by side; else NULL */
    void *packed;          /* NULL until model_prepare */
    size_t packed_bytes;
    float *packed_back; /* for backward, or NULL */
    weights w;
} model;

/* Allocates a model of zeros; close with model_close. */
bool model_open(model *m, const shape *s, problem *why);
void model_close(model *m);

/* Points `w` into a block laid out as the model's table says (its gradient, say). Close with
 * weights_close. */
bool weights_open(weights *w, const model *m, float *block, problem *why);
void weights_close(weights *w);

/* Packs the weights that are in the block, for the forward products, as the model's type says; and for
 * backward too where that is wanted (f32 only). Before this a model can be read, written and changed, but not
 * run. The members of the team share the work; NULL: the caller does it. */
bool model_prepare(model *m, bool backward, team *t, problem *why);

/* Refreshes what model_prepare has packed after the block has changed. Every member of the team calls it;
 * each packs its share. */
void model_pack(model *m, member me);

/* The same for a panel alone: rows 16 panel .. 16 panel + 15 of a linear layer's weight, which is the table's
 * tensor p. model_linear: that layer (the head for wte when tied), or NULL. */
const linear *model_linear(model *m, const parameter *p);
void model_pack_panel(const model *m, const linear *l, const parameter *p, int panel);

/* Narrow weights: model_set_type chooses another type, and makes room for its scales. model_round then rounds
 * every matrix in the block to what its narrow numbers stand for (halves to even; int8: symmetric, with a
 * float scale for each row and group of SCALE_GROUP columns); vectors stay as they are. Every member of the
 * team calls it, each for its share. From f32 only; then model_round, and model_prepare. */
bool model_set_type(model *m, weight_type type, problem *why);
void model_round(model *m, member me);

/* Normal weights with standard deviation init_std (residual projections: divided by sqrt(2
 * n_layer) when scale_residual), zero biases, unit layer norms: a function of the seed alone. */
void model_init(model *m, uint64_t seed, double init_std, bool scale_residual);
#endif
