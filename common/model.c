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

enum { LINEARS_A_LAYER = 4 };

/* Linear layer number i of the model: four in each layer, then the head. */
static linear *linear_at(weights *w, int n_layer, int i) {
    if (i == LINEARS_A_LAYER * n_layer) return &w->head;
    layer_weights *l = &w->layers[i / LINEARS_A_LAYER];
    linear *of[LINEARS_A_LAYER] = {&l->qkv, &l->attn_proj, &l->fc, &l->mlp_proj};
    return of[i % LINEARS_A_LAYER];
}

/* Bytes of a layer's packed weights, and floats of its packed scales. */
static size_t weight_bytes(const linear *l) {
    return (size_t)padded(l->out) * (size_t)packed_inputs(l) * number_size(l->type);
}
static size_t packed_scales(const linear *l) {
    return l->type == WEIGHTS_INT8 ? (size_t)padded(l->out) * (size_t)groups_of(l->in) : 0;
}

/* Room for the packed weights of every linear layer, as m->type says. */
static bool packed_open(model *m, problem *why) {
    size_t bytes = 0, scales = 0;
    int linears = LINEARS_A_LAYER * m->shape.n_layer + 1;
    for (int i = 0; i < linears; i++) {
        linear *l = linear_at(&m->w, m->shape.n_layer, i);
        l->type = m->type;
        bytes += weight_bytes(l);
        scales += packed_scales(l);
    }
    m->packed_bytes = bytes + scales * sizeof(float);
    m->packed = allocate(m->packed_bytes, 1, "packed weights", why);
    if (!m->packed) return false;
    float *next_scales = (float *)m->packed;
    char *next = (char *)(next_scales + scales);
    for (int i = 0; i < linears; i++) {
        linear *l = linear_at(&m->w, m->shape.n_layer, i);
        l->packed = next, next += weight_bytes(l);
        l->scales = next_scales, next_scales += packed_scales(l);
    }
    return true;
}

static size_t back_floats(const linear *l) {
    return (size_t)padded(l->in) * (size_t)l->out;
}

static bool packed_back_open(model *m, problem *why) {
    size_t floats = 0;
    int linears = LINEARS_A_LAYER * m->shape.n_layer + 1;
    for (int i = 0; i < linears; i++) floats += back_floats(linear_at(&m->w, m->shape.n_layer, i));
    m->packed_back = allocate(floats, sizeof(float), "weights packed for backward", why);
    if (!m->packed_back) return false;
    float *next = m->packed_back;
    for (int i = 0; i < linears; i++) {
        linear *l = linear_at(&m->w, m->shape.n_layer, i);
        l->packed_back = next, next += back_floats(l);
    }
    return true;
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

/* Row `out` of a layer, inputs k0..k1-1, to its lane of a panel. */
static void pack_row(const linear *l, const float *scales, int out, int k0, int k1, void *panel) {
    const float *row = l->weight + (size_t)out * l->stride;
    int lane = out % 16;
    if (l->type == WEIGHTS_F32)
        for (int k = k0; k < k1; k++) ((float *)panel)[k * 16 + lane] = row[k];
    else if (l->type == WEIGHTS_F16)
        for (int k = k0; k < k1; k++) ((uint16_t *)panel)[k * 16 + lane] = half_from_float(row[k]);
    else
        for (int k = k0; k < k1; k++)
            ((uint8_t *)panel)[k / 4 * 64 + lane * 4 + k % 4] =
                (uint8_t)(128 + byte_of(row[k], scales[out * groups_of(l->in) + k / SCALE_GROUP]));
}

/* Panel p holds outputs 16p..16p+15, input by input; outputs past the last are zero from the start and
 * stay so. */
static void pack_panel(const linear *l, const float *scales, int p) {
    char *panel = (char *)l->packed + (size_t)p * 16 * (size_t)packed_inputs(l) * number_size(l->type);
    int end = l->out - 16 * p < 16 ? l->out : 16 * p + 16;
    enum { TOGETHER = 16 }; /* inputs of sixteen rows: reads and writes whole cache lines */
    for (int k = 0; k < l->in; k += TOGETHER)
        for (int out = 16 * p; out < end; out++)
            pack_row(l, scales, out, k, k + TOGETHER < l->in ? k + TOGETHER : l->in, panel);
    int groups = groups_of(l->in);
    for (int out = 16 * p; l->type == WEIGHTS_INT8 && out < end; out++)
        for (int g = 0; g < groups; g++)
            l->scales[(p * groups + g) * 16 + out % 16] = scales[out * groups + g];
}

/* Panel p for the input gradient holds inputs 16p..16p+15, output by output. */
static void pack_back_panel(const linear *l, int p) {
    float *panel = l->packed_back + (size_t)p * 16 * (size_t)l->out;
    for (int out = 0; out < l->out; out++)
        memcpy(panel + (size_t)out * 16, l->weight + (size_t)out * l->stride + 16 * p, 16 * sizeof(float));
}

/* The table's entry of a layer's weight: the head's is wte's when tied. */
static const parameter *parameter_of(const model *m, const linear *l) {
    size_t offset = (size_t)(l->weight - m->block);
    const parameter *p = m->table.list;
    while (p->offset != offset) p++;
    return p;
}

void model_pack(model *m, member me) {
    int linears = LINEARS_A_LAYER * m->shape.n_layer + 1;
    for (int i = 0; i < linears; i++) {
        const linear *l = linear_at(&m->w, m->shape.n_layer, i);
        const float *scales = m->scales ? m->scales + parameter_of(m, l)->scale_offset : NULL;
        range r = share(me, padded(l->out) / 16, 1);
        for (int p = r.from; p < r.to; p++) pack_panel(l, scales, p);
        r = share(me, l->packed_back ? padded(l->in) / 16 : 0, 1);
        for (int p = r.from; p < r.to; p++) pack_back_panel(l, p);
    }
}

static void pack(void *m, member me) {
    model_pack(m, me);
}

bool model_prepare(model *m, bool backward, team *t, problem *why) {
    if (!m->packed && !packed_open(m, why)) return false;
    if (backward && !m->packed_back && !packed_back_open(m, why)) return false;
    if (t)
        team_run(t, pack, m);
    else
        model_pack(m, alone());
    return true;
}

bool model_set_type(model *m, weight_type type, problem *why) {
    release(m->packed);
    release(m->scales);
    m->packed = m->scales = NULL;
    m->type = type;
    for (int i = 0; i <= LINEARS_A_LAYER * m->shape.n_layer; i++) {
        linear *l = linear_at(&m->w, m->shape.n_layer, i);
        l->packed = l->scales = NULL;
    }
    if (type == WEIGHTS_INT8) m->scales = allocate(m->table.scales, sizeof(float), "scales of weights", why);
    return type != WEIGHTS_INT8 || m->scales;
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
