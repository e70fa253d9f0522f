#include "reference_backward.h"
#include "reference_pass.h"
#include "suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each function is given the gradient of a result and finds the gradients of what it was made from. */

/* The place in another block of the numbers that stand at `weight` in the model's. */
static double *beside(const pass *p, double *block, const float *weight) {
    return block + (weight - p->model->block);
}

/* The sum of the rows' cross-entropy; the logits become scale (softmax - onehot). */
static double cross_entropy(const pass *p, const int32_t *targets, double scale) {
    int n = p->model->shape.vocab_size;
    double loss = 0, *logits = p->logits;
    for (int t = 0; t < p->count; t++, logits += n) {
        double largest = -INFINITY, sum = 0;
        for (int i = 0; i < n; i++) largest = fmax(largest, logits[i]);
        for (int i = 0; i < n; i++) sum += exp(logits[i] - largest);
        loss += largest + log(sum) - logits[targets[t]];
        for (int i = 0; i < n; i++) logits[i] = scale * exp(logits[i] - largest) / sum;
        logits[targets[t]] -= scale;
    }
    return loss;
}

/* y = x W^T + b: dx = dy W, dW += dy^T x, db += column sums of dy. */
static void linear_backward(const pass *p, const linear *l, const double *x, const double *dy, double *dx) {
    int step = (int)l->stride;
    matrix dy_rows = rows_of(dy, p->count, l->out, l->out), x_rows = rows_of(x, p->count, l->in, l->in);
    matrix weight = rows_of(beside(p, p->weights, l->weight), l->out, l->in, step);
    reference_multiply(1, dy_rows, weight, 0, dx, l->in);
    reference_multiply(1, transpose(dy_rows), x_rows, 1, beside(p, p->gradient, l->weight), step);
    if (!l->bias) return;
    double *bias = beside(p, p->gradient, l->bias);
    for (int t = 0; t < p->count; t++)
        for (int i = 0; i < l->out; i++) bias[i] += dy[t * l->out + i];
}

/* One row of layer norm with h = (x - mean) r, r = 1 / sqrt(variance + epsilon), g = dy weight:
 * dx += r (g - mean(g) - h mean(g h)), dweight += dy h, dbias += dy. */
static void layer_norm_row_backward(const pass *p, const layer_norm *ln, const double *x, const double *dy,
                                    double *dx) {
    int n = p->model->shape.n_embd;
    double mean = 0, variance = 0, g_mean = 0, gh_mean = 0;
    for (int i = 0; i < n; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean) / n;
    double r = 1 / sqrt(variance + 1e-5);
    for (int i = 0; i < n; i++) {
        g_mean += dy[i] * ln->weight[i] / n;
        gh_mean += dy[i] * ln->weight[i] * (x[i] - mean) * r / n;
    }
    double *dweight = beside(p, p->gradient, ln->weight);
    for (int i = 0; i < n; i++) {
        double h = (x[i] - mean) * r;
        dx[i] += r * (dy[i] * ln->weight[i] - g_mean - h * gh_mean);
        dweight[i] += dy[i] * h;
        if (ln->bias) beside(p, p->gradient, ln->bias)[i] += dy[i];
    }
}

static void layer_norm_backward(const pass *p, const layer_norm *ln, const double *x, const double *dy,
                                double *dx) {
    int n = p->model->shape.n_embd;
    for (int t = 0; t < p->count; t++) layer_norm_row_backward(p, ln, x + t * n, dy + t * n, dx + t * n);
}

static double activation_slope(activation_kind activation, double x) {
    double u = M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x);
    double du = M_2_SQRTPI * M_SQRT1_2 * (1 + 3 * 0.044715 * x * x);
    switch (activation) {
    case RELU:
        return x > 0;
    case GELU:
        return (1 + erf(x * M_SQRT1_2)) / 2 + x * exp(-x * x / 2) * M_2_SQRTPI * M_SQRT1_2 / 2;
    case GELU_TANH:
        return (1 + tanh(u)) / 2 + x / 2 * (1 - tanh(u) * tanh(u)) * du;
    }
    return NAN;
}

/* Row by row, for s before and w after the softmax: ds = w (dw - sum of w dw). */
static void softmax_backward(int n, const double *w, double *dw) {
    for (int row = 0; row < n; row++, w += n, dw += n) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += w[i] * dw[i];
        for (int i = 0; i < n; i++) dw[i] = w[i] * (dw[i] - sum);
    }
}

/* out = (mask W) V, W = softmax(S), S = Q K^T / sqrt(D); dqkv (T, 3C) receives this head's columns. */
static void attend_backward(const pass *p, const tape *t, int head, const double *dmixed, double *dqkv) {
    int n = p->count, c = p->model->shape.n_embd, d = head_size(&p->model->shape);
    head_view h = pass_head(p, t->qkv, head);
    const double *mask = pass_head_mask(p, t, head);
    double *dq = dqkv + head * d, *dk = dq + c, *dv = dk + c;
    matrix dout = rows_of(dmixed + head * d, n, d, c);
    matrix w = rows_of(p->scores, n, n, n), ds = rows_of(p->dscores, n, n, n);
    pass_attention_weights(p, h);
    pass_drop(pass_square(p), p->scores, mask);
    reference_multiply(1, transpose(w), dout, 0, dv, 3 * c);
    reference_multiply(1, dout, transpose(h.v), 0, p->dscores, n);
    pass_drop(pass_square(p), p->dscores, mask);
    pass_attention_weights(p, h);
    softmax_backward(n, p->scores, p->dscores);
    reference_multiply(1 / sqrt(d), ds, h.k, 0, dq, 3 * c);
    reference_multiply(1 / sqrt(d), transpose(ds), h.q, 0, dk, 3 * c);
}

static void branch_gradient(const pass *p, const double *mask) {
    memcpy(p->branch, p->x, pass_plane(p) * sizeof *p->x);
    pass_drop(pass_plane(p), p->branch, mask);
}

static void backward_mlp(const pass *p, const tape *t) {
    branch_gradient(p, t->mlp_proj_mask);
    linear_backward(p, &t->weights->mlp_proj, t->active, p->branch, p->inner);
    for (size_t i = 0; i < 4 * pass_plane(p); i++)
        p->inner[i] *= activation_slope(p->model->shape.activation, t->hidden[i]);
    linear_backward(p, &t->weights->fc, t->norm_2, p->inner, p->branch);
    layer_norm_backward(p, &t->weights->ln_2, t->middle, p->branch, p->x);
}

static void backward_attention(const pass *p, const tape *t) {
    double *dmixed = p->inner, *dqkv = p->inner + pass_plane(p);
    branch_gradient(p, t->attn_proj_mask);
    linear_backward(p, &t->weights->attn_proj, t->mixed, p->branch, dmixed);
    for (int head = 0; head < p->model->shape.n_head; head++) attend_backward(p, t, head, dmixed, dqkv);
    linear_backward(p, &t->weights->qkv, t->norm_1, dqkv, p->branch);
    layer_norm_backward(p, &t->weights->ln_1, t->x, p->branch, p->x);
}

static void backward_embedding(const pass *p, const int32_t *tokens) {
    int n = p->model->shape.n_embd;
    double *wte = beside(p, p->gradient, p->model->w.wte), *wpe = beside(p, p->gradient, p->model->w.wpe);
    pass_drop(pass_plane(p), p->x, p->masks ? p->masks->embedding : NULL);
    for (int t = 0; t < p->count; t++)
        for (int c = 0; c < n; c++) {
            wte[tokens[t] * padded(n) + c] += p->x[t * n + c];
            wpe[t * padded(n) + c] += p->x[t * n + c];
        }
}

/* Given p->logits' gradient and the forward's last output in p->x: p->x becomes the gradient of that
 * output. */
static void backward_head(const pass *p) {
    const model *m = p->model;
    double *norm = p->inner, *last = p->inner + pass_plane(p);
    memcpy(last, p->x, pass_plane(p) * sizeof *last);
    memset(p->x, 0, pass_plane(p) * sizeof *p->x);
    linear_backward(p, &m->w.head, norm, p->logits, p->branch);
    layer_norm_backward(p, &m->w.ln_f, last, p->branch, p->x);
}

/* The sum of the window's losses; adds `scale` times its gradient. */
static double window_gradient(const pass *p, const int32_t *tokens, double scale) {
    pass_forward(p, tokens);
    double loss = cross_entropy(p, tokens + 1, scale);
    backward_head(p);
    for (int i = p->model->shape.n_layer - 1; i >= 0; i--) {
        tape t = pass_tape(p, i);
        backward_mlp(p, &t);
        backward_attention(p, &t);
    }
    backward_embedding(p, tokens);
    return loss;
}

static pass open_pass(const model *m, int count, double *gradient) {
    pass p = {.model = m, .count = count, .gradient = gradient};
    p.weights = zeros(m->table.floats, sizeof(double));
    for (size_t i = 0; i < m->table.floats; i++) p.weights[i] = m->block[i];
    p.kept = zeros(pass_kept(&p), sizeof(double));
    p.x = zeros(pass_plane(&p), sizeof(double));
    p.branch = zeros(4 * pass_plane(&p), sizeof(double));
    p.inner = zeros(4 * pass_plane(&p), sizeof(double));
    p.scores = zeros(pass_square(&p), sizeof(double));
    p.dscores = zeros(pass_square(&p), sizeof(double));
    p.logits = zeros((size_t)count * (size_t)m->shape.vocab_size, sizeof(double));
    p.scratch = zeros(reference_linear_scratch(4 * m->shape.n_embd), sizeof(double));
    return p;
}

static void close_pass(const pass *p) {
    double *const owned[] = {p->weights, p->kept,    p->x,      p->branch, p->inner,
                             p->scores,  p->dscores, p->logits, p->scratch};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
}

double reference_gradient(const model *m, int windows, const int32_t *const *window, int count,
                          const dropout_masks *masks, double *gradient) {
    pass p = open_pass(m, count, gradient);
    double rows = (double)windows * count, loss = 0;
    memset(gradient, 0, m->table.floats * sizeof *gradient);
    for (int i = 0; i < windows; i++) {
        p.masks = masks ? &masks[i] : NULL;
        loss += window_gradient(&p, window[i], 1 / rows);
    }
    close_pass(&p);
    return loss / rows;
}
