#include "input.h"
#include "utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 128 };

void must(bool ok, const char *what) {
    if (ok) return;
    (void)fprintf(stderr, "fuzz target: %s\n", what);
    abort();
}

void must_refuse(const problem *why) {
    must(why->exit_status == 2, why->text);
    size_t length = strlen(why->text);
    must(length > 0, "a refusal without a reason");
    for (size_t at = 0; at < length;) {
        uint32_t code;
        must(utf8_decode(why->text, length, &at, &code) && utf8_is_printable(code), "an unprintable message");
    }
}

static char directory[PATH], path[PATH]; /* libFuzzer has no place for a target's state but this */

static void remove_all(void) {
    (void)unlink(path);
    (void)rmdir(directory);
}

static void make_directory(void) {
    const char *above = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%.80s/sawtooth-fuzz-XXXXXX", above ? above : "/tmp");
    must(mkdtemp(directory) && atexit(remove_all) == 0, "no temporary directory");
}

const char *input_file(const char *name, const void *bytes, size_t size) {
    if (!*directory) make_directory();
    (void)snprintf(path, sizeof path, "%.100s/%.20s", directory, name);
    FILE *f = fopen(path, "w");
    must(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0, "the input cannot be written");
    return path;
}

char *input_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    must(text, "out of memory");
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}
