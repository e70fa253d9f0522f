#include "checkpoint_meta.h"
#include "json_zero.h"
#include "memory.h"
#include "narrow.h"
#include "parse.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char FORMAT[] = "sawtooth-checkpoint";
enum { VERSION = 1 };

/* ---- Writing: false is want of memory ---- */

static bool add_weights(cJSON *root, weight_type type) {
    return type == WEIGHTS_F32 || cJSON_AddStringToObject(root, "weights", weight_names[type]);
}

static bool add_model(cJSON *root, const shape *s) {
    cJSON *object = cJSON_AddObjectToObject(root, "model");
    return object && cJSON_AddNumberToObject(object, "n_layer", s->n_layer) &&
           cJSON_AddNumberToObject(object, "n_head", s->n_head) &&
           cJSON_AddNumberToObject(object, "n_embd", s->n_embd) &&
           cJSON_AddNumberToObject(object, "block_size", s->block_size) &&
           cJSON_AddNumberToObject(object, "vocab_size", s->vocab_size) &&
           cJSON_AddStringToObject(object, "activation", activation_names[s->activation]) &&
           cJSON_AddBoolToObject(object, "qkv_bias", s->qkv_bias) &&
           cJSON_AddBoolToObject(object, "bias", s->bias) &&
           cJSON_AddBoolToObject(object, "head_bias", s->head_bias) &&
           cJSON_AddBoolToObject(object, "tie_weights", s->tie_weights);
}

static bool add_chars(cJSON *object, const tokenizer *t) {
    problem ignored;
    size_t bytes;
    char *chars = tokenizer_chars(t, &bytes, &ignored);
    char *string = chars ? json_string(chars, bytes, &ignored) : NULL;
    bool ok = string && cJSON_AddStringToObject(object, "chars", string);
    release(string);
    release(chars);
    return ok;
}

static bool add_tokenizer(cJSON *root, const tokenizer *t) {
    cJSON *object = cJSON_AddObjectToObject(root, "tokenizer");
    return object && cJSON_AddStringToObject(object, "type", t->chars ? "char" : "ids") &&
           (!t->chars || add_chars(object, t));
}

/* cJSON prints a double that is off by a last bit; our own text is exact. */
static bool add_loss(cJSON *object, double loss) {
    char text[32];
    if (!isfinite(loss)) return cJSON_AddNullToObject(object, "best_loss");
    real_text(loss, text);
    return cJSON_AddRawToObject(object, "best_loss", text);
}

static bool add_whole(cJSON *object, const char *key, uint64_t value, bool as_string) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return as_string ? cJSON_AddStringToObject(object, key, text) : cJSON_AddRawToObject(object, key, text);
}

static bool add_settings(cJSON *train, const settings *s) {
    cJSON *object = cJSON_AddObjectToObject(train, "settings");
    const setting *row;
    char value[PATH_LENGTH];
    bool ok = object;
    for (size_t i = 0; ok && (row = settings_at(i)); i++) {
        settings_value(s, row, value, sizeof value);
        ok = cJSON_AddStringToObject(object, row->key, value);
    }
    return ok;
}

static bool add_sum(cJSON *data, const char *key, const token_sum *sum) {
    cJSON *object = cJSON_AddObjectToObject(data, key);
    return object && add_whole(object, "tokens", sum->count, false) &&
           add_whole(object, "crc32", sum->crc, false);
}

static bool add_data(cJSON *train, const training_state *t) {
    cJSON *object = cJSON_AddObjectToObject(train, "data");
    return object && add_sum(object, "train", &t->training_data) &&
           add_sum(object, "validation", &t->validation_data);
}

static bool add_train(cJSON *root, const training_state *t) {
    cJSON *train = cJSON_AddObjectToObject(root, "train");
    return train && add_whole(train, "iteration", (uint64_t)t->iteration, false) &&
           add_whole(train, "seed", t->seed, true) && add_loss(train, t->best_loss) &&
           (!t->has_data || add_data(train, t)) && (!t->has_settings || add_settings(train, &t->settings));
}

static bool add_all(cJSON *root, const checkpoint_view *view) {
    return cJSON_AddStringToObject(root, "format", FORMAT) &&
           cJSON_AddNumberToObject(root, "version", VERSION) && add_weights(root, view->type) &&
           add_model(root, view->shape) && add_tokenizer(root, view->tokenizer) &&
           (!view->train || !view->train->present || add_train(root, view->train));
}

char *meta_write(const checkpoint_view *view, size_t *size, problem *why) {
    cJSON *root = cJSON_CreateObject();
    char *printed = root && add_all(root, view) ? cJSON_Print(root) : NULL;
    char *text = printed ? json_printed(printed, why) : NULL;
    if (!printed) run_failed(why, "out of memory: a checkpoint's meta.json");
    if (text) *size = strlen(text);
    cJSON_free(printed);
    cJSON_Delete(root);
    return text;
}

/* ---- Reading ---- */

/* The text that settings and numbers are read from; a whole number without an exponent. */
static const char *number_text(double value, char text[32]) {
    if (fabs(value) < 0x1p53 && value == floor(value))
        snprintf(text, 32, "%.0f", value);
    else
        real_text(value, text);
    return text;
}

/* A simple value as text; NULL: an array, an object, null. */
static const char *value_text(const cJSON *item, char number[32]) {
    if (cJSON_IsString(item)) return item->valuestring;
    if (cJSON_IsBool(item)) return cJSON_IsTrue(item) ? "true" : "false";
    return cJSON_IsNumber(item) ? number_text(item->valuedouble, number) : NULL;
}

static const char *other_text(const cJSON *item) {
    return cJSON_IsArray(item) ? "[...]" : cJSON_IsObject(item) ? "{...}" : "null";
}

static bool must_be(const char *what, const char *expected, const cJSON *item, const char *source,
                    problem *why) {
    char number[32];
    const char *found = value_text(item, number);
    if (!item) return bad_input(why, "%s: %s is missing, expected %s", source, what, expected);
    return bad_input(why, "%s: %s must be %s, not \"%.80s\"", source, what, expected,
                     found ? found : other_text(item));
}

static const cJSON *get(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static bool read_format(const cJSON *root, const char *source, problem *why) {
    const cJSON *format = get(root, "format"), *version = get(root, "version");
    if (!cJSON_IsString(format) || strcmp(format->valuestring, FORMAT) != 0)
        return must_be("format", "\"sawtooth-checkpoint\"", format, source, why);
    if (!cJSON_IsNumber(version) || version->valuedouble != VERSION)
        return must_be("version", "1", version, source, why);
    return true;
}

static bool read_weights(weight_type *type, const cJSON *root, const char *source, problem *why) {
    const cJSON *item = get(root, "weights");
    *type = WEIGHTS_F32;
    if (!item) return true;
    for (int i = 0; cJSON_IsString(item) && weight_names[i]; i++)
        if (!strcmp(item->valuestring, weight_names[i])) {
            *type = (weight_type)i;
            return true;
        }
    return must_be("weights", "f32, f16 or int8", item, source, why);
}

/* A path that this machine's files cannot have tells where a run was: no reason to refuse it. */
static bool read_setting(settings *s, settings_given *given, const cJSON *item, const char *source,
                         problem *why) {
    char number[32];
    const char *value = value_text(item, number);
    if (!value) return must_be(item->string, "a string, number or boolean", item, source, why);
    if (settings_was_given(given, item->string))
        return bad_input(why, "%s: %s is given twice", source, item->string);
    const setting *row = settings_find(item->string);
    return settings_set(s, given, item->string, value, source, why) || (row && row->flags & IS_PATH);
}

/* An object whose keys are settings; absent ones take their defaults. */
static bool read_settings(settings *s, const cJSON *object, const char *source, problem *why) {
    settings_given given = {0};
    const cJSON *item;
    settings_default(s);
    cJSON_ArrayForEach(item, object) if (!read_setting(s, &given, item, source, why)) return false;
    return true;
}

static bool read_chars(tokenizer *t, const cJSON *object, const char *source, problem *why) {
    const cJSON *chars = get(object, "chars");
    if (!cJSON_IsString(chars)) return must_be("tokenizer.chars", "a string", chars, source, why);
    size_t bytes = json_restore_zeros(chars->valuestring);
    return tokenizer_from_chars(t, chars->valuestring, bytes, source, why);
}

static bool read_tokenizer(tokenizer *t, const cJSON *object, int vocab_size, const char *source,
                           problem *why) {
    const cJSON *type = get(object, "type");
    const char *name = cJSON_IsString(type) ? type->valuestring : "";
    if (!strcmp(name, "char")) return read_chars(t, object, source, why);
    if (strcmp(name, "ids") != 0) return must_be("tokenizer.type", "char or ids", type, source, why);
    return tokenizer_from_ids(t, vocab_size) ||
           bad_input(why, "%s: vocab_size is missing, expected the number of token ids", source);
}

static bool read_model(checkpoint_meta *meta, const cJSON *root, const char *source, problem *why) {
    const cJSON *keys = get(root, "model"), *object = get(root, "tokenizer");
    settings s;
    problem unfit;
    if (!cJSON_IsObject(keys)) return must_be("model", "an object", keys, source, why);
    if (!cJSON_IsObject(object)) return must_be("tokenizer", "an object", object, source, why);
    if (!read_settings(&s, keys, source, why) ||
        !read_tokenizer(&meta->tokenizer, object, (int)s.vocab_size, source, why))
        return false;
    int size = meta->tokenizer.vocab_size;
    if (s.vocab_size && s.vocab_size != size)
        return bad_input(why, "%s: vocab_size is %d, but the tokenizer has %d characters", source,
                         (int)s.vocab_size, size);
    meta->shape = settings_shape(&s, size);
    return shape_check(&meta->shape, &unfit) || bad_input(why, "%s: %s", source, unfit.text);
}

/* A whole number from 0 to `most`, at most 2^53: as JSON has it exactly. */
static bool read_whole(uint64_t *value, const cJSON *object, const char *key, double most, const char *what,
                       const char *expected, const char *source, problem *why) {
    const cJSON *item = get(object, key);
    double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(number >= 0 && number <= most && number == floor(number)))
        return must_be(what, expected, item, source, why);
    *value = (uint64_t)number;
    return true;
}

static bool read_iteration(training_state *t, const cJSON *train, const char *source, problem *why) {
    uint64_t iteration = 0;
    bool ok = read_whole(&iteration, train, "iteration", 0x1p53, "train.iteration",
                         "a whole number from 0 to 2^53", source, why);
    t->iteration = (int64_t)iteration;
    return ok;
}

static bool read_sum(token_sum *sum, const cJSON *data, const char *key, const char *source, problem *why) {
    const cJSON *object = get(data, key);
    uint64_t crc = 0;
    bool ok = read_whole(&sum->count, object, "tokens", 0x1p53, "tokens of train.data",
                         "a whole number from 0 to 2^53", source, why) &&
              read_whole(&crc, object, "crc32", UINT32_MAX, "crc32 of train.data",
                         "a whole number below 2^32", source, why);
    sum->crc = (uint32_t)crc;
    return ok;
}

static bool read_data(training_state *t, const cJSON *data, const char *source, problem *why) {
    t->has_data = data;
    return !data || (read_sum(&t->training_data, data, "train", source, why) &&
                     read_sum(&t->validation_data, data, "validation", source, why));
}

static bool read_seed(training_state *t, const cJSON *train, const char *source, problem *why) {
    const cJSON *item = get(train, "seed");
    char number[32];
    const char *text = value_text(item, number);
    problem unfit;
    if (text && parse_seed(text, "seed", &t->seed, &unfit)) return true;
    return must_be("train.seed", "a whole number below 2^64, as a string", item, source, why);
}

static bool read_loss(training_state *t, const cJSON *train, const char *source, problem *why) {
    const cJSON *item = get(train, "best_loss");
    t->best_loss = INFINITY;
    if (!item || cJSON_IsNull(item)) return true;
    if (!cJSON_IsNumber(item)) return must_be("train.best_loss", "a number or null", item, source, why);
    t->best_loss = item->valuedouble;
    return true;
}

static bool read_train(training_state *t, const cJSON *root, const char *source, problem *why) {
    const cJSON *train = get(root, "train"), *own = get(train, "settings");
    *t = (training_state){.present = train, .has_settings = own, .best_loss = INFINITY};
    if (!train) return true;
    if (!cJSON_IsObject(train)) return must_be("train", "an object", train, source, why);
    if (own && !cJSON_IsObject(own)) return must_be("train.settings", "an object", own, source, why);
    return read_iteration(t, train, source, why) && read_seed(t, train, source, why) &&
           read_loss(t, train, source, why) && read_data(t, get(train, "data"), source, why) &&
           (!own || read_settings(&t->settings, own, source, why));
}

static bool read_all(checkpoint_meta *meta, const cJSON *root, const char *source, problem *why) {
    return read_format(root, source, why) && read_weights(&meta->type, root, source, why) &&
           read_model(meta, root, source, why) && read_train(&meta->train, root, source, why);
}

/* The most values that a JSON text can hold: each but the first comes after one of these. */
static size_t most_values(const char *text) {
    size_t count = 1;
    bool in_string = false;
    for (; *text; text++) {
        if (*text == '"') in_string = !in_string;
        if (in_string && text[0] == '\\' && text[1]) text++;
        count += !in_string && strchr("[{,:", *text);
    }
    return count;
}

/* cJSON takes 64 bytes for a value of two; it does not tell want of memory from a text that is wrong:
 * malloc's errno does. */
static bool parse(cJSON **root, const char *text, const char *source, problem *why) {
    enum { MOST_VALUES = 10000 };
    const char *end = text;
    if (most_values(text) > MOST_VALUES)
        return bad_input(why, "%s: holds more than %d values", source, MOST_VALUES);
    errno = 0;
    *root = cJSON_ParseWithLengthOpts(text, strlen(text) + 1, &end, true);
    if (*root) return true;
    if (errno == ENOMEM) return run_failed(why, "%s: out of memory", source);
    return bad_input(why, "%s: not JSON: cannot be parsed at byte %zu", source, (size_t)(end - text));
}

bool meta_read(checkpoint_meta *meta, char *text, size_t size, const char *source, problem *why) {
    *meta = (checkpoint_meta){0};
    if (strlen(text) != size) return bad_input(why, "%s: not JSON: a zero byte at %zu", source, strlen(text));
    json_hide_zeros(text);
    cJSON *root = NULL;
    bool ok = parse(&root, text, source, why) && read_all(meta, root, source, why);
    cJSON_Delete(root);
    if (!ok) tokenizer_close(&meta->tokenizer);
    return ok;
}
