/* Training on any number of threads gives the same bytes, where the batch is not a multiple of the threads,
 * gradients are accumulated and dropout is on. */
#include "support/small_training.h"
#include "support/suite.h"
#include <string.h>

static void open_and_run(small_training *t, activation_kind activation, const kernels *k, int threads) {
    problem why;
    must(small_training_open(t, activation, k, threads, &why), &why);
    small_training_run(t, 3);
}

static void compare(const small_training *a, const small_training *b, const char *kernels_name, int threads) {
    size_t bytes = a->model.table.floats * sizeof(float);
    const float *blocks[][2] = {{learner_gradient_block(a->learner), learner_gradient_block(b->learner)},
                                {a->model.block, b->model.block},
                                {learner_adamw_m(a->learner), learner_adamw_m(b->learner)},
                                {learner_adamw_v(a->learner), learner_adamw_v(b->learner)}};
    static const char *const what[] = {"gradient", "weights", "first moment", "second moment"};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(!memcmp(blocks[i][0], blocks[i][1], bytes), "%s: %s of %d threads", kernels_name,
                      what[i], threads);
    ck_assert(!memcmp(&a->loss, &b->loss, sizeof a->loss) && !memcmp(&a->norm, &b->norm, sizeof a->norm));
}

static void check(activation_kind activation, const kernels *k) {
    static const int threads[] = {2, 3, 4, 8};
    small_training one, many;
    open_and_run(&one, activation, k, 1);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        open_and_run(&many, activation, k, threads[i]);
        compare(&one, &many, k->name, threads[i]);
        small_training_close(&many);
    }
    small_training_close(&one);
}

START_TEST(test_any_threads) {
    const kernels *k;
    for (int set = 0; (k = exact_kernel_set(set)); set++) check((activation_kind)_i, k);
}
END_TEST

/* A batch of one token, and so of fewer rows than there are threads. */
static double loss_of_one_token(int threads) {
    problem why;
    settings s = {.batch_size = 1, .grad_accum = 1, .beta2 = 0.9, .eps = 1e-8, .seed = 1};
    const shape tiny = {1, 1, 5, 1, 7, GELU, true, true, true, false};
    model m;
    must(model_open(&m, &tiny, &why), &why);
    model_init(&m, 1, 0.3, false);
    team *t = team_open(threads, &why);
    learner *l = t ? learner_open(&m, exact_kernel_set(0), t, &s, &why) : NULL;
    must(l != NULL, &why);
    const int32_t tokens[] = {3, 4}, *const windows[] = {tokens};
    double loss = 0, norm = 0;
    for (uint64_t i = 0; i < 3; i++) {
        learner_gradient(l, i, windows, &loss, &norm);
        learner_apply(l, i, 0.01, norm);
    }
    learner_close(l);
    team_close(t);
    model_close(&m);
    return loss;
}

START_TEST(test_one_token) {
    double alone_loss = loss_of_one_token(1);
    for (int threads = 2; threads <= 4; threads++) {
        double loss = loss_of_one_token(threads);
        ck_assert_mem_eq(&loss, &alone_loss, sizeof loss);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("thread invariance");
    tcase_add_test(cases, test_one_token);
    tcase_add_loop_test(cases, test_any_threads, 0, ACTIVATIONS);
    return suite_run(cases, "thread invariance", 300);
}
