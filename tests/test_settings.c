/* Settings: every key there and back, every bad value with its message, and config files as people
 * write them. */
#include "memory.h"
#include "settings.h"
#include "support/suite.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static settings defaults(void) {
    settings s;
    settings_default(&s);
    return s;
}

/* The value of a key as text, in a buffer that the next call overwrites. */
static const char *value_of(const settings *s, const char *wanted) {
    static char value[PATH_LENGTH];
    const setting *row = settings_find(wanted);
    ck_assert_msg(row, "no key %s", wanted);
    settings_value(s, row, value, sizeof value);
    return value;
}

static void write_file(const char *path, const char *text, size_t bytes) {
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, bytes, f), bytes);
    ck_assert_int_eq(fclose(f), 0);
}

/* settings_read of a file with this content. The messages name it "t.conf": tests run in a directory
 * of their own. */
static bool read_bytes(settings *s, settings_given *given, const char *text, size_t bytes, problem *why) {
    char directory[] = "/tmp/sawtooth-settings-XXXXXX", home[PATH_LENGTH];
    ck_assert_ptr_nonnull(getcwd(home, sizeof home));
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
    write_file("t.conf", text, bytes);
    bool read = settings_read(s, given, "t.conf", why);
    ck_assert_int_eq(unlink("t.conf"), 0);
    ck_assert_int_eq(chdir(home), 0);
    ck_assert_int_eq(rmdir(directory), 0);
    return read;
}

static bool read_string(settings *s, const char *text, problem *why) {
    return read_bytes(s, NULL, text, strlen(text), why);
}

typedef struct pair {
    const char *key, *value;
} pair;

/* The table of keys and defaults in the design, and for each another value in the form that is written
 * back. */
static const struct {
    const char *key, *initial, *other;
} keys[] = {
    {"n_layer", "6", "1000"},
    {"n_head", "6", "1"},
    {"n_embd", "384", "16384"},
    {"block_size", "256", "32768"},
    {"activation", "gelu", "gelu_tanh"},
    {"qkv_bias", "false", "true"},
    {"bias", "false", "true"},
    {"head_bias", "false", "true"},
    {"tie_weights", "true", "false"},
    {"dropout", "0", "0.9999999999999999"},
    {"embd_dropout", "0", "0.1"},
    {"init_std", "0.02", "5e-324"},
    {"scale_residual_init", "true", "false"},
    {"data", "", "my texts/\xC3\xA9t\xC3\xA9#1;=[x].txt"},
    {"val_data", "", "a = b.bin"},
    {"vocab", "", "\"quoted\""},
    {"vocab_size", "0", "50257"},
    {"val_fraction", "0.1", "0.3333333333333333"},
    {"data_order", "random", "sequential"},
    {"batch_size", "12", "1"},
    {"grad_accum", "1", "40"},
    {"max_iters", "5000", "0"},
    {"learning_rate", "0.001", "1.7976931348623157e+308"},
    {"min_lr", "0.0001", "6e-05"},
    {"warmup_iters", "100", "1000000000000"},
    {"lr_decay_iters", "0", "600000"},
    {"decay", "cosine", "none"},
    {"beta1", "0.9", "0"},
    {"beta2", "0.99", "0.999"},
    {"eps", "1e-08", "1e-10"},
    {"weight_decay", "0.1", "0.30000000000000004"},
    {"decay_all", "false", "true"},
    {"grad_clip", "1", "0.5"},
    {"out_dir", "out", "out/2024: a run"},
    {"init_from", "", "-"},
    {"seed", "1337", "18446744073709551615"},
    {"eval", "full", "sampled"},
    {"eval_interval", "250", "1"},
    {"eval_iters", "200", "20"},
    {"save_interval", "0", "7"},
    {"log_interval", "10", "1"},
    {"sample_tokens", "0", "200"},
    {"threads", "auto", "1024"},
    {"kernels", "auto", "avx512"},
};
enum { KEYS = sizeof keys / sizeof *keys };

START_TEST(test_keys_and_defaults_are_the_documented_ones) {
    settings s = defaults();
    char value[PATH_LENGTH];
    for (size_t i = 0; i < KEYS; i++) {
        const setting *row = settings_at(i);
        ck_assert_ptr_nonnull(row);
        settings_value(&s, row, value, sizeof value);
        ck_assert_str_eq(row->key, keys[i].key);
        ck_assert_str_eq(value, keys[i].initial);
        ck_assert_ptr_nonnull(row->help);
    }
    ck_assert_ptr_null(settings_at(KEYS));
}
END_TEST

static settings all_others(settings_given *given) {
    settings s = defaults();
    problem why;
    for (size_t i = 0; i < KEYS; i++)
        must(settings_set(&s, given, keys[i].key, keys[i].other, "here", &why), &why);
    return s;
}

START_TEST(test_every_key_comes_back_as_it_was_set) {
    settings s = defaults();
    for (size_t i = 0; i < KEYS; i++) {
        problem why;
        settings_given given = {0};
        must(settings_set(&s, &given, keys[i].key, keys[i].other, "here", &why), &why);
        ck_assert_str_eq(value_of(&s, keys[i].key), keys[i].other);
        for (size_t j = 0; j < KEYS; j++) ck_assert_int_eq(settings_was_given(&given, keys[j].key), i == j);
        must(settings_set(&s, NULL, keys[i].key, keys[i].initial, "here", &why), &why);
        settings initial = defaults();
        ck_assert_mem_eq(s.kernels, initial.kernels, sizeof "auto");
        ck_assert_str_eq(value_of(&s, keys[i].key), keys[i].initial);
    }
}
END_TEST

START_TEST(test_every_key_reaches_its_own_field) {
    settings_given given = {0};
    settings s = all_others(&given);
    ck_assert_int_eq(s.n_layer, 1000);
    ck_assert_int_eq(s.activation, GELU_TANH);
    ck_assert(s.qkv_bias && s.bias && s.head_bias && !s.tie_weights && !s.scale_residual_init && s.decay_all);
    ck_assert(s.dropout == 0x1.fffffffffffffp-1 && s.val_fraction == 1. / 3 && s.weight_decay == 0.1 + 0.2);
    ck_assert_int_eq(s.data_order, ORDER_SEQUENTIAL);
    ck_assert_int_eq(s.decay, DECAY_NONE);
    ck_assert_int_eq(s.eval, EVAL_SAMPLED);
    ck_assert_uint_eq(s.seed, UINT64_MAX);
    ck_assert_int_eq(s.threads, 1024);
    ck_assert_int_eq(defaults().threads, 0);
    for (size_t i = 0; i < KEYS; i++) ck_assert(settings_was_given(&given, keys[i].key));
    ck_assert(!settings_was_given(&given, "vocabulary"));
}
END_TEST

static void text_comes_back(const settings *s) {
    problem why;
    char *text = settings_text(s, &why);
    must(text != NULL, &why);
    settings back = defaults();
    must(read_string(&back, text, &why), &why);
    char *again = settings_text(&back, &why);
    ck_assert_str_eq(text, again);
    release(text);
    release(again);
    for (size_t i = 0; i < KEYS; i++) {
        char *value = strdup(value_of(s, keys[i].key));
        ck_assert_str_eq(value, value_of(&back, keys[i].key));
        free(value);
    }
}

START_TEST(test_text_reads_back) {
    settings usual = defaults(), other = all_others(NULL);
    text_comes_back(&usual);
    text_comes_back(&other);
}
END_TEST

START_TEST(test_long_paths_read_back) {
    settings s = defaults();
    memset(s.data, 'x', PATH_LENGTH - 1);
    memset(s.out_dir, 'y', PATH_LENGTH - 1);
    text_comes_back(&s);
}
END_TEST

START_TEST(test_text_starts_as_shown) {
    settings s = defaults();
    problem why;
    char *text = settings_text(&s, &why);
    const char *start = "# model\nn_layer = 6\nn_head = 6\n";
    ck_assert(!strncmp(text, start, strlen(start)));
    ck_assert_ptr_nonnull(strstr(text, "scale_residual_init = true\n\n# data\ndata =\nval_data =\n"));
    ck_assert_ptr_nonnull(strstr(text, "threads = auto\nkernels = auto\n"));
    release(text);
}
END_TEST

START_TEST(test_numbers_are_read_in_every_decimal_form) {
    static const struct {
        const char *key, *text, *shown;
    } forms[] = {
        {"learning_rate", "1e-3", "0.001"},
        {"learning_rate", ".001", "0.001"},
        {"learning_rate", "1E-03", "0.001"},
        {"learning_rate", "+1.e0", "1"},
        {"learning_rate", "0", "0"},
        {"eps", "1e-8", "1e-08"},
        {"beta2", "0.950", "0.95"},
        {"max_iters", "007", "7"},
        {"max_iters", "+7", "7"},
        {"max_iters", "-0", "0"},
        {"seed", "00", "0"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        settings s = defaults();
        problem why;
        must(settings_set(&s, NULL, forms[i].key, forms[i].text, "here", &why), &why);
        ck_assert_str_eq(value_of(&s, forms[i].key), forms[i].shown);
    }
}
END_TEST

/* key, value, and what the message says after the key */
static const struct {
    const char *key, *value, *message;
} refused[] = {
    {"n_layer", "0", "must be an integer from 1 to 1000, not \"0\""},
    {"n_layer", "1001", "must be an integer from 1 to 1000, not \"1001\""},
    {"n_layer", "", "must be an integer from 1 to 1000, not \"\""},
    {"n_layer", "six", "must be an integer from 1 to 1000, not \"six\""},
    {"n_layer", "6 ", "must be an integer from 1 to 1000, not \"6 \""},
    {"n_layer", " 6", "must be an integer from 1 to 1000, not \" 6\""},
    {"n_layer", "6.0", "must be an integer from 1 to 1000, not \"6.0\""},
    {"n_layer", "6e0", "must be an integer from 1 to 1000, not \"6e0\""},
    {"n_layer", "0x6", "must be an integer from 1 to 1000, not \"0x6\""},
    {"n_layer", "+-6", "must be an integer from 1 to 1000, not \"+-6\""},
    {"n_layer", "-", "must be an integer from 1 to 1000, not \"-\""},
    {"n_layer", "99999999999999999999", "must be an integer from 1 to 1000, not \"99999999999999999999\""},
    {"n_layer", "18446744073709551617", "must be an integer from 1 to 1000, not \"18446744073709551617\""},
    {"n_head", "-1", "must be an integer from 1 to 1000, not \"-1\""},
    {"n_embd", "16385", "must be an integer from 1 to 16384, not \"16385\""},
    {"block_size", "32769", "must be an integer from 1 to 32768, not \"32769\""},
    {"activation", "silu", "must be relu, gelu or gelu_tanh, not \"silu\""},
    {"activation", "GELU", "must be relu, gelu or gelu_tanh, not \"GELU\""},
    {"activation", "", "must be relu, gelu or gelu_tanh, not \"\""},
    {"qkv_bias", "yes", "must be false or true, not \"yes\""},
    {"bias", "True", "must be false or true, not \"True\""},
    {"head_bias", "1", "must be false or true, not \"1\""},
    {"tie_weights", "", "must be false or true, not \"\""},
    {"dropout", "1", "must be a number of at least 0 and below 1, not \"1\""},
    {"dropout", "-0.1", "must be a number of at least 0 and below 1, not \"-0.1\""},
    {"dropout", "nan", "must be a number of at least 0 and below 1, not \"nan\""},
    {"dropout", "0,1", "must be a number of at least 0 and below 1, not \"0,1\""},
    {"dropout", "0x1p-3", "must be a number of at least 0 and below 1, not \"0x1p-3\""},
    {"dropout", "e", "must be a number of at least 0 and below 1, not \"e\""},
    {"dropout", "1e", "must be a number of at least 0 and below 1, not \"1e\""},
    {"embd_dropout", "", "must be a number of at least 0 and below 1, not \"\""},
    {"init_std", "-1e-9", "must be a number of at least 0, not \"-1e-9\""},
    {"scale_residual_init", "no", "must be false or true, not \"no\""},
    {"data", " a",
     "must be one line without a blank at either end and without # or ; at its start or after a blank, "
     "not \" a\""},
    {"data", "a ",
     "must be one line without a blank at either end and without # or ; at its start or after a blank, "
     "not \"a \""},
    {"val_data", "a #b",
     "must be one line without a blank at either end and without # or ; at its start or after a "
     "blank, not \"a #b\""},
    {"vocab", ";",
     "must be one line without a blank at either end and without # or ; at its start or after a blank, "
     "not \";\""},
    {"init_from", "a\nb",
     "must be one line without a blank at either end and without # or ; at its start or after a "
     "blank, not \"a?b\""},
    {"vocab_size", "-1", "must be an integer from 0 to 1114112, not \"-1\""},
    {"val_fraction", "0", "must be a number above 0 and below 1, not \"0\""},
    {"val_fraction", "1", "must be a number above 0 and below 1, not \"1\""},
    {"val_fraction", "10%", "must be a number above 0 and below 1, not \"10%\""},
    {"data_order", "shuffled", "must be random or sequential, not \"shuffled\""},
    {"batch_size", "0", "must be an integer from 1 to 1048576, not \"0\""},
    {"grad_accum", "0", "must be an integer from 1 to 1048576, not \"0\""},
    {"max_iters", "-1", "must be an integer from 0 to 1000000000000, not \"-1\""},
    {"learning_rate", "-1e-3", "must be a number of at least 0, not \"-1e-3\""},
    {"learning_rate", "inf", "must be a number of at least 0, not \"inf\""},
    {"learning_rate", "1e999", "must be a number of at least 0, not \"1e999\""},
    {"learning_rate", "1e-3x", "must be a number of at least 0, not \"1e-3x\""},
    {"learning_rate", "1e-3 1", "must be a number of at least 0, not \"1e-3 1\""},
    {"min_lr", "-1", "must be a number of at least 0, not \"-1\""},
    {"warmup_iters", "-5", "must be an integer from 0 to 1000000000000, not \"-5\""},
    {"lr_decay_iters", "1e3", "must be an integer from 0 to 1000000000000, not \"1e3\""},
    {"decay", "linear", "must be cosine or none, not \"linear\""},
    {"beta1", "1", "must be a number of at least 0 and below 1, not \"1\""},
    {"beta2", "1.5", "must be a number of at least 0 and below 1, not \"1.5\""},
    {"eps", "0", "must be a number of at least 1e-37, not \"0\""},
    {"eps", "1e-999", "must be a number of at least 1e-37, not \"1e-999\""},
    {"weight_decay", "-0.1", "must be a number of at least 0, not \"-0.1\""},
    {"decay_all", "all", "must be false or true, not \"all\""},
    {"grad_clip", "-1", "must be a number of at least 0, not \"-1\""},
    {"out_dir", "", "must not be empty"},
    {"seed", "-1", "must be an integer from 0 to 18446744073709551615, not \"-1\""},
    {"seed", "18446744073709551616",
     "must be an integer from 0 to 18446744073709551615, not \"18446744073709551616\""},
    {"seed", "", "must be an integer from 0 to 18446744073709551615, not \"\""},
    {"eval", "exact", "must be full or sampled, not \"exact\""},
    {"eval_interval", "0", "must be an integer from 1 to 1000000000000, not \"0\""},
    {"eval_iters", "0", "must be an integer from 1 to 1000000000000, not \"0\""},
    {"save_interval", "-1", "must be an integer from 0 to 1000000000000, not \"-1\""},
    {"log_interval", "0", "must be an integer from 1 to 1000000000000, not \"0\""},
    {"sample_tokens", "-1", "must be an integer from 0 to 1000000000000, not \"-1\""},
    {"threads", "0", "must be auto or an integer from 1 to 1024, not \"0\""},
    {"threads", "1025", "must be auto or an integer from 1 to 1024, not \"1025\""},
    {"threads", "Auto", "must be auto or an integer from 1 to 1024, not \"Auto\""},
    {"kernels", "", "must not be empty"},
    {"kernels", "a-very-long-name", "must be at most 15 bytes long, not 16"},
};

START_TEST(test_every_bad_value_is_refused_with_its_message) {
    settings s = defaults(), before = s;
    settings_given given = {0};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        problem why;
        char expected[512];
        snprintf(expected, sizeof expected, "a.conf line 3: %s %s", refused[i].key, refused[i].message);
        bool set = settings_set(&s, &given, refused[i].key, refused[i].value, "a.conf line 3", &why);
        ck_assert_msg(!set, "%s = %s", refused[i].key, refused[i].value);
        ck_assert_str_eq(why.text, expected);
        ck_assert_int_eq(why.exit_status, 2);
    }
    ck_assert_mem_eq(&s, &before, sizeof s);
    ck_assert_uint_eq(given.bits, 0);
}
END_TEST

START_TEST(test_every_key_refuses_something) {
    for (size_t i = 0; i < KEYS; i++) {
        bool found = false;
        for (size_t j = 0; j < sizeof refused / sizeof *refused; j++)
            found |= !strcmp(keys[i].key, refused[j].key);
        ck_assert_msg(found, "no bad value of %s is tried", keys[i].key);
    }
}
END_TEST

START_TEST(test_a_path_that_is_too_long_is_refused) {
    settings s = defaults();
    problem why;
    char path[PATH_LENGTH + 1] = "";
    memset(path, 'x', PATH_LENGTH);
    ck_assert(!settings_set(&s, NULL, "data", path, "--data", &why));
    ck_assert_str_eq(why.text, "--data: data must be at most 1023 bytes long, not 1024");
}
END_TEST

START_TEST(test_an_unknown_key_names_the_nearest) {
    static const pair unknown[] = {
        {"n_layers", "n_layer"},
        {"layer", "n_layer"},
        {"N_LAYER", "n_layer"},
        {"learning-rate", "learning_rate"},
        {"lr_decay_iter", "lr_decay_iters"},
        {"batchsize", "batch_size"},
        {"seeds", "seed"},
        {"treads", "threads"},
        {"evla_interval", "eval_interval"},
        {"datta", "data"},
        {"kernel", "kernels"},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        settings s = defaults();
        problem why;
        char expected[256];
        snprintf(expected, sizeof expected, "--x: unknown key \"%s\"; the nearest is %s", unknown[i].key,
                 unknown[i].value);
        ck_assert(!settings_set(&s, NULL, unknown[i].key, "1", "--x", &why));
        ck_assert_str_eq(why.text, expected);
        ck_assert_int_eq(why.exit_status, 2);
    }
}
END_TEST

START_TEST(test_files_as_people_write_them) {
    static const struct {
        const char *text, *data;
        int64_t layers;
    } files[] = {
        {"", "", 6},
        {"\n\n", "", 6},
        {"n_layer=3", "", 3},
        {"n_layer = 3\n", "", 3},
        {"  n_layer\t=\t3  \n", "", 3},
        {"n_layer = 3\r\ndata = a b.txt\r\n", "a b.txt", 3},
        {"\xEF\xBB\xBFn_layer = 3\n", "", 3},
        {"\xEF\xBB\xBF# comment\nn_layer = 3\n", "", 3},
        {"# a comment = 5\n   # and another\nn_layer = 3 # three\n", "", 3},
        {"n_layer = 3\t# three\ndata = a#b # c # d\n", "a#b", 3},
        {"data = a\n n_layer = 3\n", "a", 3},
        {"data =\nn_layer = 3\n", "", 3},
        {"data = # nothing\nn_layer = 3\n", "", 3},
        {"data = a=b:c\nn_layer = 3\n", "a=b:c", 3},
        {"data = /a b/c  d.txt\n", "/a b/c  d.txt", 6},
        {"data = '/a b'\n", "'/a b'", 6},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        settings s = defaults();
        problem why;
        must(read_string(&s, files[i].text, &why), &why);
        ck_assert_str_eq(s.data, files[i].data);
        ck_assert_int_eq(s.n_layer, files[i].layers);
    }
}
END_TEST

START_TEST(test_bad_files_are_refused_with_file_and_line) {
    static const struct {
        const char *text, *message;
    } files[] = {
        {"n_layer = 3\nn_layer = 3\n", "t.conf line 2: n_layer is given twice"},
        {"n_layer = 3\n\n# x\nn_head = 0\n",
         "t.conf line 4: n_head must be an integer from 1 to 1000, not \"0\""},
        {"n_layer 3\n", "t.conf line 1: expected key = value"},
        {"\nn_layer 3\nn_head = 0\n", "t.conf line 2: expected key = value"},
        {"n_head = 0\nn_layer 3\n", "t.conf line 1: n_head must be an integer from 1 to 1000, not \"0\""},
        {"n_layer = 3\n  4\n", "t.conf line 2: expected key = value"},
        {"n_layer =\n", "t.conf line 1: n_layer must be an integer from 1 to 1000, not \"\""},
        {"n_layer = 3 3\n", "t.conf line 1: n_layer must be an integer from 1 to 1000, not \"3 3\""},
        {"n_layer = 3#3\n", "t.conf line 1: n_layer must be an integer from 1 to 1000, not \"3#3\""},
        {"n_layers = 3\n", "t.conf line 1: unknown key \"n_layers\"; the nearest is n_layer"},
        {"= 3\n", "t.conf line 1: expected key = value"},
        {"[model]\nn_layer = 3\n", "t.conf line 1: there are no sections such as [model]"},
        {"n_layer = 3\n []", "t.conf line 2: there are no sections such as []"},
        {"[model\n", "t.conf line 1: there are no sections such as [model"},
        {"data = a\rb\n",
         "t.conf line 1: data must be one line without a blank at either end and without # or ; at its "
         "start or after a blank, not \"a?b\""},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        settings s = defaults();
        problem why;
        ck_assert_msg(!read_string(&s, files[i].text, &why), "%s", files[i].text);
        ck_assert_str_eq(why.text, files[i].message);
        ck_assert_int_eq(why.exit_status, 2);
    }
}
END_TEST

START_TEST(test_a_line_is_never_cut) {
    settings s = defaults();
    problem why;
    char text[6000];
    for (size_t blanks = 0; blanks < 5000; blanks += 83) {
        size_t n = (size_t)snprintf(text, sizeof text, "data =%*s\nn_layer = 3\n", (int)blanks + 1, "a");
        settings_default(&s);
        if (read_bytes(&s, NULL, text, n, &why)) {
            ck_assert_str_eq(s.data, "a");
            ck_assert_int_eq(s.n_layer, 3);
        } else
            ck_assert_str_eq(why.text, "t.conf line 1: longer than 4094 bytes");
        ck_assert(blanks > 4000 || s.n_layer == 3);
    }
}
END_TEST

START_TEST(test_a_zero_byte_is_refused) {
    static const char text[] = "n_head = 6\nn_layer = 3\0n_layer = 4\n";
    settings s = defaults();
    problem why;
    ck_assert(!read_bytes(&s, NULL, text, sizeof text - 1, &why));
    ck_assert_str_eq(why.text, "t.conf line 2: holds a zero byte; expected text");
}
END_TEST

START_TEST(test_a_file_adds_to_what_was_given) {
    settings s = defaults();
    settings_given given = {0};
    problem why;
    static const char text[] = "n_layer = 3\n";
    must(settings_set(&s, &given, "n_head", "3", "--n_head", &why), &why);
    must(read_bytes(&s, &given, text, sizeof text - 1, &why), &why);
    must(read_bytes(&s, &given, text, sizeof text - 1, &why), &why); /* twice in two files is no repetition */
    ck_assert(settings_was_given(&given, "n_head") && settings_was_given(&given, "n_layer"));
    ck_assert(!settings_was_given(&given, "n_embd"));
}
END_TEST

START_TEST(test_files_that_cannot_be_read) {
    settings s = defaults();
    problem why;
    ck_assert(!settings_read(&s, NULL, "no/such.conf", &why));
    ck_assert_str_eq(why.text, "cannot read no/such.conf: No such file or directory");
    ck_assert(!settings_read(&s, NULL, "configs", &why));
    ck_assert_str_eq(why.text, "cannot read configs: Is a directory");
    ck_assert_int_eq(why.exit_status, 2);
}
END_TEST

/* Defaults and these, up to an empty key. */
static settings with(const pair *changes) {
    settings s = defaults();
    problem why;
    must(settings_set(&s, NULL, "data", "a.txt", "here", &why), &why);
    for (; changes->key; changes++)
        must(settings_set(&s, NULL, changes->key, changes->value, "here", &why), &why);
    return s;
}

START_TEST(test_settings_that_do_not_fit_together) {
    static const struct {
        pair changes[5];
        const char *message;
    } cases[] = {
        {{{"data", ""}}, "data is not set: it must name a text or a token file (.bin)"},
        {{{"n_embd", "100"}}, "n_embd 100 is not a multiple of n_head 6"},
        {{{"val_data", "b.bin"}}, "val_data needs a token file (.bin) as data, not \"a.txt\""},
        {{{"data", "a.bin"}, {"val_data", "b.txt"}}, "val_data must be a token file (.bin), not \"b.txt\""},
        {{{"vocab", "v.txt"}},
         "vocab needs a token file (.bin) as data, not \"a.txt\": a text makes its own"},
        {{{"n_head", "1"}, {"n_embd", "16384"}, {"block_size", "32768"}},
         "4 n_embd 65536 and block_size 32768 are too large together: their product must fit 31 bits"},
        {{{"max_iters", "1000000000000"}, {"batch_size", "1048576"}},
         "max_iters x grad_accum x batch_size x block_size must be below 2^63 tokens"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        settings s = with(cases[i].changes);
        problem why;
        ck_assert(!settings_check(&s, &why));
        ck_assert_str_eq(why.text, cases[i].message);
        ck_assert_int_eq(why.exit_status, 2);
    }
}
END_TEST

START_TEST(test_any_interval_warm_up_or_decay_is_legal) {
    settings s =
        with((const pair[]){{"max_iters", "0"}, {"warmup_iters", "1000"}, {"lr_decay_iters", "9"}, {0}});
    problem why;
    must(settings_check(&s, &why), &why);
    s = with((const pair[]){{"data", "a.bin"}, {"val_data", "b.bin"}, {"vocab", "v.txt"}, {0}});
    must(settings_check(&s, &why), &why);
}
END_TEST

START_TEST(test_which_keys_may_change_and_which_shape_the_model) {
    static const char may_change[] =
        " max_iters lr_decay_iters eval eval_interval eval_iters save_interval log_interval "
        "sample_tokens threads kernels data val_data vocab ";
    static const char shapes[] =
        " n_layer n_head n_embd block_size activation qkv_bias bias head_bias tie_weights ";
    for (size_t i = 0; i < KEYS; i++) {
        char word[64];
        snprintf(word, sizeof word, " %s ", keys[i].key);
        const unsigned flags = settings_find(keys[i].key)->flags;
        ck_assert_int_eq((flags & MAY_CHANGE) != 0, strstr(may_change, word) != NULL);
        ck_assert_int_eq((flags & IS_SHAPE) != 0, strstr(shapes, word) != NULL);
    }
    ck_assert_ptr_null(settings_find("x"));
}
END_TEST

static const shape gpt2 = {12, 12, 768, 1024, 50257, GELU_TANH, true, true, false, true};

START_TEST(test_shape_there_and_back) {
    settings s = defaults();
    settings_from_shape(&s, &gpt2);
    shape back = settings_shape(&s, 50257);
    ck_assert_int_eq(back.n_layer, 12);
    ck_assert_int_eq(back.n_head, 12);
    ck_assert_int_eq(back.n_embd, 768);
    ck_assert_int_eq(back.block_size, 1024);
    ck_assert_int_eq(back.vocab_size, 50257);
    ck_assert_int_eq(back.activation, GELU_TANH);
    ck_assert(back.qkv_bias && back.bias && !back.head_bias && back.tie_weights);
}
END_TEST

START_TEST(test_shapes_out_of_range) {
    problem why;
    must(shape_check(&gpt2, &why), &why);
    static const struct {
        shape s;
        const char *message;
    } cases[] = {
        {{0, 12, 768, 1024, 50257, RELU, 0, 0, 0, 0}, "n_layer must be from 1 to 1000, not 0"},
        {{12, -1, 768, 1024, 50257, RELU, 0, 0, 0, 0}, "n_head must be from 1 to 1000, not -1"},
        {{12, 12, 1 << 30, 1024, 50257, RELU, 0, 0, 0, 0}, "n_embd must be from 1 to 16384, not 1073741824"},
        {{12, 12, 768, 1 << 20, 50257, RELU, 0, 0, 0, 0}, "block_size must be from 1 to 32768, not 1048576"},
        {{12, 12, 768, 1024, 0, RELU, 0, 0, 0, 0}, "vocab_size must be from 1 to 1114112, not 0"},
        {{12, 7, 768, 1024, 50257, RELU, 0, 0, 0, 0}, "n_embd 768 is not a multiple of n_head 7"},
        {{12, 12, 768, 1024, 50257, (activation_kind)3, 0, 0, 0, 0}, "activation 3 is unknown"},
        {{12, 1, 16384, 1024, 1 << 20, RELU, 0, 0, 0, 0},
         "vocab_size 1048576 and n_embd 16384 are too large together: their product must fit 31 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert(!shape_check(&cases[i].s, &why));
        ck_assert_str_eq(why.text, cases[i].message);
    }
    ck_assert_str_eq(activation_names[RELU], "relu");
    ck_assert_str_eq(activation_names[GELU], "gelu");
    ck_assert_str_eq(activation_names[GELU_TANH], "gelu_tanh");
}
END_TEST

START_TEST(test_every_recipe_is_valid) {
    glob_t found;
    ck_assert_int_eq(glob("configs/*.conf", 0, NULL, &found), 0);
    ck_assert_uint_ge(found.gl_pathc, 5);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        settings s = defaults();
        problem why;
        must(settings_read(&s, NULL, found.gl_pathv[i], &why), &why);
        must(settings_check(&s, &why), &why);
        char out_dir[PATH_LENGTH];
        snprintf(out_dir, sizeof out_dir, "configs/%.500s.conf", s.out_dir + strlen("out/"));
        ck_assert_str_eq(out_dir, found.gl_pathv[i]);
    }
    globfree(&found);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("settings");
    tcase_add_test(cases, test_keys_and_defaults_are_the_documented_ones);
    tcase_add_test(cases, test_every_key_comes_back_as_it_was_set);
    tcase_add_test(cases, test_every_key_reaches_its_own_field);
    tcase_add_test(cases, test_text_reads_back);
    tcase_add_test(cases, test_long_paths_read_back);
    tcase_add_test(cases, test_text_starts_as_shown);
    tcase_add_test(cases, test_numbers_are_read_in_every_decimal_form);
    tcase_add_test(cases, test_every_bad_value_is_refused_with_its_message);
    tcase_add_test(cases, test_every_key_refuses_something);
    tcase_add_test(cases, test_a_path_that_is_too_long_is_refused);
    tcase_add_test(cases, test_an_unknown_key_names_the_nearest);
    tcase_add_test(cases, test_files_as_people_write_them);
    tcase_add_test(cases, test_bad_files_are_refused_with_file_and_line);
    tcase_add_test(cases, test_a_line_is_never_cut);
    tcase_add_test(cases, test_a_zero_byte_is_refused);
    tcase_add_test(cases, test_a_file_adds_to_what_was_given);
    tcase_add_test(cases, test_files_that_cannot_be_read);
    tcase_add_test(cases, test_settings_that_do_not_fit_together);
    tcase_add_test(cases, test_any_interval_warm_up_or_decay_is_legal);
    tcase_add_test(cases, test_which_keys_may_change_and_which_shape_the_model);
    tcase_add_test(cases, test_shape_there_and_back);
    tcase_add_test(cases, test_shapes_out_of_range);
    tcase_add_test(cases, test_every_recipe_is_valid);
    return suite_run(cases, "settings", 20);
}
