/* Random numbers: Random123's known answers for Philox4x32-10; that a stream is its arguments'
 * and no other's, and the same for ever; and that the numbers are distributed as they say. Bounds
 * lie five standard deviations out. */
#include "random.h"
#include "support/suite.h"
#include <math.h>

enum { DRAWS = 400000 };

typedef struct known_answer {
    uint32_t key[2], counter[4], words[4];
} known_answer;

START_TEST(test_known_answers) {
    static const known_answer known[] = {
        {{0, 0}, {0, 0, 0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0xa4093822, 0x299f31d0},
         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t words[4];
        philox(known[i].key, known[i].counter, words);
        ck_assert_mem_eq(words, known[i].words, sizeof words);
    }
}
END_TEST

/* Checkpoints and texts that others made depend on these numbers. */
START_TEST(test_streams_never_change) {
    random_stream s = random_open(1337, FOR_DROPOUT, 5000000000, 7, 3);
    static const uint32_t key[2] = {0x3b732c34, 0x92c6ca03}, high[2] = {0x73ca8947, 0x55fbc45f};
    ck_assert_mem_eq(s.key, key, sizeof key);
    ck_assert_mem_eq(s.high, high, sizeof high);
    s = random_open(1337, FOR_INIT, 0, 0, 0);
    ck_assert(random_normal(&s, 0) == -0x1.c0b268338e346p-2 && random_normal(&s, 1) == 0x1.a66414fa45e8fp-1);
}
END_TEST

START_TEST(test_every_argument_makes_another_stream) {
    const uint64_t far = (uint64_t)1 << 32;
    random_stream streams[] = {
        random_open(1, FOR_INIT, 1, 1, 1),   random_open(2, FOR_INIT, 1, 1, 1),
        random_open(1, FOR_BATCH, 1, 1, 1),  random_open(1, FOR_INIT, 2, 1, 1),
        random_open(1, FOR_INIT, 1, 2, 1),   random_open(1, FOR_INIT, 1, 1, 2),
        random_open(far, FOR_INIT, 1, 1, 1), random_open(1, FOR_INIT, far, 1, 1),
        random_open(1, FOR_INIT, 1, far, 1), random_open(1, FOR_INIT, 1, 1, 0),
    };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        for (size_t j = 0; j < i; j++) ck_assert_mem_ne(&streams[i], &streams[j], sizeof *streams);
}
END_TEST

START_TEST(test_numbers_are_words_of_the_stream) {
    random_stream s = random_open(42, FOR_CHECK, 0, 0, 0);
    static const uint64_t indices[] = {0,         1, 2, 12345, (uint64_t)1 << 33, ((uint64_t)1 << 33) + 1,
                                       UINT64_MAX};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        uint64_t block = indices[i] / 2, pair = indices[i] % 2 * 2;
        uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), s.high[0], s.high[1]}, words[4];
        philox(s.key, counter, words);
        uint64_t want = words[pair] + ((uint64_t)words[pair + 1] << 32);
        ck_assert(random_u64(&s, indices[i]) == want);
        ck_assert(random_uniform(&s, indices[i]) == ldexp((double)(want >> 11), -53));
    }
}
END_TEST

/* The mean of power-th powers of draws, each less `centre`. */
static double moment(double (*draw)(const random_stream *s, uint64_t index), double centre, int power) {
    random_stream s = random_open(7, FOR_CHECK, 1, 2, 3);
    double sum = 0;
    for (uint64_t i = 0; i < DRAWS; i++) sum += pow(draw(&s, i) - centre, power);
    return sum / DRAWS;
}

static void near(double found, double want, double variance) {
    ck_assert_double_le(fabs(found - want), 5 * sqrt(variance / DRAWS));
}

START_TEST(test_uniform) {
    near(moment(random_uniform, 0.5, 1), 0, 1.0 / 12);
    near(moment(random_uniform, 0.5, 2), 1.0 / 12, 1.0 / 180);
    near(moment(random_uniform, 0.5, 4), 1.0 / 80, 1.0 / 2304 - 1.0 / 6400);
}
END_TEST

START_TEST(test_normal) {
    near(moment(random_normal, 0, 1), 0, 1);
    near(moment(random_normal, 0, 2), 1, 2);
    near(moment(random_normal, 0, 3), 0, 15);
    near(moment(random_normal, 0, 4), 3, 96);
}
END_TEST

/* Kolmogorov and Smirnov: the distribution function is met everywhere, at 64 places. */
START_TEST(test_normal_distribution) {
    random_stream s = random_open(11, FOR_CHECK, 0, 0, 0);
    int below[64] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        double phi = 0.5 * erfc(-random_normal(&s, i) / sqrt(2));
        ck_assert(phi > 0 && phi < 1);
        below[(int)(64 * phi)]++;
    }
    for (int i = 0, sum = 0; i < 64; i++) {
        sum += below[i];
        near((double)sum / DRAWS, (i + 1) / 64.0, 0.25);
    }
}
END_TEST

START_TEST(test_below) {
    random_stream s = random_open(13, FOR_CHECK, 0, 0, 0);
    int counts[7] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t n = random_below(&s, i, 7);
        ck_assert_uint_lt(n, 7);
        counts[n]++;
        ck_assert_uint_eq(random_below(&s, i, 1), 0);
    }
    for (int i = 0; i < 7; i++) near((double)counts[i] / DRAWS, 1.0 / 7, 6.0 / 49);
    ck_assert_uint_eq(random_below(&s, 5, UINT64_MAX), random_u64(&s, 5) - 1);
}
END_TEST

/* Neighbours in a stream, and the same index in neighbouring streams, have nothing to do with each other. */
START_TEST(test_no_correlation) {
    random_stream s = random_open(17, FOR_CHECK, 0, 0, 0), next = random_open(17, FOR_CHECK, 0, 1, 0);
    double along = 0, across = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double x = random_uniform(&s, i) - 0.5;
        along += x * (random_uniform(&s, i + 1) - 0.5);
        across += x * (random_uniform(&next, i) - 0.5);
    }
    near(along / DRAWS, 0, 1.0 / 144);
    near(across / DRAWS, 0, 1.0 / 144);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("random");
    tcase_add_test(cases, test_known_answers);
    tcase_add_test(cases, test_streams_never_change);
    tcase_add_test(cases, test_every_argument_makes_another_stream);
    tcase_add_test(cases, test_numbers_are_words_of_the_stream);
    tcase_add_test(cases, test_uniform);
    tcase_add_test(cases, test_normal);
    tcase_add_test(cases, test_normal_distribution);
    tcase_add_test(cases, test_below);
    tcase_add_test(cases, test_no_correlation);
    return suite_run(cases, "random", 60);
}
