/* How fast a recipe's model trains, beside what the processor can do in the same minute:
 *   build/bench/training CONFIG [--key=value ...]
 * Updates on random tokens alternate with measurements of the fused-multiply-add peak; medians are printed.
 */
#include "clock.h"
#include "flops.h"
#include "learner.h"
#include "machine.h"
#include "memory.h"
#include "random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { REPEATS = 5 };

static int complain(const problem *why) {
    fprintf(stderr, "training: %s\n", why->text);
    return why->exit_status;
}

static bool read_settings(settings *s, int count, char **arguments, problem *why) {
    settings_default(s);
    if (count < 1) return bad_input(why, "usage: training CONFIG [--key=value ...]");
    if (!settings_read(s, NULL, arguments[0], why)) return false;
    for (int i = 1; i < count; i++) {
        char key[64] = "";
        const char *equals = strchr(arguments[i], '=');
        if (strncmp(arguments[i], "--", 2) != 0 || !equals || equals - arguments[i] - 2 >= (long)sizeof key)
            return bad_input(why, "%s: expected --key=value", arguments[i]);
        memcpy(key, arguments[i] + 2, (size_t)(equals - arguments[i] - 2));
        if (!settings_set(s, NULL, key, equals + 1, arguments[i], why)) return false;
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x) {
    qsort(x, REPEATS, sizeof *x, by_value);
    return x[REPEATS / 2];
}

typedef struct bench {
    settings settings;
    model model;
    const kernels *kernels;
    team *team;
    learner *learner;
    int32_t *tokens;
    const int32_t **windows;
    int64_t sequences;
} bench;

static bool bench_open(bench *b, problem *why) {
    const settings *s = &b->settings;
    shape sh = settings_shape(s, s->vocab_size ? (int)s->vocab_size : 65);
    if (!shape_check(&sh, why) || !model_open(&b->model, &sh, why)) return false;
    model_init(&b->model, s->seed, s->init_std, s->scale_residual_init);
    model_pack(&b->model, alone());
    b->kernels = kernels_named(s->kernels);
    if (!b->kernels) return bad_input(why, "kernels = %s: not a kernel set of this processor", s->kernels);
    b->team = team_open(s->threads ? (int)s->threads : physical_cores(), why);
    b->learner = b->team ? learner_open(&b->model, b->kernels, b->team, s, why) : NULL;
    b->sequences = s->batch_size * s->grad_accum;
    size_t length = (size_t)s->block_size + 1;
    b->tokens = allocate((size_t)b->sequences * length, sizeof *b->tokens, "tokens", why);
    b->windows = allocate((size_t)b->sequences, sizeof *b->windows, "windows", why);
    if (!b->learner || !b->tokens || !b->windows) return false;
    random_stream r = random_open(1, FOR_BATCH, 0, 0, 0);
    for (size_t i = 0; i < (size_t)b->sequences * length; i++)
        b->tokens[i] = (int32_t)random_below(&r, i, (uint64_t)sh.vocab_size);
    for (int64_t i = 0; i < b->sequences; i++) b->windows[i] = b->tokens + (size_t)i * length;
    return true;
}

static double one_update(bench *b, uint64_t iteration) {
    double loss, norm, start = clock_seconds();
    learner_gradient(b->learner, iteration, b->windows, &loss, &norm);
    learner_apply(b->learner, iteration, 1e-4, norm);
    return clock_seconds() - start;
}

static void measure(bench *b) {
    double seconds[REPEATS], peak[REPEATS];
    one_update(b, 0);
    for (int i = 0; i < REPEATS; i++) {
        peak[i] = machine_fma_peak(b->kernels, b->team);
        seconds[i] = one_update(b, (uint64_t)i + 1);
    }
    double tokens = (double)(b->sequences * b->settings.block_size) / median(seconds);
    double flops = tokens * training_flops_per_token(&b->model.shape), top = median(peak);
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    printf("%s kernels, %d threads: %.0f tokens/s, %.0f of %.0f GFLOP/s (%.0f %%), %ld MB resident at most\n",
           b->kernels->name, team_size(b->team), tokens, flops * 1e-9, top * 1e-9, 100 * flops / top,
           usage.ru_maxrss / 1024);
}

int main(int argc, char **argv) {
    bench b = {0};
    problem why = {0};
    if (!read_settings(&b.settings, argc - 1, argv + 1, &why) || !bench_open(&b, &why)) return complain(&why);
    measure(&b);
    learner_close(b.learner);
    team_close(b.team);
    model_close(&b.model);
    release(b.tokens);
    release((void *)b.windows);
    return EXIT_SUCCESS;
}
