/* Writes JSON to standard output, member by member: nothing is kept, so nothing can run out of memory. */
#ifndef JSON_H
#define JSON_H
#include <stdbool.h>

typedef struct json {
    bool begun; /* the object or array at hand has a member: a comma comes before the next one */
} json;

/* `key` is NULL in an array and for the outermost value; `bracket` is '{' or '['. */
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);
void json_text(json *j, const char *key, const char *text);
/* As many digits as give the same double; null where it is not finite. */
void json_number(json *j, const char *key, double value);
void json_bool(json *j, const char *key, bool value);
#endif
