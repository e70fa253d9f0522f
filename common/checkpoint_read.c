#include "archive_reader.h"
#include "checkpoint.h"
#include "checkpoint_members.h"
#include "checkpoint_meta.h"
#include "memory.h"
#include "npy.h"
#include <inttypes.h>
#include <string.h>

enum { META_LIMIT = 16 << 20 };

/* ---- Reading: which member is which ---- */

typedef struct contents {
    archive *archive;
    const char *path;
    parameter_table table;
    int parts;
    size_t *index; /* of each tensor's member, part by part */
    bool *known;   /* for each member: it is one of these, or meta.json */
} contents;

static int count_parts(const archive *a) {
    for (size_t i = 0; i < archive_count(a); i++)
        if (!strncmp(archive_name(a, i), "adamw.", 6)) return PARTS;
    return 1;
}

static bool contents_open(contents *c, archive *a, const char *path, const shape *s, problem *why) {
    *c = (contents){.archive = a, .path = path, .parts = count_parts(a)};
    if (!parameter_table_open(&c->table, s, why)) return false;
    c->index = allocate(PARTS * c->table.count, sizeof *c->index, "a checkpoint's members", why);
    c->known = allocate(archive_count(a), sizeof *c->known, "a checkpoint's members", why);
    return c->index && c->known;
}

static void contents_close(contents *c) {
    release(c->known);
    release(c->index);
    parameter_table_close(&c->table);
}

static bool find_member(const contents *c, const char *name, size_t *index, problem *why) {
    if (!archive_find(c->archive, name, index)) return bad_input(why, "%s: %s: missing", c->path, name);
    c->known[*index] = true;
    return true;
}

static bool find_members(const contents *c, problem *why) {
    size_t *next = c->index;
    for (int part = 0; part < c->parts; part++)
        for (size_t i = 0; i < c->table.count; i++) {
            char name[MEMBER_NAME];
            member_name(name, part, &c->table.list[i]);
            if (!find_member(c, name, next++, why)) return false;
        }
    size_t meta;
    return find_member(c, META_MEMBER, &meta, why);
}

/* A second member of a name is never the one that was found. */
static bool refuse_others(const contents *c, problem *why) {
    for (size_t i = 0, first; i < archive_count(c->archive); i++) {
        const char *name = archive_name(c->archive, i);
        if (c->known[i]) continue;
        if (archive_find(c->archive, name, &first) && c->known[first])
            return bad_input(why, "%s: %s: there twice", c->path, name);
        return bad_input(why, "%s: %s: not a member of this model's checkpoint", c->path, name);
    }
    return true;
}

/* ---- Reading: tensors ---- */

static bool read_header(archive_entry *e, npy_header *h, size_t *size, problem *why) {
    char bytes[NPY_HEADER_LIMIT];
    return entry_read(e, bytes, NPY_PREAMBLE, why) && npy_header_size(bytes, size, e->source, why) &&
           entry_read(e, bytes + NPY_PREAMBLE, *size - NPY_PREAMBLE, why) &&
           npy_header_parse(h, bytes, *size, e->source, why);
}

/* Opens a member, checks all that it declares, and leaves it at its first element. */
static bool open_tensor(archive_entry *e, archive *a, size_t index, const parameter *p, problem *why) {
    const uint64_t sizes[] = {(uint64_t)p->rows, (uint64_t)p->cols};
    npy_header h;
    size_t header;
    if (!entry_open(e, a, index, why) || !read_header(e, &h, &header, why) ||
        !npy_header_expect(&h, "<f4", p->dims, p->dims == 1 ? sizes + 1 : sizes, e->source, why))
        return false;
    uint64_t expected = header + sizes[0] * sizes[1] * sizeof(float);
    return e->size == expected ||
           bad_input(why, "%s: %" PRIu64 " bytes, expected %" PRIu64, e->source, e->size, expected);
}

static bool check_tensors(const contents *c, problem *why) {
    for (size_t i = 0; i < (size_t)c->parts * c->table.count; i++) {
        archive_entry e;
        bool ok = open_tensor(&e, c->archive, c->index[i], &c->table.list[i % c->table.count], why);
        entry_close(&e);
        if (!ok) return false;
    }
    return true;
}

static bool read_rows(archive_entry *e, const parameter *p, float *tensor, problem *why) {
    for (size_t row = 0; row < (size_t)p->rows; row++)
        if (!entry_read(e, tensor + row * p->stride, (size_t)p->cols * sizeof(float), why)) return false;
    return entry_finish(e, why);
}

static bool read_part(const contents *c, int part, float *block, problem *why) {
    const size_t *index = c->index + (size_t)part * c->table.count;
    for (size_t i = 0; i < c->table.count; i++) {
        const parameter *p = &c->table.list[i];
        archive_entry e;
        bool ok = open_tensor(&e, c->archive, index[i], p, why) && read_rows(&e, p, block + p->offset, why);
        entry_close(&e);
        if (!ok) return false;
    }
    return true;
}

static bool read_optimizer(checkpoint *c, const contents *from, problem *why) {
    size_t floats = c->model.table.floats;
    c->adamw_m = allocate(floats, sizeof(float), "AdamW's state", why);
    c->adamw_v = allocate(floats, sizeof(float), "AdamW's state", why);
    return c->adamw_m && c->adamw_v && read_part(from, ADAMW_M, c->adamw_m, why) &&
           read_part(from, ADAMW_V, c->adamw_v, why);
}

/* ---- Reading: the whole ---- */

static bool read_text(archive_entry *e, char **text, problem *why) {
    if (e->size > META_LIMIT)
        return bad_input(why, "%s: %" PRIu64 " bytes, expected at most %d", e->source, e->size, META_LIMIT);
    *text = allocate((size_t)e->size + 1, 1, META_MEMBER, why);
    return *text && entry_read(e, *text, (size_t)e->size, why) && entry_finish(e, why);
}

static bool read_meta(checkpoint_meta *meta, archive *a, const char *path, problem *why) {
    size_t index;
    if (!archive_find(a, META_MEMBER, &index))
        return bad_input(why, "%s: %s: missing, expected a checkpoint of Sawtooth", path, META_MEMBER);
    archive_entry e;
    char *text = NULL;
    bool ok = entry_open(&e, a, index, why) && read_text(&e, &text, why) &&
              meta_read(meta, text, (size_t)e.size, e.source, why);
    entry_close(&e);
    release(text);
    return ok;
}

static bool check_contents(const contents *from, bool want_optimizer, problem *why) {
    if (!find_members(from, why) || !refuse_others(from, why) || !check_tensors(from, why)) return false;
    return from->parts == PARTS || !want_optimizer ||
           bad_input(why, "%s: no AdamW state (adamw.m/, adamw.v/), expected a resumable checkpoint",
                     from->path);
}

/* All that is declared has been checked: now memory may be taken. */
static bool load(checkpoint *c, const contents *from, const shape *s, bool want_optimizer, problem *why) {
    if (!model_open(&c->model, s, why) || !read_part(from, WEIGHTS, c->model.block, why)) return false;
    model_pack(&c->model, alone());
    return !want_optimizer || read_optimizer(c, from, why);
}

static bool read_archive(checkpoint *c, archive *a, const char *path, bool want_optimizer, problem *why) {
    checkpoint_meta meta;
    if (!read_meta(&meta, a, path, why)) return false;
    c->tokenizer = meta.tokenizer;
    c->train = meta.train;
    contents from;
    bool ok = contents_open(&from, a, path, &meta.shape, why) && check_contents(&from, want_optimizer, why) &&
              load(c, &from, &meta.shape, want_optimizer, why);
    contents_close(&from);
    return ok;
}

bool checkpoint_read(checkpoint *c, const char *path, bool want_optimizer, problem *why) {
    *c = (checkpoint){0};
    archive *a = archive_open(path, why);
    if (!a) return false;
    bool ok = read_archive(c, a, path, want_optimizer, why);
    archive_close(a);
    if (!ok) checkpoint_close(c);
    return ok;
}
