/* What becomes of a run when the system fails it: the n-th call of each kind fails, for n = 1, 2, ... until
 * none is left. Each time the program says in one line what went wrong, or goes on with a warning; keeps
 * neither memory nor descriptors; leaves no half-written file; and the run goes on from what is there to the
 * bytes of a run that nothing has disturbed. */
#include "faults/walk.h"
#include "file.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char TINY[] = "n_layer = 1\nn_head = 1\nn_embd = 4\nblock_size = 4\ndata = text.txt\n"
                           "batch_size = 2\nmax_iters = 4\nlr_decay_iters = 4\nwarmup_iters = 0\n"
                           "learning_rate = 1e-2\neval_interval = 2\nlog_interval = 1\n"
                           "sample_tokens = 2\nthreads = 1\nkernels = plain\n";
static const program fresh = {train_main, {"sawtooth-train", "tiny.conf"}};
static const program resume = {train_main, {"sawtooth-train", "--resume", "out", "--max_iters=4"}};

static const char *const run_files[] = {"last.npz", "best.npz", "config.conf", "metrics.csv"};
enum { RUN_FILES = sizeof run_files / sizeof *run_files };

/* ---- Files ---- */

static void copy(const char *from, const char *to) {
    size_t size;
    char *bytes = scratch_read(from, &size);
    scratch_write(to, bytes, size);
    free(bytes);
}

static bool is_there(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

/* A copy of a run's directory in place of another; `from` NULL: no directory. */
static void copy_run(const char *from, const char *to) {
    char source[64], target[64];
    for (int i = 0; i < RUN_FILES; i++) {
        snprintf(target, sizeof target, "%s/%s", to, run_files[i]);
        remove(target);
    }
    snprintf(target, sizeof target, "%s/lock", to);
    remove(target);
    remove(to);
    if (!from) return;
    ck_assert_int_eq(mkdir(to, 0777), 0);
    for (int i = 0; i < RUN_FILES; i++) {
        snprintf(source, sizeof source, "%s/%s", from, run_files[i]);
        snprintf(target, sizeof target, "%s/%s", to, run_files[i]);
        copy(source, target);
    }
}

static void expect_same(const char *name, const char *told) {
    char path[64], expected[64];
    size_t size, expected_size;
    snprintf(path, sizeof path, "out/%s", name);
    snprintf(expected, sizeof expected, "whole/%s", name);
    char *bytes = scratch_read(path, &size), *wanted = scratch_read(expected, &expected_size);
    ck_assert_msg(size == expected_size && !memcmp(bytes, wanted, size), "%s differs after: %s", path, told);
    free(bytes);
    free(wanted);
}

/* A file that may be another process's stays. */
static void expect_no_temporary(const char *directory, const fault *f) {
    if (f->call == CALL_LOCK || f->call == CALL_STAT || f->call == CALL_UNLINK) return;
    DIR *d = opendir(directory);
    if (!d) return;
    for (struct dirent *entry; (entry = readdir(d));)
        ck_assert_msg(!strstr(entry->d_name, ".tmp"), "left: %s/%s", directory, entry->d_name);
    closedir(d);
}

/* ---- Training ---- */

static void must_run(const program *p) {
    outcome o = program_run(p, NULL, false);
    ck_assert_msg(o.status == 0, "exit status %d: %s", o.status, o.err);
    expect_tidy(&o, NULL);
    outcome_free(&o);
}

/* whole: the run that nothing disturbs; half: one that has come to its middle. */
static void prepare(void) {
    static const program first_half = {train_main, {"sawtooth-train", "tiny.conf", "--max_iters=2"}};
    char text[600];
    for (size_t i = 0; i < sizeof text; i++) text[i] = "the quick brown fox\n"[i * i % 20];
    scratch_enter();
    scratch_write("text.txt", text, sizeof text);
    scratch_write("tiny.conf", TINY, strlen(TINY));
    must_run(&first_half);
    copy_run("out", "half");
    copy_run(NULL, "out");
    must_run(&fresh);
    copy_run("out", "whole");
}

static void expect_whole(const char *told) {
    expect_same("last.npz", told);
    expect_same("best.npz", told);
}

/* From whatever the failure has left, the run goes on as if nothing had happened. */
static void expect_to_go_on(const char *told) {
    outcome o = program_run(is_there("out/config.conf") ? &resume : &fresh, NULL, false);
    ck_assert_msg(o.status == 0, "does not go on: %s\nafter: %s", o.err, told);
    expect_whole(told);
    outcome_free(&o);
}

static bool training_survives(const program *p, const fault *f) {
    copy_run(p == &resume ? "half" : NULL, "out");
    outcome o = program_run(p, f, false);
    bool happened = o.happened;
    ck_assert_msg(happened || o.status == 0, "without a fault: %s", o.err);
    expect_told(&o, "sawtooth-train", f);
    expect_tidy(&o, f);
    expect_no_temporary("out", f);
    if (o.status == 0)
        expect_whole(o.err);
    else
        expect_to_go_on(o.err);
    outcome_free(&o);
    return happened;
}

START_TEST(test_a_fresh_run) {
    walk(&fresh, (system_call)_i, training_survives);
}
END_TEST

START_TEST(test_a_resumed_run) {
    walk(&resume, (system_call)_i, training_survives);
}
END_TEST

/* Where both checkpoints are lost at a run's end, it is the one to go on from that is told last.
 * (config.conf, metrics.csv and the directory are synced before.) */
START_TEST(test_the_loss_of_last_is_told) {
    const fault no_disk = {.call = CALL_SYNC, .first = 5, .last = LONG_MAX, .error = EIO};
    copy_run(NULL, "out");
    outcome o = program_run(&fresh, &no_disk, false);
    const char *told = strstr(o.err, "\nsawtooth-train: out/");
    ck_assert_int_eq(o.status, 1);
    ck_assert_msg(told &&
                      !strcmp(told + 1, "sawtooth-train: out/last.npz: cannot sync: Input/output error\n"),
                  "%s", o.err);
    expect_tidy(&o, &no_disk);
    outcome_free(&o);
}
END_TEST

/* Signals and short transfers are no failures. */
START_TEST(test_a_run_that_is_interrupted_all_the_time) {
    const program *runs[] = {&fresh, &resume};
    for (int i = 0; i < 2; i++) {
        copy_run(i ? "half" : NULL, "out");
        outcome o = program_run(runs[i], NULL, true);
        ck_assert_msg(o.happened && o.status == 0, "%s", o.err);
        ck_assert_ptr_null(strstr(o.err, "warning"));
        expect_tidy(&o, NULL);
        for (int name = 0; name < RUN_FILES - 1; name++) expect_same(run_files[name], o.err);
        outcome_free(&o);
    }
}
END_TEST

/* ---- Token files, and another model to start from ---- */

static const program on_tokens = {train_main,
                                  {"sawtooth-train", "tiny.conf", "--data=train.bin", "--val_data=val.bin",
                                   "--vocab=vocab.txt", "--init_from=whole", "--max_iters=0",
                                   "--sample_tokens=0", "--out_dir=tokens"}};

static bool start_survives(const program *p, const fault *f) {
    copy_run(NULL, "tokens");
    outcome o = program_run(p, f, false);
    bool happened = o.happened;
    ck_assert_msg(happened || o.status == 0, "without a fault: %s", o.err);
    expect_told(&o, "sawtooth-train", f);
    expect_tidy(&o, f);
    expect_no_temporary("tokens", f);
    outcome_free(&o);
    return happened;
}

START_TEST(test_a_start_from_token_files_and_another_model) {
    uint16_t ids[200];
    for (int i = 0; i < 200; i++) ids[i] = (uint16_t)(i * i % 6);
    scratch_write("train.bin", ids, sizeof ids);
    scratch_write("val.bin", ids, sizeof ids / 2);
    scratch_write("vocab.txt", " fhqtu", 6);
    walk(&on_tokens, (system_call)_i, start_survives);
}
END_TEST

/* A power cut, which no test can make, keeps what was synced: the bytes before the name leads to them, then
 * the name. */
START_TEST(test_a_replacement_is_on_the_disk_when_it_is_done) {
    char trace[200];
    problem why;
    faults_trace(trace, sizeof trace);
    bool done = file_replace("new", "bytes", 5, &why);
    faults_end();
    must(done, &why);
    ck_assert_str_eq(trace, "open write sync rename close open sync close ");
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("faults");
    tcase_add_checked_fixture(cases, prepare, scratch_leave);
    tcase_add_loop_test(cases, test_a_fresh_run, 0, CALLS);
    tcase_add_loop_test(cases, test_a_resumed_run, 0, CALLS);
    tcase_add_test(cases, test_the_loss_of_last_is_told);
    tcase_add_test(cases, test_a_run_that_is_interrupted_all_the_time);
    tcase_add_test(cases, test_a_replacement_is_on_the_disk_when_it_is_done);
    tcase_add_loop_test(cases, test_a_start_from_token_files_and_another_model, 0, CALLS);
    return suite_run(cases, "faults", 60);
}
