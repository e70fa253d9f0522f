/* metrics.csv: what a row looks like, what a resumed run keeps, and that a full disk loses no row. */
#include "metrics.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define HEADER "iter,tokens,train_loss,val_loss,learning_rate,grad_norm,tokens_per_second,gflops\n"

static void expect(const char *content) {
    size_t size;
    char *text = scratch_read("metrics.csv", &size);
    ck_assert_str_eq(text, content);
    free(text);
}

static void expect_after_resume(const char *before, int64_t iteration, const char *after) {
    metrics m;
    problem why;
    scratch_write("metrics.csv", before, strlen(before));
    must(metrics_open(&m, ".", iteration, &why), &why);
    expect(after);
    metrics_close(&m);
}

/* A row of which only the iteration is known. */
static metrics_row bare(int64_t iteration) {
    return (metrics_row){iteration, 0, NAN, NAN, NAN, NAN, NAN, NAN};
}

static bool append_bare(metrics *m, int64_t iteration, problem *why) {
    metrics_row row = bare(iteration);
    return metrics_append(m, &row, why);
}

START_TEST(test_rows) {
    metrics m;
    problem why;
    must(metrics_open(&m, ".", 0, &why), &why);
    metrics_row full = {20, 245760, 1.23456789012, 2.5, 0.001, 0.75, 54321.98, 123.4567}, last = bare(5000);
    last.val_loss = 1.0 / 3;
    must(metrics_append(&m, &full, &why), &why);
    must(metrics_append(&m, &last, &why), &why);
    must(metrics_sync(&m, &why), &why);
    metrics_close(&m);
    expect(HEADER "20,245760,1.23456789,2.5,0.001,0.75,54322,123.457\n"
                  "5000,0,,0.333333333,,,,\n");
}
END_TEST

START_TEST(test_extreme_values_fit_a_row) {
    metrics m;
    problem why;
    metrics_row row = {INT64_MAX,          INT64_MAX,          -1.2345678901e-300, -1.2345678901e-300,
                       -1.2345678901e-300, -1.2345678901e-300, -1.2345678901e-300, -1.2345678901e-300};
    must(metrics_open(&m, ".", 0, &why), &why);
    must(metrics_append(&m, &row, &why), &why);
    metrics_close(&m);
    expect(HEADER
           "9223372036854775807,9223372036854775807,-1.23456789e-300,-1.23456789e-300,-1.23456789e-300,"
           "-1.23456789e-300,-1.23457e-300,-1.23457e-300\n");
}
END_TEST

START_TEST(test_resuming_drops_what_will_come_again) {
    const char *before = HEADER "0,0,4,4,,,,\n10,5,3,,,,,\n20,6,2,2,,,,\n30,7,1,,,,,\n";
    expect_after_resume(before, 20, HEADER "0,0,4,4,,,,\n10,5,3,,,,,\n");
    expect_after_resume(before, 21, HEADER "0,0,4,4,,,,\n10,5,3,,,,,\n20,6,2,2,,,,\n");
    expect_after_resume(before, 0, HEADER);
    expect_after_resume(before, 1000, before);
}
END_TEST

START_TEST(test_a_torn_file_is_mended) {
    expect_after_resume("", 20, HEADER);
    expect_after_resume("iter,tok", 20, HEADER);
    expect_after_resume(HEADER "0,0,4,4,,,,\n1", 20, HEADER "0,0,4,4,,,,\n");
    expect_after_resume(HEADER "0,0,4,4,,,,\n\n\nnonsense\n9,9,,,,,,\n", 20,
                        HEADER "0,0,4,4,,,,\n9,9,,,,,,\n");
}
END_TEST

START_TEST(test_appending_goes_on_after_what_was_kept) {
    metrics m;
    problem why;
    expect_after_resume(HEADER "0,0,4,4,,,,\n10,5,3,,,,,\n", 10, HEADER "0,0,4,4,,,,\n");
    must(metrics_open(&m, ".", 10, &why), &why);
    must(append_bare(&m, 10, &why), &why);
    metrics_close(&m);
    expect(HEADER "0,0,4,4,,,,\n10,0,,,,,,\n");
}
END_TEST

/* No file of this process may grow beyond so many bytes. */
static void limit_files(size_t bytes) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes ? bytes : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(test_a_full_disk_loses_no_row) {
    metrics m;
    problem why;
    signal(SIGXFSZ, SIG_IGN);
    must(metrics_open(&m, ".", 0, &why), &why);
    must(append_bare(&m, 1, &why), &why);
    limit_files(sizeof HEADER - 1 + strlen("1,0,,,,,,\n2,0")); /* the second row will be torn */
    for (int64_t i = 2; i < 60; i++) {
        ck_assert(!append_bare(&m, i, &why));
        ck_assert_int_eq(why.exit_status, 1);
        ck_assert_ptr_nonnull(strstr(why.text, "./metrics.csv: cannot write"));
    }
    ck_assert(!metrics_sync(&m, &why));
    limit_files(0);
    must(metrics_sync(&m, &why), &why);
    must(append_bare(&m, 60, &why), &why);
    metrics_close(&m);
    char content[2048] = HEADER;
    for (int i = 1; i <= 60; i++) sprintf(content + strlen(content), "%d,0,,,,,,\n", i);
    expect(content);
}
END_TEST

START_TEST(test_a_directory_that_is_not_there) {
    metrics m;
    problem why;
    ck_assert(!metrics_open(&m, "nowhere", 0, &why));
    ck_assert_int_eq(why.exit_status, 2);
    metrics_close(&m);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("metrics");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_test(cases, test_rows);
    tcase_add_test(cases, test_extreme_values_fit_a_row);
    tcase_add_test(cases, test_resuming_drops_what_will_come_again);
    tcase_add_test(cases, test_a_torn_file_is_mended);
    tcase_add_test(cases, test_appending_goes_on_after_what_was_kept);
    tcase_add_test(cases, test_a_full_disk_loses_no_row);
    tcase_add_test(cases, test_a_directory_that_is_not_there);
    return suite_run(cases, "metrics", 10);
}
