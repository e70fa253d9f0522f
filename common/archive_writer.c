#include "archive_writer.h"
#include "memory.h"
#include <errno.h>
#include <zip.h>

/* ---- The file, as libzip writes it ---- */

typedef struct output {
    file *file;
    uint64_t position, size;
    zip_error_t error; /* for libzip; and the same for the caller: */
    problem failure;   /* exit_status 0: none */
} output;

static zip_int64_t output_write(output *o, const void *data, zip_uint64_t size) {
    if (!file_write(o->file, data, (size_t)size, &o->failure)) {
        zip_error_set(&o->error, ZIP_ER_WRITE, 0);
        return -1;
    }
    o->position += size;
    if (o->size < o->position) o->size = o->position;
    return (zip_int64_t)size;
}

/* libzip goes back to complete a member's header with its CRC. */
static zip_int64_t output_seek(output *o, void *data, zip_uint64_t size) {
    zip_int64_t to = zip_source_seek_compute_offset(o->position, o->size, data, size, &o->error);
    if (to < 0) return -1;
    if (!file_seek(o->file, (uint64_t)to, &o->failure)) {
        zip_error_set(&o->error, ZIP_ER_SEEK, 0);
        return -1;
    }
    o->position = (uint64_t)to;
    return 0;
}

static zip_int64_t output_stat(zip_stat_t *stat) {
    zip_stat_init(stat);
    stat->valid = ZIP_STAT_SIZE;
    stat->size = 0;
    return sizeof *stat;
}

static zip_int64_t output_supports(void) {
    return zip_source_make_command_bitmap(
        ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
        ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_BEGIN_WRITE,
        ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE,
        ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
}

/* An empty file that libzip may write to. It becomes durable, or goes, in replacement_finish: committing and
 * rolling back are nothing here. */
static zip_int64_t output_io(void *context, void *data, zip_uint64_t size, zip_source_cmd_t command) {
    output *o = context;
    switch (command) {
    case ZIP_SOURCE_WRITE:
        return output_write(o, data, size);
    case ZIP_SOURCE_SEEK_WRITE:
        return output_seek(o, data, size);
    case ZIP_SOURCE_TELL_WRITE:
        return (zip_int64_t)o->position;
    case ZIP_SOURCE_STAT:
        return output_stat(data);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&o->error, data, size);
    case ZIP_SOURCE_SUPPORTS:
        return output_supports();
    default:
        return 0;
    }
}

/* ---- A member, as libzip reads it: already deflated ---- */

typedef struct input {
    const archive_source *member;
    deflater *deflater; /* libzip reads one member after the other */
} input;

static zip_int64_t input_open(input *in) {
    const archive_source *m = in->member;
    deflater_begin(in->deflater, m->bytes, m->context, m->size);
    return 0;
}

/* The CRC is asked for when all has been read. */
static zip_int64_t input_stat(const input *in, zip_stat_t *stat) {
    zip_stat_init(stat);
    stat->valid = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;
    stat->size = in->member->size;
    stat->comp_method = ZIP_CM_DEFLATE;
    stat->crc = deflater_crc(in->deflater);
    return sizeof *stat;
}

static zip_int64_t input_io(void *context, void *data, zip_uint64_t size, zip_source_cmd_t command) {
    input *in = context;
    switch (command) {
    case ZIP_SOURCE_OPEN:
        return input_open(in);
    case ZIP_SOURCE_READ:
        return (zip_int64_t)deflater_read(in->deflater, data, (size_t)size);
    case ZIP_SOURCE_STAT:
        return input_stat(in, data);
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default:
        return 0;
    }
}

/* ---- The archive ---- */

enum { MIDNIGHT = 0, FIRST_DAY = 1 << 5 | 1 }; /* 1980-01-01 00:00, as MS-DOS tells it */

static bool add_member(zip_t *zip, input *in) {
    zip_source_t *source = zip_source_function(zip, input_io, in);
    zip_int64_t index = source ? zip_file_add(zip, in->member->name, source, 0) : -1;
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    return zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 0) == 0 &&
           zip_file_set_dostime(zip, (zip_uint64_t)index, MIDNIGHT, FIRST_DAY, 0) == 0;
}

/* libzip does not always say that there was no memory: malloc's errno does. */
static bool failed(const output *o, zip_error_t *error, problem *why) {
    if (o->failure.exit_status)
        *why = o->failure;
    else if (zip_error_code_zip(error) == ZIP_ER_MEMORY || errno == ENOMEM)
        run_failed(why, "%s: cannot write: out of memory", o->file->path);
    else
        run_failed(why, "%s: cannot write: %s", o->file->path, zip_error_strerror(error));
    return false;
}

static zip_t *open_zip(output *o, problem *why) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_function_create(output_io, o, &error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error) : NULL;
    if (!zip) {
        failed(o, &error, why);
        zip_source_free(source);
    }
    zip_error_fini(&error);
    return zip;
}

/* zip_close does all the work. */
static bool write_members(output *o, size_t count, input *inputs, problem *why) {
    zip_t *zip = open_zip(o, why);
    if (!zip) return false;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) ok = add_member(zip, &inputs[i]);
    if (ok && zip_close(zip) == 0) return true;
    failed(o, zip_get_error(zip), why);
    zip_discard(zip);
    return false;
}

static bool write_inputs(file *f, size_t count, input *inputs, problem *why) {
    output o = {.file = f};
    zip_error_init(&o.error);
    errno = 0;
    bool ok = write_members(&o, count, inputs, why);
    zip_error_fini(&o.error);
    return ok;
}

bool archive_write(file *f, size_t count, const archive_source *members, team *t, problem *why) {
    input *inputs = allocate(count, sizeof *inputs, "an archive's members", why);
    deflater *d = inputs ? deflater_open(t, why) : NULL;
    for (size_t i = 0; d && i < count; i++) inputs[i] = (input){&members[i], d};
    bool ok = d && write_inputs(f, count, inputs, why);
    deflater_close(d);
    release(inputs);
    return ok;
}
