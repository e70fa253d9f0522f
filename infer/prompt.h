/* The text that a command is given to start from: --prompt TEXT, --prompt-file FILE or --tokens IDS. */
#ifndef PROMPT_H
#define PROMPT_H
#include "arguments.h"
#include "tokenizer.h"

typedef struct prompt {
    int32_t *tokens; /* at least one */
    size_t count;
    bool given; /* false: an empty prompt, whose one token is the newline, or id 0 where there is none */
} prompt;

bool prompt_open(prompt *p, const arguments *a, const tokenizer *t, problem *why);
void prompt_close(prompt *p);
#endif
