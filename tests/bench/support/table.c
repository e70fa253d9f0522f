#include "table.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static cJSON *read_file(const char *path) {
    FILE *file = fopen(path, "re");
    char *text = calloc(1, MOST_BYTES);
    if (file && text && fread(text, 1, MOST_BYTES - 1, file) == 0) *text = 0;
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    if (file) (void)fclose(file);
    free(text);
    return json ? json : cJSON_CreateObject();
}

static void print_heads(const table *t, const char *what) {
    printf("\n| %s |", what);
    for (int i = 0; i < t->count; i++) printf(" %s |", t->columns[i].title);
    printf("\n| --- |");
    for (int i = 0; i < t->count; i++) printf(" ---: |");
    printf("\n");
}

bool table_open(table *t, const char *path, const char *key, const char *what, int count,
                const column *columns, problem *why) {
    *t = (table){.path = path, .columns = columns, .count = count, .file = read_file(path)};
    t->rows = cJSON_GetObjectItem(t->file, key);
    if (!t->rows) {
        t->rows = cJSON_AddArrayToObject(t->file, key);
        print_heads(t, what);
    }
    return t->rows || run_failed(why, "out of memory for the table %s", key);
}

void table_row(table *t, const char *label, const double *values) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "what", label);
    cJSON_AddItemToArray(t->rows, row);
    printf("| %s |", label);
    for (int i = 0; i < t->count; i++) {
        const column *c = &t->columns[i];
        if (isnan(values[i])) {
            printf(" |");
            continue;
        }
        cJSON_AddNumberToObject(row, c->key, values[i]);
        printf(" %.*f%s |", c->decimals, c->scale * values[i], c->unit);
    }
    printf("\n");
    (void)fflush(stdout);
}

bool table_close(table *t, problem *why) {
    char *text = cJSON_Print(t->file);
    FILE *file = fopen(t->path, "we");
    bool written = text && file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0) written = false;
    free(text);
    cJSON_Delete(t->file);
    return written || run_failed(why, "%s: cannot write: %s", t->path, strerror(errno));
}
