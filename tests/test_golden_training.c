/* Twenty AdamW updates against PyTorch's in float64, through every kernel set that runs here. */
#include "learner.h"
#include "memory.h"
#include "schedule.h"
#include "support/golden.h"
#include "support/suite.h"
#include "support/tensor_error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Windows first.. of those that lie side by side in the corpus. */
static void point_at(const golden *g, const int32_t *corpus, int first, const int32_t **windows) {
    for (int b = 0; b < g->batch; b++) windows[b] = corpus + (first + b) * g->context;
}

typedef struct run_error {
    double loss; /* largest absolute difference */
    double norm; /* largest relative difference */
} run_error;

static run_error train(const golden *g, learner *l, const int32_t *corpus) {
    array losses = golden_array(g, "train_losses"), norms = golden_array(g, "grad_norms");
    const int32_t **windows = zeros((size_t)g->batch, sizeof *windows);
    run_error worst = {0, 0};
    for (int i = 0; i < g->steps; i++) {
        double loss, norm;
        point_at(g, corpus, i * g->batch, windows);
        learner_gradient(l, (uint64_t)i, windows, &loss, &norm);
        learner_apply(l, (uint64_t)i, learning_rate_at(&g->settings, i), norm);
        worst.loss = worse_of(worst.loss, fabs(loss - losses.values[i]));
        worst.norm = worse_of(worst.norm, fabs(norm / norms.values[i] - 1));
    }
    free(windows);
    free(losses.values);
    free(norms.values);
    return worst;
}

static void check_run(golden *g, const kernels *k, const int32_t *corpus) {
    problem why;
    team *t = team_open(2, &why);
    learner *l = t ? learner_open(&g->start.model, k, t, &g->settings, &why) : NULL;
    must(l != NULL, &why);
    run_error run = train(g, l, corpus);
    double *after = as_doubles(g->start.model.block, g->start.model.table.floats);
    double *expected = golden_block(g, "after");
    tensor_error e = block_error(&g->start.model.table, after, expected);
    printf("%s, %s: losses %.1e, norms %.1e, weights %.1e (%s)\n", g->name, k->name, run.loss, run.norm,
           e.relative, e.worst->name);
    ck_assert_msg(run.loss <= 2e-5, "%s, %s: losses differ by %g", g->name, k->name, run.loss);
    ck_assert_msg(run.norm <= 1e-4, "%s, %s: norms differ by %g", g->name, k->name, run.norm);
    ck_assert_msg(e.relative <= 2e-4, "%s, %s: %s differs by %g", g->name, k->name, e.worst->name,
                  e.relative);
    free(after);
    free(expected);
    learner_close(l);
    team_close(t);
}

/* The corpus has to be the one that the expectation was made from. */
static void check_first_windows(const golden *g, const int32_t *corpus) {
    for (int b = 0; b < g->batch; b++)
        for (int t = 0; t <= g->context; t++) ck_assert_int_eq(corpus[b * g->context + t], g->windows[b][t]);
}

START_TEST(test_run) {
    const kernels *k;
    for (int set = 0; (k = kernel_set(set)); set++) {
        golden g; /* opened anew: training changes the weights */
        golden_open(&g, _i);
        int32_t *corpus = golden_corpus(&g, (size_t)(g.steps * g.batch * g.context + 1));
        check_first_windows(&g, corpus);
        check_run(&g, k, corpus);
        release(corpus);
        golden_close(&g);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("golden training");
    tcase_add_loop_test(cases, test_run, 0, golden_count());
    return suite_run(cases, "golden training", 60);
}
