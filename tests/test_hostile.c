/* Checkpoints made to do harm: whatever an archive's headers claim, it is read as what it is or refused by
 * name, in little memory. Members whose own bytes are wrong are test_checkpoint.c's, numbers that are not
 * finite test_not_finite.c's. */
#include "checkpoint.h"
#include "support/members.h"
#include "support/rough_model.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "support/zip_patch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char WTE[] = "transformer.wte.weight.npy", WPE[] = "transformer.wpe.weight.npy";

/* Writes m.npz, and keeps what it holds. */
static void write_model(model *m) {
    static const shape small = {1, 1, 3, 2, 5, GELU, .tie_weights = true};
    problem why;
    tokenizer t;
    rough_model(m, &small, 0.3);
    ck_assert(tokenizer_from_ids(&t, small.vocab_size));
    const checkpoint_view view = {.shape = &m->shape, .table = &m->table, .block = m->block, .tokenizer = &t};
    must(checkpoint_write("m.npz", &view, NULL, &why), &why);
}

static zip_bytes written(void) {
    model m;
    write_model(&m);
    model_close(&m);
    return zip_load("m.npz");
}

static void expect_refused(const char *message) {
    checkpoint c;
    problem why;
    ck_assert(!checkpoint_read(&c, "m.npz", false, &why));
    ck_assert_str_eq(why.text, message);
    ck_assert_int_eq(why.exit_status, 2);
}

static void save_and_expect(zip_bytes *z, const char *message) {
    zip_save(z, "m.npz");
    zip_free(z);
    expect_refused(message);
}

/* ---- Damage: all there is ---- */

static bool loads_as(const model *m) {
    checkpoint c;
    problem why;
    if (!checkpoint_read(&c, "m.npz", false, &why)) {
        ck_assert_int_eq(why.exit_status, 2);
        ck_assert_msg(!strncmp(why.text, "m.npz: ", 7), "%s", why.text);
        return false;
    }
    ck_assert_uint_eq(c.model.table.floats, m->table.floats);
    ck_assert_mem_eq(c.model.block, m->block, m->table.floats * sizeof(float));
    checkpoint_close(&c);
    return true;
}

START_TEST(test_every_beginning_of_a_file) {
    model m;
    write_model(&m);
    zip_bytes z = zip_load("m.npz");
    for (size_t length = 0; length < z.size; length++) {
        scratch_write("m.npz", z.bytes, length);
        ck_assert(!loads_as(&m));
    }
    zip_free(&z);
    model_close(&m);
}
END_TEST

START_TEST(test_every_byte_changed) {
    static const char changes[] = {0x01, 0x20, (char)0x80, (char)0xFF};
    model m;
    write_model(&m);
    zip_bytes z = zip_load("m.npz");
    size_t same = 0;
    for (size_t at = 0; at < z.size; at++) {
        z.bytes[at] ^= changes[_i];
        zip_save(&z, "m.npz");
        same += loads_as(&m);
        z.bytes[at] ^= changes[_i];
    }
    ck_assert_uint_lt(same, z.size / 2); /* times and attributes; names and sizes that are there twice */
    zip_free(&z);
    model_close(&m);
}
END_TEST

/* ---- Headers that lie ---- */

typedef struct lie {
    int field;
    uint32_t value;
    const char *message; /* after "m.npz: transformer.wte.weight.npy: " */
} lie;

static const lie lies[] = {
    {ZIP_FLAGS, 1, "is encrypted, expected a plain member"},
    {ZIP_FLAGS, 0x41, "is encrypted, expected a plain member"},
    {ZIP_METHOD, 12, "compression method 12, expected deflate or none"},
    {ZIP_METHOD, 0, "not a .npy array"},
    {ZIP_CRC, 0, "CRC error"},
    {ZIP_SIZE, 0, "0 bytes, expected 188"},
    {ZIP_SIZE, 184, "184 bytes, expected 188"},
    {ZIP_SIZE, 192, "192 bytes, expected 188"},
    {ZIP_SIZE, 0x7FFFFFFF, "declares 2147483647 bytes, more than the file can hold"},
    {ZIP_SIZE, 0xFFFFFFFE, "declares 4294967294 bytes, more than the file can hold"},
    {ZIP_COMPRESSED, 0, "ends too early"},
    {ZIP_COMPRESSED, 0x7FFFFFFF, "declares more than what the other members leave of the file"},
    {ZIP_COMPRESSED, 0xFFFFFFFE, "declares more than what the other members leave of the file"},
    {ZIP_OFFSET, 0, "not a .npy array"},
    {ZIP_OFFSET, 5, "points outside the file"},
    {ZIP_OFFSET, 0xFFFFFFFE, "points outside the file"},
};
enum { LIES = sizeof lies / sizeof *lies };

START_TEST(test_a_header_that_lies) {
    char message[256];
    zip_bytes z = written();
    zip_set(&z, WTE, lies[_i].field, lies[_i].value);
    snprintf(message, sizeof message, "m.npz: %s: %s", WTE, lies[_i].message);
    save_and_expect(&z, message);
}
END_TEST

/* One member's bytes for two: what the file holds once is not given twice. */
START_TEST(test_members_that_overlap) {
    zip_bytes z = written();
    zip_set(&z, WPE, ZIP_OFFSET, zip_get(&z, WTE, ZIP_OFFSET));
    save_and_expect(&z, "m.npz: transformer.wpe.weight.npy: shape (5, 3), expected (2, 3)");
}
END_TEST

/* Every member is nearly all of the file. */
START_TEST(test_members_that_share_the_file) {
    zip_bytes z = written();
    zip_set(&z, WTE, ZIP_COMPRESSED, (uint32_t)z.size - 100);
    zip_set(&z, WPE, ZIP_COMPRESSED, (uint32_t)z.size - 100);
    save_and_expect(
        &z, "m.npz: transformer.wte.weight.npy: declares more than what the other members leave of the file");
}
END_TEST

/* ---- Names ---- */

static const char *const names[][2] = {
    {"../../../etc/passwd", "../../../etc/passwd"},
    {"/etc/passwd", "/etc/passwd"},
    {"transformer.wte.weight.npy/", "transformer.wte.weight.npy/"},
    {"./transformer.wte.weight.npy", "./transformer.wte.weight.npy"},
    {"transformer.WTE.weight.npy", "transformer.WTE.weight.npy"},
    {"", ""},
    {"a\nline\x1b[31m", "a?line?[31m"},
    {"\xC2\x9B"
     "2J\x9B",
     "??2J?"},
};
enum { NAMES = sizeof names / sizeof *names };

START_TEST(test_a_name_that_is_no_members) {
    char message[256];
    zip_bytes z = written();
    zip_free(&z);
    members m = members_read("m.npz");
    members_add(&m, names[_i][0], "boo", 3);
    members_write(&m, "m.npz");
    members_close(&m);
    snprintf(message, sizeof message, "m.npz: %s: not a member of this model's checkpoint", names[_i][1]);
    expect_refused(message);
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

/* ---- Zip64 ---- */

START_TEST(test_an_end_of_zip64) {
    model m;
    write_model(&m);
    zip_bytes z = zip_load("m.npz");
    zip_end64(&z, zip_members(&z), zip_directory_size(&z), zip_directory_offset(&z));
    zip_save(&z, "m.npz");
    zip_free(&z);
    ck_assert(loads_as(&m));
    model_close(&m);
}
END_TEST

START_TEST(test_an_end_of_zip64_that_lies) {
    static const uint64_t large[] = {1000, 1 << 24, UINT64_C(1) << 40, UINT64_C(1) << 62, UINT64_MAX};
    zip_bytes z = written(), tale;
    uint64_t count = zip_members(&z), size = zip_directory_size(&z), offset = zip_directory_offset(&z);
    for (int field = 0; field < 3; field++) {
        tale = zip_load("m.npz");
        zip_end64(&tale, field == 0 ? large[_i] : count, field == 1 ? large[_i] : size,
                  field == 2 ? large[_i] : offset);
        zip_save(&tale, "tale.npz");
        zip_free(&tale);
        checkpoint c;
        problem why;
        ck_assert(!checkpoint_read(&c, "tale.npz", false, &why));
        ck_assert_msg(!strncmp(why.text, "tale.npz: ", 10), "%s", why.text);
        ck_assert_int_eq(why.exit_status, 2);
    }
    zip_free(&z);
}
END_TEST

/* A size of 2^62 in the place that Zip64 has for it. */
START_TEST(test_a_size_of_zip64) {
    static const char extra[] = "\1\0\x08\0\0\0\0\0\0\0\0\x40";
    zip_bytes z = written();
    zip_set(&z, WTE, ZIP_SIZE, UINT32_MAX);
    zip_set_extra(&z, WTE, extra, sizeof extra - 1);
    save_and_expect(
        &z,
        "m.npz: transformer.wte.weight.npy: declares 4611686018427387904 bytes, more than the file can hold");
}
END_TEST

/* ---- Memory and time ---- */

static long peak_megabytes(void) {
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss / 1024;
}

static void set_meta(const char *text, size_t size) {
    zip_bytes z = written();
    zip_free(&z);
    members m = members_read("m.npz");
    member_set(members_find(&m, "meta.json"), text, size);
    members_write(&m, "m.npz");
    members_close(&m);
}

enum { LARGE = (16 << 20) - 1 }; /* what a meta.json may have */

/* `begin`, then `again` as often as there is room for, then `end`. */
static void set_large_meta(const char *begin, const char *again, const char *end) {
    char *text = zeros(LARGE + 1, 1);
    size_t length = strlen(begin), last = LARGE - strlen(end);
    memcpy(text, begin, length);
    for (size_t step = strlen(again); length + step <= last; length += step)
        memcpy(text + length, again, step);
    strcpy(text + length, end);
    set_meta(text, strlen(text));
    free(text);
}

#define FORMAT "{\"format\": \"sawtooth-checkpoint\", \"version\": 1, "

static const char *const bombs[][4] = {
    {"[", "1,", "1]", "holds more than 10000 values"},
    {"", "[", "", "holds more than 10000 values"},
    {"{\"a\\\"", "\": {},\"", "\":1}", "holds more than 10000 values"},
    {FORMAT "\"model\": {\"", "n", "\": 1}, \"tokenizer\": {\"type\": \"ids\"}}",
     "unknown key \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\"; the "
     "nearest is learning_rate"},
    {FORMAT "\"model\": {\"n_layer\": \"", "1", "\"}, \"tokenizer\": {\"type\": \"ids\"}}",
     "n_layer must be an integer from 1 to 1000, not "
     "\"11111111111111111111111111111111111111111111111111111111111111111111111111111111\""},
};
enum { BOMBS = sizeof bombs / sizeof *bombs };

START_TEST(test_a_meta_that_would_grow) {
    char message[512];
    set_large_meta(bombs[_i][0], bombs[_i][1], bombs[_i][2]);
    snprintf(message, sizeof message, "m.npz: meta.json: %s", bombs[_i][3]);
    long before = peak_megabytes();
    expect_refused(message);
    ck_assert_int_lt(peak_megabytes() - before, 128);
}
END_TEST

/* A model of gigabytes, all of it declared as it has to be, in a file of some hundred bytes. */
START_TEST(test_a_model_that_the_file_cannot_hold) {
    static const char meta[] = FORMAT
        "\"model\": {\"n_layer\": 1, \"n_head\": 1, \"n_embd\": 2000, \"block_size\": 2, \"vocab_size\": "
        "500000}, \"tokenizer\": {\"type\": \"ids\"}}";
    static const char wte[] = "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (500000, "
                              "2000), }                     "
                              "                             \n";
    set_meta(meta, sizeof meta - 1);
    members m = members_read("m.npz");
    member_set(members_find(&m, WTE), wte, sizeof wte - 1);
    members_write(&m, "m.npz");
    members_close(&m);
    zip_bytes z = zip_load("m.npz");
    zip_set(&z, WTE, ZIP_SIZE, 4000000128);
    long before = peak_megabytes();
    save_and_expect(
        &z, "m.npz: transformer.wte.weight.npy: declares 4000000128 bytes, more than the file can hold");
    ck_assert_int_lt(peak_megabytes() - before, 16);
}
END_TEST

/* Zeros by the hundred million take few bytes in the file; they are not what the model has room for. */
START_TEST(test_a_member_of_many_zeros) {
    enum { ZEROS = 100 << 20 };
    zip_bytes z = written();
    zip_free(&z);
    members m = members_read("m.npz");
    member_bytes *wte = members_find(&m, WTE);
    char *bytes = zeros(ZEROS, 1);
    memcpy(bytes, wte->bytes, wte->size);
    member_set(wte, bytes, ZEROS);
    free(bytes);
    members_write(&m, "m.npz");
    members_close(&m);
    expect_refused("m.npz: transformer.wte.weight.npy: 104857600 bytes, expected 188");
    z = zip_load("m.npz");
    zip_set(&z, WTE, ZIP_SIZE, 188);
    save_and_expect(&z, "m.npz: transformer.wte.weight.npy: is longer than it should be");
}
END_TEST

static const char *const sizes[][2] = {
    {"\"n_layer\": 1000000000", "n_layer must be an integer from 1 to 1000, not \"1000000000\""},
    {"\"n_layer\": 1e300", "n_layer must be an integer from 1 to 1000, not \"1e+300\""},
    {"\"n_layer\": -1", "n_layer must be an integer from 1 to 1000, not \"-1\""},
    {"\"n_layer\": \"9223372036854775808\"",
     "n_layer must be an integer from 1 to 1000, not \"9223372036854775808\""},
    {"\"n_embd\": 2147483647", "n_embd must be an integer from 1 to 16384, not \"2147483647\""},
    {"\"vocab_size\": 4294967301", "vocab_size must be an integer from 0 to 1114112, not \"4294967301\""},
    {"\"block_size\": 4294967298", "block_size must be an integer from 1 to 32768, not \"4294967298\""},
    {"\"n_head\": 1, \"n_embd\": 16384, \"vocab_size\": 1114112",
     "vocab_size 1114112 and n_embd 16384 are too large together: their product must fit 31 bits"},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(test_a_size_that_no_model_has) {
    char meta[512], message[256];
    int length = snprintf(meta, sizeof meta, FORMAT "\"model\": {%s}, \"tokenizer\": {\"type\": \"ids\"}}",
                          sizes[_i][0]);
    set_meta(meta, (size_t)length);
    snprintf(message, sizeof message, "m.npz: meta.json: %s", sizes[_i][1]);
    expect_refused(message);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("hostile");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_test(cases, test_every_beginning_of_a_file);
    tcase_add_loop_test(cases, test_every_byte_changed, 0, 4);
    tcase_add_loop_test(cases, test_a_header_that_lies, 0, LIES);
    tcase_add_test(cases, test_members_that_overlap);
    tcase_add_test(cases, test_members_that_share_the_file);
    tcase_add_loop_test(cases, test_a_name_that_is_no_members, 0, NAMES);
    tcase_add_test(cases, test_an_end_of_zip64);
    tcase_add_loop_test(cases, test_an_end_of_zip64_that_lies, 0, 5);
    tcase_add_test(cases, test_a_size_of_zip64);
    tcase_add_loop_test(cases, test_a_meta_that_would_grow, 0, BOMBS);
    tcase_add_test(cases, test_a_model_that_the_file_cannot_hold);
    tcase_add_test(cases, test_a_member_of_many_zeros);
    tcase_add_loop_test(cases, test_a_size_that_no_model_has, 0, SIZES);
    return suite_run(cases, "hostile", 60);
}
