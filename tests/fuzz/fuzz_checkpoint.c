/* A checkpoint's members: the input is "@@NAME\nBYTES" for each, from which an archive is made that is whole.
 */
#include "checkpoint.h"
#include "input.h"
#include "stored_zip.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t *find(const uint8_t *from, const uint8_t *end, const char *what) {
    const uint8_t *at = memmem(from, (size_t)(end - from), what, strlen(what));
    return at ? at : end;
}

/* The member that begins after a mark; where it ends. */
static const uint8_t *take_member(stored_member *m, const uint8_t *from, const uint8_t *end) {
    const uint8_t *next = find(from, end, "@@"), *line = find(from, next, "\n");
    m->name = from;
    m->name_length = (uint16_t)(line - from);
    m->bytes = line < next ? line + 1 : next;
    m->size = (uint32_t)(next - m->bytes);
    return next;
}

static int take_members(stored_member members[STORED_MEMBERS], const uint8_t *data, size_t size) {
    const uint8_t *end = data + size, *at = find(data, end, "@@");
    int count = 0;
    while (end - at > 2 && count < STORED_MEMBERS) at = take_member(&members[count++], at + 2, end);
    return count;
}

static bool loads(const char *path, bool want_optimizer) {
    checkpoint c;
    problem why;
    bool ok = checkpoint_read(&c, path, want_optimizer, &why);
    if (ok) {
        must(!want_optimizer || (c.adamw_m && c.adamw_v), "resumable without AdamW's state");
        must(c.model.shape.vocab_size == c.tokenizer.vocab_size,
             "a vocabulary of another size than the model's");
        checkpoint_close(&c);
    } else
        must_refuse(&why);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    stored_member members[STORED_MEMBERS];
    if (size > UINT16_MAX) return 0; /* a name may be all of it */
    int count = take_members(members, data, size);
    size_t length;
    uint8_t *bytes = stored_zip(members, count, &length);
    const char *path = input_file("m.npz", bytes, length);
    bool alone = loads(path, false), all = loads(path, true);
    must(alone || !all, "resumable, but without weights");
    free(bytes);
    return 0;
}
