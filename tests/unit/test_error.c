/* Sentences about the outside world. */
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

static void a_long_sentence_is_cut_between_characters(void **state)
{
    (void)state;
    struct error error;
    char text[2000];
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', shift);
        for (size_t at = shift; at + 5 < sizeof text; at += 4)
            memcpy(text + at, "\xf0\x9f\xa4\x96", 5);
        error_set(&error, "%s", text);
        size_t length = strlen(error.text);
        assert_true(length < sizeof error.text && length > sizeof error.text - 5);
        assert_int_equal((length - shift) % 4, 0);
    }
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_comes_in_front_and_nobody_need_listen),
        cmocka_unit_test(a_long_sentence_is_cut_between_characters),
        cmocka_unit_test(what_a_terminal_would_obey_is_shown_as_a_question_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
