#include "stored_zip.h"
#include "input.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Lengths of the records, without what follows them. */
enum { LOCAL = 30, CENTRAL = 46, END = 22 };

static uint32_t crc_of(const uint8_t *bytes, size_t size) {
    return (uint32_t)crc32(0, bytes, (unsigned)size);
}

static void put(uint8_t *to, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get(const uint8_t *from, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)from[i] << 8 * i;
    return value;
}

/* ---- Making one ---- */

/* What local and central headers share: from the version to the name's length. */
static void put_common(uint8_t *to, const stored_member *m) {
    put(to, 20, 2);
    put(to + 8, 0x00210000, 4); /* 1980-01-01 */
    put(to + 10, crc_of(m->bytes, m->size), 4);
    put(to + 14, m->size, 4);
    put(to + 18, m->size, 4);
    put(to + 22, m->name_length, 2);
}

static uint8_t *put_local(uint8_t *to, const stored_member *m) {
    memcpy(to, "PK\3\4", 4);
    put_common(to + 4, m);
    memcpy(to + LOCAL, m->name, m->name_length);
    memcpy(to + LOCAL + m->name_length, m->bytes, m->size);
    return to + LOCAL + m->name_length + m->size;
}

static uint8_t *put_central(uint8_t *to, const stored_member *m, size_t offset) {
    memcpy(to, "PK\1\2\24", 5);
    put_common(to + 6, m);
    put(to + 42, (uint32_t)offset, 4);
    memcpy(to + CENTRAL, m->name, m->name_length);
    return to + CENTRAL + m->name_length;
}

static uint8_t *put_end(uint8_t *to, int count, size_t offset, size_t size) {
    memcpy(to, "PK\5\6", 4);
    put(to + 8, (uint32_t)count, 2);
    put(to + 10, (uint32_t)count, 2);
    put(to + 12, (uint32_t)size, 4);
    put(to + 16, (uint32_t)offset, 4);
    return to + END;
}

static size_t room_for(const stored_member *members, int count) {
    size_t size = END;
    for (int i = 0; i < count; i++) size += LOCAL + CENTRAL + 2u * members[i].name_length + members[i].size;
    return size;
}

uint8_t *stored_zip(const stored_member *members, int count, size_t *size) {
    size_t offsets[STORED_MEMBERS];
    *size = room_for(members, count);
    uint8_t *bytes = calloc(*size, 1), *to = bytes;
    must(bytes && count <= STORED_MEMBERS, "no room for an archive");
    for (int i = 0; i < count; i++) {
        offsets[i] = (size_t)(to - bytes);
        to = put_local(to, &members[i]);
    }
    const uint8_t *directory = to;
    for (int i = 0; i < count; i++) to = put_central(to, &members[i], offsets[i]);
    put_end(to, count, (size_t)(directory - bytes), (size_t)(to - directory));
    return bytes;
}

/* ---- Repairing one ---- */

/* The local header that a central one points to, where both are of a stored member that lies in the file. */
static uint8_t *local_of(uint8_t *bytes, size_t size, const uint8_t *central) {
    size_t offset = get(central + 42, 4), stored = get(central + 20, 4);
    if (get(central + 10, 2) != 0 || offset > size || size - offset < LOCAL) return NULL;
    uint8_t *local = bytes + offset;
    size_t header = LOCAL + get(local + 26, 2) + get(local + 28, 2);
    return size - offset >= header && size - offset - header >= stored ? local : NULL;
}

static void repair(uint8_t *bytes, size_t size, uint8_t *central) {
    uint8_t *local = local_of(bytes, size, central);
    if (!local) return;
    uint32_t crc = crc_of(local + LOCAL + get(local + 26, 2) + get(local + 28, 2), get(central + 20, 4));
    put(central + 16, crc, 4);
    put(local + 14, crc, 4);
}

void stored_zip_repair(uint8_t *bytes, size_t size) {
    for (size_t at = 0; at + CENTRAL <= size; at++)
        if (!memcmp(bytes + at, "PK\1\2", 4)) repair(bytes, size, bytes + at);
}
