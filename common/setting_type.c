#include "setting_type.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const booleans[] = {"false", "true", NULL};

/* A text has to survive config.conf: one line, where blanks at the ends go and a comment may start
 * after a blank. */
static bool fits_a_line(const char *text) {
    for (const char *c = text; *c; c++) {
        bool first = c == text, last = !c[1];
        if ((unsigned char)*c < ' ' || *c == 127) return false;
        if (*c == ' ' && (first || last)) return false;
        if ((*c == '#' || *c == ';') && (first || c[-1] == ' ')) return false;
    }
    return true;
}

static bool read_text(const char *text, real_range length, const char *name, char *at, problem *why) {
    size_t bytes = strlen(text);
    if ((double)bytes < length.min) return bad_input(why, "%s must not be empty", name);
    if ((double)bytes > length.max)
        return bad_input(why, "%s must be at most %.0f bytes long, not %zu", name, length.max, bytes);
    if (!fits_a_line(text))
        return bad_input(
            why,
            "%s must be one line without a blank at either end and without # or ; at its start or "
            "after a blank, not \"%.80s\"",
            name, text);
    memcpy(at, text, bytes + 1);
    return true;
}

static bool read_boolean(const char *text, const char *name, bool *at, problem *why) {
    int value;
    if (!parse_choice(text, booleans, name, &value, why)) return false;
    *at = value;
    return true;
}

/* The enums of struct settings have no name that a pointer could have; each is as large as an int. */
static bool read_choice(const char *text, const char *const *choices, const char *name, void *at,
                        problem *why) {
    int value;
    if (!parse_choice(text, choices, name, &value, why)) return false;
    memcpy(at, &value, sizeof value);
    return true;
}

bool setting_read(const setting_type *type, void *at, const char *text, const char *name, problem *why) {
    real_range r = type->range;
    switch (type->kind) {
    case INTEGER:
        return parse_integer(text, (int64_t)r.min, (int64_t)r.max, name, at, why);
    case INTEGER_OR_AUTO:
        return parse_integer_or_auto(text, (int64_t)r.min, (int64_t)r.max, name, at, why);
    case SEED:
        return parse_seed(text, name, at, why);
    case REAL:
        return parse_real(text, r, name, at, why);
    case BOOLEAN:
        return read_boolean(text, name, at, why);
    case CHOICE:
        return read_choice(text, type->choices, name, at, why);
    case TEXT:
        return read_text(text, r, name, at, why);
    }
    return false;
}

static void write_integer(int64_t value, bool automatic, char *text, size_t size) {
    if (automatic && value == 0)
        snprintf(text, size, "auto");
    else
        snprintf(text, size, "%" PRId64, value);
}

static void write_real(double value, char *text, size_t size) {
    char shortest[32];
    real_text(value, shortest);
    snprintf(text, size, "%s", shortest);
}

static const char *choice(const char *const *choices, const void *at) {
    int value;
    memcpy(&value, at, sizeof value);
    return choices[value];
}

void setting_write(const setting_type *type, const void *at, char *text, size_t size) {
    switch (type->kind) {
    case INTEGER:
        write_integer(*(const int64_t *)at, false, text, size);
        break;
    case INTEGER_OR_AUTO:
        write_integer(*(const int64_t *)at, true, text, size);
        break;
    case SEED:
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)at);
        break;
    case REAL:
        write_real(*(const double *)at, text, size);
        break;
    case BOOLEAN:
        snprintf(text, size, "%s", booleans[*(const bool *)at]);
        break;
    case CHOICE:
        snprintf(text, size, "%s", choice(type->choices, at));
        break;
    case TEXT:
        snprintf(text, size, "%s", (const char *)at);
        break;
    }
}
