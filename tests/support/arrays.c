#include "arrays.h"
#include "suite.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

/* .npy, version 1 (numpy.lib.format): magic, version, the header's length in two bytes, the header, the data.
 * The header is a Python dict, {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }. */
enum { LENGTH_AT = 8, HEADER_AT = 10 };

char *member_read(const char *path, const char *member) {
    zip_t *zip = zip_open(path, ZIP_RDONLY, NULL);
    ck_assert_msg(zip, "%s: not an .npz", path);
    zip_stat_t stat;
    ck_assert_msg(zip_stat(zip, member, 0, &stat) == 0, "%s: no member %s", path, member);
    char *bytes = zeros(stat.size + 1, 1);
    zip_file_t *file = zip_fopen(zip, member, 0);
    ck_assert_ptr_nonnull(file);
    ck_assert_msg(zip_fread(file, bytes, stat.size) == (zip_int64_t)stat.size, "%s: %s is cut", path, member);
    ck_assert_msg(zip_fclose(file) == 0, "%s: %s is damaged", path, member);
    zip_discard(zip);
    return bytes;
}

static void read_shape(array *a, const char *header) {
    const char *next = strstr(header, "'shape': (");
    ck_assert(next);
    next += strlen("'shape': (");
    a->count = 1;
    for (char *end; *next != ')'; next = end + strspn(end, ", ")) {
        ck_assert_int_lt(a->dims, ARRAY_DIMS);
        a->shape[a->dims] = strtoul(next, &end, 10);
        a->count *= a->shape[a->dims++];
    }
}

/* "f8", "f4", "i8" or "i4", little-endian. */
static const char *find_type(const char *header) {
    const char *type = strstr(header, "'descr': '<");
    ck_assert(type && strstr(header, "'fortran_order': False"));
    type += strlen("'descr': '<");
    ck_assert(strchr("fi", type[0]) && strchr("48", type[1]) && type[2] == '\'');
    return type;
}

static double element(const char *type, const char *data, size_t i) {
    union {
        double f8;
        float f4;
        int64_t i8;
        int32_t i4;
    } value;
    size_t size = (size_t)(type[1] - '0');
    memcpy(&value, data + i * size, size);
    if (!strncmp(type, "f8", 2)) return value.f8;
    if (!strncmp(type, "f4", 2)) return (double)value.f4;
    return size == 8 ? (double)value.i8 : (double)value.i4;
}

array array_read(const char *path, const char *name) {
    char member[256];
    snprintf(member, sizeof member, "%s.npy", name);
    char *bytes = member_read(path, member), *header = bytes + HEADER_AT;
    ck_assert_msg(!memcmp(bytes, "\x93NUMPY\x01", 7), "%s: %s is not .npy, version 1", path, member);
    size_t length = (unsigned char)bytes[LENGTH_AT] + 256u * (unsigned char)bytes[LENGTH_AT + 1];
    const char *type = find_type(header);
    array a = {0};
    read_shape(&a, header);
    a.values = zeros(a.count, sizeof *a.values);
    for (size_t i = 0; i < a.count; i++) a.values[i] = element(type, header + length, i);
    free(bytes);
    return a;
}
