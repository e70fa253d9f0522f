/* The nearest of some words to a word that was meant to be one of them: for "unknown key" messages. */
#ifndef NEAREST_H
#define NEAREST_H
#include <stddef.h>

/* The fewest insertions, deletions and replacements of bytes and swaps of two neighbours that turn a into b,
 * no byte touched twice. Only the first 64 bytes of either count: a key in a hostile file may be megabytes
 * long. */
size_t edit_distance(const char *a, const char *b);

/* Start from {.word = ...}; after a nearest_try for each candidate, `found` is the first of the
 * nearest ones. */
typedef struct nearest {
    const char *word, *found;
    size_t distance;
} nearest;

void nearest_try(nearest *best, const char *candidate);
#endif
