/* A checkpoint whose weights are not all finite can be looked at, but gives no text and no proof; and weights
 * that would not be finite as halves are not made halves. */
#include "../infer/command.h"
#include "checkpoint.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_checkpoint(const char *path, float weight) {
    const shape s = {
        .n_layer = 2, .n_head = 1, .n_embd = 4, .block_size = 4, .vocab_size = 3, .tie_weights = true};
    problem why;
    model m;
    tokenizer t;
    must(model_open(&m, &s, &why), &why);
    model_init(&m, 1, 0.02, false);
    m.w.layers[1].fc.weight[2] = weight;
    ck_assert(tokenizer_from_ids(&t, s.vocab_size));
    checkpoint_view view = {.shape = &m.shape, .table = &m.table, .block = m.block, .tokenizer = &t};
    must(checkpoint_write(path, &view, NULL, &why), &why);
    model_close(&m);
    tokenizer_close(&t);
}

static bool run(const command *c, const char *type, problem *why) {
    option options[MAX_OPTIONS];
    int n = 0;
    for (; c->options[n].name; n++) options[n] = c->options[n];
    options[n++] = (option){"threads", 0, "N", ""};
    options[n++] = (option){"kernels", 0, "NAME", ""};
    options[n++] = (option){"cache", 0, "TYPE", ""};
    options[n++] = (option){"weights", 0, "TYPE", ""};
    options[n] = (option){NULL, 0, NULL, NULL};
    char name[] = "command", model_path[] = "m.npz", option_text[32];
    arguments a;
    ck_assert_int_lt(n, MAX_OPTIONS);
    snprintf(option_text, sizeof option_text, "--weights=%s", type);
    must(arguments_parse(&a, 3, (char *[]){name, model_path, option_text, NULL}, options, 1, why), why);
    return c->run(&a, why);
}

static void expect_refused(const command *c) {
    problem why = {.exit_status = 0};
    ck_assert(!run(c, "f32", &why));
    ck_assert_int_eq(why.exit_status, 2);
    ck_assert_str_eq(why.text, "m.npz: transformer.h.1.mlp.c_fc.weight holds a number that is not finite");
}

START_TEST(test_weights_that_are_not_finite) {
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        problem why = {.exit_status = 0};
        write_checkpoint("m.npz", bad[i]);
        expect_refused(&generate_command);
        expect_refused(&check_command);
        must(run(&info_command, "f32", &why), &why);
    }
}
END_TEST

START_TEST(test_weights_that_no_half_holds) {
    problem why = {.exit_status = 0};
    write_checkpoint("m.npz", 65519);
    must(run(&info_command, "f16", &why), &why);
    write_checkpoint("m.npz", -65520);
    must(run(&info_command, "int8", &why), &why);
    ck_assert(!run(&info_command, "f16", &why));
    ck_assert_int_eq(why.exit_status, 2);
    ck_assert_str_eq(why.text,
                     "m.npz: transformer.h.1.mlp.c_fc.weight holds a number too large for f16 weights");
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("not finite");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_test(cases, test_weights_that_are_not_finite);
    tcase_add_test(cases, test_weights_that_no_half_holds);
    return suite_run(cases, "not finite", 30);
}
