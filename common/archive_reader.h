/* ZIP archives, read member by member and never trusted: what a member declares is checked against what it
 * can hold, and its CRC against what it held. */
#ifndef ARCHIVE_READER_H
#define ARCHIVE_READER_H
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

typedef struct archive archive;

/* NULL and a message on failure; `path` must live as long as the archive. Refuses members that declare more
 * compressed bytes than the file has: what all of them can make is bounded by its size. */
archive *archive_open(const char *path, problem *why);
void archive_close(archive *a);

size_t archive_count(const archive *a);
const char *archive_name(const archive *a, size_t index);

/* The first member of that name. */
bool archive_find(const archive *a, const char *name, size_t *index);

/* A member being read, from its beginning to its end. */
typedef struct archive_entry {
    archive *archive;
    struct zip_file *stream;
    uint64_t size;    /* of the uncompressed bytes, as declared */
    char source[640]; /* "FILE: MEMBER", for messages */
} archive_entry;

/* Refuses a member that declares more bytes than its compressed ones can hold. Close with entry_close. */
bool entry_open(archive_entry *e, archive *a, size_t index, problem *why);
void entry_close(archive_entry *e);

/* Reads exactly `count` bytes; refuses a member that has fewer left. */
bool entry_read(archive_entry *e, void *data, size_t count, problem *why);

/* Refuses bytes that are left over, and a CRC that does not match: only after this has the member been
 * read. */
bool entry_finish(archive_entry *e, problem *why);
#endif
