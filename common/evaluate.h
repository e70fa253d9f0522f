/* The exact mean loss over a token sequence, in non-overlapping windows. */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "forward.h"

/* Mean cross-entropy (nats a token) over windows tokens[i*T .. i*T+T], i = 0.., the last partial one included: every
 * token but the first is predicted once. `count` >= 2. Losses are added in double in token order, so the result does
 * not depend on threads or on how many windows share a call. Returns false (no message) when `stop` says so; stop may
 * be NULL, and is asked with the share done so far. */
typedef bool (*evaluate_stop)(void *context, double done);
bool evaluate_exact(engine *e, const int32_t *tokens, size_t count, evaluate_stop stop, void *context, double *loss,
                    problem *why);
#endif
