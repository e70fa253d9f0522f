/* What values a setting takes and how they lie in memory; text to value and back. */
#ifndef SETTING_TYPE_H
#define SETTING_TYPE_H
#include "parse.h"

typedef struct setting_type {
    enum {
        INTEGER,         /* int64_t */
        INTEGER_OR_AUTO, /* int64_t, 0 is "auto" */
        SEED,            /* uint64_t */
        REAL,            /* double */
        BOOLEAN,         /* bool */
        CHOICE,          /* an enum */
        TEXT             /* char [], terminated */
    } kind;
    real_range range;           /* of an integer too, and of a text's length in bytes */
    const char *const *choices; /* of CHOICE: names in the enum's order, then NULL */
} setting_type;

/* Reads `text` to the value at `at`; `name` starts the message. */
bool setting_read(const setting_type *type, void *at, const char *text, const char *name, problem *why);

/* Writes the value at `at` as setting_read reads it. */
void setting_write(const setting_type *type, const void *at, char *text, size_t size);
#endif
