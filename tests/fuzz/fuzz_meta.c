/* meta.json: what is read can be written, and then reads as the same. */
#include "checkpoint_meta.h"
#include "input.h"
#include "memory.h"
#include <stdlib.h>
#include <string.h>

static char *write_meta(const checkpoint_meta *m, size_t *size) {
    problem why;
    const checkpoint_view view = {
        .shape = &m->shape, .tokenizer = &m->tokenizer, .train = &m->train, .type = m->type};
    char *text = meta_write(&view, size, &why);
    must(text, why.text);
    return text;
}

static void read_again(const checkpoint_meta *meta) {
    size_t size, again;
    checkpoint_meta copy;
    problem why;
    char *text = write_meta(meta, &size), *read = input_text((const uint8_t *)text, size);
    must(meta_read(&copy, read, size, "meta.json", &why), why.text);
    char *second = write_meta(&copy, &again);
    must(size == again && !memcmp(text, second, size), "meta.json reads as another");
    must(tokenizer_equal(&meta->tokenizer, &copy.tokenizer), "the tokenizer reads as another");
    tokenizer_close(&copy.tokenizer);
    release(second);
    release(text);
    free(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    checkpoint_meta meta;
    problem why;
    char *text = input_text(data, size);
    if (meta_read(&meta, text, size, "meta.json", &why)) {
        read_again(&meta);
        tokenizer_close(&meta.tokenizer);
    } else
        must_refuse(&why);
    free(text);
    return 0;
}
