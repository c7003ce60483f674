/* The account of the packets that a host has sent on a channel, and the packets that refused bytes
 * were probably meant to be. */
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

static void one_packet_is_both_ends_of_its_range(void **state)
{
    static const struct {
        const char *body;
        double speed, radius;
    } rows[] = {{"\xc8\x00\x05\x00", 200, 5}, {"\x9c\xff\xfb\xff", -100, -5}};
    for (size_t i = 0; i < 2; i++) {
        uint8_t bytes[32];
        begin(state);
        add(bytes, frame(bytes, 1, 4, rows[i].body, 4, 0), 1000, true, 0);
        const struct wire_account_packet *row = &account.packets[0];
        assert_true(row->values[0].least == rows[i].speed && row->values[0].most == rows[i].speed);
        assert_true(row->values[1].least == rows[i].radius &&
                    row->values[1].most == rows[i].radius);
    }
}

/* In the order of the fields, for all packets of all robots; text has no range. */
static void each_value_is_a_number_of_a_field(void **state)
{
    (void)state;
    size_t count, values = 0;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t t = 0; t < count; t++)
        for (size_t p = 0; types[t]->packets[p]; p++) {
            const struct wire_packet *packet = types[t]->packets[p];
            const struct wire_field *at = packet->fields;
            size_t next = 0; /* index of the element in the field AT */
            for (size_t v = 0; v < wire_account_values(packet); v++) {
                size_t element = SIZE_MAX;
                while (at->type == WIRE_CHAR || next == at->count) {
                    at++;
                    next = 0;
                }
                assert_ptr_equal(wire_account_field(packet, v, &element), at);
                assert_int_equal(element, next);
                next++;
                values++;
            }
        }
    assert_true(values > 100);
}

static void a_packet_that_repeats_is_whole_with_any_number_of_elements(void **state)
{
    (void)state;
    account.type = registry_find("create2");
    /* Songs of no note and of two; a song counts its notes. */
    add((const uint8_t *)"\x8c\x01\x00", 3, 1000, true, 0);
    add((const uint8_t *)"\x8c\x02\x02\x45\x10\x48\x20", 7, 2000, true, 0);
    assert_int_equal(account.packet_count, 1);
    assert_string_equal(account.packets[0].packet->name, "song");
    assert_int_equal(account.packets[0].count, 2);
    assert_int_equal(account.packets[0].refused, 0);
    assert_true(account.packets[0].values[0].least == 1 && account.packets[0].values[0].most == 2);
    assert_int_equal(account.refused_frames, 0);
}

static void a_packet_of_one_length_is_refused_with_any_other(void **state)
{
    (void)state;
    uint8_t bytes[32];
    for (uint8_t length = 3; length <= 5; length++)
        add(bytes, frame(bytes, 1, length, "\xc8\x00\x01\x00\x00", length, 0), 1000, true, 0);
    assert_int_equal(account.packets[0].count, 1);
    assert_int_equal(account.packets[0].refused, 2);
    assert_int_equal(account.packets[0].wrong_size, 3);
    assert_int_equal(account.refused_frames, 2);
}

static void each_unknown_id_is_named_once(void **state)
{
    (void)state;
    static const uint8_t ids[] = {0x77, 0x78, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x77};
    uint8_t bytes[32];
    for (size_t i = 0; i < sizeof ids; i++)
        add(bytes, frame(bytes, ids[i], 1, "\x00", 1, 0), 1000, true, 0);
    assert_int_equal(account.unknown_parts, sizeof ids);
    assert_int_equal(account.unknown_count, WIRE_ACCOUNT_IDS);
    assert_memory_equal(account.unknown, "\x77\x78\x79\x7a", WIRE_ACCOUNT_IDS);
}

static void the_longest_pause_is_kept(void **state)
{
    (void)state;
    static const int64_t times_us[] = {1000, 601000, 701000, 702000};
    uint8_t bytes[32];
    size_t size = frame(bytes, 1, 4, "\xc8\x00\x01\x00", 4, 0);
    for (size_t i = 0; i < 4; i++)
        add(bytes, size, times_us[i], i % 2 == 0, 0);
    assert_int_equal(account.pause_us, 600000);
    assert_int_equal(account.pause_from_us, 1000);
}

/* A robot that is deaf refuses good frames too. */
static void refused_bytes_are_no_packets(void **state)
{
    (void)state;
    uint8_t bytes[32];
    add(bytes, frame(bytes, 1, 4, "\xc8\x00\x01\x00", 4, 0), 1000, false, 1u << REFUSAL_NOISE);
    add(bytes, frame(bytes, 0x77, 1, "\x00", 1, 0), 2000, false, 1u << REFUSAL_NOISE);
    assert_int_equal(account.packet_count, 0);
    assert_int_equal(account.unknown_parts, 0);
    assert_int_equal(account.refused_frames, 0);
    assert_int_equal(account.samples[REFUSAL_NOISE].size, 10);
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

/* Also behind noise. */
static void a_wrong_length_byte_names_the_packet_and_the_right_one(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "\x01\x02\x03\xaa\x55\x07\x01\x04\xc8\0\0\0\xcb";
    for (size_t noise = 0; noise <= 3; noise += 3) {
        struct wire_mistake mistake;
        begin(state);
        add(bytes + 3 - noise, 10 + noise, 1000, false, 1u << REFUSAL_BAD_FRAME);
        assert_true(wire_account_meant(&account, &account.samples[REFUSAL_BAD_FRAME], &mistake));
        assert_string_equal(mistake.packet->name, "base_control");
        assert_string_equal(mistake.byte, "length byte");
        assert_int_equal(mistake.found, 7);
        assert_int_equal(mistake.wanted, 6);
    }
}

/* With the right checksum the robot would refuse it too. */
static void a_packet_of_a_wrong_length_was_not_meant(void **state)
{
    (void)state;
    uint8_t bytes[32];
    struct wire_mistake mistake;
    add(bytes, frame(bytes, 1, 3, "\xc8\x00\x01", 3, 0x55), 1000, false, 1u << REFUSAL_BAD_FRAME);
    assert_false(wire_account_meant(&account, &account.samples[REFUSAL_BAD_FRAME], &mistake));
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
        CASE(one_packet_is_both_ends_of_its_range),
        CASE(each_value_is_a_number_of_a_field),
        CASE(a_packet_that_repeats_is_whole_with_any_number_of_elements),
        CASE(a_packet_of_one_length_is_refused_with_any_other),
        CASE(each_unknown_id_is_named_once),
        CASE(the_longest_pause_is_kept),
        CASE(refused_bytes_are_no_packets),
        CASE(parts_that_a_robot_refuses_are_reported_by_packet),
        CASE(a_wrong_checksum_names_the_packet_and_the_right_one),
        CASE(a_wrong_length_byte_names_the_packet_and_the_right_one),
        CASE(a_packet_of_a_wrong_length_was_not_meant),
        CASE(a_wrong_length_names_the_packet_also_where_frames_follow_each_other),
        CASE(noise_resembles_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
