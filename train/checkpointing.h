/* Which checkpoints a run writes, and when. */
#ifndef CHECKPOINTING_H
#define CHECKPOINTING_H
#include "progress.h"
#include "run.h"

/* Waits for the save under way, if any. One that failed is a warning: training is worth more. */
void checkpointing_settle(run *r, progress *p);

/* Begins to save last.npz of a fresh run before anything else takes time, so that whenever the run is killed
 * there is something to go on with. False: as below. */
bool checkpointing_begin(run *r, progress *p, problem *why);

/* Saves what is due after so many iterations: best.npz where val_loss (NaN: not evaluated) is the lowest so
 * far, last.npz each save_interval. A run that `ends` here saves last.npz in any case, waits for it, and must
 * succeed. Also false: weights or AdamW's state are not finite, and nothing has been written. */
bool checkpointing_save(run *r, progress *p, int64_t iteration, double val_loss, bool ends, problem *why);
#endif
