/* sawtooth-infer: text from a checkpoint, and the proof that the cache changes nothing about it. */
#include "command.h"
#include "nearest.h"
#include "output.h"
#include "standard_streams.h"
#include <stdio.h>
#include <string.h>

static const command *const commands[] = {&generate_command, &check_command,  &window_command,
                                          &eval_command,     &logits_command, &bench_command,
                                          &convert_command,  &info_command,   NULL};

static const option shared_options[] = {
    {"threads", 0, "N", "threads that work on a model (default: auto, one for each physical core)"},
    {"kernels", 0, "NAME", "auto (default) or a kernel set by name: each gives the same bits"},
    {"weights", 0, "TYPE", "f32, f16 or int8, rounded when loaded (default: as the model holds them)"},
    {"help", 'h', NULL, "show this"},
    {NULL, 0, NULL, NULL},
};

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
    print_options(shared_options);
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

static bool run_command(const command *c, int argc, char *const *argv, problem *why) {
    option options[MAX_OPTIONS + 1];
    copy_options(options + copy_options(options, c->options), shared_options);
    arguments a;
    if (!arguments_parse(&a, argc, argv, options, 1, why)) return false;
    if (!arguments_value(&a, "help")) return c->run(&a, why);
    print_command_help(c);
    return true;
}

static bool run(int argc, char *const *argv, problem *why) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) return bad_input(why, "no command: sawtooth-infer --help lists them");
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        print_help();
        return true;
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
    bool ok = standard_streams_open(&why) && run(argc, argv, &why);
    if (!output_flush(&unwritten) && ok) {
        why = unwritten;
        ok = false;
    }
    if (!ok && *why.text) fprintf(stderr, "sawtooth-infer: %s\n", why.text);
    return ok ? 0 : why.exit_status;
}
