#include "machine.h"
#include "clock.h"

enum { BLOCK = 64 };
static const double shortest = 0.02; /* seconds: a shorter measurement is repeated with more work */

typedef struct measurement {
    const kernels *kernels;
    const float *x;
    size_t floats;
    long repeats;
    double work; /* done by the member of rank 0 */
} measurement;

static void multiply_and_add(void *argument, member me) {
    measurement *m = argument;
    double operations = m->kernels->fma_peak_flops(m->repeats);
    if (me.rank == 0) m->work = operations * me.size;
}

static void read_share(void *argument, member me) {
    measurement *m = argument;
    size_t blocks = m->floats / BLOCK;
    range mine = share(me, (int)(blocks), 1);
    for (long r = 0; r < m->repeats; r++)
        m->kernels->read_floats((size_t)(mine.to - mine.from) * BLOCK, m->x + (size_t)mine.from * BLOCK);
    if (me.rank == 0) m->work = (double)m->repeats * (double)(blocks * BLOCK * sizeof(float));
}

/* Work a second. */
static double rate(team *t, void (*work)(void *argument, member me), measurement *m) {
    for (m->repeats = 1;; m->repeats *= 2) {
        double began = clock_seconds();
        team_run(t, work, m);
        double took = clock_seconds() - began;
        if (took >= shortest) return m->work / took;
    }
}

double machine_fma_peak(const kernels *k, team *t) {
    measurement m = {.kernels = k};
    return rate(t, multiply_and_add, &m);
}

double machine_read_bandwidth(const kernels *k, team *t, size_t n, const float *x) {
    measurement m = {.kernels = k, .floats = n, .x = x};
    return rate(t, read_share, &m);
}
