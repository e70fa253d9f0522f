/* Checkpoints of narrow weights: stored and read they are what converting at load makes of the float32 ones,
 * bit for bit; whatever is wrong with them is refused by its name, and training refuses them as a whole. */
#include "checkpoint.h"
#include "narrow.h"
#include "start.h"
#include "support/full_forward.h"
#include "support/members.h"
#include "support/rough_model.h"
#include "support/scratch.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shape shapes[] = {
    {2, 3, 21, 19, 7, RELU, .bias = true, .head_bias = true},
    {1, 2, 150, 20, 7, GELU, .qkv_bias = true, .bias = true, .tie_weights = true},
    {1, 1, 1, 1, 1, GELU, .tie_weights = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static const weight_type types[] = {WEIGHTS_F16, WEIGHTS_INT8};
enum { TYPES = sizeof types / sizeof *types };

static const training_state train = {true, .iteration = 12, .seed = UINT64_MAX, .best_loss = 0.1};

static void write_model(const model *m, const char *path) {
    problem why;
    tokenizer ids;
    ck_assert(tokenizer_from_ids(&ids, m->shape.vocab_size));
    const checkpoint_view view = {.shape = &m->shape,
                                  .table = &m->table,
                                  .block = m->block,
                                  .tokenizer = &ids,
                                  .train = &train,
                                  .type = m->type,
                                  .scales = m->scales};
    must(checkpoint_write(path, &view, NULL, &why), &why);
    tokenizer_close(&ids);
}

static void narrow(model *m, weight_type type) {
    problem why;
    must(model_set_type(m, type, &why), &why);
    model_round(m, alone());
    must(model_prepare(m, false, NULL, &why), &why);
}

/* The model in float32, then narrow. */
static void write_both(const shape *s, weight_type type, const char *whole, const char *stored) {
    model m;
    rough_model(&m, s, 0.3);
    write_model(&m, whole);
    narrow(&m, type);
    write_model(&m, stored);
    model_close(&m);
}

static checkpoint read_checkpoint(const char *path) {
    checkpoint c;
    problem why;
    must(checkpoint_read(&c, path, false, &why), &why);
    must(model_prepare(&c.model, false, NULL, &why), &why);
    return c;
}

/* ---- There and back ---- */

static void expect_same_packed(const linear *a, const linear *b) {
    size_t panels = (size_t)padded(a->out);
    ck_assert_int_eq(a->type, b->type);
    ck_assert_mem_eq(a->packed, b->packed, panels * (size_t)a->in * number_size(a->type));
    if (a->type == WEIGHTS_INT8)
        ck_assert_mem_eq(a->scales, b->scales, panels * (size_t)groups_of(a->in) * sizeof(float));
}

static void expect_same_model(const model *a, const model *b) {
    ck_assert_int_eq(a->type, b->type);
    ck_assert_mem_eq(a->block, b->block, a->table.floats * sizeof(float));
    if (a->type == WEIGHTS_INT8) ck_assert_mem_eq(a->scales, b->scales, a->table.scales * sizeof(float));
    for (int i = 0; i < a->shape.n_layer; i++) {
        expect_same_packed(&a->w.layers[i].qkv, &b->w.layers[i].qkv);
        expect_same_packed(&a->w.layers[i].attn_proj, &b->w.layers[i].attn_proj);
        expect_same_packed(&a->w.layers[i].fc, &b->w.layers[i].fc);
        expect_same_packed(&a->w.layers[i].mlp_proj, &b->w.layers[i].mlp_proj);
    }
    expect_same_packed(&a->w.head, &b->w.head);
    ck_assert_uint_eq(parameters_fingerprint(&a->table, a->block),
                      parameters_fingerprint(&b->table, b->block));
}

static void expect_same_logits(const model *a, const model *b) {
    int rows = a->shape.block_size;
    int32_t *tokens = random_tokens(a->shape.vocab_size, (size_t)rows, 1);
    const int32_t *window[] = {tokens};
    float *x = full_forward(a, kernels_named("auto"), 2, 1, window, rows);
    float *y = full_forward(b, kernels_named("auto"), 2, 1, window, rows);
    ck_assert_mem_eq(x, y, (size_t)rows * (size_t)padded(a->shape.vocab_size) * sizeof *x);
    free(y);
    free(x);
    free(tokens);
}

START_TEST(test_stored_is_converted_at_load) {
    for (int i = 0; i < TYPES; i++) {
        write_both(&shapes[_i], types[i], "whole.npz", "stored.npz");
        checkpoint whole = read_checkpoint("whole.npz"), stored = read_checkpoint("stored.npz");
        narrow(&whole.model, types[i]);
        expect_same_model(&stored.model, &whole.model);
        expect_same_logits(&stored.model, &whole.model);
        ck_assert(stored.train.present && stored.train.iteration == 12 && stored.train.seed == UINT64_MAX);
        ck_assert_mem_eq(&stored.train.best_loss, &train.best_loss, sizeof train.best_loss);
        ck_assert(tokenizer_equal(&stored.tokenizer, &whole.tokenizer));
        checkpoint_close(&stored);
        checkpoint_close(&whole);
    }
}
END_TEST

static void expect_same_file(const char *one, const char *other) {
    size_t size, other_size;
    char *a = scratch_read(one, &size), *b = scratch_read(other, &other_size);
    ck_assert_uint_eq(size, other_size);
    ck_assert_mem_eq(a, b, size);
    free(b);
    free(a);
}

START_TEST(test_what_was_read_is_written_the_same) {
    for (int i = 0; i < TYPES; i++) {
        write_both(&shapes[_i], types[i], "whole.npz", "stored.npz");
        checkpoint c = read_checkpoint("stored.npz");
        write_model(&c.model, "again.npz");
        expect_same_file("stored.npz", "again.npz");
        checkpoint_close(&c);
    }
}
END_TEST

/* numpy.save(f, numpy.array([[127, 0, -12]], dtype="i1")), and a scale of 2: -25 is in the middle of
 * two bytes. */
START_TEST(test_bytes_are_numpys) {
    static const char expected[] =
        "\x93NUMPY\1\0v\0{'descr': '|i1', 'fortran_order': False, 'shape': (1, 3), }"
        "                                                          \n\x7f\0\xf4";
    static const char scale[] = "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"
                                "                                                          \n\0\0\0\x40";
    static const shape tiny = {1, 1, 3, 1, 1, GELU, .tie_weights = true};
    model m;
    problem why;
    must(model_open(&m, &tiny, &why), &why);
    memcpy(m.w.wte, (const float[]){254, 1, -25}, 3 * sizeof(float));
    narrow(&m, WEIGHTS_INT8);
    write_model(&m, "c.npz");
    members all = members_read("c.npz");
    const member_bytes *wte = members_find(&all, "transformer.wte.weight.npy");
    ck_assert_uint_eq(wte->size, sizeof expected - 1);
    ck_assert_mem_eq(wte->bytes, expected, wte->size);
    const member_bytes *its_scale = members_find(&all, "transformer.wte.weight.scale.npy");
    ck_assert_uint_eq(its_scale->size, sizeof scale - 1);
    ck_assert_mem_eq(its_scale->bytes, scale, its_scale->size);
    members_close(&all);
    model_close(&m);
}
END_TEST

/* ---- Refusals ---- */

static void expect_refused(bool want_optimizer, const char *message) {
    checkpoint c;
    problem why;
    ck_assert(!checkpoint_read(&c, "c.npz", want_optimizer, &why));
    ck_assert_str_eq(why.text, message);
    ck_assert_int_eq(why.exit_status, 2);
}

static void write_narrow(weight_type type) {
    write_both(&shapes[0], type, "whole.npz", "c.npz");
}

static void write_and_expect(members *m, const char *message) {
    members_write(m, "c.npz");
    expect_refused(false, message);
    members_close(m);
}

static members narrow_members(weight_type type) {
    write_narrow(type);
    return members_read("c.npz");
}

START_TEST(test_missing_and_strange_members_are_named) {
    members m = narrow_members(WEIGHTS_INT8);
    members_remove(&m, "transformer.h.1.mlp.c_fc.weight.scale.npy");
    write_and_expect(&m, "c.npz: transformer.h.1.mlp.c_fc.weight.scale.npy: missing");
    m = narrow_members(WEIGHTS_INT8);
    members_remove(&m, "transformer.h.1.mlp.c_fc.weight.npy");
    write_and_expect(&m, "c.npz: transformer.h.1.mlp.c_fc.weight.npy: missing");
    m = narrow_members(WEIGHTS_INT8);
    members_add(&m, "transformer.ln_f.weight.scale.npy", "", 0);
    write_and_expect(&m, "c.npz: transformer.ln_f.weight.scale.npy: not a member of this model's checkpoint");
    m = narrow_members(WEIGHTS_F16);
    members_add(&m, "transformer.wte.weight.scale.npy", "", 0);
    write_and_expect(&m, "c.npz: transformer.wte.weight.scale.npy: not a member of this model's checkpoint");
    m = narrow_members(WEIGHTS_F16);
    members_add(&m, "adamw.m/transformer.wte.weight.npy", "", 0);
    write_and_expect(&m,
                     "c.npz: adamw.m/transformer.wte.weight.npy: not a member of this model's checkpoint");
}
END_TEST

/* What stands in the place of something in a member, as long as it. */
typedef struct edit {
    weight_type type;
    const char *member, *from, *to;
    const char *message; /* after the file's and the member's name */
} edit;

#define WPE   "transformer.wpe.weight.npy"
#define SCALE "transformer.wpe.weight.scale.npy"
#define NORM  "transformer.ln_f.weight.npy"

static const edit edits[] = {
    {WEIGHTS_INT8, WPE, "'|i1'", "'<f4'", "element type '<f4', expected '|i1'"},
    {WEIGHTS_INT8, WPE, "'|i1'", "'|u1'", "element type '|u1', expected '|i1'"},
    {WEIGHTS_INT8, WPE, "(19, 21)", "(21, 19)", "shape (21, 19), expected (19, 21)"},
    {WEIGHTS_INT8, WPE, "False, ", "True,  ", "Fortran order, expected C order"},
    {WEIGHTS_INT8, SCALE, "'<f4'", "'<f2'", "element type '<f2', expected '<f4'"},
    {WEIGHTS_INT8, SCALE, "(19, 1), }", "(19,), }  ", "shape (19,), expected (19, 1)"},
    {WEIGHTS_INT8, SCALE, "(19, 1)", "(1, 19)", "shape (1, 19), expected (19, 1)"},
    {WEIGHTS_INT8, NORM, "'<f4'", "'|i1'", "element type '|i1', expected '<f4'"},
    {WEIGHTS_F16, WPE, "'<f2'", "'<f4'", "element type '<f4', expected '<f2'"},
    {WEIGHTS_F16, WPE, "'<f2'", "'>f2'", "element type '>f2', expected '<f2'"},
    {WEIGHTS_F16, NORM, "'<f4'", "'<f2'", "element type '<f2', expected '<f4'"},
};
enum { EDITS = sizeof edits / sizeof *edits };

START_TEST(test_a_wrong_member_says_what_was_expected) {
    const edit *e = &edits[_i];
    char message[512];
    members m = narrow_members(e->type);
    member_bytes *bytes = members_find(&m, e->member);
    char *at = memmem(bytes->bytes, bytes->size, e->from, strlen(e->from));
    ck_assert_ptr_nonnull(at);
    memcpy(at, e->to, strlen(e->to));
    snprintf(message, sizeof message, "c.npz: %s: %s", e->member, e->message);
    write_and_expect(&m, message);
}
END_TEST

START_TEST(test_a_member_of_another_length) {
    static const struct {
        weight_type type;
        const char *member, *message;
    } cases[] = {
        {WEIGHTS_F16, WPE, "c.npz: " WPE ": 925 bytes, expected 926"},
        {WEIGHTS_INT8, WPE, "c.npz: " WPE ": 526 bytes, expected 527"},
        {WEIGHTS_INT8, SCALE, "c.npz: " SCALE ": 203 bytes, expected 204"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        members m = narrow_members(cases[i].type);
        members_find(&m, cases[i].member)->size--;
        write_and_expect(&m, cases[i].message);
    }
}
END_TEST

START_TEST(test_numbers_that_stand_for_nothing) {
    static const float bad[] = {-1, -0.0f, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        members m = narrow_members(WEIGHTS_INT8);
        const member_bytes *scale = members_find(&m, SCALE);
        memcpy(scale->bytes + scale->size - sizeof *bad, &bad[i], sizeof *bad);
        write_and_expect(&m, "c.npz: " SCALE ": holds a scale that is negative or not finite");
    }
    members m = narrow_members(WEIGHTS_INT8);
    const member_bytes *wpe = members_find(&m, WPE);
    wpe->bytes[wpe->size - 1] = -128;
    write_and_expect(&m, "c.npz: " WPE ": holds -128, expected -127 to 127");
}
END_TEST

/* What meta.json says decides. */
static void expect_meta(weight_type type, const char *from, const char *to, const char *message) {
    members m = narrow_members(type);
    member_bytes *meta = members_find(&m, "meta.json");
    char *at = strstr(meta->bytes, from), text[2048];
    ck_assert_ptr_nonnull(at);
    int size =
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - meta->bytes), meta->bytes, to, at + strlen(from));
    member_set(meta, text, (size_t)size);
    write_and_expect(&m, message);
}

START_TEST(test_what_meta_says_of_the_weights) {
    expect_meta(WEIGHTS_F16, "\"f16\"", "\"int8\"", "c.npz: transformer.wte.weight.scale.npy: missing");
    expect_meta(WEIGHTS_F16, "\"f16\"", "\"f32\"",
                "c.npz: transformer.wte.weight.npy: element type '<f2', expected '<f4'");
    expect_meta(WEIGHTS_F16, "\"weights\"", "\"waits\"",
                "c.npz: transformer.wte.weight.npy: element type '<f2', expected '<f4'");
    expect_meta(WEIGHTS_INT8, "\"int8\"", "\"f16\"",
                "c.npz: transformer.wte.weight.scale.npy: not a member of this model's checkpoint");
    expect_meta(WEIGHTS_INT8, "\"int8\"", "\"int4\"",
                "c.npz: meta.json: weights must be f32, f16 or int8, not \"int4\"");
    expect_meta(WEIGHTS_INT8, "\"int8\"", "8",
                "c.npz: meta.json: weights must be f32, f16 or int8, not \"8\"");
}
END_TEST

/* ---- Damage ---- */

/* Refused, or read as if nothing had happened. */
static void expect_survived(const model *stored) {
    checkpoint c;
    problem why;
    if (checkpoint_read(&c, "c.npz", false, &why)) {
        must(model_prepare(&c.model, false, NULL, &why), &why);
        expect_same_model(&c.model, stored);
        checkpoint_close(&c);
    } else
        ck_assert_int_eq(why.exit_status, 2);
}

START_TEST(test_no_flipped_bit_changes_a_number) {
    write_both(&shapes[2], types[_i], "whole.npz", "c.npz");
    checkpoint stored = read_checkpoint("c.npz");
    size_t size;
    char *bytes = scratch_read("c.npz", &size);
    for (size_t bit = 0; bit < 8 * size; bit += 13) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        scratch_write("c.npz", bytes, size);
        expect_survived(&stored.model);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    free(bytes);
    checkpoint_close(&stored);
}
END_TEST

/* ---- Training ---- */

START_TEST(test_training_refuses_them) {
    static const char *const messages[] = {"c.npz: holds f16 weights; training needs float32",
                                           "c.npz: holds int8 weights; training needs float32"};
    checkpoint c;
    problem why;
    settings s;
    settings_given given = {0};
    write_narrow(types[_i]);
    expect_refused(true, messages[_i]);
    settings_default(&s);
    ck_assert(!start_resume(&c, "c.npz", &s, &why));
    ck_assert_str_eq(why.text, messages[_i]);
    must(settings_set(&s, &given, "init_from", "c.npz", "test", &why), &why);
    ck_assert(!start_init_from(&c, &s, &given, &why));
    ck_assert_str_eq(why.text, messages[_i]);
    ck_assert_int_eq(why.exit_status, 2);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("narrow checkpoint");
    tcase_add_checked_fixture(cases, scratch_enter, scratch_leave);
    tcase_add_loop_test(cases, test_stored_is_converted_at_load, 0, SHAPES);
    tcase_add_loop_test(cases, test_what_was_read_is_written_the_same, 0, SHAPES);
    tcase_add_test(cases, test_bytes_are_numpys);
    tcase_add_test(cases, test_missing_and_strange_members_are_named);
    tcase_add_loop_test(cases, test_a_wrong_member_says_what_was_expected, 0, EDITS);
    tcase_add_test(cases, test_a_member_of_another_length);
    tcase_add_test(cases, test_numbers_that_stand_for_nothing);
    tcase_add_test(cases, test_what_meta_says_of_the_weights);
    tcase_add_loop_test(cases, test_no_flipped_bit_changes_a_number, 0, TYPES);
    tcase_add_loop_test(cases, test_training_refuses_them, 0, TYPES);
    return suite_run(cases, "narrow checkpoint", 60);
}
