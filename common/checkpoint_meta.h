/* meta.json: the member of a checkpoint that says what the others are. Described in checkpoint.c. */
#ifndef CHECKPOINT_META_H
#define CHECKPOINT_META_H
#include "checkpoint.h"

typedef struct checkpoint_meta {
    shape shape; /* checked */
    weight_type type;
    tokenizer tokenizer;
    training_state train;
} checkpoint_meta;

/* The text for a view, *size bytes and a 0; release(). NULL and a message without memory. */
char *meta_write(const checkpoint_view *view, size_t *size, problem *why);

/* Parses `size` bytes, which a 0 follows and which it may change. Close meta->tokenizer with
 * tokenizer_close. */
bool meta_read(checkpoint_meta *meta, char *text, size_t size, const char *source, problem *why);
#endif
