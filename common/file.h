/* The way to the file system: every open, read, write, seek, sync, rename, close and unlink of a file
 * that matters is in file.c, checked, and repeated where a signal interrupts it (config files, which
 * inih reads line by line, and the system's own files are opened where they are read). A failing
 * call says the file and the reason. */
#ifndef FILE_H
#define FILE_H
#include "problem.h"
#include <stddef.h>
#include <stdint.h>

typedef struct file {
    int descriptor;   /* -1: not open */
    const char *path; /* for messages; the caller keeps it */
} file;

/* To read; to read what it is alone: a directory; to write, made or emptied; made or kept as it is; made, and
 * not there before. */
typedef enum { FILE_READ, FILE_DIRECTORY, FILE_CREATE, FILE_UPDATE, FILE_NEW } file_mode;

/* A file to be read that is not there, may not be read or is a directory is bad input; other failures
 * are the run's. */
bool file_open(file *f, const char *path, file_mode mode, problem *why);
bool file_size(const file *f, uint64_t *size, problem *why);
bool file_seek(file *f, uint64_t offset, problem *why);

/* Reads `size` bytes, or fewer where the file ends; *got is how many. */
bool file_read(file *f, void *data, size_t size, size_t *got, problem *why);
bool file_write(file *f, const void *data, size_t size, problem *why);
bool file_sync(file *f, problem *why);

/* Takes the file for this process; *taken is false where another one has it. Closing, or the process's end,
 * gives it back. */
bool file_lock(file *f, bool *taken, problem *why);

/* file_close reports what a delayed write may only say now; file_drop is for a file that was only read, or
 * after a failure that has been reported. Both are harmless on a file that is not open. */
bool file_close(file *f, problem *why);
void file_drop(file *f);

/* The whole file (a pipe as well) and a 0 after its *size bytes; release(). NULL and a message on failure. */
char *file_load(const char *path, size_t *size, problem *why);

/* The same of what is left of standard input. */
char *file_load_input(size_t *size, problem *why);

/* A file written beside the one that it replaces, so that whatever happens, the old one or the new one is
 * whole: a temporary file in the same directory, sync, rename, sync of the directory. */
typedef struct replacement {
    file file; /* the temporary file: write to it. Messages name the one that it is for */
    const char *path;
    char *target, *temporary; /* what path leads to, and that with .tmp behind it */
} replacement;

/* Refuses what is there but is not a regular file: a directory or a device. */
bool replacement_allowed(const char *path, problem *why);

/* Refuses the same, and to write what another process is writing. A directory that is not there or may not be
 * written is bad input, and so is a link to nothing. */
bool replacement_open(replacement *r, const char *path, problem *why);

/* Puts the new file in the old one's place. With written false, or on failure, the temporary file is removed
 * instead and the old file is untouched, but where the new one is there and only closing it or syncing its
 * directory failed; with written false `why` keeps what it says. */
bool replacement_finish(replacement *r, bool written, problem *why);

/* Removes what is left beside `path` where a process ended while it replaced it; refuses where one still
 * does. */
bool replacement_tidy(const char *path, problem *why);

/* A whole replacement with bytes that are at hand. */
bool file_replace(const char *path, const void *data, size_t size, problem *why);

/* False only where it is certain that nothing is there: what cannot be looked at must not be taken for gone,
 * and opening it will say why. */
bool file_exists(const char *path);

/* Sets *there; false, with a message, where that cannot be known. */
bool file_look(const char *path, bool *there, problem *why);

/* Whether it is a directory, or a regular file. False where that cannot be known. */
bool file_is_directory(const char *path);
bool file_is_regular(const char *path);

/* Whether both lead to one file. False where that cannot be known. */
bool file_is_same(const char *one, const char *other);

/* Whether the path still leads to the file that was opened. */
bool file_is_at_path(const file *f);

/* Removes a file; one that is not there is no failure. */
bool file_remove(const char *path, problem *why);

/* Makes a directory, and the ones above it, where they are not there. */
bool file_make_directory(const char *path, problem *why);
#endif
