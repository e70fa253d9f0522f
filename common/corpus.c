#include "corpus.h"
#include "memory.h"
#include <string.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "token files are little-endian and are read as they are");

/* ---- Splits ---- */

/* floor(n (1 - val_fraction)), exact in decimals: 1 - 0.9 in binary is less than 0.1. */
static size_t train_share(size_t n, double val_fraction) {
    const uint64_t whole = 1000000000000;
    uint64_t rest = whole - (uint64_t)(val_fraction * (double)whole + 0.5);
    return (size_t)((unsigned __int128)n * rest / whole);
}

static void add_to_sum(token_sum *sum, const void *ids, size_t count, size_t size) {
    sum->count += count;
    sum->crc = (uint32_t)crc32_z(sum->crc, ids, count * size);
}

/* ---- A text ---- */

static bool size_agrees(const tokenizer *t, const corpus_options *o, problem *why) {
    if (o->vocab_size == 0 || o->vocab_size == t->vocab_size) return true;
    return bad_input(why, "vocab_size is %lld where the vocabulary has %d tokens; expected 0 or %d",
                     (long long)o->vocab_size, t->vocab_size, t->vocab_size);
}

static bool encode_text(corpus *c, const corpus_options *o, const char *text, size_t bytes, problem *why) {
    if (bytes == 0) return bad_input(why, "%s: is empty; expected text", o->data);
    bool ok = o->must_use ? tokenizer_copy(&c->tokenizer, o->must_use, why)
                          : tokenizer_from_text(&c->tokenizer, text, bytes, o->data, why);
    return ok && size_agrees(&c->tokenizer, o, why) &&
           tokenizer_encode(&c->tokenizer, text, bytes, o->data, &c->text_tokens, &c->count, why);
}

static bool open_text(corpus *c, const corpus_options *o, problem *why) {
    size_t bytes;
    char *text = file_load(o->data, &bytes, why);
    bool ok = text && encode_text(c, o, text, bytes, why);
    release(text);
    if (!ok) return false;
    c->train_count = train_share(c->count, o->val_fraction);
    add_to_sum(&c->train_sum, c->text_tokens, c->train_count, sizeof *c->text_tokens);
    add_to_sum(&c->validation_sum, c->text_tokens + c->train_count, c->count - c->train_count,
               sizeof *c->text_tokens);
    return true;
}

/* ---- A token file ---- */

enum { BLOCK = 1 << 14 }; /* tokens read at a time */

static bool open_token_file(corpus *c, const char *path, problem *why) {
    uint64_t bytes;
    if (file_is_directory(path)) return bad_input(why, "%s: is a directory, expected a token file", path);
    if (file_exists(path) && !file_is_regular(path))
        return bad_input(why, "%s: is not a regular file, expected a token file", path);
    if (!file_open(&c->bin, path, FILE_READ, why) || !file_size(&c->bin, &bytes, why)) return false;
    if (bytes == 0) return bad_input(why, "%s: is empty; expected token ids", path);
    if (bytes % 2)
        return bad_input(why, "%s: is %llu byte%s long; expected an even number, two for each token id", path,
                         (unsigned long long)bytes, bytes == 1 ? "" : "s");
    c->count = bytes / 2;
    return true;
}

/* Ids below `limit` as the file holds them now: whoever writes to it while it is read must not lead astray.
 */
static bool read_ids(corpus *c, size_t from, size_t count, int limit, uint16_t *ids, problem *why) {
    size_t got;
    if (!file_seek(&c->bin, 2 * from, why) || !file_read(&c->bin, ids, 2 * count, &got, why)) return false;
    if (got < 2 * count)
        return run_failed(why, "%s: was cut before token %zu while it was read; it had %zu tokens",
                          c->bin.path, from + got / 2, c->count);
    for (size_t i = 0; i < count; i++)
        if (ids[i] >= limit)
            return bad_input(why, "%s: token %zu (byte offset %zu) is id %d; expected ids from 0 to %d",
                             c->bin.path, from + i, 2 * (from + i), ids[i], limit - 1);
    return true;
}

static size_t block_of(size_t left) {
    return left < BLOCK ? left : BLOCK;
}

/* Looks through one split. */
static bool scan(corpus *c, size_t from, size_t to, int limit, token_sum *sum, int *largest, problem *why) {
    uint16_t ids[BLOCK];
    for (size_t n; from < to; from += n) {
        n = block_of(to - from);
        if (!read_ids(c, from, n, limit, ids, why)) return false;
        add_to_sum(sum, ids, n, sizeof *ids);
        for (size_t i = 0; i < n; i++)
            if (ids[i] > *largest) *largest = ids[i];
    }
    return true;
}

/* Opens a token file; its ids must lie within the vocabulary (of `known` tokens; 0: it grows to hold them).
 */
static bool open_tokens(corpus *c, const char *path, double val_fraction, tokenizer *vocabulary, int known,
                        problem *why) {
    int limit = known ? known : UINT16_MAX + 1, largest = 0;
    if (!open_token_file(c, path, why)) return false;
    c->train_count = train_share(c->count, val_fraction);
    if (!scan(c, 0, c->train_count, limit, &c->train_sum, &largest, why) ||
        !scan(c, c->train_count, c->count, limit, &c->validation_sum, &largest, why))
        return false;
    if (largest >= vocabulary->vocab_size) vocabulary->vocab_size = largest + 1;
    return true;
}

/* The tokens of val_data come after the others. */
static bool open_validation(corpus *c, const char *path, int known, problem *why) {
    corpus *v = c->validation = allocate(1, sizeof *v, "a corpus", why);
    if (!v) return false;
    v->bin.descriptor = -1;
    if (!open_tokens(v, path, 0, &c->tokenizer, known, why)) return false;
    c->count += v->count;
    c->validation_sum = v->train_sum;
    return true;
}

static bool load_vocab(tokenizer *t, const char *path, problem *why) {
    size_t bytes;
    char *text = file_load(path, &bytes, why);
    bool ok = text && tokenizer_from_chars(t, text, bytes, path, why);
    release(text);
    return ok;
}

/* What is known of the vocabulary before the ids are read; nothing leaves it at 0 tokens. */
static bool open_vocabulary(tokenizer *t, const corpus_options *o, problem *why) {
    bool given = *o->vocab;
    if (given && !load_vocab(t, o->vocab, why)) return false;
    if (given && o->must_use && !tokenizer_equal(t, o->must_use))
        return bad_input(why, "%s: is not the vocabulary of the checkpoint; expected its %d tokens", o->vocab,
                         o->must_use->vocab_size);
    if (!given && o->must_use && !tokenizer_copy(t, o->must_use, why)) return false;
    if (t->vocab_size == 0) t->vocab_size = (int)o->vocab_size;
    return size_agrees(t, o, why);
}

static bool open_token_files(corpus *c, const corpus_options *o, problem *why) {
    if (!open_vocabulary(&c->tokenizer, o, why)) return false;
    int known = c->tokenizer.vocab_size;
    double val_fraction = *o->val_data ? 0 : o->val_fraction;
    return open_tokens(c, o->data, val_fraction, &c->tokenizer, known, why) &&
           (!*o->val_data || open_validation(c, o->val_data, known, why));
}

/* ---- Both ---- */

bool corpus_is_token_file(const char *path) {
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".bin") == 0;
}

bool corpus_open(corpus *c, const corpus_options *o, problem *why) {
    *c = (corpus){.bin.descriptor = -1};
    bool ok = corpus_is_token_file(o->data) ? open_token_files(c, o, why) : open_text(c, o, why);
    if (!ok) corpus_close(c);
    return ok;
}

void corpus_close(corpus *c) {
    if (c->validation) corpus_close(c->validation);
    release(c->validation);
    file_drop(&c->bin);
    release(c->text_tokens);
    tokenizer_close(&c->tokenizer);
    *c = (corpus){.bin.descriptor = -1};
}

static bool long_enough(size_t count, int block_size, const char *purpose, const char *source, problem *why) {
    if (count > (size_t)block_size) return true;
    return bad_input(why, "%s: %zu token%s to %s; block_size %d needs at least %d", source, count,
                     count == 1 ? "" : "s", purpose, block_size, block_size + 1);
}

bool corpus_check_splits(const corpus *c, int block_size, const char *data, problem *why) {
    return long_enough(c->train_count, block_size, "train on", data, why) &&
           long_enough(c->count - c->train_count, block_size, "validate on",
                       c->validation ? "val_data" : data, why);
}

/* Copies tokens that all come from the corpus's own file, whose ids are below `limit`. */
static bool copy_own(corpus *c, size_t from, size_t count, int limit, int32_t *out, problem *why) {
    uint16_t ids[BLOCK];
    if (c->text_tokens) memcpy(out, c->text_tokens + from, count * sizeof *out);
    for (size_t at = 0, n; !c->text_tokens && at < count; at += n) {
        n = block_of(count - at);
        if (!read_ids(c, from + at, n, limit, ids, why)) return false;
        for (size_t i = 0; i < n; i++) out[at + i] = ids[i];
    }
    return true;
}

bool corpus_read(corpus *c, size_t from, size_t count, int32_t *out, problem *why) {
    int limit = c->tokenizer.vocab_size;
    size_t own = c->validation ? c->train_count : c->count;
    size_t left = from < own ? own - from : 0;
    size_t here = count < left ? count : left;
    if (!copy_own(c, from, here, limit, out, why)) return false;
    return here == count || !c->validation ||
           copy_own(c->validation, from + here - own, count - here, limit, out + here, why);
}

bool corpus_validation(corpus *c, int32_t **tokens, size_t *count, problem *why) {
    *count = c->count - c->train_count;
    *tokens = allocate(*count, sizeof **tokens, "the validation tokens", why);
    return *tokens && corpus_read(c, c->train_count, *count, *tokens, why);
}
