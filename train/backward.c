#include "backward.h"
#include "memory.h"

static size_t narrow(const shape *s) {
    return (size_t)padded(s->n_embd);
}
static size_t triple(const shape *s) {
    return (size_t)padded(3 * s->n_embd);
}
static size_t wide(const shape *s) {
    return (size_t)padded(4 * s->n_embd);
}
enum { NARROW_ARRAYS = 6 };

static size_t layer_gradient_floats(const shape *s, int rows) {
    return (size_t)rows * (NARROW_ARRAYS * narrow(s) + wide(s));
}

/* One block of memory, starting at `stream`. */
bool layer_gradient_open(layer_gradient *g, const shape *s, int rows, problem *why) {
    float *next = allocate(layer_gradient_floats(s, rows), sizeof(float), "gradients of activations", why);
    *g = (layer_gradient){0};
    if (!next) return false;
    size_t r = (size_t)rows;
    float **const narrow_arrays[NARROW_ARRAYS] = {&g->stream, &g->mlp, &g->norm_2,
                                                  &g->proj,   &g->att, &g->norm_1};
    for (int i = 0; i < NARROW_ARRAYS; i++, next += r * narrow(s)) *narrow_arrays[i] = next;
    g->fc = next;
    return true;
}

void layer_gradient_close(layer_gradient *g) {
    release(g->stream);
    *g = (layer_gradient){0};
}

/* What one member does of backward_layer: rows of one sequence. */
typedef struct back_pass {
    const transformer_call *call;
    const kernels *k;
    const shape *s;
    const layer_weights *w;
    const layer_activations *a;
    const layer_gradient *g;
    int index;
} back_pass;

/* out = dropout's gradient of the stream's gradient, for some rows. */
static void drop_back(const back_pass *p, uint32_t site, range rows, float *out) {
    dropout drop;
    bool dropped = dropout_at(p->call->drop, site, &drop);
    size_t n = narrow(p->s), row = drop_row(p->s->n_embd), first = (size_t)rows.from * n;
    uint64_t index = (uint64_t)(rows.from - p->call->first) * row;
    p->k->drop(rows.to - rows.from, (int)n, p->g->stream + first, n, dropped ? &drop : NULL, index, row,
               out + first, n);
}

static void project_back(const back_pass *p, const linear *l, range rows, const float *dy, float *dx) {
    size_t ys = (size_t)padded(l->out), xs = (size_t)padded(l->in), first = (size_t)rows.from;
    p->k->linear_input_gradient(l, rows.to - rows.from, 0, (int)xs, dy + first * ys, ys, dx + first * xs, xs);
}

static void norm_back(const back_pass *p, const layer_norm *norm, range rows, const float *dy, const float *x,
                      const float *stats) {
    size_t n = narrow(p->s), first = (size_t)rows.from * n;
    p->k->layer_norm_backward(rows.to - rows.from, p->s->n_embd, dy + first, n, x + first, n, norm->weight,
                              stats + 2 * rows.from, p->g->stream + first, n);
}

/* From the layer's output back to attention's output. */
static void feed_forward_back(const back_pass *p, range rows) {
    const layer_gradient *g = p->g;
    size_t n4 = wide(p->s), first = (size_t)rows.from * n4;
    drop_back(p, mlp_output_site(p->s, p->index), rows, g->mlp);
    project_back(p, &p->w->mlp_proj, rows, g->mlp, g->fc);
    p->k->activation_backward[p->s->activation](rows.to - rows.from, 4 * p->s->n_embd, p->a->fc + first, n4,
                                                g->fc + first, n4);
    project_back(p, &p->w->fc, rows, g->fc, g->norm_2);
    norm_back(p, &p->w->ln_2, rows, g->norm_2, p->a->mid, p->a->stats_2);
    drop_back(p, attention_output_site(p->s, p->index), rows, g->proj);
    project_back(p, &p->w->attn_proj, rows, g->proj, g->att);
}

static void queries_back(const back_pass *p, range rows) {
    project_back(p, &p->w->qkv, rows, p->a->qkv, p->g->norm_1);
    norm_back(p, &p->w->ln_1, rows, p->g->norm_1, p->a->in, p->a->stats_1);
}

static void head_back(const back_pass *p, int head, float *scratch) {
    const transformer_call *call = p->call;
    int d = head_size(p->s), c = p->s->n_embd;
    dropout drop;
    bool dropped = dropout_at(call->drop, attention_site(p->s, p->index, head), &drop);
    size_t first = (size_t)call->first, columns = first * narrow(p->s) + (size_t)(head * d);
    size_t softmax = (size_t)head * (size_t)call->acts.rows + first;
    float *q = p->a->qkv + first * triple(p->s) + head * d;
    attention_gradient a = {
        .rows = call->sequences[0].count,
        .head_size = d,
        .q = q,
        .k = q + c,
        .v = q + 2 * c,
        .stride = triple(p->s),
        .out = p->a->att + columns,
        .dout = p->g->att + columns,
        .out_stride = narrow(p->s),
        .row_max = p->a->row_max + softmax,
        .row_scale = p->a->row_scale + softmax,
        .drop = dropped ? &drop : NULL,
        .drop_row = drop_row(p->s->block_size),
        .scratch = scratch,
    };
    p->k->attention_gradient(&a);
}

static void in_blocks(const back_pass *p, range rows, void (*work)(const back_pass *p, range rows)) {
    for (int r = rows.from, end; r < rows.to; r = end) {
        end = block_end(r, rows.to);
        work(p, (range){r, end});
    }
}

void backward_layer(const transformer_call *call, int index, const layer_gradient *g, float *const *scratch,
                    member me) {
    back_pass p = {
        call, call->kernels, &call->model->shape, &call->model->w.layers[index], &call->acts.layers[index],
        g,    index};
    range mine = share(me, call->sequences[0].count, 1),
          rows = {call->first + mine.from, call->first + mine.to};
    in_blocks(&p, rows, feed_forward_back);
    team_sync(me); /* a head's gradient needs every row's */
    for (int h = me.rank; h < p.s->n_head; h += me.size) head_back(&p, h, scratch[me.rank]);
    team_sync(me);
    in_blocks(&p, rows, queries_back);
}

void backward_linear(const kernels *k, const linear *into, int rows, const float *dy, const float *x,
                     float *scratch, member me) {
    size_t ys = (size_t)padded(into->out), xs = (size_t)padded(into->in);
    range r = {0, into->out}, c = {0, into->in};
    if (into->in > into->out)
        c = share(me, into->in, 16);
    else
        r = share(me, into->out, 4);
    linear part = *into;
    part.in = c.to - c.from;
    part.weight += c.from;
    if (c.from > 0) part.bias = NULL; /* the first column's member sums it */
    if (part.in > 0) k->linear_weight_gradient(&part, rows, r.from, r.to, dy, ys, x + c.from, xs, scratch);
}

void backward_weights(const kernels *k, const shape *s, const activations *acts, int index,
                      const layer_gradient *g, int rows, const layer_weights *into, float *scratch,
                      member me) {
    const layer_activations *a = &acts->layers[index];
    size_t n = narrow(s);
    backward_linear(k, &into->mlp_proj, rows, g->mlp, a->fc, scratch, me);
    backward_linear(k, &into->fc, rows, g->fc, a->norm_2, scratch, me);
    backward_linear(k, &into->attn_proj, rows, g->proj, a->att, scratch, me);
    backward_linear(k, &into->qkv, rows, a->qkv, a->norm_1, scratch, me);
    range c = share(me, (int)n, 16);
    k->layer_norm_weight_gradient(rows, c.from, c.to, g->norm_2, n, a->mid, n, a->stats_2, into->ln_2.weight,
                                  into->ln_2.bias);
    k->layer_norm_weight_gradient(rows, c.from, c.to, g->norm_1, n, a->in, n, a->stats_1, into->ln_1.weight,
                                  into->ln_1.bias);
}
