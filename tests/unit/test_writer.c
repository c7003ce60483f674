/* Text that grows up to its size: the writer gives the same text as printf, for every size of the
 * buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/writer.h"

static void text_of_every_length_is_cut_in_every_room(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (size_t length = 0; length < sizeof letters; length++)
        for (size_t size = 1; size <= length + 3; size++) {
            char text[80];
            memset(text, '#', sizeof text);
            struct writer to = writer_begin(text, size);
            writer_char(&to, '>');
            writer_chars(&to, letters, length);
            size_t fits = length + 1 < size - 1 ? length + 1 : size - 1;
            assert_int_equal(writer_end(&to), fits);
            assert_int_equal(text[fits], '\0');
            assert_int_equal(text[size], '#');
            assert_memory_equal(text, ">", fits > 0);
            assert_memory_equal(text + 1, letters, fits > 0 ? fits - 1 : 0);
        }
    struct writer none = writer_begin(NULL, 0);
    writer_char(&none, 'x');
    assert_int_equal(writer_end(&none), 0);
}

/* Expects WANTED in full if there is room, otherwise its beginning. */
static void expect(void (*write)(struct writer *to, const void *what), const void *what,
                   const char *wanted)
{
    size_t length = strlen(wanted);
    for (size_t size = 1; size < 80; size += size < length + 2 ? 1 : 7) {
        char text[96];
        memset(text, '#', sizeof text);
        struct writer to = writer_begin(text, size);
        write(&to, what);
        size_t fits = length < size - 1 ? length : size - 1;
        assert_int_equal(writer_end(&to), fits);
        if (memcmp(text, wanted, fits) != 0)
            fail_msg("%s instead of %s", text, wanted);
        assert_int_equal(text[size], '#');
    }
}

struct number {
    int64_t number;
    unsigned places, width;
};

static void write_decimal(struct writer *to, const void *what)
{
    const struct number *it = what;
    writer_decimal(to, it->number, it->places);
}

static void write_fixed(struct writer *to, const void *what)
{
    const struct number *it = what;
    writer_fixed(to, (uint64_t)it->number, it->places, it->width);
}

static const int64_t numbers[] = {0,
                                  1,
                                  9,
                                  10,
                                  11,
                                  99,
                                  100,
                                  101,
                                  999,
                                  1000,
                                  9999,
                                  10000,
                                  10001,
                                  65535,
                                  100000,
                                  120000000,
                                  99999999,
                                  1234567,
                                  -1,
                                  -9,
                                  -10,
                                  -99,
                                  -100,
                                  -32768,
                                  -120000,
                                  -7654321,
                                  UINT32_MAX,
                                  12345,
                                  123456,
                                  1234560,
                                  10000000,
                                  123456789,
                                  100000000000,
                                  INT64_MAX,
                                  INT64_MIN,
                                  12300,
                                  5000000,
                                  40000000000000000};

static void decimals_are_those_of_number_print(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%" PRId64, numbers[i]);
        expect(write_decimal, &(struct number){numbers[i], 0, 0}, wanted);
        for (unsigned places = 1; places <= 13; places++) {
            if (numbers[i] > 1000000000 || numbers[i] < -1000000000)
                continue; // a double cannot print these exactly
            number_print((double)numbers[i] / pow(10, places), 10, wanted, sizeof wanted);
            if (!strchr(wanted, 'e'))
                expect(write_decimal, &(struct number){numbers[i], places, 0}, wanted);
        }
    }
}

/* Also numbers that a double cannot hold: a clock in 10^-13 s. */
static void decimals_of_many_digits_are_exact(void **state)
{
    (void)state;
    int64_t power = 1;
    for (unsigned places = 1; places <= 13; places++) {
        char wanted[64];
        power *= 10;
        int64_t whole = INT64_MAX / power - 1;
        snprintf(wanted, sizeof wanted, "%" PRId64 ".%0*d", whole, (int)places, 1);
        expect(write_decimal, &(struct number){whole * power + 1, places, 0}, wanted);
        snprintf(wanted, sizeof wanted, "-%" PRId64 ".%0*" PRId64, whole, (int)places, power - 1);
        expect(write_decimal, &(struct number){-(whole * power + power - 1), places, 0}, wanted);
    }
}

static void fixed_numbers_are_those_of_printf(void **state)
{
    (void)state;
    static const unsigned widths[] = {0, 1, 14, 30};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (unsigned places = 1; places <= 9; places++)
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                char wanted[64], exact[48];
                int64_t number = numbers[i] < 0 ? 7 : numbers[i], power = 1;
                for (unsigned p = 0; p < places; p++)
                    power *= 10;
                snprintf(exact, sizeof exact, "%" PRId64 ".%0*" PRId64, number / power, (int)places,
                         number % power);
                snprintf(wanted, sizeof wanted, "%*s", (int)widths[w], exact);
                expect(write_fixed, &(struct number){number, places, widths[w]}, wanted);
            }
}

static void write_significant(struct writer *to, const void *what)
{
    writer_significant(to, *(const double *)what, 10);
}

static void significant_digits_are_those_of_number_print(void **state)
{
    (void)state;
    static const double values[] = {0,
                                    -0.0,
                                    0.1,
                                    -0.1,
                                    1e-4,
                                    9.99999e-5,
                                    1e6,
                                    999999.5,
                                    999999.999,
                                    1.0 / 3,
                                    2e-4,
                                    123456.78905,
                                    1.0 / 7,
                                    1e300,
                                    -1e-300,
                                    3.3 / 4095,
                                    0.5,
                                    12.0000000005,
                                    1100.123456789,
                                    1.1234567891,
                                    1.000000000062,
                                    1.0000000006};
    char wanted[64];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        number_print(values[i], 10, wanted, sizeof wanted);
        expect(write_significant, &values[i], wanted);
    }
    expect(write_significant, &(double){NAN}, "nan");
    expect(write_significant, &(double){-INFINITY}, "-inf");
}

static void all_sizes_have_their_significant_digits(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 4000; i++) {
        char text[64], wanted[64];
        int digits = 6 + (int)(i % 5);
        // Powers of ten and values just above them, so that a missing or additional digit is
        // visible.
        double most = i % 7 == 0 ? 0 : i % 2 ? 9 : 0.2;
        double value = (1 + most * rng_uniform(1, i)) * pow(10, (double)(i / 10 % 12) - 5);
        value = i % 3 ? value : -value;
        struct writer to = writer_begin(text, sizeof text);
        writer_significant(&to, value, digits);
        writer_end(&to);
        number_print(value, digits, wanted, sizeof wanted);
        assert_string_equal(text, wanted);
    }
}

static void a_number_is_cut_behind_others_too(void **state)
{
    (void)state;
    static const int64_t behind[] = {7, 42, 999, 1234, 56789, -1234567};
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        for (size_t size = 2; size < 24; size++) {
            char text[48], wanted[48];
            memset(text, '#', sizeof text);
            struct writer to = writer_begin(text, size);
            writer_text(&to, "0123456789");
            writer_decimal(&to, behind[i], 0);
            writer_end(&to);
            int length = snprintf(wanted, sizeof wanted, "0123456789%" PRId64, behind[i]);
            wanted[(size_t)length < size ? (size_t)length : size - 1] = '\0';
            assert_string_equal(text, wanted);
            assert_int_equal(text[size], '#');
        }
}

static void trailing_zeros_are_left_out(void **state)
{
    (void)state;
    for (unsigned places = 0; places <= 13; places++) {
        static const int wholes[] = {7, -42, 12345, 99999, 10001};
        for (size_t i = 0; i < COUNT(wholes); i++) {
            char text[48], wanted[48];
            int64_t number = wholes[i];
            for (unsigned zeros = 0; zeros < places; zeros++)
                number *= 10;
            struct writer to = writer_begin(text, sizeof text);
            writer_decimal(&to, number, places);
            writer_end(&to);
            snprintf(wanted, sizeof wanted, "%d", wholes[i]);
            assert_string_equal(text, wanted);
        }
    }
}

static void bytes_are_two_digits(void **state)
{
    (void)state;
    char text[8], wanted[8];
    for (unsigned byte = 0; byte < 256; byte++) {
        struct writer to = writer_begin(text, sizeof text);
        writer_hex(&to, (uint8_t)byte);
        writer_end(&to);
        snprintf(wanted, sizeof wanted, "%02x", byte);
        assert_string_equal(text, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_every_length_is_cut_in_every_room),
        cmocka_unit_test(decimals_are_those_of_number_print),
        cmocka_unit_test(decimals_of_many_digits_are_exact),
        cmocka_unit_test(fixed_numbers_are_those_of_printf),
        cmocka_unit_test(significant_digits_are_those_of_number_print),
        cmocka_unit_test(all_sizes_have_their_significant_digits),
        cmocka_unit_test(a_number_is_cut_behind_others_too),
        cmocka_unit_test(trailing_zeros_are_left_out),
        cmocka_unit_test(bytes_are_two_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
