#include "saver.h"
#include "memory.h"
#include "run_directory.h"
#include <pthread.h>
#include <signal.h>

struct saver {
    const model *model;
    learner *learner;
    const tokenizer *tokenizer;
    team *team;
    double best_loss; /* of the best.npz that is on disk */
    char best_path[PATH_LENGTH], last_path[PATH_LENGTH];
    bool running, threaded; /* a save is under way, in a thread of its own */
    pthread_t thread;
    replacement last; /* what is to be put in place, */
    bool saved;       /* whether it was, */
    problem why;      /* and why not */
    _Atomic bool writing;
};

saver *saver_open(const char *out_dir, const model *m, learner *l, const tokenizer *vocabulary, team *t,
                  double best_loss, problem *why) {
    saver *s = allocate(1, sizeof *s, "saving", why);
    if (!s) return NULL;
    *s = (saver){.model = m, .learner = l, .tokenizer = vocabulary, .team = t, .best_loss = best_loss};
    if (run_directory_file(out_dir, BEST_FILE, s->best_path, why) &&
        run_directory_file(out_dir, LAST_FILE, s->last_path, why))
        return s;
    saver_close(s);
    return NULL;
}

void saver_close(saver *s) {
    if (!s) return;
    problem forgotten;
    (void)saver_wait(s, &forgotten);
    release(s);
}

static checkpoint_view view_of(const saver *s, const training_state *state) {
    return (checkpoint_view){.shape = &s->model->shape,
                             .table = &s->model->table,
                             .block = s->model->block,
                             .tokenizer = s->tokenizer,
                             .train = state};
}

bool saver_write_best(saver *s, const training_state *state, problem *why) {
    const checkpoint_view view = view_of(s, state);
    if (!checkpoint_write(s->best_path, &view, s->team, why)) return false;
    s->best_loss = state->best_loss;
    return true;
}

static void *put_in_place(void *argument) {
    saver *s = argument;
    s->saved = replacement_finish(&s->last, true, &s->why);
    s->writing = false;
    return NULL;
}

/* Signals are left to the thread that starts this one. */
static int start_thread(saver *s) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&s->thread, NULL, put_in_place, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

bool saver_begin_last(saver *s, const training_state *state, problem *why) {
    training_state known = *state;
    known.best_loss = s->best_loss;
    checkpoint_view view = view_of(s, &known);
    view.adamw_m = learner_adamw_m(s->learner);
    view.adamw_v = learner_adamw_v(s->learner);
    if (!checkpoint_prepare(&s->last, s->last_path, &view, s->team, why)) return false;
    s->running = true;
    s->writing = true;
    s->threaded = start_thread(s) == 0;
    if (!s->threaded) put_in_place(s); /* training waits, but nothing is lost */
    return true;
}

bool saver_wait(saver *s, problem *why) {
    if (!s->running) return true;
    if (s->threaded)
        (void)pthread_join(s->thread, NULL); /* cannot fail: the thread was started, and is joined once */
    s->running = false;
    if (!s->saved) *why = s->why;
    return s->saved;
}

bool saver_is_writing(const saver *s) {
    return s->writing;
}

double saver_best_loss(const saver *s) {
    return s->best_loss;
}
