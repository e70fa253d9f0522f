/* What a run says of itself before it begins. */
#ifndef DESCRIBE_H
#define DESCRIBE_H
#include "progress.h"
#include "run.h"

/* Model, data, work, and the machine's part: memory in use, kernel set, threads. */
void describe_training(const run *r, progress *p);
#endif
