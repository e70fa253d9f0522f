/* SIGINT, SIGTERM and SIGHUP ask the program to stop: training after the iteration, generation after
 * the token. */
#ifndef SIGNALS_H
#define SIGNALS_H
#include "problem.h"

/* What to say on standard error at once, with the newline; NULL: nothing. Both must live as long as signals
 * are caught. */
typedef struct signal_notices {
    const char *stops;    /* to the first signal */
    const char *gives_up; /* to whoever interrupts again */
} signal_notices;

/* Begins to catch them, by the main thread alone: others block them. Another one is the same wish, but for a
 * second SIGINT more than a second after the first, or a third: it ends the program at once, which is safe,
 * since files are replaced whole or not at all. A SIGHUP that was ignored (nohup) stays ignored. A closed
 * pipe is a write that fails and no signal, and so is what follows. */
bool signals_catch(signal_notices texts, problem *why);

/* A file that may not grow (ulimit -f) is a write that fails and no signal. */
bool signals_let_writes_fail(problem *why);

/* The signal that came first, or 0. */
int signals_received(void);
#endif
