/* The checksums, on frames whose checksums are known from other sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocols/wire.h"

static void nothing_sums_to_zero(void **state)
{
    (void)state;
    assert_int_equal(wire_xor(NULL, 0), 0);
    assert_int_equal(wire_sum(NULL, 0), 0);
}

static void xor_of_a_kobuki_command_is_its_last_byte(void **state)
{
    (void)state;
    /* Base control 200 mm/s as the kobuki_core driver writes it, without header: 06 .. cb. */
    const uint8_t frame[] = {0x06, 0x01, 0x04, 0xc8, 0x00, 0x00, 0x00, 0xcb};
    assert_int_equal(wire_xor(frame, sizeof frame - 1), 0xcb);
    assert_int_equal(wire_xor(frame, sizeof frame), 0);
}

static void sum_keeps_the_low_eight_bits(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0xff, 0xff, 0x03};
    assert_int_equal(wire_sum(bytes, sizeof bytes), 0x01);
    assert_int_equal(wire_sum(bytes, 1), 0xff);
}

static void every_flipped_bit_changes_both(void **state)
{
    (void)state;
    uint8_t bytes[] = {0x5a, 0x00, 0xff, 0x13, 0x80};
    uint8_t xor = wire_xor(bytes, sizeof bytes);
    uint8_t sum = wire_sum(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        uint8_t flip = (uint8_t)(1u << (bit % 8));
        bytes[bit / 8] ^= flip;
        assert_int_not_equal(wire_xor(bytes, sizeof bytes), xor);
        assert_int_not_equal(wire_sum(bytes, sizeof bytes), sum);
        bytes[bit / 8] ^= flip;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_sums_to_zero),
        cmocka_unit_test(xor_of_a_kobuki_command_is_its_last_byte),
        cmocka_unit_test(sum_keeps_the_low_eight_bits),
        cmocka_unit_test(every_flipped_bit_changes_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
