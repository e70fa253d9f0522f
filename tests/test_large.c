/* Sizes, offsets and token numbers beyond 2^31 and 2^32. What needs gigabytes of memory or of the disk's
 * cache is for `make test-long`, which sets LONG_TESTS. */
#include "../infer/command.h"
#include "../infer/named_shape.h"
#include "batches.h"
#include "checkpoint.h"
#include "corpus.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GPT2_XL = 3 }; /* among the named shapes */

/* What Hugging Face's GPT2LMHeadModel counts; nanoGPT's by hand: 6 (12 384^2 + 2 384) + (65 + 256 + 1) 384.
 */
START_TEST(test_the_parameters_of_named_shapes) {
    static const size_t counts[] = {124439808, 354823168, 774030080, 1557611200, 10745088};
    for (int i = 0; shape_names[i]; i++) {
        shape s = named_shape(i);
        parameter_table t;
        problem why;
        must(shape_check(&s, &why) && parameter_table_open(&t, &s, &why), &why);
        ck_assert_msg(t.elements == counts[i], "%s has %zu parameters", shape_names[i], t.elements);
        parameter_table_close(&t);
    }
}
END_TEST

START_TEST(test_a_table_of_more_than_32_bits) {
    const shape s = {.n_layer = 100,
                     .n_head = 128,
                     .n_embd = 16384,
                     .block_size = 8192,
                     .vocab_size = 65536,
                     .tie_weights = true};
    parameter_table t;
    problem why;
    must(shape_check(&s, &why) && parameter_table_open(&t, &s, &why), &why);
    ck_assert_uint_eq(t.elements, 12 * 16384ull * 16384 * 100 + 16384ull * (65536 + 8192) + 16384ull * 201);
    for (size_t i = 1; i < t.count; i++) {
        const parameter *before = &t.list[i - 1];
        ck_assert_uint_eq(t.list[i].offset, before->offset + (size_t)before->rows * before->stride);
    }
    parameter_table_close(&t);
}
END_TEST

/* Pages of zeros that take no memory: the model is compressed to a few megabytes. */
static float *zeros_without_memory(size_t floats) {
    void *pages =
        mmap(NULL, floats * sizeof(float), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    return pages;
}

static bool run_info(const char *path, problem *why) {
    static const option options[] = {{"threads", 0, "N", ""},
                                     {"kernels", 0, "NAME", ""},
                                     {"cache", 0, "TYPE", ""},
                                     {"weights", 0, "TYPE", ""},
                                     {NULL, 0, NULL, NULL}};
    char name[] = "info", model_path[64];
    arguments a;
    snprintf(model_path, sizeof model_path, "%s", path);
    return arguments_parse(&a, 2, (char *[]){name, model_path, NULL}, options, 1, why) &&
           info_command.run(&a, why);
}

START_TEST(test_a_checkpoint_of_gpt2_xl) {
    const shape s = named_shape(GPT2_XL);
    parameter_table t;
    tokenizer ids;
    problem why;
    must(parameter_table_open(&t, &s, &why), &why);
    ck_assert(tokenizer_from_ids(&ids, s.vocab_size));
    checkpoint_view view = {
        .shape = &s, .table = &t, .block = zeros_without_memory(t.floats), .tokenizer = &ids};
    must(checkpoint_write("xl.npz", &view, NULL, &why), &why);
    parameter_table_close(&t);
    ck_assert_ptr_nonnull(freopen("info.txt", "w", stdout));
    must(run_info("xl.npz", &why), &why);
    fflush(stdout);
    ck_assert_int_eq(system("grep -q '^580 tensors, 1557611200 parameters: 6230.4 MB as float32' info.txt"),
                     0);
}
END_TEST

enum { PATTERN = 1000 };

/* Zeros but for the ids 1 .. 7 here and there. */
static void put_tokens(FILE *f, uint64_t at, int32_t expected[PATTERN]) {
    uint16_t ids[PATTERN];
    for (int i = 0; i < PATTERN; i++)
        ids[i] = (uint16_t)(expected[i] = (int32_t)(at / 7 + (uint64_t)i * 13) % 7 + 1);
    ck_assert_int_eq(fseeko(f, (off_t)(2 * at), SEEK_SET), 0);
    ck_assert_uint_eq(fwrite(ids, sizeof *ids, PATTERN, f), PATTERN);
}

static void expect_batches_everywhere(corpus *c) {
    settings s;
    batches b;
    problem why;
    settings_default(&s);
    s.block_size = 64;
    s.batch_size = 32;
    must(batches_open(&b, c, &s, &why), &why);
    size_t largest = 0;
    for (size_t i = 0; i < 1000; i++) {
        size_t start = batches_start(&b, 0, i);
        ck_assert_uint_le(start + 65, c->train_count);
        if (start > largest) largest = start;
    }
    ck_assert_uint_gt(largest, (size_t)1 << 31);
    s.data_order = ORDER_SEQUENTIAL;
    ck_assert_uint_eq(batches_start(&b, 1000000, 5), 64 * (32 * (size_t)1000000 + 5));
    batches_close(&b);
}

START_TEST(test_a_token_file_of_five_gigabytes) {
    const uint64_t places[] = {0, 0x7FFFFF00, 0x80001000, 2600000000u}, count = 2684354560u;
    static int32_t expected[4][PATTERN], read[PATTERN];
    FILE *f = fopen("large.bin", "w");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < 4; i++) put_tokens(f, places[i], expected[i]);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(truncate("large.bin", (off_t)(2 * count)), 0);
    corpus c;
    problem why;
    const corpus_options o = {.data = "large.bin", .val_data = "", .vocab = "", .val_fraction = 1e-6};
    must(corpus_open(&c, &o, &why), &why);
    ck_assert_uint_eq(c.count, count);
    ck_assert_int_eq(c.tokenizer.vocab_size, 8);
    for (int i = 0; i < 4; i++) {
        must(corpus_read(&c, places[i], PATTERN, read, &why), &why);
        ck_assert_mem_eq(read, expected[i], sizeof read);
    }
    expect_batches_everywhere(&c);
    corpus_close(&c);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("large");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_test(cases, test_the_parameters_of_named_shapes);
    tcase_add_test(cases, test_a_table_of_more_than_32_bits);
    if (getenv("LONG_TESTS")) {
        tcase_add_test(cases, test_a_checkpoint_of_gpt2_xl);
        tcase_add_test(cases, test_a_token_file_of_five_gigabytes);
    }
    return suite_run(cases, "large", 600);
}
