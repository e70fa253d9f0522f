#include "problem.h"
#include "utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void make_printable(char *text) {
    size_t length = strlen(text);
    for (size_t at = 0, from = 0; at < length; from = at) {
        uint32_t code;
        if (utf8_decode(text, length, &at, &code) && utf8_is_printable(code)) continue;
        text[from] = '?';
        at = from + 1;
    }
}

static bool fill(problem *why, int exit_status, const char *format, va_list arguments) {
    why->exit_status = exit_status;
    if (vsnprintf(why->text, sizeof why->text, format, arguments) < 0) why->text[0] = 0;
    make_printable(why->text);
    return false;
}

bool bad_input(problem *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(why, BAD_INPUT, format, arguments);
    va_end(arguments);
    return false;
}

bool run_failed(problem *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(why, RUN_FAILED, format, arguments);
    va_end(arguments);
    return false;
}
