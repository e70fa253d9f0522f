/* A group of sequences through the model and back. */
#include "learner_parts.h"
#include "transformer.h"

/* Rows of sequence i of a group, as a forward call. */
typedef struct sequence_call {
    transformer_call call;
    sequence_rows rows;
    dropout_plan drop;
} sequence_call;

static void make_call(sequence_call *c, const group *g, int i, int rank, bool together) {
    learner *l = g->job->l;
    int64_t sequence = g->first + i;
    c->rows = (sequence_rows){g->job->windows[sequence], block_size(l), 0, &l->caches[together ? 0 : rank]};
    c->drop = (dropout_plan){l->settings.dropout, l->settings.embd_dropout, l->settings.seed,
                             g->job->iteration, (uint64_t)sequence};
    c->call = (transformer_call){
        .model = l->model,
        .kernels = l->kernels,
        .acts = l->acts,
        .first = i * block_size(l),
        .n = 1,
        .sequences = &c->rows,
        .drop = &c->drop,
        .scratch = together ? l->scratch : &l->scratch[rank],
    };
}

/* Calls `work` for each of the group's sequences: whole rounds are shared out, one sequence to a member that
 * works alone; the sequences left over are worked on by all together. */
typedef void sequence_work(const group *g, int i, int index, int rank, member worker);
static void each_sequence(const group *g, sequence_work *work, int index, member me) {
    int rounds = g->count / me.size, left = rounds * me.size;
    for (int i = me.rank * rounds; i < (me.rank + 1) * rounds; i++) work(g, i, index, me.rank, alone());
    if (left < g->count) team_sync(me); /* who may still be in the first member's cache, which they share */
    for (int i = left; i < g->count; i++) work(g, i, index, me.rank, me);
}

static void forward_sequence(const group *g, int i, int index, int rank, member worker) {
    (void)index;
    sequence_call c;
    make_call(&c, g, i, rank, worker.size > 1);
    transformer_forward(&c.call, worker);
}

static void backward_sequence(const group *g, int i, int index, int rank, member worker) {
    learner *l = g->job->l;
    sequence_call c;
    make_call(&c, g, i, rank, worker.size > 1);
    backward_layer(&c.call, index, &l->g, c.call.scratch, worker);
}

static void embedding_dropout_sequence(const group *g, int i, int index, int rank, member worker) {
    (void)index;
    learner *l = g->job->l;
    sequence_call c;
    dropout drop;
    make_call(&c, g, i, rank, worker.size > 1);
    if (!dropout_at(&c.drop, embedding_site(), &drop)) return;
    size_t n = (size_t)padded(l->model->shape.n_embd), row = drop_row(l->model->shape.n_embd);
    range r = share(worker, block_size(l), 1);
    float *x = l->g.stream + (size_t)(c.call.first + r.from) * n;
    l->kernels->drop(r.to - r.from, (int)n, x, n, &drop, (uint64_t)r.from * row, row, x, n);
}

/* Adds each row's gradient to its token's and its position's embedding: this member's columns, rows in
 * order. */
static void embedding_gradient(const group *g, member me) {
    learner *l = g->job->l;
    size_t n = (size_t)padded(l->model->shape.n_embd);
    range c = share(me, (int)n, 16);
    for (int i = 0; i < g->count; i++)
        for (int t = 0; t < block_size(l); t++) {
            const float *from = l->g.stream + (size_t)(i * block_size(l) + t) * n;
            float *token = l->embedding + (size_t)g->job->windows[g->first + i][t] * n;
            float *position = l->gradient.wpe + (size_t)t * n;
            for (int j = c.from; j < c.to; j++) {
                token[j] += from[j];
                position[j] += from[j];
            }
        }
}

void group_gradient(const group *g, member me) {
    learner *l = g->job->l;
    const shape *s = &l->model->shape;
    each_sequence(g, forward_sequence, 0, me);
    team_sync(me);
    head_gradient(g, me);
    for (int i = s->n_layer - 1; i >= 0; i--) {
        each_sequence(g, backward_sequence, i, me);
        team_sync(me);
        backward_weights(l->kernels, s, &l->acts, i, &l->g, g->count * s->block_size, &l->gradient.layers[i],
                         l->scratch[me.rank], me);
        team_sync(me);
    }
    each_sequence(g, embedding_dropout_sequence, 0, me);
    team_sync(me);
    embedding_gradient(g, me);
    team_sync(me);
}
