#include "json.h"
#include "parse.h"
#include "utf8.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_character(const char *text, size_t length) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text < 32)
        printf("\\u%04x", *text);
    else
        (void)fwrite(text, 1, length, stdout);
}

/* JSON is UTF-8: what a path has that is not becomes the replacement character. */
static void print_quoted(const char *text) {
    size_t length = strlen(text);
    uint32_t code;
    putchar('"');
    for (size_t at = 0, from = 0; from < length; from = at)
        if (utf8_decode(text, length, &at, &code)) {
            print_character(text + from, at - from);
        } else {
            (void)fputs("\\ufffd", stdout);
            at = from + 1;
        }
    putchar('"');
}

static void begin(json *j, const char *key) {
    if (j->begun) putchar(',');
    if (key) {
        print_quoted(key);
        putchar(':');
    }
    j->begun = true;
}

void json_open(json *j, const char *key, char bracket) {
    begin(j, key);
    putchar(bracket);
    j->begun = false;
}

void json_close(json *j, char bracket) {
    putchar(bracket);
    j->begun = true;
}

void json_text(json *j, const char *key, const char *text) {
    begin(j, key);
    print_quoted(text);
}

void json_number(json *j, const char *key, double value) {
    char text[32] = "null";
    begin(j, key);
    if (fabs(value) < 0x1p53 && value == floor(value))
        snprintf(text, sizeof text, "%.0f", value);
    else if (isfinite(value))
        real_text(value, text);
    fputs(text, stdout);
}

void json_bool(json *j, const char *key, bool value) {
    begin(j, key);
    fputs(value ? "true" : "false", stdout);
}
