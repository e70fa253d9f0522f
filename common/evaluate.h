/* The mean loss over windows of tokens, by an engine with room for one at least: evaluation_rows is good. */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "engine.h"

enum { EVALUATION_ROWS = 1024 }; /* or more: enough to be fast where windows are short */

static inline int evaluation_rows(const shape *s) {
    return s->block_size > EVALUATION_ROWS ? s->block_size : EVALUATION_ROWS;
}

/* Asked between groups of windows with the share done so far; true stops the evaluation. */
typedef bool (*evaluate_stop)(void *context, double done);

/* Mean cross-entropy (nats a token) over windows tokens[i*T .. i*T+T], i = 0.., the last partial one
 * included: every token but the first is predicted once. `count` >= 2. Losses are added in double in token
 * order, so the result does not depend on threads or on how many windows share a call. False when `stop` says
 * so, without a message, or for want of memory; stop may be NULL, and is asked with the share done so far. */
bool evaluate_exact(engine *e, const int32_t *tokens, size_t count, evaluate_stop stop, void *context,
                    double *loss, problem *why);

/* Some windows: at(context, i) is window i, which predicts tokens[1..count] from tokens[0..count-1]. The
 * first `skip` predictions are not counted: what they read is only what the others look back at. */
typedef struct window {
    const int32_t *tokens;
    int count; /* 1..block_size */
    int skip;  /* below count */
} window;
typedef struct window_list {
    size_t count; /* at least 1 */
    window (*at)(const void *context, size_t i);
    const void *context;
} window_list;

/* The same mean over any windows: what evaluate_exact is made of. */
bool evaluate_windows(engine *e, const window_list *windows, evaluate_stop stop, void *context, double *loss,
                      problem *why);
#endif
