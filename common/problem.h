/* Errors as values: library code fills a problem and returns false; only main prints it and exits. */
#ifndef PROBLEM_H
#define PROBLEM_H
#include <stdbool.h>

enum { RUN_FAILED = 1, BAD_INPUT = 2 }; /* exit statuses: what was to be done failed; bad usage or input */

typedef struct problem {
    int exit_status;
    char text[1024]; /* one line, without a newline at its end */
} problem;

/* Both return false, so that a function can end with `return bad_input(why, ...)`. What is not printable
 * UTF-8 in the formatted text is replaced by '?', so that the message stays one line, and no command to a
 * terminal, whatever a file's name or a hostile file holds. */
bool bad_input(problem *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool run_failed(problem *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
