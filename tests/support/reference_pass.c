#include "reference_pass.h"
#include <math.h>
#include <string.h>

enum { KEPT = 16 }; /* numbers a tape keeps for each element of (T, C) */

size_t pass_plane(const pass *p) {
    return (size_t)p->count * (size_t)p->model->shape.n_embd;
}

size_t pass_square(const pass *p) {
    return (size_t)p->count * (size_t)p->count;
}

size_t pass_kept(const pass *p) {
    return (size_t)p->model->shape.n_layer * KEPT * pass_plane(p);
}

tape pass_tape(const pass *p, int depth) {
    size_t n = pass_plane(p), at = (size_t)depth;
    double *kept = p->kept + at * KEPT * n;
    tape t = {.weights = &p->model->w.layers[depth],
              .x = kept,
              .norm_1 = kept + n,
              .qkv = kept + 2 * n,
              .mixed = kept + 5 * n,
              .middle = kept + 6 * n,
              .norm_2 = kept + 7 * n,
              .hidden = kept + 8 * n,
              .active = kept + 12 * n};
    if (!p->masks) return t;
    t.attention_mask = p->masks->attention + at * (size_t)p->model->shape.n_head * pass_square(p);
    t.attn_proj_mask = p->masks->attn_proj + at * n;
    t.mlp_proj_mask = p->masks->mlp_proj + at * n;
    return t;
}

double *pass_head_mask(const pass *p, const tape *t, int head) {
    return t->attention_mask ? t->attention_mask + (size_t)head * pass_square(p) : NULL;
}

void pass_drop(size_t count, double *x, const double *mask) {
    for (size_t i = 0; mask && i < count; i++) x[i] *= mask[i];
}

static void embed(const pass *p, const int32_t *tokens) {
    int n = p->model->shape.n_embd;
    const weights *w = &p->model->w;
    for (int t = 0; t < p->count; t++)
        for (int c = 0; c < n; c++)
            p->x[t * n + c] = (double)w->wte[tokens[t] * padded(n) + c] + w->wpe[t * padded(n) + c];
    pass_drop(pass_plane(p), p->x, p->masks ? p->masks->embedding : NULL);
}

head_view pass_head(const pass *p, const double *qkv, int head) {
    int n = p->count, c = p->model->shape.n_embd, d = head_size(&p->model->shape);
    const double *at = qkv + head * d;
    return (head_view){rows_of(at, n, d, 3 * c), rows_of(at + c, n, d, 3 * c),
                       rows_of(at + 2 * c, n, d, 3 * c)};
}

void pass_attention_weights(const pass *p, head_view h) {
    reference_multiply(1 / sqrt(h.q.cols), h.q, transpose(h.k), 0, p->scores, p->count);
    reference_causal_softmax(p->count, p->scores);
}

static void attend(const pass *p, const tape *t, int head) {
    int n = p->count, c = p->model->shape.n_embd;
    head_view h = pass_head(p, t->qkv, head);
    pass_attention_weights(p, h);
    pass_drop(pass_square(p), p->scores, pass_head_mask(p, t, head));
    reference_multiply(1, rows_of(p->scores, n, n, n), h.v, 0, t->mixed + head * h.v.cols, c);
}

/* x += dropout(W in + b) */
static void add_branch(const pass *p, const linear *l, const double *in, const double *mask) {
    reference_linear(l, p->count, in, false, p->branch, p->scratch);
    pass_drop(pass_plane(p), p->branch, mask);
    for (size_t i = 0; i < pass_plane(p); i++) p->x[i] += p->branch[i];
}

static void forward_attention(const pass *p, const tape *t) {
    memcpy(t->x, p->x, pass_plane(p) * sizeof *p->x);
    reference_layer_norm(&t->weights->ln_1, p->count, p->model->shape.n_embd, t->x, t->norm_1);
    reference_linear(&t->weights->qkv, p->count, t->norm_1, false, t->qkv, p->scratch);
    for (int head = 0; head < p->model->shape.n_head; head++) attend(p, t, head);
    add_branch(p, &t->weights->attn_proj, t->mixed, t->attn_proj_mask);
}

static void forward_mlp(const pass *p, const tape *t) {
    memcpy(t->middle, p->x, pass_plane(p) * sizeof *p->x);
    reference_layer_norm(&t->weights->ln_2, p->count, p->model->shape.n_embd, t->middle, t->norm_2);
    reference_linear(&t->weights->fc, p->count, t->norm_2, false, t->hidden, p->scratch);
    for (size_t i = 0; i < 4 * pass_plane(p); i++)
        t->active[i] = reference_activation(p->model->shape.activation, t->hidden[i]);
    add_branch(p, &t->weights->mlp_proj, t->active, t->mlp_proj_mask);
}

void pass_forward(const pass *p, const int32_t *tokens) {
    const model *m = p->model;
    embed(p, tokens);
    for (int i = 0; i < m->shape.n_layer; i++) {
        tape t = pass_tape(p, i);
        forward_attention(p, &t);
        forward_mlp(p, &t);
    }
    reference_layer_norm(&m->w.ln_f, p->count, m->shape.n_embd, p->x, p->inner);
    reference_linear(&m->w.head, p->count, p->inner, false, p->logits, p->scratch);
}
