#include "json_zero.h"
#include "memory.h"
#include <string.h>

static const char ESCAPE[] = "\\u0000", HIDDEN[] = "\xC0\x80";
enum { ESCAPE_LENGTH = sizeof ESCAPE - 1, HIDDEN_LENGTH = sizeof HIDDEN - 1 };

void json_hide_zeros(char *json) {
    char *to = json;
    for (const char *from = json; *from;) {
        if (!strncmp(from, ESCAPE, ESCAPE_LENGTH)) {
            to = mempcpy(to, HIDDEN, HIDDEN_LENGTH);
            from += ESCAPE_LENGTH;
        } else {
            if (from[0] == '\\' && from[1]) *to++ = *from++; /* an escaped backslash begins no other escape */
            *to++ = *from++;
        }
    }
    *to = 0;
}

size_t json_restore_zeros(char *string) {
    char *to = string;
    for (const char *from = string; *from;) {
        bool zero = !strncmp(from, HIDDEN, HIDDEN_LENGTH);
        *to++ = (char)(zero ? 0 : *from);
        from += zero ? HIDDEN_LENGTH : 1;
    }
    *to = 0;
    return (size_t)(to - string);
}

/* A copy of the text in which `what` is spelled `as`, at most three times as long. */
static char *respell(const char *text, size_t bytes, const char *what, size_t length, const char *as,
                     problem *why) {
    char *copy = allocate(bytes + 1, 3, "a text", why), *to = copy;
    for (size_t at = 0; copy && at < bytes;) {
        if (bytes - at >= length && !memcmp(text + at, what, length)) {
            to = stpcpy(to, as);
            at += length;
        } else
            *to++ = text[at++];
    }
    return copy;
}

char *json_string(const char *text, size_t bytes, problem *why) {
    return respell(text, bytes, "", 1, HIDDEN, why);
}

char *json_printed(const char *json, problem *why) {
    return respell(json, strlen(json), HIDDEN, HIDDEN_LENGTH, ESCAPE, why);
}
