#include "run_directory.h"
#include "memory.h"
#include "shell_word.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const run_files[] = {LAST_FILE, BEST_FILE, METRICS_FILE, CONFIG_FILE};
enum { RUN_FILES = sizeof run_files / sizeof *run_files };

bool run_directory_file(const char *directory, const char *name, char path[PATH_LENGTH], problem *why) {
    int length = snprintf(path, PATH_LENGTH, "%s/%s", directory, name);
    if (length >= 0 && length < PATH_LENGTH) return true;
    return bad_input(why, "%.200s...: the directory's path must be shorter than %d bytes", directory,
                     PATH_LENGTH - 16);
}

/* A directory that cannot be used was named by the user: bad input, whatever the system's reason. */
static bool unusable(problem *why) {
    why->exit_status = BAD_INPUT;
    return false;
}

bool run_directory_open(run_directory *d, const char *path, problem *why) {
    *d = (run_directory){.path = path, .directory.descriptor = -1, .lock.descriptor = -1};
    if (!run_directory_file(path, "lock", d->lock_path, why)) return false;
    bool taken = false;
    if (!file_open(&d->lock, d->lock_path, FILE_UPDATE, why)) return unusable(why);
    bool known = file_lock(&d->lock, &taken, why);
    if (taken && file_open(&d->directory, path, FILE_DIRECTORY, why)) return true;
    run_directory_close(d);
    if (taken) return unusable(why);
    return known ? bad_input(why, "%s: another sawtooth-train is at work in this directory", path)
                 : unusable(why);
}

static bool check_free(const run_directory *d, problem *why) {
    for (int i = 0; i < RUN_FILES; i++) {
        char path[PATH_LENGTH];
        bool there;
        if (!run_directory_file(d->path, run_files[i], path, why) || !file_look(path, &there, why))
            return false;
        if (there)
            return bad_input(why,
                             "%s already holds a run (%s): name another out_dir, go on with --resume %s, or "
                             "start over with --overwrite",
                             d->path, run_files[i], shell_quote(d->path).text);
    }
    return true;
}

bool run_directory_create(run_directory *d, const char *path, bool overwrite, problem *why) {
    *d = (run_directory){.directory.descriptor = -1, .lock.descriptor = -1};
    bool made = !file_exists(path);
    if (!file_make_directory(path, why)) return unusable(why);
    if (!run_directory_open(d, path, why)) return false;
    d->made = made;
    if (overwrite || check_free(d, why)) return true;
    run_directory_close(d);
    return false;
}

bool run_directory_is_ours(const run_directory *d, problem *why) {
    return file_is_at_path(&d->lock) ||
           run_failed(why, "%s: not saved: the directory or its lock was removed or replaced", d->path);
}

static bool still_holds_the_run(const run_directory *d) {
    char config[PATH_LENGTH];
    problem ignored;
    return file_is_at_path(&d->directory) && run_directory_file(d->path, CONFIG_FILE, config, &ignored) &&
           file_exists(config);
}

/* Whoever has a lock there now, or had one since, has the directory. */
static bool lock_anew(run_directory *d) {
    problem ignored;
    file lock;
    bool taken = false;
    if (!still_holds_the_run(d) || !file_open(&lock, d->lock_path, FILE_NEW, &ignored)) return false;
    if (!file_lock(&lock, &taken, &ignored) || !taken) {
        file_drop(&lock);
        return false;
    }
    file_drop(&d->lock);
    d->lock = lock;
    return true;
}

bool run_directory_keep(run_directory *d, problem *why) {
    return file_is_at_path(&d->lock) || lock_anew(d) || run_directory_is_ours(d, why);
}

void run_directory_close(run_directory *d) {
    problem ignored;
    if (d->made && file_remove(d->lock_path, &ignored)) (void)rmdir(d->path);
    d->made = false;
    file_drop(&d->lock); /* closing it unlocks */
    file_drop(&d->directory);
}

static bool remove_from(const run_directory *d, const char *name, problem *why) {
    char path[PATH_LENGTH];
    return run_directory_file(d->path, name, path, why) && file_remove(path, why);
}

/* Whether `fits` says so of every file that a run writes, be it there or not. */
static bool each_file(const run_directory *d, bool (*fits)(const char *path, problem *why), problem *why) {
    for (int i = 0; i < RUN_FILES; i++) {
        char path[PATH_LENGTH];
        if (!run_directory_file(d->path, run_files[i], path, why) || !fits(path, why)) return false;
    }
    return true;
}

bool run_directory_clear(run_directory *d, problem *why) {
    if (!each_file(d, replacement_allowed, why)) return false;
    d->made = false;
    return remove_from(d, LAST_FILE, why) && remove_from(d, BEST_FILE, why);
}

bool run_directory_tidy(const run_directory *d, problem *why) {
    return each_file(d, replacement_tidy, why);
}

bool run_directory_configure(const run_directory *d, const settings *s, problem *why) {
    char path[PATH_LENGTH];
    if (!run_directory_file(d->path, CONFIG_FILE, path, why)) return false;
    char *text = settings_text(s, why);
    bool written = text && file_replace(path, text, strlen(text), why);
    release(text);
    return written;
}
