/* The weights of linear layers as the kernels read them: in panels of sixteen outputs, and for backward of
 * sixteen inputs. */
#include "kernels/half.h"
#include "least.h"
#include "memory.h"
#include "model.h"
#include "narrow.h"
#include <string.h>

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

typedef float four __attribute__((vector_size(16), aligned(4)));

/* Four inputs of four rows to four lanes each. */
static void pack_four(const float *a, size_t stride, float *panel) {
    const float *b = a + stride, *c = b + stride, *d = c + stride;
    for (int k = 0; k < 4; k++) *(four *)(panel + 16 * k) = (four){a[k], b[k], c[k], d[k]};
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

/* A whole panel of floats. */
static void pack_floats(const linear *l, int p, float *panel) {
    const float *rows = l->weight + (size_t)(16 * p) * l->stride;
    int k = 0;
    for (; k + 4 <= l->in; k += 4)
        for (int lane = 0; lane < 16; lane += 4)
            pack_four(rows + (size_t)lane * l->stride + k, l->stride, panel + 16 * k + lane);
    for (int lane = 0; lane < 16; lane++) pack_row(l, NULL, 16 * p + lane, k, l->in, panel);
}

static void pack_numbers(const linear *l, const float *scales, int p, int end, void *panel) {
    enum { TOGETHER = 16 }; /* inputs of sixteen rows: reads and writes whole cache lines */
    for (int k = 0; k < l->in; k += TOGETHER)
        for (int out = 16 * p; out < end; out++)
            pack_row(l, scales, out, k, least(k + TOGETHER, l->in), panel);
}

/* Panel p holds outputs 16p..16p+15, input by input; outputs past the last are zero from the start and
 * stay so. */
static void pack_panel(const linear *l, const float *scales, int p) {
    void *panel = (char *)l->packed + (size_t)p * 16 * (size_t)packed_inputs(l) * number_size(l->type);
    int end = least(l->out, 16 * p + 16), groups = groups_of(l->in);
    if (l->type == WEIGHTS_F32 && end == 16 * p + 16)
        pack_floats(l, p, panel);
    else
        pack_numbers(l, scales, p, end, panel);
    for (int out = 16 * p; l->type == WEIGHTS_INT8 && out < end; out++)
        for (int g = 0; g < groups; g++)
            l->scales[(p * groups + g) * 16 + out % 16] = scales[out * groups + g];
}

/* For the input gradient panel i holds inputs 16i..16i+15, output by output: these are outputs from..to-1. */
static void pack_back(const linear *l, int from, int to) {
    for (int i = 0; i < padded(l->in); i += 16) {
        float *panel = l->packed_back + (size_t)i * (size_t)l->out;
        for (int out = from; out < to; out++)
            memcpy(panel + (size_t)out * 16, l->weight + (size_t)out * l->stride + i, 16 * sizeof(float));
    }
}

void model_pack_panel(const model *m, const linear *l, const parameter *p, int panel) {
    int from = 16 * panel, to = least(l->out, from + 16);
    pack_panel(l, m->scales ? m->scales + p->scale_offset : NULL, panel);
    if (l->packed_back) pack_back(l, from, to);
}

const linear *model_linear(model *m, const parameter *p) {
    int linears = LINEARS_A_LAYER * m->shape.n_layer + 1;
    for (int i = 0; i < linears; i++) {
        const linear *l = linear_at(&m->w, m->shape.n_layer, i);
        if (l->weight == m->block + p->offset) return l;
    }
    return NULL;
}

void model_pack(model *m, member me) {
    for (size_t i = 0; i < m->table.count; i++) {
        const parameter *p = &m->table.list[i];
        const linear *l = model_linear(m, p);
        range r = share(me, l ? padded(l->out) / 16 : 0, 1);
        for (int panel = r.from; panel < r.to; panel++) model_pack_panel(m, l, p, panel);
    }
}

static void pack(void *m, member me) {
    model_pack(m, me);
}

bool model_prepare(model *m, bool backward, team *t, problem *why) {
    if (!m->packed && !packed_open(m, why)) return false;
    if (backward && !m->packed_back && !packed_back_open(m, why)) return false;
    team_run(t, pack, m);
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
