#include "arguments.h"
#include "nearest.h"
#include "team.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* An option as it stands in argv: a name of `length` bytes, dashes included, and what follows its "=". */
typedef struct word {
    const char *text, *value;
    int length;
} word;

static word split(const char *argument) {
    size_t length = strcspn(argument, "=");
    return (word){argument, argument[length] ? argument + length + 1 : NULL, (int)length};
}

/* A letter with its value attached: -n5. */
static bool is_attached(word w, const option *o) {
    return w.length > 2 && o->letter && o->value && w.text[0] == '-' && w.text[1] == o->letter;
}

static bool names(word w, const option *o) {
    if (is_attached(w, o)) return true;
    if (w.length == 2 && o->letter && w.text[1] == o->letter) return true;
    size_t length = strlen(o->name);
    return (size_t)w.length == length + 2 && !strncmp(w.text, "--", 2) &&
           !memcmp(w.text + 2, o->name, length);
}

static bool unknown(word w, const option *options, problem *why) {
    char name[80];
    snprintf(name, sizeof name, "%.*s", w.length, w.text);
    nearest best = {.word = name + strspn(name, "-")};
    for (const option *o = options; o->name; o++) nearest_try(&best, o->name);
    return bad_input(why, "unknown option %s; the nearest is --%s", name, best.found);
}

/* Takes the option at *next, and its value where that is an argument of its own; moves *next past them. */
static bool take_option(arguments *a, char *const **next, char *const *end, problem *why) {
    word w = split(*(*next)++);
    int i = 0;
    while (a->options[i].name && !names(w, &a->options[i])) i++;
    assert(i < MAX_OPTIONS);
    const option *o = &a->options[i];
    if (!o->name) return unknown(w, a->options, why);
    if (is_attached(w, o)) w = (word){w.text, w.text + 2, 2};
    if (a->values[i]) return bad_input(why, "%.*s is given twice", w.length, w.text);
    if (!o->value && w.value) return bad_input(why, "%.*s takes no value", w.length, w.text);
    const char *value = w.value ? w.value : o->value && *next < end ? *(*next)++ : NULL;
    bool names_nothing = value && !*value && !strcmp(o->value, "FILE");
    if (o->value && (!value || names_nothing))
        return bad_input(why, "%.*s needs a value: %.*s %s", w.length, w.text, w.length, w.text, o->value);
    a->values[i] = o->value ? value : "";
    return true;
}

static bool take_positional(arguments *a, const char *argument, int most, problem *why) {
    if (a->positional_count >= most) return bad_input(why, "unexpected argument \"%.200s\"", argument);
    a->positionals[a->positional_count++] = argument;
    return true;
}

bool arguments_parse(arguments *a, int argc, char *const *argv, const option *options, int most,
                     problem *why) {
    assert(most <= MAX_POSITIONALS);
    *a = (arguments){.options = options};
    bool ended = false;
    for (char *const *next = argv + 1, *const *end = argv + argc; next < end;) {
        bool dashed = !ended && (*next)[0] == '-' && (*next)[1];
        if (dashed && !strcmp(*next, "--")) {
            ended = true;
            next++;
        } else if (!(dashed ? take_option(a, &next, end, why) : take_positional(a, *next++, most, why)))
            return false;
    }
    return true;
}

const char *arguments_value(const arguments *a, const char *name) {
    int i = 0;
    while (a->options[i].name && strcmp(a->options[i].name, name)) i++;
    assert(a->options[i].name);
    return a->values[i];
}

/* The option's text, and its name as messages show it. */
static const char *lookup(const arguments *a, const char *name, char shown[64]) {
    snprintf(shown, 64, "--%s", name);
    return arguments_value(a, name);
}

bool arguments_integer(const arguments *a, const char *name, int64_t min, int64_t max, int64_t *value,
                       problem *why) {
    char shown[64];
    const char *text = lookup(a, name, shown);
    return !text || parse_integer(text, min, max, shown, value, why);
}

bool arguments_seed(const arguments *a, const char *name, uint64_t *value, problem *why) {
    char shown[64];
    const char *text = lookup(a, name, shown);
    return !text || parse_seed(text, shown, value, why);
}

bool arguments_real(const arguments *a, const char *name, real_range bounds, double *value, problem *why) {
    char shown[64];
    const char *text = lookup(a, name, shown);
    return !text || parse_real(text, bounds, shown, value, why);
}

bool arguments_choice(const arguments *a, const char *name, const char *const *choices, int *value,
                      problem *why) {
    char shown[64];
    const char *text = lookup(a, name, shown);
    return !text || parse_choice(text, choices, shown, value, why);
}

bool arguments_threads(const arguments *a, int64_t *value, problem *why) {
    char shown[64];
    const char *text = lookup(a, "threads", shown);
    return !text || parse_integer_or_auto(text, 1, MAX_THREADS, shown, value, why);
}

void option_line(const option *o, char *line, size_t size) {
    char form[80], letter[8] = "";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(form, sizeof form, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
    snprintf(line, size, "  %-26s %s", form, o->help);
}
