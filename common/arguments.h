/* Command-line options of both programs: `--name value`, `--name=value`, `-n value`, flags, and positionals
 * between them; `--` ends the options. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H
#include "parse.h"

typedef struct option {
    const char *name;  /* without its dashes; NULL ends a table */
    char letter;       /* a short form, or 0 */
    const char *value; /* what --help calls the value ("N"); NULL: a flag, which takes none */
    const char *help;
} option;

enum { MAX_OPTIONS = 64, MAX_POSITIONALS = 4 };

typedef struct arguments {
    const option *options;
    const char *values[MAX_OPTIONS]; /* of each option, in the table's order; NULL where it was not given */
    const char *positionals[MAX_POSITIONALS];
    int positional_count;
} arguments;

/* Reads argv[1] .. argv[argc - 1], with at most `most` positionals. Refuses an unknown option (naming the
 * nearest), an option given twice or without its value (an empty FILE is none), a flag with one, and a
 * positional too many. Keeps pointers into argv and the table. */
bool arguments_parse(arguments *a, int argc, char *const *argv, const option *options, int most,
                     problem *why);

/* The option's text, "" for a flag; NULL where it was not given. `name` must be in the table. */
const char *arguments_value(const arguments *a, const char *name);

/* These leave *value, the default, as it is where the option was not given; false: its text was refused. */
bool arguments_integer(const arguments *a, const char *name, int64_t min, int64_t max, int64_t *value,
                       problem *why);
bool arguments_seed(const arguments *a, const char *name, uint64_t *value, problem *why);
bool arguments_real(const arguments *a, const char *name, real_range bounds, double *value, problem *why);
bool arguments_choice(const arguments *a, const char *name, const char *const *choices, int *value,
                      problem *why);

/* The value of --threads: 0 for "auto", or 1 .. MAX_THREADS. */
bool arguments_threads(const arguments *a, int64_t *value, problem *why);

/* The option's line in --help, without a newline. */
void option_line(const option *o, char *line, size_t size);
#endif
