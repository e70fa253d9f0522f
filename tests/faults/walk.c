#include "walk.h"
#include "support/suite.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a program says ---- */

/* The one line that begins with the program's name; NULL: there is none. */
static const char *message_in(const outcome *o, const char *name) {
    const char *found = NULL;
    for (const char *line = o->err; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':') {
            ck_assert_msg(!found, "two messages: %s", o->err);
            found = line + strlen(name) + 1;
        }
    return found;
}

static bool says_why(const char *message, const fault *f) {
    if (f->call == CALL_ALLOCATE || f->call == CALL_LIBRARY_ALLOCATE)
        return strstr(message, "memory") || strstr(message, "thread");
    if (f->call == CALL_THREAD) return strstr(message, "thread");
    return strstr(message, strerror(f->error)) || f->call == CALL_LOCK || f->call == CALL_STAT;
}

void expect_told(const outcome *o, const char *name, const fault *f) {
    const char *message = message_in(o, name);
    if (o->status == 0) {
        ck_assert_msg(!message, "exit status 0, and: %s", o->err);
        return;
    }
    ck_assert_msg(o->status == 1 || o->status == 2, "exit status %d", o->status);
    ck_assert_msg(message && says_why(message, f), "no reason is given: %s", o->err);
    ck_assert_uint_eq(strcspn(message, "\n") + 1, strlen(message));
}

/* libzip 1.7 may lose a block of its own where it is denied another. */
void expect_tidy(const outcome *o, const fault *f) {
    long may_stay = f && f->call == CALL_LIBRARY_ALLOCATE;
    ck_assert_msg(o->blocks <= may_stay, "%ld blocks of memory are left after: %s", o->blocks, o->err);
    ck_assert_msg(o->descriptors == 0, "%d descriptors are left after: %s", o->descriptors, o->err);
}

/* ---- A walk over the calls ---- */

/* The calls, and how each fails. */
static fault fault_of(system_call call, long first, long last) {
    static const int errors[CALLS] = {[CALL_WRITE] = ENOSPC,
                                      [CALL_LOCK] = EWOULDBLOCK,
                                      [CALL_ALLOCATE] = ENOMEM,
                                      [CALL_THREAD] = EAGAIN,
                                      [CALL_LIBRARY_ALLOCATE] = ENOMEM};
    return (fault){call, first, last, errors[call] ? errors[call] : EIO, last > first};
}

/* All of the first calls, and of many calls some; each one where LONG_TESTS is set (make test-long). */
static long after(long n) {
    return getenv("LONG_TESTS") ? n + 1 : n + 1 + n / 2;
}

void walk(const program *p, system_call call, walk_test survives) {
    bool failed = true;
    for (long n = 1; failed; n = after(n)) {
        fault once = fault_of(call, n, n), ever = fault_of(call, n, LONG_MAX);
        failed = survives(p, &once) && survives(p, &ever);
    }
}
