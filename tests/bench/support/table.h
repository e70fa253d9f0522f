/* A table of figures: Markdown on standard output, and the same figures as an array in a JSON file, to which
 * several programs add. */
#ifndef TABLE_H
#define TABLE_H
#include "problem.h"

typedef struct column {
    const char *title, *key; /* in Markdown and in JSON */
    double scale;            /* JSON has plain seconds, bytes, shares; Markdown shows them times `scale` */
    int decimals;
    const char *unit; /* after the number: "" or " %" */
} column;

typedef struct table {
    const char *path;
    const column *columns;
    int count;
    struct cJSON *file, *rows;
} table;

/* Takes the array `key` of the file at `path` (either is made where it is not there). A new array's table
 * begins with a line that says `what` it shows, and the heads of its columns. */
bool table_open(table *t, const char *path, const char *key, const char *what, int count,
                const column *columns, problem *why);

/* One value for each column; NaN: nothing to say. */
void table_row(table *t, const char *label, const double *values);

/* Writes the file. */
bool table_close(table *t, problem *why);
#endif
