/* Cached keys and values that are halves: each is rounded once, as it joins, and attention to halves is
 * attention to the floats that they stand for, bit for bit, on every kernel set. */
#include "engine.h"
#include "kernels/half.h"
#include "support/rough_model.h"
#include "support/suite.h"
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 210, STRIDE = 80 }; /* several groups of keys and of values */
static const int head_sizes[] = {1, 16, 24, 64};
enum { HEADS = sizeof head_sizes / sizeof *head_sizes };

static size_t key_numbers(int head) {
    return (size_t)padded(POSITIONS) * (size_t)head;
}
static size_t value_numbers(int head) {
    return (size_t)POSITIONS * (size_t)padded(head);
}

static float random_float(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)((int)(*state >> 40) - (1 << 23)) * 0x1p-21f;
}

static float *random_floats(size_t n, uint64_t state) {
    float *x = zeros(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = random_float(&state);
    return x;
}

static void append(const kernels *k, int head, cached_head cache, int from, int to, const float *keys,
                   const float *values) {
    k->append(&(new_positions){.position = from,
                               .count = to - from,
                               .head_size = head,
                               .k = keys + from * STRIDE,
                               .v = values + from * STRIDE,
                               .stride = STRIDE,
                               .cache = cache});
}

/* In pieces that begin and end within panels and at their edges. */
static void append_all(const kernels *k, int head, cached_head cache, const float *keys,
                       const float *values) {
    const int ends[] = {5, 16, 17, 64, 100, 101, POSITIONS};
    for (int i = 0, from = 0; i < 7; from = ends[i++]) append(k, head, cache, from, ends[i], keys, values);
}

START_TEST(test_each_number_is_rounded) {
    const kernels *k;
    int head = head_sizes[_i], width = padded(head);
    float *keys = random_floats(POSITIONS * STRIDE, 1), *values = random_floats(POSITIONS * STRIDE, 2);
    keys[0] = 0x1p-20f, values[0] = -0x1.8p-25f, keys[STRIDE] = 65519.0f, values[STRIDE] = 1e6f;
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        uint16_t *p = zeros(key_numbers(head), sizeof *p), *v = zeros(value_numbers(head), sizeof *v);
        append_all(k, head, (cached_head){p, v, true}, keys, values);
        for (int t = 0; t < POSITIONS; t++)
            for (int d = 0; d < width; d++) {
                uint16_t value = d < head ? half_from_float(values[t * STRIDE + d]) : 0;
                ck_assert_msg(v[t * width + d] == value, "%s: value %d of position %d", k->name, d, t);
                if (d < head)
                    ck_assert_msg(p[(t / 16 * head + d) * 16 + t % 16] ==
                                      half_from_float(keys[t * STRIDE + d]),
                                  "%s: key %d of position %d", k->name, d, t);
            }
        free(p);
        free(v);
    }
    free(keys);
    free(values);
}
END_TEST

/* Rows from..to-1 of the head; out: (to - from, STRIDE), then each row's maximum and scale. */
static float *attend(const kernels *k, int head, cached_head cache, cached_head next, const float *q,
                     int from, int to) {
    size_t rows = (size_t)(to - from);
    float *out = zeros(rows * (STRIDE + 2), sizeof *out);
    float *scratch = aligned_alloc(64, (attention_scratch(to, head) * sizeof *scratch + 63) / 64 * 64);
    ck_assert_ptr_nonnull(scratch);
    k->attention(&(attention_rows){.rows = to - from,
                                   .position = from,
                                   .head_size = head,
                                   .q = q + from * STRIDE,
                                   .q_stride = STRIDE,
                                   .cache = cache,
                                   .next = next,
                                   .out = out,
                                   .out_stride = STRIDE,
                                   .row_max = out + rows * STRIDE,
                                   .row_scale = out + rows * (STRIDE + 1),
                                   .scratch = scratch});
    free(scratch);
    return out;
}

static float *widened(const uint16_t *halves, size_t n) {
    float *x = zeros(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = half_to_float(halves[i]);
    return x;
}

START_TEST(test_attention_is_that_to_the_floats_they_stand_for) {
    static const int spans[][2] = {{0, 1},   {15, 16},   {63, 64},   {64, 65},   {127, 128}, {128, 129},
                                   {0, 210}, {100, 210}, {120, 140}, {209, 210}, {3, 99}};
    const kernels *k;
    int head = head_sizes[_i];
    float *keys = random_floats(POSITIONS * STRIDE, 3), *values = random_floats(POSITIONS * STRIDE, 4);
    float *q = random_floats(POSITIONS * STRIDE, 5);
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        uint16_t *p = zeros(key_numbers(head), sizeof *p), *v = zeros(value_numbers(head), sizeof *v);
        cached_head halves = {p, v, true};
        append_all(k, head, halves, keys, values);
        float *wide_keys = widened(p, key_numbers(head)), *wide_values = widened(v, value_numbers(head));
        for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
            int from = spans[i][0], to = spans[i][1];
            float *expected =
                attend(k, head, (cached_head){wide_keys, wide_values, false}, (cached_head){0}, q, from, to);
            for (int fetching = 0; fetching < 2; fetching++) {
                float *found = attend(k, head, halves, fetching ? halves : (cached_head){0}, q, from, to);
                ck_assert_msg(!memcmp(found, expected, (size_t)(to - from) * (STRIDE + 2) * sizeof *found),
                              "%s: rows %d..%d", k->name, from, to - 1);
                free(found);
            }
            free(expected);
        }
        free(wide_keys);
        free(wide_values);
        free(p);
        free(v);
    }
    free(keys);
    free(values);
    free(q);
}
END_TEST

/* All at once, their rows split between the threads, and one after another, in another cache. */
START_TEST(test_the_cache_changes_nothing) {
    const shape s = {2, 2, 48, 160, 11, GELU, .tie_weights = true};
    const kernels *k;
    problem why;
    model m;
    rough_model(&m, &s, 0.3);
    m.cache_type = CACHE_F16;
    int32_t *tokens = random_tokens(s.vocab_size, (size_t)s.block_size, 1);
    size_t row = (size_t)padded(s.vocab_size);
    float *whole = zeros((size_t)s.block_size * row, sizeof *whole), *alone = zeros(row, sizeof *alone);
    team *t = team_open(2, &why);
    must(t, &why);
    for (int set = 0; (k = exact_kernel_set(set)); set++) {
        engine e;
        kv_cache cache, other;
        must(engine_open(&e, &m, k, t, s.block_size, &why), &why);
        must(cache_open(&cache, &s, m.cache_type, s.n_layer, &why), &why);
        must(cache_open(&other, &s, m.cache_type, s.n_layer, &why), &why);
        engine_forward(&e, 1, &(sequence_rows){tokens, s.block_size, 0, &cache}, ALL_ROWS, whole);
        for (int i = 0; i < s.block_size; i++) {
            engine_forward(&e, 1, &(sequence_rows){tokens + i, 1, i, &other}, LAST_ROWS, alone);
            ck_assert_msg(!memcmp(alone, whole + (size_t)i * row, row * sizeof *alone), "%s: position %d",
                          k->name, i);
        }
        cache_close(&cache);
        cache_close(&other);
        engine_close(&e);
    }
    team_close(t);
    free(tokens);
    free(whole);
    free(alone);
    model_close(&m);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("half cache");
    tcase_add_loop_test(cases, test_each_number_is_rounded, 0, HEADS);
    tcase_add_loop_test(cases, test_attention_is_that_to_the_floats_they_stand_for, 0, HEADS);
    tcase_add_test(cases, test_the_cache_changes_nothing);
    return suite_run(cases, "half cache", 60);
}
