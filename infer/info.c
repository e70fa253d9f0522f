/* sawtooth-infer info: what a checkpoint holds. */
#include "command.h"
#include "loaded.h"
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
           activation_name(s->activation), yes_no(s->qkv_bias), yes_no(s->bias), yes_no(s->head_bias),
           yes_no(s->tie_weights));
}

static void print_training(const training_state *t) {
    if (!t->present) return;
    printf("iteration = %" PRId64 "\nseed = %" PRIu64 "\n", t->iteration, t->seed);
    if (isfinite(t->best_loss)) printf("best validation loss = %.9g\n", t->best_loss);
}

static void print_tensors(const parameter_table *t) {
    printf("\n%-40s %-16s %12s\n", "tensor", "shape", "numbers");
    for (size_t i = 0; i < t->count; i++) {
        const parameter *p = &t->list[i];
        char dims[32];
        if (p->dims == 1)
            snprintf(dims, sizeof dims, "(%d,)", p->cols);
        else
            snprintf(dims, sizeof dims, "(%d, %d)", p->rows, p->cols);
        printf("%-40s %-16s %12zu\n", p->name, dims, (size_t)p->rows * (size_t)p->cols);
    }
}

static void print_sizes(const model *m) {
    const parameter *bad = parameters_not_finite(&m->table, m->block);
    printf("\n%zu tensors, %zu parameters: %.1f MB as float32; cache of a full context: %.1f MB\n",
           m->table.count, m->table.elements, 4e-6 * (double)m->table.elements,
           1e-6 * (double)cache_bytes(&m->shape, m->shape.n_layer));
    if (bad) printf("%s holds a number that is not finite\n", bad->name);
    printf("fingerprint %08" PRIx32 "\n", parameters_fingerprint(&m->table, m->block));
}

static bool run(const arguments *a, problem *why) {
    loaded l;
    if (!loaded_open(&l, a, why)) return false;
    const checkpoint *c = &l.checkpoint;
    printf("file = %s\n", l.path);
    print_shape(&c->model.shape);
    printf("tokenizer = %s\n", c->tokenizer.chars ? "char" : "ids");
    print_training(&c->train);
    print_tensors(&c->model.table);
    print_sizes(&c->model);
    loaded_close(&l);
    return true;
}

const command info_command = {
    .name = "info",
    .usage = "MODEL",
    .summary = "Shows a checkpoint's configuration, tensors, sizes and fingerprint",
    .options = options,
    .run = run,
};
