/* Numbers: strict on the way in, plain on the way out, and alike in every locale. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"

static void assert_number(const char *text, double expected)
{
    double value;
    if (!number_parse(text, &value))
        fail_msg("not taken as a number: '%s'", text);
    assert_true(value == expected);
}

static void numbers_are_read_exactly(void **state)
{
    (void)state;
    assert_number("0", 0);
    assert_number("-12.5", -12.5);
    assert_number("+3", 3);
    assert_number(".5", 0.5);
    assert_number("5.", 5);
    assert_number("1e3", 1000);
    assert_number("1.5E-3", 0.0015);
    assert_number("0.1", 0.1);
    assert_number("9007199254740993", 9007199254740992);
    assert_number("1.7976931348623157e308", 1.7976931348623157e308);
    assert_number("1.00000000000000000000000000000000000000000000000000000000000000", 1); // 64
}

static void what_is_no_whole_decimal_number_is_refused(void **state)
{
    (void)state;
    const char *const bad[] = {"",    " ",   "16 V",      "16V",   " 16",   "16 ", "nan",
                               "NAN", "inf", "-infinity", "0x10",  "1,5",   "1e",  "1e+",
                               ".",   "-",   "--1",       "1.2.3", "1e999", "٣",   "1_0",
                               "e5",  "1\n", "+ 1",       ".e1",   "1e1.0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = 77;
        if (number_parse(bad[i], &value))
            fail_msg("taken as a number: '%s'", bad[i]);
        assert_true(value == 77);
    }
    char digits[200];
    memset(digits, '1', sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    double value;
    assert_false(number_parse(digits, &value));
    digits[65] = '\0';
    assert_false(number_parse(digits, &value));
}

static void whole_numbers_have_digits_only(void **state)
{
    (void)state;
    int64_t value = 77;
    const char *const bad[] = {"", "-", "1.0", "1e3", "0x1", " 1", "1 ", "9223372036854775808"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(number_parse_integer(bad[i], &value));
        assert_true(value == 77);
    }
    assert_true(number_parse_integer("-9223372036854775808", &value));
    assert_true(value == INT64_MIN);
    assert_true(number_parse_integer("+007", &value));
    assert_true(value == 7);
}

static void numbers_print_without_needless_digits(void **state)
{
    (void)state;
    char text[32];
    assert_int_equal(number_print(157 * 0.1, 10, text, sizeof text), 4);
    assert_string_equal(text, "15.7");
    number_print(4294967295.0, 10, text, sizeof text);
    assert_string_equal(text, "4294967295");
    number_print(-0.00875, 10, text, sizeof text);
    assert_string_equal(text, "-0.00875");
    assert_int_equal(number_print(12345, 10, text, 3), 2);
    assert_string_equal(text, "12");
    assert_int_equal(number_print(12345, 10, text, 1), 0);
    assert_string_equal(text, "");
    assert_int_equal(number_print(12345, 10, NULL, 0), 0);
}

static void a_comma_locale_changes_nothing(void **state)
{
    (void)state;
    /* Chosen: the German one is what machines have most often, if any. */
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < 3 && !found; i++)
        found = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!found)
        skip();
    double value = 0;
    char text[32];
    assert_true(number_parse("1.5", &value));
    assert_true(value == 1.5);
    assert_false(number_parse("1,5", &value));
    assert_int_equal(number_print(1.5, 10, text, sizeof text), 3);
    assert_string_equal(text, "1.5");
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(what_is_no_whole_decimal_number_is_refused),
        cmocka_unit_test(whole_numbers_have_digits_only),
        cmocka_unit_test(numbers_print_without_needless_digits),
        cmocka_unit_test(a_comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
