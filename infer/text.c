#include "text.h"
#include "corpus.h"
#include "memory.h"
#include "random.h"

const char *const text_splits[] = {"val", "train", "all", NULL};

bool text_split_of(const arguments *a, const checkpoint *c, text_split *split, problem *why) {
    bool own_file = c->train.has_settings && *c->train.settings.val_data;
    int choice = own_file ? WHOLE_TEXT : VALIDATION_SPLIT;
    if (!arguments_choice(a, "split", text_splits, &choice, why)) return false;
    *split = (text_split)choice;
    return true;
}

static double validation_fraction(const checkpoint *c) {
    return c->train.has_settings ? c->train.settings.val_fraction : 0.1;
}

void text_close(text *t) {
    release(t->tokens);
    *t = (text){.tokens = NULL};
}

static bool read_split(text *t, corpus *c, const char *path, text_split split, size_t least, problem *why) {
    size_t from = split == VALIDATION_SPLIT ? c->train_count : 0;
    size_t to = split == TRAINING_SPLIT ? c->train_count : c->count;
    t->count = to - from;
    if (t->count < least)
        return bad_input(why, "%s: %zu token%s in its part \"%s\"; expected at least %zu", path, t->count,
                         t->count == 1 ? "" : "s", text_splits[split], least);
    t->tokens = allocate(t->count, sizeof *t->tokens, "the text's tokens", why);
    if (t->tokens && corpus_read(c, from, t->count, t->tokens, why)) return true;
    text_close(t);
    return false;
}

bool text_open(text *t, const char *path, text_split split, const checkpoint *c, size_t least, problem *why) {
    corpus_options o = {.data = path,
                        .val_data = "",
                        .vocab = "",
                        .val_fraction = validation_fraction(c),
                        .must_use = &c->tokenizer};
    corpus all;
    *t = (text){.tokens = NULL};
    if (!corpus_open(&all, &o, why)) return false;
    bool ok = read_split(t, &all, path, split, least, why);
    corpus_close(&all);
    return ok;
}

void text_draw(int32_t *tokens, size_t count, int vocab_size) {
    random_stream stream = random_open(1, FOR_CHECK, 0, 0, 0);
    for (size_t i = 0; i < count; i++) tokens[i] = (int32_t)random_below(&stream, i, (uint64_t)vocab_size);
}
