#include "members.h"
#include "archive_reader.h"
#include "archive_writer.h"
#include "suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_member(archive *a, size_t index, member_bytes *m) {
    archive_entry e;
    problem why;
    must(entry_open(&e, a, index, &why), &why);
    snprintf(m->name, sizeof m->name, "%s", archive_name(a, index));
    m->size = (size_t)e.size;
    m->bytes = zeros(m->size + 1, 1);
    must(entry_read(&e, m->bytes, m->size, &why) && entry_finish(&e, &why), &why);
    entry_close(&e);
}

members members_read(const char *path) {
    problem why;
    archive *a = archive_open(path, &why);
    must(a, &why);
    members m = {archive_count(a), zeros(archive_count(a) + 1, sizeof *m.list)};
    for (size_t i = 0; i < m.count; i++) read_member(a, i, &m.list[i]);
    archive_close(a);
    return m;
}

static void copy_bytes(const void *bytes, uint64_t offset, void *out, size_t count) {
    memcpy(out, (const char *)bytes + offset, count);
}

void members_write(const members *m, const char *path) {
    archive_source *sources = zeros(m->count, sizeof *sources);
    for (size_t i = 0; i < m->count; i++)
        sources[i] = (archive_source){m->list[i].name, m->list[i].size, copy_bytes, m->list[i].bytes};
    problem why;
    replacement r;
    must(replacement_open(&r, path, &why) &&
             replacement_finish(&r, archive_write(&r.file, m->count, sources, NULL, &why), &why),
         &why);
    free(sources);
}

void members_close(members *m) {
    for (size_t i = 0; i < m->count; i++) free(m->list[i].bytes);
    free(m->list);
}

member_bytes *members_find(const members *m, const char *name) {
    for (size_t i = 0; i < m->count; i++)
        if (!strcmp(m->list[i].name, name)) return &m->list[i];
    ck_abort_msg("no member %s", name);
}

void members_remove(members *m, const char *name) {
    member_bytes *gone = members_find(m, name);
    free(gone->bytes);
    *gone = m->list[--m->count];
}

void members_add(members *m, const char *name, const void *bytes, size_t size) {
    member_bytes *added = &m->list[m->count++];
    *added = (member_bytes){0};
    snprintf(added->name, sizeof added->name, "%s", name);
    member_set(added, bytes, size);
}

void member_set(member_bytes *m, const void *bytes, size_t size) {
    char *copy = zeros(size + 1, 1);
    memcpy(copy, bytes, size);
    free(m->bytes);
    m->bytes = copy;
    m->size = size;
}
