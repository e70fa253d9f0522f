/* UTF-8 texts: the tokens of a text, as text, are that text; a vocabulary's characters make that vocabulary.
 */
#include "corpus.h"
#include "input.h"
#include "memory.h"
#include <string.h>

static void decode(const corpus *c, const uint8_t *data, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i < c->count; i++) {
        char text[16];
        size_t length = tokenizer_text(&c->tokenizer, c->text_tokens[i], text);
        must(length <= size - at && !memcmp(text, data + at, length), "another text comes back");
        at += length;
    }
    must(at == size, "a part of the text comes back");
}

static void rebuild(const tokenizer *t) {
    size_t bytes;
    tokenizer copy;
    problem why;
    char *chars = tokenizer_chars(t, &bytes, &why);
    must(chars, why.text);
    must(tokenizer_from_chars(&copy, chars, bytes, "chars", &why), why.text);
    must(tokenizer_equal(t, &copy), "another vocabulary comes back");
    tokenizer_close(&copy);
    release(chars);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    corpus c;
    problem why;
    const corpus_options o = {
        .data = input_file("a.txt", data, size), .val_data = "", .vocab = "", .val_fraction = 0.1};
    if (corpus_open(&c, &o, &why)) {
        decode(&c, data, size);
        rebuild(&c.tokenizer);
        corpus_close(&c);
    } else
        must_refuse(&why);
    return 0;
}
