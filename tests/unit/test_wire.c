/* Field tables and the cursor, on a packet that has every type once. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/wire.h"

/* Members are out of the wire's order and have padding between them, on purpose. */
struct all {
    float ratio;
    uint8_t u8;
    int32_t i32;
    int8_t i8;
    uint32_t u32;
    char text[4];
    uint16_t words[3];
    int16_t i16;
};

static const struct wire_field all_fields[] = {
    WIRE_FIELD(all, u8, 1, "", ""),       WIRE_FIELD(all, i8, 1, "%", ""),
    WIRE_ARRAY(all, words, 0.5, "V", ""), WIRE_FIELD(all, i16, 0.01, "deg", ""),
    WIRE_FIELD(all, u32, 1, "ms", ""),    WIRE_FIELD(all, i32, 1, "", ""),
    WIRE_FIELD(all, ratio, 1, "", ""),    WIRE_ARRAY(all, text, 1, "", ""),
};

static const struct wire_packet all_little = {
    .name = "all",
    .id = 1,
    .direction = WIRE_TO_HOST,
    .order = WIRE_LITTLE_ENDIAN,
    .size = 26,
    .fields = all_fields,
    .field_count = sizeof all_fields / sizeof all_fields[0],
    .struct_size = sizeof(struct all),
};

static const struct all example = {
    .u8 = 0xfe,
    .i8 = -2,
    .words = {0x0102, 0x0304, 0xfffe},
    .i16 = -6245,
    .u32 = 0xdeadbeef,
    .i32 = -2,
    .ratio = 1.5f, /* 0x3fc00000 */
    .text = "abc",
};

static struct wire_packet big_endian(void)
{
    struct wire_packet packet = all_little;
    packet.order = WIRE_BIG_ENDIAN;
    return packet;
}

static void size_is_the_sum_of_the_fields_without_padding(void **state)
{
    (void)state;
    assert_int_equal(wire_size(&all_little), 26);
    assert_int_equal(wire_field_size(&all_fields[2]), 6);
    assert_int_equal(wire_field_size(&all_fields[6]), 4);
}

static void little_endian_is_written_low_byte_first(void **state)
{
    (void)state;
    const uint8_t expected[] = {0xfe, 0xfe, 0x02, 0x01, 0x04, 0x03, 0xfe, 0xff, 0x9b,
                                0xe7, 0xef, 0xbe, 0xad, 0xde, 0xfe, 0xff, 0xff, 0xff,
                                0x00, 0x00, 0xc0, 0x3f, 'a',  'b',  'c',  0};
    uint8_t out[sizeof expected + 1];
    out[sizeof expected] = 0x77;
    assert_int_equal(wire_encode(&all_little, &example, out), sizeof expected);
    assert_memory_equal(out, expected, sizeof expected);
    assert_int_equal(out[sizeof expected], 0x77);
}

static void big_endian_is_written_high_byte_first(void **state)
{
    (void)state;
    const uint8_t expected[] = {0xfe, 0xfe, 0x01, 0x02, 0x03, 0x04, 0xff, 0xfe, 0xe7,
                                0x9b, 0xde, 0xad, 0xbe, 0xef, 0xff, 0xff, 0xff, 0xfe,
                                0x3f, 0xc0, 0x00, 0x00, 'a',  'b',  'c',  0};
    struct wire_packet packet = big_endian();
    uint8_t out[sizeof expected];
    assert_int_equal(wire_encode(&packet, &example, out), sizeof expected);
    assert_memory_equal(out, expected, sizeof expected);
}

static void decoding_gives_back_what_was_encoded(void **state)
{
    (void)state;
    struct wire_packet packets[] = {all_little, big_endian()};
    for (size_t i = 0; i < 2; i++) {
        uint8_t body[26];
        struct all back = {0};
        wire_encode(&packets[i], &example, body);
        assert_true(wire_decode(&packets[i], body, sizeof body, &back));
        assert_int_equal(back.u8, example.u8);
        assert_int_equal(back.i8, example.i8);
        assert_memory_equal(back.words, example.words, sizeof back.words);
        assert_int_equal(back.i16, example.i16);
        assert_true(back.u32 == example.u32);
        assert_int_equal(back.i32, example.i32);
        assert_true(back.ratio == example.ratio);
        assert_string_equal(back.text, example.text);
    }
}

static void a_body_of_another_size_leaves_the_message_alone(void **state)
{
    (void)state;
    uint8_t body[27] = {0xff};
    struct all message;
    struct all before;
    memset(&message, 0x5a, sizeof message);
    before = message;
    assert_false(wire_decode(&all_little, body, 25, &message));
    assert_false(wire_decode(&all_little, body, 27, &message));
    assert_false(wire_decode(&all_little, body, 0, &message));
    assert_memory_equal(&message, &before, sizeof message);
}

static void a_packet_with_a_repeat_takes_a_longer_body(void **state)
{
    (void)state;
    struct wire_packet packet = all_little;
    packet.repeat = &all_little;
    uint8_t body[40] = {9};
    struct all message = {0};
    assert_true(wire_decode(&packet, body, 40, &message));
    assert_int_equal(message.u8, 9);
    assert_true(wire_decode(&packet, body, 26, &message));
    assert_false(wire_decode(&packet, body, 25, &message));
}

static void a_float_travels_as_its_bits(void **state)
{
    (void)state;
    const uint32_t patterns[] = {0x7fc00001, 0xff800000, 0x00000001, 0x80000000};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct all message = {0};
        struct all back = {0};
        uint8_t body[26];
        memcpy(&message.ratio, &patterns[i], 4);
        wire_encode(&all_little, &message, body);
        assert_true(wire_decode(&all_little, body, sizeof body, &back));
        assert_memory_equal(&back.ratio, &patterns[i], 4);
    }
}

static void raw_is_the_number_and_value_is_scaled(void **state)
{
    (void)state;
    assert_true(wire_raw(&all_fields[0], &example, 0) == 254);
    assert_true(wire_raw(&all_fields[1], &example, 0) == -2);
    assert_true(wire_raw(&all_fields[2], &example, 2) == 65534);
    assert_true(wire_value(&all_fields[2], &example, 2) == 32767);
    assert_true(wire_raw(&all_fields[3], &example, 0) == -6245);
    assert_true(fabs(wire_value(&all_fields[3], &example, 0) + 62.45) < 1e-9);
    assert_true(wire_raw(&all_fields[4], &example, 0) == 3735928559.0);
    assert_true(wire_raw(&all_fields[5], &example, 0) == -2);
    assert_true(wire_raw(&all_fields[6], &example, 0) == 1.5);
    assert_true(wire_raw(&all_fields[7], &example, 1) == 'b');
}

struct bits {
    uint8_t both;
    uint16_t tail;
};

static void fields_of_bits_share_their_bytes(void **state)
{
    (void)state;
    static const struct wire_field fields[] = {
        WIRE_BITS(bits, first, both, 0, 1, 1, "", "", .is_part = true),
        WIRE_BITS(bits, amount, both, 2, 6, 0.5, "mm", ""),
        WIRE_BITS(bits, tail, tail, 1, 15, 1, "", ""),
    };
    static const struct wire_packet packet =
        WIRE_PACKET("bits", 1, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, 3, fields, bits, .note = "");
    const uint8_t body[] = {0x3D, 0x07, 0x80};
    uint8_t again[3];
    struct bits message;
    assert_int_equal(wire_size(&packet), 3);
    assert_true(wire_decode(&packet, body, sizeof body, &message));
    assert_true(message.both == 0x3D && message.tail == 0x8007);
    assert_true(wire_raw(&fields[0], &message, 0) == 1);
    assert_true(wire_value(&fields[1], &message, 0) == 7.5);
    assert_true(wire_raw(&fields[2], &message, 0) == 0x4003);
    assert_int_equal(wire_encode(&packet, &message, again), 3);
    assert_memory_equal(again, body, 3);
}

static void a_cursor_writes_and_reads_both_orders(void **state)
{
    (void)state;
    for (int order = WIRE_LITTLE_ENDIAN; order <= WIRE_BIG_ENDIAN; order++) {
        uint8_t bytes[8];
        struct wire_cursor out = {bytes, sizeof bytes, 0, (enum wire_order)order, true};
        wire_put_u32(&out, 0x12345634);
        wire_put_u32(&out, 0x789abcde);
        assert_true(out.ok);
        assert_int_equal(out.at, sizeof bytes);
        assert_int_equal(bytes[0], order == WIRE_LITTLE_ENDIAN ? 0x34 : 0x12);
        assert_int_equal(bytes[4], order == WIRE_LITTLE_ENDIAN ? 0xde : 0x78);
        struct wire_cursor in = {bytes, sizeof bytes, 0, (enum wire_order)order, true};
        assert_true(wire_get_u32(&in) == 0x12345634);
        assert_true(wire_get_u32(&in) == 0x789abcde);
        assert_true(in.ok);
    }
}

static void a_cursor_past_the_end_stays_there(void **state)
{
    (void)state;
    uint8_t bytes[4] = {1, 2, 3, 4};
    struct wire_cursor cursor = {bytes, 3, 0, WIRE_LITTLE_ENDIAN, true};
    wire_put_u32(&cursor, 0xffffffff);
    assert_false(cursor.ok);
    assert_int_equal(bytes[0], 1);
    cursor.size = sizeof bytes;
    assert_true(wire_get_u32(&cursor) == 0);
    wire_put_u32(&cursor, 9);
    assert_int_equal(bytes[0], 1);
    assert_int_equal(bytes[3], 4);
    assert_false(cursor.ok);
}

static void saturation_rounds_halves_away_from_zero(void **state)
{
    (void)state;
    assert_int_equal(wire_saturate_i16(0.5), 1);
    assert_int_equal(wire_saturate_i16(-0.5), -1);
    assert_int_equal(wire_saturate_i16(2.49), 2);
    assert_int_equal(wire_saturate_u8(254.5), 255);
    /* The number before 0.5 must not become 1, as floor(x + 0.5) would have it. */
    assert_int_equal(wire_saturate_i32(0.49999999999999994), 0);
}

static void saturation_stops_at_the_ends_of_the_type(void **state)
{
    (void)state;
    const double large[] = {1e300, INFINITY};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(wire_saturate_u8(large[i]), UINT8_MAX);
        assert_int_equal(wire_saturate_i8(large[i]), INT8_MAX);
        assert_int_equal(wire_saturate_u16(large[i]), UINT16_MAX);
        assert_int_equal(wire_saturate_i16(large[i]), INT16_MAX);
        assert_int_equal(wire_saturate_i32(large[i]), INT32_MAX);
        assert_int_equal(wire_saturate_u8(-large[i]), 0);
        assert_int_equal(wire_saturate_i8(-large[i]), INT8_MIN);
        assert_int_equal(wire_saturate_u16(-large[i]), 0);
        assert_int_equal(wire_saturate_i16(-large[i]), INT16_MIN);
        assert_int_equal(wire_saturate_i32(-large[i]), INT32_MIN);
    }
    assert_int_equal(wire_saturate_i32(2147483646.5), INT32_MAX);
}

static void saturation_turns_nan_into_zero(void **state)
{
    (void)state;
    assert_int_equal(wire_saturate_u8(NAN), 0);
    assert_int_equal(wire_saturate_i8(NAN), 0);
    assert_int_equal(wire_saturate_u16(NAN), 0);
    assert_int_equal(wire_saturate_i16(NAN), 0);
    assert_int_equal(wire_saturate_i32(NAN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_is_the_sum_of_the_fields_without_padding),
        cmocka_unit_test(little_endian_is_written_low_byte_first),
        cmocka_unit_test(big_endian_is_written_high_byte_first),
        cmocka_unit_test(decoding_gives_back_what_was_encoded),
        cmocka_unit_test(a_body_of_another_size_leaves_the_message_alone),
        cmocka_unit_test(a_packet_with_a_repeat_takes_a_longer_body),
        cmocka_unit_test(a_float_travels_as_its_bits),
        cmocka_unit_test(raw_is_the_number_and_value_is_scaled),
        cmocka_unit_test(fields_of_bits_share_their_bytes),
        cmocka_unit_test(a_cursor_writes_and_reads_both_orders),
        cmocka_unit_test(a_cursor_past_the_end_stays_there),
        cmocka_unit_test(saturation_rounds_halves_away_from_zero),
        cmocka_unit_test(saturation_stops_at_the_ends_of_the_type),
        cmocka_unit_test(saturation_turns_nan_into_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
