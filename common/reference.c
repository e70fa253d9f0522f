#include "reference.h"
#include "kernels/half.h"
#include "memory.h"
#include "reference_math.h"
#include <math.h>

typedef struct workspace {
    const shape *shape;
    int count;    /* T */
    bool rounded; /* what is computed is kept as floats would keep it */
    bool halves;  /* keys and values are */
    const kv_cache *cached;
    double *x;       /* (T, C) the residual stream */
    double *norm;    /* (T, C) what a layer norm gives */
    double *qkv;     /* (T, 3C) */
    double *mixed;   /* (T, C) the heads' outputs side by side */
    double *hidden;  /* (T, 4C) inside the MLP */
    double *scores;  /* (T, T) one head's attention weights */
    double *scratch; /* for linear layers */
} workspace;

static bool open_workspace(workspace *w, const shape *s, int count, bool rounded, problem *why) {
    size_t t = (size_t)count, c = (size_t)s->n_embd;
    double *memory = allocate(9 * t * c + t * t + reference_linear_scratch(4 * s->n_embd), sizeof *memory,
                              "the double-precision reference", why);
    if (!memory) return false;
    *w = (workspace){.shape = s, .count = count, .rounded = rounded, .x = memory};
    w->norm = w->x + t * c;
    w->qkv = w->norm + t * c;
    w->mixed = w->norm; /* the projection to queries, keys and values was its last use */
    w->hidden = w->qkv + 3 * t * c;
    w->scores = w->hidden + 4 * t * c;
    w->scratch = w->scores + t * t;
    return true;
}

/* The end of a step that has computed n numbers a position. */
static void keep(const workspace *w, double *x, int n) {
    for (size_t i = 0; w->rounded && i < (size_t)w->count * (size_t)n; i++) x[i] = (float)x[i];
}

static void embed(const model *m, const int32_t *tokens, const workspace *w) {
    int n = m->shape.n_embd;
    double *x = w->x;
    for (int t = 0; t < w->count; t++) {
        const float *token = m->w.wte + (size_t)tokens[t] * (size_t)padded(n);
        const float *position = m->w.wpe + (size_t)t * (size_t)padded(n);
        for (int c = 0; c < n; c++) *x++ = (double)token[c] + position[c];
    }
    keep(w, w->x, n);
}

/* softmax(Q K^T / sqrt(D)) V of one head, each position seeing itself and those before it (Vaswani et
 * al. 2017). */
static void attend(const workspace *w, int head) {
    int n = w->count, c = w->shape->n_embd, d = head_size(w->shape);
    matrix q = rows_of(w->qkv + head * d, n, d, 3 * c);
    matrix k = rows_of(w->qkv + c + head * d, n, d, 3 * c);
    matrix v = rows_of(w->qkv + 2 * c + head * d, n, d, 3 * c);
    reference_multiply(1 / sqrt(d), q, transpose(k), 0, w->scores, n);
    keep(w, w->scores, n);
    reference_causal_softmax(n, w->scores);
    keep(w, w->scores, n);
    reference_multiply(1, rows_of(w->scores, n, n, n), v, 0, w->mixed + head * d, c);
}

static void normalize(const workspace *w, const layer_norm *ln) {
    reference_layer_norm(ln, w->count, w->shape->n_embd, w->x, w->norm);
    keep(w, w->norm, w->shape->n_embd);
}

/* y = x W^T + b, or y + that. x is used up: layers of bytes round it. */
static void apply(const workspace *w, const linear *l, double *x, bool add, double *y) {
    if (l->type == WEIGHTS_INT8) reference_round_bytes(w->count, l->in, x);
    reference_linear(l, w->count, x, add, y, w->scratch);
    keep(w, y, l->out);
}

static double rounded_half(double x, const void *cached, size_t at) {
    return cached ? reference_half_near(x, (double)half_to_float(((const uint16_t *)cached)[at]))
                  : reference_half(x);
}

/* One head's keys and values at one position. */
static void round_position(const workspace *w, int layer, int head, int t) {
    int c = w->shape->n_embd, d = head_size(w->shape);
    cached_head from = w->cached ? cache_head(w->cached, layer, head) : (cached_head){0};
    double *k = w->qkv + (size_t)t * 3 * (size_t)c + c + head * d, *v = k + c;
    for (int i = 0; i < d; i++) {
        k[i] = rounded_half(k[i], from.keys, ((size_t)(t / 16 * d) + (size_t)i) * 16 + (size_t)(t % 16));
        v[i] = rounded_half(v[i], from.values, (size_t)t * (size_t)padded(d) + (size_t)i);
    }
}

static void round_keys_and_values(const workspace *w, int layer) {
    for (int head = 0; head < w->shape->n_head; head++)
        for (int t = 0; t < w->count; t++) round_position(w, layer, head, t);
}

static void attention(const workspace *w, const layer_weights *l, int layer) {
    normalize(w, &l->ln_1);
    apply(w, &l->qkv, w->norm, false, w->qkv);
    if (w->halves) round_keys_and_values(w, layer);
    for (int head = 0; head < w->shape->n_head; head++) attend(w, head);
    keep(w, w->mixed, w->shape->n_embd);
    apply(w, &l->attn_proj, w->mixed, true, w->x);
}

static void mlp(const workspace *w, const layer_weights *l) {
    normalize(w, &l->ln_2);
    apply(w, &l->fc, w->norm, false, w->hidden);
    for (size_t i = 0; i < (size_t)w->count * (size_t)l->fc.out; i++)
        w->hidden[i] = reference_activation(w->shape->activation, w->hidden[i]);
    keep(w, w->hidden, l->fc.out);
    apply(w, &l->mlp_proj, w->hidden, true, w->x);
}

bool reference_logits(const model *m, const int32_t *tokens, int count, bool rounded, const kv_cache *cached,
                      double *logits, problem *why) {
    workspace w;
    if (!open_workspace(&w, &m->shape, count, rounded, why)) return false;
    w.halves = m->cache_type == CACHE_F16;
    w.cached = cached;
    embed(m, tokens, &w);
    for (int i = 0; i < m->shape.n_layer; i++) {
        attention(&w, &m->w.layers[i], i);
        mlp(&w, &m->w.layers[i]);
    }
    normalize(&w, &m->w.ln_f);
    apply(&w, &m->w.head, w.norm, false, logits);
    release(w.x);
    return true;
}
