/* Error messages: prefixes, truncation, and text from outside the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void a_place_comes_in_front_and_nobody_need_listen(void **state)
{
    (void)state;
    struct error error;
    assert_false(error_set(&error, "%s: %d", "key", 5));
    assert_false(error_prefix(&error, "file:%d: ", 3));
    assert_string_equal(error.text, "file:3: key: 5");
    assert_false(error_set(NULL, "nobody listens"));
    assert_false(error_prefix(NULL, "nobody listens"));
}

/* Fills a message with LETTER, after some bytes that shift it. Only complete characters remain, and
 * as many as fit. */
static void assert_cut_between(const char *letter)
{
    struct error error;
    size_t width = strlen(letter), room = sizeof error.text - 1;
    for (size_t shift = 0; shift < 4; shift++) {
        char text[2 * sizeof error.text] = "";
        memset(text, '.', shift);
        for (size_t at = shift; at + width < sizeof text; at += width)
            memcpy(text + at, letter, width + 1);
        error_set(&error, "%s", text);
        char *gap = strstr(error.text, " [...] ");
        assert_non_null(gap);
        size_t head = (size_t)(gap - error.text), tail = strlen(gap + 7);
        assert_true(head + 7 + tail <= room && head + 7 + tail + 2 * width > room);
        assert_memory_equal(error.text, text, head);
        assert_int_equal((head - shift) % width, 0);
        assert_int_equal(tail % width, 0);
        assert_string_equal(gap + 7, text + strlen(text) - tail);
    }
}

static void what_fits_is_not_cut(void **state)
{
    (void)state;
    struct error error;
    char text[sizeof error.text + 1];
    memset(text, 'a', sizeof text);
    text[sizeof text - 2] = '\0';
    error_set(&error, "%s", text);
    assert_string_equal(error.text, text);
    error_set(&error, "%sa", text);
    assert_non_null(strstr(error.text, "aa [...] aa"));
}

static void the_reason_and_the_remedy_stay_after_the_longest_paths(void **state)
{
    (void)state;
    struct error error;
    char path[4096];
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    error_environment(&error, "%s and %s: No such file", path, path);
    assert_true(error.is_environment);
    assert_string_equal(error.text + strlen(error.text) - 16, "pp: No such file");
    error_set(&error, "x_m: 'a' is not a number");
    error_prefix(&error, "%s:1: ", path);
    assert_string_equal(error.text + strlen(error.text) - 29, "p:1: x_m: 'a' is not a number");
}

/* Even if the place in front is longer than any that ptybot knows. */
static void the_reason_stays_after_a_place_without_an_end(void **state)
{
    (void)state;
    struct error error;
    char place[20000], reason[sizeof error.text];
    memset(place, 'p', sizeof place);
    memset(reason, 'r', sizeof reason);
    place[sizeof place - 1] = reason[sizeof reason - 1] = '\0';
    error_set(&error, "%s", reason);
    error_prefix(&error, "%s", place);
    char *gap = strstr(error.text, " [...] ");
    assert_non_null(gap);
    assert_int_equal(strspn(error.text, "p"), gap - error.text);
    assert_int_equal(strspn(gap + 7, "r"), strlen(gap + 7));
    assert_in_range(strlen(error.text), sizeof error.text - 4, sizeof error.text - 1);
}

static void a_long_sentence_is_cut_between_characters(void **state)
{
    (void)state;
    static const char *const letters[] = {"a",
                                          "\xc2\xa0",
                                          "\xdf\xbf",
                                          "\xe0\xa0\x80",
                                          "\xef\xbf\xbd",
                                          "\xf0\x9f\xa4\x96",
                                          "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        assert_cut_between(letters[i]);
}

static void half_a_character_of_others_is_shown_as_a_question_mark(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, "%s", "caf\xc3");
    assert_string_equal(error.text, "caf?");
    char text[sizeof error.text - 1]; // one byte less than fits
    memset(text, 'a', sizeof text);
    memcpy(text + sizeof text - 2, "\xe2", 2);
    error_set(&error, "%s", text);
    assert_int_equal(strlen(error.text), sizeof text - 1);
    assert_int_equal(error.text[sizeof text - 2], '?');
    char parts[2 * sizeof error.text]; // never the first byte of a character
    memset(parts, 0x80, sizeof parts);
    parts[sizeof parts - 1] = '\0';
    error_set(&error, "%s", parts);
    assert_string_equal(error.text, " [...] ");
}

static void whose_fault_it_is_stays_with_the_sentence(void **state)
{
    (void)state;
    struct error error;
    assert_false(error_environment(&error, "no room for %d robots", 7));
    assert_true(error.is_environment);
    assert_string_equal(error.text, "no room for 7 robots");
    error_prefix(&error, "%s: ", "scene.yaml");
    assert_true(error.is_environment);
    assert_string_equal(error.text, "scene.yaml: no room for 7 robots");
    error_set(&error, "speed: too fast");
    assert_false(error.is_environment);
    assert_false(error_environment(NULL, "nobody listens"));
}

static void what_a_terminal_would_obey_is_shown_as_a_question_mark(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, "'%s' is no name", "a\x1b[2J\nb\x7f\xc2\x9b\xff\xc3\xa9");
    assert_string_equal(error.text, "'a?[2J?b???\xc3\xa9' is no name");
    error_prefix(&error, "%s: ", "\x07");
    assert_string_equal(error.text, "?: 'a?[2J?b???\xc3\xa9' is no name");
    error_set(&error, "a\n  b\n c\n");
    assert_string_equal(error.text, "a\n  b? c?");
    /* Commands of continuous integration systems. */
    error_set(&error, "%s", "a\n  ::error::b\n   ##[error]c\n  ");
    assert_string_equal(error.text, "a?  ::error::b?   ##[error]c?  ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_comes_in_front_and_nobody_need_listen),
        cmocka_unit_test(a_long_sentence_is_cut_between_characters),
        cmocka_unit_test(what_fits_is_not_cut),
        cmocka_unit_test(the_reason_and_the_remedy_stay_after_the_longest_paths),
        cmocka_unit_test(the_reason_stays_after_a_place_without_an_end),
        cmocka_unit_test(half_a_character_of_others_is_shown_as_a_question_mark),
        cmocka_unit_test(whose_fault_it_is_stays_with_the_sentence),
        cmocka_unit_test(what_a_terminal_would_obey_is_shown_as_a_question_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
