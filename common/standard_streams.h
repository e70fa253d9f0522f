/* Descriptors 0, 1 and 2, which a program may be started without. */
#ifndef STANDARD_STREAMS_H
#define STANDARD_STREAMS_H
#include "problem.h"

/* Puts /dev/null where one is missing, so that no file becomes 0, 1 or 2 and takes what is said there: to
 * read from a missing 0 or to write to a missing 1 or 2 still fails. Called before any file is opened. */
bool standard_streams_open(problem *why);
#endif
