/* The end of what goes to standard output. */
#ifndef OUTPUT_H
#define OUTPUT_H
#include "problem.h"

/* Hands everything printed so far to its reader. A result that cannot be written is a failure; where the
 * reader has gone (a closed pipe) a silent one, with the exit status that SIGPIPE would give. */
bool output_flush(problem *why);
#endif
