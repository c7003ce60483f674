/* The contract of a robot, its packets: every type in the registry is complete, and its tables
 * agree with their structs and with the documented sizes. Rows are in test_robot_rows.c, the body
 * in test_robot_body.c, and the reaction to bytes and time in test_robot_conduct.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "protocols/describe.h"
#include "protocols/registry.h"
#include "tests/support/every_type.h"
#include "tests/support/robot_rig.h"
#include "tests/support/tested_types.h"

/* ---- Types ---- */

static void check_type(const struct robot_type *type)
{
    CHECK(type, is_name(type->name), "name");
    CHECK(type, type->title && type->title[0], "title");
    CHECK(type, type->channel_count >= 1 && type->channel_count <= ROBOT_CHANNELS_MAX, "channels");
    CHECK(type, type->options_size <= ROBOT_OPTIONS_MAX, "options_size %zu", type->options_size);
    for (size_t i = 0; i < type->channel_count; i++) {
        const struct channel_spec *channel = &type->channels[i];
        CHECK(type, is_name(channel->name), "channel %zu", i);
        CHECK(type, channel->frame_max > 0, "channel %s", channel->name);
        CHECK(type, channel->kind == CHANNEL_SERIAL || channel->baud == 0, "channel %s",
              channel->name);
        CHECK(type, channel->kind == CHANNEL_SERIAL || channel->tcp_port > 0, "channel %s",
              channel->name);
        for (size_t k = 0; k < i; k++) {
            CHECK(type, strcmp(channel->name, type->channels[k].name) != 0, "channel %s twice",
                  channel->name);
        }
    }
    CHECK(type,
          is_inside(type->stats_offset, type->channel_count * sizeof(struct robot_stats),
                    type->state_size),
          "stats_offset");
    CHECK(type, type->stats_offset % _Alignof(struct robot_stats) == 0, "stats_offset is aligned");
    CHECK(type,
          type->storage_offset == SIZE_MAX ||
              is_inside(type->storage_offset, sizeof(struct robot_storage), type->state_size),
          "storage_offset");
    CHECK(type, (type->body || type->fixed_body) && type->reset && type->rx && type->tick,
          "functions");
    const struct option_row *volts = option_find(type->options, type->option_count, "battery_v");
    CHECK(type, !volts || (volts->type == OPTION_NUMBER && type->battery_charge), "a battery");
    CHECK(type,
          type->scan_offset == 0 ||
              is_inside(type->scan_offset, sizeof(struct robot_scan), type->state_size),
          "scan_offset");
    CHECK(type, type->scan_offset % _Alignof(struct robot_scan) == 0, "scan_offset is aligned");
    size_t buttons = 0;
    while (type->buttons && type->buttons[buttons]) {
        CHECK(type, is_name(type->buttons[buttons]), "button %zu", buttons);
        buttons++;
    }
    CHECK(type, buttons <= ROBOT_BUTTONS_MAX, "%zu buttons", buttons);
}

static void types_are_complete(void **state)
{
    (void)state;
    for_every_tested(check_type);
    assert_null(registry_find("no_such_robot"));
    assert_null(registry_find(""));
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(registry_find(types[i]->name), types[i]); /* so names are unique */
}

/* A driver opens the port at this rate, and a UART understands no other rate. From the
 * documents of the robots. */
static void serial_channels_begin_at_the_documented_rate(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint32_t baud;
    } rows[] = {{"cobot", 115200},   {"create2", 115200},    {"diff_board", 115200},
                {"epuck2", 115200},  {"kobuki", 115200},     {"ld06", 230400},
                {"lds_01", 230400},  {"lds_02", 115200},     {"ld19", 230400},
                {"lekiwi", 1000000}, {"rplidar_a1", 115200}, {"ros_arduino_bridge", 57600},
                {"so101", 1000000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct robot_type *type = registry_find(rows[i].type);
        if (!type)
            fail_msg("there is no %s", rows[i].type);
        size_t at = 0;
        while (type->channels[at].kind != CHANNEL_SERIAL)
            at++;
        if (type->channels[at].baud != rows[i].baud)
            fail_msg("%s: %u", rows[i].type, type->channels[at].baud);
    }
}

/* ---- Batteries ---- */

static void check_start_charge(const struct robot_type *type)
{
    _Alignas(16) char options[ROBOT_OPTIONS_MAX] = {0};
    const struct option_row *row = option_find(type->options, type->option_count, "battery_v");
    if (!row) {
        CHECK(type, robot_start_charge(type, options) == 1, "without an option it is full");
        return;
    }
    for (size_t i = 0; i < type->option_count; i++) {
        struct error error = {0};
        CHECK(type, option_set(&type->options[i], type->options[i].fallback, options, &error), "%s",
              error.text);
    }
    double middle_v = (row->min + row->max) / 2, volts[] = {row->max, middle_v, row->min};
    for (size_t i = 0; i < sizeof volts / sizeof volts[0]; i++) {
        memcpy(options + row->offset, &volts[i], sizeof volts[i]);
        double charge = robot_start_charge(type, options);
        CHECK(type, charge == robot_battery_charge(type, options, volts[i]), "%g V", volts[i]);
        CHECK(type, charge >= 0 && charge <= 1, "%g V: %g", volts[i], charge);
    }
}

static void at_the_start_a_battery_shows_the_volts_of_its_option(void **state)
{
    (void)state;
    for_every_tested(check_start_charge);
}

static void the_charge_is_linear_between_the_limits_of_the_voltage(void **state)
{
    (void)state;
    static const struct robot_body with = {.battery_min_v = 10, .battery_max_v = 20}, without = {0};
    const struct robot_type has_one = {.fixed_body = &with}, has_none = {.fixed_body = &without};
    static const double rows[][2] = {{9, 0}, {10, 0}, {12.5, 0.25}, {20, 1}, {21, 1}};
    assert_true(robot_has_battery(&has_one) && !robot_has_battery(&has_none));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(robot_battery_charge(&has_one, NULL, rows[i][0]) == rows[i][1]);
        assert_true(robot_battery_charge(&has_none, NULL, rows[i][0]) == 1); // it never runs down
    }
    assert_true(robot_battery_charge(&has_none, NULL, 0) == 1);
}

/* ---- Power-on ---- */

static void check_boots(const struct robot_type *type)
{
    struct robot_rig rig;
    uint64_t boots;
    if (type->boots_offset == SIZE_MAX)
        return;
    rig_open(&rig, type, 0);
    rig_reset(&rig);
    memcpy(&boots, (const char *)rig.state + type->boots_offset, sizeof boots);
    CHECK(type, boots == 1, "boots: %llu", (unsigned long long)boots);
    rig_close(&rig);
}

static void a_reset_is_the_first_boot(void **state)
{
    (void)state;
    for_every_tested(check_boots);
}

/* ---- Packets ---- */

static size_t element_size(const struct wire_field *field)
{
    return wire_type_size(field->type);
}

static void check_fields(const struct robot_type *type, const struct wire_packet *packet)
{
    for (size_t i = 0; i < packet->field_count; i++) {
        const struct wire_field *field = &packet->fields[i];
        CHECK(type, is_name(field->name), "%s: field %zu", packet->name, i);
        CHECK(type, field->name_size == strlen(field->name), "%s: field %zu", packet->name, i);
        CHECK(type, field->count > 0, "%s.%s", packet->name, field->name);
        CHECK(type, isfinite(field->scale) && field->scale != 0, "%s.%s", packet->name,
              field->name);
        CHECK(type, field->unit && field->note, "%s.%s", packet->name, field->name);
        size_t size = wire_field_size(field); /* on the wire and in the struct alike */
        CHECK(type, is_inside(field->offset, size, packet->struct_size), "%s.%s", packet->name,
              field->name);
        CHECK(type, field->offset % element_size(field) == 0, "%s.%s is aligned", packet->name,
              field->name);
        for (size_t k = 0; k < i; k++) {
            const struct wire_field *other = &packet->fields[k];
            CHECK(type, strcmp(field->name, other->name) != 0, "%s.%s twice", packet->name,
                  field->name);
            CHECK(type,
                  field->offset >= other->offset + wire_field_size(other) ||
                      other->offset >= field->offset + size,
                  "%s: %s and %s overlap", packet->name, field->name, other->name);
        }
    }
}

/* The note of a field with a unit contains values in this unit, not raw numbers of the wire.
 * Therefore no number in the note of a scaled integer exceeds the range of the field. */
static void check_note(const struct robot_type *type, const struct wire_packet *packet,
                       const struct wire_field *field)
{
    static const double most[] = {
        [WIRE_U8] = UINT8_MAX,  [WIRE_I8] = INT8_MAX,    [WIRE_U16] = UINT16_MAX,
        [WIRE_I16] = INT16_MAX, [WIRE_U32] = UINT32_MAX, [WIRE_I32] = INT32_MAX,
    };
    if (field->scale == 1 || field->type == WIRE_F32 || field->type == WIRE_CHAR)
        return;
    for (const char *at = field->note + strcspn(field->note, "0123456789"); *at;
         at += strcspn(at, "0123456789")) {
        char *end;
        double number = strtod(at, &end);
        CHECK(type, number <= most[field->type] * field->scale, "%s.%s in %s: \"%s\"", packet->name,
              field->name, field->unit, field->note);
        at = end;
    }
}

static void check_packet(const struct robot_type *type, const struct wire_packet *packet)
{
    CHECK(type, is_name(packet->name), "packet of id %u", packet->id);
    CHECK(type, wire_size(packet) == packet->size, "%s: the table has %zu bytes, documented are %u",
          packet->name, wire_size(packet), packet->size);
    CHECK(type, packet->note && packet->note[0], "%s", packet->name);
    check_fields(type, packet);
    for (size_t i = 0; i < packet->field_count; i++)
        check_note(type, packet, &packet->fields[i]);
    if (packet->repeat) {
        CHECK(type, wire_size(packet->repeat) > 0 && !packet->repeat->repeat, "%s", packet->name);
        CHECK(type, packet->repeat->order == packet->order, "%s", packet->name);
        check_packet(type, packet->repeat);
    }
}

static void check_packets(const struct robot_type *type)
{
    CHECK(type, type->packets[0], "packets");
    for (size_t i = 0; type->packets[i]; i++) {
        const struct wire_packet *packet = type->packets[i];
        check_packet(type, packet);
        for (size_t k = 0; k < i; k++) {
            const struct wire_packet *other = type->packets[k];
            CHECK(type, strcmp(packet->name, other->name) != 0, "%s twice", packet->name);
            /* An id may have several lengths (versions of a firmware), each a separate packet. */
            CHECK(type,
                  packet->direction != other->direction || packet->id != other->id ||
                      packet->size != other->size,
                  "%s and %s cannot be told apart", packet->name, other->name);
        }
    }
}

static void packets_are_as_documented(void **state)
{
    (void)state;
    for_every_type(check_packets);
}

static void random_bytes(uint64_t key, uint64_t counter, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)rng_u64(key, counter * 4096 + i);
}

enum { MESSAGE_MAX = 1024 };

union message {
    double align;
    uint8_t bytes[MESSAGE_MAX];
};

static void check_round_trip(const struct robot_type *type, const struct wire_packet *packet)
{
    uint64_t key = rng_key(1, packet->name);
    size_t size = wire_size(packet);
    CHECK(type, packet->struct_size <= MESSAGE_MAX && size <= MESSAGE_MAX, "%s", packet->name);
    for (uint64_t round = 0; round < 200; round++) {
        uint8_t body[MESSAGE_MAX];
        uint8_t again[MESSAGE_MAX];
        union message message = {0};
        union message back = {0};

        random_bytes(key, 2 * round, body, size);
        CHECK(type, wire_decode(packet, body, size, &message), "%s", packet->name);
        CHECK(type, wire_encode(packet, &message, again) == size, "%s", packet->name);
        CHECK(type, memcmp(body, again, size) == 0, "%s: bytes", packet->name);

        random_bytes(key, 2 * round + 1, message.bytes, packet->struct_size);
        wire_encode(packet, &message, body);
        CHECK(type, wire_decode(packet, body, size, &back), "%s", packet->name);
        for (size_t i = 0; i < packet->field_count; i++) {
            const struct wire_field *field = &packet->fields[i];
            CHECK(type,
                  memcmp(message.bytes + field->offset, back.bytes + field->offset,
                         wire_field_size(field)) == 0,
                  "%s.%s: struct", packet->name, field->name);
        }
    }
}

static void check_round_trips(const struct robot_type *type)
{
    for (size_t i = 0; type->packets[i]; i++) {
        check_round_trip(type, type->packets[i]);
        if (type->packets[i]->repeat)
            check_round_trip(type, type->packets[i]->repeat);
    }
}

static void decoding_is_the_inverse_of_encoding(void **state)
{
    (void)state;
    for_every_type(check_round_trips);
}

/* ---- Frames around a body, and the examples for documents ---- */

struct found {
    const struct wire_packet *packet;
    uint8_t body[DESCRIBE_EXAMPLE_MAX];
    size_t size, count;
};

static void find_part(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                      size_t size)
{
    struct found *found = user;
    (void)id;
    found->packet = packet;
    found->size = size;
    found->count++;
    memcpy(found->body, body, size);
}

/* The frame around the example is removed, and the body is the example of the table. */
static void check_example(const struct robot_type *type, const struct wire_packet *packet)
{
    unsigned carried = 0;
    for (unsigned c = 0; c < type->channel_count; c++) {
        uint8_t frame[DESCRIBE_EXAMPLE_MAX], body[DESCRIBE_EXAMPLE_MAX] = {0};
        struct found found = {0};
        size_t size = describe_example(type, c, packet, frame);
        carried += size > 0;
        bool is_cut = packet->repeat && packet->example_element_count == 0;
        if (size == 0 || is_cut)
            continue;
        uint16_t promised = wire_promised_as(robot_framing(type, c, packet->direction), packet);
        CHECK(type,
              robot_walk(type, c, packet->direction, promised, frame, size, find_part, &found),
              "%s", packet->name);
        CHECK(type, found.count == 1 && found.packet == packet, "%s", packet->name);
        CHECK(type, found.size >= wire_size(packet), "%s", packet->name);
        if (packet->example)
            wire_encode(packet, packet->example, body);
        CHECK(type, memcmp(found.body, body, wire_size(packet)) == 0, "%s", packet->name);
        CHECK(type, packet->example || packet->field_count == 0, "%s has an example", packet->name);
    }
    CHECK(type, carried >= 1, "%s goes over %u channels", packet->name, carried);
}

static void check_examples(const struct robot_type *type)
{
    for (unsigned c = 0; c < type->channel_count; c++)
        CHECK(type, type->channels[c].framing, "channel %u", c);
    for (size_t i = 0; type->packets[i]; i++)
        check_example(type, type->packets[i]);
}

static void a_frame_around_a_body_is_taken_apart_again(void **state)
{
    (void)state;
    for_every_type(check_examples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_complete),
        cmocka_unit_test(serial_channels_begin_at_the_documented_rate),
        cmocka_unit_test(at_the_start_a_battery_shows_the_volts_of_its_option),
        cmocka_unit_test(the_charge_is_linear_between_the_limits_of_the_voltage),
        cmocka_unit_test(a_reset_is_the_first_boot),
        cmocka_unit_test(packets_are_as_documented),
        cmocka_unit_test(a_frame_around_a_body_is_taken_apart_again),
        cmocka_unit_test(decoding_is_the_inverse_of_encoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
