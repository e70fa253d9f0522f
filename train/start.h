/* The checkpoint that a run starts from: another run's (init_from), or its own (resume). */
#ifndef START_H
#define START_H
#include "checkpoint.h"

/* Both refuse numbers that are not finite: training could only spread them.
 *
 * Reads init_from. Model keys that were not given come from it; one that was given and contradicts it
 * is refused. */
bool start_init_from(checkpoint *c, settings *s, const settings_given *given, problem *why);

/* Reads a run's last.npz. Refused: settings that differ from the checkpoint's where they may not change on
 * resume, and a max_iters that the run has passed. */
bool start_resume(checkpoint *c, const char *last, const settings *s, problem *why);

/* The validation loss of the best.npz at `best`, where last.npz knows of *loss: a run that was killed may
 * have written a better one since. Infinity where there is none, or none that can be read: then the next
 * model is the best there is. False when that cannot be known. */
bool start_best(const char *best, double *loss, problem *why);
#endif
