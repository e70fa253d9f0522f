/* Golden models: the weights in <name>.init.npz, and in <name>.expect.npz what the original PyTorch class
 * computes from them in float64. They lie in tests/golden, or where the environment's GOLDEN_DIR says. */
#ifndef GOLDEN_H
#define GOLDEN_H
#include "arrays.h"
#include "checkpoint.h"

typedef struct golden {
    char name[64], init[PATH_LENGTH], expect[PATH_LENGTH];
    checkpoint start;        /* the weights before any training */
    int batch, context;      /* B and T */
    int32_t *tokens;         /* (B, T + 1): each window and the token after it */
    const int32_t **windows; /* (B,) pointers to them */
    int steps;               /* of the training run */
    settings settings;       /* of the training run */
} golden;

/* How many models there are; 1 where there is none, so that golden_open fails a test. */
int golden_count(void);

/* The i-th in alphabetical order; fails the test where it cannot be read. Close with golden_close. */
void golden_open(golden *g, int i);
void golden_close(golden *g);

/* An array of the expectation; free its values. */
array golden_array(const golden *g, const char *name);

/* The arrays "<prefix>/<parameter>" as a block laid out as the model's table says; free(). */
double *golden_block(const golden *g, const char *prefix);

/* The start of the corpus's training split, at least `count` tokens; release(). */
int32_t *golden_corpus(const golden *g, size_t count);
#endif
