/* The two programs, each run in a process of its own while calls of the system fail. */
#ifndef PROGRAM_H
#define PROGRAM_H
#include "faults.h"

enum { MOST_ARGUMENTS = 16 };

int train_main(int argc, char **argv);
int infer_main(int argc, char **argv);

typedef struct program {
    int (*main)(int argc, char **argv);
    const char *arguments[MOST_ARGUMENTS]; /* the program's name first */
} program;

typedef struct outcome {
    int status;      /* the exit status */
    bool happened;   /* a call has failed */
    long blocks;     /* of memory that have not been freed */
    int descriptors; /* that have not been closed */
    char *out, *err; /* what it has written; outcome_free */
} outcome;

/* `f` NULL: no call fails; `disturbed`: as faults_disturb says. */
outcome program_run(const program *p, const fault *f, bool disturbed);
void outcome_free(outcome *o);
#endif
