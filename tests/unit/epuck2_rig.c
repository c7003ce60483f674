/* One e-puck2 in memory. */
#define _GNU_SOURCE
#include "tests/unit/epuck2_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"

static bool frame_sent(void *context, unsigned channel, const uint8_t *bytes, size_t size)
{
    struct epuck2_rig *rig = context;
    assert_true(rig->frame_count < RIG_FRAMES_MAX);
    assert_true(size <= RIG_BYTES_MAX - rig->byte_count);
    assert_true(size > 0 && size <= epuck2_type.channels[channel].frame_max);
    memcpy(rig->bytes + rig->byte_count, bytes, size);
    rig->frames[rig->frame_count++] = (struct rig_frame){
        .channel = channel,
        .at_us = rig->now_us,
        .bytes = rig->bytes + rig->byte_count,
        .size = size,
    };
    rig->byte_count += size;
    rig->queued += rig->is_unread ? size : 0;
    return true;
}

static size_t bytes_queued(void *context, unsigned channel)
{
    (void)channel;
    const struct epuck2_rig *rig = context;
    return rig->queued;
}

static void set_options(struct epuck2_rig *rig, const char *text)
{
    char copy[256] = "noise=off ";
    char *rest;
    strncat(copy, text ? text : "", sizeof copy - strlen(copy) - 1);
    option_defaults(epuck2_type.options, epuck2_type.option_count, &rig->options);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct error error;
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value = '\0';
        const struct option_row *row =
            option_find(epuck2_type.options, epuck2_type.option_count, word);
        assert_non_null(row);
        assert_true(option_set(row, value + 1, &rig->options, &error));
    }
}

static void rest(struct epuck2_rig *rig)
{
    struct robot_sensors *sensors = &rig->sensors;
    sensors->accel_m_s2[2] = 9.80665;
    sensors->field_ut[1] = 20;
    sensors->field_ut[2] = -44;
    sensors->temperature_c = 22;
    sensors->battery_charge = robot_start_charge(&epuck2_type, &rig->options);
    for (size_t i = 0; i < rig->body.sensor_count; i++) {
        const struct sensor_spec *spec = &rig->body.sensors[i];
        bool is_ground = spec->kind == SENSOR_GROUND;
        sensors->sensor[i].distance_m = is_ground ? spec->z_m : spec->range_m;
        sensors->sensor[i].reflectance = is_ground ? 1 : 0.8;
    }
}

struct epuck2_rig *rig_new(const char *options)
{
    struct epuck2_rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    set_options(rig, options);
    epuck2_type.body(&rig->options, &rig->body);
    rest(rig);
    const struct robot_start start = {.options = &rig->options, .rng_key = 42};
    rig->due_us = epuck2_type.reset(&rig->state, &start);
    return rig;
}

void rig_free(struct epuck2_rig *rig)
{
    free(rig);
}

static void pull(struct epuck2_rig *rig, int64_t due_us)
{
    rig->due_us = due_us < rig->due_us ? due_us : rig->due_us;
}

void rig_host(struct epuck2_rig *rig, unsigned channel, bool present)
{
    pull(rig, epuck2_type.host(&rig->state, channel, present, rig->now_us));
}

void rig_send(struct epuck2_rig *rig, unsigned channel, const void *bytes, size_t size)
{
    pull(rig, epuck2_type.rx(&rig->state, channel, bytes, size, rig->now_us));
}

void rig_run(struct epuck2_rig *rig, int64_t ms)
{
    const struct robot_tx tx = {.context = rig, .frame = frame_sent, .queued = bytes_queued};
    for (int64_t i = 0; i < ms; i++) {
        rig->now_us += 1000;
        if (!rig->is_unread)
            rig->queued = 0;
        if (rig->due_us <= rig->now_us) {
            rig->due_us =
                epuck2_type.tick(&rig->state, &rig->sensors, &rig->actuators, &tx, rig->now_us);
            if (rig->actuators.wants_image) {
                rig->pictures++;
                rig->sensors.image = (struct robot_image){
                    .width = EPUCK2_IMAGE_WIDTH, .height = EPUCK2_IMAGE_HEIGHT, .rgb = rig->rgb};
            }
        }
        for (int wheel = 0; wheel < EPUCK2_WHEELS; wheel++) {
            rig->sensors.wheel_rad_s[wheel] = rig->actuators.motor[wheel];
            rig->sensors.wheel_rad[wheel] += rig->actuators.motor[wheel] * 0.001;
        }
    }
}

void rig_order(struct epuck2_rig *rig, const struct epuck2_command *command)
{
    uint8_t frame[EPUCK2_COMMAND_FRAME] = {EPUCK2_ID_COMMAND};
    assert_int_equal(wire_encode(&epuck2_command_packet, command, frame + 1), EPUCK2_COMMAND_SIZE);
    rig_send(rig, EPUCK2_WIFI, frame, sizeof frame);
}

void rig_do(struct epuck2_rig *rig, const char *text)
{
    char copy[128];
    char *rest_of;
    snprintf(copy, sizeof copy, "%s", text);
    const char *name = strtok_r(copy, " ", &rest_of);
    const struct command_row *command = NULL;
    for (size_t i = 0; i < epuck2_type.command_count; i++)
        if (strcmp(epuck2_type.commands[i].name, name) == 0)
            command = &epuck2_type.commands[i];
    if (!command) {
        fail_msg("an e-puck2 has no command %s", name);
        return;
    }
    uint64_t args[ROBOT_ARGS_MAX / sizeof(uint64_t)] = {0};
    struct error error;
    option_defaults(command->args, command->arg_count, args);
    for (char *word; (word = strtok_r(NULL, " ", &rest_of));) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value = '\0';
        const struct option_row *row = option_find(command->args, command->arg_count, word);
        assert_non_null(row);
        assert_true(option_set(row, value + 1, args, &error));
    }
    assert_true(command->run(&rig->state, args, rig->now_us, &error));
}

void rig_forget(struct epuck2_rig *rig)
{
    rig->frame_count = 0;
    rig->byte_count = 0;
}

size_t rig_count(const struct epuck2_rig *rig, unsigned channel, uint8_t id)
{
    size_t count = 0;
    for (size_t i = 0; i < rig->frame_count; i++) {
        const struct rig_frame *frame = &rig->frames[i];
        count += frame->channel == channel && (channel == EPUCK2_SERIAL || frame->bytes[0] == id);
    }
    return count;
}

struct epuck2_sensors rig_sensors(const struct epuck2_rig *rig)
{
    struct epuck2_sensors sensors = {0};
    for (size_t i = rig->frame_count; i > 0; i--) {
        const struct rig_frame *frame = &rig->frames[i - 1];
        if (frame->channel == EPUCK2_WIFI && frame->bytes[0] == EPUCK2_ID_SENSORS) {
            assert_int_equal(frame->size, 1 + EPUCK2_SENSORS_SIZE);
            assert_true(wire_decode(&epuck2_sensors_packet, frame->bytes + 1, EPUCK2_SENSORS_SIZE,
                                    &sensors));
            return sensors;
        }
    }
    fail_msg("no sensor packet has come");
    return sensors;
}

void rig_stream(struct epuck2_rig *rig)
{
    rig_host(rig, EPUCK2_WIFI, true);
    rig_order(rig, &(struct epuck2_command){.request = EPUCK2_REQUEST_SENSORS});
    rig_run(rig, 200);
    assert_true(rig_count(rig, EPUCK2_WIFI, EPUCK2_ID_SENSORS) > 0);
}
