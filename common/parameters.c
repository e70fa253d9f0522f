#include "parameters.h"
#include "memory.h"
#include "narrow.h"
#include <math.h>
#include <stdio.h>

/* Appends one tensor; with list NULL it only counts, so that one walk sizes the table and a second
 * fills it. */
static void append(parameter_table *t, int dims, int rows, int cols, init_kind init, const char *prefix,
                   const char *name) {
    size_t stride = (size_t)padded(cols);
    if (t->list) {
        parameter *p = &t->list[t->count];
        *p = (parameter){.dims = dims,
                         .rows = rows,
                         .cols = cols,
                         .stride = stride,
                         .offset = t->floats,
                         .scale_offset = t->scales,
                         .init = init};
        snprintf(p->name, sizeof p->name, "%s%s", prefix, name);
    }
    t->count++;
    if (dims == 2) t->scales += (size_t)rows * (size_t)groups_of(cols);
    t->floats += (size_t)rows * stride;
    t->elements += (size_t)rows * (size_t)cols;
}

static void append_vector(parameter_table *t, int n, init_kind init, const char *prefix, const char *name) {
    append(t, 1, 1, n, init, prefix, name);
}

static void append_linear(parameter_table *t, int out, int in, bool bias, init_kind init, const char *prefix,
                          const char *name) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name);
    append(t, 2, out, in, init, prefix, full);
    snprintf(full, sizeof full, "%s.bias", name);
    if (bias) append_vector(t, out, INIT_ZERO, prefix, full);
}

static void append_norm(parameter_table *t, int n, bool bias, const char *prefix, const char *name) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name);
    append_vector(t, n, INIT_ONE, prefix, full);
    snprintf(full, sizeof full, "%s.bias", name);
    if (bias) append_vector(t, n, INIT_ZERO, prefix, full);
}

static void append_layer(parameter_table *t, const shape *s, int index) {
    int c = s->n_embd;
    char prefix[40];
    snprintf(prefix, sizeof prefix, "transformer.h.%d.", index);
    append_norm(t, c, s->bias, prefix, "ln_1");
    append_linear(t, 3 * c, c, s->qkv_bias, INIT_NORMAL, prefix, "attn.c_attn");
    append_linear(t, c, c, s->bias, INIT_RESIDUAL, prefix, "attn.c_proj");
    append_norm(t, c, s->bias, prefix, "ln_2");
    append_linear(t, 4 * c, c, s->bias, INIT_NORMAL, prefix, "mlp.c_fc");
    append_linear(t, c, 4 * c, s->bias, INIT_RESIDUAL, prefix, "mlp.c_proj");
}

static void walk(parameter_table *t, const shape *s) {
    int c = s->n_embd;
    append(t, 2, s->vocab_size, c, INIT_NORMAL, "transformer.", "wte.weight");
    append(t, 2, s->block_size, c, INIT_NORMAL, "transformer.", "wpe.weight");
    for (int i = 0; i < s->n_layer; i++) append_layer(t, s, i);
    append_norm(t, c, s->bias, "transformer.", "ln_f");
    if (!s->tie_weights) append(t, 2, s->vocab_size, c, INIT_NORMAL, "", "lm_head.weight");
    if (s->head_bias) append_vector(t, s->vocab_size, INIT_ZERO, "", "lm_head.bias");
}

bool parameter_table_open(parameter_table *table, const shape *s, problem *why) {
    *table = (parameter_table){0};
    walk(table, s);
    parameter *list = allocate(table->count, sizeof *list, "the parameter table", why);
    if (!list) return false;
    *table = (parameter_table){.list = list};
    walk(table, s);
    return true;
}

void parameter_table_close(parameter_table *table) {
    release(table->list);
    *table = (parameter_table){0};
}

static bool row_finite(const float *x, int n) {
    int others = 0;
    for (int i = 0; i < n; i++) others |= !isfinite(x[i]); /* no branch: every model is read so */
    return !others;
}

const parameter *parameters_not_finite(const parameter_table *table, const float *block) {
    for (size_t i = 0; i < table->count; i++) {
        const parameter *p = &table->list[i];
        for (int r = 0; r < p->rows; r++)
            if (!row_finite(block + p->offset + (size_t)r * p->stride, p->cols)) return p;
    }
    return NULL;
}
