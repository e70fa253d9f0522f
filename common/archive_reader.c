#include "archive_reader.h"
#include "file.h"
#include "memory.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

struct archive {
    file file;
    uint64_t size, position; /* of the file; where libzip reads next */
    zip_t *zip;
    zip_error_t error; /* of our file, for libzip */
    problem failure;   /* the same, as the file layer told it; exit_status 0: none */
};

/* ---- The file, as libzip reads it ---- */

static zip_int64_t io_failed(archive *a) {
    zip_error_set(&a->error, ZIP_ER_READ, 0);
    return -1;
}

static zip_int64_t io_move(archive *a, uint64_t position) {
    if (!file_seek(&a->file, position, &a->failure)) return io_failed(a);
    a->position = position;
    return 0;
}

static zip_int64_t io_seek(archive *a, void *data, zip_uint64_t size) {
    zip_int64_t to = zip_source_seek_compute_offset(a->position, a->size, data, size, &a->error);
    return to < 0 ? -1 : io_move(a, (uint64_t)to);
}

static zip_int64_t io_read(archive *a, void *data, zip_uint64_t size) {
    size_t got;
    if (!file_read(&a->file, data, (size_t)size, &got, &a->failure)) return io_failed(a);
    a->position += got;
    return (zip_int64_t)got;
}

static zip_int64_t io_stat(const archive *a, zip_stat_t *stat) {
    zip_stat_init(stat);
    stat->valid = ZIP_STAT_SIZE;
    stat->size = a->size;
    return sizeof *stat;
}

static zip_int64_t io(void *context, void *data, zip_uint64_t size, zip_source_cmd_t command) {
    archive *a = context;
    switch (command) {
    case ZIP_SOURCE_OPEN:
        return io_move(a, 0);
    case ZIP_SOURCE_READ:
        return io_read(a, data, size);
    case ZIP_SOURCE_SEEK:
        return io_seek(a, data, size);
    case ZIP_SOURCE_TELL:
        return (zip_int64_t)a->position;
    case ZIP_SOURCE_STAT:
        return io_stat(a, data);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&a->error, data, size);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_SEEK,
                                              ZIP_SOURCE_TELL, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                              ZIP_SOURCE_CLOSE, ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS, -1);
    default:
        zip_error_set(&a->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

/* ---- The archive ---- */

/* What libzip found wrong: our own file's failure where there was one; want of memory, which it may take for
 * anything else, but malloc tells errno (each caller clears it); else the archive is at fault. */
static bool refused(const archive *a, zip_error_t *error, const char *source, problem *why) {
    if (a->failure.exit_status)
        *why = a->failure;
    else if (zip_error_code_zip(error) == ZIP_ER_MEMORY || errno == ENOMEM)
        run_failed(why, "%s: out of memory", source);
    else if (zip_error_code_zip(error) == ZIP_ER_INVAL) /* a place to seek to that is none */
        bad_input(why, "%s: points outside the file", source);
    else if (zip_error_code_zip(error) == ZIP_ER_NOZIP)
        bad_input(why, "%s: not a zip archive, or cut short; expected a checkpoint (.npz)", source);
    else
        bad_input(why, "%s: %s", source, zip_error_strerror(error));
    return false;
}

static bool open_zip(archive *a, problem *why) {
    if (!file_size(&a->file, &a->size, why)) return false;
    zip_error_t error;
    zip_error_init(&error);
    errno = 0;
    zip_source_t *source = zip_source_function_create(io, a, &error);
    if (source) a->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (!a->zip) {
        refused(a, &error, a->file.path, why);
        zip_source_free(source);
    }
    zip_error_fini(&error);
    return a->zip;
}

/* Members that share bytes of the file could declare far more than it can hold. */
static bool check_room(const archive *a, problem *why) {
    uint64_t left = a->size;
    for (size_t i = 0; i < archive_count(a); i++) {
        zip_stat_t stat;
        if (zip_stat_index(a->zip, i, 0, &stat) != 0)
            return refused(a, zip_get_error(a->zip), a->file.path, why);
        if (stat.comp_size > left)
            return bad_input(why, "%s: %.120s: declares more than what the other members leave of the file",
                             a->file.path, archive_name(a, i));
        left -= stat.comp_size;
    }
    return true;
}

archive *archive_open(const char *path, problem *why) {
    archive *a = allocate(1, sizeof *a, "an archive", why);
    if (!a) return NULL;
    zip_error_init(&a->error);
    if (file_open(&a->file, path, FILE_READ, why) && open_zip(a, why) && check_room(a, why)) return a;
    archive_close(a);
    return NULL;
}

void archive_close(archive *a) {
    if (!a) return;
    if (a->zip) zip_discard(a->zip);
    zip_error_fini(&a->error);
    file_drop(&a->file);
    release(a);
}

size_t archive_count(const archive *a) {
    return (size_t)zip_get_num_entries(a->zip, 0);
}

const char *archive_name(const archive *a, size_t index) {
    const char *name = zip_get_name(a->zip, index, ZIP_FL_ENC_RAW);
    return name ? name : "";
}

bool archive_find(const archive *a, const char *name, size_t *index) {
    zip_int64_t found = zip_name_locate(a->zip, name, ZIP_FL_ENC_RAW);
    *index = (size_t)found;
    return found >= 0;
}

/* ---- One member ---- */

/* Deflate makes at most 1032 bytes of one. */
static bool possible(const zip_stat_t *stat) {
    return stat->size / 1032 <= stat->comp_size;
}

static bool check_declared(archive_entry *e, const zip_stat_t *stat, problem *why) {
    if (stat->encryption_method != ZIP_EM_NONE)
        return bad_input(why, "%s: is encrypted, expected a plain member", e->source);
    if (stat->comp_method != ZIP_CM_DEFLATE && stat->comp_method != ZIP_CM_STORE)
        return bad_input(why, "%s: compression method %d, expected deflate or none", e->source,
                         stat->comp_method);
    e->size = stat->size;
    if (possible(stat)) return true;
    return bad_input(why, "%s: declares %" PRIu64 " bytes, more than the file can hold", e->source,
                     stat->size);
}

bool entry_open(archive_entry *e, archive *a, size_t index, problem *why) {
    *e = (archive_entry){.archive = a};
    snprintf(e->source, sizeof e->source, "%.500s: %.120s", a->file.path, archive_name(a, index));
    zip_stat_t stat;
    errno = 0;
    if (zip_stat_index(a->zip, index, 0, &stat) != 0)
        return refused(a, zip_get_error(a->zip), e->source, why);
    if (!check_declared(e, &stat, why)) return false;
    e->stream = zip_fopen_index(a->zip, index, 0);
    return e->stream || refused(a, zip_get_error(a->zip), e->source, why);
}

void entry_close(archive_entry *e) {
    if (e->stream) zip_fclose(e->stream);
    e->stream = NULL;
}

bool entry_read(archive_entry *e, void *data, size_t count, problem *why) {
    errno = 0;
    for (char *next = data; count > 0;) {
        zip_int64_t n = zip_fread(e->stream, next, count);
        if (n < 0) return refused(e->archive, zip_file_get_error(e->stream), e->source, why);
        if (n == 0) return bad_input(why, "%s: ends too early", e->source);
        next += n;
        count -= (size_t)n;
    }
    return true;
}

/* libzip compares the CRC when it meets the end. */
bool entry_finish(archive_entry *e, problem *why) {
    char beyond;
    errno = 0;
    zip_int64_t n = zip_fread(e->stream, &beyond, 1);
    if (n < 0) return refused(e->archive, zip_file_get_error(e->stream), e->source, why);
    return n == 0 || bad_input(why, "%s: is longer than it should be", e->source);
}
