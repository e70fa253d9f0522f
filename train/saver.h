/* Saves a run. All threads compress its state into a file: there is no copy of it in memory, however large it
 * is. Training goes on while the disk takes last.npz, which is the larger one. */
#ifndef SAVER_H
#define SAVER_H
#include "checkpoint.h"
#include "learner.h"

typedef struct saver saver;

/* Files go to out_dir; model, learner, vocabulary and team are borrowed. best_loss: validation loss of the
 * best.npz that is there, or infinity. */
saver *saver_open(const char *out_dir, const model *m, learner *l, const tokenizer *vocabulary, team *t,
                  double best_loss, problem *why);
void saver_close(saver *s); /* waits for a save that is under way, and forgets how it ended */

/* Writes the weights to best.npz, and waits until they are on disk; state->best_loss is their loss. */
bool saver_write_best(saver *s, const training_state *state, problem *why);

/* Begins to save everything in last.npz: when it returns, training may go on. With what best.npz on disk has
 * as the best loss. Call saver_wait before. */
bool saver_begin_last(saver *s, const training_state *state, problem *why);

/* Waits until the save under way, if any, has ended; false when it failed. */
bool saver_wait(saver *s, problem *why);

/* Whether a save is still under way, so that saver_wait would wait. */
bool saver_is_writing(const saver *s);

/* Validation loss of the best.npz that is on disk. */
double saver_best_loss(const saver *s);
#endif
