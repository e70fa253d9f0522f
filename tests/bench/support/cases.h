/* A benchmark's command line: FIGURES.json ROUNDS CONFIG [--key=value ...] [+ --key=value ... [+ ...]].
 * The first case is the recipe with the first changes; every other case is the first one with its own. */
#ifndef CASES_H
#define CASES_H
#include "settings.h"

enum { MOST_CASES = 8 };

typedef struct bench_case {
    char label[256]; /* "shakespeare.conf --threads=1"; of the others, what they change */
    settings settings;
} bench_case;

typedef struct cases {
    const char *figures; /* the file for the figures */
    int rounds, count;
    bench_case list[MOST_CASES];
} cases;

/* Into a zeroed *c: the whole command line, or what begins with CONFIG. */
bool cases_read(cases *c, int argc, char **argv, problem *why);
bool cases_read_recipe(cases *c, int count, char **arguments, problem *why);
#endif
