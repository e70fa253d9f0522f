/* The language model's head: logits and losses in blocks of rows that stay in cache, and back through the
 * final layer norm. */
#include "learner_parts.h"
#include <string.h>

/* Rows from..to of the group: logits, losses, and the gradient of the final layer norm's output (into
 * g.norm_2). */
static void head_rows(const group *g, range block, member me) {
    learner *l = g->job->l;
    const linear *head = &l->model->w.head;
    size_t c = (size_t)padded(head->in), v = (size_t)padded(head->out);
    int64_t predictions = l->settings.batch_size * l->settings.grad_accum * block_size(l);
    range r = share(me, block.to - block.from, 1);
    int count = r.to - r.from, first = block.from + r.from;
    float *logits = l->logits + (size_t)r.from * v;
    l->kernels->linear(head, count, 0, (int)v, l->acts.norm_f + (size_t)first * c, c, logits, v);
    for (int i = 0; i < count; i++) { /* targets of rows lie in different windows */
        int row = first + i, t = block_size(l);
        int32_t target = g->job->windows[g->first + row / t][row % t + 1];
        l->kernels->cross_entropy(1, head->out, logits + (size_t)i * v, v, &target,
                                  (float)(1 / (double)predictions), &l->losses[g->first_row + row]);
    }
    l->kernels->linear_input_gradient(head, count, 0, (int)c, logits, v, l->g.norm_2 + (size_t)first * c, c);
}

static void head_block(const group *g, range block, member me) {
    learner *l = g->job->l;
    const linear *into = &l->gradient.head;
    head_rows(g, block, me);
    team_sync(me);
    backward_linear(l->kernels, into, block.to - block.from, l->logits,
                    l->acts.norm_f + (size_t)block.from * (size_t)padded(into->in), l->scratch[me.rank], me);
    team_sync(me);
}

void head_gradient(const group *g, member me) {
    learner *l = g->job->l;
    int rows = g->count * block_size(l);
    for (int r = 0; r < rows; r += l->logit_rows)
        head_block(g, (range){r, rows - r < l->logit_rows ? rows : r + l->logit_rows}, me);
    size_t n = (size_t)padded(l->model->shape.n_embd);
    const float *x = l->acts.layers[l->acts.n_layer].in;
    range r = share(me, rows, 1), c = share(me, (int)n, 16);
    size_t first = (size_t)r.from * n;
    memset(l->g.stream + first, 0, (size_t)(r.to - r.from) * n * sizeof(float));
    l->kernels->layer_norm_backward(r.to - r.from, l->model->shape.n_embd, l->g.norm_2 + first, n, x + first,
                                    n, l->model->w.ln_f.weight, l->acts.stats_f + 2 * r.from,
                                    l->g.stream + first, n);
    l->kernels->layer_norm_weight_gradient(rows, c.from, c.to, l->g.norm_2, n, x, n, l->acts.stats_f,
                                           l->gradient.ln_f.weight, l->gradient.ln_f.bias);
    team_sync(me);
}
