/* Binary commands. Left out: I2C, whose devices are not there (a read gives 0); switching sensors
 * off, which is acknowledged only. */
#include "protocols/epuck2/epuck2_sercom.h"

#include <stddef.h>
#include <string.h>

#include "protocols/epuck2/epuck2_actuate.h"
#include "protocols/epuck2/epuck2_lamps.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_senses.h"

enum { ACC_OFFSET = 2048 }; /* of the e-puck1's accelerometer */

static void add_u8(struct epuck2_state *state, uint8_t value)
{
    epuck2_sercom_add(state, &value, 1);
}

static void add_u16(struct epuck2_state *state, unsigned value)
{
    const uint8_t bytes[2] = {(uint8_t)(value & 0xff), (uint8_t)(value >> 8 & 0xff)};
    epuck2_sercom_add(state, bytes, sizeof bytes);
}

static void add_list(struct epuck2_state *state, const uint16_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_u16(state, values[i]);
}

static int16_t i16_at(const uint8_t *bytes)
{
    return (int16_t)(uint16_t)(bytes[0] | bytes[1] << 8);
}

/* ---- The commands ---- */

/* The sensor packet of WiFi without the button of the other processor. */
static void run_all(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    uint8_t body[EPUCK2_SENSORS_SIZE];
    struct epuck2_sensors sensors = {0};
    epuck2_motion_advance(state, now_us);
    epuck2_senses_packet(state, &sensors);
    sensors.button = 0;
    wire_encode(&epuck2_sensors_packet, &sensors, body);
    epuck2_sercom_add(state, body, sizeof body - 1);
}

static void run_actuators(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    uint8_t body[EPUCK2_COMMAND_SIZE] = {0};
    struct epuck2_command command;
    memcpy(body + 1, arguments, sizeof body - 1);
    wire_decode(&epuck2_command_packet, body, sizeof body, &command);
    int64_t free_us = epuck2_actuate(state, &command, now_us);
    if (free_us > now_us)
        epuck2_sercom_wait(state, EPUCK2_WAIT_SILENT_CALIBRATION, free_us);
}

static void run_rgb(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)now_us;
    for (unsigned i = 0; i < EPUCK2_RGB_COUNT; i++)
        epuck2_lamps_rgb(&state->lamps, i, arguments + (size_t)3 * i);
}

static void run_button(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_u8(state, state->has_button);
}

static void run_four_mics(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_list(state, state->mic, EPUCK2_MIC_COUNT);
}

static void run_three_mics(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_list(state, state->mic, 3);
}

static void run_tof(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_u16(state, state->tof);
}

static void run_sd(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_u8(state, state->has_sd);
}

/* Acknowledged with 0; so is the temperature, by a slip of the firmware. */
static void run_zero(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_u8(state, 0);
}

static void run_acc(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    for (int i = 0; i < 3; i++)
        add_u16(state, (unsigned)(state->inertia.acc[i] + ACC_OFFSET));
}

/* The three floats of the sensor packet: bytes 6 to 17. */
static void run_acc_spheric(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    uint8_t body[EPUCK2_SENSORS_SIZE];
    struct epuck2_sensors sensors = {0};
    epuck2_senses_packet(state, &sensors);
    wire_encode(&epuck2_sensors_packet, &sensors, body);
    epuck2_sercom_add(state, body + 6, 12);
}

static void run_battery(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_u16(state, state->power.raw);
}

static void run_set_speed(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    epuck2_motion_speeds(state, i16_at(arguments), i16_at(arguments + 2), now_us);
}

static void run_speed(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_u16(state, (uint16_t)state->motion.wheel[EPUCK2_LEFT].wanted);
    add_u16(state, (uint16_t)state->motion.wheel[EPUCK2_RIGHT].wanted);
}

static void run_gyro(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    for (int i = 0; i < 3; i++)
        add_u16(state, (uint16_t)state->inertia.gyro[i]);
}

static void run_image(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    state->sercom.picture_at = (int16_t)state->sercom.answer_size;
}

static void run_led(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)now_us;
    epuck2_lamps_ring(&state->lamps, arguments[0], arguments[1]);
}

static void run_ground(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_list(state, state->ground, EPUCK2_GROUND_COUNT);
    add_u16(state, 0); /* cliff sensors, which are not mounted */
}

static void run_prox(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_list(state, state->prox.value, EPUCK2_PROX_COUNT);
}

static void run_light(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    (void)now_us;
    add_list(state, state->prox.ambient, EPUCK2_PROX_COUNT);
}

static void run_set_steps(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    epuck2_motion_count(state, i16_at(arguments), i16_at(arguments + 2), now_us);
}

static void run_steps(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)arguments;
    epuck2_motion_advance(state, now_us);
    add_u16(state, (uint16_t)epuck2_motion_steps(&state->motion.wheel[EPUCK2_LEFT]));
    add_u16(state, (uint16_t)epuck2_motion_steps(&state->motion.wheel[EPUCK2_RIGHT]));
}

static void run_nothing(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us)
{
    (void)state;
    (void)arguments;
    (void)now_us;
}

static const struct binary {
    uint8_t code;
    uint8_t arguments; /* bytes */
    void (*run)(struct epuck2_state *state, const uint8_t *arguments, int64_t now_us);
} commands[] = {
    {0x08, 0, run_all},       {0x09, EPUCK2_ARGUMENTS_MAX, run_actuators},
    {0x0a, 12, run_rgb},      {0x0b, 0, run_button},
    {0x0c, 0, run_four_mics}, {0x0d, 0, run_tof},
    {0x0e, 0, run_sd},        {0x0f, 1, run_zero},
    {0x10, 1, run_zero},      {0x11, 1, run_zero},
    {'a', 0, run_acc},        {'A', 0, run_acc_spheric},
    {'b', 0, run_battery},    {'D', 4, run_set_speed},
    {'E', 0, run_speed},      {'g', 0, run_gyro},
    {'I', 0, run_image},      {'L', 2, run_led},
    {'M', 0, run_ground},     {'N', 0, run_prox},
    {'O', 0, run_light},      {'P', 4, run_set_steps},
    {'Q', 0, run_steps},      {'t', 0, run_zero},
    {'u', 0, run_three_mics}, {'W', 3, run_nothing},
    {'Y', 2, run_zero},
};

static const struct binary *find(uint8_t code)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (commands[i].code == code)
            return &commands[i];
    return NULL;
}

int epuck2_sercom_arguments(uint8_t code)
{
    const struct binary *command = find(code);
    return command ? command->arguments : -1;
}

void epuck2_sercom_binary(struct epuck2_state *state, uint8_t code, const uint8_t *arguments,
                          int64_t now_us)
{
    const struct binary *command = find(code);
    command->run(state, arguments, now_us);
}
