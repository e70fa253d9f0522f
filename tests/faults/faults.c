#include "faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const call_names[CALLS] = {
    "open",   "read",  "write", "seek", "sync", "close",    "rename",
    "unlink", "mkdir", "stat",  "map",  "lock", "allocate", "library allocate",
    "thread"};

static enum { WELL, FAILING, DISTURBED, TRACED } state;
static fault active;
static atomic_long calls, live_blocks;
static atomic_bool happened;
static char *trace; /* of one thread */
static size_t trace_room;

static void note(system_call call) {
    size_t length = strlen(call_names[call]);
    if (call >= CALL_STAT || length + 2 > trace_room) return;
    memcpy(trace, call_names[call], length);
    memcpy(trace + length, " ", 2);
    trace += length + 1;
    trace_room -= length + 1;
}

/* Whether this call fails; then errno is set. */
static bool fails(system_call call) {
    if (state == TRACED) note(call);
    if (state != FAILING || call != active.call) return false;
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (n < active.first || n > active.last) return false;
    happened = true;
    errno = active.error;
    return true;
}

static bool interrupted(void) {
    if (state != DISTURBED || atomic_fetch_add(&calls, 1) % 2) return false;
    happened = true;
    errno = EINTR;
    return true;
}

static size_t shortened(size_t size) {
    return state == DISTURBED ? (size + 1) / 2 : size;
}

static void begin(int new_state) {
    calls = 0;
    happened = false;
    state = new_state;
}

void faults_begin(const fault *f) {
    active = *f;
    begin(FAILING);
}

void faults_disturb(void) {
    begin(DISTURBED);
}

void faults_trace(char *names, size_t size) {
    trace = names;
    trace_room = size;
    *names = 0;
    begin(TRACED);
}

bool faults_end(void) {
    state = WELL;
    return happened;
}

long faults_live_blocks(void) {
    return live_blocks;
}

/* The function that this one stands before. */
#define NEXT(name)                                                                                           \
    static __typeof__(name) *next;                                                                           \
    if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ---- Files ---- */

int open(const char *path, int flags, ...) {
    NEXT(open);
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return interrupted() || fails(CALL_OPEN) ? -1 : next(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    NEXT(fopen);
    return fails(CALL_OPEN) ? NULL : next(path, mode);
}

ssize_t read(int descriptor, void *data, size_t size) {
    NEXT(read);
    return interrupted() || fails(CALL_READ) ? -1 : next(descriptor, data, shortened(size));
}

ssize_t write(int descriptor, const void *data, size_t size) {
    NEXT(write);
    if (interrupted()) return -1;
    if (!fails(CALL_WRITE)) return next(descriptor, data, shortened(size));
    if (active.short_write && active.first < active.last) /* only what follows fails */
        active.short_write = false, size = (size_t)next(descriptor, data, size / 2);
    else
        size = (size_t)-1;
    errno = active.error;
    return (ssize_t)size;
}

off_t lseek(int descriptor, off_t offset, int whence) {
    NEXT(lseek);
    return fails(CALL_SEEK) ? -1 : next(descriptor, offset, whence);
}

int fsync(int descriptor) {
    (void)descriptor;
    return interrupted() || fails(CALL_SYNC) ? -1 : 0;
}

/* A close that fails has closed all the same. */
int close(int descriptor) {
    NEXT(close);
    bool failed = interrupted() || fails(CALL_CLOSE);
    int error = errno, status = next(descriptor);
    if (!failed) return status;
    errno = error;
    return -1;
}

int rename(const char *from, const char *to) {
    NEXT(rename);
    return fails(CALL_RENAME) ? -1 : next(from, to);
}

int unlink(const char *path) {
    NEXT(unlink);
    return fails(CALL_UNLINK) ? -1 : next(path);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    return fails(CALL_MKDIR) ? -1 : next(path, mode);
}

int stat(const char *restrict path, struct stat *restrict status) {
    NEXT(stat);
    return fails(CALL_STAT) ? -1 : next(path, status);
}

int fstat(int descriptor, struct stat *status) {
    NEXT(fstat);
    return fails(CALL_STAT) ? -1 : next(descriptor, status);
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    NEXT(mmap);
    if (descriptor >= 0 && fails(CALL_MAP)) return MAP_FAILED;
    return next(address, size, protection, flags, descriptor, offset);
}

int flock(int descriptor, int operation) {
    NEXT(flock);
    return fails(CALL_LOCK) ? -1 : next(descriptor, operation);
}

/* ---- Memory ---- */

/* AddressSanitizer has functions of its own in these places, and finds leaks itself. */
#ifndef __SANITIZE_ADDRESS__
static void *counted(void *block) {
    if (block) atomic_fetch_add(&live_blocks, 1);
    return block;
}

void *malloc(size_t size) {
    NEXT(malloc);
    return fails(CALL_LIBRARY_ALLOCATE) ? NULL : counted(next(size));
}

void *calloc(size_t count, size_t size) {
    NEXT(calloc);
    return fails(CALL_LIBRARY_ALLOCATE) ? NULL : counted(next(count, size));
}

void *realloc(void *block, size_t size) {
    NEXT(realloc);
    if (fails(CALL_LIBRARY_ALLOCATE)) return NULL;
    void *moved = next(block, size);
    return block ? moved : counted(moved);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    NEXT(posix_memalign);
    if (fails(CALL_ALLOCATE)) return ENOMEM;
    int error = next(block, alignment, size);
    if (!error) atomic_fetch_add(&live_blocks, 1);
    return error;
}

void free(void *block) {
    NEXT(free);
    if (block) atomic_fetch_sub(&live_blocks, 1);
    next(block);
}
#endif

/* ---- Threads ---- */

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*work)(void *), void *restrict argument) {
    NEXT(pthread_create);
    return fails(CALL_THREAD) ? EAGAIN : next(thread, attributes, work, argument);
}
