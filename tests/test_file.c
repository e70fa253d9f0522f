/* The file layer: whole files, replacement that leaves the old file or the new one, and what failures say. */
#include "file.h"
#include "memory.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect(const problem *why, int exit_status, const char *text) {
    ck_assert_str_eq(why->text, text);
    ck_assert_int_eq(why->exit_status, exit_status);
}

static void expect_file(const char *path, const char *text) {
    size_t size;
    problem why;
    char *bytes = file_load(path, &size, &why);
    must(bytes, &why);
    ck_assert_uint_eq(size, strlen(text));
    ck_assert_str_eq(bytes, text);
    release(bytes);
}

START_TEST(test_a_file_is_read_whole) {
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 1 << 20};
    size_t size = sizes[_i], got;
    char *bytes = zeros(size + 1, 1);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 31 + i / 256);
    scratch_write("f", bytes, size);
    problem why;
    char *loaded = file_load("f", &got, &why);
    must(loaded, &why);
    ck_assert_uint_eq(got, size);
    ck_assert_mem_eq(loaded, bytes, size + 1);
    release(loaded);
    free(bytes);
}
END_TEST

/* A pipe has no size, and gives what it has in pieces. */
START_TEST(test_a_pipe_is_read_whole) {
    enum { PIECES = 3000 };
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    if (fork() == 0) {
        int out = open("pipe", O_WRONLY);
        for (int i = 0; i < PIECES; i++)
            if (write(out, "a piece of text\n", 16) != 16) _exit(1);
        _exit(0);
    }
    size_t size;
    problem why;
    char *text = file_load("pipe", &size, &why);
    must(text, &why);
    ck_assert_uint_eq(size, 16 * PIECES);
    for (size_t i = 0; i < size; i += 16) ck_assert_mem_eq(text + i, "a piece of text\n", 16);
    ck_assert_int_eq(text[size], 0);
    release(text);
    ck_assert_int_gt(wait(NULL), 0);
}
END_TEST

START_TEST(test_a_file_that_cannot_be_read_is_bad_input) {
    size_t size;
    problem why;
    ck_assert_ptr_null(file_load("none", &size, &why));
    expect(&why, 2, "none: cannot open: No such file or directory");
    ck_assert_ptr_null(file_load(".", &size, &why));
    expect(&why, 2, ".: is a directory, expected a file");
    scratch_write("f", "", 0);
    ck_assert_ptr_null(file_load("f/g", &size, &why));
    expect(&why, 2, "f/g: cannot open: Not a directory");
}
END_TEST

START_TEST(test_replacing_makes_and_replaces) {
    problem why;
    must(file_replace("f", "old", 3, &why), &why);
    expect_file("f", "old");
    must(file_replace("f", "new and longer", 14, &why), &why);
    expect_file("f", "new and longer");
    must(file_replace("./f", "", 0, &why), &why);
    expect_file("f", "");
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_giving_up_leaves_the_old_file) {
    problem why;
    replacement r;
    must(file_replace("f", "old", 3, &why), &why);
    must(replacement_open(&r, "f", &why) && file_write(&r.file, "half", 4, &why), &why);
    expect_file("f", "old");
    run_failed(&why, "what the caller says");
    ck_assert(!replacement_finish(&r, false, &why));
    expect(&why, 1, "what the caller says");
    expect_file("f", "old");
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

/* A killed process leaves its temporary file: the next one takes it over. */
START_TEST(test_a_temporary_file_that_was_left_is_no_obstacle) {
    problem why;
    scratch_write("f.tmp", "left by a killed process", 24);
    must(file_replace("f", "new", 3, &why), &why);
    expect_file("f", "new");
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_one_writer_at_a_time) {
    problem why;
    replacement first, second;
    must(replacement_open(&first, "f", &why), &why);
    ck_assert(!replacement_open(&second, "f", &why));
    expect(&why, 1, "f: another process is writing it");
    must(file_write(&first.file, "first", 5, &why), &why);
    must(replacement_finish(&first, true, &why), &why);
    expect_file("f", "first");
    must(file_replace("f", "second", 6, &why), &why);
    expect_file("f", "second");
}
END_TEST

/* Even where the temporary file was taken away and made again under a writer's hands. */
START_TEST(test_a_writer_moves_its_own_file_alone) {
    problem why;
    replacement first, second;
    must(file_replace("f", "old", 3, &why), &why);
    must(replacement_open(&first, "f", &why), &why);
    ck_assert(!replacement_tidy("f", &why));
    expect(&why, 1, "f: another process is writing it");
    ck_assert_int_eq(unlink("f.tmp"), 0);
    must(replacement_open(&second, "f", &why) && file_write(&second.file, "half", 4, &why), &why);
    ck_assert(!replacement_finish(&first, true, &why));
    expect(&why, 1, "f: cannot replace: f.tmp was removed");
    expect_file("f", "old");
    must(file_write(&second.file, ", whole", 7, &why), &why);
    must(replacement_finish(&second, true, &why), &why);
    expect_file("f", "half, whole");
    scratch_write("f.tmp", "left", 4);
    must(replacement_tidy("f", &why) && replacement_tidy("f", &why), &why);
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_what_stands_in_the_way_is_left_alone) {
    problem why;
    scratch_write("other", "another's", 9);
    ck_assert_int_eq(symlink("other", "f.tmp"), 0);
    ck_assert(!file_replace("f", "x", 1, &why));
    expect(&why, 2, "f.tmp: not a regular file, and in the way of writing f");
    expect_file("other", "another's");
    ck_assert_int_eq(unlink("f.tmp") || mkfifo("f.tmp", 0600), 0);
    for (int reader = -1; reader < 0; reader = open("f.tmp", O_RDONLY | O_NONBLOCK)) {
        ck_assert(!file_replace("f", "x", 1, &why));
        expect(&why, 2, "f.tmp: not a regular file, and in the way of writing f");
    }
    ck_assert(!file_replace("f", "x", 1, &why)); /* now that somebody reads it, it opens */
    expect(&why, 2, "f.tmp: not a regular file, and in the way of writing f");
    ck_assert_int_eq(scratch_count(), 2);
}
END_TEST

START_TEST(test_a_link_leads_to_the_new_file) {
    problem why;
    ck_assert_int_eq(mkdir("d", 0700) || symlink("d/f", "link"), 0);
    scratch_write("d/f", "old", 3);
    must(file_replace("link", "new", 3, &why), &why);
    struct stat status;
    ck_assert(lstat("link", &status) == 0 && S_ISLNK(status.st_mode));
    expect_file("d/f", "new");
    scratch_write("d/f.tmp", "left", 4);
    must(replacement_tidy("link", &why), &why);
    ck_assert_int_eq(unlink("d/f") || rmdir("d"), 0);
    ck_assert(!file_replace("link", "x", 1, &why));
    expect(&why, 2, "link: a link to nothing");
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

/* As a full disk does it: a limit on the file's size. */
START_TEST(test_a_write_that_fails_leaves_the_old_file) {
    enum { LIMIT = 10000 };
    problem why;
    char *bytes = zeros(2 * LIMIT, 1);
    must(file_replace("f", "old", 3, &why), &why);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT, LIMIT}), 0);
    ck_assert(!file_replace("f", bytes, 2 * LIMIT, &why));
    expect(&why, 1, "f: cannot write: File too large");
    expect_file("f", "old");
    ck_assert_int_eq(scratch_count(), 1);
    free(bytes);
}
END_TEST

START_TEST(test_what_is_no_file_is_not_replaced) {
    problem why;
    ck_assert_int_eq(mkdir("d", 0700), 0);
    ck_assert(!file_replace("d", "x", 1, &why));
    expect(&why, 2, "d: not a regular file, will not be replaced");
    ck_assert(!file_replace("/dev/null", "x", 1, &why));
    expect(&why, 2, "/dev/null: not a regular file, will not be replaced");
    ck_assert(!file_replace("none/f", "x", 1, &why));
    expect(&why, 2, "none/f: cannot open: No such file or directory");
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_updating_keeps_what_is_there) {
    file f;
    problem why;
    scratch_write("f", "0123456789", 10);
    must(file_open(&f, "f", FILE_UPDATE, &why), &why);
    must(file_seek(&f, 4, &why) && file_write(&f, "ab", 2, &why), &why);
    must(file_sync(&f, &why) && file_close(&f, &why), &why);
    expect_file("f", "0123ab6789");
    must(file_close(&f, &why), &why);
    must(file_open(&f, "f", FILE_CREATE, &why) && file_close(&f, &why), &why);
    expect_file("f", "");
}
END_TEST

START_TEST(test_reading_stops_at_the_end) {
    file f;
    problem why;
    char bytes[8];
    size_t got = 0;
    uint64_t size = 0;
    scratch_write("f", "0123456789", 10);
    must(file_open(&f, "f", FILE_READ, &why) && file_size(&f, &size, &why), &why);
    ck_assert_uint_eq(size, 10);
    must(file_seek(&f, 6, &why) && file_read(&f, bytes, sizeof bytes, &got, &why), &why);
    ck_assert_uint_eq(got, 4);
    ck_assert_mem_eq(bytes, "6789", 4);
    must(file_read(&f, bytes, sizeof bytes, &got, &why), &why);
    ck_assert_uint_eq(got, 0);
    ck_assert(!file_write(&f, "x", 1, &why));
    expect(&why, 1, "f: cannot write: Bad file descriptor");
    ck_assert(!file_seek(&f, UINT64_MAX, &why));
    expect(&why, 1, "f: cannot seek: Value too large for defined data type");
    file_drop(&f);
}
END_TEST

START_TEST(test_one_lock_at_a_time) {
    file a, b;
    problem why;
    must(file_open(&a, "lock", FILE_UPDATE, &why) && file_open(&b, "lock", FILE_UPDATE, &why), &why);
    bool taken;
    ck_assert(file_lock(&a, &taken, &why) && taken);
    ck_assert(file_lock(&b, &taken, &why) && !taken);
    file_drop(&a);
    ck_assert(file_lock(&b, &taken, &why) && taken);
    file_drop(&b);
}
END_TEST

START_TEST(test_removing) {
    problem why;
    scratch_write("f", "", 0);
    must(file_remove("f", &why), &why);
    ck_assert(!file_exists("f"));
    must(file_remove("f", &why), &why);
    ck_assert(!file_remove(".", &why));
    ck_assert_int_eq(why.exit_status, 1);
}
END_TEST

START_TEST(test_directories_are_made_with_those_above) {
    static const char *const paths[] = {"a", "a/b/c", "d/e/", "./f//g", "a/b/c", "."};
    problem why;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        must(file_make_directory(paths[i], &why), &why);
        ck_assert(file_is_directory(paths[i]));
    }
    scratch_write("file", "", 0);
    ck_assert(!file_is_directory("file") && !file_is_directory("none"));
    ck_assert(!file_make_directory("file", &why));
    expect(&why, 1, "file: cannot make the directory: File exists");
    ck_assert(!file_make_directory("file/x", &why));
    expect(&why, 1, "file/x: cannot make the directory: Not a directory");
    ck_assert(!file_make_directory("", &why));
    expect(&why, 1, ": cannot make the directory: No such file or directory");
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("file");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_loop_test(cases, test_a_file_is_read_whole, 0, 6);
    tcase_add_test(cases, test_a_pipe_is_read_whole);
    tcase_add_test(cases, test_a_file_that_cannot_be_read_is_bad_input);
    tcase_add_test(cases, test_replacing_makes_and_replaces);
    tcase_add_test(cases, test_giving_up_leaves_the_old_file);
    tcase_add_test(cases, test_a_temporary_file_that_was_left_is_no_obstacle);
    tcase_add_test(cases, test_one_writer_at_a_time);
    tcase_add_test(cases, test_a_writer_moves_its_own_file_alone);
    tcase_add_test(cases, test_what_stands_in_the_way_is_left_alone);
    tcase_add_test(cases, test_a_link_leads_to_the_new_file);
    tcase_add_test(cases, test_a_write_that_fails_leaves_the_old_file);
    tcase_add_test(cases, test_what_is_no_file_is_not_replaced);
    tcase_add_test(cases, test_updating_keeps_what_is_there);
    tcase_add_test(cases, test_reading_stops_at_the_end);
    tcase_add_test(cases, test_one_lock_at_a_time);
    tcase_add_test(cases, test_removing);
    tcase_add_test(cases, test_directories_are_made_with_those_above);
    return suite_run(cases, "file", 20);
}
