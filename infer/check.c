/* sawtooth-infer check: the equivalence table of a model. */
#include "check_subject.h"
#include "command.h"
#include "loaded.h"
#include "memory.h"
#include "text.h"
#include <string.h>

static const option options[] = {
    {"text", 0, "FILE", "take the tokens from this text (default: random ones)"},
    {"full", 0, NULL, "walk every size and position of a large model too"},
    {"json", 0, NULL, "print JSON instead of a table"},
    {NULL, 0, NULL, NULL},
};

/* The text from its beginning, again and again. */
static bool repeat_text(int32_t *tokens, size_t count, const char *path, const checkpoint *c, problem *why) {
    text t;
    if (!text_open(&t, path, WHOLE_TEXT, c, 1, why)) return false;
    for (size_t i = 0; i < count; i++) tokens[i] = t.tokens[i % t.count];
    text_close(&t);
    return true;
}

static int32_t *tokens_to_check(const loaded *l, const char *path, problem *why) {
    const shape *s = &l->checkpoint.model.shape;
    size_t count = 3 * (size_t)s->block_size;
    int32_t *tokens = allocate(count, sizeof *tokens, "tokens", why);
    if (tokens && !path) text_draw(tokens, count, s->vocab_size);
    if (!tokens || !path || repeat_text(tokens, count, path, &l->checkpoint, why)) return tokens;
    release(tokens);
    return NULL;
}

static bool check_all(subject *s, report *r, problem *why) {
    return check_reference(s, r, why) && check_narrowing(s, r, why) && check_rows(s, r, why) &&
           check_batch(s, r, why) && check_threads(s, r, why) && check_kernel_sets(s, r, why) &&
           check_texts(s, r, why) && check_faults(s, r, why) && check_openblas(s, r, why);
}

static bool check(const loaded *l, subject s, bool as_json, problem *why) {
    char description[256];
    if (!subject_open(&s, why)) return false;
    describe_run(s.model, &l->runtime, description, sizeof description);
    report r = report_open(as_json, l->path, description);
    bool ok = check_all(&s, &r, why);
    report_close(&r, ok);
    subject_close(&s);
    return ok && (r.failed == 0 || run_failed(why, "%s: %d of %d lines failed", l->path, r.failed, r.lines));
}

/* The reference of the model as it was, before --weights and --cache round. */
static bool check_loaded(loaded *l, const int32_t *tokens, const arguments *a, problem *why) {
    subject s = {.model = &l->checkpoint.model,
                 .kernels = l->runtime.kernels,
                 .team = l->runtime.team,
                 .full = arguments_value(a, "full"),
                 .tokens = tokens};
    bool rounds = loaded_narrows(l) || (l->stored == WEIGHTS_F32 && l->runtime.cache != CACHE_F32);
    double *exact = rounds ? reference_window(s.model, tokens, why) : NULL;
    s.exact = exact;
    bool ok = (exact || !rounds) && loaded_convert(l, why) && loaded_prepare(l, why) &&
              check(l, s, arguments_value(a, "json"), why);
    release(exact);
    return ok;
}

/* Its sums are ordered by how many rows there are: nothing could be equal. */
static bool exact_kernels(const arguments *a, problem *why) {
    const char *name = arguments_value(a, "kernels");
    return !name || strcmp(name, "openblas") != 0 ||
           bad_input(why,
                     "--kernels openblas: promises no bits that could be checked; every check ends with a "
                     "line about it");
}

static bool run(const arguments *a, problem *why) {
    loaded l;
    if (!exact_kernels(a, why)) return false;
    if (!loaded_read(&l, a, why)) return false;
    int32_t *tokens = loaded_finite(&l, why) ? tokens_to_check(&l, arguments_value(a, "text"), why) : NULL;
    bool ok = tokens && check_loaded(&l, tokens, a, why);
    release(tokens);
    loaded_close(&l);
    return ok;
}

const command check_command = {
    .name = "check",
    .usage = "MODEL [--text FILE] [--full] [--json]",
    .summary = "Proves on a model that cache, batch, threads and processor change no bit",
    .options = options,
    .run = run,
};
