/* What a host has said on a channel, packet by packet, and what refused bytes were meant to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "sim/watch/wire_account.h"

static struct wire_account account;

static int begin(void **state)
{
    (void)state;
    account = (struct wire_account){.type = registry_find("kobuki")};
    return account.type ? 0 : -1;
}

static void add(const uint8_t *bytes, size_t size, int64_t at_us, bool is_good, unsigned causes)
{
    wire_account_add(
        &account,
        &(struct frame_piece){
            .bytes = bytes, .size = size, .at_us = at_us, .is_good = is_good, .causes = causes});
}

/* A frame of one sub-payload; SUM_ERROR goes into its checksum. */
static size_t frame(uint8_t out[32], uint8_t id, uint8_t length, const char *body, size_t size,
                    uint8_t sum_error)
{
    out[0] = 0xaa;
    out[1] = 0x55;
    out[2] = (uint8_t)(size + 2);
    out[3] = id;
    out[4] = length;
    memcpy(out + 5, body, size);
    out[5 + size] = sum_error;
    for (size_t i = 2; i < 5 + size; i++)
        out[5 + size] ^= out[i];
    return size + 6;
}

static void packets_are_counted_with_the_range_of_their_values(void **state)
{
    (void)state;
    uint8_t bytes[32];
    size_t size = frame(bytes, 1, 4, "\xc8\x00\x01\x00", 4, 0); /* 200 mm/s, radius 1 mm */
    add(bytes, size, 1000, true, 0);
    size = frame(bytes, 1, 4, "\x9c\xff\x00\x00", 4, 0); /* -100 mm/s, 0 */
    add(bytes, size, 21000, true, 0);
    add(bytes, size, 521000, true, 0);
    assert_int_equal(account.packet_count, 1);
    const struct wire_account_packet *row = &account.packets[0];
    assert_string_equal(row->packet->name, "base_control");
    assert_int_equal(row->count, 3);
    assert_int_equal(row->refused, 0);
    assert_int_equal(wire_account_values(row->packet), 2);
    assert_true(row->values[0].least == -100 && row->values[0].most == 200);
    assert_true(row->values[1].least == 0 && row->values[1].most == 1);
    assert_int_equal(account.pause_us, 500000);
    assert_int_equal(account.pause_from_us, 21000);
    assert_int_equal(account.refused_frames, 0);
}

static void parts_that_a_robot_refuses_are_reported_by_packet(void **state)
{
    (void)state;
    uint8_t bytes[32];
    size_t size = frame(bytes, 1, 3, "\xc8\x00\x01", 3, 0);
    add(bytes, size, 1000, true, 0);
    size = frame(bytes, 0x77, 1, "\x00", 1, 0);
    add(bytes, size, 2000, true, 0);
    assert_int_equal(account.packets[0].count, 0);
    assert_int_equal(account.packets[0].refused, 1);
    assert_int_equal(account.packets[0].wrong_size, 3);
    assert_int_equal(account.unknown_parts, 1);
    assert_int_equal(account.unknown[0], 0x77);
    assert_int_equal(account.refused_frames, 2);
}

static void a_wrong_checksum_names_the_packet_and_the_right_one(void **state)
{
    (void)state;
    uint8_t bytes[32];
    struct wire_mistake mistake;
    size_t size = frame(bytes, 1, 4, "\xc8\x00\x01\x00", 4, 0x55);
    uint8_t right = bytes[size - 1] ^ 0x55;
    add(bytes, size, 1000, false, 1u << REFUSAL_BAD_FRAME);
    const struct wire_sample *sample = &account.samples[REFUSAL_BAD_FRAME];
    assert_int_equal(sample->size, size);
    assert_true(wire_account_meant(&account, sample, &mistake));
    assert_string_equal(mistake.packet->name, "base_control");
    assert_string_equal(mistake.byte, "checksum");
    assert_int_equal(mistake.found, bytes[size - 1]);
    assert_int_equal(mistake.wanted, right);
    /* Only the first bytes are kept as a sample. */
    add((const uint8_t *)"\xaa\x55", 2, 2000, false, 1u << REFUSAL_BAD_FRAME);
    assert_int_equal(sample->size, size);
    assert_int_equal(account.samples[REFUSAL_NOISE].size, 0);
}

static void a_wrong_length_byte_names_the_packet_and_the_right_one(void **state)
{
    (void)state;
    struct wire_mistake mistake;
    add((const uint8_t *)"\xaa\x55\x07\x01\x04\xc8\0\0\0\xcb", 10, 1000, false,
        1u << REFUSAL_BAD_FRAME);
    assert_true(wire_account_meant(&account, &account.samples[REFUSAL_BAD_FRAME], &mistake));
    assert_string_equal(mistake.packet->name, "base_control");
    assert_string_equal(mistake.byte, "length byte");
    assert_int_equal(mistake.found, 7);
    assert_int_equal(mistake.wanted, 6);
}

static void a_wrong_length_names_the_packet_also_where_frames_follow_each_other(void **state)
{
    (void)state;
    uint8_t bytes[64];
    size_t size = frame(bytes, 1, 5, "\xc8\x00\x01\x00", 4, 0);
    add(bytes, size, 1000, false, 1u << REFUSAL_BAD_LENGTH);
    const struct wire_sample *sample = &account.samples[REFUSAL_BAD_LENGTH];
    assert_string_equal(wire_account_misfit(&account, sample)->name, "base_control");
    begin(state);
    memcpy(bytes + size, bytes, size);
    add(bytes, 2 * size, 1000, false, 1u << REFUSAL_BAD_LENGTH);
    assert_string_equal(wire_account_misfit(&account, sample)->name, "base_control");
}

static void noise_resembles_nothing(void **state)
{
    (void)state;
    struct wire_mistake mistake;
    add((const uint8_t *)"hello world", 11, 1000, false, 1u << REFUSAL_NOISE);
    assert_false(wire_account_meant(&account, &account.samples[REFUSAL_NOISE], &mistake));
    assert_null(wire_account_misfit(&account, &account.samples[REFUSAL_NOISE]));
}

#define CASE(name) cmocka_unit_test_setup(name, begin)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(packets_are_counted_with_the_range_of_their_values),
        CASE(parts_that_a_robot_refuses_are_reported_by_packet),
        CASE(a_wrong_checksum_names_the_packet_and_the_right_one),
        CASE(a_wrong_length_byte_names_the_packet_and_the_right_one),
        CASE(a_wrong_length_names_the_packet_also_where_frames_follow_each_other),
        CASE(noise_resembles_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
