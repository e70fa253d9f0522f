#include "model.h"
#include "memory.h"
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

enum { LINEARS_A_LAYER = 4 };

/* Linear layer number i of the model: four in each layer, then the head. */
static linear *linear_at(weights *w, int n_layer, int i) {
    if (i == LINEARS_A_LAYER * n_layer) return &w->head;
    layer_weights *l = &w->layers[i / LINEARS_A_LAYER];
    linear *of[LINEARS_A_LAYER] = {&l->qkv, &l->attn_proj, &l->fc, &l->mlp_proj};
    return of[i % LINEARS_A_LAYER];
}

static size_t packed_floats(const linear *l) {
    return (size_t)padded(l->out) * (size_t)l->in;
}

static bool packed_open(model *m, problem *why) {
    size_t floats = 0;
    int linears = LINEARS_A_LAYER * m->shape.n_layer + 1;
    for (int i = 0; i < linears; i++) floats += packed_floats(linear_at(&m->w, m->shape.n_layer, i));
    m->packed = allocate(floats, sizeof(float), "packed weights", why);
    if (!m->packed) return false;
    float *next = m->packed;
    for (int i = 0; i < linears; i++) {
        linear *l = linear_at(&m->w, m->shape.n_layer, i);
        l->packed = next;
        next += packed_floats(l);
    }
    return true;
}

bool model_open(model *m, const shape *s, problem *why) {
    *m = (model){.shape = *s};
    bool ok = parameter_table_open(&m->table, s, why) &&
              (m->block = allocate(m->table.floats, sizeof(float), "the model's weights", why)) &&
              weights_open(&m->w, m, m->block, why) && packed_open(m, why);
    if (!ok) model_close(m);
    return ok;
}

void model_close(model *m) {
    weights_close(&m->w);
    release(m->packed);
    release(m->block);
    parameter_table_close(&m->table);
    *m = (model){0};
}

/* Panel p holds outputs 16p..16p+15, input by input; outputs past the last are zero from the start and stay so. */
static void pack_panel(const linear *l, int p) {
    float *to = l->packed + (size_t)p * 16 * (size_t)l->in;
    int lanes = l->out - 16 * p < 16 ? l->out - 16 * p : 16;
    enum { TOGETHER = 16 }; /* inputs of sixteen rows: reads and writes whole cache lines */
    for (int k0 = 0; k0 < l->in; k0 += TOGETHER) {
        int k1 = k0 + TOGETHER < l->in ? k0 + TOGETHER : l->in;
        for (int lane = 0; lane < lanes; lane++) {
            const float *row = l->weight + (size_t)(16 * p + lane) * l->stride;
            for (int k = k0; k < k1; k++) to[(size_t)k * 16 + (size_t)lane] = row[k];
        }
    }
}

void model_pack(model *m, member me) {
    int linears = LINEARS_A_LAYER * m->shape.n_layer + 1;
    for (int i = 0; i < linears; i++) {
        const linear *l = linear_at(&m->w, m->shape.n_layer, i);
        range r = share(me, padded(l->out) / 16, 1);
        for (int p = r.from; p < r.to; p++) pack_panel(l, p);
    }
}

static void init_tensor(const parameter *p, float *block, uint64_t seed, uint64_t index, double std) {
    random_stream s = random_open(seed, FOR_INIT, 0, index, 0);
    for (int r = 0; r < p->rows; r++) {
        float *row = block + p->offset + (size_t)r * p->stride;
        for (int c = 0; c < p->cols; c++) {
            uint64_t at = (uint64_t)r * (uint64_t)p->cols + (uint64_t)c;
            if (p->init == INIT_ONE) row[c] = 1;
            else if (p->init == INIT_ZERO) row[c] = 0;
            else row[c] = (float)(std * random_normal(&s, at));
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
