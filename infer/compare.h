/* Two arrays of numbers side by side. Equal means equal bits, and a number that is not finite equals
 * nothing. */
#ifndef COMPARE_H
#define COMPARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct comparison {
    size_t values;  /* compared so far */
    size_t unequal; /* of these, with other bits or not finite */
    double largest; /* difference; infinity where a value is not finite */
} comparison;

void compare_bits(comparison *c, const float *a, const float *b, size_t n);

/* Against double precision: `unequal` then counts only what is not finite. */
void compare_doubles(comparison *c, const float *a, const double *b, size_t n);

/* Token ids. */
void compare_tokens(comparison *c, const int32_t *a, const int32_t *b, size_t n);
#endif
