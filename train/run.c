#include "run.h"
#include "evaluate.h"
#include "memory.h"
#include "resources.h"
#include "shell_word.h"
#include "start.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- What the run starts from ---- */

static bool read_own(run *r, const char *last, problem *why) {
    char best[PATH_LENGTH];
    r->loaded = run_directory_file(r->settings.out_dir, BEST_FILE, best, why) &&
                start_resume(&r->start, last, &r->settings, why);
    return r->loaded && start_best(best, &r->start.train.best_loss, why);
}

/* Without last.npz a run is resumed from its beginning, unless that would cost it what it has reached. */
static bool nothing_to_lose(const char *resume, const char *last, problem *why) {
    char best[PATH_LENGTH];
    bool there;
    if (!run_directory_file(resume, BEST_FILE, best, why) || !file_look(best, &there, why)) return false;
    if (!there) return true;
    return bad_input(
        why,
        "%s: not there: nothing to go on from; --init_from=%s starts a new run (another out_dir) "
        "from the weights of %s",
        last, shell_quote(resume).text, BEST_FILE);
}

static bool read_start(run *r, const options *o, problem *why) {
    char last[PATH_LENGTH];
    if (o->resume && !run_directory_file(o->resume, LAST_FILE, last, why)) return false;
    if (o->resume && !file_look(last, &r->resumed, why)) return false;
    if (r->resumed) return read_own(r, last, why);
    if (o->resume && !nothing_to_lose(o->resume, last, why)) return false;
    if (!*r->settings.init_from) return true;
    return r->loaded = start_init_from(&r->start, &r->settings, &o->given, why);
}

bool run_settle(run *r, const options *o, problem *why) {
    *r = (run){.program = o->program,
               .settings = o->settings,
               .corpus.bin.descriptor = -1,
               .directory.directory.descriptor = -1,
               .directory.lock.descriptor = -1,
               .metrics.file.descriptor = -1};
    bool locks = o->resume && o->action == TRAIN;
    if (locks && !run_directory_open(&r->directory, o->resume, why)) return false;
    if (!read_start(r, o, why)) return false;
    if (!r->resumed) r->start.train = (training_state){.best_loss = INFINITY};
    return settings_check(&r->settings, why);
}

/* ---- The rest ---- */

static bool open_machine(run *r, problem *why) {
    const settings *s = &r->settings;
    r->kernels = kernels_named(s->kernels);
    if (!r->kernels)
        return bad_input(why, "kernels = %s: no kernel set of this name runs here; auto chooses one",
                         s->kernels);
    r->team = team_open(s->threads ? (int)s->threads : physical_cores(), why);
    return r->team != NULL;
}

/* A recipe names its corpus, which may still have to be brought. */
static bool has_data(const run *r, const options *o, problem *why) {
    bool there;
    if (!file_look(r->settings.data, &there, why)) return false;
    const char *way = corpus_is_token_file(r->settings.data)
                          ? "nanoGPT's prepare.py makes such token files; --data=FILE names another one"
                          : "make data brings tiny-shakespeare; --data=FILE names another text";
    return there || o->names_data || bad_input(why, "%s: not there: %s", r->settings.data, way);
}

static bool open_corpus(run *r, problem *why) {
    const settings *s = &r->settings;
    corpus_options what = {.data = s->data,
                           .val_data = s->val_data,
                           .vocab = s->vocab,
                           .vocab_size = s->vocab_size,
                           .val_fraction = s->val_fraction,
                           .must_use = r->loaded ? &r->start.tokenizer : NULL};
    return corpus_open(&r->corpus, &what, why) &&
           corpus_check_splits(&r->corpus, (int)s->block_size, s->data, why) &&
           corpus_validation(&r->corpus, &r->validation, &r->validation_count, why);
}

static bool same_tokens(const token_sum *a, const token_sum *b) {
    return a->count == b->count && a->crc == b->crc;
}

/* A run goes on with other data where the command line names it; best.npz then is the best on these. */
static bool check_data(run *r, const options *o, problem *why) {
    training_state *t = &r->start.train;
    if (!r->resumed || !t->has_data) return true;
    bool same = same_tokens(&t->training_data, &r->corpus.train_sum);
    r->other_validation = !same_tokens(&t->validation_data, &r->corpus.validation_sum);
    r->other_data = !same || r->other_validation;
    if (r->other_validation) t->best_loss = INFINITY;
    if (!r->other_data || o->names_data) return true;
    bool by_file = same && *r->settings.val_data;
    const char *path = by_file ? r->settings.val_data : r->settings.data;
    return bad_input(why, "%s: not the tokens that %s/%s %s; to go on with other data, name it: --%s=%s",
                     path, r->settings.out_dir, LAST_FILE, by_file ? "was validated on" : "has learned from",
                     by_file ? "val_data" : "data", shell_quote(path).text);
}

static bool open_directory(run *r, const options *o, problem *why) {
    return o->resume || run_directory_create(&r->directory, r->settings.out_dir, o->overwrite, why);
}

static bool open_model(run *r, const shape *s, problem *why) {
    if (r->loaded) return true;
    model *m = &r->start.model;
    if (!model_open(m, s, why) || !tokenizer_copy(&r->start.tokenizer, &r->corpus.tokenizer, why))
        return false;
    model_init(m, r->settings.seed, r->settings.init_std, r->settings.scale_residual_init);
    return true;
}

/* Hands AdamW's state to the learner. */
static void move_moments(checkpoint *c, learner *l) {
    size_t bytes = c->model.table.floats * sizeof(float);
    memcpy(learner_adamw_m(l), c->adamw_m, bytes);
    memcpy(learner_adamw_v(l), c->adamw_v, bytes);
    release(c->adamw_m);
    release(c->adamw_v);
    c->adamw_m = c->adamw_v = NULL;
}

static bool open_learning(run *r, problem *why) {
    const settings *s = &r->settings;
    model *m = &r->start.model;
    if (!(r->learner = learner_open(m, r->kernels, r->team, s, why))) return false;
    if (r->resumed) move_moments(&r->start, r->learner);
    if (!engine_open(&r->engine, m, r->kernels, r->team, evaluation_rows(&m->shape), why)) return false;
    if (!batches_open(&r->batches, &r->corpus, s, why)) return false;
    r->saver =
        saver_open(s->out_dir, m, r->learner, &r->start.tokenizer, r->team, r->start.train.best_loss, why);
    return r->saver != NULL;
}

static bool begin_files(run *r, const options *o, problem *why) {
    return run_directory_tidy(&r->directory, why) && (o->resume || run_directory_clear(&r->directory, why)) &&
           run_directory_configure(&r->directory, &r->settings, why) &&
           metrics_open(&r->metrics, r->settings.out_dir, r->start.train.iteration, why);
}

bool run_open(run *r, const options *o, problem *why) {
    if (!open_machine(r, why) || !has_data(r, o, why) || !open_corpus(r, why) || !check_data(r, o, why))
        return false;
    shape s = settings_shape(&r->settings, r->corpus.tokenizer.vocab_size);
    return shape_check(&s, why) && open_directory(r, o, why) && open_model(r, &s, why) &&
           open_learning(r, why) && begin_files(r, o, why);
}

void run_close(run *r) {
    saver_close(r->saver);
    metrics_close(&r->metrics);
    batches_close(&r->batches);
    engine_close(&r->engine);
    learner_close(r->learner);
    checkpoint_close(&r->start);
    if (r->team) team_close(r->team);
    release(r->validation);
    corpus_close(&r->corpus);
    run_directory_close(&r->directory);
}

bool run_stops(const run *r, problem *why, const char *format, ...) {
    char reason[512], last[PATH_LENGTH];
    problem ignored;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    (void)saver_wait(r->saver, &ignored); /* only what is on disk counts */
    if (!run_directory_is_ours(&r->directory, &ignored) ||
        !run_directory_file(r->settings.out_dir, LAST_FILE, last, &ignored) || !file_exists(last))
        return run_failed(why, "%s: stopped", reason);
    return run_failed(why, "%s: stopped; %s is the last good checkpoint", reason, last);
}
