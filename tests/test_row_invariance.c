/* A row's logits depend on its own sequence's tokens alone: the same bits in a full forward,
 * in chunks of any size, token by token, in a batch, on any number of threads, with every
 * kernel set that promises equal bits. */
#include "engine.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = 3, MOST_THREADS = 3 };

static const shape shapes[] = {
    {2, 3, 21, 19, 65, RELU, .bias = true, .head_bias = true},
    {2, 2, 32, 40, 33, GELU, .qkv_bias = true, .bias = true, .tie_weights = true},
    {1, 1, 72, 49, 130, GELU_TANH, .bias = true},
    {3, 4, 52, 35, 17, GELU, .tie_weights = true},
    {2, 2, 38, 210, 20, RELU, .qkv_bias = true}, /* several blocks, and rows enough to be split */
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* How a sequence goes through the model: `first` rows in the first call, then `step` rows in each. */
typedef struct walk {
    int sequence, first, step;
} walk;

typedef struct fixture {
    model model;
    const int32_t *tokens[SEQUENCES]; /* block_size tokens each */
    int length[SEQUENCES];
    float *expected[SEQUENCES]; /* (length, V), from one full forward of that sequence alone, one thread */
} fixture;

typedef struct bench { /* one kernel set and team at work */
    const fixture *f;
    engine engine;
    kv_cache caches[SEQUENCES];
    int held[SEQUENCES]; /* positions that they hold */
    float *logits;
} bench;

static size_t row_floats(const fixture *f) {
    return (size_t)padded(f->model.shape.vocab_size);
}

static void open_bench(bench *b, const fixture *f, const kernels *k, int threads) {
    problem why;
    int rows = SEQUENCES * f->model.shape.block_size;
    team *t = team_open(threads, &why);
    *b = (bench){.f = f, .logits = zeros((size_t)rows * row_floats(f), sizeof(float))};
    must(t && engine_open(&b->engine, &f->model, k, t, rows, &why), &why);
    for (int i = 0; i < SEQUENCES; i++)
        must(cache_open(&b->caches[i], &f->model.shape, f->model.cache_type, f->model.shape.n_layer, &why),
             &why);
}

static void close_bench(bench *b) {
    team *t = b->engine.team;
    for (int i = 0; i < SEQUENCES; i++) cache_close(&b->caches[i]);
    engine_close(&b->engine);
    team_close(t);
    free(b->logits);
}

/* The next rows of each walk that has not come to its sequence's end; returns how many sequences have
 * some. */
static int next_rows(bench *b, int n, const walk *walks, sequence_rows *rows, int *which) {
    int sequences = 0;
    for (int i = 0; i < n; i++) {
        int s = walks[i].sequence, at = b->held[s], left = b->f->length[s] - at;
        int count = at == 0 ? walks[i].first : walks[i].step;
        if (left == 0) continue;
        if (count > left) count = left;
        rows[sequences] = (sequence_rows){b->f->tokens[s] + at, count, at, &b->caches[s]};
        b->held[s] += count;
        which[sequences++] = s;
    }
    return sequences;
}

static void compare(const bench *b, const float *logits, int sequence, int row) {
    const float *expected = b->f->expected[sequence] + (size_t)row * row_floats(b->f);
    ck_assert_msg(!memcmp(logits, expected, row_floats(b->f) * sizeof *logits),
                  "%s, %d threads: position %d of %d", b->engine.kernels->name, team_size(b->engine.team),
                  row, sequence);
}

static void compare_all(const bench *b, int n, const sequence_rows *rows, const int *which,
                        logit_rows wanted) {
    const float *logits = b->logits;
    for (int i = 0; i < n; i++)
        for (int r = wanted == ALL_ROWS ? 0 : rows[i].count - 1; r < rows[i].count;
             r++, logits += row_floats(b->f))
            compare(b, logits, which[i], rows[i].position + r);
}

/* What a walk does not write must not be there from the one before: the keys are large, but numbers. */
static void forget(kv_cache *cache, const shape *s) {
    size_t layers = (size_t)(cache->key_layer ? s->n_layer : 1), heads = layers * (size_t)s->n_head;
    memset(cache->keys, 0x42, heads * cache->key_head);
    memset(cache->values, 0x42, heads * cache->value_head);
}

/* Walks n sequences to their ends side by side. */
static void run(bench *b, int n, const walk *walks, logit_rows wanted) {
    sequence_rows rows[SEQUENCES];
    int which[SEQUENCES], sequences;
    memset(b->held, 0, sizeof b->held);
    for (int i = 0; i < SEQUENCES; i++) forget(&b->caches[i], &b->f->model.shape);
    while ((sequences = next_rows(b, n, walks, rows, which)) > 0) {
        engine_forward(&b->engine, sequences, rows, wanted, b->logits);
        compare_all(b, sequences, rows, which, wanted);
    }
}

static void run_alone(bench *b) {
    static const int chunks[] = {1, 2, 3, 5, 16, 17, 1000};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        run(b, 1, &(walk){0, chunks[i], chunks[i]}, ALL_ROWS);
    run(b, 1, &(walk){0, 7, 1}, ALL_ROWS);
    run(b, 1, &(walk){0, 16, 3}, LAST_ROWS);
}

static void run_batches(bench *b) {
    run(b, 3, (walk[]){{0, 1, 1}, {1, 9, 1}, {2, 4, 1}}, ALL_ROWS);
    run(b, 3, (walk[]){{2, 1, 1}, {0, 3, 3}, {1, 17, 5}}, ALL_ROWS);
    run(b, 3, (walk[]){{1, 1000, 1}, {0, 1000, 1}, {2, 1000, 1}}, ALL_ROWS);
    run(b, 2, (walk[]){{2, 5, 2}, {0, 16, 16}}, LAST_ROWS);
}

static void open_fixture(fixture *f, const shape *s) {
    rough_model(&f->model, s, 0.3);
    const int length[SEQUENCES] = {s->block_size, s->block_size - 1, s->block_size / 2};
    for (int i = 0; i < SEQUENCES; i++) {
        f->tokens[i] = random_tokens(s->vocab_size, (size_t)s->block_size, (uint64_t)i);
        f->length[i] = length[i];
        f->expected[i] = zeros((size_t)s->block_size * row_floats(f), sizeof(float));
    }
    bench b;
    open_bench(&b, f, exact_kernel_set(0), 1);
    for (int i = 0; i < SEQUENCES; i++)
        engine_forward(&b.engine, 1, &(sequence_rows){f->tokens[i], length[i], 0, &b.caches[i]}, ALL_ROWS,
                       f->expected[i]);
    close_bench(&b);
}

static void close_fixture(fixture *f) {
    for (int i = 0; i < SEQUENCES; i++) {
        free((void *)f->tokens[i]);
        free(f->expected[i]);
    }
    model_close(&f->model);
}

START_TEST(test_every_way) {
    const kernels *k;
    fixture f;
    open_fixture(&f, &shapes[_i]);
    for (int set = 0; (k = exact_kernel_set(set)); set++)
        for (int threads = 1; threads <= MOST_THREADS; threads++) {
            bench b;
            open_bench(&b, &f, k, threads);
            run_alone(&b);
            run_batches(&b);
            close_bench(&b);
        }
    close_fixture(&f);
}
END_TEST

/* Losses of so few rows that some members of the team have none. */
START_TEST(test_few_rows) {
    enum { ROWS = 6, THREADS = 5 };
    const kernels *k;
    fixture f;
    open_fixture(&f, &shapes[0]);
    double expected[ROWS], found[ROWS];
    for (int set = 0; (k = exact_kernel_set(set)); set++)
        for (int threads = 1; threads <= THREADS; threads++) {
            bench b;
            open_bench(&b, &f, k, threads);
            for (int rows = 1; rows <= ROWS; rows++) {
                const sequence_rows q = {f.tokens[0], rows, 0, &b.caches[0]};
                engine_losses(&b.engine, 1, &q, f.tokens[1], found);
                if (threads == 1 && set == 0 && rows == ROWS) memcpy(expected, found, sizeof expected);
                if (threads > 1) ck_assert_mem_eq(expected, found, (size_t)rows * sizeof *found);
            }
            close_bench(&b);
        }
    close_fixture(&f);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("row invariance");
    tcase_add_test(cases, test_few_rows);
    tcase_add_loop_test(cases, test_every_way, 0, SHAPES);
    return suite_run(cases, "row invariance", 300);
}
