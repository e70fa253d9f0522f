/* Paths in commands that a user may copy. */
#ifndef SHELL_WORD_H
#define SHELL_WORD_H
#include "settings.h"

/* A word that a shell takes for a path: in quotes where it may not stand as it is. */
typedef struct shell_word {
    char text[4 * PATH_LENGTH + 3];
} shell_word;

/* What is longer than any path is cut off. */
shell_word shell_quote(const char *path);
#endif
