/* Writes checkpoints in the background, so that training does not wait for compression and disk. */
#ifndef SAVER_H
#define SAVER_H
#include "checkpoint.h"
#include "learner.h"

typedef struct saver saver;

/* Allocates the snapshot, once. Files go to out_dir; model, learner and tokenizer are borrowed. best_loss:
 * validation loss of the best.npz that is there, or infinity. */
saver *saver_open(const char *out_dir, const model *m, learner *l, const tokenizer *t, double best_loss,
                  problem *why);
void saver_close(saver *s); /* waits for a save that is under way, and forgets how it ended */

/* Takes a snapshot and begins to write it, or writes it where no thread can be had. `last` is for last.npz
 * (resumable). Where `best`, the weights alone are first written to best.npz, and state->best_loss is their
 * loss; last.npz never knows of a best.npz that is not on disk. Call saver_wait before. */
void saver_start(saver *s, const training_state *state, bool best, bool last);

/* Waits until the save under way, if any, has ended; false when it failed. */
bool saver_wait(saver *s, problem *why);

/* Whether a save is still under way, so that saver_wait would wait. */
bool saver_is_writing(const saver *s);

/* Validation loss of the best.npz that is on disk. */
double saver_best(const saver *s);
#endif
