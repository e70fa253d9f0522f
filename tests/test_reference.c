/* The double-precision reference and its gradient against the golden values, which the models' original
 * PyTorch classes computed in float64: the second opinion has to be right itself. */
#include "kernels/half.h"
#include "reference.h"
#include "reference_math.h"
#include "support/golden.h"
#include "support/reference_backward.h"
#include "support/suite.h"
#include "support/tensor_error.h"
#include <math.h>
#include <stdlib.h>

/* The golden gelu_tanh model takes sqrt(2/pi) in float32, 1.6e-8 from the true value that the
 * reference uses. */
static double tolerance(const golden *g, double exact) {
    return g->start.model.shape.activation == GELU_TANH ? 1e-7 : exact;
}

START_TEST(test_logits) {
    golden g;
    golden_open(&g, _i);
    array expected = golden_array(&g, "logits");
    size_t window = expected.count / (size_t)g.batch;
    double *logits = zeros(window, sizeof *logits), worst = 0;
    problem why;
    for (int b = 0; b < g.batch; b++) {
        must(reference_logits(&g.start.model, g.windows[b], g.context, false, NULL, logits, &why), &why);
        for (size_t i = 0; i < window; i++)
            worst = worse_of(worst, fabs(logits[i] - expected.values[(size_t)b * window + i]));
    }
    ck_assert_msg(worst <= tolerance(&g, 1e-10), "%s: logits differ by %g", g.name, worst);
    free(logits);
    free(expected.values);
    golden_close(&g);
}
END_TEST

/* Every half, the middles between neighbours, and what lies just beside them. */
START_TEST(test_halves) {
    for (uint16_t h = 0; h < 0x7bff; h++) {
        double low = half_to_float(h), high = half_to_float((uint16_t)(h + 1)), middle = (low + high) / 2;
        double even = h % 2 ? high : low;
        ck_assert_double_eq(reference_half(low), low);
        ck_assert_double_eq(reference_half(-middle), -even);
        ck_assert_double_eq(reference_half(nextafter(middle, low)), low);
        ck_assert_double_eq(reference_half(nextafter(middle, high)), high);
        ck_assert_double_eq(reference_half_near(middle, low), low);
        ck_assert_double_eq(reference_half_near(middle, high), high);
        ck_assert_double_eq(reference_half_near(low, high), low);
    }
    ck_assert_double_eq(reference_half(nextafter(65520, 0)), 65504);
    ck_assert(isinf(reference_half(65520)) && isinf(reference_half(-1e300)) && isnan(reference_half(NAN)));
}
END_TEST

START_TEST(test_gradient) {
    golden g;
    golden_open(&g, _i);
    array loss = golden_array(&g, "loss");
    double *gradient = zeros(g.start.model.table.floats, sizeof *gradient);
    double found = reference_gradient(&g.start.model, g.batch, g.windows, g.context, NULL, gradient);
    double *expected = golden_block(&g, "grad");
    tensor_error e = block_error(&g.start.model.table, gradient, expected);
    ck_assert_double_eq_tol(found, loss.values[0], tolerance(&g, 1e-10));
    ck_assert_msg(e.relative <= tolerance(&g, 1e-9), "%s: %s differs by %g", g.name, e.worst->name,
                  e.relative);
    ck_assert_msg(e.key_bias <= 1e-15, "%s: a gradient of the keys' bias differs by %g", g.name, e.key_bias);
    free(gradient);
    free(expected);
    free(loss.values);
    golden_close(&g);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("reference");
    tcase_add_loop_test(cases, test_logits, 0, golden_count());
    tcase_add_test(cases, test_halves);
    tcase_add_loop_test(cases, test_gradient, 0, golden_count());
    return suite_run(cases, "reference", 60);
}
