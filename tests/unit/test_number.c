/* Numbers: strict input, plain output, and the same behavior in every locale. */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    assert_number("1.00000000000000000000000000000000000000000000000000000000000000", 1);    // 64
    assert_number("1.000000000000000000000000000000000000000000000000000000000000e3", 1000); // 64
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

/* The file LC_NUMERIC of a glibc locale; see locale/loadlocale.c and locale/categories.def in
 * glibc. */
struct numeric_file {
    uint32_t magic, count, at[6];
    uint32_t wide[2];
    char point[8], none[8], codeset[8];
};

/* Makes a locale that has POINT as its decimal point the locale of this process. Returns false if
 * the C library is not glibc. */
static bool take_locale_with(const char *point)
{
    struct numeric_file file = {
        .magic = 0x20031115 ^ 1, .count = 6, .wide = {','}, .codeset = "UTF-8"};
    static const size_t at[] = {
        offsetof(struct numeric_file, point),   offsetof(struct numeric_file, none),
        offsetof(struct numeric_file, none),    offsetof(struct numeric_file, wide),
        offsetof(struct numeric_file, wide[1]), offsetof(struct numeric_file, codeset)};
    snprintf(file.point, sizeof file.point, "%s", point);
    for (size_t i = 0; i < file.count; i++)
        file.at[i] = (uint32_t)at[i];
    char folder[] = "/tmp/ptybot-locale-XXXXXX", name[64], path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/p%02x", folder, (unsigned char)point[0]);
    snprintf(path, sizeof path, "%s/LC_NUMERIC", name);
    assert_int_equal(mkdir(name, 0700), 0);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(&file, sizeof file, 1, out), 1);
    assert_int_equal(fclose(out), 0);
    setenv("LOCPATH", folder, 1);
    bool is_taken = setlocale(LC_NUMERIC, strrchr(name, '/') + 1) != NULL;
    unlink(path);
    rmdir(name);
    rmdir(folder);
    return is_taken;
}

static void assert_printed(double value, const char *expected)
{
    char text[32];
    assert_int_equal(number_print(value, 10, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

static void no_locale_changes_anything(void **state)
{
    (void)state;
    static const char *const points[] = {",", "\xd9\xab"}; /* German; Arabic, two bytes */
    for (size_t i = 0; i < 2; i++) {
        if (!take_locale_with(points[i]))
            skip();
        char text[32], expected[32];
        snprintf(text, sizeof text, "%.1f", 1.5);
        snprintf(expected, sizeof expected, "1%s5", points[i]);
        assert_string_equal(text, expected); // the locale is active
        assert_number("1.5", 1.5);
        assert_number("-12.25e1", -122.5);
        assert_number(".5", 0.5);
        assert_number("5.", 5);
        assert_number("17", 17);
        double value = 0;
        assert_false(number_parse("1,5", &value));
        assert_printed(1.5, "1.5");
        assert_printed(-1234.5678, "-1234.5678");
        assert_printed(1.5e-7, "1.5e-07");
        assert_printed(-1e20, "-1e+20");
        assert_printed(12, "12");
        assert_printed((double)-INFINITY, "-inf");
        assert_true(setlocale(LC_NUMERIC, "C") != NULL);
    }
}

static void doubles_are_in_order(void **state)
{
    (void)state;
    struct row {
        double number;
        int position;
    } rows[] = {{3, 4}, {-0.5, 2}, {-INFINITY, 0}, {3.5, 5}, {-1, 1}, {INFINITY, 6}, {0, 3}};
    qsort(rows, sizeof rows / sizeof *rows, sizeof *rows, number_order);
    for (int i = 0; i < 7; i++)
        assert_int_equal(rows[i].position, i);
    const double one = 1, same = 1, two = 2;
    assert_true(number_order(&one, &two) < 0 && number_order(&two, &one) > 0);
    assert_int_equal(number_order(&one, &same), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(what_is_no_whole_decimal_number_is_refused),
        cmocka_unit_test(whole_numbers_have_digits_only),
        cmocka_unit_test(numbers_print_without_needless_digits),
        cmocka_unit_test(no_locale_changes_anything),
        cmocka_unit_test(doubles_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
