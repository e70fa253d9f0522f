/* Checkpoints: every bit there and back, damage that is never taken for data, and each
 * wrong member refused by its name. */
#include "checkpoint.h"
#include "file.h"
#include "memory.h"
#include "support/members.h"
#include "support/rough_model.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* ---- A state to save ---- */

static const shape shapes[] = {
    {2, 3, 21, 19, 7, RELU, .bias = true, .head_bias = true},
    {2, 2, 32, 40, 7, GELU, .qkv_bias = true, .bias = true, .tie_weights = true},
    {3, 4, 52, 35, 7, GELU_TANH, .tie_weights = false},
    {1, 1, 1, 1, 1, GELU, .tie_weights = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct state {
    model model;
    tokenizer tokenizer;
    training_state train;
    float *m, *v;
} state;

/* Numbers that a careless copy would change: -0, a denormal, infinities, NaNs. Without padding in between. */
static void fill_odd(const parameter *p, float *block) {
    static const uint32_t bits[] = {0x80000000, 0x00000001, 0x7f800000, 0xff800000, 0x7fc12345, 0xffa00001};
    size_t count = sizeof bits / sizeof *bits, most = (size_t)p->cols;
    memcpy(block + p->offset, bits, (count < most ? count : most) * sizeof *bits);
}

static float *copy_scaled(const model *m, float scale) {
    float *copy = zeros(m->table.floats, sizeof *copy);
    for (size_t i = 0; i < m->table.floats; i++) copy[i] = m->block[i] * scale;
    return copy;
}

/* A zero, a quote, a backslash, controls, and characters of two, three and four bytes. */
static const char CHARS[] = "\n\0\"\\\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";

static void open_tokenizer(tokenizer *t, int vocab_size) {
    problem why;
    if (vocab_size == 7)
        must(tokenizer_from_chars(t, CHARS, sizeof CHARS - 1, "CHARS", &why), &why);
    else
        ck_assert(tokenizer_from_ids(t, vocab_size));
    ck_assert_int_eq(t->vocab_size, vocab_size);
}

static void open_settings(settings *s) {
    problem why;
    settings_default(s);
    s->seed = UINT64_MAX;
    must(settings_set(s, NULL, "data", "a \"quoted\" \\ path/\xC3\xA9.txt", "test", &why), &why);
    must(settings_set(s, NULL, "learning_rate", "0.1234567890123456789", "test", &why), &why);
    must(settings_set(s, NULL, "data_order", "sequential", "test", &why), &why);
}

static state open_state(const shape *s) {
    state of = {.train = {true, true, .iteration = 1234567890123456, .seed = UINT64_MAX - 1, .best_loss = 0.1,
                          .has_data = true, .training_data = {UINT64_C(1) << 53, UINT32_MAX},
                          .validation_data = {0, 1}}};
    rough_model(&of.model, s, 0.3);
    of.m = copy_scaled(&of.model, 0.5f);
    of.v = copy_scaled(&of.model, 2);
    fill_odd(of.model.table.list, of.model.block);
    open_tokenizer(&of.tokenizer, s->vocab_size);
    open_settings(&of.train.settings);
    return of;
}

static void close_state(state *s) {
    free(s->v);
    free(s->m);
    tokenizer_close(&s->tokenizer);
    model_close(&s->model);
}

static checkpoint_view view_of(const state *s, bool resumable) {
    return (checkpoint_view){.shape = &s->model.shape,
                             .table = &s->model.table,
                             .block = s->model.block,
                             .adamw_m = resumable ? s->m : NULL,
                             .adamw_v = resumable ? s->v : NULL,
                             .tokenizer = &s->tokenizer,
                             .train = &s->train};
}

static void save_with(team *t, const state *s, const char *path, bool resumable) {
    problem why;
    checkpoint_view view = view_of(s, resumable);
    must(checkpoint_write(path, &view, t, &why), &why);
}

static void save(const state *s, const char *path, bool resumable) {
    save_with(NULL, s, path, resumable);
}

/* ---- There and back ---- */

static void expect_shape(const shape *a, const shape *b) {
    ck_assert_int_eq(a->n_layer, b->n_layer);
    ck_assert_int_eq(a->n_head, b->n_head);
    ck_assert_int_eq(a->n_embd, b->n_embd);
    ck_assert_int_eq(a->block_size, b->block_size);
    ck_assert_int_eq(a->vocab_size, b->vocab_size);
    ck_assert_int_eq(a->activation, b->activation);
    ck_assert_int_eq(a->qkv_bias, b->qkv_bias);
    ck_assert_int_eq(a->bias, b->bias);
    ck_assert_int_eq(a->head_bias, b->head_bias);
    ck_assert_int_eq(a->tie_weights, b->tie_weights);
}

static void expect_settings(const settings *a, const settings *b) {
    problem why;
    char *one = settings_text(a, &why), *other = settings_text(b, &why);
    ck_assert(one && other);
    ck_assert_str_eq(one, other);
    release(one);
    release(other);
}

static void expect_train(const training_state *a, const training_state *b) {
    ck_assert_int_eq(a->present, b->present);
    ck_assert_int_eq(a->has_settings, b->has_settings);
    ck_assert_int_eq(a->iteration, b->iteration);
    ck_assert_uint_eq(a->seed, b->seed);
    ck_assert_int_eq(a->has_data, b->has_data);
    ck_assert_uint_eq(a->training_data.count, b->training_data.count);
    ck_assert_uint_eq(a->training_data.crc, b->training_data.crc);
    ck_assert_uint_eq(a->validation_data.count, b->validation_data.count);
    ck_assert_uint_eq(a->validation_data.crc, b->validation_data.crc);
    ck_assert_mem_eq(&a->best_loss, &b->best_loss, sizeof a->best_loss);
    if (a->has_settings) expect_settings(&a->settings, &b->settings);
}

static bool same_block(const model *m, const float *a, const float *b) {
    return memcmp(a, b, m->table.floats * sizeof *a) == 0;
}

static bool same_numbers(const checkpoint *c, const state *s) {
    return c->model.table.floats == s->model.table.floats &&
           same_block(&c->model, c->model.block, s->model.block) &&
           (!c->adamw_m || same_block(&c->model, c->adamw_m, s->m)) &&
           (!c->adamw_v || same_block(&c->model, c->adamw_v, s->v)) &&
           tokenizer_equal(&c->tokenizer, &s->tokenizer);
}

static void expect_state(const char *path, const state *s, bool resumable) {
    checkpoint c;
    problem why;
    must(checkpoint_read(&c, path, resumable, &why), &why);
    ck_assert_int_eq(c.adamw_m != NULL, resumable);
    ck_assert_int_eq(c.adamw_v != NULL, resumable);
    ck_assert(same_numbers(&c, s));
    expect_shape(&c.model.shape, &s->model.shape);
    expect_train(&c.train, &s->train);
    checkpoint_close(&c);
}

START_TEST(test_everything_comes_back) {
    state s = open_state(&shapes[_i]);
    save(&s, "weights.npz", false);
    expect_state("weights.npz", &s, false);
    save(&s, "all.npz", true);
    expect_state("all.npz", &s, true);
    expect_state("all.npz", &s, false);
    ck_assert_int_eq(scratch_count(), 2);
    close_state(&s);
}
END_TEST

START_TEST(test_every_number_of_training_comes_back) {
    static const double losses[] = {
        INFINITY, 0,      0.1,    1.4697000000000002, 0x1.fffffffffffffp-1, DBL_MIN,
        DBL_MAX,  1e-320, 5e-324, 4.174387269895637};
    static const uint64_t seeds[] = {0, 1337, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_MAX};
    static const int64_t iterations[] = {
        0, 1, INT32_MAX, INT64_C(1) << 32, (INT64_C(1) << 53) - 1, INT64_C(1) << 53};
    state s = open_state(&shapes[3]);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        s.train.best_loss = losses[i];
        s.train.seed = seeds[i % 5];
        s.train.iteration = iterations[i % 6];
        s.train.has_settings = i % 2;
        save(&s, "c.npz", false);
        expect_state("c.npz", &s, false);
    }
    s.train = (training_state){.best_loss = INFINITY};
    save(&s, "c.npz", false);
    expect_state("c.npz", &s, false);
    close_state(&s);
}
END_TEST

/* At another time, in another place, by other threads, after another checkpoint in the same file. */
START_TEST(test_the_same_state_gives_the_same_bytes) {
    state s = open_state(&shapes[0]);
    size_t size, again;
    problem why;
    team *three = team_open(3, &why);
    must(three, &why);
    save(&s, "c.npz", true);
    char *first = scratch_read("c.npz", &size);
    save(&s, "c.npz", false);
    setenv("TZ", "Pacific/Kiritimati", 1);
    save_with(three, &s, "c.npz", true);
    team_close(three);
    char *second = scratch_read("c.npz", &again);
    ck_assert_uint_eq(size, again);
    ck_assert_mem_eq(first, second, size);
    free(first);
    free(second);
    close_state(&s);
}
END_TEST

START_TEST(test_a_run_stands_for_its_best) {
    char path[64];
    problem why;
    ck_assert_int_eq(mkdir("run", 0700), 0);
    must(checkpoint_path("run", path, sizeof path, &why), &why);
    ck_assert_str_eq(path, "run/best.npz");
    must(checkpoint_path("run//", path, sizeof path, &why), &why);
    ck_assert_str_eq(path, "run/best.npz");
    must(checkpoint_path("run/last.npz", path, sizeof path, &why), &why);
    ck_assert_str_eq(path, "run/last.npz");
    ck_assert(!checkpoint_path("run", path, 12, &why));
    ck_assert_str_eq(why.text, "run...: the path must be shorter than 12 bytes");
}
END_TEST

/* ---- Damage ---- */

static void expect_refused(const char *path, const char *message) {
    checkpoint c;
    problem why;
    ck_assert(!checkpoint_read(&c, path, false, &why));
    ck_assert_str_eq(why.text, message);
    ck_assert_int_eq(why.exit_status, 2);
}

/* Refused, by the file's name, or loaded as if nothing had happened. */
static bool survives(const char *path, const state *s) {
    checkpoint c;
    problem why;
    if (!checkpoint_read(&c, path, true, &why)) {
        ck_assert_int_eq(why.exit_status, 2);
        ck_assert_msg(!strncmp(why.text, path, strlen(path)), "%s", why.text);
        return false;
    }
    ck_assert(same_numbers(&c, s));
    expect_train(&c.train, &s->train);
    checkpoint_close(&c);
    return true;
}

START_TEST(test_no_beginning_of_a_file_is_taken_for_the_whole) {
    state s = open_state(&shapes[3]);
    size_t size;
    save(&s, "c.npz", true);
    char *bytes = scratch_read("c.npz", &size);
    for (size_t length = 0; length < size; length += length < 64 ? 1 : 7) {
        scratch_write("cut.npz", bytes, length);
        ck_assert(!survives("cut.npz", &s));
    }
    free(bytes);
    close_state(&s);
}
END_TEST

/* One of eight parts of all the bits. */
START_TEST(test_no_flipped_bit_changes_a_number) {
    state s = open_state(&shapes[3]);
    size_t size, survived = 0, flips = 0;
    save(&s, "c.npz", true);
    char *bytes = scratch_read("c.npz", &size);
    for (size_t bit = (size_t)_i; bit < 8 * size; bit += 13, flips++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        scratch_write("flipped.npz", bytes, size);
        survived += survives("flipped.npz", &s);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    ck_assert_uint_lt(survived,
                      flips * 9 / 10); /* names, times and attributes may change; sizes and data not */
    free(bytes);
    close_state(&s);
}
END_TEST

/* Bits in the data itself, where only the CRC can tell. */
START_TEST(test_a_flipped_bit_in_stored_data_is_refused) {
    state s = open_state(&shapes[0]);
    size_t size;
    save(&s, "c.npz", false);
    char *bytes = scratch_read("c.npz", &size);
    for (size_t at = size / 4; at < size * 3 / 4; at += size / 40) {
        bytes[at] ^= 4;
        scratch_write("flipped.npz", bytes, size);
        ck_assert(!survives("flipped.npz", &s));
        bytes[at] ^= 4;
    }
    free(bytes);
    close_state(&s);
}
END_TEST

START_TEST(test_what_is_no_checkpoint) {
    scratch_write("empty.npz", "", 0);
    expect_refused("empty.npz", "empty.npz: meta.json: missing, expected a checkpoint of Sawtooth");
    scratch_write("text.npz", "Not even near.", 14);
    expect_refused("text.npz", "text.npz: not a zip archive, or cut short; expected a checkpoint (.npz)");
    expect_refused("none.npz", "none.npz: cannot open: No such file or directory");
    ck_assert_int_eq(mkdir("run", 0700), 0);
    expect_refused("run", "run: is a directory, expected a file");
    members m = {0, zeros(1, sizeof *m.list)};
    members_add(&m, "a.npy", "", 0);
    members_write(&m, "other.npz");
    expect_refused("other.npz", "other.npz: meta.json: missing, expected a checkpoint of Sawtooth");
    members_close(&m);
}
END_TEST

/* ---- Wrong members ---- */

/* A checkpoint as members, with AdamW's state or without. */
static members saved_members(bool resumable) {
    state s = open_state(&shapes[0]);
    save(&s, "c.npz", resumable);
    close_state(&s);
    return members_read("c.npz");
}

static void write_and_expect(members *m, const char *message) {
    members_write(m, "c.npz");
    expect_refused("c.npz", message);
    members_close(m);
}

START_TEST(test_a_missing_member_is_named) {
    members m = saved_members(false);
    members_remove(&m, "transformer.h.1.mlp.c_fc.bias.npy");
    write_and_expect(&m, "c.npz: transformer.h.1.mlp.c_fc.bias.npy: missing");
    m = saved_members(true);
    members_remove(&m, "adamw.v/transformer.wpe.weight.npy");
    write_and_expect(&m, "c.npz: adamw.v/transformer.wpe.weight.npy: missing");
}
END_TEST

START_TEST(test_a_member_too_many_is_named) {
    members m = saved_members(false);
    members_add(&m, "transformer.h.2.ln_1.weight.npy", "", 0);
    write_and_expect(&m, "c.npz: transformer.h.2.ln_1.weight.npy: not a member of this model's checkpoint");
    m = saved_members(false);
    members_add(&m, "adamw.m/transformer.wte.weight.npy", "", 0);
    write_and_expect(&m, "c.npz: adamw.m/transformer.wpe.weight.npy: missing");
    m = saved_members(true);
    members_add(&m, "adamw.m/other.npy", "", 0);
    write_and_expect(&m, "c.npz: adamw.m/other.npy: not a member of this model's checkpoint");
}
END_TEST

/* Writes `to` over each `from` in a file: they are as long as each other. */
static void patch(const char *path, const char *from, const char *to) {
    size_t size;
    char *bytes = scratch_read(path, &size);
    for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), from, strlen(from)));)
        memcpy(at, to, strlen(to));
    scratch_write(path, bytes, size);
    free(bytes);
}

START_TEST(test_a_member_that_is_there_twice_is_named) {
    members m = saved_members(false);
    member_bytes *wpe = members_find(&m, "transformer.wpe.weight.npy");
    members_add(&m, "transformer.WPE.weight.npy", wpe->bytes, wpe->size);
    members_write(&m, "c.npz");
    patch("c.npz", "transformer.WPE.weight.npy", "transformer.wpe.weight.npy");
    expect_refused("c.npz", "c.npz: transformer.wpe.weight.npy: there twice");
    members_close(&m);
    m = saved_members(false);
    members_add(&m, "meta.JSON", "{}", 2);
    members_write(&m, "c.npz");
    patch("c.npz", "meta.JSON", "meta.json");
    expect_refused("c.npz", "c.npz: meta.json: there twice");
    members_close(&m);
}
END_TEST

START_TEST(test_weights_alone_cannot_be_resumed) {
    state s = open_state(&shapes[0]);
    checkpoint c;
    problem why;
    save(&s, "c.npz", false);
    ck_assert(!checkpoint_read(&c, "c.npz", true, &why));
    ck_assert_str_eq(why.text, "c.npz: no AdamW state (adamw.m/, adamw.v/), expected a resumable checkpoint");
    ck_assert_int_eq(why.exit_status, 2);
    close_state(&s);
}
END_TEST

/* ---- Wrong tensors ---- */

typedef struct edit {
    const char *from, *to; /* in the member's bytes, as long as each other */
    const char *message;   /* after "c.npz: transformer.wpe.weight.npy: " */
} edit;

static const edit tensor_edits[] = {
    {"\x93NUMPY", "\x93PUMPY", "not a .npy array"},
    {"\x93NUMPY\1", "\x93NUMPY\4", ".npy version 4.0, expected 1.0, 2.0 or 3.0"},
    {"(19, 21), }", "(21, 19), }", "shape (21, 19), expected (19, 21)"},
    {"(19, 21), }", "(399,), }  ", "shape (399,), expected (19, 21)"},
    {"(19, 21), } ", "(19, 21, 1)}", "shape (19, 21, 1), expected (19, 21)"},
    {"'<f4'", "'<f8'", "element type '<f8', expected '<f4'"},
    {"'<f4'", "'>f4'", "element type '>f4', expected '<f4'"},
    {"'<f4'", "'<i4'", "element type '<i4', expected '<f4'"},
    {"'<f4'", "'<f2'", "element type '<f2', expected '<f4'"},
    {"False, ", "True,  ", "Fortran order, expected C order"},
    {"'shape'", "'shade'",
     "bad .npy header, expected a dictionary with descr (one simple type), fortran_order and shape (at most "
     "8 "
     "dimensions)"},
};
enum { TENSOR_EDITS = sizeof tensor_edits / sizeof *tensor_edits };

static void expect_tensor_refused(members *m, const char *message) {
    char text[512];
    snprintf(text, sizeof text, "c.npz: transformer.wpe.weight.npy: %s", message);
    write_and_expect(m, text);
}

START_TEST(test_a_wrong_tensor_says_what_was_expected) {
    const edit *e = &tensor_edits[_i];
    members m = saved_members(false);
    member_bytes *wpe = members_find(&m, "transformer.wpe.weight.npy");
    char *at = memmem(wpe->bytes, wpe->size, e->from, strlen(e->from));
    ck_assert_ptr_nonnull(at);
    memcpy(at, e->to, strlen(e->to));
    expect_tensor_refused(&m, e->message);
}
END_TEST

START_TEST(test_a_tensor_of_another_length) {
    enum { SIZE = 128 + 19 * 21 * 4 };
    static const char *const messages[] = {"1720 bytes, expected 1724", "1728 bytes, expected 1724",
                                           "ends too early", "ends too early"};
    static const size_t sizes[] = {SIZE - 4, SIZE + 4, 100, 0};
    for (int i = 0; i < 4; i++) {
        members m = saved_members(false);
        member_bytes *wpe = members_find(&m, "transformer.wpe.weight.npy");
        char longer[SIZE + 4] = {0};
        memcpy(longer, wpe->bytes, SIZE);
        member_set(wpe, longer, sizes[i]);
        expect_tensor_refused(&m, messages[i]);
    }
}
END_TEST

/* numpy writes longer headers where it pleases. */
START_TEST(test_other_headers_of_the_same_array_are_read) {
    state s = open_state(&shapes[0]);
    save(&s, "c.npz", false);
    members m = members_read("c.npz");
    member_bytes *wpe = members_find(&m, "transformer.wpe.weight.npy");
    static const char header[] =
        "\x93NUMPY\3\0\x42\0\0\0{ 'shape': (19, 21), \"descr\": \"<f4\", 'fortran_order': False }\n";
    size_t length = 12 + 0x42, data = wpe->size - 128;
    char *bytes = zeros(length + data, 1);
    memset(bytes, ' ', length);
    memcpy(bytes, header, sizeof header - 1);
    memcpy(bytes + length, wpe->bytes + 128, data);
    member_set(wpe, bytes, length + data);
    free(bytes);
    members_write(&m, "c.npz");
    members_close(&m);
    expect_state("c.npz", &s, false);
    close_state(&s);
}
END_TEST

/* A member that declares gigabytes does not get them: the other members are not even looked for. */
START_TEST(test_what_is_declared_must_be_possible) {
    members m = saved_members(false);
    static const char meta[] =
        "{\"format\": \"sawtooth-checkpoint\", \"version\": 1, \"model\": {\"n_layer\": 1000, "
        "\"n_embd\": 16380, \"vocab_size\": 7}, \"tokenizer\": {\"type\": \"ids\"}}";
    member_set(members_find(&m, "meta.json"), meta, sizeof meta - 1);
    write_and_expect(&m, "c.npz: transformer.h.2.ln_1.weight.npy: missing");
    m = saved_members(false);
    enum { LARGE = 17 << 20 };
    char *blanks = zeros(LARGE, 1);
    memset(blanks, ' ', LARGE);
    member_set(members_find(&m, "meta.json"), blanks, LARGE);
    write_and_expect(&m, "c.npz: meta.json: 17825792 bytes, expected at most 16777216");
    free(blanks);
}
END_TEST

/* ---- Wrong meta.json ---- */

#define FORMAT "\"format\": \"sawtooth-checkpoint\", \"version\": 1, "
#define MODEL                                                                                                \
    "\"model\": {\"n_layer\": 1, \"n_head\": 1, \"n_embd\": 1, \"block_size\": 1, \"vocab_size\": 2}"
#define IDS ", \"tokenizer\": {\"type\": \"ids\"}"

static const char *const bad_metas[][2] = {
    {"", "not JSON: cannot be parsed at byte 0"},
    {"{\"format\": \"sawtooth-checkpoint\", \"version\": 1", "not JSON: cannot be parsed at byte 46"},
    {"{} {}", "not JSON: cannot be parsed at byte 3"},
    {"[1]", "format is missing, expected \"sawtooth-checkpoint\""},
    {"{\"format\": \"other\"}", "format must be \"sawtooth-checkpoint\", not \"other\""},
    {"{\"format\": \"sawtooth-checkpoint\"}", "version is missing, expected 1"},
    {"{\"format\": \"sawtooth-checkpoint\", \"version\": 2}", "version must be 1, not \"2\""},
    {"{\"format\": \"sawtooth-checkpoint\", \"version\": [1]}", "version must be 1, not \"[...]\""},
    {"{" FORMAT "\"other\": 1}", "model is missing, expected an object"},
    {"{" FORMAT "\"model\": 3}", "model must be an object, not \"3\""},
    {"{" FORMAT MODEL "}", "tokenizer is missing, expected an object"},
    {"{" FORMAT MODEL ", \"tokenizer\": true}", "tokenizer must be an object, not \"true\""},
    {"{" FORMAT MODEL ", \"tokenizer\": {}}", "tokenizer.type is missing, expected char or ids"},
    {"{" FORMAT MODEL ", \"tokenizer\": {\"type\": \"bpe\"}}",
     "tokenizer.type must be char or ids, not \"bpe\""},
    {"{" FORMAT MODEL ", \"tokenizer\": {\"type\": \"char\"}}",
     "tokenizer.chars is missing, expected a string"},
    {"{" FORMAT MODEL ", \"tokenizer\": {\"type\": \"char\", \"chars\": 12}}",
     "tokenizer.chars must be a string, not \"12\""},
    {"{" FORMAT MODEL ", \"tokenizer\": {\"type\": \"char\", \"chars\": \"abc\"}}",
     "vocab_size is 2, but the tokenizer has 3 characters"},
    {"{" FORMAT MODEL ", \"tokenizer\": {\"type\": \"char\", \"chars\": \"aa\"}}",
     "the character U+0061 at byte offset 1 is there twice; expected each once"},
    {"{" FORMAT "\"model\": {}" IDS "}", "vocab_size is missing, expected the number of token ids"},
    {"{" FORMAT "\"model\": {\"n_layer\": 0}" IDS "}",
     "n_layer must be an integer from 1 to 1000, not \"0\""},
    {"{" FORMAT "\"model\": {\"n_layer\": 1.5}" IDS "}",
     "n_layer must be an integer from 1 to 1000, not \"1.5\""},
    {"{" FORMAT "\"model\": {\"n_layer\": null}" IDS "}",
     "n_layer must be a string, number or boolean, not \"null\""},
    {"{" FORMAT "\"model\": {\"bias\": 1}" IDS "}", "bias must be false or true, not \"1\""},
    {"{" FORMAT "\"model\": {\"activation\": \"silu\"}" IDS "}",
     "activation must be relu, gelu or gelu_tanh, not \"silu\""},
    {"{" FORMAT "\"model\": {\"n_layers\": 2}" IDS "}", "unknown key \"n_layers\"; the nearest is n_layer"},
    {"{" FORMAT "\"model\": {\"n_layer\": 2, \"n_layer\": 3}" IDS "}", "n_layer is given twice"},
    {"{" FORMAT "\"model\": {\"n_embd\": 10, \"n_head\": 3, \"vocab_size\": 2}" IDS "}",
     "n_embd 10 is not a multiple of n_head 3"},
    {"{" FORMAT MODEL IDS ", \"train\": 1}", "train must be an object, not \"1\""},
    {"{" FORMAT MODEL IDS ", \"train\": {}}",
     "train.iteration is missing, expected a whole number from 0 to 2^53"},
    {"{" FORMAT MODEL IDS ", \"train\": {\"iteration\": -1}}",
     "train.iteration must be a whole number from 0 to 2^53, not \"-1\""},
    {"{" FORMAT MODEL IDS ", \"train\": {\"iteration\": 0.5}}",
     "train.iteration must be a whole number from 0 to 2^53, not \"0.5\""},
    {"{" FORMAT MODEL IDS ", \"train\": {\"iteration\": 1}}",
     "train.seed is missing, expected a whole number below 2^64, as a string"},
    {"{" FORMAT MODEL IDS ", \"train\": {\"iteration\": 1, \"seed\": \"-1\"}}",
     "train.seed must be a whole number below 2^64, as a string, not \"-1\""},
    {"{" FORMAT MODEL IDS ", \"train\": {\"iteration\": 1, \"seed\": 1, \"best_loss\": \"1\"}}",
     "train.best_loss must be a number or null, not \"1\""},
    {"{" FORMAT MODEL IDS ", \"train\": {\"iteration\": 1, \"seed\": 1, \"settings\": []}}",
     "train.settings must be an object, not \"[...]\""},
    {"{" FORMAT MODEL IDS ", \"train\": {\"iteration\": 1, \"seed\": 1, \"data\": {}}}",
     "tokens of train.data is missing, expected a whole number from 0 to 2^53"},
    {"{" FORMAT MODEL IDS
     ", \"train\": {\"iteration\": 1, \"seed\": 1, \"data\": {\"train\": {\"tokens\": 1, "
     "\"crc32\": 4294967296}}}}",
     "crc32 of train.data must be a whole number below 2^32, not \"4294967296\""},
    {"{" FORMAT MODEL IDS
     ", \"train\": {\"iteration\": 1, \"seed\": 1, \"settings\": {\"learning_rat\": \"1\"}}}",
     "unknown key \"learning_rat\"; the nearest is learning_rate"},
};
enum { BAD_METAS = sizeof bad_metas / sizeof *bad_metas };

START_TEST(test_a_bad_meta_says_what_was_expected) {
    char message[512];
    members m = saved_members(false);
    member_set(members_find(&m, "meta.json"), bad_metas[_i][0], strlen(bad_metas[_i][0]));
    snprintf(message, sizeof message, "c.npz: meta.json: %s", bad_metas[_i][1]);
    write_and_expect(&m, message);
}
END_TEST

START_TEST(test_a_zero_byte_in_meta_is_refused) {
    members m = saved_members(false);
    member_set(members_find(&m, "meta.json"), "{\"a\0\": 1}", 9);
    write_and_expect(&m, "c.npz: meta.json: not JSON: a zero byte at 3");
}
END_TEST

/* As other programs write it: defaults left out, what we do not know added, numbers where we write
 * strings. */
START_TEST(test_what_a_meta_may_leave_out_and_add) {
    static const char meta[] =
        "\n{" FORMAT "\"note\": {\"by\": \"hand\"}, \"model\": {\"n_layer\": 1, \"n_head\": 1, "
        "\"n_embd\": 1, \"block_size\": 1, \"dropout\": 0.25},\n\"tokenizer\": {\"type\": \"char\", "
        "\"chars\": \"\\ud83d\\ude00\"}, \"train\": {\"iteration\": 3, \"seed\": 4, \"settings\": "
        "{\"seed\": 4, \"bias\": true, \"eps\": 1e-5, \"out_dir\": \"exp #2\\n\"}}}\n";
    state s = open_state(&shapes[3]);
    save(&s, "c.npz", false);
    members m = members_read("c.npz");
    member_set(members_find(&m, "meta.json"), meta, sizeof meta - 1);
    members_write(&m, "c.npz");
    checkpoint c;
    problem why;
    must(checkpoint_read(&c, "c.npz", false, &why), &why);
    expect_shape(&c.model.shape, &s.model.shape);
    ck_assert_uint_eq(c.tokenizer.chars[0], 0x1F600);
    ck_assert(c.train.present && c.train.has_settings && c.train.iteration == 3 && c.train.seed == 4);
    ck_assert(c.train.settings.bias && c.train.settings.eps <= 1e-5 && c.train.settings.eps >= 1e-5);
    ck_assert(isinf(c.train.best_loss) && !c.train.has_data);
    checkpoint_close(&c);
    members_close(&m);
    close_state(&s);
}
END_TEST

/* ---- Failing writes ---- */

START_TEST(test_a_write_that_fails_leaves_the_old_file) {
    static const rlim_t limits[] = {0, 30, 2000, 20000, 60000};
    state s = open_state(&shapes[0]);
    checkpoint_view view = view_of(&s, true);
    problem why;
    save(&s, "c.npz", false);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits[_i], limits[_i]}), 0);
    ck_assert(!checkpoint_write("c.npz", &view, NULL, &why));
    ck_assert_str_eq(why.text, "c.npz: cannot write: File too large");
    ck_assert_int_eq(why.exit_status, 1);
    expect_state("c.npz", &s, false);
    ck_assert_int_eq(scratch_count(), 1);
    close_state(&s);
}
END_TEST

START_TEST(test_places_that_cannot_be_written) {
    state s = open_state(&shapes[3]);
    checkpoint_view view = view_of(&s, false);
    problem why;
    ck_assert(!checkpoint_write("none/c.npz", &view, NULL, &why));
    ck_assert_str_eq(why.text, "none/c.npz: cannot open: No such file or directory");
    ck_assert_int_eq(why.exit_status, 2);
    ck_assert_int_eq(mkdir("d", 0700), 0);
    ck_assert(!checkpoint_write("d", &view, NULL, &why));
    ck_assert_str_eq(why.text, "d: not a regular file, will not be replaced");
    ck_assert_int_eq(scratch_count(), 1);
    close_state(&s);
}
END_TEST

static void add_damage(TCase *cases) {
    tcase_add_test(cases, test_no_beginning_of_a_file_is_taken_for_the_whole);
    tcase_add_loop_test(cases, test_no_flipped_bit_changes_a_number, 0, 2);
    tcase_add_test(cases, test_a_flipped_bit_in_stored_data_is_refused);
    tcase_add_test(cases, test_what_is_no_checkpoint);
    tcase_add_test(cases, test_a_missing_member_is_named);
    tcase_add_test(cases, test_a_member_too_many_is_named);
    tcase_add_test(cases, test_a_member_that_is_there_twice_is_named);
    tcase_add_test(cases, test_weights_alone_cannot_be_resumed);
    tcase_add_loop_test(cases, test_a_wrong_tensor_says_what_was_expected, 0, TENSOR_EDITS);
    tcase_add_test(cases, test_a_tensor_of_another_length);
    tcase_add_test(cases, test_what_is_declared_must_be_possible);
    tcase_add_loop_test(cases, test_a_bad_meta_says_what_was_expected, 0, BAD_METAS);
    tcase_add_test(cases, test_a_zero_byte_in_meta_is_refused);
}

int main(void) {
    TCase *cases = tcase_create("checkpoint");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_loop_test(cases, test_everything_comes_back, 0, SHAPES);
    tcase_add_test(cases, test_every_number_of_training_comes_back);
    tcase_add_test(cases, test_the_same_state_gives_the_same_bytes);
    tcase_add_test(cases, test_a_run_stands_for_its_best);
    tcase_add_test(cases, test_other_headers_of_the_same_array_are_read);
    tcase_add_test(cases, test_what_a_meta_may_leave_out_and_add);
    add_damage(cases);
    tcase_add_loop_test(cases, test_a_write_that_fails_leaves_the_old_file, 0, 5);
    tcase_add_test(cases, test_places_that_cannot_be_written);
    return suite_run(cases, "checkpoint", 60);
}
