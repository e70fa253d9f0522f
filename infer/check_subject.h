/* The equivalence table: what a cache, a batch, a thread or another processor could change about a model's
 * logits and texts, compared bit by bit on the weights and tokens at hand. */
#ifndef CHECK_SUBJECT_H
#define CHECK_SUBJECT_H
#include "check_crowd.h"
#include "check_report.h"
#include "engine.h"

/* What is checked, and the standard that nearly every line compares with. */
typedef struct subject {
    const model *model;
    const kernels *kernels;
    team *team;
    bool full;             /* walk every size and position whatever it costs */
    const int32_t *tokens; /* 3 block_size of them */
    const double *exact;   /* (block_size, V): what the model gives unrounded; NULL where nothing was rounded,
                              or the file does not hold it */
    engine engine;         /* on these kernels and threads, for subject_rows */
    kv_cache cache;
    float *whole;  /* (block_size, V): logits of the first block_size tokens, in one forward */
    float *logits; /* (subject_rows, V), to work in */
    crowd crowd;
} subject;

/* Opens `engine` and what stands below it; the rest is the caller's. */
bool subject_open(subject *s, problem *why);
void subject_close(subject *s);

/* The reference's logits of a model's first block_size tokens, (block_size, V); release(). */
double *reference_window(const model *m, const int32_t *tokens, problem *why);

/* The lines of the table in its order, each group with an idea of its own. False: something could not
 * be run. */
bool check_reference(subject *s, report *r, problem *why);
bool check_narrowing(subject *s, report *r, problem *why);
bool check_rows(subject *s, report *r, problem *why);
bool check_batch(subject *s, report *r, problem *why);
bool check_threads(subject *s, report *r, problem *why);
bool check_kernel_sets(subject *s, report *r, problem *why);
bool check_texts(subject *s, report *r, problem *why);
bool check_faults(subject *s, report *r, problem *why);
bool check_openblas(subject *s, report *r, problem *why);

/* ---- What the lines are made of ---- */

/* A context above 256 or a large model, unless all was asked for: lines then walk fixed samples. */
bool subject_sampled(const subject *s);

/* The sizes to walk, 1..block_size or a sample of them: the next one after n (from 0), and 0 past the
 * last. */
int next_size(const subject *s, int n);
void name_sizes(const subject *s, finding *f);

int context_of(const subject *s);
size_t row_floats(const subject *s); /* from a row of logits to the next */
int subject_rows(const subject *s);  /* that an engine needs for every line */

/* How many whole contexts are rows enough for the team to split. */
int subject_windows(const subject *s);

/* Logits of tokens from..to-1 of a sequence, whose cache holds the ones before (from 0: it starts anew). */
void run_rows(engine *e, kv_cache *cache, const int32_t *tokens, int from, int to, logit_rows wanted,
              float *logits);

/* A text whose first `changed` tokens are others goes through the cache; compares its logits from row `from`
 * on with the subject's. */
bool compare_other_text(subject *s, int changed, int from, comparison *c, problem *why);

/* Another text, different at every position, goes through the cache: what is stale in it is wrong from then
 * on. Compares that text's logits with the subject's. */
bool spoil_cache(subject *s, comparison *c, problem *why);

/* Runs the subject's tokens from..to-1, and compares with the same rows of the whole forward. */
void compare_rows(subject *s, engine *e, int from, int to, comparison *c);
void compare_logits(const subject *s, const float *a, const float *b, int rows, comparison *c);

/* ---- The crowd (check_crowd.c) ---- */

/* Needs all else that subject_open opens. */
bool crowd_open(subject *s, problem *why);
void crowd_close(subject *s);

/* Runs a token for each of 1, 2, 7 and 64 sequences at once (no more than `most`), and compares with each
 * alone. Returns the largest of these numbers that was run. */
int compare_crowd(subject *s, engine *e, int most, comparison *c);
#endif
