#include "sampler.h"
#include "memory.h"
#include "scalar_math.h"
#include <math.h>

bool sampler_open(sampler *s, int vocab_size, problem *why) {
    size_t n = (size_t)vocab_size;
    *s = (sampler){.vocab_size = vocab_size};
    s->weights = allocate(n, sizeof *s->weights, "the sampler's weights", why);
    s->ids = s->weights ? allocate(n, sizeof *s->ids, "the sampler's ids", why) : NULL;
    if (!s->ids) sampler_close(s);
    return s->ids;
}

void sampler_close(sampler *s) {
    release(s->weights);
    release(s->ids);
    *s = (sampler){0};
}

int logits_not_finite(const float *logits, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(logits[i])) return i;
    return -1;
}

static int32_t largest(const float *logits, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

static void weigh(sampler *s, const float *logits, double temperature) {
    double top = (double)logits[largest(logits, s->vocab_size)];
    for (int i = 0; i < s->vocab_size; i++)
        s->weights[i] = exact_exp(((double)logits[i] - top) / temperature);
}

static double sum(const double *weights, int n) {
    double total = 0;
    for (int i = 0; i < n; i++) total += weights[i];
    return total;
}

/* Whether token a comes before token b: a total order, so a heap gives one list whatever its history. */
static bool before(const float *logits, int32_t a, int32_t b) {
    return logits[a] > logits[b] || (a < b && logits[a] == logits[b]);
}

/* Moves ids[i] down until the heap of n ids is whole again: every parent comes before its children. */
static void sift(int32_t *ids, int n, int i, const float *logits) {
    int32_t id = ids[i];
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(logits, ids[child + 1], ids[child])) child++;
        if (before(logits, id, ids[child])) break;
        ids[i] = ids[child];
    }
    ids[i] = id;
}

/* Takes the best of a heap of n ids: it is then ids[n - 1], and the heap has n - 1. */
static int32_t take_best(int32_t *ids, int n, const float *logits) {
    int32_t best = ids[0];
    ids[0] = ids[n - 1];
    ids[n - 1] = best;
    sift(ids, n - 1, 0, logits);
    return best;
}

/* Brings the tokens that top_k and top_p leave to the end of `ids`, the best one last; returns their number.
 * Sorting no more than is left keeps a vocabulary of 50,000 cheap. */
static int keep_best(sampler *s, const float *logits, const sampling *how) {
    int n = s->vocab_size, taken = 0, kept = 0;
    for (int i = n / 2; i-- > 0;) sift(s->ids, n, i, logits);
    int most = how->top_k > 0 && how->top_k < n ? how->top_k : n;
    double total = 0, reached = 0;
    if (most == n)
        total = sum(s->weights, n);
    else
        for (; taken < most; taken++) total += s->weights[take_best(s->ids, n - taken, logits)];
    if (how->top_p >= 1) return most;
    do {
        if (kept == taken) take_best(s->ids, n - taken++, logits);
        reached += s->weights[s->ids[n - ++kept]];
    } while (kept < most && reached < how->top_p * total);
    return kept;
}

/* uniform * total < total in every rounding, so the last token with a weight above 0 is always reached. */
static int32_t pick(const double *weights, const int32_t *ids, int n, double uniform) {
    double total = 0, reached = 0;
    for (int i = 0; i < n; i++) total += weights[ids[i]];
    int i = 0;
    while (i < n - 1 && (reached += weights[ids[i]]) <= uniform * total) i++;
    return ids[i];
}

int32_t sampler_draw(sampler *s, const float *logits, const sampling *how, double uniform) {
    int n = s->vocab_size, kept = n;
    if (how->temperature <= 0) return largest(logits, n);
    weigh(s, logits, how->temperature);
    for (int i = 0; i < n; i++) s->ids[i] = i;
    if ((how->top_k > 0 && how->top_k < n) || how->top_p < 1) kept = keep_best(s, logits, how);
    return pick(s->weights, s->ids + n - kept, kept, uniform);
}
