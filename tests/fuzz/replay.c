/* In place of libFuzzer: runs a target on every file of the directories that are named. */
#include "file.h"
#include "input.h"
#include "memory.h"
#include <dirent.h>
#include <stdio.h>

static void replay_file(const char *path) {
    size_t size;
    problem why;
    char *bytes = file_load(path, &size, &why);
    must(bytes, why.text);
    (void)fprintf(stderr, "%s\n", path);
    (void)LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
    release(bytes);
}

static int replay_directory(const char *path) {
    int files = 0;
    DIR *d = opendir(path);
    must(d, path);
    for (struct dirent *entry; (entry = readdir(d));) {
        char name[1024];
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        replay_file(name);
        files++;
    }
    (void)closedir(d);
    return files;
}

int main(int argc, char **argv) {
    int files = 0;
    for (int i = 1; i < argc; i++) files += replay_directory(argv[i]);
    must(files > 0, "no inputs");
    printf("%s: %d inputs\n", argv[0], files);
    return 0;
}
