/* Text in messages: quotes, carets under a place, and suggestions for misspelled words. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/text.h"

#define ROBOT "\xf0\x9f\xa4\x96" /* one character of four bytes */
#define EURO  "\xe2\x82\xac"     /* of three */
#define ACUTE "\xc3\xa9"         /* of two */

static void a_character_is_as_long_as_unicode_says(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } rows[] = {
        {"", 1},
        {"a", 1},
        {"\x7f", 1},
        {ACUTE, 2},
        {"\xc2\x80", 2}, // the first and the last of each length, and the values next to them
        {"\xc1\xbf", 0},
        {"\xc2\x7f", 0},
        {"\xdf\xbf", 2},
        {"\xc3\xc0", 0},
        {EURO, 3},
        {"\xe0\xa0\x80", 3},
        {"\xe0\x9f\xbf", 0},
        {"\xec\x80\x80", 3},
        {"\xed\x9f\xbf", 3},
        {"\xed\xa0\x80", 0}, // a surrogate
        {"\xee\xbf\xbf", 3},
        {"\xef\xbf\xbf", 3},
        {"\xe2\x82", 0},
        {"\xe2\x82\x41", 0},
        {ROBOT, 4},
        {"\xf0\x90\x80\x80", 4},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf3\xbf\xbf\xbf", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\xf4\x90\x80\x80", 0}, // above U+10FFFF
        {"\xf5\x80\x80\x80", 0},
        {"\xf0\x9f\xa4", 0},
        {"\x80", 0},
        {"\xff", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(text_character(rows[i].text), rows[i].size);
}

static void the_first_control_character_is_found(void **state)
{
    (void)state;
    assert_int_equal(text_control("plain " ACUTE EURO ROBOT "~", 16), -1);
    assert_int_equal(text_control("a\x1b\x07", 3), 0x1b);
    assert_int_equal(text_control("a\x1f", 2), 0x1f);
    assert_int_equal(text_control(" ", 1), -1);
    assert_int_equal(text_control("a\x7f", 2), 0x7f);
    assert_int_equal(text_control("a\xc2\x9f", 3), 0x9f);
    assert_int_equal(text_control("a\xc2\xa0", 3), -1); // a no-break space
    assert_int_equal(text_control("\xc2\x9f", 1), -1);  // bytes after the text are ignored
    assert_int_equal(text_control("a\n", 1), -1);
    assert_int_equal(text_control("\0", 1), 0);
}

static void assert_quoted(const char *text, size_t size, const char *expected)
{
    char quote[64];
    memset(quote, '#', sizeof quote);
    assert_string_equal(text_quote(text, quote, size), expected);
    for (size_t i = size; i < sizeof quote; i++)
        assert_int_equal(quote[i], '#');
}

static void a_quote_is_safe_to_print(void **state)
{
    (void)state;
    assert_quoted("", 8, "");
    assert_quoted("a\tb\xff\x1b[m" ACUTE EURO ROBOT, 64, "a?b??[m" ACUTE EURO ROBOT);
    assert_quoted("\xc2\x9b", 8, "?");
}

static void what_does_not_fit_into_a_quote_becomes_dots(void **state)
{
    (void)state;
    assert_quoted("abcd", 8, "abcd");
    assert_quoted("abcde", 8, "abcd...");
    assert_quoted("abc" ACUTE, 8, "abc...");
    assert_quoted("ab" ACUTE, 8, "ab" ACUTE);
    assert_quoted("abcdefgh", 4, "...");
}

static void a_caret_stands_under_the_place(void **state)
{
    (void)state;
    char out[TEXT_CARET_SIZE];
    assert_string_equal(text_caret("speed: fast", 7, out), "\n  speed: fast\n         ^");
    assert_string_equal(text_caret("abc", 0, out), "\n  abc\n  ^");
    assert_string_equal(text_caret("abc", 3, out), "\n  abc\n     ^");
    // Columns are counted, not bytes. A control character of a terminal is one column, too.
    assert_string_equal(text_caret(ACUTE "\x1b" ROBOT "\xff!", 8, out),
                        "\n  " ACUTE "?" ROBOT "?!\n      ^");
}

static void of_a_long_line_what_is_around_the_place_is_shown(void **state)
{
    (void)state;
    char text[201] = "", out[TEXT_CARET_SIZE], expected[TEXT_CARET_SIZE];
    for (size_t i = 0; i < 200; i++)
        text[i] = (char)('a' + i % 26);
    snprintf(expected, sizeof expected, "\n  %.72s\n  %40s^", text, "");
    assert_string_equal(text_caret(text, 40, out), expected);
    snprintf(expected, sizeof expected, "\n  %.72s\n  %40s^", text + 60, "");
    assert_string_equal(text_caret(text, 100, out), expected);

    // The extract does not begin in the middle of a character.
    char wide[401] = "";
    for (size_t i = 0; i < 100; i++)
        memcpy(wide + 4 * i, ROBOT, sizeof ROBOT);
    for (size_t place = 41; place <= 43; place++) {
        text_caret(wide, place, out);
        assert_memory_equal(out, "\n  " ROBOT, 7);
        char *second = strchr(out + 3, '\n');
        assert_int_equal(second - (out + 3), 4 * 72);
        assert_string_equal(second, "\n            ^");
    }
}

static void assert_distance(const char *word, const char *candidate, int expected)
{
    assert_int_equal(text_distance(word, candidate), expected);
}

static void each_slip_of_the_finger_counts_one(void **state)
{
    (void)state;
    assert_distance("heading", "heading", 0);
    assert_distance("HeadIng", "heading", 0);
    assert_distance("headin", "heading", 1);
    assert_distance("headingg", "heading", 1);
    assert_distance("heaxing", "heading", 1);
    assert_distance("haeding", "heading", 1);
    assert_distance("haedign", "heading", 2);
    assert_distance("aheading", "heading", 1);
    assert_distance("eading", "heading", 1);
    assert_distance("positoin_x", "position_m", 2);
    assert_distance("xhexdigg", "heading", TEXT_DISTANCE_FAR);
    assert_distance("", "", 0);
    assert_distance("AaZz", "aAzZ", 0);
    // The longest word that is compared: two letters are missing, and one is added at the end.
    assert_distance("cdefghijklmnopqrstuvwxyz0123456789!#$&()*+,-./[]", // 48
                    "abcdefghijklmnopqrstuvwxyz0123456789!#$&()*+,-./", 4);
    assert_distance("cdefghijklmnopqrstuvwxyz0123456789!#$&()*+,-./[",
                    "abcdefghijklmnopqrstuvwxyz0123456789!#$&()*+,-./", 3);
}

/* Each word is a block of memory, so that the sanitizer sees a read outside. */
static void letters_beside_a_word_do_not_count(void **state)
{
    (void)state;
    static const char *const words[][2] = {{"b", "bab"}, {"ab", "ba"}, {"bab", "b"}, {"a", "aa"}};
    static const int expected[] = {TEXT_DISTANCE_FAR, 1, TEXT_DISTANCE_FAR, TEXT_DISTANCE_FAR};
    for (size_t i = 0; i < COUNT(words); i++) {
        char *word = strdup(words[i][0]), *candidate = strdup(words[i][1]);
        int distance = text_distance(word, candidate);
        assert_true(expected[i] == TEXT_DISTANCE_FAR ? distance > 48 : distance == expected[i]);
        free(word);
        free(candidate);
    }
}

/* The same for words that are a part of a text, after another comparison. */
static void an_earlier_comparison_does_not_count(void **state)
{
    (void)state;
    static const char equal[] = "abcdefghijklmnopqrstuvwxyz0123456789!#$&()*+,-./"; // 48
    text_distance("ab", "ab");
    int inserted = text_distance(&"zcdefghijklmnoprstuvwy"[1], "pqczdefghijklmnoprstuvwy");
    text_distance(equal, equal);
    int deleted = text_distance("xbydefghij", &"ybdefghij"[1]);
    assert_int_equal(inserted, 3);
    assert_int_equal(deleted, 2);
}

static void what_is_too_far_was_not_meant(void **state)
{
    (void)state;
    assert_distance("ab", "ac", 1); // one slip in two letters
    assert_distance("ab", "cd", TEXT_DISTANCE_FAR);
    assert_distance("a", "b", TEXT_DISTANCE_FAR); // no letter is equal
    assert_distance("z", "az", TEXT_DISTANCE_FAR);
    assert_distance("abcde", "abcxy", 2);
    assert_distance("abcd", "abxy", TEXT_DISTANCE_FAR);
    assert_distance("abcdef", "abcdxy", 2);
    assert_distance("abcdef", "abcxyz", TEXT_DISTANCE_FAR);
    assert_distance("abcdefghi", "abcdefxyz", 3);
    assert_distance("abcdef", "abcd", 2); // the longer word determines the allowed number
    assert_distance("abcd", "abcdef", 2);
    assert_distance("aaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                    TEXT_DISTANCE_FAR);
}

static void the_beginning_of_a_word_is_farther_than_any_slip(void **state)
{
    (void)state;
    int beginning = text_distance("batt", "battery_voltage");
    assert_true(beginning < TEXT_DISTANCE_FAR);
    assert_true(beginning > 48); // as many slips as the function counts
    assert_distance("b", "battery_voltage", beginning);
    assert_distance("BATT", "battery_voltage", beginning);
    assert_distance("", "battery_voltage", TEXT_DISTANCE_FAR);
    assert_distance("v1", "1.0.0", beginning);
    assert_distance("V1.0", "1.0.0", beginning);
    assert_distance("v", "1.0.0", TEXT_DISTANCE_FAR);
    assert_distance("v9", "9.0.0", beginning);
    assert_distance("v0", "0.9.0", beginning);
    assert_distance("x1", "1.0.0", TEXT_DISTANCE_FAR);
    assert_distance("volt", "voltage_v", beginning);
    assert_distance("va", "a1234567", TEXT_DISTANCE_FAR);
}

static void the_nearest_word_is_the_first_of_the_nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"left_speed", "right_speed", "left_spee", NULL};
    static const char *const none[] = {NULL};
    assert_string_equal(text_nearest(words, "left_sped"), "left_speed");
    assert_string_equal(text_nearest(words, "rihgt_speed"), "right_speed");
    assert_null(text_nearest(words, "battery"));
    assert_null(text_nearest(none, "battery"));
}

static void advice_names_what_was_meant_and_what_is_allowed(void **state)
{
    (void)state;
    static const char *const words[] = {"idle", "auto", NULL};
    static const char *const none[] = {NULL};
    char advice[TEXT_ADVICE_SIZE];
    assert_string_equal(text_advice(words, "atuo", advice),
                        "did you mean 'auto'? allowed: idle, auto");
    assert_string_equal(text_advice(words, "speed", advice), "allowed: idle, auto");
    assert_string_equal(text_advice(words, NULL, advice), "allowed: idle, auto");
    assert_string_equal(text_advice(none, "speed", advice), "allowed: ");
}

static void a_list_that_does_not_fit_ends_in_dots(void **state)
{
    (void)state;
    char lists[TEXT_WORDS_MAX][8], advice[TEXT_ADVICE_SIZE], whole[1024];
    const char *words[TEXT_WORDS_MAX];
    for (size_t many = 1; many < TEXT_WORDS_MAX - 1; many++) {
        size_t used = (size_t)snprintf(whole, sizeof whole, "allowed: ");
        for (size_t i = 0; i < many; i++) {
            snprintf(lists[i], sizeof lists[i], "w%04zu", i);
            words[i] = lists[i];
            used += (size_t)snprintf(whole + used, sizeof whole - used, "%s%s", i ? ", " : "",
                                     words[i]);
        }
        words[many] = NULL;
        text_advice(words, NULL, advice);
        if (used + sizeof ", ..." <= TEXT_ADVICE_SIZE) { // room for the dots as well
            assert_string_equal(advice, whole);
            continue;
        }
        size_t size = strlen(advice);
        assert_in_range(size, TEXT_ADVICE_SIZE - 16, TEXT_ADVICE_SIZE - 1);
        assert_string_equal(advice + size - 5, ", ...");
        assert_memory_equal(advice, whole, size - 5);
        assert_true(whole[size - 5] == ','); // whole words only
    }
}

static void a_word_is_left_out_only_where_it_does_not_fit(void **state)
{
    (void)state;
    enum { ROOM = TEXT_ADVICE_SIZE - (int)sizeof "allowed: , ..." };
    char word[ROOM + 2], advice[TEXT_ADVICE_SIZE];
    const char *const words[] = {word, NULL};
    memset(word, 'a', sizeof word);
    word[ROOM + 1] = '\0';
    assert_string_equal(text_advice(words, NULL, advice), "allowed: ...");
    word[ROOM] = '\0';
    assert_string_equal(text_advice(words, NULL, advice) + strlen("allowed: "), word);
}

static void what_is_appended_follows_a_separator_and_is_cut_at_the_end(void **state)
{
    (void)state;
    char text[12] = "";
    assert_true(text_add(text, sizeof text, ", ", "%d", 12));
    assert_string_equal(text, "12");
    assert_true(text_add(text, sizeof text, ", ", "%s", "345"));
    assert_string_equal(text, "12, 345");
    assert_true(text_add(text, sizeof text, "", "%s", "6789"));
    assert_string_equal(text, "12, 3456789");
    assert_false(text_add(text, sizeof text, "", "%s", "0"));
    assert_string_equal(text, "12, 3456789");
    assert_true(text_add(text, sizeof text, "", "%s", "")); // nothing is cut
    assert_false(text_add(text, sizeof text, ", ", "%s", ""));
    assert_string_equal(text, "12, 3456789");
    strcpy(text, "12, 34567");
    assert_false(text_add(text, sizeof text, "; ", "%s", "8")); // no room behind the separator
    strcpy(text, "12, 3456");
    assert_false(text_add(text, sizeof text, ", ", "%s", "78"));
    assert_string_equal(text, "12, 3456, 7");
    strcpy(text, "1");
    assert_true(text_add(text, sizeof text, "%d%%", "%s", "%d"));
    assert_string_equal(text, "1%d%%%d");
}

static void the_name_of_a_file_has_no_folder_and_no_ending(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name;
        size_t size;
    } rows[] = {{"scenes/two.rooms.yaml", "two.rooms.yaml", 9},
                {"kobuki", "kobuki", 6},
                {"/x.yaml", "x.yaml", 1},
                {"a.b/.yaml", ".yaml", 5},
                {"a.b/", "", 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t size;
        assert_string_equal(text_stem(rows[i].path, &size), rows[i].name);
        assert_int_equal(size, rows[i].size);
    }
}

static void bytes_are_two_digits_each_and_back(void **state)
{
    (void)state;
    char text[] = "########";
    assert_int_equal(text_hex((const uint8_t[]){0x00, 0x9a, 0xff}, 3, text), 6);
    assert_string_equal(text, "009aff##");
    assert_int_equal(text_hex_digit('0'), 0);
    assert_int_equal(text_hex_digit('9'), 9);
    assert_int_equal(text_hex_digit('a'), 10);
    assert_int_equal(text_hex_digit('F'), 15);
    for (const char *none = "g/:@G` "; *none; none++)
        assert_int_equal(text_hex_digit(*none), -1);
    assert_int_equal(text_hex_digit('\0'), -1);
}

static void a_question_and_a_remedy_end_a_message(void **state)
{
    (void)state;
    char out[TEXT_ADVICE_SIZE];
    memset(out, '#', sizeof out);
    assert_string_equal(text_meant(NULL, NULL, out), "");
    assert_string_equal(text_meant("a%d", NULL, out), "; did you mean 'a%d'?");
    assert_string_equal(text_meant(NULL, "use 5 %d", out), "; use 5 %d");
    assert_string_equal(text_meant("b", "use 5 %d", out), "; did you mean 'b'? use 5 %d");
}

static void names_are_lower_case_and_begin_with_a_letter(void **state)
{
    (void)state;
    static const char *const good[] = {
        "a", "z", "kobuki", "m_2", "z9_", "abcdefghijklmnopqrstuvwxyz_0123456789", "a_______aaaaa"};
    static const char *const bad[] = {"",    "A",   "0",     "9a",  "_a",   "aB", "a-b",
                                      "a b", "a.b", "a\xc3", "{a}", "`a",   "a{", "a/",
                                      "a:",  " a",  "a ",    "Za",  "\xe1", "zZ", "a\n"};
    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(text_is_name(good[i]));
    for (size_t i = 0; i < COUNT(bad); i++)
        if (text_is_name(bad[i]))
            fail_msg("'%s' is a name", bad[i]);
}

static void assert_guarded(const char *from, const char *to)
{
    char text[64];
    snprintf(text, sizeof text, "%s", from);
    text_guard(text);
    assert_string_equal(text, to);
}

static void only_a_caret_has_lines_of_its_own(void **state)
{
    (void)state;
    assert_guarded("a\n  speed: x\n         ^", "a\n  speed: x\n         ^");
    assert_guarded("a\n speed\nb\n", "a? speed?b?");
    assert_guarded("a\n  ::error::b", "a?  ::error::b");
    assert_guarded("a\n      ::error::b", "a?      ::error::b");
    assert_guarded("a\n      ##[error]b", "a?      ##[error]b");
    assert_guarded("a\n  b: :\n  c #", "a\n  b: :\n  c #");
    assert_guarded("a\n  \n", "a\n  ?");
    assert_guarded("\xff" ACUTE "\x1b[m\x80" EURO "\xe2\x82", "?" ACUTE "?[m?" EURO "??");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_character_is_as_long_as_unicode_says),
        cmocka_unit_test(the_first_control_character_is_found),
        cmocka_unit_test(a_quote_is_safe_to_print),
        cmocka_unit_test(what_does_not_fit_into_a_quote_becomes_dots),
        cmocka_unit_test(a_caret_stands_under_the_place),
        cmocka_unit_test(of_a_long_line_what_is_around_the_place_is_shown),
        cmocka_unit_test(each_slip_of_the_finger_counts_one),
        cmocka_unit_test(letters_beside_a_word_do_not_count),
        cmocka_unit_test(an_earlier_comparison_does_not_count),
        cmocka_unit_test(what_is_too_far_was_not_meant),
        cmocka_unit_test(the_beginning_of_a_word_is_farther_than_any_slip),
        cmocka_unit_test(the_nearest_word_is_the_first_of_the_nearest),
        cmocka_unit_test(advice_names_what_was_meant_and_what_is_allowed),
        cmocka_unit_test(what_is_appended_follows_a_separator_and_is_cut_at_the_end),
        cmocka_unit_test(the_name_of_a_file_has_no_folder_and_no_ending),
        cmocka_unit_test(a_list_that_does_not_fit_ends_in_dots),
        cmocka_unit_test(bytes_are_two_digits_each_and_back),
        cmocka_unit_test(a_word_is_left_out_only_where_it_does_not_fit),
        cmocka_unit_test(a_question_and_a_remedy_end_a_message),
        cmocka_unit_test(names_are_lower_case_and_begin_with_a_letter),
        cmocka_unit_test(only_a_caret_has_lines_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
