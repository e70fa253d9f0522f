/* Memory whose size is checked and whose failure is a message. */
#ifndef MEMORY_H
#define MEMORY_H
#include "problem.h"
#include <stddef.h>

/* Refuses more than the machine, or the control group around us, has left. */
bool memory_has_room(size_t count, size_t size, const char *what, problem *why);

/* count * size zeroed bytes, aligned to 64 (large blocks: to 2 MiB, with large pages where the
 * system gives them). NULL and a message that names `what` when the product overflows or there is
 * no room. Free with release(). */
void *allocate(size_t count, size_t size, const char *what, problem *why);

/* count floats of a thread's scratch, which kernels walk through in strides: on large pages whatever its
 * size, or the processor would look for most of its pages in memory. */
float *allocate_scratch(size_t count, problem *why);

void release(void *memory);
#endif
