/* Characters to tokens and back, strict UTF-8, and the one line that each bad input gets. */
#include "memory.h"
#include "support/suite.h"
#include "tokenizer.h"
#include "utf8.h"
#include <stdio.h>
#include <string.h>

/* ---- UTF-8 ---- */

static bool is_surrogate(uint32_t code) {
    return code >= 0xD800 && code <= 0xDFFF;
}

/* Encoded, decoded, and refused where its last bytes are cut off. */
static bool goes_there_and_back(uint32_t code) {
    char bytes[4];
    size_t length = utf8_encode(code, bytes), at = 0;
    uint32_t decoded;
    if (!utf8_decode(bytes, length, &at, &decoded) || at != length || decoded != code) return false;
    for (size_t cut = 1; cut < length; cut++)
        if (at = 0, utf8_decode(bytes, cut, &at, &decoded) || at != 0) return false;
    return true;
}

START_TEST(test_every_code_point_there_and_back) {
    for (uint32_t code = 0; code < CODE_POINTS; code++)
        if (!is_surrogate(code) && !goes_there_and_back(code)) ck_abort_msg("U+%04X", code);
}
END_TEST

START_TEST(test_what_is_not_utf8) {
    static const char *const bad[] = {
        "\x80",                 /* a continuation alone */
        "\xBF",                 /* the last of them */
        "\xC0\x80",             /* overlong U+0000 */
        "\xC1\xBF",             /* overlong U+007F */
        "\xE0\x9F\xBF",         /* overlong U+07FF */
        "\xF0\x8F\xBF\xBF",     /* overlong U+FFFF */
        "\xED\xA0\x80",         /* the first surrogate */
        "\xED\xBF\xBF",         /* the last surrogate */
        "\xF4\x90\x80\x80",     /* U+110000 */
        "\xF8\x88\x80\x80\x80", /* five bytes */
        "\xF8\x90\x80\x80",     /* the same cut to four */
        "\xFE",                 /* never in UTF-8 */
        "\xFF",
        "\xC3(",         /* a character where a continuation belongs */
        "\xE2\x82(",     /* the same later */
        "\xE2(\xAC",     /* the same in the middle */
        "\xF0\x9F\x98(", /* the same at the end of four */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t at = 0;
        uint32_t code;
        ck_assert_msg(!utf8_decode(bad[i], strlen(bad[i]), &at, &code), "case %zu", i);
        ck_assert_uint_eq(at, 0);
    }
}
END_TEST

/* ---- Vocabularies ---- */

static tokenizer from_text(const char *text, size_t bytes) {
    tokenizer t;
    problem why;
    must(tokenizer_from_text(&t, text, bytes, "text", &why), &why);
    return t;
}

START_TEST(test_vocabulary_is_the_sorted_set) {
    static const char text[] = "zebra\n\xE2\x82\xAC z\xC3\xA9 \xF0\x9F\x98\x80" /* euro, e acute, a smile */;
    static const uint32_t sorted[] = {'\n', ' ', 'a', 'b', 'e', 'r', 'z', 0xE9, 0x20AC, 0x1F600};
    tokenizer t = from_text(text, sizeof text - 1);
    ck_assert_int_eq(t.vocab_size, (int)(sizeof sorted / sizeof *sorted));
    ck_assert_mem_eq(t.chars, sorted, sizeof sorted);
    for (int id = 0; id < t.vocab_size; id++) ck_assert_int_eq(t.ids[sorted[id]], id);
    ck_assert_int_eq(t.ids['c'], -1);
    tokenizer_close(&t);
}
END_TEST

START_TEST(test_zero_carriage_return_and_byte_order_mark_are_characters) {
    static const char text[] = "\xEF\xBB\xBF"
                               "a\r\n\0b";
    static const uint32_t sorted[] = {0, '\n', '\r', 'a', 'b', 0xFEFF};
    tokenizer t = from_text(text, sizeof text - 1), again;
    problem why;
    ck_assert_int_eq(t.vocab_size, 6);
    ck_assert_mem_eq(t.chars, sorted, sizeof sorted);
    size_t bytes;
    char *chars = tokenizer_chars(&t, &bytes, &why);
    ck_assert_uint_eq(bytes, 8);
    ck_assert_mem_eq(chars, "\0\n\rab\xEF\xBB\xBF", 9);
    must(tokenizer_from_chars(&again, chars, bytes, "chars", &why), &why);
    ck_assert(tokenizer_equal(&t, &again));
    release(chars);
    tokenizer_close(&t);
    tokenizer_close(&again);
}
END_TEST

START_TEST(test_given_characters_keep_their_order) {
    tokenizer t, copy;
    problem why;
    must(tokenizer_from_chars(&t, "za\xC3\xA9", 4, "vocab", &why), &why);
    ck_assert_int_eq(t.vocab_size, 3);
    ck_assert_int_eq(t.ids['z'], 0);
    ck_assert_int_eq(t.ids['a'], 1);
    ck_assert_int_eq(t.ids[0xE9], 2);
    must(tokenizer_copy(&copy, &t, &why), &why);
    ck_assert(tokenizer_equal(&t, &copy));
    ck_assert_int_eq(copy.ids[0xE9], 2);
    tokenizer_close(&t);
    tokenizer_close(&copy);
}
END_TEST

START_TEST(test_equality) {
    tokenizer abc = from_text("abc", 3), abd = from_text("abd", 3), ab = from_text("ab", 2), three, copy;
    problem why;
    ck_assert(tokenizer_from_ids(&three, 3));
    must(tokenizer_copy(&copy, &three, &why), &why);
    ck_assert(tokenizer_equal(&abc, &abc));
    ck_assert(tokenizer_equal(&three, &copy));
    ck_assert(!tokenizer_equal(&abc, &abd));
    ck_assert(!tokenizer_equal(&abc, &ab));
    ck_assert(!tokenizer_equal(&abc, &three));
    ck_assert(!tokenizer_equal(&three, &abc));
    ck_assert(!tokenizer_from_ids(&three, 0));
    tokenizer_close(&abc);
    tokenizer_close(&abd);
    tokenizer_close(&ab);
}
END_TEST

static void refuses_vocabulary(const char *chars, size_t bytes, bool sorted, const char *message) {
    tokenizer t;
    problem why;
    bool ok = sorted ? tokenizer_from_text(&t, chars, bytes, "F", &why)
                     : tokenizer_from_chars(&t, chars, bytes, "F", &why);
    ck_assert(!ok);
    ck_assert_int_eq(why.exit_status, 2);
    ck_assert_str_eq(why.text, message);
    ck_assert_ptr_null(t.chars);
    ck_assert_ptr_null(t.ids);
}

START_TEST(test_refused_vocabularies) {
    refuses_vocabulary("", 0, true, "F: no characters; expected at least one");
    refuses_vocabulary("", 0, false, "F: no characters; expected at least one");
    refuses_vocabulary("ab\xFF", 3, true,
                       "F: the byte 0xff at byte offset 2 is not UTF-8; expected UTF-8 text");
    refuses_vocabulary("a\xC3\xA9\xE2\x82", 5, false,
                       "F: the byte 0xe2 at byte offset 3 is not UTF-8; expected UTF-8 text");
    refuses_vocabulary("\xC3\xA9xx", 4, false,
                       "F: the character U+0078 at byte offset 3 is there twice; expected each once");
}
END_TEST

/* ---- Text and tokens ---- */

START_TEST(test_encoding_and_back) {
    static const char text[] = "na\xC3\xAFve\n";
    static const int32_t expected[] = {3, 1, 5, 4, 2, 0};
    tokenizer t = from_text(text, sizeof text - 1);
    int32_t *tokens;
    size_t count, length = 0;
    char back[16 * 6];
    problem why;
    must(tokenizer_encode(&t, text, sizeof text - 1, "text", &tokens, &count, &why), &why);
    ck_assert_uint_eq(count, 6);
    ck_assert_mem_eq(tokens, expected, sizeof expected);
    for (size_t i = 0; i < count; i++) length += tokenizer_text(&t, tokens[i], back + length);
    ck_assert_str_eq(back, text);
    release(tokens);
    tokenizer_close(&t);
}
END_TEST

START_TEST(test_empty_text_is_no_tokens) {
    tokenizer t = from_text("a", 1);
    int32_t *tokens;
    size_t count = 1;
    problem why;
    must(tokenizer_encode(&t, "", 0, "prompt", &tokens, &count, &why), &why);
    ck_assert_uint_eq(count, 0);
    release(tokens);
    tokenizer_close(&t);
}
END_TEST

static void refuses_text(const tokenizer *t, const char *text, size_t bytes, const char *message) {
    int32_t *tokens;
    size_t count;
    problem why;
    ck_assert(!tokenizer_encode(t, text, bytes, "prompt", &tokens, &count, &why));
    ck_assert_int_eq(why.exit_status, 2);
    ck_assert_str_eq(why.text, message);
    ck_assert_ptr_null(tokens);
}

START_TEST(test_refused_texts) {
    tokenizer t = from_text("ab\xC3\xA9", 4), ids;
    ck_assert(tokenizer_from_ids(&ids, 4));
    refuses_text(
        &t, "abc", 3,
        "prompt: the character U+0063 'c' at byte offset 2 is not among the vocabulary's 3 characters");
    refuses_text(&t, "\xC3\xA9\xE2\x82\xAC", 5,
                 "prompt: the character U+20AC '\xE2\x82\xAC' at byte offset 2 is not among the vocabulary's "
                 "3 characters");
    refuses_text(&t, "a\tb", 3,
                 "prompt: the character U+0009 at byte offset 1 is not among the vocabulary's 3 characters");
    refuses_text(&t, "\x7F", 1,
                 "prompt: the character U+007F at byte offset 0 is not among the vocabulary's 3 characters");
    refuses_text(&t, "\xC2\x9B", 2,
                 "prompt: the character U+009B at byte offset 0 is not among the vocabulary's 3 characters");
    refuses_text(&t, "ab\x80", 3, "prompt: the byte 0x80 at byte offset 2 is not UTF-8; expected UTF-8 text");
    refuses_text(&ids, "ab", 2, "prompt: text where the vocabulary has ids only; expected token ids");
    tokenizer_close(&t);
}
END_TEST

/* ---- Lists of ids ---- */

static size_t parse(const char *list, int32_t *tokens) {
    tokenizer t;
    int32_t *parsed;
    size_t count;
    problem why;
    ck_assert(tokenizer_from_ids(&t, 50257));
    must(tokenizer_parse_ids(&t, list, &parsed, &count, &why), &why);
    memcpy(tokens, parsed, count * sizeof *tokens);
    release(parsed);
    return count;
}

START_TEST(test_lists_of_ids) {
    static const char *const lists[] = {"0,7,50256", "0,7,50256,", " 0 ,\t7, 50256\n", "00,07,050256,\n"};
    static const int32_t expected[] = {0, 7, 50256};
    int32_t tokens[8];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ck_assert_uint_eq(parse(lists[i], tokens), 3);
        ck_assert_mem_eq(tokens, expected, sizeof expected);
    }
    ck_assert_uint_eq(parse("", tokens), 0);
    ck_assert_uint_eq(parse(" \n", tokens), 0);
    ck_assert_uint_eq(parse("1,2,3,4,5,6,7,8", tokens), 8);
}
END_TEST

START_TEST(test_ids_as_text) {
    tokenizer t;
    char text[16];
    ck_assert(tokenizer_from_ids(&t, 2147483647));
    ck_assert_uint_eq(tokenizer_text(&t, 0, text), 2);
    ck_assert_str_eq(text, "0,");
    ck_assert_uint_eq(tokenizer_text(&t, 2147483646, text), 11);
    ck_assert_str_eq(text, "2147483646,");
}
END_TEST

START_TEST(test_refused_lists) {
    static const struct {
        const char *list, *value;
        int offset;
    } cases[] = {
        {"x", "x", 0},
        {"1,,2", "", 2},
        {",1", "", 0},
        {"1,-2", "-2", 2},
        {"1,+2", "+2", 2},
        {"1, 65", "65", 3},
        {"99999999999999999999999", "99999999999999999999999", 0},
        {"1 2,3", "1 2", 0},
        {"1,2.5", "2.5", 2},
        {"0x1", "0x1", 0},
        {"1;2", "1;2", 0},
        {"1,2345678901234567890123456789012345678901234567890", "2345678901234567890123456789012345678901",
         2},
    };
    tokenizer t;
    ck_assert(tokenizer_from_ids(&t, 65));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[256];
        int32_t *tokens;
        size_t count;
        problem why;
        snprintf(message, sizeof message,
                 "--tokens: \"%s\" at byte offset %d is not a token id; expected whole numbers from 0 to 64 "
                 "with commas between them",
                 cases[i].value, cases[i].offset);
        ck_assert(!tokenizer_parse_ids(&t, cases[i].list, &tokens, &count, &why));
        ck_assert_int_eq(why.exit_status, 2);
        ck_assert_str_eq(why.text, message);
        ck_assert_ptr_null(tokens);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("tokenizer");
    tcase_add_test(cases, test_every_code_point_there_and_back);
    tcase_add_test(cases, test_what_is_not_utf8);
    tcase_add_test(cases, test_vocabulary_is_the_sorted_set);
    tcase_add_test(cases, test_zero_carriage_return_and_byte_order_mark_are_characters);
    tcase_add_test(cases, test_given_characters_keep_their_order);
    tcase_add_test(cases, test_equality);
    tcase_add_test(cases, test_refused_vocabularies);
    tcase_add_test(cases, test_encoding_and_back);
    tcase_add_test(cases, test_empty_text_is_no_tokens);
    tcase_add_test(cases, test_refused_texts);
    tcase_add_test(cases, test_lists_of_ids);
    tcase_add_test(cases, test_ids_as_text);
    tcase_add_test(cases, test_refused_lists);
    return suite_run(cases, "tokenizer", 20);
}
