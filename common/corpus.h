/* The tokens a model learns from: a UTF-8 text file, or a token file as nanoGPT's prepare.py writes it
 * (16-bit ids, little-endian, nothing else). A text is taken as it is, as Python reads it with
 * encoding="utf-8" and newline="": U+0000 and the carriage returns of CRLF are characters like any other, and
 * so is a byte-order mark at the start (U+FEFF). */
#ifndef CORPUS_H
#define CORPUS_H
#include "file.h"
#include "token_sum.h"
#include "tokenizer.h"

typedef struct corpus {
    tokenizer tokenizer;
    int32_t *text_tokens;                /* of a text file; or NULL, and */
    file bin;                            /* a token file, from which tokens are read as they are wanted */
    size_t count;                        /* all tokens, those of val_data included */
    size_t train_count;                  /* the first train_count tokens train, the rest validate */
    token_sum train_sum, validation_sum; /* of both splits, as they were when the corpus was opened */
    struct corpus *validation; /* val_data, a token file of its own whose tokens come last, or NULL */
} corpus;

/* settings_check has refused val_data and vocab with a text. */
typedef struct corpus_options {
    const char *data;     /* path; ".bin" is a token file, anything else text */
    const char *val_data; /* "" or a second token file */
    const char *vocab;    /* "" or, with a token file, a UTF-8 file whose characters are the ids' texts */
    int64_t vocab_size;   /* token file: 0 is the largest id + 1; text: 0 or the vocabulary's size */
    double val_fraction;
    const tokenizer *must_use; /* NULL, or the vocabulary to encode with (init_from, resume, eval of a
                                  checkpoint): a text or file that contradicts it is an error */
} corpus_options;

/* Whether the path names a token file: it ends in ".bin". */
bool corpus_is_token_file(const char *path);

/* Reads, encodes and splits: a text of n characters trains on the first floor(n (1 - val_fraction)). */
bool corpus_open(corpus *c, const corpus_options *o, problem *why);
void corpus_close(corpus *c);

/* Refuses a split with fewer than block_size + 1 tokens. */
bool corpus_check_splits(const corpus *c, int block_size, const char *data, problem *why);

/* Copies tokens from..from+count of the whole (train then validation) to out. False where a token file has
 * been changed since it was opened: it is shorter, or an id is outside the vocabulary. */
bool corpus_read(corpus *c, size_t from, size_t count, int32_t *out, problem *why);

/* The validation split's tokens as a fresh array; release() it in any case. */
bool corpus_validation(corpus *c, int32_t **tokens, size_t *count, problem *why);
#endif
