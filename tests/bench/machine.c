/* What this machine can do: build/bench/machine FIGURES.json ROUNDS */
#include "machine.h"
#include "clock.h"
#include "median.h"
#include "memory.h"
#include "resources.h"
#include "table.h"
#include <stdio.h>

enum { ALONE, TOGETHER, TEAMS };
static const column columns[TEAMS] = {
    [ALONE] = {"one thread", "one_thread", 1e-9, 1, ""},
    [TOGETHER] = {"all threads", "all_threads", 1e-9, 1, ""},
};

typedef struct machine {
    int rounds;
    team *teams[TEAMS];
    table table;
} machine;

/* Something a second, by a team. */
typedef double rate(void *what, team *t);

static void print_rate(machine *m, const char *label, rate *measured, void *what) {
    double samples[TEAMS][MOST_ROUNDS], values[TEAMS];
    for (int round = 0; round < m->rounds; round++)
        for (int i = 0; i < TEAMS; i++) samples[i][round] = measured(what, m->teams[i]);
    for (int i = 0; i < TEAMS; i++) values[i] = median(samples[i], m->rounds);
    table_row(&m->table, label, values);
}

static double peak_rate(void *what, team *t) {
    const kernels *const *k = what;
    return machine_fma_peak(*k, t);
}

/* A product whose operands stay in the first cache, each thread its own: what the peak becomes where operands
 * are loaded as well. */
enum { ROWS = 16, IN = 128, OUT = 48, OPERANDS = ROWS * IN + IN * OUT + ROWS * OUT };
static const double SHORTEST = 0.02; /* seconds */

typedef struct small_product {
    const kernels *kernels;
    float *operands; /* OPERANDS floats for each thread */
    long repeats;
} small_product;

static void multiply(void *argument, member me) {
    const small_product *p = argument;
    float *x = p->operands + (size_t)me.rank * OPERANDS, *w = x + ROWS * IN, *y = w + IN * OUT;
    linear l = {.out = OUT, .in = IN, .type = WEIGHTS_F32, .packed = w};
    for (long i = 0; i < p->repeats; i++) p->kernels->linear(&l, ROWS, 0, OUT, x, IN, y, OUT);
}

static double product_rate(void *what, team *t) {
    small_product *p = what;
    for (p->repeats = 1;; p->repeats *= 2) {
        double began = clock_seconds();
        team_run(t, multiply, p);
        double seconds = clock_seconds() - began;
        if (seconds > SHORTEST) return 2.0 * ROWS * IN * OUT * (double)(p->repeats * team_size(t)) / seconds;
    }
}

static bool print_kernels(machine *m, const kernels *k, problem *why) {
    char label[96];
    size_t floats = (size_t)team_size(m->teams[TOGETHER]) * OPERANDS;
    small_product p = {.kernels = k, .operands = allocate(floats, sizeof(float), "operands", why)};
    if (!p.operands) return false;
    (void)snprintf(label, sizeof label, "fused multiply-adds, %s, GFLOP/s", k->name);
    print_rate(m, label, peak_rate, &k);
    (void)snprintf(label, sizeof label, "the same in a product in the first cache, %s, GFLOP/s", k->name);
    print_rate(m, label, product_rate, &p);
    release(p.operands);
    return true;
}

typedef struct reading {
    float *x;
    size_t floats;
} reading;

static double reading_rate(void *what, team *t) {
    const reading *r = what;
    return machine_read_bandwidth(kernels_named("auto"), t, r->floats, r->x);
}

static bool print_bandwidth(machine *m, size_t megabytes, problem *why) {
    reading r = {.floats = megabytes * 1000000 / sizeof(float) / 64 * 64};
    char label[64];
    r.x = allocate(r.floats, sizeof *r.x, "memory to read", why);
    if (!r.x) return false;
    (void)snprintf(label, sizeof label, "reading %zu MB again and again, GB/s", megabytes);
    print_rate(m, label, reading_rate, &r);
    release(r.x);
    return true;
}

static bool measure(machine *m, const char *path, problem *why) {
    static const size_t megabytes[] = {11, 43, 500};
    const kernels *k;
    if (!(m->teams[ALONE] = team_open(1, why)) || !(m->teams[TOGETHER] = team_open(physical_cores(), why)))
        return false;
    bool fine = table_open(&m->table, path, "machine", "this machine", TEAMS, columns, why);
    for (int i = 0; fine && (k = kernels_built(i)); i++) /* openblas shares the best set's peak */
        if (kernels_run_here(k) && kernels_built(i + 1)) fine = print_kernels(m, k, why);
    for (size_t i = 0; fine && i < sizeof megabytes / sizeof *megabytes; i++)
        fine = print_bandwidth(m, megabytes[i], why);
    return fine && table_close(&m->table, why);
}

int main(int argc, char **argv) {
    problem why = {0};
    machine m = {.rounds = argc == 3 ? rounds_from(argv[2]) : 0};
    bool fine = m.rounds ? measure(&m, argv[1], &why) : bad_input(&why, "usage: machine FIGURES.json ROUNDS");
    for (int i = 0; i < TEAMS; i++) team_close(m.teams[i]);
    if (!fine) (void)fprintf(stderr, "machine: %s\n", why.text);
    return fine ? 0 : why.exit_status;
}
