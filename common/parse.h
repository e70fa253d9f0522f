/* Values from text, and what was expected where they are refused: shared by settings and command-line
 * options.
 *
 * The whole text must be the value: no blanks around it, nothing after it. `name` starts
 * the message: "--top-k must be an integer from 0 to 65536, not "x"". Where a function
 * returns false, *value is as it was. */
#ifndef PARSE_H
#define PARSE_H
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

/* Decimal, min <= value <= max. */
bool parse_integer(const char *text, int64_t min, int64_t max, const char *name, int64_t *value,
                   problem *why);

/* The same, or "auto", which is 0. */
bool parse_integer_or_auto(const char *text, int64_t min, int64_t max, const char *name, int64_t *value,
                           problem *why);

/* Any 64-bit number without a sign. */
bool parse_seed(const char *text, const char *name, uint64_t *value, problem *why);

typedef struct real_range {
    double min, max;           /* infinite: no bound */
    bool above_min, below_max; /* the bound itself is out */
} real_range;

/* A finite decimal number with a point (never a comma) and perhaps an exponent. */
bool parse_real(const char *text, real_range range, const char *name, double *value, problem *why);

/* The index of `text` in a list of words that ends with NULL. */
bool parse_choice(const char *text, const char *const *choices, const char *name, int *value, problem *why);

/* The shortest text that parse_real reads as the same double. */
void real_text(double value, char text[32]);
#endif
