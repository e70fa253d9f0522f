/* A program run again and again, with another call failing each time. */
#ifndef WALK_H
#define WALK_H
#include "program.h"

/* Runs the program with this fault and fails the test where it does not survive it; whether a call has
 * failed. */
typedef bool (*walk_test)(const program *p, const fault *f);

/* Each call of a kind in its turn, alone and with all that follow it, until the program makes no more. */
void walk(const program *p, system_call call, walk_test survives);

/* Exit status 0 and no message, or 1 or 2 and one line, the last one, that begins with the program's name and
 * says why. */
void expect_told(const outcome *o, const char *name, const fault *f);

/* No memory and no descriptor is left. `f` may be NULL. */
void expect_tidy(const outcome *o, const fault *f);
#endif
