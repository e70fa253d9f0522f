#include "golden.h"
#include "memory.h"
#include "suite.h"
#include <cjson/cJSON.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *directory(void) {
    const char *given = getenv("GOLDEN_DIR");
    return given ? given : "tests/golden";
}

static glob_t list_models(void) {
    char pattern[PATH_LENGTH];
    snprintf(pattern, sizeof pattern, "%s/*.expect.npz", directory());
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) found = (glob_t){0};
    return found;
}

int golden_count(void) {
    glob_t found = list_models();
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count ? count : 1;
}

/* /dir/NAME.expect.npz names /dir/NAME.init.npz. */
static void find_files(golden *g, int i) {
    glob_t found = list_models();
    ck_assert_msg((size_t)i < found.gl_pathc, "no .expect.npz in %s", directory());
    const char *path = found.gl_pathv[i], *base = strrchr(path, '/') + 1;
    int name = (int)(strstr(base, ".expect.npz") - base);
    snprintf(g->name, sizeof g->name, "%.*s", name, base);
    snprintf(g->expect, sizeof g->expect, "%s", path);
    snprintf(g->init, sizeof g->init, "%.*s.init.npz", (int)(base - path) + name, path);
    globfree(&found);
}

static double number(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItem(object, key);
    ck_assert_msg(cJSON_IsNumber(item), "meta.json has no number %s", key);
    return item->valuedouble;
}

static void read_settings(golden *g) {
    char *text = member_read(g->expect, "meta.json");
    cJSON *meta = cJSON_Parse(text);
    const cJSON *train = cJSON_GetObjectItem(meta, "train"), *betas = cJSON_GetObjectItem(train, "betas");
    settings *s = &g->settings;
    settings_default(s);
    settings_from_shape(s, &g->start.model.shape);
    g->steps = (int)number(train, "steps");
    s->batch_size = g->batch;
    s->max_iters = s->lr_decay_iters = g->steps;
    s->learning_rate = number(train, "lr");
    s->min_lr = number(train, "min_lr");
    s->decay = s->min_lr > 0 ? DECAY_COSINE : DECAY_NONE;
    s->warmup_iters = (int64_t)number(train, "warmup");
    s->beta1 = cJSON_GetArrayItem(betas, 0)->valuedouble;
    s->beta2 = cJSON_GetArrayItem(betas, 1)->valuedouble;
    s->weight_decay = number(train, "wd");
    s->decay_all = cJSON_IsTrue(cJSON_GetObjectItem(train, "decay_all"));
    s->grad_clip = number(train, "clip");
    cJSON_Delete(meta);
    free(text);
}

static void read_windows(golden *g) {
    array tokens = golden_array(g, "tokens"), targets = golden_array(g, "targets");
    size_t batch = tokens.shape[0], length = tokens.shape[1];
    g->batch = (int)batch;
    g->context = (int)length;
    g->tokens = zeros(batch * (length + 1), sizeof *g->tokens);
    g->windows = zeros(batch, sizeof *g->windows);
    for (size_t b = 0; b < batch; b++) {
        int32_t *window = g->tokens + b * (length + 1);
        for (size_t t = 0; t < length; t++) window[t] = (int32_t)tokens.values[b * length + t];
        window[length] = (int32_t)targets.values[b * length + length - 1];
        g->windows[b] = window;
    }
    free(tokens.values);
    free(targets.values);
}

void golden_open(golden *g, int i) {
    problem why;
    memset(g, 0, sizeof *g);
    find_files(g, i);
    must(checkpoint_read(&g->start, g->init, false, &why), &why);
    must(model_prepare(&g->start.model, false, NULL, &why), &why);
    read_windows(g);
    ck_assert_int_eq(g->context, g->start.model.shape.block_size);
    read_settings(g);
}

void golden_close(golden *g) {
    checkpoint_close(&g->start);
    free(g->tokens);
    free(g->windows);
}

array golden_array(const golden *g, const char *name) {
    return array_read(g->expect, name);
}

static void read_tensor(const golden *g, const char *prefix, const parameter *p, double *to) {
    char name[128];
    snprintf(name, sizeof name, "%s/%s", prefix, p->name);
    array a = golden_array(g, name);
    size_t cols = (size_t)p->cols;
    ck_assert_uint_eq(a.count, (size_t)p->rows * cols);
    for (size_t i = 0; i < a.count; i++) to[i / cols * p->stride + i % cols] = a.values[i];
    free(a.values);
}

double *golden_block(const golden *g, const char *prefix) {
    const parameter_table *table = &g->start.model.table;
    double *block = zeros(table->floats, sizeof *block);
    for (size_t i = 0; i < table->count; i++)
        read_tensor(g, prefix, &table->list[i], block + table->list[i].offset);
    return block;
}

/* The first bytes of a text file, all of one byte each; NULL where it is shorter or missing. */
static char *read_start(const char *path, size_t count) {
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    char *text = zeros(count, 1);
    size_t bytes = fread(text, 1, count, f);
    fclose(f);
    if (bytes == count) return text;
    free(text);
    return NULL;
}

int32_t *golden_corpus(const golden *g, size_t count) {
    char *text = read_start("tests/golden/corpus_head.txt", count);
    if (!text) text = read_start("data/tinyshakespeare/input.txt", count);
    ck_assert_msg(text, "%s needs %zu characters of the corpus: data/tinyshakespeare/input.txt is missing",
                  g->name, count);
    int32_t *tokens;
    size_t encoded;
    problem why;
    must(tokenizer_encode(&g->start.tokenizer, text, count, "corpus", &tokens, &encoded, &why), &why);
    ck_assert_uint_eq(encoded, count);
    free(text);
    return tokens;
}
