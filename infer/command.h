/* The commands of sawtooth-infer. */
#ifndef COMMAND_H
#define COMMAND_H
#include "arguments.h"

typedef struct command {
    const char *name;
    const char *usage;     /* what stands behind the name, options that all commands share left out */
    const char *summary;   /* one line */
    bool reads_only;       /* it runs no model: --threads, --kernels and --cache are of no use to it */
    const option *options; /* its own; the shared ones are added */
    /* False: `why` says what went wrong, and where it has no text only its exit status counts. */
    bool (*run)(const arguments *a, problem *why);
} command;

extern const command generate_command, check_command, window_command, eval_command, logits_command,
    bench_command, convert_command, info_command;
#endif
