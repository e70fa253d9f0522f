/* How much of the machine is ours: what the kernel says, and what the control groups around us allow. `root`
 * is where /proc and /sys are looked for: "", but in tests. */
#ifndef RESOURCES_H
#define RESOURCES_H
#include <stddef.h>

/* Processors' worth of time that a quota leaves; infinity without one. */
double resources_processors(const char *root);

/* The number of physical cores this process may run on, and has a quota for; at least 1. */
int physical_cores(void);

/* Bytes that can be had before something has to be killed; SIZE_MAX where that cannot be known. */
size_t resources_memory(const char *root);
#endif
