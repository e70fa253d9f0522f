/* SIGINT, SIGTERM and SIGHUP ask the program to stop: training after the iteration, generation after
 * the token. */
#ifndef SIGNALS_H
#define SIGNALS_H
#include "problem.h"

/* Begins to catch them. A second one ends the program at once, which is safe: files are replaced whole or not
 * at all. A SIGHUP that was ignored (nohup) stays ignored. A closed pipe, or a file that may not grow, is a
 * write that fails and no signal. */
bool signals_catch(problem *why);

/* The signal that came, or 0. */
int signals_received(void);
#endif
