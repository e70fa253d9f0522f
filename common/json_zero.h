/* U+0000 through cJSON, whose strings end at it although it is an ordinary character of a vocabulary.
 * While a text is in cJSON's hands the character is spelled C0 80, as Java's modified UTF-8 has it:
 * bytes that are in no valid text. */
#ifndef JSON_ZERO_H
#define JSON_ZERO_H
#include "problem.h"
#include <stddef.h>

/* Before parsing: \u0000 becomes C0 80, in place. */
void json_hide_zeros(char *json);

/* After parsing: C0 80 becomes 0, in place; the string's length. */
size_t json_restore_zeros(char *string);

/* Before printing: `bytes` bytes as a string that cJSON can have; release(). */
char *json_string(const char *text, size_t bytes, problem *why);

/* After printing: C0 80 becomes \u0000; release(). */
char *json_printed(const char *json, problem *why);
#endif
