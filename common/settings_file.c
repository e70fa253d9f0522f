#include "memory.h"
#include "settings.h"
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

/* inih cuts lines at 200 bytes. Debian's build has a variable for that; with any other, longer lines
 * are refused. */
extern int ini_max_line __attribute__((weak));

enum { LINE_LENGTH = 4096, MOST_LINES = 10000 };

typedef struct config {
    FILE *file;
    const char *path;
    char place[PATH_LENGTH + 32]; /* "quick.conf line 3" */
    settings *settings;
    settings_given given; /* in this file */
    int line, refused;    /* refused: the line that `why` is about, 0 while all is well */
    problem *why;
} config;

/* inih's own inline comments start with a semicolon only. */
static void drop_comment(char *line) {
    for (char *c = line; *c; c++)
        if (*c == '#' && (c == line || c[-1] == ' ' || c[-1] == '\t')) {
            *c = 0;
            return;
        }
}

/* inih takes an indented line to continue the one before. */
static void drop_indent(char *line) {
    char *text = line + strspn(line, " \t\r\n");
    memmove(line, text, strlen(text) + 1);
}

static bool whole_line(const config *c, const char *line, int size) {
    if (c->line > MOST_LINES)
        return bad_input(c->why, "%s: more than %d lines; expected a config file", c->path, MOST_LINES);
    if (strchr(line, '\n') || feof(c->file)) return true;
    if (strlen(line) < (size_t)size - 1)
        return bad_input(c->why, "%s: holds a zero byte; expected text", c->place);
    return bad_input(c->why, "%s: longer than %d bytes", c->place, size - 2);
}

/* inih would tell of a section only where a key follows. */
static bool no_section(const config *c, const char *line) {
    return *line != '[' || bad_input(c->why, "%s: there are no sections such as %.*s", c->place,
                                     (int)strcspn(line, "\r\n"), line);
}

/* The reader that inih calls in place of fgets; NULL ends the parse. */
static char *next_line(char *line, int size, void *context) {
    config *c = context;
    if (c->refused || !fgets(line, size, c->file)) return NULL;
    snprintf(c->place, sizeof c->place, "%s line %d", c->path, ++c->line);
    bool fine = whole_line(c, line, size);
    if (fine) {
        drop_comment(line);
        drop_indent(line);
        fine = no_section(c, line);
    }
    if (!fine) c->refused = c->line;
    return fine ? line : NULL;
}

static bool set(config *c, const char *key, const char *value) {
    if (!*key) return bad_input(c->why, "%s: expected key = value", c->place);
    if (settings_was_given(&c->given, key)) return bad_input(c->why, "%s: %s is given twice", c->place, key);
    return settings_set(c->settings, &c->given, key, value, c->place, c->why);
}

static int on_pair(void *context, const char *section, const char *key, const char *value) {
    config *c = context;
    (void)section; /* no_section has refused it */
    if (!c->refused && !set(c, key, value)) c->refused = c->line;
    return !c->refused;
}

static bool parse(config *c) {
    if (&ini_max_line) ini_max_line = LINE_LENGTH;
    int bad = ini_parse_stream(next_line, c, on_pair, c);
    if (ferror(c->file)) return bad_input(c->why, "cannot read %s: %s", c->path, strerror(errno));
    if (bad > 0 && bad != c->refused)
        return bad_input(c->why, "%s line %d: expected key = value", c->path, bad);
    return bad == 0 && !c->refused;
}

bool settings_read(settings *s, settings_given *given, const char *path, problem *why) {
    config c = {.file = fopen(path, "r"), .path = path, .settings = s, .why = why};
    if (!c.file) return bad_input(why, "cannot read %s: %s", path, strerror(errno));
    bool read = parse(&c);
    fclose(c.file);
    if (given) given->bits |= c.given.bits;
    return read;
}

/* One line for a row, after a heading where its group begins. Returns the line's length. */
static size_t write_row(char *text, size_t size, const char *before, const settings *s, const setting *row) {
    char value[PATH_LENGTH];
    int n = 0;
    settings_value(s, row, value, sizeof value);
    if (strcmp(before, row->group)) n = snprintf(text, size, "%s# %s\n", *before ? "\n" : "", row->group);
    n += snprintf(text + n, size - (size_t)n, "%s =%s%s\n", row->key, *value ? " " : "", value);
    return (size_t)n;
}

char *settings_text(const settings *s, problem *why) {
    const setting *row;
    const char *before = "";
    size_t rows = 0, length = 0;
    while (settings_at(rows)) rows++;
    size_t size = rows * (PATH_LENGTH + 64);
    char *text = allocate(size, 1, "the settings as text", why);
    for (size_t i = 0; text && (row = settings_at(i)); i++) {
        length += write_row(text + length, size - length, before, s, row);
        before = row->group;
    }
    return text;
}
