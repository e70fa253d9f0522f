#include "problem.h"
#include <stdarg.h>
#include <stdio.h>

static bool fill(problem *why, int exit_status, const char *format, va_list arguments) {
    why->exit_status = exit_status;
    if (vsnprintf(why->text, sizeof why->text, format, arguments) < 0) why->text[0] = 0;
    for (char *c = why->text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = '?';
    return false;
}

bool bad_input(problem *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(why, 2, format, arguments);
    va_end(arguments);
    return false;
}

bool run_failed(problem *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(why, 1, format, arguments);
    va_end(arguments);
    return false;
}
