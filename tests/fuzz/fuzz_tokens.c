/* Token files: the first two bytes are the size of the vocabulary (0: unknown), the third a block size, the
 * fourth the share that validates, the rest is the file. Every id is below the vocabulary's size. */
#include "corpus.h"
#include "input.h"
#include "memory.h"

enum { OPTIONS = 4 };

static void read_all(corpus *c) {
    problem why;
    int32_t *validation;
    size_t count;
    int32_t *tokens = allocate(c->count, sizeof *tokens, "tokens", &why);
    must(tokens, why.text);
    must(corpus_read(c, 0, c->count, tokens, &why), why.text);
    for (size_t i = 0; i < c->count; i++)
        must(tokens[i] >= 0 && tokens[i] < c->tokenizer.vocab_size, "an id that the vocabulary has not");
    must(corpus_validation(c, &validation, &count, &why), why.text);
    must(count == c->count - c->train_count, "a validation split of another length");
    for (size_t i = 0; i < count; i++) must(validation[i] == tokens[c->train_count + i], "another token");
    release(validation);
    release(tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    corpus c;
    problem why;
    if (size < OPTIONS) return 0;
    const corpus_options o = {.data = input_file("t.bin", data + OPTIONS, size - OPTIONS),
                              .val_data = "",
                              .vocab = "",
                              .vocab_size = data[0] | data[1] << 8,
                              .val_fraction = (data[3] + 1) / 258.0};
    if (corpus_open(&c, &o, &why)) {
        if (!corpus_check_splits(&c, data[2] + 1, o.data, &why)) must_refuse(&why);
        read_all(&c);
        corpus_close(&c);
    } else
        must_refuse(&why);
    return 0;
}
