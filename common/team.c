#include "team.h"
#include "clock.h"
#include "memory.h"
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

/* Where threads wait until another opens it. Openings are numbered, so that whoever comes late passes. Who
 * counts those that have arrived has the cache line that it opens the gate with. */
typedef struct gate {
    _Alignas(64) atomic_uint opened;
    atomic_int arrived, sleepers;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} gate;

typedef struct worker {
    pthread_t thread;
    member me;
} worker;

struct team {
    int size;
    void (*work)(void *argument, member me); /* NULL: the threads end */
    void *argument;
    worker *workers; /* of ranks 1 .. size - 1 */
    gate start, sync;
};

/* A waiting thread watches its gate for so long before it sleeps. After so many glances it gives way to
 * others: it may be keeping the one that it waits for from running. */
static const double PATIENCE = 80e-6; /* seconds: longer than it takes to wake up */
enum { GLANCES = 100 };

static void pause_briefly(void) {
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}

static void gate_init(gate *g) {
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->wake, NULL);
}

static void gate_destroy(gate *g) {
    pthread_mutex_destroy(&g->lock);
    pthread_cond_destroy(&g->wake);
}

static void gate_sleep(gate *g, unsigned seen) {
    pthread_mutex_lock(&g->lock);
    atomic_fetch_add(&g->sleepers, 1);
    while (atomic_load(&g->opened) == seen) pthread_cond_wait(&g->wake, &g->lock);
    atomic_fetch_sub(&g->sleepers, 1);
    pthread_mutex_unlock(&g->lock);
}

static bool opens_soon(gate *g, unsigned seen) {
    double end = 0;
    do {
        for (int i = 0; i < GLANCES; i++) {
            if (atomic_load_explicit(&g->opened, memory_order_acquire) != seen) return true;
            pause_briefly();
        }
        sched_yield();
        if (end == 0) end = clock_seconds() + PATIENCE;
    } while (clock_seconds() < end);
    return false;
}

/* Returns once the gate has been opened more than `seen` times. */
static void gate_wait(gate *g, unsigned seen) {
    if (!opens_soon(g, seen)) gate_sleep(g, seen);
}

/* Sequentially consistent: either this thread sees the sleeper, or the sleeper sees the gate open. */
static void gate_open(gate *g) {
    atomic_fetch_add(&g->opened, 1);
    if (atomic_load(&g->sleepers) == 0) return;
    pthread_mutex_lock(&g->lock);
    pthread_cond_broadcast(&g->wake);
    pthread_mutex_unlock(&g->lock);
}

/* Rounds to nearest and keeps denormals, whatever the thread that made this one or a library has set. */
static void ieee_arithmetic(void) {
    fesetenv(FE_DFL_ENV);
}

static void *worker_main(void *argument) {
    const member *me = argument;
    team *t = me->team;
    for (unsigned job = 0;; job++) {
        gate_wait(&t->start, job);
        if (!t->work) return NULL;
        ieee_arithmetic();
        t->work(t->argument, *me);
        team_sync(*me);
    }
}

/* Returns how many of the team's threads run, the caller's included. Signals are left to the caller. */
static int start_workers(team *t) {
    sigset_t all, before;
    int running = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; running < t->size; running++) {
        worker *w = &t->workers[running - 1];
        w->me = (member){t, running, t->size};
        if (pthread_create(&w->thread, NULL, worker_main, &w->me) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return running;
}

team *team_open(int threads, problem *why) {
    team *t = allocate(1, sizeof *t, "a team of threads", why);
    if (!t) return NULL;
    t->size = threads;
    gate_init(&t->start);
    gate_init(&t->sync);
    t->workers = allocate((size_t)threads, sizeof *t->workers, "a team of threads", why);
    int running = t->workers ? start_workers(t) : 1;
    if (running == threads && t->workers) return t;
    if (t->workers) run_failed(why, "cannot start %d threads: the system allows %d", threads, running);
    t->size = running;
    team_close(t);
    return NULL;
}

void team_close(team *t) {
    if (!t) return;
    t->work = NULL;
    gate_open(&t->start);
    for (int i = 0; i < t->size - 1; i++) pthread_join(t->workers[i].thread, NULL);
    gate_destroy(&t->start);
    gate_destroy(&t->sync);
    release(t->workers);
    release(t);
}

int team_size(const team *t) {
    return t ? t->size : 1;
}

void team_run(team *t, void (*work)(void *argument, member me), void *argument) {
    member me = {t, 0, team_size(t)};
    ieee_arithmetic();
    if (!t) {
        work(argument, me);
        return;
    }
    t->work = work;
    t->argument = argument;
    if (t->size > 1) gate_open(&t->start);
    work(argument, me);
    team_sync(me);
}

void team_sync(member me) {
    team *t = me.team;
    if (me.size == 1) return;
    /* What this member saw when it last passed: it stays so until it arrives again. */
    unsigned seen = atomic_load_explicit(&t->sync.opened, memory_order_relaxed);
    if (atomic_fetch_add(&t->sync.arrived, 1) + 1 < me.size) {
        gate_wait(&t->sync, seen);
        return;
    }
    atomic_store_explicit(&t->sync.arrived, 0, memory_order_relaxed);
    gate_open(&t->sync);
}

range share(member me, int n, int unit) {
    int64_t units = ((int64_t)n + unit - 1) / unit;
    int64_t from = units * me.rank / me.size * unit, to = units * (me.rank + 1) / me.size * unit;
    return (range){(int)(from < n ? from : n), (int)(to < n ? to : n)};
}
