/* Greedy text three windows long against PyTorch's crop-and-recompute in float64, with the cache and
 * without it. */
#include "generate.h"
#include "support/golden.h"
#include "support/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2 }; /* greedy samples of a batch are all the same text */

static const double NEAR_TIE = 1e-4; /* below this margin another rounding may take the other token */

typedef struct expectation {
    const double *tokens, *margins; /* prompt and continuation; one margin for each new token */
    size_t prompt, count;
} expectation;

/* Compares up to a difference that a near tie excuses; the texts have nothing in common after it. */
static void check_text(const golden *g, const kernels *k, expectation e, const int32_t *found) {
    for (size_t i = 0; i < e.count; i++) {
        if (found[i] == (int32_t)e.tokens[e.prompt + i]) continue;
        ck_assert_msg(e.margins[i] < NEAR_TIE, "%s, %s: token %zu is %d, not %d", g->name, k->name, i,
                      found[i], (int)e.tokens[e.prompt + i]);
        printf("%s, %s: the rest from token %zu skipped: a near tie, margin %g\n", g->name, k->name, i,
               e.margins[i]);
        return;
    }
}

static void generate_and_check(const golden *g, engine *e, expectation x, bool use_cache) {
    int32_t *prompt = zeros(x.prompt, sizeof *prompt), *found = zeros(SAMPLES * x.count, sizeof *found);
    for (size_t i = 0; i < x.prompt; i++) prompt[i] = (int32_t)x.tokens[i];
    generation text = {.prompt = prompt,
                       .prompt_count = x.prompt,
                       .new_tokens = x.count,
                       .samples = SAMPLES,
                       .keep = g->context,
                       .use_cache = use_cache,
                       .sampling = {.temperature = 0, .top_p = 1}};
    problem why;
    must(generate(e, &text, found, NULL, &why), &why);
    check_text(g, e->kernels, x, found);
    ck_assert_mem_eq(found, found + x.count, x.count * sizeof *found);
    free(prompt);
    free(found);
}

static void check_prompts(const golden *g, const kernels *k, const array *tokens, const array *margins) {
    problem why;
    engine e;
    team *t = team_open(1, &why);
    must(t && engine_open(&e, &g->start.model, k, t, SAMPLES * g->context, &why), &why);
    size_t length = tokens->shape[1], count = margins->shape[1];
    for (size_t i = 0; i < tokens->shape[0]; i++) {
        expectation x = {tokens->values + i * length, margins->values + i * count, length - count, count};
        generate_and_check(g, &e, x, true);
        generate_and_check(g, &e, x, false);
    }
    engine_close(&e);
    team_close(t);
}

START_TEST(test_greedy) {
    const kernels *k;
    golden g;
    golden_open(&g, _i);
    array tokens = golden_array(&g, "greedy_tokens"), margins = golden_array(&g, "greedy_margin");
    for (int set = 0; (k = kernel_set(set)); set++) check_prompts(&g, k, &tokens, &margins);
    free(tokens.values);
    free(margins.values);
    golden_close(&g);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("golden greedy");
    tcase_add_loop_test(cases, test_greedy, 0, golden_count());
    return suite_run(cases, "golden greedy", 60);
}
