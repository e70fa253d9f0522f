#include "cases.h"
#include "median.h"
#include <stdio.h>
#include <string.h>

static void add_to_label(bench_case *c, const char *text) {
    size_t length = strlen(c->label);
    (void)snprintf(c->label + length, sizeof c->label - length, "%s%s", length ? " " : "", text);
}

static bool change(bench_case *c, const char *argument, problem *why) {
    char key[64] = "";
    const char *equals = strchr(argument, '=');
    if (strncmp(argument, "--", 2) != 0 || !equals || equals - argument - 2 >= (long)sizeof key)
        return bad_input(why, "%s: expected --key=value", argument);
    memcpy(key, argument + 2, (size_t)(equals - argument - 2));
    add_to_label(c, argument);
    return settings_set(&c->settings, NULL, key, equals + 1, argument, why);
}

static bool read_recipe(bench_case *c, const char *path, problem *why) {
    const char *slash = strrchr(path, '/');
    settings_default(&c->settings);
    add_to_label(c, slash ? slash + 1 : path);
    return settings_read(&c->settings, NULL, path, why);
}

static bool next_case(cases *c, problem *why) {
    if (c->count == MOST_CASES) return bad_input(why, "more than %d cases", MOST_CASES);
    c->list[c->count++].settings = c->list[0].settings;
    return true;
}

bool cases_read_recipe(cases *c, int count, char **arguments, problem *why) {
    c->count = 1;
    if (count < 1) return bad_input(why, "expected CONFIG [--key=value ...] [+ --key=value ...]");
    if (!read_recipe(&c->list[0], arguments[0], why)) return false;
    for (int i = 1; i < count; i++) {
        bool fine = strcmp(arguments[i], "+") == 0 ? next_case(c, why)
                                                   : change(&c->list[c->count - 1], arguments[i], why);
        if (!fine) return false;
    }
    return true;
}

bool cases_read(cases *c, int argc, char **argv, problem *why) {
    if (argc < 4) return bad_input(why, "usage: FIGURES.json ROUNDS CONFIG [--key=value ...] [+ ...]");
    c->figures = argv[1];
    c->rounds = rounds_from(argv[2]);
    if (!c->rounds) return bad_input(why, "%s: expected a number of rounds, 1 to %d", argv[2], MOST_ROUNDS);
    return cases_read_recipe(c, argc - 3, argv + 3, why);
}
