#include "program.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void to_file(const char *path, FILE *stream) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(descriptor, fileno(stream));
    close(descriptor);
}

static void *wait_for_others(void *barrier) {
    pthread_barrier_wait(barrier);
    return NULL;
}

/* What the C library takes once and keeps, a thread's memory for the next one and the time zone, is not to be
 * counted. */
static void warm_up(void) {
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, wait_for_others, &barrier);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    tzset();
}

static int open_descriptors(void) {
    int count = 0;
    for (int i = 0; i < 32; i++) count += fcntl(i, F_GETFD) != -1;
    return count;
}

/* Where `make coverage` counts: _exit would forget. */
void __gcov_dump(void) __attribute__((weak));

static void run_here(const program *p, const fault *f, bool disturbed, outcome *o) {
    static char buffer[4096];
    char *arguments[MOST_ARGUMENTS] = {NULL};
    int count = 0;
    to_file("stdout", stdout);
    to_file("stderr", stderr);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    warm_up();
    for (; p->arguments[count]; count++) arguments[count] = strdup(p->arguments[count]);
    long blocks = faults_live_blocks();
    int descriptors = open_descriptors();
    if (f) faults_begin(f);
    if (disturbed) faults_disturb();
    o->status = p->main(count, arguments);
    o->happened = faults_end();
    o->blocks = faults_live_blocks() - blocks;
    o->descriptors = open_descriptors() - descriptors;
    if (__gcov_dump) __gcov_dump();
    _exit(0);
}

outcome program_run(const program *p, const fault *f, bool disturbed) {
    outcome *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) run_here(p, f, disturbed, shared);
    int status;
    size_t size;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    outcome o = *shared;
    munmap(shared, sizeof *shared);
    o.out = scratch_read("stdout", &size);
    o.err = scratch_read("stderr", &size);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "ended by signal %d, after it wrote: %s",
                  WTERMSIG(status), o.err);
    return o;
}

void outcome_free(outcome *o) {
    free(o->out);
    free(o->err);
}
