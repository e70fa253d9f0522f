#include "shell_word.h"
#include <string.h>

static bool is_plain(const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    return *path && !path[strspn(path, plain)];
}

shell_word shell_quote(const char *path) {
    const char *mark = is_plain(path) ? "" : "'", *const apostrophe = "'\\''";
    shell_word w;
    char *to = stpcpy(w.text, mark);
    for (int i = 0; i < PATH_LENGTH && path[i]; i++)
        if (path[i] == '\'')
            to = stpcpy(to, apostrophe);
        else
            *to++ = path[i];
    (void)stpcpy(to, mark);
    return w;
}
