#include "zip_patch.h"
#include "scratch.h"
#include "suite.h"
#include <stdlib.h>
#include <string.h>

/* Lengths of the records, without what follows them, and where numbers are in them. */
enum { CENTRAL = 46, NAME_LENGTH = 28, EXTRA_LENGTH = 30 };
enum { END = 22, END_MEMBERS = 10, END_SIZE = 12, END_OFFSET = 16 };

static uint32_t get(const char *from, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)(unsigned char)from[i] << 8 * i;
    return value;
}

static void put(char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (char)(value >> 8 * i);
}

zip_bytes zip_load(const char *path) {
    zip_bytes z;
    z.bytes = scratch_read(path, &z.size);
    return z;
}

void zip_save(const zip_bytes *z, const char *path) {
    scratch_write(path, z->bytes, z->size);
}

void zip_free(zip_bytes *z) {
    free(z->bytes);
    *z = (zip_bytes){NULL, 0};
}

/* ---- Members ---- */

static char *end_of(const zip_bytes *z) {
    return z->bytes + z->size - END;
}

static char *central_of(const zip_bytes *z, const char *member) {
    size_t length = strlen(member);
    for (char *at = z->bytes + zip_directory_offset(z); at < end_of(z);
         at += CENTRAL + get(at + NAME_LENGTH, 2) + get(at + EXTRA_LENGTH, 2))
        if (get(at + NAME_LENGTH, 2) == length && !memcmp(at + CENTRAL, member, length)) return at;
    ck_abort_msg("no member %s", member);
}

static int width_of(int field) {
    return field == ZIP_FLAGS || field == ZIP_METHOD ? 2 : 4;
}

uint32_t zip_get(const zip_bytes *z, const char *member, int field) {
    return get(central_of(z, member) + field, width_of(field));
}

/* The local header begins with one number less. */
void zip_set(zip_bytes *z, const char *member, int field, uint32_t value) {
    char *central = central_of(z, member), *local = z->bytes + get(central + ZIP_OFFSET, 4);
    put(central + field, value, width_of(field));
    if (field < ZIP_OFFSET) put(local + field - 2, value, width_of(field));
}

/* ---- The directory ---- */

static void insert(zip_bytes *z, size_t at, const void *bytes, size_t size) {
    char *longer = zeros(z->size + size, 1);
    memcpy(longer, z->bytes, at);
    memcpy(longer + at, bytes, size);
    memcpy(longer + at + size, z->bytes + at, z->size - at);
    free(z->bytes);
    z->bytes = longer;
    z->size += size;
}

void zip_set_extra(zip_bytes *z, const char *member, const void *extra, size_t size) {
    size_t at = (size_t)(central_of(z, member) - z->bytes);
    ck_assert_uint_eq(get(z->bytes + at + EXTRA_LENGTH, 2), 0);
    insert(z, at + CENTRAL + strlen(member), extra, size);
    put(z->bytes + at + EXTRA_LENGTH, size, 2);
    put(end_of(z) + END_SIZE, zip_directory_size(z) + size, 4);
}

void zip_end64(zip_bytes *z, uint64_t members, uint64_t size, uint64_t offset) {
    enum { RECORD = 56, LOCATOR = 20 };
    char ends[RECORD + LOCATOR] = "PK\6\6", *locator = ends + RECORD;
    size_t at = z->size - END;
    put(ends + 4, RECORD - 12, 8);
    put(ends + 12, 45, 2);
    put(ends + 14, 45, 2);
    put(ends + 24, members, 8);
    put(ends + 32, members, 8);
    put(ends + 40, size, 8);
    put(ends + 48, offset, 8);
    memcpy(locator, "PK\6\7", 4);
    put(locator + 8, at, 8);
    put(locator + 16, 1, 4);
    insert(z, at, ends, sizeof ends);
    put(end_of(z) + 8, UINT32_MAX, 4); /* both numbers of members */
    put(end_of(z) + END_SIZE, UINT64_MAX, 8);
}

uint32_t zip_members(const zip_bytes *z) {
    return get(end_of(z) + END_MEMBERS, 2);
}

uint32_t zip_directory_size(const zip_bytes *z) {
    return get(end_of(z) + END_SIZE, 4);
}

uint32_t zip_directory_offset(const zip_bytes *z) {
    return get(end_of(z) + END_OFFSET, 4);
}
