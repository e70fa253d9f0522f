/* Strict UTF-8: overlong forms, surrogates and anything above U+10FFFF are refused. */
#ifndef UTF8_H
#define UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_POINTS = 0x110000 };

/* Decodes the code point that starts at text[*at], *at < bytes, and moves *at past it. False, and *at
 * unchanged, where the bytes there are not UTF-8. */
bool utf8_decode(const char *text, size_t bytes, size_t *at, uint32_t *code);

/* Writes a code point that utf8_decode can give, and returns how many bytes it took. */
size_t utf8_encode(uint32_t code, char out[4]);

/* True for a code point that a one-line message can show as it is: no control character of ASCII or
 * Latin-1. */
bool utf8_is_printable(uint32_t code);
#endif
