/* The command line: every form of an option, every refusal with its message. */
#include "arguments.h"
#include "nearest.h"
#include "support/suite.h"
#include <string.h>

static const option options[] = {
    {"prompt", 0, "TEXT", "text to go on from"},
    {"new-tokens", 'n', "N", "tokens to generate"},
    {"temperature", 0, "X", "0: greedy"},
    {"seed", 0, "S", "of the random numbers"},
    {"weights", 0, "f32|f16|int8", "how weights are stored"},
    {"threads", 0, "N", "threads; auto: the physical cores"},
    {"stats", 's', NULL, "say how fast it went"},
    {"out", 'o', "FILE", "where to"},
    {"no-cache", 0, NULL, "recompute the window at each step"},
    {0},
};

enum { MOST_ARGUMENTS = 12, MOST_POSITIONALS = 2 };

/* Parses arguments up to a NULL, after a first one that must not matter. */
static bool parse(arguments *a, const char *const *list, problem *why) {
    static char program[] = "--program", copies[MOST_ARGUMENTS][64];
    char *argv[MOST_ARGUMENTS + 1] = {program};
    int argc = 1;
    for (; list[argc - 1]; argc++) argv[argc] = strcpy(copies[argc - 1], list[argc - 1]);
    return arguments_parse(a, argc, argv, options, MOST_POSITIONALS, why);
}

static arguments parsed(const char *const *list) {
    arguments a;
    problem why;
    must(parse(&a, list, &why), &why);
    return a;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_every_form_of_an_option) {
    static const char *const forms[][4] = {
        {"--new-tokens", "5"}, {"--new-tokens=5"}, {"-n", "5"}, {"-n=5"}, {"x", "-n", "5"}, {"-n", "5", "x"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        arguments a = parsed(forms[i]);
        ck_assert_str_eq(arguments_value(&a, "new-tokens"), "5");
        ck_assert_ptr_null(arguments_value(&a, "prompt"));
        ck_assert_ptr_null(arguments_value(&a, "stats"));
    }
}
END_TEST

START_TEST(test_values_are_taken_as_they_are) {
    arguments a = parsed(LIST("--prompt", "--stats", "--temperature", "-1", "--seed=", "--weights=a=b"));
    ck_assert_str_eq(arguments_value(&a, "prompt"), "--stats");
    ck_assert_str_eq(arguments_value(&a, "temperature"), "-1");
    ck_assert_str_eq(arguments_value(&a, "seed"), "");
    ck_assert_str_eq(arguments_value(&a, "weights"), "a=b");
    ck_assert_ptr_null(arguments_value(&a, "stats"));
}
END_TEST

START_TEST(test_flags_and_positionals_in_any_order) {
    arguments a = parsed(LIST("one", "--stats", "two", "--no-cache"));
    ck_assert_ptr_nonnull(arguments_value(&a, "stats"));
    ck_assert_ptr_nonnull(arguments_value(&a, "no-cache"));
    ck_assert_int_eq(a.positional_count, 2);
    ck_assert_str_eq(a.positionals[0], "one");
    ck_assert_str_eq(a.positionals[1], "two");
    a = parsed(LIST("-s"));
    ck_assert_ptr_nonnull(arguments_value(&a, "stats"));
    ck_assert_int_eq(a.positional_count, 0);
}
END_TEST

START_TEST(test_a_value_may_be_attached_to_a_letter) {
    arguments a = parsed(LIST("-n5"));
    ck_assert_str_eq(arguments_value(&a, "new-tokens"), "5");
    a = parsed(LIST("-n=5"));
    ck_assert_str_eq(arguments_value(&a, "new-tokens"), "5");
    a = parsed(LIST("-n-5=x"));
    ck_assert_str_eq(arguments_value(&a, "new-tokens"), "-5=x");
}
END_TEST

START_TEST(test_two_dashes_end_the_options) {
    arguments a = parsed(LIST("--stats", "--", "--no-cache", "--"));
    ck_assert_ptr_null(arguments_value(&a, "no-cache"));
    ck_assert_str_eq(a.positionals[0], "--no-cache");
    ck_assert_str_eq(a.positionals[1], "--");
    a = parsed(LIST("-", " "));
    ck_assert_str_eq(a.positionals[0], "-");
    ck_assert_str_eq(a.positionals[1], " ");
}
END_TEST

START_TEST(test_no_arguments) {
    problem why;
    arguments a;
    char *nothing[] = {NULL};
    must(arguments_parse(&a, 0, nothing, options, 0, &why), &why);
    ck_assert_int_eq(a.positional_count, 0);
}
END_TEST

START_TEST(test_refusals) {
    static const struct {
        const char *list[5], *message;
    } cases[] = {
        {{"--sede=5"}, "unknown option --sede; the nearest is --seed"},
        {{"--promt", "x"}, "unknown option --promt; the nearest is --prompt"},
        {{"--no_cache"}, "unknown option --no_cache; the nearest is --no-cache"},
        {{"--Seed=5"}, "unknown option --Seed; the nearest is --seed"},
        {{"--stat"}, "unknown option --stat; the nearest is --stats"},
        {{"-stats"}, "unknown option -stats; the nearest is --stats"},
        {{"--seed5"}, "unknown option --seed5; the nearest is --seed"},
        {{"-x"}, "unknown option -x; the nearest is --out"},
        {{"--=5"}, "unknown option --; the nearest is --out"},
        {{"-=5"}, "unknown option -; the nearest is --out"},
        {{"--prompt"}, "--prompt needs a value: --prompt TEXT"},
        {{"x", "-n"}, "-n needs a value: -n N"},
        {{"-n5", "-n6"}, "-n is given twice"},
        {{"-s5"}, "unknown option -s5; the nearest is --seed"},
        {{"--stats=1"}, "--stats takes no value"},
        {{"--stats="}, "--stats takes no value"},
        {{"--stats", "--stats"}, "--stats is given twice"},
        {{"--stats", "-s"}, "-s is given twice"},
        {{"--seed=1", "--seed", "2"}, "--seed is given twice"},
        {{"--prompt=", "--prompt=x"}, "--prompt is given twice"},
        {{"--out="}, "--out needs a value: --out FILE"},
        {{"-o", ""}, "-o needs a value: -o FILE"},
        {{"a", "b", "c"}, "unexpected argument \"c\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arguments a;
        problem why;
        ck_assert_msg(!parse(&a, cases[i].list, &why), "%s", cases[i].message);
        ck_assert_str_eq(why.text, cases[i].message);
        ck_assert_int_eq(why.exit_status, 2);
    }
}
END_TEST

static const char *const weights[] = {"f32", "f16", "int8", NULL};
static const real_range temperatures = {.min = 0, .max = 1e6};

typedef struct values {
    int64_t n, threads;
    uint64_t seed;
    double temperature;
    int weights;
} values;

static bool take(const arguments *a, values *v, problem *why) {
    return arguments_integer(a, "new-tokens", 0, 1000, &v->n, why) &&
           arguments_seed(a, "seed", &v->seed, why) &&
           arguments_real(a, "temperature", temperatures, &v->temperature, why) &&
           arguments_choice(a, "weights", weights, &v->weights, why) &&
           arguments_threads(a, &v->threads, why);
}

START_TEST(test_values_of_each_type) {
    arguments a = parsed(
        LIST("-n", "7", "--seed=18446744073709551615", "--temperature=.5", "--weights=int8", "--threads=3"));
    values v = {0};
    problem why;
    must(take(&a, &v, &why), &why);
    ck_assert_int_eq(v.n, 7);
    ck_assert_uint_eq(v.seed, UINT64_MAX);
    ck_assert(v.temperature == 0.5);
    ck_assert_int_eq(v.weights, 2);
    ck_assert_int_eq(v.threads, 3);
    a = parsed(LIST("--threads", "auto"));
    must(take(&a, &v, &why), &why);
    ck_assert_int_eq(v.threads, 0);
}
END_TEST

START_TEST(test_what_is_not_given_keeps_its_default) {
    arguments a = parsed(LIST("model"));
    values v = {.n = 200, .threads = 2, .seed = 1337, .temperature = 1, .weights = 1};
    problem why;
    must(take(&a, &v, &why), &why);
    ck_assert_int_eq(v.n, 200);
    ck_assert_int_eq(v.threads, 2);
    ck_assert_uint_eq(v.seed, 1337);
    ck_assert(v.temperature == 1);
    ck_assert_int_eq(v.weights, 1);
}
END_TEST

START_TEST(test_bad_values_name_option_and_expectation) {
    static const struct {
        const char *argument, *message;
    } cases[] = {
        {"-n=x", "--new-tokens must be an integer from 0 to 1000, not \"x\""},
        {"-n=1001", "--new-tokens must be an integer from 0 to 1000, not \"1001\""},
        {"--new-tokens=", "--new-tokens must be an integer from 0 to 1000, not \"\""},
        {"--seed=1.5", "--seed must be an integer from 0 to 18446744073709551615, not \"1.5\""},
        {"--temperature=nan", "--temperature must be a number of at least 0 and at most 1e+06, not \"nan\""},
        {"--temperature=-1", "--temperature must be a number of at least 0 and at most 1e+06, not \"-1\""},
        {"--weights=f64", "--weights must be f32, f16 or int8, not \"f64\""},
        {"--threads=0", "--threads must be auto or an integer from 1 to 1024, not \"0\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arguments a = parsed(LIST(cases[i].argument));
        values v = {.n = -9};
        problem why;
        ck_assert(!take(&a, &v, &why));
        ck_assert_str_eq(why.text, cases[i].message);
        ck_assert_int_eq(why.exit_status, 2);
        ck_assert_int_eq(v.n, -9);
    }
}
END_TEST

START_TEST(test_lines_of_help) {
    char line[100];
    option_line(&options[0], line, sizeof line);
    ck_assert_str_eq(line, "  --prompt TEXT              text to go on from");
    option_line(&options[1], line, sizeof line);
    ck_assert_str_eq(line, "  -n, --new-tokens N         tokens to generate");
    option_line(&options[8], line, sizeof line);
    ck_assert_str_eq(line, "  --no-cache                 recompute the window at each step");
}
END_TEST

START_TEST(test_edit_distances) {
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {"", "", 0},
        {"a", "", 1},
        {"", "abc", 3},
        {"same", "same", 0},
        {"kitten", "sitting", 3},
        {"flaw", "lawn", 2},
        {"sunday", "saturday", 3},
        {"ab", "ba", 1},
        {"ab", "bca", 3},
        {"n_mebd", "n_embd", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_uint_eq(edit_distance(cases[i].a, cases[i].b), cases[i].distance);
        ck_assert_uint_eq(edit_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("arguments");
    tcase_add_test(cases, test_every_form_of_an_option);
    tcase_add_test(cases, test_values_are_taken_as_they_are);
    tcase_add_test(cases, test_flags_and_positionals_in_any_order);
    tcase_add_test(cases, test_a_value_may_be_attached_to_a_letter);
    tcase_add_test(cases, test_two_dashes_end_the_options);
    tcase_add_test(cases, test_no_arguments);
    tcase_add_test(cases, test_refusals);
    tcase_add_test(cases, test_values_of_each_type);
    tcase_add_test(cases, test_what_is_not_given_keeps_its_default);
    tcase_add_test(cases, test_bad_values_name_option_and_expectation);
    tcase_add_test(cases, test_lines_of_help);
    tcase_add_test(cases, test_edit_distances);
    return suite_run(cases, "arguments", 10);
}
