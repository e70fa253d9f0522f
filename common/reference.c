#include "reference.h"
#include "memory.h"
#include "reference_math.h"
#include <math.h>

typedef struct workspace {
    const shape *shape;
    int count;       /* T */
    double *x;       /* (T, C) the residual stream */
    double *norm;    /* (T, C) what a layer norm gives */
    double *qkv;     /* (T, 3C) */
    double *mixed;   /* (T, C) the heads' outputs side by side */
    double *hidden;  /* (T, 4C) inside the MLP */
    double *scores;  /* (T, T) one head's attention weights */
    double *scratch; /* for linear layers */
} workspace;

static bool open_workspace(workspace *w, const shape *s, int count, problem *why) {
    size_t t = (size_t)count, c = (size_t)s->n_embd;
    double *memory = allocate(9 * t * c + t * t + reference_linear_scratch(4 * s->n_embd), sizeof *memory,
                              "the double-precision reference", why);
    if (!memory) return false;
    *w = (workspace){.shape = s, .count = count, .x = memory};
    w->norm = w->x + t * c;
    w->qkv = w->norm + t * c;
    w->mixed = w->norm; /* the projection to queries, keys and values was its last use */
    w->hidden = w->qkv + 3 * t * c;
    w->scores = w->hidden + 4 * t * c;
    w->scratch = w->scores + t * t;
    return true;
}

static void embed(const model *m, const int32_t *tokens, const workspace *w) {
    int n = m->shape.n_embd;
    double *x = w->x;
    for (int t = 0; t < w->count; t++) {
        const float *token = m->w.wte + (size_t)tokens[t] * (size_t)padded(n);
        const float *position = m->w.wpe + (size_t)t * (size_t)padded(n);
        for (int c = 0; c < n; c++) *x++ = (double)token[c] + position[c];
    }
}

/* softmax(Q K^T / sqrt(D)) V of one head, each position seeing itself and those before it (Vaswani et
 * al. 2017). */
static void attend(const workspace *w, int head) {
    int n = w->count, c = w->shape->n_embd, d = head_size(w->shape);
    matrix q = rows_of(w->qkv + head * d, n, d, 3 * c);
    matrix k = rows_of(w->qkv + c + head * d, n, d, 3 * c);
    matrix v = rows_of(w->qkv + 2 * c + head * d, n, d, 3 * c);
    reference_multiply(1 / sqrt(d), q, transpose(k), 0, w->scores, n);
    reference_causal_softmax(n, w->scores);
    reference_multiply(1, rows_of(w->scores, n, n, n), v, 0, w->mixed + head * d, c);
}

static void attention(const workspace *w, const layer_weights *l) {
    reference_layer_norm(&l->ln_1, w->count, w->shape->n_embd, w->x, w->norm);
    reference_linear(&l->qkv, w->count, w->norm, false, w->qkv, w->scratch);
    for (int head = 0; head < w->shape->n_head; head++) attend(w, head);
    reference_linear(&l->attn_proj, w->count, w->mixed, true, w->x, w->scratch);
}

static void mlp(const workspace *w, const layer_weights *l) {
    reference_layer_norm(&l->ln_2, w->count, w->shape->n_embd, w->x, w->norm);
    reference_linear(&l->fc, w->count, w->norm, false, w->hidden, w->scratch);
    for (size_t i = 0; i < (size_t)w->count * (size_t)l->fc.out; i++)
        w->hidden[i] = reference_activation(w->shape->activation, w->hidden[i]);
    reference_linear(&l->mlp_proj, w->count, w->hidden, true, w->x, w->scratch);
}

bool reference_logits(const model *m, const int32_t *tokens, int count, double *logits, problem *why) {
    workspace w;
    if (!open_workspace(&w, &m->shape, count, why)) return false;
    embed(m, tokens, &w);
    for (int i = 0; i < m->shape.n_layer; i++) {
        attention(&w, &m->w.layers[i]);
        mlp(&w, &m->w.layers[i]);
    }
    reference_layer_norm(&m->w.ln_f, count, m->shape.n_embd, w.x, w.norm);
    reference_linear(&m->w.head, count, w.norm, false, logits, w.scratch);
    release(w.x);
    return true;
}
