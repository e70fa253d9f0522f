/* Prompts, from the command line on: the input is the arguments, each ended by a zero byte. Every token of a
 * prompt is one that the model has. The first byte says whether its vocabulary has characters. */
#include "input.h"
#include "prompt.h"
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 12 };

static const option options[] = {
    {"prompt", 'p', "TEXT", ""},  {"prompt-file", 0, "FILE", ""}, {"tokens", 0, "IDS", ""},
    {"new-tokens", 'n', "N", ""}, {"no-cache", 0, NULL, ""},      {NULL, 0, NULL, NULL},
};

static const char CHARS[] = "\n !,.0aez\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";

static tokenizer open_tokenizer(bool chars) {
    tokenizer t;
    problem why;
    must(chars ? tokenizer_from_chars(&t, CHARS, sizeof CHARS - 1, "CHARS", &why)
               : tokenizer_from_ids(&t, 300),
         "no tokenizer");
    return t;
}

static int split(char *text, size_t size, char *argv[ARGUMENTS]) {
    int argc = 0;
    for (size_t at = 0; at < size && argc < ARGUMENTS; at += strlen(text + at) + 1) argv[argc++] = text + at;
    return argc;
}

/* Files are replay.c's and fuzz_corpus.c's business: a mutated path could be anywhere. */
static bool read_prompt(const arguments *a, const tokenizer *t, problem *why) {
    prompt p;
    if (arguments_value(a, "prompt-file")) return true;
    if (!prompt_open(&p, a, t, why)) return false;
    must(p.count > 0, "a prompt without tokens");
    for (size_t i = 0; i < p.count; i++)
        must(p.tokens[i] >= 0 && p.tokens[i] < t->vocab_size, "a token that the model has not");
    prompt_close(&p);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tokenizer vocabularies[2];
    char *argv[ARGUMENTS];
    arguments a;
    problem why;
    if (size == 0) return 0;
    tokenizer *t = &vocabularies[data[0] % 2];
    if (!t->vocab_size) *t = open_tokenizer(data[0] % 2);
    char *text = input_text(data, size);
    int argc = split(text, size, argv);
    if (!arguments_parse(&a, argc, argv, options, 1, &why) || !read_prompt(&a, t, &why)) must_refuse(&why);
    free(text);
    return 0;
}
