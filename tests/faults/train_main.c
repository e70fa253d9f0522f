/* The trainer's main under a name of its own, for tests that run it in their own process. */
#define main train_main
#include "../../train/main.c"
