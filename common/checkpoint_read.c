#include "archive_reader.h"
#include "checkpoint.h"
#include "checkpoint_members.h"
#include "checkpoint_meta.h"
#include "checkpoint_tensor.h"
#include "memory.h"
#include "narrow.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { META_LIMIT = 16 << 20 };

/* ---- Reading: which member is which ---- */

typedef struct contents {
    archive *archive;
    const char *path;
    parameter_table table;
    checkpoint_kind kind;
    size_t *index; /* of each tensor's member, part by part */
    bool *known;   /* for each member: it is one of these, or meta.json */
} contents;

/* Narrow weights have no state of AdamW: its members are then strangers. */
static checkpoint_kind kind_of(const archive *a, weight_type type) {
    checkpoint_kind kind = {.type = type};
    for (size_t i = 0; type == WEIGHTS_F32 && i < archive_count(a); i++)
        kind.resumable |= !strncmp(archive_name(a, i), "adamw.", 6);
    return kind;
}

static bool contents_open(contents *c, archive *a, const char *path, const checkpoint_meta *meta,
                          problem *why) {
    *c = (contents){.archive = a, .path = path, .kind = kind_of(a, meta->type)};
    if (!parameter_table_open(&c->table, &meta->shape, why)) return false;
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

static size_t *index_of(const contents *c, int part, size_t i) {
    return &c->index[(size_t)part * c->table.count + i];
}

static bool find_members(const contents *c, problem *why) {
    for (int part = 0; part < PARTS; part++)
        for (size_t i = 0; i < c->table.count; i++) {
            char name[MEMBER_NAME];
            member_name(name, part, &c->table.list[i]);
            if (member_exists(c->kind, part, &c->table.list[i]) &&
                !find_member(c, name, index_of(c, part, i), why))
                return false;
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

/* Checks what a tensor's member declares, and reads it where there is a block to read it into. */
static bool visit_tensor(const contents *c, int part, size_t i, const float *scales, float *block,
                         problem *why) {
    const parameter *p = &c->table.list[i], t = member_tensor(part, p);
    weight_type type = member_type(c->kind, part, p);
    archive_entry e;
    bool ok = tensor_open(&e, c->archive, *index_of(c, part, i), &t, type, why) &&
              (!block || tensor_read(&e, &t, type, scales, block, why));
    entry_close(&e);
    return ok;
}

static bool visit_part(const contents *c, int part, const float *scales, float *block, problem *why) {
    for (size_t i = 0; i < c->table.count; i++)
        if (member_exists(c->kind, part, &c->table.list[i]) && !visit_tensor(c, part, i, scales, block, why))
            return false;
    return true;
}

static bool check_tensors(const contents *c, problem *why) {
    for (int part = 0; part < PARTS; part++)
        if (!visit_part(c, part, NULL, NULL, why)) return false;
    return true;
}

static bool good_scales(const parameter *t, const float *scales) {
    for (size_t i = 0; i < (size_t)t->rows * t->stride; i++)
        if (!isfinite(scales[i]) || signbit(scales[i])) return false;
    return true;
}

static bool read_scales(const contents *c, float *scales, problem *why) {
    if (!visit_part(c, SCALES, NULL, scales, why)) return false;
    for (size_t i = 0; i < c->table.count; i++) {
        const parameter *p = &c->table.list[i], t = member_tensor(SCALES, p);
        char name[MEMBER_NAME];
        member_name(name, SCALES, p);
        if (member_exists(c->kind, SCALES, p) && !good_scales(&t, scales + t.offset))
            return bad_input(why, "%s: %s: holds a scale that is negative or not finite", c->path, name);
    }
    return true;
}

static bool read_weights(model *m, const contents *from, problem *why) {
    return (from->kind.type == WEIGHTS_F32 || model_set_type(m, from->kind.type, why)) &&
           read_scales(from, m->scales, why) && visit_part(from, WEIGHTS, m->scales, m->block, why);
}

static bool read_optimizer(checkpoint *c, const contents *from, problem *why) {
    size_t floats = c->model.table.floats;
    c->adamw_m = allocate(floats, sizeof(float), "AdamW's state", why);
    c->adamw_v = allocate(floats, sizeof(float), "AdamW's state", why);
    return c->adamw_m && c->adamw_v && visit_part(from, ADAMW_M, NULL, c->adamw_m, why) &&
           visit_part(from, ADAMW_V, NULL, c->adamw_v, why);
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

bool checkpoint_trainable(weight_type type, const char *path, problem *why) {
    return type == WEIGHTS_F32 ||
           bad_input(why, "%s: holds %s weights; training needs float32", path, weight_names[type]);
}

static bool check_contents(const contents *from, bool want_optimizer, problem *why) {
    if (!find_members(from, why) || !refuse_others(from, why) || !check_tensors(from, why)) return false;
    if (!want_optimizer) return true;
    return checkpoint_trainable(from->kind.type, from->path, why) &&
           (from->kind.resumable ||
            bad_input(why, "%s: no AdamW state (adamw.m/, adamw.v/), expected a resumable checkpoint",
                      from->path));
}

/* All that is declared has been checked: now memory may be taken. */
static bool load(checkpoint *c, const contents *from, const shape *s, bool want_optimizer, problem *why) {
    return model_open(&c->model, s, why) && read_weights(&c->model, from, why) &&
           (!want_optimizer || read_optimizer(c, from, why));
}

static bool read_archive(checkpoint *c, archive *a, const char *path, bool want_optimizer, problem *why) {
    checkpoint_meta meta;
    if (!read_meta(&meta, a, path, why)) return false;
    c->tokenizer = meta.tokenizer;
    c->train = meta.train;
    contents from;
    bool ok = contents_open(&from, a, path, &meta, why) && check_contents(&from, want_optimizer, why) &&
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
