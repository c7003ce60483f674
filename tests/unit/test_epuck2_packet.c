/* The e-puck2's sensor packet: the offset of each byte, and the cause that changes each field. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/epuck2_rig.h"

/* Offsets after the ID, as in the firmware and its clients. Half of them are odd. */
static const struct {
    const char *field;
    size_t offset, size, count;
} layout[] = {
    {"acc_x", 0, 2, 1},          {"acc_y", 2, 2, 1},           {"acc_z", 4, 2, 1},
    {"acc_magnitude", 6, 4, 1},  {"orientation", 10, 4, 1},    {"inclination", 14, 4, 1},
    {"gyro_x", 18, 2, 1},        {"gyro_y", 20, 2, 1},         {"gyro_z", 22, 2, 1},
    {"mag_x", 24, 4, 1},         {"mag_y", 28, 4, 1},          {"mag_z", 32, 4, 1},
    {"temperature", 36, 1, 1},   {"prox", 37, 2, 8},           {"ambient", 53, 2, 8},
    {"tof", 69, 2, 1},           {"mic_right", 71, 2, 1},      {"mic_left", 73, 2, 1},
    {"mic_back", 75, 2, 1},      {"mic_front", 77, 2, 1},      {"left_steps", 79, 2, 1},
    {"right_steps", 81, 2, 1},   {"battery", 83, 2, 1},        {"sd", 85, 1, 1},
    {"remote_toggle", 86, 1, 1}, {"remote_address", 87, 1, 1}, {"remote_data", 88, 1, 1},
    {"selector", 89, 1, 1},      {"ground", 90, 2, 3},         {"ground_ambient", 96, 2, 3},
    {"button", 102, 1, 1},       {"reserved", 103, 1, 1},
};

static void every_field_has_its_place(void **state)
{
    (void)state;
    const struct wire_packet *packet = &epuck2_sensors_packet;
    size_t offset = 0;
    assert_int_equal(packet->field_count, sizeof layout / sizeof layout[0]);
    for (size_t i = 0; i < packet->field_count; i++) {
        assert_string_equal(packet->fields[i].name, layout[i].field);
        assert_int_equal(offset, layout[i].offset);
        assert_int_equal(packet->fields[i].count, layout[i].count);
        assert_int_equal(wire_field_size(&packet->fields[i]), layout[i].size * layout[i].count);
        offset += wire_field_size(&packet->fields[i]);
    }
    assert_int_equal(offset, 104);
}

/* Sets one field to a number whose bytes all differ, and checks that they appear at its offset and
 * nowhere else. */
static void a_field_changes_its_own_bytes_and_no_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layout / sizeof layout[0]; i++) {
        static const uint8_t pattern[4] = {0x11, 0x22, 0x33, 0x44};
        struct epuck2_sensors message = {0};
        uint8_t body[104];
        const struct wire_field *field = &epuck2_sensors_packet.fields[i];
        size_t last = layout[i].count - 1;
        uint8_t *member = (uint8_t *)&message + field->offset + last * layout[i].size;
        const uint32_t four = 0x44332211;
        const uint16_t two = 0x2211;
        memcpy(member,
               layout[i].size == 4   ? (const void *)&four
               : layout[i].size == 2 ? (const void *)&two
                                     : pattern,
               layout[i].size);
        assert_int_equal(wire_encode(&epuck2_sensors_packet, &message, body), sizeof body);
        size_t place = layout[i].offset + last * layout[i].size;
        for (size_t at = 0; at < sizeof body; at++) {
            bool is_own = at >= place && at < place + layout[i].size;
            assert_int_equal(body[at], is_own ? pattern[at - place] : 0);
        }
    }
}

static void floats_are_little_endian_at_places_that_are_not_aligned(void **state)
{
    (void)state;
    struct epuck2_sensors message = {.acc_magnitude = 768.0f, .mag_z = -42.0f};
    uint8_t body[104];
    wire_encode(&epuck2_sensors_packet, &message, body);
    assert_memory_equal(body + 6, "\x00\x00\x40\x44", 4);
    assert_memory_equal(body + 32, "\x00\x00\x28\xc2", 4);
}

static void at_rest_the_packet_says_so(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    struct epuck2_sensors seen = rig_sensors(rig);
    assert_int_equal(seen.acc_x, 0);
    assert_int_equal(seen.acc_y, 0);
    assert_int_equal(seen.acc_z, 768);
    assert_true(fabsf(seen.acc_magnitude - 768.0f) < 0.01f);
    assert_true(seen.orientation == 0 && seen.inclination == 0);
    assert_int_equal(seen.gyro_z, 0);
    assert_int_equal(seen.temperature, 28);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(seen.prox[i], 0);
        assert_in_range(seen.ambient[i], 3000, 4095);
    }
    assert_true(seen.tof > 2000);
    assert_int_equal(seen.left_steps, 0);
    assert_in_range(seen.battery, 3270, 3285); /* 4.0 V */
    assert_int_equal(seen.selector, 15);
    assert_int_equal(seen.ground[0] + seen.ground[1] + seen.ground[2], 0);
    assert_int_equal(seen.ground_ambient[1], 0);
    assert_int_equal(seen.button + seen.sd + seen.reserved, 0);
    rig_free(rig);
}

/* Effects of the causes on the robot. */
static void cause_acc_x(struct epuck2_rig *rig)
{
    rig->sensors.accel_m_s2[1] = 3;
}
static void cause_acc_y(struct epuck2_rig *rig)
{
    rig->sensors.accel_m_s2[0] = 3;
}
static void cause_tilt(struct epuck2_rig *rig)
{
    rig_do(rig, "tilt roll=30 pitch=20");
}
static void cause_gyro(struct epuck2_rig *rig)
{
    for (int i = 0; i < 3; i++)
        rig->sensors.gyro_rad_s[i] = 1;
}
static void cause_field(struct epuck2_rig *rig)
{
    for (int i = 0; i < 3; i++)
        rig->sensors.field_ut[i] += 10;
}
static void cause_warmth(struct epuck2_rig *rig)
{
    rig->sensors.temperature_c = 30;
}
static void cause_wall(struct epuck2_rig *rig)
{
    for (int i = 0; i < 8; i++)
        rig->sensors.sensor[EPUCK2_PROX0 + i].distance_m = 0.03;
    rig->sensors.sensor[EPUCK2_TOF].distance_m = 0.3;
}
static void cause_light(struct epuck2_rig *rig)
{
    for (int i = 0; i < EPUCK2_SENSOR_COUNT; i++)
        rig->sensors.sensor[i].level = 0.5;
}
static void cause_motion(struct epuck2_rig *rig)
{
    rig_order(rig, &(struct epuck2_command){.request = 2, .left = 300, .right = -300});
}
static void cause_battery(struct epuck2_rig *rig)
{
    rig->sensors.battery_charge = 0.2;
}
static void cause_sd(struct epuck2_rig *rig)
{
    rig_do(rig, "sd");
}
static void cause_remote(struct epuck2_rig *rig)
{
    rig_do(rig, "remote key=5 address=8");
}
static void cause_selector(struct epuck2_rig *rig)
{
    rig_do(rig, "selector position=3");
}
static void cause_floor(struct epuck2_rig *rig)
{
    for (int i = 0; i < 3; i++)
        rig->sensors.sensor[EPUCK2_GROUND_LEFT + i].reflectance = 0;
}
static void cause_button(struct epuck2_rig *rig)
{
    rig->sensors.buttons = 1;
}

static const struct {
    const char *field;
    void (*cause)(struct epuck2_rig *rig);
} causes[] = {
    {"acc_x", cause_acc_x},          {"acc_y", cause_acc_y},
    {"acc_z", cause_tilt},           {"acc_magnitude", cause_acc_x},
    {"orientation", cause_tilt},     {"inclination", cause_tilt},
    {"gyro_x", cause_gyro},          {"gyro_y", cause_gyro},
    {"gyro_z", cause_gyro},          {"mag_x", cause_field},
    {"mag_y", cause_field},          {"mag_z", cause_field},
    {"temperature", cause_warmth},   {"prox", cause_wall},
    {"ambient", cause_light},        {"tof", cause_wall},
    {"mic_right", cause_light},      {"mic_left", cause_light},
    {"mic_back", cause_light},       {"mic_front", cause_light},
    {"left_steps", cause_motion},    {"right_steps", cause_motion},
    {"battery", cause_battery},      {"sd", cause_sd},
    {"remote_toggle", cause_remote}, {"remote_address", cause_remote},
    {"remote_data", cause_remote},   {"selector", cause_selector},
    {"ground", cause_floor},         {"ground_ambient", cause_light},
    {"button", cause_button},
};

static const struct wire_field *field_named(const char *name)
{
    for (size_t i = 0; i < epuck2_sensors_packet.field_count; i++)
        if (strcmp(epuck2_sensors_packet.fields[i].name, name) == 0)
            return &epuck2_sensors_packet.fields[i];
    fail_msg("no field %s", name);
    return NULL;
}

static void every_field_moves_with_its_cause(void **state)
{
    (void)state;
    /* All fields except for the last, which is reserved. */
    assert_int_equal(sizeof causes / sizeof causes[0], epuck2_sensors_packet.field_count - 1);
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        struct epuck2_rig *rig = rig_new("ground_sensors=yes");
        const struct wire_field *field = field_named(causes[i].field);
        rig_stream(rig);
        struct epuck2_sensors before = rig_sensors(rig);
        rig_run(rig, 500);
        struct epuck2_sensors still = rig_sensors(rig);
        causes[i].cause(rig);
        rig_run(rig, 500);
        struct epuck2_sensors after = rig_sensors(rig);
        for (size_t k = 0; k < field->count; k++) {
            double was = wire_raw(field, &before, k);
            if (wire_raw(field, &still, k) != was || wire_raw(field, &after, k) == was) {
                fail_msg("%s[%zu] was %g, then %g, then %g", field->name, k, was,
                         wire_raw(field, &still, k), wire_raw(field, &after, k));
            }
        }
        rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_its_place),
        cmocka_unit_test(a_field_changes_its_own_bytes_and_no_others),
        cmocka_unit_test(floats_are_little_endian_at_places_that_are_not_aligned),
        cmocka_unit_test(at_rest_the_packet_says_so),
        cmocka_unit_test(every_field_moves_with_its_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
