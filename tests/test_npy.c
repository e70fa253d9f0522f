/* .npy headers as numpy and others write them, what is refused and why, and arrays written byte
 * for byte as numpy writes them. */
#include "npy.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A header of version `major`.0 around this dictionary; its length. */
static size_t make_header(char out[NPY_HEADER_LIMIT], int major, const char *dictionary) {
    size_t length = strlen(dictionary), at = major == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)major;
    out[7] = 0;
    for (size_t i = 8; i < at; i++) out[i] = (char)(length >> 8 * (i - 8));
    memcpy(out + at, dictionary, length);
    return at + length;
}

static bool parse(npy_header *h, int major, const char *dictionary, problem *why) {
    char bytes[NPY_HEADER_LIMIT];
    size_t size = make_header(bytes, major, dictionary), told;
    must(npy_header_size(bytes, &told, "f.npy", why), why);
    ck_assert_uint_eq(told, size);
    return npy_header_parse(h, bytes, size, "f.npy", why);
}

typedef struct good {
    const char *dictionary, *type;
    bool fortran_order;
    int dims;
    uint64_t shape[NPY_DIMS];
} good;

static const good good_ones[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (65, 24), }      \n", "<f4", false, 2, {65, 24}},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (24,), }\n", "<f4", false, 1, {24}},
    {"{'descr': '<f8', 'fortran_order': True, 'shape': (), }\n", "<f8", true, 0, {0}},
    {"{'shape': (3, 0, 5), 'fortran_order': True, 'descr': '>i2'}", ">i2", true, 3, {3, 0, 5}},
    {"{ \"descr\" : \"|i1\" ,\"fortran_order\":False,\"shape\":( 3,4, ) }", "|i1", false, 2, {3, 4}},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2, 3, 4, 5, 6, 7, 18446744073709551615)}\n",
     "<f2",
     false,
     8,
     {1, 2, 3, 4, 5, 6, 7, UINT64_MAX}},
};
enum { GOOD = sizeof good_ones / sizeof *good_ones };

START_TEST(test_headers_that_are_read) {
    const good *g = &good_ones[_i];
    for (int major = 1; major <= 3; major++) {
        npy_header h;
        problem why;
        must(parse(&h, major, g->dictionary, &why), &why);
        ck_assert_str_eq(h.type, g->type);
        ck_assert_int_eq(h.fortran_order, g->fortran_order);
        ck_assert_int_eq(h.dims, g->dims);
        ck_assert_mem_eq(h.shape, g->shape, sizeof h.shape);
    }
}
END_TEST

static const char *const bad_ones[] = {
    "",
    "{}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } x",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), , }",
    "{'descr': '<f4', 'fortran_order': False 'shape': (3, 4), }",
    "{'descr': '<f4', 'fortran_order': False, }",
    "{'descr': '<f4', 'shape': (3, 4), }",
    "{'fortran_order': False, 'shape': (3, 4), }",
    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), 'more': 1, }",
    "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3, 4), }",
    "{'descr': '<f4, 'fortran_order': False, 'shape': (3, 4), }",
    "{'descr': \"<f4', 'fortran_order': False, 'shape': (3, 4), }",
    "{'descr': 'a name that is too long', 'fortran_order': False, 'shape': (3, 4), }",
    "{'descr': '<f4', 'fortran_order': false, 'shape': (3, 4), }",
    "{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': [3, 4], }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,, 4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3.0, 4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 18446744073709551616), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3, 4, 5, 6, 7, 8, 9), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4",
    "{'descr': '<f4', 'fortran_order': False, 'shape': ",
    "{'descr': '",
};
enum { BAD = sizeof bad_ones / sizeof *bad_ones };

START_TEST(test_headers_that_are_refused) {
    npy_header h;
    problem why;
    ck_assert(!parse(&h, _i % 3 + 1, strlen(bad_ones[_i]) < 2 ? "  " : bad_ones[_i], &why));
    ck_assert_str_eq(why.text, "f.npy: bad .npy header, expected a dictionary with descr (one simple type), "
                               "fortran_order and shape (at most 8 dimensions)");
    ck_assert_int_eq(why.exit_status, 2);
}
END_TEST

typedef struct preamble {
    char bytes[NPY_PREAMBLE + 1];
    const char *message;
} preamble;

static const preamble preambles[] = {
    {"PK\3\4........", "f.npy: not a .npy array"},
    {"\x93NUMPY\0\0....", "f.npy: .npy version 0.0, expected 1.0, 2.0 or 3.0"},
    {"\x93NUMPY\1\1....", "f.npy: .npy version 1.1, expected 1.0, 2.0 or 3.0"},
    {"\x93NUMPY\xFF\0....", "f.npy: .npy version 255.0, expected 1.0, 2.0 or 3.0"},
    {"\x93NUMPY\1\0\1\0..", "f.npy: .npy header of 11 bytes, expected 12 to 16384"},
    {"\x93NUMPY\1\0\xFF\xFF..", "f.npy: .npy header of 65545 bytes, expected 12 to 16384"},
    {"\x93NUMPY\2\0\xFF\xFF\xFF\xFF", "f.npy: .npy header of 4294967307 bytes, expected 12 to 16384"},
};
enum { PREAMBLES = sizeof preambles / sizeof *preambles };

START_TEST(test_beginnings_that_are_refused) {
    size_t size;
    problem why;
    ck_assert(!npy_header_size(preambles[_i].bytes, &size, "f.npy", &why));
    ck_assert_str_eq(why.text, preambles[_i].message);
    ck_assert_int_eq(why.exit_status, 2);
}
END_TEST

START_TEST(test_an_array_that_is_not_as_expected) {
    static const uint64_t matrix[] = {65, 24}, vector[] = {24};
    npy_header h = {.type = "<f4", .dims = 2, .shape = {65, 24}};
    problem why;
    must(npy_header_expect(&h, "<f4", 2, matrix, "f.npy", &why), &why);
    ck_assert(!npy_header_expect(&h, "<f8", 2, matrix, "f.npy", &why));
    ck_assert_str_eq(why.text, "f.npy: element type '<f4', expected '<f8'");
    ck_assert(!npy_header_expect(&h, "<f4", 1, vector, "f.npy", &why));
    ck_assert_str_eq(why.text, "f.npy: shape (65, 24), expected (24,)");
    h.shape[1] = 25;
    ck_assert(!npy_header_expect(&h, "<f4", 2, matrix, "f.npy", &why));
    ck_assert_str_eq(why.text, "f.npy: shape (65, 25), expected (65, 24)");
    h = (npy_header){.type = "<f4", .dims = 0, .fortran_order = true};
    ck_assert(!npy_header_expect(&h, "<f4", 1, vector, "f.npy", &why));
    ck_assert_str_eq(why.text, "f.npy: Fortran order, expected C order");
    h.fortran_order = false;
    ck_assert(!npy_header_expect(&h, "<f4", 1, vector, "f.npy", &why));
    ck_assert_str_eq(why.text, "f.npy: shape (), expected (24,)");
}
END_TEST

/* numpy.save(f, numpy.arange(6, dtype="<f4").reshape(2, 3)), and of its first row. */
static const char MATRIX[] = "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
                             "                                                          \n"
                             "\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40";
static const char VECTOR[] = "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
                             "                                                            \n"
                             "\0\0\0\0\0\0\x80\x3f\0\0\0\x40";
static const float padded_rows[] = {0, 1, 2, -1, -1, 3, 4, 5, -1, -1}; /* -1 is padding: not to be written */

START_TEST(test_files_are_numpys_byte_for_byte) {
    size_t size;
    problem why;
    must(npy_write_file("f.npy", 2, 3, 5, padded_rows, &why), &why);
    char *bytes = scratch_read("f.npy", &size);
    ck_assert_uint_eq(size, sizeof MATRIX - 1);
    ck_assert_mem_eq(bytes, MATRIX, size);
    free(bytes);
}
END_TEST

static void expect_every_part(const npy_array *a, const char *whole, size_t size) {
    ck_assert_uint_eq(npy_size(a), size);
    for (size_t from = 0; from < size; from++)
        for (size_t count = 0; count <= size - from; count++) {
            char part[sizeof MATRIX];
            memset(part, '#', sizeof part);
            npy_bytes(a, from, part, count);
            ck_assert_mem_eq(part, whole + from, count);
            ck_assert_int_eq(part[count], '#');
        }
}

START_TEST(test_every_part_is_that_part_of_the_whole) {
    expect_every_part(&(npy_array){&npy_float32, 2, 2, 3, 5, padded_rows, NULL}, MATRIX, sizeof MATRIX - 1);
    expect_every_part(&(npy_array){&npy_float32, 1, 1, 3, 5, padded_rows, NULL}, VECTOR, sizeof VECTOR - 1);
}
END_TEST

/* Two bytes of each number: its row's scale added, to the nearest whole one. */
static void make_pairs(const npy_array *a, size_t row, size_t col, size_t count, void *out) {
    uint16_t *pairs = out;
    for (size_t i = 0; i < count; i++)
        pairs[i] = (uint16_t)(a->data[row * a->stride + col + i] + a->scales[row]);
}

static const npy_element pair = {"<u2", 2, make_pairs};

/* numpy.save(f, numpy.array([[256, 257, 258], [5, 6, 7]], dtype="<u2")) */
static const char PAIRS[] = "\x93NUMPY\1\0v\0{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }"
                            "                                                          \n"
                            "\0\1\1\1\2\1\5\0\6\0\7\0";

START_TEST(test_elements_that_are_made) {
    static const float added[] = {256, 2};
    expect_every_part(&(npy_array){&pair, 2, 2, 3, 5, padded_rows, added}, PAIRS, sizeof PAIRS - 1);
}
END_TEST

/* A row is made in several pieces, and asked for in others. */
START_TEST(test_a_long_row_that_is_made) {
    enum { COLS = 5000, SIZE = 128 + 2 * COLS, STEP = 777 };
    static float row[COLS];
    static char whole[SIZE], parts[SIZE];
    for (int i = 0; i < COLS; i++) row[i] = (float)i;
    const npy_array a = {&pair, 1, 1, COLS, COLS, row, (const float[]){7}};
    npy_bytes(&a, 0, whole, SIZE);
    for (size_t at = 0; at < SIZE; at += STEP)
        npy_bytes(&a, at, parts + at, SIZE - at < STEP ? SIZE - at : STEP);
    ck_assert_mem_eq(whole, parts, SIZE);
    for (int i = 0; i < COLS; i++)
        ck_assert_int_eq((unsigned char)whole[128 + 2 * i] | (unsigned char)whole[129 + 2 * i] << 8, i + 7);
}
END_TEST

START_TEST(test_a_large_file_reads_back) {
    enum { ROWS = 301, COLS = 257, STRIDE = 272 };
    float *rows = zeros(ROWS * STRIDE, sizeof *rows);
    for (int i = 0; i < ROWS * STRIDE; i++) rows[i] = (float)i / 7;
    size_t size;
    problem why;
    must(npy_write_file("f.npy", ROWS, COLS, STRIDE, rows, &why), &why);
    char *bytes = scratch_read("f.npy", &size);
    ck_assert_uint_eq(size, 128 + ROWS * COLS * sizeof(float));
    for (size_t r = 0; r < ROWS; r++)
        ck_assert_mem_eq(bytes + 128 + r * COLS * sizeof(float), rows + r * STRIDE, COLS * sizeof(float));
    free(bytes);
    free(rows);
}
END_TEST

START_TEST(test_an_empty_matrix_is_a_header) {
    size_t size;
    problem why;
    must(npy_write_file("f.npy", 0, 3, 16, NULL, &why), &why);
    char *bytes = scratch_read("f.npy", &size);
    ck_assert_uint_eq(size, 128);
    free(bytes);
}
END_TEST

START_TEST(test_a_file_that_cannot_be_written) {
    problem why;
    ck_assert(!npy_write_file("none/f.npy", 2, 3, 5, padded_rows, &why));
    ck_assert_str_eq(why.text, "none/f.npy: cannot open: No such file or directory");
    ck_assert_int_eq(why.exit_status, 2);
    ck_assert_int_eq(scratch_count(), 0);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("npy");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_loop_test(cases, test_headers_that_are_read, 0, GOOD);
    tcase_add_loop_test(cases, test_headers_that_are_refused, 0, BAD);
    tcase_add_loop_test(cases, test_beginnings_that_are_refused, 0, PREAMBLES);
    tcase_add_test(cases, test_an_array_that_is_not_as_expected);
    tcase_add_test(cases, test_files_are_numpys_byte_for_byte);
    tcase_add_test(cases, test_every_part_is_that_part_of_the_whole);
    tcase_add_test(cases, test_elements_that_are_made);
    tcase_add_test(cases, test_a_long_row_that_is_made);
    tcase_add_test(cases, test_a_large_file_reads_back);
    tcase_add_test(cases, test_an_empty_matrix_is_a_header);
    tcase_add_test(cases, test_a_file_that_cannot_be_written);
    return suite_run(cases, "npy", 20);
}
