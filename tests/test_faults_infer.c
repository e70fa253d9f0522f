/* What becomes of sawtooth-infer's commands when the system fails them, as tests/test_faults.c has it for
 * training: the result is the same as ever, or there is one line that says why not; a file that is replaced
 * is the old one or the new one. */
#include "faults/walk.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const program commands[] = {
    {infer_main, {"sawtooth-infer", "generate", "whole", "--prompt-file=prompt.txt", "-n", "12", "--keep=2"}},
    {infer_main, {"sawtooth-infer", "generate", "whole", "--samples=2", "-n", "3", "--no-cache"}},
    {infer_main, {"sawtooth-infer", "convert", "whole", "--weights=int8", "--out=result"}},
    {infer_main, {"sawtooth-infer", "logits", "whole", "--tokens=1,2,3", "--out=result"}},
    {infer_main, {"sawtooth-infer", "eval", "whole", "--text=text.txt", "--weights=f16"}},
    {infer_main, {"sawtooth-infer", "window", "whole", "--text=text.txt", "--json"}},
    {infer_main, {"sawtooth-infer", "info", "whole"}},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char OLD[] = "the file that was there before";

static void prepare(void) {
    static const char recipe[] = "n_layer = 1\nn_head = 1\nn_embd = 4\nblock_size = 4\ndata = text.txt\n"
                                 "out_dir = whole\nmax_iters = 1\nthreads = 1\nkernels = plain\n";
    static const program train = {train_main, {"sawtooth-train", "tiny.conf"}};
    char text[200];
    for (size_t i = 0; i < sizeof text; i++) text[i] = "the quick brown fox\n"[i * i % 20];
    scratch_enter();
    scratch_write("text.txt", text, sizeof text);
    scratch_write("prompt.txt", text, 7);
    scratch_write("tiny.conf", recipe, sizeof recipe - 1);
    outcome o = program_run(&train, NULL, false);
    ck_assert_msg(o.status == 0, "%s", o.err);
    outcome_free(&o);
}

/* The command with two threads and the portable kernels, where it runs a model. */
static program completed(const program *command) {
    program p = *command;
    int n = 0;
    while (p.arguments[n]) n++;
    if (!strcmp(p.arguments[1], "convert") || !strcmp(p.arguments[1], "info")) return p;
    p.arguments[n] = "--threads=2";
    p.arguments[n + 1] = "--kernels=plain";
    return p;
}

static char *expected_out, *expected_file; /* what the command prints and writes when all is well */
static size_t expected_size;

static void learn_what_to_expect(const program *p) {
    scratch_write("result", OLD, strlen(OLD));
    outcome o = program_run(p, NULL, false);
    ck_assert_msg(o.status == 0, "%s", o.err);
    expect_tidy(&o, NULL);
    expected_out = strdup(o.out);
    expected_file = scratch_read("result", &expected_size);
    outcome_free(&o);
}

static void expect_file(bool done, const char *told) {
    size_t size;
    char *bytes = scratch_read("result", &size);
    bool is_new = size == expected_size && !memcmp(bytes, expected_file, size);
    bool is_old = size == strlen(OLD) && !memcmp(bytes, OLD, size);
    ck_assert_msg(is_new || (is_old && !done), "the file is neither the old one nor the new one after: %s",
                  told);
    free(bytes);
}

/* What is said before a speed: that is never the same twice. */
static void expect_text(char *text) {
    static const char speed[] = "tokens_per_second";
    char *expected_end = strstr(expected_out, speed), *end = strstr(text, speed);
    if (expected_end) *expected_end = 0;
    if (end) *end = 0;
    ck_assert_str_eq(text, expected_out);
}

static bool survives(const program *p, const fault *f) {
    scratch_write("result", OLD, strlen(OLD));
    outcome o = program_run(p, f, false);
    bool happened = o.happened;
    ck_assert_msg(happened || o.status == 0, "without a fault: %s", o.err);
    expect_told(&o, p->arguments[0], f);
    expect_tidy(&o, f);
    expect_file(o.status == 0, o.err);
    if (o.status == 0) expect_text(o.out);
    bool may_stay = f->call == CALL_UNLINK || f->call == CALL_LOCK || f->call == CALL_STAT;
    ck_assert(remove("result.tmp") != 0 || may_stay);
    outcome_free(&o);
    return happened;
}

START_TEST(test_a_command) {
    program p = completed(&commands[_i / CALLS]);
    learn_what_to_expect(&p);
    walk(&p, (system_call)(_i % CALLS), survives);
    free(expected_out);
    free(expected_file);
}
END_TEST

START_TEST(test_a_command_that_is_interrupted_all_the_time) {
    program p = completed(&commands[_i]);
    learn_what_to_expect(&p);
    outcome o = program_run(&p, NULL, true);
    ck_assert_msg(o.happened && o.status == 0, "%s", o.err);
    expect_text(o.out);
    expect_file(true, o.err);
    outcome_free(&o);
    free(expected_out);
    free(expected_file);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("faults of infer");
    tcase_add_checked_fixture(cases, prepare, scratch_leave);
    tcase_add_loop_test(cases, test_a_command, 0, COMMANDS * CALLS);
    tcase_add_loop_test(cases, test_a_command_that_is_interrupted_all_the_time, 0, COMMANDS);
    return suite_run(cases, "faults of infer", 60);
}
