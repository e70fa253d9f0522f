#include "model.h"
#include "kernels/half.h"
#include "memory.h"
#include "narrow.h"
#include "random.h"
#include <math.h>
#include <string.h>

/* Hands out the table's tensors in their order: the order of parameters.c is the only order there is. */
typedef struct cursor {
    const parameter *next;
    float *block;
} cursor;

static float *take(cursor *c) {
    return c->block + c->next++->offset;
}

static linear take_linear(cursor *c, bool bias) {
    const parameter *p = c->next;
    linear l = {.out = p->rows, .in = p->cols, .stride = p->stride, .weight = take(c)};
    if (bias) l.bias = take(c);
    return l;
}

static layer_norm take_norm(cursor *c, bool bias) {
    layer_norm n = {.weight = take(c)};
    if (bias) n.bias = take(c);
    return n;
}

static layer_weights take_layer(cursor *c, const shape *s) {
    layer_weights l;
    l.ln_1 = take_norm(c, s->bias);
    l.qkv = take_linear(c, s->qkv_bias);
    l.attn_proj = take_linear(c, s->bias);
    l.ln_2 = take_norm(c, s->bias);
    l.fc = take_linear(c, s->bias);
    l.mlp_proj = take_linear(c, s->bias);
    return l;
}

bool weights_open(weights *w, const model *m, float *block, problem *why) {
    const shape *s = &m->shape;
    cursor c = {m->table.list, block};
    *w = (weights){.layers = allocate((size_t)s->n_layer, sizeof(layer_weights), "the layers", why)};
    if (!w->layers) return false;
    w->wte = take(&c);
    w->wpe = take(&c);
    for (int i = 0; i < s->n_layer; i++) w->layers[i] = take_layer(&c, s);
    w->ln_f = take_norm(&c, s->bias);
    if (s->tie_weights)
        w->head = (linear){
            .out = s->vocab_size, .in = s->n_embd, .stride = (size_t)padded(s->n_embd), .weight = w->wte};
    else
        w->head = take_linear(&c, false);
    if (s->head_bias) w->head.bias = take(&c);
    return true;
}

void weights_close(weights *w) {
    release(w->layers);
    *w = (weights){0};
}

bool model_open(model *m, const shape *s, problem *why) {
    *m = (model){.shape = *s};
    bool ok = parameter_table_open(&m->table, s, why) &&
              (m->block = allocate(m->table.floats, sizeof(float), "the model's weights", why)) &&
              weights_open(&m->w, m, m->block, why);
    if (!ok) model_close(m);
    return ok;
}

void model_close(model *m) {
    weights_close(&m->w);
    release(m->packed);
    release(m->packed_back);
    release(m->scales);
    release(m->block);
    parameter_table_close(&m->table);
    *m = (model){0};
}

/* Rounds a row's group of inputs to whole multiples of its scale, the largest to +-127. */
static void round_group(int n, float *x, float *scale) {
    float largest = 0;
    for (int i = 0; i < n; i++) largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    *scale = largest / MOST_BYTE;
    for (int i = 0; i < n; i++) x[i] = (float)byte_of(x[i], *scale) * *scale;
}

static void round_rows(model *m, const parameter *p, range rows) {
    for (int r = rows.from; r < rows.to; r++) {
        float *row = m->block + p->offset + (size_t)r * p->stride;
        for (int k = 0; k < p->cols; k += SCALE_GROUP) {
            int n = p->cols - k < SCALE_GROUP ? p->cols - k : SCALE_GROUP;
            if (m->type == WEIGHTS_INT8)
                round_group(n, row + k,
                            m->scales + p->scale_offset + r * groups_of(p->cols) + k / SCALE_GROUP);
            else
                for (int i = 0; i < n; i++) row[k + i] = half_to_float(half_from_float(row[k + i]));
        }
    }
}

void model_round(model *m, member me) {
    for (size_t i = 0; m->type != WEIGHTS_F32 && i < m->table.count; i++) {
        const parameter *p = &m->table.list[i];
        if (p->dims == 2) round_rows(m, p, share(me, p->rows, 1));
    }
}

static void init_tensor(const parameter *p, float *block, uint64_t seed, uint64_t index, double std) {
    random_stream s = random_open(seed, FOR_INIT, 0, index, 0);
    for (int r = 0; r < p->rows; r++) {
        float *row = block + p->offset + (size_t)r * p->stride;
        for (int c = 0; c < p->cols; c++) {
            uint64_t at = (uint64_t)r * (uint64_t)p->cols + (uint64_t)c;
            if (p->init == INIT_ONE)
                row[c] = 1;
            else if (p->init == INIT_ZERO)
                row[c] = 0;
            else
                row[c] = (float)(std * random_normal(&s, at));
        }
    }
}

void model_init(model *m, uint64_t seed, double init_std, bool scale_residual) {
    double residual = scale_residual ? init_std / sqrt(2.0 * m->shape.n_layer) : init_std;
    for (size_t i = 0; i < m->table.count; i++) {
        const parameter *p = &m->table.list[i];
        init_tensor(p, m->block, seed, i, p->init == INIT_RESIDUAL ? residual : init_std);
    }
}
