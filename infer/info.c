/* sawtooth-infer info: what a checkpoint holds. */
#include "command.h"
#include "loaded.h"
#include "narrow.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const option options[] = {{NULL, 0, NULL, NULL}};

static const char *yes_no(bool b) {
    return b ? "true" : "false";
}

static void print_shape(const shape *s) {
    printf("n_layer = %d\nn_head = %d\nn_embd = %d\nblock_size = %d\nvocab_size = %d\n", s->n_layer,
           s->n_head, s->n_embd, s->block_size, s->vocab_size);
    printf("activation = %s\nqkv_bias = %s\nbias = %s\nhead_bias = %s\ntie_weights = %s\n",
           activation_names[s->activation], yes_no(s->qkv_bias), yes_no(s->bias), yes_no(s->head_bias),
           yes_no(s->tie_weights));
}

static void print_training(const training_state *t) {
    if (!t->present) return;
    printf("iteration = %" PRId64 "\nseed = %" PRIu64 "\n", t->iteration, t->seed);
    if (isfinite(t->best_loss)) printf("best validation loss = %.9g\n", t->best_loss);
}

/* As numpy calls it. */
static const char *number_name(const parameter *p, weight_type type) {
    return p->dims == 1 || type == WEIGHTS_F32 ? "float32" : type == WEIGHTS_F16 ? "float16" : "int8";
}

/* Numbers and scales, as they are stored before compression. */
static size_t tensor_bytes(const parameter *p, weight_type type) {
    size_t rows = (size_t)p->rows, cols = (size_t)p->cols;
    if (p->dims == 1) return cols * sizeof(float);
    size_t scales = type == WEIGHTS_INT8 ? rows * (size_t)groups_of(p->cols) : 0;
    return rows * cols * number_size(type) + scales * sizeof(float);
}

static void print_tensors(const parameter_table *t, weight_type type) {
    printf("\n%-40s %-16s %12s %8s %12s\n", "tensor", "shape", "numbers", "type", "bytes");
    for (size_t i = 0; i < t->count; i++) {
        const parameter *p = &t->list[i];
        char dims[32];
        if (p->dims == 1)
            snprintf(dims, sizeof dims, "(%d,)", p->cols);
        else
            snprintf(dims, sizeof dims, "(%d, %d)", p->rows, p->cols);
        printf("%-40s %-16s %12zu %8s %12zu\n", p->name, dims, (size_t)p->rows * (size_t)p->cols,
               number_name(p, type), tensor_bytes(p, type));
    }
}

static void print_sizes(const model *m) {
    const parameter *bad = parameters_not_finite(&m->table, m->block);
    size_t bytes = 0;
    for (size_t i = 0; i < m->table.count; i++) bytes += tensor_bytes(&m->table.list[i], m->type);
    printf("\n%zu tensors, %zu parameters: %.1f MB as %s; cache of a full context: %.1f MB\n", m->table.count,
           m->table.elements, 1e-6 * (double)bytes,
           m->type == WEIGHTS_F32 ? "float32" : weight_names[m->type],
           1e-6 * (double)cache_bytes(&m->shape, m->cache_type, m->shape.n_layer));
    if (bad) printf("%s holds a number that is not finite\n", bad->name);
    printf("fingerprint %08" PRIx32 "\n", parameters_fingerprint(&m->table, m->block));
}

static bool run(const arguments *a, problem *why) {
    loaded l;
    if (!loaded_read(&l, a, why)) return false;
    if (!loaded_convert(&l, why)) {
        loaded_close(&l);
        return false;
    }
    const checkpoint *c = &l.checkpoint;
    printf("file = %s\n", l.path);
    print_shape(&c->model.shape);
    printf("tokenizer = %s\nweights = %s\n", c->tokenizer.chars ? "char" : "ids",
           weight_names[c->model.type]);
    print_training(&c->train);
    print_tensors(&c->model.table, c->model.type);
    print_sizes(&c->model);
    loaded_close(&l);
    return true;
}

const command info_command = {
    .name = "info",
    .usage = "MODEL",
    .summary = "Shows a checkpoint's configuration, tensors, sizes and fingerprint",
    .reads_only = true,
    .options = options,
    .run = run,
};
