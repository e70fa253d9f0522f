/* A micro-batch has one gradient buffer, and each of its elements is one fused sum over the micro-batch's
 * rows in their natural order, sequence by sequence, position by position. A stored partial sum is exact, so
 * sequences are taken in groups of any size: each thread takes whole sequences through the model, and after
 * each layer of backward all threads split that layer's weight gradient over the group's rows. Sequences that
 * do not fill a round of threads are worked on by all of them. No bit depends on threads or groups, and
 * memory does not grow with the batch. */
#include "learner_parts.h"
#include "memory.h"
#include "row_loss.h"
#include <string.h>

enum { GROUP_ROWS = 512, /* rows a thread takes in a group, at least one sequence */ LOGIT_FLOATS = 1 << 20 };

static bool open_members(learner *l, problem *why) {
    const shape *s = &l->model->shape;
    size_t n = (size_t)team_size(l->team), forward = attention_scratch(s->block_size, head_size(s));
    size_t backward = attention_gradient_scratch(s->block_size, head_size(s));
    size_t most = forward > backward ? forward : backward;
    if (most < WEIGHT_GRADIENT_SCRATCH) most = WEIGHT_GRADIENT_SCRATCH;
    l->caches = allocate(n, sizeof *l->caches, "caches", why);
    l->scratch = allocate(n, sizeof *l->scratch, "scratch", why);
    bool ok = l->caches && l->scratch;
    for (size_t i = 0; ok && i < n; i++) {
        l->scratch[i] = allocate_scratch(most, why);
        ok = l->scratch[i] && cache_open(&l->caches[i], s, CACHE_F32, 1, why);
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
    int64_t most = (int64_t)threads * (GROUP_ROWS > t ? GROUP_ROWS / t : 1);
    l->group_size = (int)(most < l->settings.batch_size ? most : l->settings.batch_size);
    int rows = LOGIT_FLOATS / padded(l->model->shape.vocab_size), fewest = 64 * threads;
    l->logit_rows = rows < fewest ? fewest : rows;
    if (l->logit_rows > l->group_size * t) l->logit_rows = l->group_size * t;
}

static bool open_parts(learner *l, problem *why) {
    const shape *s = &l->model->shape;
    choose_sizes(l);
    int rows = l->group_size * s->block_size;
    size_t micro_rows = (size_t)l->settings.batch_size * (size_t)s->block_size;
    bool ok = model_prepare(l->model, true, l->team, why) && activations_open(&l->acts, s, rows, true, why) &&
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
        if (l->caches) cache_close(&l->caches[i]);
        if (l->scratch) release(l->scratch[i]);
    }
    gradient_tree_close(&l->tree);
    if (l->embedding != l->gradient.wte) release(l->embedding);
    void *const parts[] = {l->caches, l->scratch, l->block, l->logits, l->losses};
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
    for (int64_t i = 0; i < batch; i += l->group_size) {
        group g = {job, micro * batch + i, i * block_size(l),
                   (int)(batch - i < l->group_size ? batch - i : l->group_size)};
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
    optimizer_step(&l->optimizer, job->iteration, job->learning_rate, job->norm, l->block, l->model, me);
}

void learner_apply(learner *l, uint64_t iteration, double learning_rate, double norm) {
    iteration_job job = {.l = l, .iteration = iteration, .learning_rate = learning_rate, .norm = norm};
    team_run(l->team, run_apply, &job);
}
