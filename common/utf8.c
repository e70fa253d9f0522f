#include "utf8.h"

/* The length that a first byte announces, its payload bits, and the lowest code point that needs that
 * length. */
typedef struct form {
    size_t length;
    uint32_t payload, lowest;
} form;

static form form_of(unsigned char first) {
    if (first < 0x80) return (form){1, first, 0};
    if (first < 0xC0) return (form){0, 0, 0}; /* a continuation byte starts nothing */
    if (first < 0xE0) return (form){2, first & 0x1Fu, 0x80};
    if (first < 0xF0) return (form){3, first & 0x0Fu, 0x800};
    if (first < 0xF8) return (form){4, first & 0x07u, 0x10000};
    return (form){0, 0, 0};
}

static bool is_code_point(uint32_t code) {
    return code < CODE_POINTS && (code < 0xD800 || code > 0xDFFF);
}

bool utf8_decode(const char *text, size_t bytes, size_t *at, uint32_t *code) {
    form f = form_of((unsigned char)text[*at]);
    if (f.length == 0 || f.length > bytes - *at) return false;
    uint32_t value = f.payload;
    for (size_t i = 1; i < f.length; i++) {
        unsigned char next = (unsigned char)text[*at + i];
        if ((next & 0xC0) != 0x80) return false;
        value = value << 6 | (next & 0x3Fu);
    }
    if (value < f.lowest || !is_code_point(value)) return false;
    *at += f.length;
    *code = value;
    return true;
}

size_t utf8_encode(uint32_t code, char out[4]) {
    static const unsigned char first[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(first[length] | code);
    return length;
}

bool utf8_is_printable(uint32_t code) {
    return (code >= 0x20 && code < 0x7F) || code >= 0xA0;
}
