/* A checkpoint's bytes as they come, with CRCs that are right where members are stored, so that mutation gets
 * past them: the archive reader and all that it feeds. */
#include "archive_reader.h"
#include "checkpoint.h"
#include "input.h"
#include "stored_zip.h"
#include <stdlib.h>

enum { MOST_READ = 1 << 16 }; /* of a member, which may be a gigabyte of zeros */

static void read_member(archive *a, size_t index) {
    static char bytes[MOST_READ];
    archive_entry e;
    problem why;
    bool ok = entry_open(&e, a, index, &why);
    if (ok && e.size <= MOST_READ) ok = entry_read(&e, bytes, (size_t)e.size, &why) && entry_finish(&e, &why);
    if (!ok) must_refuse(&why);
    entry_close(&e);
}

static void read_members(const char *path) {
    problem why;
    archive *a = archive_open(path, &why);
    if (!a) must_refuse(&why);
    for (size_t i = 0; a && i < archive_count(a); i++) read_member(a, i);
    archive_close(a);
}

static void read_checkpoint(const char *path, bool want_optimizer) {
    checkpoint c;
    problem why;
    if (checkpoint_read(&c, path, want_optimizer, &why))
        checkpoint_close(&c);
    else
        must_refuse(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = input_text(data, size);
    stored_zip_repair((uint8_t *)bytes, size);
    const char *path = input_file("m.npz", bytes, size);
    read_members(path);
    read_checkpoint(path, false);
    read_checkpoint(path, true);
    free(bytes);
    return 0;
}
