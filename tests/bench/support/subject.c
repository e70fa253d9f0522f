#include "subject.h"
#include "clock.h"
#include "memory.h"
#include "random.h"
#include "resources.h"

static const double SHORTEST = 0.25; /* seconds */
enum { CHARACTERS = 65 };

bool subject_open(subject *s, const settings *what, problem *why) {
    *s = (subject){.settings = *what};
    shape sh = settings_shape(what, what->vocab_size ? (int)what->vocab_size : CHARACTERS);
    s->kernels = kernels_named(what->kernels);
    if (!s->kernels) return bad_input(why, "kernels = %s: not a set that runs here", what->kernels);
    s->team = team_open(what->threads ? (int)what->threads : physical_cores(), why);
    if (!s->team || !shape_check(&sh, why) || !model_open(&s->model, &sh, why)) return false;
    model_init(&s->model, what->seed, what->init_std, what->scale_residual_init);
    return model_prepare(&s->model, false, s->team, why);
}

int32_t *subject_tokens(const subject *s, size_t count, problem *why) {
    int32_t *tokens = allocate(count, sizeof *tokens, "tokens", why);
    random_stream r = random_open(1, FOR_BATCH, 0, 0, 0);
    for (size_t i = 0; tokens && i < count; i++)
        tokens[i] = (int32_t)random_below(&r, i, (uint64_t)s->model.shape.vocab_size);
    return tokens;
}

bool subject_learn(subject *s, const kernels *k, problem *why) {
    size_t length = (size_t)s->settings.block_size + 1;
    s->sequences = s->settings.batch_size * s->settings.grad_accum;
    s->learner = learner_open(&s->model, k, s->team, &s->settings, why);
    s->tokens = subject_tokens(s, (size_t)s->sequences * length, why);
    s->windows = allocate((size_t)s->sequences, sizeof *s->windows, "windows", why);
    if (!s->learner || !s->tokens || !s->windows) return false;
    for (int64_t i = 0; i < s->sequences; i++) s->windows[i] = s->tokens + (size_t)i * length;
    return true;
}

void subject_close(subject *s) {
    learner_close(s->learner);
    if (s->team) team_close(s->team);
    model_close(&s->model);
    release(s->tokens);
    release((void *)s->windows);
    *s = (subject){0};
}

double subject_update(subject *s) {
    double loss, norm, began = clock_seconds();
    learner_gradient(s->learner, s->iteration, s->windows, &loss, &norm);
    learner_apply(s->learner, s->iteration++, 1e-4, norm);
    return clock_seconds() - began;
}

double subject_seconds(subject *s) {
    double sum = 0;
    int updates = 0;
    while (sum < SHORTEST) {
        sum += subject_update(s);
        updates++;
    }
    return sum / updates;
}

double subject_update_tokens(const subject *s) {
    return (double)(s->sequences * s->settings.block_size);
}
