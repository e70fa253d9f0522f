/* A micro-batch has one gradient buffer, and each of its elements is one fused sum over the micro-batch's
 * rows in their natural order, sequence by sequence, position by position. A stored partial sum is exact, so
 * sequences are taken in groups of any size: each thread takes whole sequences through the model, and after
 * each layer of backward all threads split that layer's weight gradient over the group's rows. Sequences that
 * do not fill a round of threads are worked on by all of them. No bit depends on threads or groups, and
 * memory does not grow with the batch. */
#include "learner.h"
#include "backward.h"
#include "gradient_tree.h"
#include "memory.h"
#include "optimizer.h"
#include "transformer.h"
#include <string.h>

enum { GROUP_ROWS = 512, /* rows a thread takes in a group, at least one sequence */ LOGIT_FLOATS = 1 << 20 };

struct learner {
    model *model;
    const kernels *kernels;
    team *team;
    settings settings;
    int group;                 /* sequences in a group, at most */
    activations acts;          /* of a group, every layer kept */
    layer_gradient g;          /* of a group, one layer at a time */
    layer_activations **views; /* [rank]: room for one view into acts */
    kv_cache *caches;          /* [rank]: one layer's keys and values of the sequence in work */
    float **scratch;           /* [rank] */
    float *block;              /* the micro-batch's gradient */
    weights gradient;          /* the same by role */
    float
        *embedding; /* (V, C) gradient of wte as embedding; its own where the head adds to the same tensor */
    gradient_tree tree;
    int logit_rows;
    float *logits;    /* (logit_rows, V) */
    row_loss *losses; /* of a micro-batch's rows */
    double loss;
    optimizer optimizer;
};

static bool open_members(learner *l, problem *why) {
    const shape *s = &l->model->shape;
    size_t n = (size_t)team_size(l->team), forward = attention_scratch(s->block_size, head_size(s));
    size_t backward = attention_gradient_scratch(s->block_size, head_size(s));
    size_t most = forward > backward ? forward : backward;
    if (most < WEIGHT_GRADIENT_SCRATCH) most = WEIGHT_GRADIENT_SCRATCH;
    l->views = allocate(n, sizeof *l->views, "views", why);
    l->caches = allocate(n, sizeof *l->caches, "caches", why);
    l->scratch = allocate(n, sizeof *l->scratch, "scratch", why);
    bool ok = l->views && l->caches && l->scratch;
    for (size_t i = 0; ok && i < n; i++) {
        l->views[i] = allocate((size_t)s->n_layer + 1, sizeof **l->views, "a view", why);
        l->scratch[i] = allocate(most, sizeof(float), "scratch", why);
        ok = l->views[i] && l->scratch[i] && cache_open(&l->caches[i], s, 1, why);
    }
    return ok;
}

static bool open_gradient(learner *l, problem *why) {
    const shape *s = &l->model->shape;
    l->block = allocate(l->model->table.floats, sizeof(float), "the gradient", why);
    if (!l->block || !weights_open(&l->gradient, l->model, l->block, why)) return false;
    l->embedding = l->gradient.wte;
    if (!s->tie_weights) return true;
    l->embedding = allocate((size_t)s->vocab_size * (size_t)padded(s->n_embd), sizeof(float),
                            "the embedding's gradient", why);
    return l->embedding != NULL;
}

static void choose_sizes(learner *l) {
    int threads = team_size(l->team), t = l->model->shape.block_size;
    int64_t group = (int64_t)threads * (GROUP_ROWS > t ? GROUP_ROWS / t : 1);
    l->group = (int)(group < l->settings.batch_size ? group : l->settings.batch_size);
    int rows = LOGIT_FLOATS / padded(l->model->shape.vocab_size), fewest = 64 * threads;
    l->logit_rows = rows < fewest ? fewest : rows;
    if (l->logit_rows > l->group * t) l->logit_rows = l->group * t;
}

static bool open_parts(learner *l, problem *why) {
    const shape *s = &l->model->shape;
    choose_sizes(l);
    int rows = l->group * s->block_size;
    size_t micro_rows = (size_t)l->settings.batch_size * (size_t)s->block_size;
    bool ok = model_train(l->model, why) && activations_open(&l->acts, s, rows, true, why) &&
              layer_gradient_open(&l->g, s, rows, why) && open_members(l, why) && open_gradient(l, why) &&
              gradient_tree_open(&l->tree, l->model->table.floats, l->settings.grad_accum, why) &&
              (l->logits = allocate((size_t)l->logit_rows * (size_t)padded(s->vocab_size), sizeof(float),
                                    "logits", why)) &&
              (l->losses = allocate(micro_rows, sizeof *l->losses, "losses", why)) &&
              optimizer_open(&l->optimizer, l->kernels, &l->model->table, &l->settings, why);
    return ok;
}

learner *learner_open(model *m, const kernels *k, team *t, const settings *s, problem *why) {
    learner *l = allocate(1, sizeof *l, "the learner", why);
    if (!l) return NULL;
    *l = (learner){.model = m, .kernels = k, .team = t, .settings = *s};
    if (kernels_ready(k, team_size(t), why) && open_parts(l, why)) return l;
    learner_close(l);
    return NULL;
}

void learner_close(learner *l) {
    if (!l) return;
    for (int i = 0; i < team_size(l->team); i++) {
        if (l->views) release(l->views[i]);
        if (l->caches) cache_close(&l->caches[i]);
        if (l->scratch) release(l->scratch[i]);
    }
    gradient_tree_close(&l->tree);
    if (l->embedding != l->gradient.wte) release(l->embedding);
    void *const parts[] = {l->views, l->caches, l->scratch, l->block, l->logits, l->losses};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) release(parts[i]);
    weights_close(&l->gradient);
    activations_close(&l->acts);
    layer_gradient_close(&l->g);
    optimizer_close(&l->optimizer);
    release(l);
}

float *learner_adamw_m(learner *l) {
    return l->optimizer.m;
}
float *learner_adamw_v(learner *l) {
    return l->optimizer.v;
}
const float *learner_gradient_block(const learner *l) {
    return l->block;
}

/* One iteration as the team sees it. */
typedef struct iteration_job {
    learner *l;
    uint64_t iteration;
    const int32_t *const *windows;
    double learning_rate, norm;
} iteration_job;

/* Consecutive sequences of a micro-batch that go through the model together. */
typedef struct group {
    const iteration_job *job;
    int64_t first;     /* the first sequence, counted in the iteration */
    int64_t first_row; /* its first row, counted in the micro-batch */
    int count;
} group;

static int block_size(const learner *l) {
    return l->model->shape.block_size;
}

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
        .acts = activations_from_row(&l->acts, &l->model->shape, i * block_size(l), l->views[rank]),
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
    layer_gradient rows = layer_gradient_from_row(&l->g, &l->model->shape, i * block_size(l));
    backward_layer(&c.call, index, &rows, c.call.scratch, worker);
}

static void embedding_dropout_sequence(const group *g, int i, int index, int rank, member worker) {
    (void)index;
    learner *l = g->job->l;
    sequence_call c;
    dropout drop;
    make_call(&c, g, i, rank, worker.size > 1);
    if (!dropout_at(&c.drop, embedding_site(), &drop)) return;
    layer_gradient rows = layer_gradient_from_row(&l->g, &l->model->shape, i * block_size(l));
    size_t n = (size_t)padded(l->model->shape.n_embd), row = drop_row(l->model->shape.n_embd);
    range r = share(worker, block_size(l), 1);
    float *x = rows.stream + (size_t)r.from * n;
    l->kernels->drop(r.to - r.from, (int)n, x, n, &drop, (uint64_t)r.from * row, row, x, n);
}

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
    size_t c = (size_t)padded(into->in), v = (size_t)padded(into->out);
    head_rows(g, block, me);
    team_sync(me);
    range r = share(me, into->out, 4);
    l->kernels->linear_weight_gradient(into, block.to - block.from, r.from, r.to, l->logits, v,
                                       l->acts.norm_f + (size_t)block.from * c, c, l->scratch[me.rank]);
    team_sync(me);
}

/* From logits back through the final layer norm to the residual stream. */
static void head_and_final_norm(const group *g, member me) {
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

static void group_gradient(const group *g, member me) {
    learner *l = g->job->l;
    const shape *s = &l->model->shape;
    each_sequence(g, forward_sequence, 0, me);
    team_sync(me);
    head_and_final_norm(g, me);
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

static void clear(float *x, size_t n, member me) {
    span p = span_of(me, n);
    memset(x + p.from, 0, p.count * sizeof(float));
}

static void micro_batch(const iteration_job *job, int64_t micro, member me) {
    learner *l = job->l;
    int64_t batch = l->settings.batch_size;
    size_t embedding = (size_t)l->model->shape.vocab_size * (size_t)padded(l->model->shape.n_embd);
    bool own_embedding = l->embedding != l->gradient.wte;
    clear(l->block, l->model->table.floats, me);
    if (own_embedding) clear(l->embedding, embedding, me);
    team_sync(me);
    for (int64_t i = 0; i < batch; i += l->group) {
        group g = {job, micro * batch + i, i * block_size(l),
                   (int)(batch - i < l->group ? batch - i : l->group)};
        group_gradient(&g, me);
    }
    span p = span_of(me, embedding);
    if (own_embedding) l->kernels->accumulate(p.count, l->gradient.wte + p.from, l->embedding + p.from);
    team_sync(me);
}

/* Adds the micro-batch's losses in double, row by row in order. */
static void add_losses(learner *l) {
    int64_t rows = l->settings.batch_size * block_size(l);
    for (int64_t r = 0; r < rows; r++) l->loss += cross_entropy_of(l->losses[r]);
}

static void run_gradient(void *argument, member me) {
    const iteration_job *job = argument;
    learner *l = job->l;
    for (int64_t micro = 0; micro < l->settings.grad_accum; micro++) {
        micro_batch(job, micro, me);
        if (me.rank == 0) add_losses(l);
        gradient_tree_join(&l->tree, l->kernels, micro, micro == l->settings.grad_accum - 1, l->block, me);
        team_sync(me);
    }
    optimizer_squares(&l->optimizer, l->block, me);
}

void learner_gradient(learner *l, uint64_t iteration, const int32_t *const *windows, double *loss,
                      double *norm) {
    iteration_job job = {.l = l, .iteration = iteration, .windows = windows};
    l->loss = 0;
    team_run(l->team, run_gradient, &job);
    *loss = l->loss / (double)(l->settings.batch_size * l->settings.grad_accum * block_size(l));
    *norm = optimizer_norm(&l->optimizer);
}

static void run_apply(void *argument, member me) {
    const iteration_job *job = argument;
    learner *l = job->l;
    optimizer_step(&l->optimizer, job->iteration, job->learning_rate, job->norm, l->block, l->model->block,
                   me);
    team_sync(me);
    model_pack(l->model, me);
}

void learner_apply(learner *l, uint64_t iteration, double learning_rate, double norm) {
    iteration_job job = {.l = l, .iteration = iteration, .learning_rate = learning_rate, .norm = norm};
    team_run(l->team, run_apply, &job);
}
