/* The mean loss over windows: against a sum made by hand, and the same bits whatever the engine's rows
 * and threads. */
#include "evaluate.h"
#include "random.h"
#include "sampled_evaluation.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 13, VOCABULARY = 31 };

static const shape small = {.n_layer = 2,
                            .n_head = 3,
                            .n_embd = 24,
                            .block_size = CONTEXT,
                            .vocab_size = VOCABULARY,
                            .activation = GELU,
                            .tie_weights = true};

/* An engine and what it stands on. */
typedef struct bench {
    team *team;
    engine engine;
} bench;

static void open_bench(bench *b, const model *m, int rows, int threads) {
    problem why;
    b->team = team_open(threads, &why);
    must(b->team, &why);
    must(engine_open(&b->engine, m, kernels_named("auto"), b->team, rows, &why), &why);
}

static void close_bench(bench *b) {
    engine_close(&b->engine);
    team_close(b->team);
}

/* Adds the losses of one window, predicting `count` tokens, in a call of its own. */
static void add_window(engine *e, const int32_t *tokens, int count, double *sum) {
    problem why;
    kv_cache cache;
    double losses[CONTEXT];
    must(cache_open(&cache, &e->model->shape, e->model->cache_type, e->model->shape.n_layer, &why), &why);
    sequence_rows rows = {tokens, count, 0, &cache};
    engine_losses(e, 1, &rows, tokens + 1, losses);
    for (int i = 0; i < count; i++) *sum += losses[i];
    cache_close(&cache);
}

static double by_hand(const model *m, const int32_t *tokens, size_t count) {
    bench b;
    double sum = 0;
    open_bench(&b, m, CONTEXT, 1);
    for (size_t at = 0; at + 1 < count; at += CONTEXT)
        add_window(&b.engine, tokens + at, count - 1 - at < CONTEXT ? (int)(count - 1 - at) : CONTEXT, &sum);
    close_bench(&b);
    return sum / (double)(count - 1);
}

static double exact(const model *m, int rows, int threads, const int32_t *tokens, size_t count) {
    bench b;
    problem why;
    double loss;
    open_bench(&b, m, rows, threads);
    must(evaluate_exact(&b.engine, tokens, count, NULL, NULL, &loss, &why), &why);
    close_bench(&b);
    return loss;
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

START_TEST(test_exact_is_the_mean_for_any_rows_and_threads) {
    static const size_t counts[] = {2,           3,           CONTEXT,         CONTEXT + 1,
                                    CONTEXT + 2, 5 * CONTEXT, 5 * CONTEXT + 1, 97};
    static const int rows[] = {CONTEXT, CONTEXT + 1, 2 * CONTEXT, 3 * CONTEXT + 5, 500};
    model m;
    rough_model(&m, &small, 0.3);
    int32_t *tokens = random_tokens(VOCABULARY, 97, 0);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double expected = by_hand(&m, tokens, counts[c]);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            for (int threads = 1; threads <= 3; threads++)
                ck_assert_msg(same_bits(exact(&m, rows[r], threads, tokens, counts[c]), expected),
                              "%zu tokens, %d rows, %d threads", counts[c], rows[r], threads);
    }
    free(tokens);
    model_close(&m);
}
END_TEST

/* Stops when asked for the third time. */
static bool third_time(void *context, double done) {
    int *asked = context;
    ck_assert_double_eq(done, *asked / 10.0);
    return ++*asked == 3;
}

START_TEST(test_stops_when_told) {
    model m;
    bench b;
    problem why;
    int asked = 0;
    double loss;
    rough_model(&m, &small, 0.3);
    int32_t *tokens = random_tokens(VOCABULARY, 10 * CONTEXT + 1, 0);
    open_bench(&b, &m, CONTEXT, 1);
    ck_assert(!evaluate_exact(&b.engine, tokens, 10 * CONTEXT + 1, third_time, &asked, &loss, &why));
    ck_assert_int_eq(asked, 3);
    close_bench(&b);
    free(tokens);
    model_close(&m);
}
END_TEST

static double sampled(const model *m, const settings *s, int64_t iteration, int rows, const int32_t *tokens,
                      size_t count) {
    bench b;
    problem why;
    double loss;
    open_bench(&b, m, rows, 2);
    must(evaluate_sampled(&b.engine, s, iteration, tokens, count, NULL, NULL, &loss, &why), &why);
    close_bench(&b);
    return loss;
}

START_TEST(test_sampled_is_a_function_of_seed_and_iteration) {
    enum { COUNT = 97 };
    settings s = {.block_size = CONTEXT, .batch_size = 3, .eval_iters = 7, .seed = 1};
    model m;
    rough_model(&m, &small, 0.3);
    int32_t *tokens = random_tokens(VOCABULARY, COUNT, 0);
    double first = sampled(&m, &s, 10, CONTEXT, tokens, COUNT);
    ck_assert(same_bits(sampled(&m, &s, 10, 200, tokens, COUNT), first));
    ck_assert(!same_bits(sampled(&m, &s, 11, CONTEXT, tokens, COUNT), first));
    s.seed = 2;
    ck_assert(!same_bits(sampled(&m, &s, 10, CONTEXT, tokens, COUNT), first));
    free(tokens);
    model_close(&m);
}
END_TEST

/* A split that one window fills leaves nothing to chance but the order of a sum. */
START_TEST(test_sampled_of_the_smallest_split_is_exact) {
    settings s = {.block_size = CONTEXT, .batch_size = 3, .eval_iters = 7, .seed = 1};
    model m;
    rough_model(&m, &small, 0.3);
    int32_t *tokens = random_tokens(VOCABULARY, CONTEXT + 1, 0);
    ck_assert_double_eq_tol(sampled(&m, &s, 0, 50, tokens, CONTEXT + 1), by_hand(&m, tokens, CONTEXT + 1),
                            1e-12);
    free(tokens);
    model_close(&m);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("evaluate");
    tcase_add_test(cases, test_exact_is_the_mean_for_any_rows_and_threads);
    tcase_add_test(cases, test_stops_when_told);
    tcase_add_test(cases, test_sampled_is_a_function_of_seed_and_iteration);
    tcase_add_test(cases, test_sampled_of_the_smallest_split_is_exact);
    return suite_run(cases, "evaluate", 30);
}
