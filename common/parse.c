#include "parse.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPECTATION = 160 };

static bool refuse(const char *name, const char *expected, const char *text, problem *why) {
    return bad_input(why, "%s must be %s, not \"%.80s\"", name, expected, text);
}

static bool only(const char *text, const char *allowed) {
    return *text && !text[strspn(text, allowed)];
}

static bool read_integer(const char *text, int64_t min, int64_t max, int64_t *value) {
    if (!only(text, "+-0123456789")) return false;
    char *end;
    errno = 0;
    int64_t read = strtoll(text, &end, 10);
    if (errno || *end || end == text || read < min || read > max) return false;
    *value = read;
    return true;
}

bool parse_integer(const char *text, int64_t min, int64_t max, const char *name, int64_t *value,
                   problem *why) {
    if (read_integer(text, min, max, value)) return true;
    char expected[EXPECTATION];
    snprintf(expected, sizeof expected, "an integer from %" PRId64 " to %" PRId64, min, max);
    return refuse(name, expected, text, why);
}

bool parse_integer_or_auto(const char *text, int64_t min, int64_t max, const char *name, int64_t *value,
                           problem *why) {
    if (!strcmp(text, "auto")) {
        *value = 0;
        return true;
    }
    if (read_integer(text, min, max, value)) return true;
    char expected[EXPECTATION];
    snprintf(expected, sizeof expected, "auto or an integer from %" PRId64 " to %" PRId64, min, max);
    return refuse(name, expected, text, why);
}

bool parse_seed(const char *text, const char *name, uint64_t *value, problem *why) {
    errno = 0;
    uint64_t read = strtoull(text, NULL, 10);
    if (errno || !only(text, "0123456789"))
        return refuse(name, "an integer from 0 to 18446744073709551615", text, why);
    *value = read;
    return true;
}

static bool inside(real_range range, double x) {
    return (range.above_min ? x > range.min : x >= range.min) &&
           (range.below_max ? x < range.max : x <= range.max);
}

static void describe(real_range range, char text[EXPECTATION]) {
    const char *lower = range.above_min ? "above" : "of at least",
               *upper = range.below_max ? "below" : "at most";
    if (isfinite(range.max))
        snprintf(text, EXPECTATION, "a number %s %g and %s %g", lower, range.min, upper, range.max);
    else
        snprintf(text, EXPECTATION, "a number %s %g", lower, range.min);
}

/* Neither program calls setlocale, so strtod and printf use the point. The list of characters keeps out what
 * strtod would take besides: blanks, infinities, NaN and hexadecimal. */
bool parse_real(const char *text, real_range range, const char *name, double *value, problem *why) {
    char *end = NULL;
    double read = only(text, "+-.eE0123456789") ? strtod(text, &end) : NAN;
    if (end && end != text && !*end && isfinite(read) && inside(range, read)) {
        *value = read;
        return true;
    }
    char expected[EXPECTATION];
    describe(range, expected);
    return refuse(name, expected, text, why);
}

static void append(char text[EXPECTATION], const char *more) {
    strncat(text, more, EXPECTATION - strlen(text) - 1);
}

bool parse_choice(const char *text, const char *const *choices, const char *name, int *value, problem *why) {
    char expected[EXPECTATION] = "";
    for (int i = 0; choices[i]; i++) {
        if (!strcmp(text, choices[i])) {
            *value = i;
            return true;
        }
        append(expected, i == 0 ? "" : choices[i + 1] ? ", " : " or ");
        append(expected, choices[i]);
    }
    return refuse(name, expected, text, why);
}

void real_text(double value, char text[32]) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (!memcmp(&back, &value, sizeof value)) return;
    }
}
