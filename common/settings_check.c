#include "corpus.h"
#include "settings.h"

shape settings_shape(const settings *s, int vocab_size) {
    return (shape){.n_layer = (int)s->n_layer,
                   .n_head = (int)s->n_head,
                   .n_embd = (int)s->n_embd,
                   .block_size = (int)s->block_size,
                   .vocab_size = vocab_size,
                   .activation = s->activation,
                   .qkv_bias = s->qkv_bias,
                   .bias = s->bias,
                   .head_bias = s->head_bias,
                   .tie_weights = s->tie_weights};
}

void settings_from_shape(settings *s, const shape *model) {
    s->n_layer = model->n_layer;
    s->n_head = model->n_head;
    s->n_embd = model->n_embd;
    s->block_size = model->block_size;
    s->activation = model->activation;
    s->qkv_bias = model->qkv_bias;
    s->bias = model->bias;
    s->head_bias = model->head_bias;
    s->tie_weights = model->tie_weights;
}

static bool check_data(const settings *s, problem *why) {
    if (!*s->data) return bad_input(why, "data is not set: it must name a text or a token file (.bin)");
    if (*s->val_data && !corpus_is_token_file(s->data))
        return bad_input(why, "val_data needs a token file (.bin) as data, not \"%s\"", s->data);
    if (*s->val_data && !corpus_is_token_file(s->val_data))
        return bad_input(why, "val_data must be a token file (.bin), not \"%s\"", s->val_data);
    if (*s->vocab && !corpus_is_token_file(s->data))
        return bad_input(why, "vocab needs a token file (.bin) as data, not \"%s\": a text makes its own",
                         s->data);
    return true;
}

/* Every count of tokens is an int64_t. */
static bool check_length(const settings *s, problem *why) {
    int64_t tokens = s->block_size;
    if (!__builtin_mul_overflow(tokens, s->batch_size, &tokens) &&
        !__builtin_mul_overflow(tokens, s->grad_accum, &tokens) &&
        !__builtin_mul_overflow(tokens, s->max_iters, &tokens))
        return true;
    return bad_input(why, "max_iters x grad_accum x batch_size x block_size must be below 2^63 tokens");
}

bool settings_check(const settings *s, problem *why) {
    int known = s->vocab_size ? (int)s->vocab_size : 1;
    shape model = settings_shape(s, known);
    return shape_check(&model, why) && check_data(s, why) && check_length(s, why);
}
