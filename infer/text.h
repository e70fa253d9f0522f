/* The tokens of the text that a command is given to work on: --text FILE, --split PART. */
#ifndef TEXT_H
#define TEXT_H
#include "arguments.h"
#include "checkpoint.h"

typedef enum { VALIDATION_SPLIT, TRAINING_SPLIT, WHOLE_TEXT } text_split;

extern const char *const text_splits[]; /* their names, "val", "train", "all", then NULL */

typedef struct text {
    int32_t *tokens;
    size_t count;
} text;

/* --split, or where it is not given what training validated on: the last part of a text, or a whole file
 * where it had one for that. */
bool text_split_of(const arguments *a, const checkpoint *c, text_split *split, problem *why);

/* Reads the file with the model's vocabulary and splits it as the model's training did (else: the last tenth
 * validates). Refuses a split of fewer than `least` tokens. */
bool text_open(text *t, const char *path, text_split split, const checkpoint *c, size_t least, problem *why);
void text_close(text *t);

/* Fills tokens[0..count-1] with random ids, always the same: what stands in for a text where none is given.
 */
void text_draw(int32_t *tokens, size_t count, int vocab_size);
#endif
