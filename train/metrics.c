#include "metrics.h"
#include "memory.h"
#include "run_directory.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEADER[] =
    "iter,tokens,train_loss,val_loss,learning_rate,grad_norm,tokens_per_second,gflops\n";
enum { ROW_LENGTH = 256 };

/* ---- What an earlier run has left ---- */

/* Whole rows of earlier iterations are kept; a row that a power cut has torn is not. */
static bool keeps(const char *line, size_t length, int64_t iteration) {
    return line[length - 1] == '\n' && line[0] >= '0' && line[0] <= '9' &&
           strtoll(line, NULL, 10) < iteration;
}

/* Moves the rows that stay together, over the others; returns their length. */
static size_t keep_rows(char *text, size_t size, int64_t iteration) {
    size_t kept = 0;
    for (size_t at = 0, length; at < size; at += length) {
        const char *end = memchr(text + at, '\n', size - at);
        length = end ? (size_t)(end - (text + at)) + 1 : size - at;
        if (!keeps(text + at, length, iteration)) continue;
        memmove(text + kept, text + at, length);
        kept += length;
    }
    return kept;
}

static bool replace(metrics *m, const char *rows, size_t size, problem *why) {
    replacement r;
    if (!replacement_open(&r, m->path, why)) return false;
    m->length = strlen(HEADER) + size;
    bool written = file_write(&r.file, HEADER, strlen(HEADER), why) && file_write(&r.file, rows, size, why);
    return replacement_finish(&r, written, why);
}

static bool keep_earlier(metrics *m, int64_t iteration, problem *why) {
    bool there;
    if (!file_look(m->path, &there, why)) return false;
    if (!there) return replace(m, "", 0, why);
    size_t size;
    char *text = file_load(m->path, &size, why);
    bool done = text && replace(m, text, keep_rows(text, size, iteration), why);
    release(text);
    return done;
}

bool metrics_open(metrics *m, const char *out_dir, int64_t iteration, problem *why) {
    *m = (metrics){.file.descriptor = -1};
    return run_directory_file(out_dir, METRICS_FILE, m->path, why) && keep_earlier(m, iteration, why) &&
           file_open(&m->file, m->path, FILE_UPDATE, why);
}

/* ---- Rows ---- */

/* Appends a field; nothing where the value is not known. */
static size_t field(char *row, size_t at, const char *format, double value) {
    row[at++] = ',';
    if (isnan(value)) return at;
    return at + (size_t)snprintf(row + at, ROW_LENGTH - at, format, value);
}

static size_t format_row(char row[ROW_LENGTH], const metrics_row *r) {
    size_t at = (size_t)snprintf(row, ROW_LENGTH, "%" PRId64 ",%" PRId64, r->iteration, r->tokens);
    at = field(row, at, "%.9g", r->train_loss);
    at = field(row, at, "%.9g", r->val_loss);
    at = field(row, at, "%.9g", r->learning_rate);
    at = field(row, at, "%.9g", r->grad_norm);
    at = field(row, at, "%.6g", r->tokens_per_second);
    at = field(row, at, "%.6g", r->gflops);
    row[at++] = '\n';
    return at;
}

static bool make_room(metrics *m, size_t size, problem *why) {
    if (m->pending_length + size <= m->capacity) return true;
    size_t capacity = 2 * m->capacity + ROW_LENGTH;
    char *larger = allocate(capacity, 1, "rows of metrics", why);
    if (!larger) return false;
    if (m->pending) memcpy(larger, m->pending, m->pending_length);
    release(m->pending);
    m->pending = larger;
    m->capacity = capacity;
    return true;
}

/* A failed attempt may leave a part behind `length`, which the next one writes over. */
static bool write_pending(metrics *m, problem *why) {
    if (!m->pending_length) return true;
    if (!file_seek(&m->file, m->length, why) || !file_write(&m->file, m->pending, m->pending_length, why))
        return false;
    m->length += m->pending_length;
    m->pending_length = 0;
    return true;
}

bool metrics_append(metrics *m, const metrics_row *row, problem *why) {
    char text[ROW_LENGTH];
    size_t size = format_row(text, row);
    if (!make_room(m, size, why)) return false;
    memcpy(m->pending + m->pending_length, text, size);
    m->pending_length += size;
    return write_pending(m, why);
}

bool metrics_sync(metrics *m, problem *why) {
    return write_pending(m, why) && file_sync(&m->file, why);
}

void metrics_close(metrics *m) {
    file_drop(&m->file);
    release(m->pending);
    *m = (metrics){.file.descriptor = -1};
}
