#include "start.h"
#include <inttypes.h>
#include <string.h>

/* Every setting for which `matters` says so must be the same in both; `source` is where `wanted` came
 * from. */
static bool agree(const settings *wanted, const settings *found, const char *file,
                  const settings_given *given, bool (*matters)(const char *key, const settings_given *given),
                  problem *why) {
    const char *key, *group;
    char mine[PATH_LENGTH], theirs[PATH_LENGTH];
    for (size_t i = 0; settings_row(wanted, i, &key, &group, mine, sizeof mine); i++) {
        (void)settings_row(found, i, &key, &group, theirs, sizeof theirs);
        if (matters(key, given) && strcmp(mine, theirs))
            return bad_input(why, "%s = %s contradicts %s, which has %s = %s", key, mine, file, key, theirs);
    }
    return true;
}

static bool given_shape(const char *key, const settings_given *given) {
    return settings_is_shape(key) && settings_was_given(given, key);
}

bool start_init_from(checkpoint *c, settings *s, const settings_given *given, problem *why) {
    char path[PATH_LENGTH];
    if (!checkpoint_path(s->init_from, path, sizeof path, why) || !checkpoint_read(c, path, false, why))
        return false;
    settings wanted = *s;
    settings_from_shape(s, &c->model.shape);
    if (checkpoint_trainable(c->model.type, path, why) && agree(&wanted, s, path, given, given_shape, why))
        return true;
    checkpoint_close(c);
    return false;
}

/* Paths may change, since files move; what the data holds is checked against the vocabulary. */
static bool is_path(const char *key) {
    static const char *const paths[] = {"data", "val_data", "vocab", "out_dir", "init_from"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!strcmp(key, paths[i])) return true;
    return false;
}

static bool fixed(const char *key, const settings_given *given) {
    (void)given;
    return !settings_may_change(key) && !is_path(key);
}

static bool check_resumed(const checkpoint *c, const char *last, const settings *s, problem *why) {
    settings was = c->train.has_settings ? c->train.settings : *s;
    settings_from_shape(&was, &c->model.shape);
    was.seed = c->train.seed;
    if (!agree(s, &was, last, NULL, fixed, why)) return false;
    if (c->train.iteration <= s->max_iters) return true;
    return bad_input(why, "max_iters = %" PRId64 " is less than the %" PRId64 " iterations that %s has made",
                     s->max_iters, c->train.iteration, last);
}

bool start_resume(checkpoint *c, const char *last, const settings *s, problem *why) {
    if (!checkpoint_read(c, last, true, why)) return false;
    if (check_resumed(c, last, s, why)) return true;
    checkpoint_close(c);
    return false;
}
