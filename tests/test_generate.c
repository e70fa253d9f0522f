/* Generation: the cache, the batch, the threads and the length of the prompt change nothing about the
 * text. */
#include "generate.h"
#include "memory.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const shape shapes[] = {
    {.n_layer = 2,
     .n_head = 3,
     .n_embd = 21,
     .block_size = 19,
     .vocab_size = 23,
     .activation = RELU,
     .head_bias = true},
    {.n_layer = 1,
     .n_head = 1,
     .n_embd = 5,
     .block_size = 1,
     .vocab_size = 7,
     .activation = GELU,
     .tie_weights = true},
    {.n_layer = 3,
     .n_head = 2,
     .n_embd = 34,
     .block_size = 33,
     .vocab_size = 3,
     .activation = GELU_TANH,
     .bias = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, MOST_PROMPT = 200 };

typedef struct fixture {
    model model;
    team *team;
    int32_t *prompt; /* MOST_PROMPT tokens */
} fixture;

/* Rough weights: the logits of neighbours differ by far more than rounding. */
static void open_fixture(fixture *f, const shape *s, int threads) {
    problem why;
    rough_model(&f->model, s, 0.4);
    f->team = team_open(threads, &why);
    must(f->team, &why);
    f->prompt = random_tokens(s->vocab_size, MOST_PROMPT, 0);
}

static void close_fixture(fixture *f) {
    free(f->prompt);
    team_close(f->team);
    model_close(&f->model);
}

static generation basic(const fixture *f, size_t prompt_count, size_t new_tokens) {
    return (generation){.prompt = f->prompt,
                        .prompt_count = prompt_count,
                        .new_tokens = new_tokens,
                        .samples = 1,
                        .keep = (f->model.shape.block_size + 1) / 2,
                        .use_cache = true,
                        .sampling = {.temperature = 1, .top_p = 1, .seed = 3}};
}

/* The tokens of a generation that must succeed; release(). */
static int32_t *text_of(fixture *f, const generation *g, generation_stats *stats) {
    engine e;
    problem why;
    ck_assert(engine_open(&e, &f->model, kernels_named("auto"), f->team, generation_rows(&f->model.shape, g),
                          &why));
    int32_t *tokens = allocate((size_t)g->samples * g->new_tokens, sizeof *tokens, "tokens", &why);
    must(generate(&e, g, tokens, stats, &why), &why);
    engine_close(&e);
    return tokens;
}

static void expect_same_uncached(fixture *f, generation g) {
    int32_t *cached = text_of(f, &g, NULL);
    g.use_cache = false;
    int32_t *uncached = text_of(f, &g, NULL);
    ck_assert_mem_eq(cached, uncached, (size_t)g.samples * g.new_tokens * sizeof *cached);
    release(cached);
    release(uncached);
}

START_TEST(test_cached_is_uncached_for_every_keep) {
    for (int i = 0; i < SHAPES; i++) {
        fixture f;
        open_fixture(&f, &shapes[i], 1);
        generation g = basic(&f, 2, 3 * (size_t)shapes[i].block_size + 5);
        for (g.keep = 1; g.keep <= shapes[i].block_size; g.keep++) expect_same_uncached(&f, g);
        g.sampling.temperature = 0;
        for (g.keep = 1; g.keep <= shapes[i].block_size; g.keep += 3) expect_same_uncached(&f, g);
        close_fixture(&f);
    }
}
END_TEST

START_TEST(test_cached_is_uncached_for_long_prompts) {
    for (int i = 0; i < SHAPES; i++) {
        fixture f;
        open_fixture(&f, &shapes[i], 1);
        size_t context = (size_t)shapes[i].block_size;
        const size_t lengths[] = {1, context, context + 1, 2 * context - 1, 2 * context, 5 * context};
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            expect_same_uncached(&f, basic(&f, lengths[k], context + 3));
        close_fixture(&f);
    }
}
END_TEST

START_TEST(test_a_sample_is_the_text_it_would_be_alone) {
    fixture f;
    open_fixture(&f, &shapes[0], 2);
    generation g = basic(&f, 4, 70);
    g.samples = 25; /* more than the context: decoding rows decide the engine's size */
    int32_t *together = text_of(&f, &g, NULL);
    expect_same_uncached(&f, g);
    for (size_t k = 0; k < 25; k++) {
        generation one = basic(&f, 4, 70);
        one.sampling.seed += k;
        int32_t *alone_text = text_of(&f, &one, NULL);
        ck_assert_mem_eq(alone_text, together + 70 * k, 70 * sizeof *together);
        release(alone_text);
    }
    ck_assert_mem_ne(together, together + 70, 70 * sizeof *together);
    release(together);
    close_fixture(&f);
}
END_TEST

/* The prompt's keys lie in panels of sixteen positions; what stands behind a sample's own is never another's.
 */
START_TEST(test_samples_go_on_from_a_prompt_of_any_length) {
    enum { SAMPLES = 3, NEW = 40 };
    static const size_t lengths[] = {1, 15, 16, 17, 32, 33, 34, 50};
    fixture f;
    open_fixture(&f, &shapes[2], 1);
    generation all = basic(&f, lengths[_i], NEW), one = all;
    all.samples = SAMPLES;
    int32_t *together = text_of(&f, &all, NULL);
    expect_same_uncached(&f, all);
    for (size_t k = 0; k < SAMPLES; k++) {
        one.sampling.seed = all.sampling.seed + k;
        int32_t *alone_text = text_of(&f, &one, NULL);
        ck_assert_mem_eq(alone_text, together + NEW * k, NEW * sizeof *together);
        release(alone_text);
    }
    release(together);
    close_fixture(&f);
}
END_TEST

START_TEST(test_threads_change_nothing) {
    int32_t *expected = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        fixture f;
        open_fixture(&f, &shapes[2], threads);
        generation g = basic(&f, 3, 90);
        g.samples = 3;
        int32_t *text = text_of(&f, &g, NULL);
        if (expected) ck_assert_mem_eq(text, expected, 270 * sizeof *text);
        release(expected);
        expected = text;
        close_fixture(&f);
    }
    release(expected);
}
END_TEST

/* A token depends on its place in the text, not on which part of the text was the prompt. */
START_TEST(test_going_on_from_generated_text_gives_the_same_text) {
    fixture f;
    open_fixture(&f, &shapes[0], 1);
    generation g = basic(&f, 5, 100);
    int32_t *whole = text_of(&f, &g, NULL);
    memcpy(f.prompt + 5, whole, 60 * sizeof *whole);
    generation rest = basic(&f, 65, 40);
    int32_t *end = text_of(&f, &rest, NULL);
    ck_assert_mem_eq(end, whole + 60, 40 * sizeof *whole);
    release(whole);
    release(end);
    close_fixture(&f);
}
END_TEST

START_TEST(test_counts) {
    fixture f;
    open_fixture(&f, &shapes[0], 1);
    generation g = basic(&f, 3, 40);
    g.samples = 2;
    g.keep = 10;
    generation_stats stats;
    release(text_of(&f, &g, &stats));
    ck_assert_uint_eq(stats.prefill_tokens, 3); /* once for both samples */
    ck_assert_uint_eq(stats.decode_tokens, 2 * 39);
    ck_assert_uint_eq(stats.rebuilds, 3); /* before tokens 20, 30 and 40 */
    ck_assert_uint_eq(stats.rebuilt_tokens, 2 * 3 * 10);
    ck_assert_uint_eq(stats.cache_bytes, 2 * cache_bytes(&f.model.shape, CACHE_F32, 2));
    g.use_cache = false;
    release(text_of(&f, &g, &stats));
    ck_assert_uint_eq(stats.rebuilds + stats.cache_bytes, 0);
    close_fixture(&f);
}
END_TEST

typedef struct receiver {
    int samples[8];
    int received;
} receiver;

static bool take_five(void *context, int sample, int32_t token) {
    receiver *r = context;
    (void)token;
    r->samples[r->received++] = sample;
    return r->received < 5;
}

START_TEST(test_the_receiver_can_stop) {
    fixture f;
    open_fixture(&f, &shapes[0], 1);
    generation g = basic(&f, 3, 40);
    receiver r = {.received = 0};
    g.samples = 2;
    g.emit = take_five;
    g.context = &r;
    release(text_of(&f, &g, NULL));
    ck_assert_int_eq(r.received, 5);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(r.samples[i], i % 2);
    close_fixture(&f);
}
END_TEST

START_TEST(test_logits_that_are_not_finite) {
    fixture f;
    open_fixture(&f, &shapes[0], 1);
    f.model.w.ln_f.weight[3] = NAN;
    generation g = basic(&f, 3, 4);
    engine e;
    problem why;
    ck_assert(
        engine_open(&e, &f.model, kernels_named("auto"), f.team, generation_rows(&f.model.shape, &g), &why));
    ck_assert(!generate(&e, &g, NULL, NULL, &why));
    ck_assert_int_eq(why.exit_status, 1);
    ck_assert_msg(strstr(why.text, "token 3 of sample 0: the logit of id 0 is"), "%s", why.text);
    engine_close(&e);
    close_fixture(&f);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("generation");
    tcase_add_test(cases, test_cached_is_uncached_for_every_keep);
    tcase_add_test(cases, test_cached_is_uncached_for_long_prompts);
    tcase_add_test(cases, test_a_sample_is_the_text_it_would_be_alone);
    tcase_add_loop_test(cases, test_samples_go_on_from_a_prompt_of_any_length, 0, 8);
    tcase_add_test(cases, test_threads_change_nothing);
    tcase_add_test(cases, test_going_on_from_generated_text_gives_the_same_text);
    tcase_add_test(cases, test_counts);
    tcase_add_test(cases, test_the_receiver_can_stop);
    tcase_add_test(cases, test_logits_that_are_not_finite);
    return suite_run(cases, "generation", 60);
}
