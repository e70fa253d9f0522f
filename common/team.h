/* Threads that work on one thing together. Work is split by rank, so no result depends on their number. */
#ifndef TEAM_H
#define TEAM_H
#include "problem.h"
#include <stddef.h>

typedef struct team team;

typedef struct member { /* one thread's view of the team it works in */
    team *team;         /* NULL for a thread that works alone */
    int rank, size;     /* 0 <= rank < size */
} member;

/* A member that works alone: its barriers return at once. */
static inline member alone(void) {
    return (member){NULL, 0, 1};
}

/* Starts threads - 1 threads (1 <= threads <= MAX_THREADS); the caller is the member of rank 0. Each thread
 * has denormals on and rounds to nearest. NULL and a message on failure. team_close ends the threads. */
enum { MAX_THREADS = 1024 };
team *team_open(int threads, problem *why);
void team_close(team *t);

/* In these two a team of NULL is the caller alone. */
int team_size(const team *t);

/* Runs work(argument, me) on every member, the caller included, and returns when all have finished. */
void team_run(team *t, void (*work)(void *argument, member me), void *argument);

/* Waits until every member of `me`'s team has come here. What was written before is visible to all after. */
void team_sync(member me);

typedef struct range {
    int from, to; /* from <= i < to */
} range;

/* The member's share of n items: contiguous, sizes differ by at most one unit; every bound
 * but n is a multiple of `unit`. */
range share(member me, int n, int unit);
#endif
