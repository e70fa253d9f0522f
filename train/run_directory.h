/* The directory that a run lives in: last.npz, best.npz, metrics.csv, config.conf, and a lock that keeps a
 * second trainer out while the first one works. */
#ifndef RUN_DIRECTORY_H
#define RUN_DIRECTORY_H
#include "checkpoint.h"
#include "file.h"
#include "settings.h"

#define METRICS_FILE "metrics.csv"
#define CONFIG_FILE  "config.conf"

typedef struct run_directory {
    const char *path; /* borrowed */
    char lock_path[PATH_LENGTH];
    file directory, lock;
    bool made; /* by us, and nothing but the lock is in it yet */
} run_directory;

/* The path of a file in the directory; refused where it is too long. */
bool run_directory_file(const char *directory, const char *name, char path[PATH_LENGTH], problem *why);

/* Locks the directory until it is closed, or refuses: it cannot be written, or another trainer works
 * there. */
bool run_directory_open(run_directory *d, const char *path, problem *why);

/* The same for a fresh run: makes the directory where it is not there, and refuses one that holds a run
 * unless that is to be overwritten. */
bool run_directory_create(run_directory *d, const char *path, bool overwrite, problem *why);

/* Whether the directory is still the one that was locked. False where it was removed, whoever has made
 * another one since: what it holds is not ours to replace. */
bool run_directory_is_ours(const run_directory *d, problem *why);

/* The same, and takes the lock again where it alone was removed. */
bool run_directory_keep(run_directory *d, problem *why);

/* A directory that was made for a run that did not begin goes again. */
void run_directory_close(run_directory *d);

/* From here on the directory holds a run. Refuses what could not be replaced, and removes last.npz and then
 * best.npz, so that what is left of an overwritten run never goes on as another, nor stands beside another's
 * settings; the other files are replaced in their turn. */
bool run_directory_clear(run_directory *d, problem *why);

/* Removes the temporary files that a killed run has left. */
bool run_directory_tidy(const run_directory *d, problem *why);

/* Writes config.conf. */
bool run_directory_configure(const run_directory *d, const settings *s, problem *why);
#endif
