#include "json.h"
#include "parse.h"
#include <math.h>
#include <stdio.h>

static void print_quoted(const char *text) {
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') putchar('\\');
        if ((unsigned char)*c < 32)
            printf("\\u%04x", *c);
        else
            putchar(*c);
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
