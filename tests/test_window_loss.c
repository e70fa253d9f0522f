/* The loss of a window rule, taken a window at a time, against the rule itself, taken a token at a time. */
#include "../infer/window_rules.h"
#include "generate.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include <stdlib.h>

enum { CONTEXT = 11, PREDICTED = 40 };

static double naive_loss(engine *e, const int32_t *tokens, int keep) {
    double sum = 0, losses[CONTEXT];
    problem why;
    kv_cache cache;
    must(cache_open(&cache, &e->model->shape, e->model->cache_type, e->model->shape.n_layer, &why), &why);
    for (size_t p = CONTEXT; p < CONTEXT + PREDICTED; p++) {
        size_t start = window_start(p, CONTEXT, keep);
        int count = (int)(p - start);
        engine_losses(e, 1, &(sequence_rows){tokens + start, count, 0, &cache}, tokens + start + 1, losses);
        sum += losses[count - 1];
    }
    cache_close(&cache);
    return sum / PREDICTED;
}

static void expect_same(const model *m, team *t, int rows) {
    problem why;
    engine e;
    int32_t *tokens = random_tokens(m->shape.vocab_size, CONTEXT + PREDICTED, 0);
    must(engine_open(&e, m, kernels_named("auto"), t, rows, &why), &why);
    for (int keep = 1; keep <= CONTEXT; keep++) {
        double loss = 0;
        must(window_loss(&(window_trial){&e, tokens, PREDICTED, 0}, keep, &loss, &why), &why);
        ck_assert_double_eq(loss, naive_loss(&e, tokens, keep));
    }
    engine_close(&e);
    free(tokens);
}

START_TEST(test_every_keep) {
    const shape s = {
        .n_layer = 2, .n_head = 2, .n_embd = 10, .block_size = CONTEXT, .vocab_size = 9, .bias = true};
    problem why;
    model m;
    team *t = team_open(1, &why);
    must(t, &why);
    rough_model(&m, &s, 0.3);
    expect_same(&m, t, CONTEXT);
    expect_same(&m, t, 5 * CONTEXT + 3); /* windows share a call */
    model_close(&m);
    team_close(t);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("window loss");
    tcase_add_test(cases, test_every_keep);
    return suite_run(cases, "window loss", 20);
}
