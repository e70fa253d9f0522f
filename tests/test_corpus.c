/* Texts and token files: what is read, where it is split, and the one line that each bad input gets. Every
 * test has a directory of its own and names its files without a path. */
#include "corpus.h"
#include "memory.h"
#include "support/suite.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const files[] = {"t.txt", "t.bin", "v.bin", "vocab.txt"};
static char directory[64];
static int home;

static void enter_directory(void) {
    snprintf(directory, sizeof directory, "/tmp/sawtooth-corpus-XXXXXX");
    home = open(".", O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(home, 0);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave_directory(void) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) (void)unlink(files[i]);
    ck_assert_int_eq(fchdir(home), 0);
    ck_assert_int_eq(close(home), 0);
    ck_assert_int_eq(rmdir(directory), 0);
}

static void write_file(const char *path, const void *data, size_t bytes) {
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    ck_assert_int_eq(fclose(f), 0);
}

static void write_text(const char *path, const char *text) {
    write_file(path, text, strlen(text));
}

static corpus_options options(const char *data) {
    return (corpus_options){.data = data, .val_data = "", .vocab = "", .val_fraction = 0.1};
}

static corpus opened(const corpus_options *o) {
    corpus c;
    problem why;
    must(corpus_open(&c, o, &why), &why);
    return c;
}

static void refused(const corpus_options *o, const char *message) {
    corpus c;
    problem why;
    ck_assert(!corpus_open(&c, o, &why));
    ck_assert_str_eq(why.text, message);
    ck_assert_int_eq(why.exit_status, 2);
    ck_assert_ptr_null(c.text_tokens);
    ck_assert_int_eq(c.bin.descriptor, -1);
    ck_assert_ptr_null(c.validation);
    ck_assert_ptr_null(c.tokenizer.chars);
}

static void holds(corpus *c, const int32_t *expected, size_t count) {
    int32_t *tokens = zeros(count, sizeof *tokens);
    ck_assert_uint_eq(c->count, count);
    problem why;
    must(corpus_read(c, 0, count, tokens, &why), &why);
    ck_assert_mem_eq(tokens, expected, count * sizeof *tokens);
    free(tokens);
}

/* ---- Texts ---- */

START_TEST(test_text) {
    write_file("t.txt", "b\r\na\0\xC3\xA9", 7);
    corpus_options o = options("t.txt");
    corpus c = opened(&o);
    ck_assert_int_eq(c.tokenizer.vocab_size, 6);
    holds(&c, (int32_t[]){4, 2, 1, 3, 0, 5}, 6);
    ck_assert_uint_eq(c.train_count, 5);
    corpus_close(&c);
}
END_TEST

START_TEST(test_text_in_a_given_vocabulary) {
    tokenizer vocabulary;
    problem why;
    must(tokenizer_from_chars(&vocabulary, "zyxba", 5, "chars", &why), &why);
    write_text("t.txt", "abba");
    corpus_options o = options("t.txt");
    o.must_use = &vocabulary;
    o.vocab_size = 5;
    corpus c = opened(&o);
    ck_assert(tokenizer_equal(&c.tokenizer, &vocabulary));
    holds(&c, (int32_t[]){4, 3, 3, 4}, 4);
    corpus_close(&c);
    tokenizer_close(&vocabulary);
}
END_TEST

START_TEST(test_refused_texts) {
    tokenizer ab, ids;
    problem why;
    must(tokenizer_from_chars(&ab, "ab", 2, "chars", &why), &why);
    ck_assert(tokenizer_from_ids(&ids, 65));
    const struct {
        const char *text;
        const tokenizer *must_use;
        int64_t vocab_size;
        const char *message;
    } cases[] = {
        {"", NULL, 0, "t.txt: is empty; expected text"},
        {"", &ab, 0, "t.txt: is empty; expected text"},
        {"ab\xE9z", NULL, 0, "t.txt: the byte 0xe9 at byte offset 2 is not UTF-8; expected UTF-8 text"},
        {"ab\xE9z", &ab, 0, "t.txt: the byte 0xe9 at byte offset 2 is not UTF-8; expected UTF-8 text"},
        {"abc", &ab, 0,
         "t.txt: the character U+0063 'c' at byte offset 2 is not among the vocabulary's 2 characters"},
        {"ab", &ids, 0, "t.txt: text where the vocabulary has ids only; expected token ids"},
        {"abc", NULL, 4, "vocab_size is 4 where the vocabulary has 3 tokens; expected 0 or 3"},
        {"ab", &ab, 3, "vocab_size is 3 where the vocabulary has 2 tokens; expected 0 or 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        corpus_options o = options("t.txt");
        o.must_use = cases[i].must_use;
        o.vocab_size = cases[i].vocab_size;
        write_text("t.txt", cases[i].text);
        refused(&o, cases[i].message);
    }
    tokenizer_close(&ab);
}
END_TEST

START_TEST(test_files_that_cannot_be_read) {
    static const struct {
        const char *data, *message;
    } cases[] = {
        {"none.txt", "none.txt: cannot open: No such file or directory"},
        {"none.bin", "none.bin: cannot open: No such file or directory"},
        {".", ".: is a directory, expected a file"},
        {"f.bin", "f.bin: is not a regular file, expected a token file"},
        {"d.bin", "d.bin: is a directory, expected a token file"},
    };
    ck_assert_int_eq(mkdir("d.bin", 0777), 0);
    ck_assert_int_eq(mkfifo("f.bin", 0666), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        corpus_options o = options(cases[i].data);
        refused(&o, cases[i].message);
    }
    ck_assert_int_eq(rmdir("d.bin"), 0);
    ck_assert_int_eq(unlink("f.bin"), 0);
}
END_TEST

/* ---- The split ---- */

static size_t train_count(size_t count, double val_fraction) {
    char *text = zeros(count + 1, 1);
    memset(text, 'a', count);
    write_text("t.txt", text);
    free(text);
    corpus_options o = options("t.txt");
    o.val_fraction = val_fraction;
    corpus c = opened(&o);
    size_t train = c.train_count;
    ck_assert_uint_eq(c.count, count);
    corpus_close(&c);
    return train;
}

START_TEST(test_the_split_is_exact_in_decimals) {
    ck_assert_uint_eq(train_count(1115394, 0.1), 1003854); /* tiny-shakespeare; 111,540 validate */
    ck_assert_uint_eq(train_count(10, 0.9), 1);            /* 10 (1 - 0.9) in double is 0.99... */
    ck_assert_uint_eq(train_count(1000, 0.999), 1);
    ck_assert_uint_eq(train_count(10, 0.1), 9);
    ck_assert_uint_eq(train_count(19, 0.1), 17);
    ck_assert_uint_eq(train_count(7, 0.0), 7);
    ck_assert_uint_eq(train_count(3, 0.5), 1);
    ck_assert_uint_eq(train_count(1, 0.0001), 0);
    ck_assert_uint_eq(train_count(3000, 1.0 / 3), 2000);
    ck_assert_uint_eq(train_count(1000000, 0.000065), 999935);
}
END_TEST

START_TEST(test_every_percentage) {
    for (int percent = 0; percent < 100; percent++)
        ck_assert_uint_eq(train_count(1000, percent / 100.0), (size_t)(1000 - 10 * percent));
}
END_TEST

START_TEST(test_short_splits) {
    write_text("t.txt", "aaaaaaaaaaaaaaaaaaaa"); /* 18 to train on, 2 to validate on */
    corpus_options o = options("t.txt");
    corpus c = opened(&o);
    problem why;
    must(corpus_check_splits(&c, 1, o.data, &why), &why);
    ck_assert(!corpus_check_splits(&c, 2, o.data, &why));
    ck_assert_str_eq(why.text, "t.txt: 2 tokens to validate on; block_size 2 needs at least 3");
    ck_assert(!corpus_check_splits(&c, 18, o.data, &why));
    ck_assert_str_eq(why.text, "t.txt: 18 tokens to train on; block_size 18 needs at least 19");
    ck_assert_int_eq(why.exit_status, 2);
    corpus_close(&c);
}
END_TEST

START_TEST(test_validation_tokens) {
    write_text("t.txt", "abcdefghij");
    corpus_options o = options("t.txt");
    o.val_fraction = 0.3;
    corpus c = opened(&o);
    problem why;
    int32_t *tokens;
    size_t count;
    must(corpus_validation(&c, &tokens, &count, &why), &why);
    ck_assert_uint_eq(count, 3);
    ck_assert_mem_eq(tokens, ((int32_t[]){7, 8, 9}), 12);
    release(tokens);
    corpus_close(&c);
}
END_TEST

/* ---- Token files ---- */

static const uint16_t some_ids[] = {3, 1, 65535, 0, 2, 256};

START_TEST(test_token_file) {
    write_file("t.bin", some_ids, sizeof some_ids);
    corpus_options o = options("t.bin");
    o.val_fraction = 0.5;
    corpus c = opened(&o);
    ck_assert_int_eq(c.tokenizer.vocab_size, 65536);
    ck_assert_ptr_null(c.tokenizer.chars);
    ck_assert_uint_eq(c.train_count, 3);
    holds(&c, (int32_t[]){3, 1, 65535, 0, 2, 256}, 6);
    corpus_close(&c);
    o.vocab_size = 70000; /* larger than any id: a padded vocabulary */
    c = opened(&o);
    ck_assert_int_eq(c.tokenizer.vocab_size, 70000);
    corpus_close(&c);
}
END_TEST

START_TEST(test_token_file_is_little_endian) {
    write_file("t.bin", "\x01\x02\x03\x00", 4);
    corpus_options o = options("t.bin");
    corpus c = opened(&o);
    holds(&c, (int32_t[]){0x201, 3}, 2);
    corpus_close(&c);
}
END_TEST

static void cannot_read(corpus *c, const char *message) {
    int32_t tokens[6];
    problem why;
    ck_assert(!corpus_read(c, 0, 6, tokens, &why));
    ck_assert_str_eq(why.text, message);
}

START_TEST(test_token_file_that_changes) {
    write_file("t.bin", (uint16_t[]){1, 2, 3, 4, 5, 6}, 12);
    corpus_options o = options("t.bin");
    corpus c = opened(&o);
    holds(&c, (int32_t[]){1, 2, 3, 4, 5, 6}, 6);
    write_file("t.bin", (uint16_t[]){1, 2, 3, 7, 5, 6}, 12);
    cannot_read(&c, "t.bin: token 3 (byte offset 6) is id 7; expected ids from 0 to 6");
    write_file("t.bin", (uint16_t[]){1, 2, 3, 0, 5, 6}, 12);
    holds(&c, (int32_t[]){1, 2, 3, 0, 5, 6}, 6);
    write_file("t.bin", (uint16_t[]){1, 2}, 4);
    cannot_read(&c, "t.bin: was cut before token 2 while it was read; it had 6 tokens");
    write_file("t.bin", "", 0);
    cannot_read(&c, "t.bin: was cut before token 0 while it was read; it had 6 tokens");
    corpus_close(&c);
}
END_TEST

static void expect_sum(const token_sum *sum, uint64_t count, uint32_t crc) {
    ck_assert_uint_eq(sum->count, count);
    ck_assert_uint_eq(sum->crc, crc);
}

/* The sums are zlib's of the bytes that Python's struct.pack gives. */
START_TEST(test_sums_of_the_splits) {
    write_text("t.txt", "abcab");
    corpus_options o = options("t.txt");
    o.val_fraction = 0.4;
    corpus c = opened(&o);
    expect_sum(&c.train_sum, 3, 0x1d760e7a);
    expect_sum(&c.validation_sum, 2, 0xdd9eb80c);
    corpus_close(&c);
    write_file("t.bin", (uint16_t[]){1, 2, 3, 65535, 5}, 10);
    o.data = "t.bin";
    c = opened(&o);
    expect_sum(&c.train_sum, 3, 0xfbbae94e);
    expect_sum(&c.validation_sum, 2, 0x3cae1945);
    corpus_close(&c);
    write_file("v.bin", (uint16_t[]){65535, 5}, 4);
    o.val_data = "v.bin";
    c = opened(&o);
    expect_sum(&c.train_sum, 5, 0xd513b0c2);
    expect_sum(&c.validation_sum, 2, 0x3cae1945);
    corpus_close(&c);
}
END_TEST

START_TEST(test_second_token_file) {
    write_file("t.bin", (uint16_t[]){1, 2, 3}, 6);
    write_file("v.bin", (uint16_t[]){9, 8}, 4);
    corpus_options o = options("t.bin");
    o.val_data = "v.bin";
    corpus c = opened(&o);
    int32_t *tokens, middle[3];
    size_t count;
    problem why;
    ck_assert_uint_eq(c.train_count, 3);
    ck_assert_int_eq(c.tokenizer.vocab_size, 10);
    holds(&c, (int32_t[]){1, 2, 3, 9, 8}, 5);
    must(corpus_read(&c, 1, 3, middle, &why), &why);
    ck_assert_mem_eq(middle, ((int32_t[]){2, 3, 9}), sizeof middle);
    must(corpus_validation(&c, &tokens, &count, &why), &why);
    ck_assert_uint_eq(count, 2);
    ck_assert_mem_eq(tokens, ((int32_t[]){9, 8}), 8);
    ck_assert(!corpus_check_splits(&c, 2, o.data, &why));
    ck_assert_str_eq(why.text, "val_data: 2 tokens to validate on; block_size 2 needs at least 3");
    release(tokens);
    corpus_close(&c);
}
END_TEST

START_TEST(test_vocabulary_file) {
    write_file("t.bin", (uint16_t[]){2, 0, 1}, 6);
    write_text("vocab.txt", "x\xC3\xA9y");
    corpus_options o = options("t.bin");
    o.vocab = "vocab.txt";
    corpus c = opened(&o);
    char text[16];
    ck_assert_int_eq(c.tokenizer.vocab_size, 3);
    tokenizer_text(&c.tokenizer, 1, text);
    ck_assert_str_eq(text, "\xC3\xA9");
    o.must_use = &c.tokenizer;
    corpus again = opened(&o);
    ck_assert(tokenizer_equal(&again.tokenizer, &c.tokenizer));
    o.vocab = "";
    corpus third = opened(&o);
    ck_assert(tokenizer_equal(&third.tokenizer, &c.tokenizer));
    corpus_close(&third);
    corpus_close(&again);
    corpus_close(&c);
}
END_TEST

START_TEST(test_refused_token_files) {
    static const struct {
        const char *bytes;
        size_t count;
        const char *message;
    } cases[] = {
        {"", 0, "t.bin: is empty; expected token ids"},
        {"\1", 1, "t.bin: is 1 byte long; expected an even number, two for each token id"},
        {"\1\0\2", 3, "t.bin: is 3 bytes long; expected an even number, two for each token id"},
        {"\1\0\2\0\3\0", 6, "t.bin: token 2 (byte offset 4) is id 3; expected ids from 0 to 2"},
        {"\0\1\2\0\3\0", 6, "t.bin: token 0 (byte offset 0) is id 256; expected ids from 0 to 2"},
    };
    corpus_options o = options("t.bin");
    o.vocab_size = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("t.bin", cases[i].bytes, cases[i].count);
        refused(&o, cases[i].message);
    }
}
END_TEST

START_TEST(test_refused_second_files) {
    corpus_options o = options("t.bin");
    o.val_data = "v.bin";
    o.vocab_size = 3;
    write_file("t.bin", "\1\0", 2);
    refused(&o, "v.bin: cannot open: No such file or directory");
    write_file("v.bin", "\1\0\3\0", 4);
    refused(&o, "v.bin: token 1 (byte offset 2) is id 3; expected ids from 0 to 2");
    write_file("v.bin", "\1", 1);
    refused(&o, "v.bin: is 1 byte long; expected an even number, two for each token id");
}
END_TEST

START_TEST(test_refused_vocabulary_files) {
    tokenizer xy;
    problem why;
    must(tokenizer_from_chars(&xy, "xy", 2, "chars", &why), &why);
    write_file("t.bin", "\2\0", 2);
    corpus_options o = options("t.bin");
    o.vocab = "vocab.txt";
    refused(&o, "vocab.txt: cannot open: No such file or directory");
    write_text("vocab.txt", "");
    refused(&o, "vocab.txt: no characters; expected at least one");
    write_text("vocab.txt", "xyx");
    refused(&o, "vocab.txt: the character U+0078 at byte offset 2 is there twice; expected each once");
    write_text("vocab.txt", "xy");
    refused(&o, "t.bin: token 0 (byte offset 0) is id 2; expected ids from 0 to 1");
    o.vocab_size = 3;
    refused(&o, "vocab_size is 3 where the vocabulary has 2 tokens; expected 0 or 2");
    o.vocab_size = 0;
    o.must_use = &xy;
    write_text("vocab.txt", "yx");
    refused(&o, "vocab.txt: is not the vocabulary of the checkpoint; expected its 2 tokens");
    o.vocab = "";
    refused(&o, "t.bin: token 0 (byte offset 0) is id 2; expected ids from 0 to 1");
    tokenizer_close(&xy);
}
END_TEST

/* Beyond 32 bits of bytes and of tokens. The file is a hole but for its last token. */
START_TEST(test_token_file_of_five_gigabytes) {
    const off_t bytes = 5000000000;
    const uint16_t last = 40000;
    int f = open("t.bin", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ck_assert_int_ge(f, 0);
    ck_assert_int_eq(pwrite(f, &last, sizeof last, bytes - 2), 2);
    ck_assert_int_eq(close(f), 0);
    corpus_options o = options("t.bin");
    corpus c = opened(&o);
    int32_t end[3];
    ck_assert_uint_eq(c.count, 2500000000);
    ck_assert_uint_eq(c.train_count, 2250000000);
    ck_assert_int_eq(c.tokenizer.vocab_size, 40001);
    problem why;
    must(corpus_read(&c, c.count - 3, 3, end, &why), &why);
    ck_assert_mem_eq(end, ((int32_t[]){0, 0, 40000}), sizeof end);
    f = open("t.bin", O_WRONLY);
    ck_assert_int_eq(pwrite(f, (uint16_t[]){50000}, 2, bytes - 2), 2);
    ck_assert_int_eq(close(f), 0);
    ck_assert(!corpus_read(&c, c.count - 3, 3, end, &why));
    ck_assert_str_eq(
        why.text,
        "t.bin: token 2499999999 (byte offset 4999999998) is id 50000; expected ids from 0 to 40000");
    corpus_close(&c);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("corpus");
    tcase_add_checked_fixture(cases, enter_directory, leave_directory);
    tcase_add_test(cases, test_text);
    tcase_add_test(cases, test_text_in_a_given_vocabulary);
    tcase_add_test(cases, test_refused_texts);
    tcase_add_test(cases, test_files_that_cannot_be_read);
    tcase_add_test(cases, test_the_split_is_exact_in_decimals);
    tcase_add_test(cases, test_every_percentage);
    tcase_add_test(cases, test_short_splits);
    tcase_add_test(cases, test_validation_tokens);
    tcase_add_test(cases, test_token_file);
    tcase_add_test(cases, test_token_file_is_little_endian);
    tcase_add_test(cases, test_token_file_that_changes);
    tcase_add_test(cases, test_sums_of_the_splits);
    tcase_add_test(cases, test_second_token_file);
    tcase_add_test(cases, test_vocabulary_file);
    tcase_add_test(cases, test_refused_token_files);
    tcase_add_test(cases, test_refused_second_files);
    tcase_add_test(cases, test_refused_vocabulary_files);
    tcase_add_test(cases, test_token_file_of_five_gigabytes);
    return suite_run(cases, "corpus", 120);
}
