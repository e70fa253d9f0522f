/* The format, version 1. A checkpoint is a ZIP archive (an .npz) of these members and no others:
 *
 *   meta.json            what the others are, below
 *   <name>.npy           each tensor of the model, by its name in the parameter table (parameters.c)
 *   <name>.scale.npy     the scales of each matrix of bytes
 *   adamw.m/<name>.npy   AdamW's first moment of each tensor, and
 *   adamw.v/<name>.npy   its second: all of both in a resumable checkpoint, none in one of weights alone
 *
 * Arrays are .npy (npy.h) of float32, little-endian ('<f4'), in C order; vectors have shape (n,), weights of
 * linear layers (out, in). When read, members are stored or deflated, in any order. Written ones are
 * deflated, in the table's order, meta.json first, and dated 1980-01-01, so that the same state gives the
 * same bytes. What passes 4 GB is Zip64.
 *
 * Weights may be narrow, for inference alone: every matrix is then float16 ('<f2'), or bytes ('|i1') from
 * -127 to 127 with float32 scales, at least 0, of shape (rows, ceil(columns / 128)): an element stands for
 * its byte times the scale of its row and group of 128 columns, rounded to float32 once. Vectors stay
 * float32, and there is no state of AdamW. (kernels.h says what a layer of such weights computes.)
 *
 * meta.json is an object in UTF-8, at most 16 MiB and 10000 values:
 *
 *   format       "sawtooth-checkpoint"
 *   version      1
 *   weights      "f32", "f16" or "int8"; absent: "f32"
 *   model        n_layer, n_head, n_embd, block_size, vocab_size, activation, qkv_bias, bias, head_bias and
 *                tie_weights, as in a configuration, and with its defaults where they are absent; vocab_size
 *                may be absent with a char tokenizer. Other keys of a configuration are accepted and ignored.
 *   tokenizer    {"type": "char", "chars": the characters in the order of their ids} or {"type": "ids"}
 *   train        how far training has come; may be absent:
 *     iteration    updates made
 *     seed         of the run: a string, because numbers in JSON are doubles (small numbers are read as well)
 *     best_loss    lowest validation loss so far; null or absent: none yet
 *     data         {"train": {"tokens": their number, "crc32": of their ids}, "validation": the same}, by
 *                  which a run knows its corpus again; may be absent
 *     settings     the run's whole configuration, every value a string as in config.conf (when read, numbers
 *                  and booleans too); may be absent
 *
 * Other keys beside these six are ignored. */
#include "checkpoint.h"
#include "archive_writer.h"
#include "checkpoint_members.h"
#include "checkpoint_meta.h"
#include "memory.h"
#include <stdio.h>
#include <string.h>

typedef struct tensor_member {
    char name[MEMBER_NAME];
    npy_array array;
} tensor_member;

static void text_bytes(const void *text, uint64_t offset, void *out, size_t count) {
    memcpy(out, (const char *)text + offset, count);
}

/* Room for one member more than there are tensors. */
typedef struct member_list {
    size_t count;
    archive_source *sources;
    tensor_member *tensors;
} member_list;

static bool list_open(member_list *l, size_t tensors, problem *why) {
    *l = (member_list){.sources = allocate(tensors + 1, sizeof *l->sources, "a checkpoint's members", why),
                       .tensors = allocate(tensors, sizeof *l->tensors, "a checkpoint's members", why)};
    return l->sources && l->tensors;
}

static void list_close(member_list *l) {
    release(l->tensors);
    release(l->sources);
}

static void list_tensor(member_list *l, const checkpoint_view *view, checkpoint_kind kind, int part,
                        const parameter *p) {
    const float *const blocks[PARTS] = {view->block, view->scales, view->adamw_m, view->adamw_v};
    parameter t = member_tensor(part, p);
    tensor_member *m = &l->tensors[l->count - 1];
    member_name(m->name, part, p);
    m->array = (npy_array){.element = member_element(member_type(kind, part, p)),
                           .dims = t.dims,
                           .rows = (size_t)t.rows,
                           .cols = (size_t)t.cols,
                           .stride = t.stride,
                           .data = blocks[part] + t.offset,
                           .scales = view->scales ? view->scales + p->scale_offset : NULL};
    l->sources[l->count++] = (archive_source){m->name, npy_size(&m->array), npy_bytes, &m->array};
}

static void list_tensors(member_list *l, const checkpoint_view *view) {
    checkpoint_kind kind = {view->type, view->adamw_m && view->adamw_v};
    for (int part = 0; part < PARTS; part++)
        for (size_t i = 0; i < view->table->count; i++)
            if (member_exists(kind, part, &view->table->list[i]))
                list_tensor(l, view, kind, part, &view->table->list[i]);
}

static bool write_members(file *f, const checkpoint_view *view, const archive_source *meta, team *t,
                          problem *why) {
    member_list l;
    bool ok = list_open(&l, PARTS * view->table->count, why);
    if (ok) {
        l.sources[l.count++] = *meta;
        list_tensors(&l, view);
        ok = archive_write(f, l.count, l.sources, t, why);
    }
    list_close(&l);
    return ok;
}

static bool write_all(file *f, const checkpoint_view *view, team *t, problem *why) {
    size_t size;
    char *text = meta_write(view, &size, why);
    if (!text) return false;
    const archive_source meta = {META_MEMBER, size, text_bytes, text};
    bool ok = write_members(f, view, &meta, t, why);
    release(text);
    return ok;
}

bool checkpoint_prepare(replacement *r, const char *path, const checkpoint_view *view, team *t,
                        problem *why) {
    if (!replacement_open(r, path, why)) return false;
    return write_all(&r->file, view, t, why) || replacement_finish(r, false, why);
}

bool checkpoint_write(const char *path, const checkpoint_view *view, team *t, problem *why) {
    replacement r;
    return checkpoint_prepare(&r, path, view, t, why) && replacement_finish(&r, true, why);
}

void checkpoint_close(checkpoint *c) {
    release(c->adamw_v);
    release(c->adamw_m);
    tokenizer_close(&c->tokenizer);
    model_close(&c->model);
    *c = (checkpoint){0};
}

bool checkpoint_path(const char *name, char *path, size_t size, problem *why) {
    int length = (int)strlen(name);
    bool directory = file_is_directory(name);
    while (directory && length > 1 && name[length - 1] == '/') length--;
    int needed = snprintf(path, size, "%.*s%s", length, name, directory ? "/" BEST_FILE : "");
    if (needed >= 0 && (size_t)needed < size) return true;
    return bad_input(why, "%.200s...: the path must be shorter than %zu bytes", name, size);
}
