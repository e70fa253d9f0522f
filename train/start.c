#include "start.h"
#include "file.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Every setting for which `matters` says so must be the same in both; `source` is where `wanted` came
 * from. */
static bool agree(const settings *wanted, const settings *found, const char *source,
                  const settings_given *given,
                  bool (*matters)(const setting *row, const settings_given *given), problem *why) {
    const setting *row;
    char mine[PATH_LENGTH], theirs[PATH_LENGTH];
    for (size_t i = 0; (row = settings_at(i)); i++) {
        settings_value(wanted, row, mine, sizeof mine);
        settings_value(found, row, theirs, sizeof theirs);
        if (matters(row, given) && strcmp(mine, theirs))
            return bad_input(why, "%s = %s contradicts %s, which has %s = %s", row->key, mine, source,
                             row->key, theirs);
    }
    return true;
}

static bool holds_finite(const checkpoint *c, const float *block, const char *part, const char *source,
                         problem *why) {
    const parameter *p = parameters_not_finite(&c->model.table, block);
    return !p || bad_input(why, "%s: %s%s holds a number that is not finite", source, part, p->name);
}

static bool given_shape(const setting *row, const settings_given *given) {
    return row->flags & IS_SHAPE && settings_was_given(given, row->key);
}

bool start_init_from(checkpoint *c, settings *s, const settings_given *given, problem *why) {
    char path[PATH_LENGTH];
    if (!checkpoint_path(s->init_from, path, sizeof path, why) || !checkpoint_read(c, path, false, why))
        return false;
    settings wanted = *s;
    settings_from_shape(s, &c->model.shape);
    if (checkpoint_trainable(c->model.type, path, why) && agree(&wanted, s, path, given, given_shape, why) &&
        holds_finite(c, c->model.block, "", path, why))
        return true;
    checkpoint_close(c);
    return false;
}

static bool fixed(const setting *row, const settings_given *given) {
    (void)given;
    return !(row->flags & (MAY_CHANGE | IS_PATH));
}

static bool check_resumed(const checkpoint *c, const char *last, const settings *s, problem *why) {
    if (!c->train.present)
        return bad_input(why, "%s: says nothing of its training: expected a run's own %s", last, LAST_FILE);
    settings was = c->train.has_settings ? c->train.settings : *s;
    settings_from_shape(&was, &c->model.shape);
    was.seed = c->train.seed;
    if (!agree(s, &was, last, NULL, fixed, why)) return false;
    if (c->train.iteration <= s->max_iters) return true;
    return bad_input(why, "max_iters = %" PRId64 " is less than the %" PRId64 " iterations that %s has made",
                     s->max_iters, c->train.iteration, last);
}

static bool finite_state(const checkpoint *c, const char *last, problem *why) {
    return holds_finite(c, c->model.block, "", last, why) &&
           holds_finite(c, c->adamw_m, "adamw.m/", last, why) &&
           holds_finite(c, c->adamw_v, "adamw.v/", last, why);
}

bool start_resume(checkpoint *c, const char *last, const settings *s, problem *why) {
    if (!checkpoint_read(c, last, true, why)) return false;
    if (check_resumed(c, last, s, why) && finite_state(c, last, why)) return true;
    checkpoint_close(c);
    return false;
}

bool start_best(const char *best, double *loss, problem *why) {
    checkpoint c;
    bool there;
    if (!file_look(best, &there, why)) return false;
    if (there && checkpoint_read(&c, best, false, why)) {
        if (c.train.present && c.train.best_loss < *loss) *loss = c.train.best_loss;
        checkpoint_close(&c);
        return true;
    }
    if (there && why->exit_status != BAD_INPUT) return false;
    *loss = INFINITY;
    return true;
}
