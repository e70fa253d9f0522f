/* What this machine can do: build/bench/machine FIGURES.json ROUNDS */
#include "machine.h"
#include "median.h"
#include "memory.h"
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

static void print_peak(machine *m, const kernels *k) {
    double samples[TEAMS][MOST_ROUNDS], values[TEAMS];
    char label[96];
    for (int round = 0; round < m->rounds; round++)
        for (int i = 0; i < TEAMS; i++) samples[i][round] = machine_fma_peak(k, m->teams[i]);
    for (int i = 0; i < TEAMS; i++) values[i] = median(samples[i], m->rounds);
    (void)snprintf(label, sizeof label, "fused multiply-adds, %s, GFLOP/s", k->name);
    table_row(&m->table, label, values);
}

static bool print_bandwidth(machine *m, size_t megabytes, problem *why) {
    double samples[TEAMS][MOST_ROUNDS], values[TEAMS];
    size_t floats = megabytes * 1000000 / sizeof(float) / 64 * 64;
    float *x = allocate(floats, sizeof *x, "memory to read", why);
    char label[64];
    if (!x) return false;
    for (int round = 0; round < m->rounds; round++)
        for (int i = 0; i < TEAMS; i++)
            samples[i][round] = machine_read_bandwidth(kernels_named("auto"), m->teams[i], floats, x);
    for (int i = 0; i < TEAMS; i++) values[i] = median(samples[i], m->rounds);
    (void)snprintf(label, sizeof label, "reading %zu MB again and again, GB/s", megabytes);
    table_row(&m->table, label, values);
    release(x);
    return true;
}

static bool measure(machine *m, const char *path, problem *why) {
    static const size_t megabytes[] = {11, 43, 500};
    const kernels *k;
    if (!(m->teams[ALONE] = team_open(1, why)) || !(m->teams[TOGETHER] = team_open(physical_cores(), why)))
        return false;
    bool fine = table_open(&m->table, path, "machine", "this machine", TEAMS, columns, why);
    for (int i = 0; fine && (k = kernels_built(i)); i++) /* openblas shares the best set's peak */
        if (kernels_run_here(k) && kernels_built(i + 1)) print_peak(m, k);
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
