/* Makes calls of the system fail. The functions of faults.c bear the names of the C library's and stand in
 * the test's executable, so they come before those for all that the process loads: our own code, libzip,
 * zlib, cJSON, inih. The programs that are shipped know nothing of it. */
#ifndef FAULTS_H
#define FAULTS_H
#include <stdbool.h>
#include <stddef.h>

typedef enum {
    CALL_OPEN, /* open, fopen */
    CALL_READ,
    CALL_WRITE,
    CALL_SEEK,
    CALL_SYNC, /* does not wait for the disk in this process: the tests count calls, not bytes on platters */
    CALL_CLOSE,
    CALL_RENAME,
    CALL_UNLINK,
    CALL_MKDIR,
    CALL_STAT, /* stat, fstat */
    CALL_MAP,  /* of a file */
    CALL_LOCK,
    CALL_ALLOCATE,         /* posix_memalign: what we allocate */
    CALL_LIBRARY_ALLOCATE, /* malloc, calloc, realloc: what libraries do */
    CALL_THREAD,           /* pthread_create */
    CALLS
} system_call;

extern const char *const call_names[CALLS];

typedef struct fault {
    system_call call;
    long first, last; /* which of these calls fail, counted from 1 */
    int error;        /* with this errno */
    bool short_write; /* a write that fails has written half before */
} fault;

/* From here on the calls fail, or, with `disturbed`, every other open, read, write, sync and close is
 * interrupted by a signal, and reads and writes move no more than half of what they are asked to: neither is
 * a failure. */
void faults_begin(const fault *f);
void faults_disturb(void);

/* Nothing fails; the names of the calls that touch files (but stat and what follows it above) are written to
 * `names`, a blank after each, as far as there is room. */
void faults_trace(char *names, size_t size);

/* All is well again; whether a call has failed (or was disturbed). */
bool faults_end(void);

/* Blocks of memory that are in use. */
long faults_live_blocks(void);
#endif
