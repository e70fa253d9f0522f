/* The figures of `bench`. Each is planned once and measured in every round, in turn with the others, so that
 * all of them see the same minutes of the machine. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H
#include "loaded.h"
#include "series.h"

enum { BENCH_LENGTHS = 3, BENCH_BATCHES = 4, MOST_TOGETHER = 64 };

/* What is measured. */
typedef struct bench {
    engine engine;                    /* for a whole context, or MOST_TOGETHER sequences */
    kv_cache cache;                   /* of a whole context */
    kv_cache together[MOST_TOGETHER]; /* of a few positions each, all of them full but the last */
    int32_t *tokens;                  /* block_size random ones */
    float *logits;                    /* (MOST_TOGETHER, V) */
} bench;

/* ---- One sequence at a length ---- */

typedef struct length_figures {
    int tokens;
    double prefill_flops;
    double decode_bytes; /* weights, and keys and values of so many tokens */
    double cache_bytes;  /* the latter */
    series prefill;      /* seconds of so many tokens into an empty cache: what an uncached step takes */
    series decode;       /* seconds of the last of them, the others being cached */
} length_figures;

/* A quarter of the context, half, all of it. */
void lengths_plan(length_figures figures[BENCH_LENGTHS], const model *m);
void lengths_measure(bench *b, length_figures figures[BENCH_LENGTHS]);

/* ---- A token for each of several sequences at once ---- */

typedef struct batch_figures {
    int sequences;
    int position; /* of each one's token */
    double flops;
    series seconds;
} batch_figures;

/* Opens, and fills, what stands in `together`. */
bool together_open(bench *b, problem *why);
void together_close(bench *b);
void batches_plan(batch_figures figures[BENCH_BATCHES], const model *m);
void batches_measure(bench *b, batch_figures figures[BENCH_BATCHES]);

/* ---- Whole texts ---- */

/* Far past the context, averaged over whole teeth (a rebuild and what follows it), against decoding at the
 * same positions before the first rebuild. Nothing is measured where the context is one token. */
typedef struct sawtooth_figures {
    int keep, teeth;
    series inside, steady; /* tokens a second */
} sawtooth_figures;

/* A greedy text from a short prompt, inside the context, cached and uncached: the comparison of Raschka's
 * LLMs-from-scratch, which takes 200 tokens after "Hello, I am". */
typedef struct text_figures {
    int prompt, tokens;
    series cached, uncached; /* seconds */
    bool same;
} text_figures;

void sawtooth_plan(sawtooth_figures *f, const shape *s);
bool sawtooth_measure(bench *b, sawtooth_figures *f, problem *why);
void text_plan(text_figures *f, const shape *s);
bool text_measure(bench *b, text_figures *f, problem *why);

/* ---- From a checkpoint to its first token ---- */

/* Opens the model that the arguments name, and everything needed to run it, and generates one token. */
bool start_measure(const arguments *a, series *seconds, problem *why);
#endif
