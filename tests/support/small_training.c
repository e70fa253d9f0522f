#include "small_training.h"
#include "engine.h"
#include "random.h"
#include "schedule.h"
#include <stddef.h>

enum { HEADS = 3, WIDTH = 21, VOCABULARY = 37, BATCH = 5, ACCUMULATE = 3, WINDOWS = BATCH * ACCUMULATE };
/* Contexts: the long one takes attention through several blocks of rows and keys. */
enum { SHORT = 19, LONG = 131 };

static settings small_settings(activation_kind activation) {
    bool in_long = activation == GELU_TANH;
    return (settings){
        .n_layer = in_long ? 1 : 2,
        .n_head = HEADS,
        .n_embd = WIDTH,
        .block_size = in_long ? LONG : SHORT,
        .activation = activation,
        .qkv_bias = activation == GELU,
        .bias = activation != GELU_TANH,
        .head_bias = activation == RELU,
        .tie_weights = activation == GELU,
        .dropout = 0.2,
        .embd_dropout = 0.1,
        .batch_size = BATCH,
        .grad_accum = ACCUMULATE,
        .max_iters = in_long ? 10 : 30,
        .learning_rate = 3e-3,
        .min_lr = 3e-4,
        .warmup_iters = 5,
        .decay = DECAY_COSINE,
        .beta1 = 0.9,
        .beta2 = 0.99,
        .eps = 1e-8,
        .weight_decay = 0.1,
        .grad_clip = 0.5,
        .seed = 1337,
    };
}

static shape small_shape(const settings *s) {
    return (shape){(int)s->n_layer, HEADS,       WIDTH,   (int)s->block_size, VOCABULARY,
                   s->activation,   s->qkv_bias, s->bias, s->head_bias,       s->tie_weights};
}

bool small_training_open(small_training *t, activation_kind activation, const kernels *k, int threads,
                         problem *why) {
    *t = (small_training){.settings = small_settings(activation)};
    shape s = small_shape(&t->settings);
    if (!model_open(&t->model, &s, why)) return false;
    model_init(&t->model, t->settings.seed, 0.1, true);
    t->team = team_open(threads, why);
    t->learner = t->team ? learner_open(&t->model, k, t->team, &t->settings, why) : NULL;
    if (!t->learner) small_training_close(t);
    return t->learner != NULL;
}

void small_training_close(small_training *t) {
    if (t->learner) learner_close(t->learner);
    if (t->team) team_close(t->team);
    model_close(&t->model);
}

/* Text with something to learn: most tokens follow from the one before. */
static void make_window(const settings *s, int64_t iteration, uint64_t sequence, int32_t *window) {
    random_stream stream = random_open(s->seed, FOR_BATCH, (uint64_t)iteration, sequence, 0);
    window[0] = (int32_t)random_below(&stream, 0, VOCABULARY);
    for (uint64_t i = 1; i <= (uint64_t)s->block_size; i++) {
        int32_t jump = (int32_t)random_below(&stream, i, 8);
        window[i] = (window[i - 1] * 5 + (jump < 3 ? jump : 0) + 1) % VOCABULARY;
    }
}

void small_training_run(small_training *t, int iterations) {
    int32_t tokens[WINDOWS][LONG + 1];
    const int32_t *windows[WINDOWS];
    for (int64_t end = t->iteration + iterations; t->iteration < end; t->iteration++) {
        for (uint64_t b = 0; b < WINDOWS; b++) {
            make_window(&t->settings, t->iteration, b, tokens[b]);
            windows[b] = tokens[b];
        }
        learner_gradient(t->learner, (uint64_t)t->iteration, windows, &t->loss, &t->norm);
        learner_apply(t->learner, (uint64_t)t->iteration, learning_rate_at(&t->settings, t->iteration),
                      t->norm);
    }
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_weights(uint64_t hash, const model *m) {
    for (size_t i = 0; i < m->table.count; i++) {
        const parameter *p = &m->table.list[i];
        for (size_t row = 0; row < (size_t)p->rows; row++)
            hash = hash_bytes(hash, m->block + p->offset + row * p->stride, (size_t)p->cols * sizeof(float));
    }
    return hash;
}

bool small_training_fingerprint(const kernels *k, int threads, uint64_t *fingerprint, problem *why) {
    *fingerprint = 0xcbf29ce484222325u;
    for (int activation = 0; activation < ACTIVATIONS; activation++) {
        small_training t;
        if (!small_training_open(&t, (activation_kind)activation, k, threads, why)) return false;
        small_training_run(&t, (int)t.settings.max_iters);
        *fingerprint = hash_weights(*fingerprint, &t.model);
        small_training_close(&t);
    }
    return true;
}

/* The losses of one window of a model of narrow weights and cache. */
static bool hash_losses(small_training *t, const kernels *k, weight_type type, uint64_t *hash, problem *why) {
    int32_t window[LONG + 1];
    double losses[LONG];
    int count = t->model.shape.block_size;
    engine e = {0};
    kv_cache cache = {0};
    make_window(&t->settings, 0, 0, window);
    sequence_rows rows = {window, count, 0, &cache};
    bool ok = model_set_type(&t->model, type, why);
    if (ok) model_round(&t->model, alone());
    ok = ok && model_prepare(&t->model, false, t->team, why) &&
         engine_open(&e, &t->model, k, t->team, count, why) &&
         cache_open(&cache, &t->model.shape, t->model.cache_type, t->model.shape.n_layer, why);
    if (ok) {
        engine_losses(&e, 1, &rows, window + 1, losses);
        *hash = hash_bytes(*hash, losses, (size_t)count * sizeof *losses);
    }
    cache_close(&cache);
    if (e.memory) engine_close(&e);
    return ok;
}

bool small_narrow_fingerprint(const kernels *k, int threads, uint64_t *fingerprint, problem *why) {
    *fingerprint = 0xcbf29ce484222325u;
    for (int activation = 0; activation < ACTIVATIONS; activation++)
        for (int kind = 0; kind < 4; kind++) {
            small_training t;
            if (!small_training_open(&t, (activation_kind)activation, k, threads, why)) return false;
            t.model.cache_type = kind < 2 ? CACHE_F32 : CACHE_F16;
            bool ok = hash_losses(&t, k, kind % 2 ? WEIGHTS_INT8 : WEIGHTS_F16, fingerprint, why);
            small_training_close(&t);
            if (!ok) return false;
        }
    return true;
}
