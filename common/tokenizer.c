#include "tokenizer.h"
#include "memory.h"
#include "utf8.h"
#include <stdio.h>
#include <string.h>

/* ---- Vocabularies ---- */

static bool next_char(const char *text, size_t bytes, const char *source, size_t *at, uint32_t *code,
                      problem *why) {
    if (utf8_decode(text, bytes, at, code)) return true;
    return bad_input(why, "%s: the byte 0x%02x at byte offset %zu is not UTF-8; expected UTF-8 text", source,
                     (unsigned char)text[*at], *at);
}

/* Both arrays of a vocabulary of at most `chars` characters; the ids are zero. */
static bool open_chars(tokenizer *t, size_t chars, problem *why) {
    t->chars = allocate(chars, sizeof *t->chars, "a vocabulary", why);
    t->ids = allocate(CODE_POINTS, sizeof *t->ids, "a vocabulary", why);
    return t->chars && t->ids;
}

static bool finish(tokenizer *t, bool ok, const char *source, problem *why) {
    if (ok && t->vocab_size == 0) ok = bad_input(why, "%s: no characters; expected at least one", source);
    if (!ok) tokenizer_close(t);
    return ok;
}

static bool mark_seen(tokenizer *t, const char *text, size_t bytes, const char *source, problem *why) {
    for (size_t at = 0; at < bytes;) {
        uint32_t code;
        if (!next_char(text, bytes, source, &at, &code, why)) return false;
        t->ids[code] = 1;
    }
    return true;
}

/* Gives the marked code points their ranks. */
static void number_seen(tokenizer *t) {
    for (uint32_t code = 0; code < CODE_POINTS; code++) {
        bool seen = t->ids[code] != 0;
        t->ids[code] = seen ? t->vocab_size : -1;
        if (seen) t->chars[t->vocab_size++] = code;
    }
}

bool tokenizer_from_text(tokenizer *t, const char *text, size_t bytes, const char *source, problem *why) {
    *t = (tokenizer){0};
    bool ok = open_chars(t, bytes < CODE_POINTS ? bytes : CODE_POINTS, why) &&
              mark_seen(t, text, bytes, source, why);
    if (ok) number_seen(t);
    return finish(t, ok, source, why);
}

static bool append_char(tokenizer *t, uint32_t code, size_t at, const char *source, problem *why) {
    if (t->ids[code] >= 0)
        return bad_input(why,
                         "%s: the character U+%04X at byte offset %zu is there twice; expected each once",
                         source, code, at);
    t->ids[code] = t->vocab_size;
    t->chars[t->vocab_size++] = code;
    return true;
}

static bool append_chars(tokenizer *t, const char *chars, size_t bytes, const char *source, problem *why) {
    memset(t->ids, -1, CODE_POINTS * sizeof *t->ids);
    uint32_t code;
    for (size_t at = 0, from = 0; at < bytes; from = at)
        if (!next_char(chars, bytes, source, &at, &code, why) || !append_char(t, code, from, source, why))
            return false;
    return true;
}

bool tokenizer_from_chars(tokenizer *t, const char *chars, size_t bytes, const char *source, problem *why) {
    *t = (tokenizer){0};
    bool ok = open_chars(t, bytes < CODE_POINTS ? bytes : CODE_POINTS, why) &&
              append_chars(t, chars, bytes, source, why);
    return finish(t, ok, source, why);
}

bool tokenizer_from_ids(tokenizer *t, int vocab_size) {
    *t = (tokenizer){.vocab_size = vocab_size};
    return vocab_size > 0;
}

bool tokenizer_copy(tokenizer *to, const tokenizer *from, problem *why) {
    *to = (tokenizer){.vocab_size = from->vocab_size};
    if (!from->chars) return true;
    if (!open_chars(to, (size_t)from->vocab_size, why)) {
        tokenizer_close(to);
        return false;
    }
    memcpy(to->chars, from->chars, (size_t)from->vocab_size * sizeof *to->chars);
    memcpy(to->ids, from->ids, CODE_POINTS * sizeof *to->ids);
    return true;
}

void tokenizer_close(tokenizer *t) {
    release(t->chars);
    release(t->ids);
    *t = (tokenizer){0};
}

bool tokenizer_equal(const tokenizer *a, const tokenizer *b) {
    if (a->vocab_size != b->vocab_size || !a->chars != !b->chars) return false;
    return !a->chars || memcmp(a->chars, b->chars, (size_t)a->vocab_size * sizeof *a->chars) == 0;
}

/* ---- Text to tokens ---- */

static bool unknown_char(const tokenizer *t, uint32_t code, size_t at, const char *source, problem *why) {
    char shown[8] = "";
    if (utf8_is_printable(code)) {
        shown[0] = ' ', shown[1] = '\'';
        shown[2 + utf8_encode(code, shown + 2)] = '\'';
    }
    return bad_input(
        why, "%s: the character U+%04X%s at byte offset %zu is not among the vocabulary's %d characters",
        source, code, shown, at, t->vocab_size);
}

static bool encode_to(int32_t *tokens, size_t *count, const tokenizer *t, const char *text, size_t bytes,
                      const char *source, problem *why) {
    uint32_t code;
    *count = 0;
    for (size_t at = 0, from = 0; at < bytes; from = at) {
        if (!next_char(text, bytes, source, &at, &code, why)) return false;
        if (t->ids[code] < 0) return unknown_char(t, code, from, source, why);
        tokens[(*count)++] = t->ids[code];
    }
    return true;
}

/* What an encoder ends with: the array, or nothing. */
static bool hand_over(bool ok, int32_t *encoded, int32_t **tokens) {
    if (!ok) release(encoded);
    *tokens = ok ? encoded : NULL;
    return ok;
}

bool tokenizer_encode(const tokenizer *t, const char *text, size_t bytes, const char *source,
                      int32_t **tokens, size_t *count, problem *why) {
    *tokens = NULL;
    if (!t->chars)
        return bad_input(why, "%s: text where the vocabulary has ids only; expected token ids", source);
    int32_t *encoded = allocate(bytes, sizeof *encoded, "the tokens of a text", why);
    return encoded && hand_over(encode_to(encoded, count, t, text, bytes, source, why), encoded, tokens);
}

/* ---- Lists of ids ---- */

static const char BLANKS[] = " \t\r\n";

/* The end of the id at p (a comma or the list's end), or NULL where there is no id below vocab_size. */
static const char *parse_id(const char *p, int vocab_size, int32_t *id) {
    const char *end = p;
    int64_t value = 0;
    for (; *end >= '0' && *end <= '9' && value < vocab_size; end++) value = value * 10 + (*end - '0');
    if (end == p || value >= vocab_size) return NULL;
    *id = (int32_t)value;
    end += strspn(end, BLANKS);
    return *end == 0 || *end == ',' ? end : NULL;
}

static bool not_an_id(const tokenizer *t, const char *p, size_t at, problem *why) {
    size_t length = strcspn(p, ",");
    return bad_input(
        why,
        "--tokens: \"%.*s\" at byte offset %zu is not a token id; expected whole numbers from 0 to %d "
        "with commas between them",
        length < 40 ? (int)length : 40, p, at, t->vocab_size - 1);
}

static bool parse_to(int32_t *tokens, size_t *count, const tokenizer *t, const char *list, problem *why) {
    *count = 0;
    for (const char *p = list + strspn(list, BLANKS), *end; *p; p = end + strspn(end, BLANKS)) {
        end = parse_id(p, t->vocab_size, &tokens[*count]);
        if (!end) return not_an_id(t, p, (size_t)(p - list), why);
        end += *end == ',';
        (*count)++;
    }
    return true;
}

bool tokenizer_parse_ids(const tokenizer *t, const char *list, int32_t **tokens, size_t *count,
                         problem *why) {
    *tokens = NULL;
    int32_t *parsed = allocate(strlen(list) / 2 + 1, sizeof *parsed, "a list of tokens", why);
    return parsed && hand_over(parse_to(parsed, count, t, list, why), parsed, tokens);
}

/* ---- Tokens to text ---- */

int32_t tokenizer_first(const tokenizer *t) {
    return t->ids && t->ids['\n'] >= 0 ? t->ids['\n'] : 0;
}

size_t tokenizer_text(const tokenizer *t, int32_t token, char out[16]) {
    if (!t->chars) return (size_t)snprintf(out, 16, "%d,", token);
    size_t length = utf8_encode(t->chars[token], out);
    out[length] = 0;
    return length;
}

char *tokenizer_chars(const tokenizer *t, size_t *bytes, problem *why) {
    char *text = allocate((size_t)t->vocab_size * 4 + 1, 1, "a vocabulary's text", why);
    *bytes = 0;
    if (text && t->chars)
        for (int id = 0; id < t->vocab_size; id++) *bytes += utf8_encode(t->chars[id], text + *bytes);
    return text;
}
