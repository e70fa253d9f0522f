/* sawtooth-infer: text from a checkpoint, and the proof that the cache changes nothing about it. */
#include "command.h"
#include "nearest.h"
#include "output.h"
#include "signals.h"
#include "standard_streams.h"
#include <stdio.h>
#include <string.h>

static const command *const commands[] = {&generate_command, &check_command,  &window_command,
                                          &eval_command,     &logits_command, &bench_command,
                                          &convert_command,  &info_command,   NULL};

static const option shared_options[] = {
    {"threads", 0, "N", "threads that work on a model (default: auto, one for each physical core)"},
    {"kernels", 0, "NAME", "auto (default) or a kernel set by name: each gives the same bits, but openblas"},
    {"cache", 0, "TYPE", "f32 (default) or f16: keys and values are rounded and take half the memory"},
    {"weights", 0, "TYPE", "f32, f16 or int8, rounded when loaded (default: as the model holds them)"},
    {"help", 'h', NULL, "show this"},
    {NULL, 0, NULL, NULL},
};
enum { OF_RUNNING = 3 }; /* the first of them */

static int copy_options(option *to, const option *from) {
    int n = 0;
    for (; from[n].name; n++) to[n] = from[n];
    to[n] = from[n];
    return n;
}

static void print_options(const option *options) {
    char line[256];
    for (const option *o = options; o->name; o++) {
        option_line(o, line, sizeof line);
        puts(line);
    }
}

static void print_command_help(const command *c) {
    printf("sawtooth-infer %s %s\n\n%s.\n\n", c->name, c->usage, c->summary);
    puts("  MODEL                      a checkpoint (.npz), or a run directory: its best.npz");
    print_options(c->options);
    print_options(shared_options + (c->reads_only ? OF_RUNNING : 0));
}

static void print_help(void) {
    printf("sawtooth-infer COMMAND ...\n\n");
    for (int i = 0; commands[i]; i++) printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    puts("\nsawtooth-infer COMMAND --help shows a command's options; sawtooth-infer --version the version.");
}

static const command *find(const char *name, problem *why) {
    nearest best = {.word = name};
    for (int i = 0; commands[i]; i++) {
        if (!strcmp(commands[i]->name, name)) return commands[i];
        nearest_try(&best, commands[i]->name);
    }
    bad_input(why, "unknown command \"%.80s\"; the nearest is %s", name, best.found);
    return NULL;
}

static bool has_use(const command *c, const arguments *a, problem *why) {
    for (int i = 0; c->reads_only && i < OF_RUNNING; i++)
        if (arguments_value(a, shared_options[i].name))
            return bad_input(why, "%s runs no model: --%s is of no use to it", c->name,
                             shared_options[i].name);
    return true;
}

static bool run_command(const command *c, int argc, char *const *argv, problem *why) {
    option options[MAX_OPTIONS + 1];
    copy_options(options + copy_options(options, c->options), shared_options);
    arguments a;
    if (!arguments_parse(&a, argc, argv, options, 1, why)) return false;
    if (!arguments_value(&a, "help")) return has_use(c, &a, why) && c->run(&a, why);
    print_command_help(c);
    return true;
}

static bool asks_for_help(const char *name) {
    return !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
}

static bool run(int argc, char *const *argv, problem *why) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) return bad_input(why, "no command: sawtooth-infer --help lists them");
    if (asks_for_help(name)) {
        const command *about = argc > 2 ? find(argv[2], why) : NULL;
        if (argc <= 2) print_help();
        if (about) print_command_help(about);
        return argc <= 2 || about;
    }
    if (!strcmp(name, "--version")) {
        printf("sawtooth-infer %s\n", SAWTOOTH_VERSION);
        return true;
    }
    const command *c = find(name, why);
    return c && run_command(c, argc - 1, argv + 1, why);
}

int main(int argc, char **argv) {
    problem why = {.exit_status = 0}, unwritten;
    bool ok = standard_streams_open(&why) && signals_let_writes_fail(&why) && run(argc, argv, &why);
    if (!output_flush(&unwritten) && ok) {
        why = unwritten;
        ok = false;
    }
    if (!ok && *why.text) fprintf(stderr, "sawtooth-infer: %s\n", why.text);
    return ok ? 0 : why.exit_status;
}
