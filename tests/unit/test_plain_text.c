/* Output of hosts, made suitable for a terminal and a report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void assert_cleans(const char *from, size_t size, const char *to)
{
    char *text = malloc(size + 1); // so that the sanitizer sees a byte too far
    memcpy(text, from, size);
    text[size] = '1'; // the byte behind the text may be anything
    assert_int_equal(text_clean(text, size), strlen(to));
    assert_string_equal(text, to);
    free(text);
}

#define CLEANS(from, to) assert_cleans(from, sizeof(from) - 1, to)

static void what_terminals_obey_is_taken_out(void **state)
{
    (void)state;
    CLEANS("\33[1;31mred\33[0m and\33[2K plain", "red and plain");
    CLEANS("\33]0;title\7text", "text");
    CLEANS("\33]8;;http://x\33\\text", "text");
    CLEANS("\33]never ends\nnext", "\nnext");
    CLEANS("\33Pstring\33\\\33Xof\33\\\33^every\33\\\33_kind\33\\text", "text");
    CLEANS("\33[?25hseen\33[1 q", "seen"); /* bytes that may precede the final letter */
    CLEANS("\33(B\33=\33cboth\33(0 of them\33[2@ here", "both of them here");
    CLEANS("\33 Fseven\33#8 and\33/Aall", "seven andall"); /* limits of the intermediate bytes */
    CLEANS("\302\233"
           "31mhigh",
           "31mhigh");
    CLEANS("a\302\200b\302\237", "ab"); /* the first and the last 8-bit control character */
    CLEANS("\302\240\302", "\302\240\302");
    CLEANS("a\0b\7c\177d", "a b c d");
    CLEANS("tab\tand\nline \303\244\377", "tab\tand\nline \303\244\377");
}

static void a_line_that_is_written_over_becomes_lines(void **state)
{
    (void)state;
    CLEANS("one\r\ntwo\r\n", "one\ntwo\n");
    CLEANS("10 %\r20 %\r30 %\r", "10 %\n20 %\n30 %");
    CLEANS("a\rb", "a\nb");
    CLEANS("\r\r\n", "\n");
}

static void what_ends_too_early_is_no_harm(void **state)
{
    (void)state;
    CLEANS("", "");
    CLEANS("\33", "");
    CLEANS("\33[", "");
    CLEANS("\33[1;", "");
    CLEANS("\33]", "");
    CLEANS("text\33[1", "text");
    CLEANS("\33]a\33", "");
    CLEANS("\33\n", "\n");
    CLEANS("\33\n\33\37A", "\n A"); /* a control character is not part of the sequence */
    CLEANS("\33[1\n\33[1\37A", "\n A");
    CLEANS("\302", "\302");
}

/* The byte behind it is not part of the text. */
static void half_a_control_character_at_the_end_stays(void **state)
{
    (void)state;
    char text[] = "a\302\233";
    assert_int_equal(text_clean(text, 2), 2);
    assert_string_equal(text, "a\302");
}

static void one_line_stays_one(void **state)
{
    (void)state;
    char text[] = "python3 -c\nimport os\r\n\texit()\33";
    text_flatten(text);
    assert_string_equal(text, "python3 -c import os   exit() ");
}

/* Distance of two words of SIZE letters that differ in the last letter. */
static int distance_of_long(size_t size)
{
    char word[64] = "", meant[64] = "";
    memset(word, 'a', size);
    memcpy(meant, word, sizeof meant);
    meant[size - 1] = 'b';
    return text_distance(word, meant);
}

static void words_of_48_letters_are_compared_and_longer_ones_not(void **state)
{
    (void)state;
    assert_true(distance_of_long(48) < TEXT_DISTANCE_FAR);
    assert_true(distance_of_long(49) == TEXT_DISTANCE_FAR);
    assert_int_equal(distance_of_long(48), distance_of_long(40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_terminals_obey_is_taken_out),
        cmocka_unit_test(a_line_that_is_written_over_becomes_lines),
        cmocka_unit_test(what_ends_too_early_is_no_harm),
        cmocka_unit_test(half_a_control_character_at_the_end_stays),
        cmocka_unit_test(one_line_stays_one),
        cmocka_unit_test(words_of_48_letters_are_compared_and_longer_ones_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
