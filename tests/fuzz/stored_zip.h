/* A ZIP archive in memory whose members are stored as they are, with CRCs that are right: what is wrong with
 * it is in the members. */
#ifndef STORED_ZIP_H
#define STORED_ZIP_H
#include <stddef.h>
#include <stdint.h>

enum { STORED_MEMBERS = 64 };

typedef struct stored_member {
    const uint8_t *name, *bytes;
    uint16_t name_length;
    uint32_t size;
} stored_member;

/* The archive; free(). At most STORED_MEMBERS members. */
uint8_t *stored_zip(const stored_member *members, int count, size_t *size);

/* Writes the right CRC into each stored member's headers of an archive that may be anything. */
void stored_zip_repair(uint8_t *bytes, size_t size);
#endif
