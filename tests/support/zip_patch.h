/* An archive's headers, to be made to lie. The bytes must be of an archive that is whole, without a comment.
 * A failure fails the test. */
#ifndef ZIP_PATCH_H
#define ZIP_PATCH_H
#include <stddef.h>
#include <stdint.h>

/* What both of a member's headers hold, by the offset in the central one, and what only that one holds. */
enum { ZIP_FLAGS = 8, ZIP_METHOD = 10, ZIP_CRC = 16, ZIP_COMPRESSED = 20, ZIP_SIZE = 24, ZIP_OFFSET = 42 };

typedef struct zip_bytes {
    char *bytes;
    size_t size;
} zip_bytes;

zip_bytes zip_load(const char *path);
void zip_save(const zip_bytes *z, const char *path);
void zip_free(zip_bytes *z);

/* A member's number, and another one in its place: in the central header and, where it is there, in the local
 * one. */
uint32_t zip_get(const zip_bytes *z, const char *member, int field);
void zip_set(zip_bytes *z, const char *member, int field, uint32_t value);

/* Gives a member's central header these extra bytes. */
void zip_set_extra(zip_bytes *z, const char *member, const void *extra, size_t size);

/* Ends the archive as Zip64 has it, with these numbers of members and bytes of the directory, at this offset.
 */
void zip_end64(zip_bytes *z, uint64_t members, uint64_t size, uint64_t offset);

/* What its end says now. */
uint32_t zip_members(const zip_bytes *z);
uint32_t zip_directory_size(const zip_bytes *z);
uint32_t zip_directory_offset(const zip_bytes *z);
#endif
