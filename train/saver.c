#include "saver.h"
#include "memory.h"
#include "run_directory.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

enum { BLOCKS = 3 }; /* weights and both moments */

struct saver {
    const model *model;
    const tokenizer *tokenizer;
    const float *source[BLOCKS];
    float *snapshot[BLOCKS];
    training_state state;
    bool best, last;  /* which files */
    double best_loss; /* of the best.npz that is on disk */
    char best_path[PATH_LENGTH], last_path[PATH_LENGTH];
    bool running, saved, best_saved; /* a save is under way; how the last one ended */
    bool threaded;                   /* by a thread of its own */
    pthread_t thread;
    problem why;
    _Atomic bool writing; /* the files are not yet done */
};

static bool allocate_snapshot(saver *s, problem *why) {
    for (int i = 0; i < BLOCKS; i++) {
        s->snapshot[i] = allocate(s->model->table.floats, sizeof(float), "the snapshot that is saved", why);
        if (!s->snapshot[i]) return false;
    }
    return true;
}

saver *saver_open(const char *out_dir, const model *m, learner *l, const tokenizer *t, double best_loss,
                  problem *why) {
    saver *s = allocate(1, sizeof *s, "saving", why);
    if (!s) return NULL;
    *s = (saver){.model = m,
                 .tokenizer = t,
                 .best_loss = best_loss,
                 .source = {m->block, learner_adamw_m(l), learner_adamw_v(l)}};
    if (run_directory_file(out_dir, BEST_FILE, s->best_path, why) &&
        run_directory_file(out_dir, LAST_FILE, s->last_path, why) && allocate_snapshot(s, why))
        return s;
    saver_close(s);
    return NULL;
}

void saver_close(saver *s) {
    if (!s) return;
    problem forgotten;
    (void)saver_wait(s, &forgotten);
    for (int i = 0; i < BLOCKS; i++) release(s->snapshot[i]);
    release(s);
}

static checkpoint_view view_of(const saver *s) {
    return (checkpoint_view){.shape = &s->model->shape,
                             .table = &s->model->table,
                             .block = s->snapshot[0],
                             .tokenizer = s->tokenizer,
                             .train = &s->state};
}

/* A best.npz that cannot be written is no reason to lose last.npz, which then must not know of it. */
static void *write_files(void *argument) {
    saver *s = argument;
    checkpoint_view best = view_of(s), last = best;
    last.adamw_m = s->snapshot[1];
    last.adamw_v = s->snapshot[2];
    s->best_saved = s->best && checkpoint_write(s->best_path, &best, &s->why);
    if (!s->best_saved) s->state.best_loss = s->best_loss;
    bool last_saved = !s->last || checkpoint_write(s->last_path, &last, &s->why);
    s->saved = last_saved && s->best_saved == s->best;
    s->writing = false;
    return NULL;
}

/* Signals are left to the thread that starts this one. */
static int start_thread(saver *s) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&s->thread, NULL, write_files, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void saver_start(saver *s, const training_state *state, bool best, bool last) {
    for (int i = 0; i < (last ? BLOCKS : 1); i++)
        memcpy(s->snapshot[i], s->source[i], s->model->table.floats * sizeof(float));
    s->state = *state;
    s->writing = true;
    s->best = best;
    s->last = last;
    s->running = true;
    s->threaded = start_thread(s) == 0;
    if (!s->threaded) write_files(s); /* training waits, but nothing is lost */
}

bool saver_wait(saver *s, problem *why) {
    if (!s->running) return true;
    if (s->threaded)
        (void)pthread_join(s->thread, NULL); /* cannot fail: the thread was started, and is joined once */
    s->running = false;
    if (s->best_saved) s->best_loss = s->state.best_loss; /* whatever became of last.npz */
    if (!s->saved) *why = s->why;
    return s->saved;
}

bool saver_is_writing(const saver *s) {
    return s->writing;
}

double saver_best(const saver *s) {
    return s->best_loss;
}
