#include "prompt.h"
#include "file.h"
#include "memory.h"
#include <string.h>

static bool only_one(const arguments *a, problem *why) {
    const char *const names[] = {"prompt", "prompt-file", "tokens"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!arguments_value(a, names[i])) continue;
        if (first) return bad_input(why, "--%s and --%s exclude each other", first, names[i]);
        first = names[i];
    }
    return true;
}

static bool encode_file(prompt *p, const char *path, const tokenizer *t, problem *why) {
    size_t bytes;
    bool input = !strcmp(path, "-");
    const char *source = input ? "standard input" : path;
    char *text = input ? file_load_input(&bytes, why) : file_load(path, &bytes, why);
    bool ok = text && tokenizer_encode(t, text, bytes, source, &p->tokens, &p->count, why);
    release(text);
    return ok;
}

static bool encode(prompt *p, const arguments *a, const tokenizer *t, problem *why) {
    const char *text = arguments_value(a, "prompt"), *path = arguments_value(a, "prompt-file");
    const char *ids = arguments_value(a, "tokens");
    if (text && *text) return tokenizer_encode(t, text, strlen(text), "--prompt", &p->tokens, &p->count, why);
    if (path) return encode_file(p, path, t, why);
    return !ids || !*ids || tokenizer_parse_ids(t, ids, &p->tokens, &p->count, why);
}

bool prompt_open(prompt *p, const arguments *a, const tokenizer *t, problem *why) {
    *p = (prompt){.tokens = NULL};
    if (!only_one(a, why) || !encode(p, a, t, why)) return false;
    p->given = p->count > 0;
    if (p->given) return true;
    release(p->tokens);
    p->tokens = allocate(1, sizeof *p->tokens, "the prompt", why);
    if (!p->tokens) return false;
    p->tokens[0] = tokenizer_first(t);
    p->count = 1;
    return true;
}

void prompt_close(prompt *p) {
    release(p->tokens);
    *p = (prompt){.tokens = NULL};
}
