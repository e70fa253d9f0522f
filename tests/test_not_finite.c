/* A checkpoint whose weights are not all finite can be looked at, but gives no text and no proof. */
#include "../infer/command.h"
#include "checkpoint.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <math.h>
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
    must(checkpoint_write(path, &view, &why), &why);
    model_close(&m);
    tokenizer_close(&t);
}

static bool run(const command *c, problem *why) {
    option options[MAX_OPTIONS];
    int n = 0;
    for (; c->options[n].name; n++) options[n] = c->options[n];
    options[n++] = (option){"threads", 0, "N", ""};
    options[n++] = (option){"kernels", 0, "NAME", ""};
    options[n++] = (option){"weights", 0, "TYPE", ""};
    options[n] = (option){NULL, 0, NULL, NULL};
    char name[] = "command", model_path[] = "m.npz";
    arguments a;
    ck_assert_int_lt(n, MAX_OPTIONS);
    must(arguments_parse(&a, 2, (char *[]){name, model_path, NULL}, options, 1, why), why);
    return c->run(&a, why);
}

static void expect_refused(const command *c) {
    problem why = {.exit_status = 0};
    ck_assert(!run(c, &why));
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
        must(run(&info_command, &why), &why);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("not finite");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_test(cases, test_weights_that_are_not_finite);
    return suite_run(cases, "not finite", 30);
}
