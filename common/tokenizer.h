/* Characters to tokens and back. A character tokenizer's vocabulary is in id order; an "ids" tokenizer
 * has no texts. */
#ifndef TOKENIZER_H
#define TOKENIZER_H
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

typedef struct tokenizer {
    int vocab_size;
    uint32_t *chars; /* code point of each id; NULL: token ids have no text */
    int32_t *ids;    /* id of each code point below 0x110000, -1 where there is none; NULL without chars */
} tokenizer;

/* The sorted set of a text's code points, as Python's sorted(set(text)). `source` names the text in messages;
 * text that is not UTF-8 is refused with the byte offset. */
bool tokenizer_from_text(tokenizer *t, const char *text, size_t bytes, const char *source, problem *why);

/* The characters of a UTF-8 string, in id order; a repeated character is refused. */
bool tokenizer_from_chars(tokenizer *t, const char *chars, size_t bytes, const char *source, problem *why);

/* Ids without texts; false, and nothing else wrong, where vocab_size is not positive. */
bool tokenizer_from_ids(tokenizer *t, int vocab_size);

bool tokenizer_copy(tokenizer *to, const tokenizer *from, problem *why);
void tokenizer_close(tokenizer *t);
bool tokenizer_equal(const tokenizer *a, const tokenizer *b);

/* Encodes UTF-8; *tokens is allocated (release()), *count its length. A character that the vocabulary lacks,
 * or a byte that is not UTF-8, is named with its offset in `source`. */
bool tokenizer_encode(const tokenizer *t, const char *text, size_t bytes, const char *source,
                      int32_t **tokens, size_t *count, problem *why);

/* Parses "1,2,3": ids below vocab_size, blanks around them or none; a comma at the end is allowed, so that
 * what tokenizer_text writes can be read. An empty list is no tokens. */
bool tokenizer_parse_ids(const tokenizer *t, const char *list, int32_t **tokens, size_t *count, problem *why);

/* What an empty prompt stands for: the newline, or id 0 where there is none. */
int32_t tokenizer_first(const tokenizer *t);

/* Writes token's text and a terminating 0 to out (at most 16 bytes): UTF-8, or the id in decimal
 * followed by a comma where ids have no text ("ids" output is a comma-separated list). Returns the
 * number of bytes without the 0. */
size_t tokenizer_text(const tokenizer *t, int32_t token, char out[16]);

/* All the characters in id order as UTF-8, *bytes long and a 0 after them (release()); NULL and a message
 * without memory. The length matters: U+0000 is an ordinary character. */
char *tokenizer_chars(const tokenizer *t, size_t *bytes, problem *why);
#endif
