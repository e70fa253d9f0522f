/* Logits, loss and gradient in float32 against the golden values, through every kernel set that runs here. */
#include "learner.h"
#include "support/full_forward.h"
#include "support/golden.h"
#include "support/suite.h"
#include "support/tensor_error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Largest difference over the larger of 1 and the largest expected logit. */
static double logits_error(const golden *g, const kernels *k, const array *expected) {
    size_t vocab = expected->shape[2], stride = (size_t)padded((int)vocab);
    float *logits = full_forward(&g->start.model, k, 2, g->batch, g->windows, g->context);
    double worst = 0, largest = 1;
    for (size_t i = 0; i < expected->count; i++) {
        double y = expected->values[i], d = fabs((double)logits[i / vocab * stride + i % vocab] - y);
        worst = worse_of(worst, d);
        largest = fmax(largest, fabs(y));
    }
    free(logits);
    return worst / largest;
}

START_TEST(test_logits) {
    const kernels *k;
    golden g;
    golden_open(&g, _i);
    array expected = golden_array(&g, "logits");
    for (int set = 0; (k = kernel_set(set)); set++) {
        double error = logits_error(&g, k, &expected);
        printf("%s, %s: logits %.1e\n", g.name, k->name, error);
        ck_assert_msg(error <= 1e-5, "%s, %s: logits differ by %g", g.name, k->name, error);
    }
    free(expected.values);
    golden_close(&g);
}
END_TEST

static void check_gradient(golden *g, const kernels *k, double expected_loss, const double *expected) {
    problem why;
    team *t = team_open(2, &why);
    learner *l = t ? learner_open(&g->start.model, k, t, &g->settings, &why) : NULL;
    must(l != NULL, &why);
    double loss, norm;
    learner_gradient(l, 0, g->windows, &loss, &norm);
    double *gradient = as_doubles(learner_gradient_block(l), g->start.model.table.floats);
    tensor_error e = block_error(&g->start.model.table, gradient, expected);
    printf("%s, %s: loss %.1e, gradient %.1e (%s)\n", g->name, k->name, fabs(loss / expected_loss - 1),
           e.relative, e.worst->name);
    ck_assert_double_eq_tol(loss / expected_loss, 1, 1e-6);
    ck_assert_msg(e.relative <= 1e-5, "%s, %s: %s differs by %g", g->name, k->name, e.worst->name,
                  e.relative);
    ck_assert_msg(e.key_bias <= 1e-7, "%s, %s: a gradient of the keys' bias differs by %g", g->name, k->name,
                  e.key_bias);
    free(gradient);
    learner_close(l);
    team_close(t);
}

START_TEST(test_loss_and_gradient) {
    const kernels *k;
    golden g;
    golden_open(&g, _i);
    array loss = golden_array(&g, "loss");
    double *gradient = golden_block(&g, "grad");
    for (int set = 0; (k = kernel_set(set)); set++) check_gradient(&g, k, loss.values[0], gradient);
    free(gradient);
    free(loss.values);
    golden_close(&g);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("golden");
    tcase_add_loop_test(cases, test_logits, 0, golden_count());
    tcase_add_loop_test(cases, test_loss_and_gradient, 0, golden_count());
    return suite_run(cases, "golden", 60);
}
