#include "shape.h"
#include <limits.h>

const char *const activation_names[] = {[RELU] = "relu", [GELU] = "gelu", [GELU_TANH] = "gelu_tanh", NULL};

typedef struct size {
    const char *name;
    int value, most;
} size;

static bool in_range(const size *s, problem *why) {
    if (s->value >= 1 && s->value <= s->most) return true;
    return bad_input(why, "%s must be from 1 to %d, not %d", s->name, s->most, s->value);
}

static bool fits(size a, size b, problem *why) {
    if ((int64_t)padded(a.value) * padded(b.value) <= INT_MAX) return true;
    return bad_input(why, "%s %d and %s %d are too large together: their product must fit 31 bits", a.name,
                     a.value, b.name, b.value);
}

bool shape_check(const shape *s, problem *why) {
    enum { LAYERS, HEADS, WIDTH, CONTEXT, VOCABULARY, SIZES };
    const size sizes[SIZES] = {{"n_layer", s->n_layer, MAX_LAYERS},
                               {"n_head", s->n_head, MAX_HEADS},
                               {"n_embd", s->n_embd, MAX_WIDTH},
                               {"block_size", s->block_size, MAX_CONTEXT},
                               {"vocab_size", s->vocab_size, MAX_VOCABULARY}};
    for (int i = 0; i < SIZES; i++)
        if (!in_range(&sizes[i], why)) return false;
    if (s->n_embd % s->n_head)
        return bad_input(why, "n_embd %d is not a multiple of n_head %d", s->n_embd, s->n_head);
    if ((unsigned)s->activation > GELU_TANH)
        return bad_input(why, "activation %d is unknown", (int)s->activation);
    size hidden = {"4 n_embd", 4 * s->n_embd, INT_MAX};
    return fits(hidden, sizes[CONTEXT], why) && fits(sizes[VOCABULARY], sizes[WIDTH], why) &&
           fits(sizes[VOCABULARY], sizes[CONTEXT], why);
}
