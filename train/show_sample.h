/* Text from the model as it is now, so that one can watch it get better. */
#ifndef SHOW_SAMPLE_H
#define SHOW_SAMPLE_H
#include "generate.h"
#include "settings.h"
#include "tokenizer.h"

/* Prints sample_tokens generated tokens to standard error as they come: the same random numbers each time,
 * from an empty prompt. Ends early when a signal has come. */
bool show_sample(engine *e, const tokenizer *t, const settings *s, problem *why);
#endif
