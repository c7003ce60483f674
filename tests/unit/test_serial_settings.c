/* The settings of a serial port, as numbers and as words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/serial_settings.h"

static void assert_reads(uint32_t baud, uint32_t mode, const char *expected)
{
    char text[SERIAL_SETTINGS_TEXT_SIZE];
    assert_string_equal(serial_settings_text((struct serial_settings){baud, mode}, text), expected);
}

static uint32_t parity(enum serial_parity parity)
{
    return (uint32_t)parity << SERIAL_PARITY_SHIFT;
}

static uint32_t missing(unsigned bits)
{
    return bits << SERIAL_MISSING_BITS_SHIFT;
}

static void settings_read_as_people_write_them(void **state)
{
    (void)state;
    assert_reads(115200, 0, "115200 baud, 8N1, raw");
    assert_reads(0, SERIAL_TWO_STOP_BITS, "0 baud, 8N2, raw");
    assert_reads(9600, parity(SERIAL_PARITY_ODD) | missing(1), "9600 baud, 7O1, raw");
    assert_reads(9600, parity(SERIAL_PARITY_EVEN) | missing(2), "9600 baud, 6E1, raw");
    assert_reads(9600, parity(SERIAL_PARITY_MARK) | missing(3), "9600 baud, 5M1, raw");
    assert_reads(300, parity(SERIAL_PARITY_SPACE) | SERIAL_TWO_STOP_BITS, "300 baud, 8S2, raw");
    assert_reads(300, SERIAL_PARITY, "300 baud, 8?1, raw"); // a journal may hold any number
    assert_reads(57600, SERIAL_ECHO, "57600 baud, 8N1, not raw (ECHO)");
    assert_reads(SERIAL_START_BAUD, SERIAL_START,
                 "9600 baud, 8N1, not raw (ICANON, ECHO, ISIG, ICRNL, IXON, OPOST)");
}

static void even_the_longest_fits(void **state)
{
    (void)state;
    assert_reads(UINT32_MAX, UINT32_MAX,
                 "4294967295 baud, 5?2, not raw (ICANON, ECHO, ISIG, ICRNL, INLCR, IGNCR, ISTRIP, "
                 "PARMRK, IXON, IXOFF, OPOST)");
}

static void the_frame_of_a_byte_is_in_the_mode(void **state)
{
    (void)state;
    uint32_t mode = SERIAL_START | SERIAL_TWO_STOP_BITS | parity(SERIAL_PARITY_EVEN) | missing(1);
    assert_int_equal(serial_mode_parity(mode), SERIAL_PARITY_EVEN);
    assert_int_equal(serial_mode_data_bits(mode), 7);
    assert_int_equal(serial_mode_stop_bits(mode), 2);
    assert_int_equal(serial_mode_parity(SERIAL_START), SERIAL_PARITY_NONE);
    assert_int_equal(serial_mode_data_bits(SERIAL_START), 8);
    assert_int_equal(serial_mode_stop_bits(SERIAL_START), 1);
    assert_string_equal(serial_parity_words[serial_mode_parity(mode)], "even");
}

static void settings_are_the_same_when_baud_and_mode_are(void **state)
{
    (void)state;
    struct serial_settings one = {115200, SERIAL_ECHO};
    assert_true(serial_settings_equal(one, (struct serial_settings){115200, SERIAL_ECHO}));
    assert_false(serial_settings_equal(one, (struct serial_settings){115200, 0}));
    assert_false(serial_settings_equal(one, (struct serial_settings){57600, SERIAL_ECHO}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_read_as_people_write_them),
        cmocka_unit_test(even_the_longest_fits),
        cmocka_unit_test(the_frame_of_a_byte_is_in_the_mode),
        cmocka_unit_test(settings_are_the_same_when_baud_and_mode_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
