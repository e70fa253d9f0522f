#include "options.h"
#include "arguments.h"
#include "file.h"
#include "run_directory.h"
#include "shell_word.h"
#include <stdio.h>
#include <string.h>

static const option own_options[] = {
    {"resume", 0, "DIR", "go on with the run in DIR, with the settings of its config.conf"},
    {"overwrite", 0, NULL, "start over in an out_dir that holds a run: that run is lost"},
    {"print-config", 0, NULL, "print the effective settings and stop"},
    {"help", 'h', NULL, "print this and stop"},
    {"version", 0, NULL, "print the version and stop"},
};
enum { OWN_OPTIONS = sizeof own_options / sizeof *own_options };

/* One option for each setting, then our own. */
static void fill_table(option table[MAX_OPTIONS]) {
    const setting *row;
    size_t n = 0;
    for (; (row = settings_at(n)); n++) table[n] = (option){row->key, 0, "VALUE", row->help};
    memcpy(table + n, own_options, sizeof own_options);
    table[n + OWN_OPTIONS] = (option){0};
}

static bool check_usage(const options *o, const arguments *a, problem *why) {
    bool has_config = a->positional_count && *a->positionals[0];
    if (!o->resume && !has_config && (a->positional_count || !arguments_value(a, "data")))
        return bad_input(why,
                         "expected a config file, --data=FILE or --resume DIR; see sawtooth-train --help");
    if (!o->resume) return true;
    if (!*o->resume) return bad_input(why, "--resume needs a value: --resume DIR");
    if (a->positional_count)
        return bad_input(why, "--resume takes its settings from %s/%s, not from %s", o->resume, CONFIG_FILE,
                         a->positionals[0]);
    if (o->overwrite)
        return bad_input(why, "--resume goes on with a run and --overwrite discards one: not both");
    return true;
}

/* A run that starts from another's weights may learn in another way. */
static bool cannot_change(const setting *row, const char *run, problem *why) {
    bool optimization = !strcmp(row->group, "optimization");
    if (!optimization) return bad_input(why, "--%s: cannot change when a run is resumed", row->key);
    return bad_input(
        why,
        "--%s: cannot change when a run is resumed; --init_from=%s starts another run, with another "
        "out_dir, from its weights",
        row->key, shell_quote(run).text);
}

/* Settings from the command line, over those of the file. */
static bool override(options *o, const arguments *a, problem *why) {
    const setting *row;
    for (size_t i = 0; (row = settings_at(i)); i++) {
        const char *key = row->key, *value = a->values[i];
        if (!value) continue;
        if (o->resume && !(row->flags & MAY_CHANGE)) return cannot_change(row, o->resume, why);
        if (!settings_set(&o->settings, &o->given, key, value, "command line", why)) return false;
        o->names_data |= !strcmp(key, "data") || !strcmp(key, "val_data");
    }
    return true;
}

static bool read_settings(options *o, const arguments *a, problem *why) {
    char path[PATH_LENGTH];
    if (o->resume && file_is_regular(o->resume))
        return bad_input(why, "--resume %s: is a file, expected the directory of a run", o->resume);
    const char *config = o->resume ? path : a->positional_count ? a->positionals[0] : NULL;
    if (o->resume && !run_directory_file(o->resume, CONFIG_FILE, path, why)) return false;
    if (config && !settings_read(&o->settings, &o->given, config, why)) return false;
    if (o->resume && !settings_set(&o->settings, NULL, "out_dir", o->resume, "--resume", why))
        return false; /* the run may have been moved, to where config.conf cannot name it */
    return override(o, a, why);
}

bool options_read(options *o, int argc, char *const *argv, problem *why) {
    option table[MAX_OPTIONS];
    arguments a;
    *o = (options){.action = TRAIN};
    settings_default(&o->settings);
    fill_table(table);
    o->program = argc > 0 ? argv[0] : "sawtooth-train";
    if (argc == 2 && !strcmp(argv[1], "help")) {
        o->action = HELP;
        return true;
    }
    if (!arguments_parse(&a, argc, argv, table, 1, why)) return false;
    o->resume = arguments_value(&a, "resume");
    o->overwrite = arguments_value(&a, "overwrite") != NULL;
    if (arguments_value(&a, "print-config")) o->action = PRINT_CONFIG;
    if (arguments_value(&a, "version")) o->action = VERSION;
    if (arguments_value(&a, "help")) o->action = HELP;
    if (o->action == HELP || o->action == VERSION) return true;
    return check_usage(o, &a, why) && read_settings(o, &a, why);
}

static void print_settings(void) {
    settings defaults;
    settings_default(&defaults);
    const setting *row;
    const char *before = "";
    char value[PATH_LENGTH];
    for (size_t i = 0; (row = settings_at(i)); i++) {
        if (strcmp(row->group, before)) printf("\n%s:\n", row->group);
        before = row->group;
        settings_value(&defaults, row, value, sizeof value);
        int width = printf("  %s = %s", row->key, value);
        printf("%*s%s%s\n", width < 32 ? 32 - width : 1, "", row->help, row->flags & MAY_CHANGE ? " *" : "");
    }
}

void options_help(void) {
    printf("sawtooth-train CONFIG [--key=value ...]        train a model as the config file says\n"
           "sawtooth-train --data=FILE [--key=value ...]   the same without one\n"
           "sawtooth-train --resume DIR [--key=value ...]  go on with a run that was stopped\n\n");
    for (int i = 0; i < OWN_OPTIONS; i++) {
        char line[160];
        option_line(&own_options[i], line, sizeof line);
        printf("%s\n", line);
    }
    printf("\nSettings, as `key = value` in the config file or --key=value, and their defaults; those with a "
           "* may\n"
           "change when a run is resumed\n");
    print_settings();
}
