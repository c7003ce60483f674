/* The contract of a robot, its time: hosts that are silent, absent or do not read, and commands at
 * any moment, do no harm to any type in the registry, whatever its options are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/support/every_stream.h"
#include "tests/support/golden.h"
#include "tests/support/robot_rig.h"
#include "tests/support/sample.h"
#include "tests/support/tested_types.h"

enum { SECOND_US = 1000000, SEEDS = 10 };

/* Sends the streams of all channels, as a busy host would. */
static void talk(struct robot_rig *rig)
{
    for (unsigned channel = 0; channel < rig->type->channel_count; channel++) {
        size_t size;
        uint8_t *bytes = stream_of(rig->type, channel, &size, NULL);
        if (bytes)
            rig_rx(rig, channel, bytes, size);
        free(bytes);
    }
}

static void for_every_rig(void (*check)(struct robot_rig *rig))
{
    size_t count;
    const struct robot_type *const *types = tested_types(&count);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed += sample_stride()) {
            struct robot_rig rig;
            rig_open(&rig, types[i], seed);
            check(&rig);
            assert_sound(&rig);
            rig_close(&rig);
        }
    }
}

static void check_silence(struct robot_rig *rig)
{
    rig_run(rig, 10 * SECOND_US);
    talk(rig);
    rig_run(rig, 10 * SECOND_US);
}

static void a_silent_host_does_no_harm(void **state)
{
    (void)state;
    for_every_rig(check_silence);
}

static void check_absence(struct robot_rig *rig)
{
    for (int round = 0; round < 20; round++) {
        for (unsigned channel = 0; channel < rig->type->channel_count; channel++) {
            rig_host(rig, channel, round % 2 == 0);
            rig_run(rig, SECOND_US / 10);
        }
        if (round % 2 == 0)
            talk(rig);
    }
}

static void hosts_that_come_and_go_do_no_harm(void **state)
{
    (void)state;
    for_every_rig(check_absence);
}

static void check_full(struct robot_rig *rig)
{
    rig->is_full = true;
    for (int round = 0; round < 10; round++) {
        talk(rig);
        rig_run(rig, SECOND_US / 10);
    }
    assert_int_equal(rig->sent, 0);
    rig->is_full = false;
    talk(rig);
    rig_run(rig, 2 * SECOND_US);
    uint64_t sent = 0;
    for (unsigned channel = 0; channel < rig->type->channel_count; channel++)
        sent += rig_stats(rig, channel)->sent;
    assert_int_equal(sent, rig->sent);
}

static void a_wire_that_takes_nothing_does_no_harm(void **state)
{
    (void)state;
    for_every_rig(check_full);
}

static void check_commands(struct robot_rig *rig)
{
    for (uint64_t round = 0; round < 20; round++) {
        for (size_t i = 0; i < rig->type->command_count; i++) {
            const struct command_row *command = &rig->type->commands[i];
            uint64_t args[ROBOT_ARGS_MAX / sizeof(uint64_t)] = {0};
            struct error error = {0};
            rig_arguments(command->args, command->arg_count, rng_u64(round, i), args);
            bool is_done = command->run(rig->state, args, rig->now_us, &error);
            if (!is_done && error.text[0] == '\0')
                fail_msg("%s.%s: refused without a word", rig->type->name, command->name);
            rig_run(rig, 3000);
        }
        talk(rig);
    }
    rig_run(rig, SECOND_US);
}

static void commands_with_any_allowed_arguments_do_no_harm(void **state)
{
    (void)state;
    for_every_rig(check_commands);
}

static void shake(struct robot_rig *rig, uint64_t round)
{
    struct robot_sensors *sensors = &rig->sensors;
    uint64_t random = rng_u64(round, 0);
    sensors->bumpers = (uint32_t)random & ((1u << ROBOT_BUMPERS_MAX) - 1);
    sensors->buttons = (uint32_t)(random >> 8) & ((1u << ROBOT_BUTTONS_MAX) - 1);
    sensors->charger = (enum charger_kind)(random >> 16) % 3;
    sensors->battery_charge = rng_uniform(round, 1);
    sensors->roll_rad = rng_uniform(round, 2) * 6 - 3;
    sensors->yaw_rad = rng_normal(round, 3) * 1000;
    for (size_t i = 0; i < 3; i++) {
        sensors->gyro_rad_s[i] = rng_normal(round, 10 + i) * 50;
        sensors->accel_m_s2[i] = rng_normal(round, 20 + i) * 100;
        sensors->field_ut[i] = rng_normal(round, 30 + i) * 1000;
    }
    for (size_t i = 0; i < ROBOT_WHEELS_MAX; i++) {
        sensors->motor_a[i] = rng_normal(round, 40 + i) * 5;
        sensors->wheel_rad[i] += rng_normal(round, 50 + i) * 100;
        sensors->wheel_dropped[i] = random >> (20 + i) & 1;
    }
    for (size_t i = 0; i < rig->body.sensor_count; i++) {
        sensors->sensor[i].reflectance = rng_uniform(round, 60 + i);
        sensors->sensor[i].level = rng_uniform(round, 100 + i);
        sensors->sensor[i].beams = (uint32_t)rng_u64(round, 140 + i);
        sensors->sensor[i].distance_m =
            random >> 40 & 1 ? (double)INFINITY : rng_uniform(round, 180 + i) * 2;
    }
}

static void check_shaking(struct robot_rig *rig)
{
    talk(rig);
    for (uint64_t round = 1; round <= 300; round++) {
        shake(rig, round);
        if (round % 20 == 0)
            talk(rig);
        rig_run(rig, SECOND_US / 50);
        assert_sound(rig);
    }
}

static void wild_sensors_do_no_harm(void **state)
{
    (void)state;
    for_every_rig(check_shaking);
}

static void a_copied_state_goes_on_alike(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = tested_types(&count);
    for (size_t i = 0; i < count; i++) {
        struct robot_rig first;
        struct robot_rig copy;
        rig_open(&first, types[i], 0);
        rig_open(&copy, types[i], 0);
        talk(&first);
        rig_run(&first, 10 * SECOND_US); /* the slowest start takes 8.2 s */
        talk(&first);
        rig_run(&first, SECOND_US / 100);

        rig_copy(&copy, &first);
        rig_run(&first, SECOND_US);
        rig_run(&copy, SECOND_US);
        assert_sound(&first);
        assert_memory_equal(first.state, copy.state, types[i]->state_size);
        assert_true(first.sent_hash == copy.sent_hash);
        assert_true(first.sent > 0);
        rig_close(&first);
        rig_close(&copy);
    }
}

static bool promises_answers(const struct robot_type *type)
{
    bool does = false;
    for (int way = WIRE_TO_HOST; way <= WIRE_TO_ROBOT; way++) {
        const struct wire_framing *framing = robot_framing(type, 0, (enum wire_direction)way);
        does = does || (framing && framing->promises);
    }
    return does;
}

/* One example for every robot whose answers only the request explains: queries of a packet and of a
 * list, and a scan. */
static void what_only_its_request_explains_is_held_against_it(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint8_t bytes[8];
        size_t size;
        uint64_t least;
    } rows[] = {
        {"create2", {0x80, 0x8E, 0x07, 0x95, 0x02, 0x15, 0x16}, 7, 3},
        {"rplidar_a1", {0xA5, 0x20}, 2, 1000},
    };
    size_t count, robots = 0;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++)
        robots += promises_answers(types[i]);
    assert_int_equal(robots, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < robots; i++) {
        struct robot_rig rig;
        rig_open(&rig, registry_find(rows[i].type), 0);
        rig_run(&rig, 3 * SECOND_US);
        rig_rx(&rig, 0, rows[i].bytes, rows[i].size);
        rig_run(&rig, 3 * SECOND_US);
        assert_sound(&rig);
        assert_false(rig.lines[0].is_lost);
        assert_true(rig.answers >= rows[i].least);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_host_does_no_harm),
        cmocka_unit_test(hosts_that_come_and_go_do_no_harm),
        cmocka_unit_test(a_wire_that_takes_nothing_does_no_harm),
        cmocka_unit_test(commands_with_any_allowed_arguments_do_no_harm),
        cmocka_unit_test(wild_sensors_do_no_harm),
        cmocka_unit_test(a_copied_state_goes_on_alike),
        cmocka_unit_test(what_only_its_request_explains_is_held_against_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
