/* ZIP archives, written in one go: members are asked for their bytes piece by piece and deflated as they
 * come, so that nothing as large as a member is ever copied. */
#ifndef ARCHIVE_WRITER_H
#define ARCHIVE_WRITER_H
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

typedef struct archive_source {
    const char *name;
    uint64_t size;
    /* Writes bytes offset..offset+count of the member to `out`. */
    void (*bytes)(const void *context, uint64_t offset, void *out, size_t count);
    const void *context;
} archive_source;

/* Writes these members in this order, atomically (file.h); nothing in the file but they, not even the
 * time. */
bool archive_write(const char *path, size_t count, const archive_source *members, problem *why);
#endif
