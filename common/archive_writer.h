/* ZIP archives, written in one go: members are asked for their bytes piece by piece and deflated as they
 * come (deflater.h), so that nothing as large as a member is ever copied. */
#ifndef ARCHIVE_WRITER_H
#define ARCHIVE_WRITER_H
#include "deflater.h"
#include "file.h"

typedef struct archive_source {
    const char *name;
    uint64_t size;
    deflater_input *bytes; /* makes any part of them */
    const void *context;
} archive_source;

/* Writes these members in this order to an empty file; nothing in it but they, not even the time, and the
 * same bytes with any team. NULL: the caller works alone. */
bool archive_write(file *f, size_t count, const archive_source *members, team *t, problem *why);
#endif
