#include "file.h"
#include "memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(const char *verb, const char *path, problem *why) {
    return run_failed(why, "%s: cannot %s: %m", path, verb);
}

/* ---- One file ---- */

/* Opening failed because of what was named, not because of the machine. */
static bool wrong_name(void) {
    return errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == EACCES || errno == ELOOP ||
           errno == ENAMETOOLONG;
}

static int open_descriptor(const char *path, int flags) {
    int descriptor;
    do descriptor = open(path, flags | O_CLOEXEC, 0666);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

bool file_open(file *f, const char *path, file_mode mode, problem *why) {
    static const int flags[] = {[FILE_READ] = O_RDONLY,
                                [FILE_DIRECTORY] = O_RDONLY | O_DIRECTORY,
                                [FILE_CREATE] = O_WRONLY | O_CREAT | O_TRUNC,
                                [FILE_UPDATE] = O_WRONLY | O_CREAT,
                                [FILE_NEW] = O_WRONLY | O_CREAT | O_EXCL};
    *f = (file){open_descriptor(path, flags[mode]), path};
    if (f->descriptor >= 0) return true;
    if (mode == FILE_READ && wrong_name()) return bad_input(why, "%s: cannot open: %m", path);
    return cannot("open", path, why);
}

bool file_size(const file *f, uint64_t *size, problem *why) {
    struct stat status;
    if (fstat(f->descriptor, &status) != 0) return cannot("look at", f->path, why);
    *size = (uint64_t)status.st_size;
    return true;
}

bool file_seek(file *f, uint64_t offset, problem *why) {
    if (offset > INT64_MAX)
        errno = EOVERFLOW;
    else if (lseek(f->descriptor, (off_t)offset, SEEK_SET) >= 0)
        return true;
    return cannot("seek", f->path, why);
}

bool file_read(file *f, void *data, size_t size, size_t *got, problem *why) {
    *got = 0;
    while (*got < size) {
        ssize_t n = read(f->descriptor, (char *)data + *got, size - *got);
        if (n == 0) break;
        if (n > 0)
            *got += (size_t)n;
        else if (errno == EISDIR)
            return bad_input(why, "%s: is a directory, expected a file", f->path);
        else if (errno != EINTR)
            return cannot("read", f->path, why);
    }
    return true;
}

bool file_write(file *f, const void *data, size_t size, problem *why) {
    for (const char *next = data; size > 0;) {
        ssize_t n = write(f->descriptor, next, size);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC; /* no error, no progress: never again and again */
        if (n <= 0) return cannot("write", f->path, why);
        next += n;
        size -= (size_t)n;
    }
    return true;
}

bool file_sync(file *f, problem *why) {
    int status;
    do status = fsync(f->descriptor);
    while (status != 0 && errno == EINTR);
    return status == 0 || cannot("sync", f->path, why);
}

bool file_lock(file *f, bool *taken, problem *why) {
    *taken = flock(f->descriptor, LOCK_EX | LOCK_NB) == 0;
    return *taken || errno == EWOULDBLOCK || cannot("lock", f->path, why);
}

/* A close that a signal interrupts has closed the descriptor all the same (Linux). */
bool file_close(file *f, problem *why) {
    if (f->descriptor < 0) return true;
    int status = close(f->descriptor);
    f->descriptor = -1;
    return status == 0 || errno == EINTR || cannot("close", f->path, why);
}

void file_drop(file *f) {
    problem ignored;
    (void)file_close(f, &ignored);
}

/* ---- A whole file ---- */

/* Doubles a full buffer. */
static bool grow(char **data, size_t *capacity, problem *why) {
    char *larger = allocate(2, *capacity, "a file", why);
    if (!larger) return false;
    memcpy(larger, *data, *capacity);
    release(*data);
    *data = larger;
    *capacity *= 2;
    return true;
}

enum { MOST_UNANNOUNCED = 256 << 20 };

/* Reads until the buffer is not full: then the file has ended. The size is a hint: a pipe has none, and some
 * devices never end. */
static bool load(file *f, char **data, size_t *size, problem *why) {
    uint64_t hint;
    if (!file_size(f, &hint, why)) return false;
    if (hint >= SIZE_MAX / 2) return bad_input(why, "%s: too large", f->path);
    size_t capacity = (size_t)hint + 1;
    if (!(*data = allocate(capacity, 1, f->path, why))) return false;
    for (;;) {
        size_t got;
        if (!file_read(f, *data + *size, capacity - *size, &got, why)) return false;
        *size += got;
        if (*size < capacity) return true;
        if (*size > hint + MOST_UNANNOUNCED)
            return bad_input(why, "%s: more than %d MiB, and no end; expected a file", f->path,
                             MOST_UNANNOUNCED >> 20);
        if (!grow(data, &capacity, why)) return false;
    }
}

static char *load_whole(file *f, size_t *size, problem *why) {
    char *data = NULL;
    *size = 0;
    if (load(f, &data, size, why)) return data;
    release(data);
    return NULL;
}

char *file_load(const char *path, size_t *size, problem *why) {
    file f;
    if (!file_open(&f, path, FILE_READ, why)) return NULL;
    char *data = load_whole(&f, size, why);
    file_drop(&f);
    return data;
}

char *file_load_input(size_t *size, problem *why) {
    return load_whole(&(file){STDIN_FILENO, "standard input"}, size, why);
}

/* ---- Replacing a file ---- */

static const char TEMPORARY[] = ".tmp";

static char *copy_path(const char *path, size_t length, const char *end, problem *why) {
    char *copy = allocate(length + strlen(end) + 1, 1, "a path", why);
    if (!copy) return NULL;
    memcpy(copy, path, length);
    strcpy(copy + length, end);
    return copy;
}

/* Where the new file goes: behind links, which stay. */
static char *target_of(const char *path, problem *why) {
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode)) return copy_path(path, strlen(path), "", why);
    char *real = realpath(path, NULL);
    char *target = real ? copy_path(real, strlen(real), "", why) : NULL;
    if (!real && errno == ENOENT)
        bad_input(why, "%s: a link to nothing", path);
    else if (!real)
        wrong_name() ? bad_input(why, "%s: cannot look at: %m", path) : cannot("look at", path, why);
    free(real);
    return target;
}

/* Keeps errno. */
static bool is_there(const char *path) {
    struct stat status;
    int reason = errno;
    bool there = lstat(path, &status) == 0;
    errno = reason;
    return there;
}

static bool in_the_way(const replacement *r, problem *why) {
    return bad_input(why, "%s: not a regular file, and in the way of writing %s", r->temporary, r->path);
}

/* Opens the temporary file and locks it: what another process left is taken over, what one is at work on is
 * not. A file system without locks does without. */
static bool claim(replacement *r, int flags, problem *why) {
    r->file = (file){open_descriptor(r->temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | flags), r->temporary};
    if (r->file.descriptor < 0) {
        if (errno == ELOOP || errno == ENXIO || errno == EISDIR) return in_the_way(r, why);
        const char *obstacle = errno == EACCES && is_there(r->temporary) ? r->temporary : r->path;
        return wrong_name() ? bad_input(why, "%s: cannot open: %m", obstacle) : cannot("open", obstacle, why);
    }
    bool taken = flock(r->file.descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (taken || !file_is_at_path(&r->file))
        return run_failed(why, "%s: another process is writing it", r->path);
    return file_is_regular(r->temporary) || in_the_way(r, why);
}

static void replacement_drop(replacement *r) {
    file_drop(&r->file);
    release(r->temporary);
    release(r->target);
    r->temporary = r->target = NULL;
}

static bool replacement_paths(replacement *r, const char *path, problem *why) {
    *r = (replacement){.file.descriptor = -1, .path = path};
    r->target = target_of(path, why);
    r->temporary = r->target ? copy_path(r->target, strlen(r->target), TEMPORARY, why) : NULL;
    return r->temporary;
}

bool replacement_allowed(const char *path, problem *why) {
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode) ||
           bad_input(why, "%s: not a regular file, will not be replaced", path);
}

bool replacement_open(replacement *r, const char *path, problem *why) {
    *r = (replacement){.file.descriptor = -1};
    if (!replacement_allowed(path, why)) return false;
    if (replacement_paths(r, path, why) && claim(r, O_CREAT, why)) {
        r->file.path = path;
        if (ftruncate(r->file.descriptor, 0) == 0) return true;
        cannot("truncate", path, why);
        (void)unlink(r->temporary);
    }
    replacement_drop(r);
    return false;
}

/* The directory that holds the path. */
static char *parent(const char *path, problem *why) {
    const char *slash = strrchr(path, '/');
    if (!slash) return copy_path(".", 1, "", why);
    return copy_path(path, slash == path ? 1 : (size_t)(slash - path), "", why);
}

/* A rename is durable when its directory is. */
static bool sync_directory(const char *path, problem *why) {
    char *directory = parent(path, why);
    if (!directory) return false;
    file f;
    bool ok = file_open(&f, directory, FILE_DIRECTORY, why) && file_sync(&f, why);
    file_drop(&f);
    release(directory);
    return ok;
}

/* Whether the temporary file is still the one that was opened, and not another process's since. */
static bool is_ours(const replacement *r) {
    return file_is_at_path(&(file){r->file.descriptor, r->temporary});
}

static bool move_into_place(const replacement *r, problem *why) {
    if (!is_ours(r)) return run_failed(why, "%s: cannot replace: %s was removed", r->path, r->temporary);
    return rename(r->temporary, r->target) == 0 || cannot("replace", r->path, why);
}

/* Closing gives the lock back: it comes when there is no temporary file any more. */
bool replacement_finish(replacement *r, bool written, problem *why) {
    bool moved = written && file_sync(&r->file, why) && move_into_place(r, why);
    if (!moved && is_ours(r)) (void)unlink(r->temporary); /* what went wrong is already told */
    bool done = moved && file_close(&r->file, why) && sync_directory(r->target, why);
    replacement_drop(r);
    return done;
}

bool replacement_tidy(const char *path, problem *why) {
    replacement r;
    if (!replacement_paths(&r, path, why)) return false;
    bool ok = !is_there(r.temporary) || (claim(&r, 0, why) && file_remove(r.temporary, why));
    replacement_drop(&r);
    return ok;
}

bool file_replace(const char *path, const void *data, size_t size, problem *why) {
    replacement r;
    return replacement_open(&r, path, why) &&
           replacement_finish(&r, file_write(&r.file, data, size, why), why);
}

/* ---- Paths ---- */

bool file_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool file_look(const char *path, bool *there, problem *why) {
    struct stat status;
    *there = stat(path, &status) == 0;
    return *there || errno == ENOENT || errno == ENOTDIR || cannot("look at", path, why);
}

bool file_is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_is_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool file_is_same(const char *one, const char *other) {
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool file_is_at_path(const file *f) {
    struct stat opened, named;
    return fstat(f->descriptor, &opened) == 0 && stat(f->path, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool file_remove(const char *path, problem *why) {
    return unlink(path) == 0 || errno == ENOENT || cannot("remove", path, why);
}

/* On failure errno is mkdir's. */
static bool make_one(const char *path) {
    if (mkdir(path, 0777) == 0) return true;
    int reason = errno;
    bool there = file_is_directory(path);
    errno = reason;
    return there;
}

bool file_make_directory(const char *path, problem *why) {
    if (make_one(path)) return true;
    if (errno != ENOENT) return cannot("make the directory", path, why);
    char *above = parent(path, why);
    bool ok = above && file_make_directory(above, why) &&
              (make_one(path) || cannot("make the directory", path, why));
    release(above);
    return ok;
}
