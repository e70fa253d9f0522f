/* The same of sawtooth-infer. */
#define main infer_main
#include "../../infer/main.c"
