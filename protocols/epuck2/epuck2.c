/* The e-puck2 as a robot type: power-on, bytes in, one pass of the loop. */
#include "protocols/epuck2/epuck2.h"

#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "protocols/epuck2/epuck2_lamps.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"
#include "protocols/epuck2/epuck2_rows.h"
#include "protocols/epuck2/epuck2_senses.h"
#include "protocols/epuck2/epuck2_sercom.h"
#include "protocols/epuck2/epuck2_sounds.h"
#include "protocols/epuck2/epuck2_state.h"
#include "protocols/epuck2/epuck2_stream.h"

static const struct channel_spec channels[EPUCK2_CHANNEL_COUNT] = {
    [EPUCK2_WIFI] = {.name = "wifi",
                     .kind = CHANNEL_TCP_SERVER,
                     .tcp_port = 1000, /* the WiFi protocol; hard-coded in every client */
                     .frame_max = EPUCK2_STREAM_FRAME_MAX},
    [EPUCK2_SERIAL] = {.name = "serial",
                       .kind = CHANNEL_SERIAL,
                       .baud = 115200, /* main.h */
                       .frame_max = EPUCK2_SERCOM_FRAME_MAX},
};

/* ---- The contract ---- */

static int64_t next_due(const struct epuck2_state *state)
{
    int64_t due = state->sense_due_us;
    due = state->play.until_us < due ? state->play.until_us : due;
    due = state->sercom.due_us < due ? state->sercom.due_us : due;
    return state->stream.due_us < due ? state->stream.due_us : due;
}

static int64_t epuck2_reset(void *memory, const struct robot_start *start)
{
    struct epuck2_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(epuck2_option_rows, EPUCK2_OPTION_COUNT, start->options, &state->options);
    state->start_us = start->now_us;
    state->sense_due_us = start->now_us;
    state->prox_key = rng_key(start->rng_key, "prox");
    state->inertia_key = rng_key(start->rng_key, "inertia");
    state->other_key = rng_key(start->rng_key, "senses");
    state->has_sd = state->options.has_sd;
    state->selector = (uint8_t)state->options.selector;
    epuck2_motion_reset(state, start->now_us);
    epuck2_sounds_reset(&state->play);
    epuck2_stream_reset(state);
    epuck2_sercom_reset(state, start->now_us);
    return next_due(state);
}

static int64_t epuck2_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    struct epuck2_state *state = memory;
    if (channel == EPUCK2_WIFI)
        epuck2_stream_host(state, present, now_us);
    return next_due(state);
}

static int64_t epuck2_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                         int64_t now_us)
{
    struct epuck2_state *state = memory;
    bool uses_bad_id =
        state->options.bad_id == EPUCK2_BAD_ID_USE && state->stream.phase == EPUCK2_STREAMING;
    if (channel == EPUCK2_SERIAL) {
        epuck2_sercom_rx(state, bytes, size, now_us);
        return next_due(state);
    }
    for (size_t i = 0; i < size; i++)
        if (epuck2_framer_push(&state->framer, bytes[i], uses_bad_id, &state->stats[channel]))
            epuck2_stream_arrived(state, now_us);
    return next_due(state);
}

static void sense_pass(struct epuck2_state *state, const struct robot_sensors *sensors,
                       int64_t now_us)
{
    epuck2_power_read(state, sensors);
    epuck2_motion_advance(state, now_us);
    epuck2_senses_pass(state, sensors);
    if (state->sense_passes % 2 == 0)
        epuck2_motion_pass(state, now_us);
    epuck2_stream_look(state, now_us);
    state->sense_due_us += EPUCK2_SENSE_PERIOD_US;
}

/* Does the one thing that is due at DUE_US; at one time, what is sent comes last. */
static void run_due(struct epuck2_state *state, const struct robot_sensors *sensors,
                    const struct robot_tx *tx, int64_t due_us)
{
    if (state->play.until_us == due_us)
        epuck2_sounds_next(&state->play);
    else if (state->sense_due_us == due_us)
        sense_pass(state, sensors, due_us);
    else if (state->sercom.due_us == due_us)
        epuck2_sercom_send(state, &sensors->image, tx, due_us);
    else
        epuck2_stream_turn(state, &sensors->image, tx, due_us);
}

static int64_t epuck2_tick(void *memory, const struct robot_sensors *sensors,
                           struct robot_actuators *actuators, const struct robot_tx *tx,
                           int64_t now_us)
{
    struct epuck2_state *state = memory;
    int64_t due_us;
    state->stream.is_picture_due = false;
    while ((due_us = next_due(state)) <= now_us)
        run_due(state, sensors, tx, due_us);
    epuck2_lamps_update(state, now_us);
    for (int i = 0; i < EPUCK2_WHEELS; i++) {
        const struct epuck2_wheel *wheel = &state->motion.wheel[i];
        actuators->motor[i] = wheel->true_steps_s * EPUCK2_RAD_PER_STEP;
        actuators->motor_free[i] = wheel->driven == 0; /* the coils are off */
    }
    actuators->sound_hz = state->play.hz;
    actuators->sound_level = state->play.hz > 0 ? 1 : 0;
    actuators->charge_rate_1_s = epuck2_power_charge_rate(state);
    actuators->wants_image = state->stream.is_picture_due || state->sercom.wants_picture;
    state->sercom.wants_picture = false;
    return due_us;
}

/* A whole request over the serial line: a line of text, or a batch that ends with 0. */
static bool is_request(const uint8_t *bytes, size_t size)
{
    uint8_t last = bytes[size - 1];
    if (bytes[0] >= 0x80)
        return size > 1 && last == 0;
    return bytes[0] > ' ' && (last == '\r' || last == '\n');
}

static bool walk_serial(enum wire_direction direction, const uint8_t *frame, size_t size,
                        robot_visit *visit, void *user)
{
    if (direction == WIRE_TO_ROBOT && !is_request(frame, size))
        return false;
    const struct wire_packet *packet =
        direction == WIRE_TO_ROBOT ? &epuck2_request_packet : &epuck2_answer_packet;
    visit(user, packet, packet->id, frame, size);
    return true;
}

static bool epuck2_walk(unsigned channel, enum wire_direction direction, const uint8_t *frame,
                        size_t size, robot_visit *visit, void *user)
{
    if (size == 0)
        return false;
    if (channel == EPUCK2_SERIAL)
        return walk_serial(direction, frame, size, visit, user);
    const struct wire_packet *packet = epuck2_packet_find(direction, frame[0]);
    if (!packet)
        return false;
    size_t body = packet->repeat ? EPUCK2_IMAGE_SIZE : packet->size;
    if (size != 1 + body)
        return false;
    visit(user, packet, frame[0], frame + 1, body);
    return true;
}

/* ---- Battery ---- */

static double charge_at(const void *options, double volts)
{
    (void)options;
    return epuck2_battery_charge(volts);
}

static double charge_at_start(const void *options)
{
    const struct epuck2_options *chosen = options;
    return epuck2_battery_charge(chosen->battery_v);
}

/* Drivers make the heading of the wheels' ways too, with the true sizes of the machine. */
static void epuck2_odometry(const void *memory, struct robot_odometry *odometry)
{
    const struct epuck2_state *state = memory;
    double step_m = EPUCK2_RAD_PER_STEP * state->options.wheel_diameter_m / 2;
    double wrap = 65536;
    odometry->kind = ROBOT_ODOMETRY_WHEELS;
    odometry->left_m = (uint16_t)state->last.sensors.left_steps * step_m;
    odometry->right_m = (uint16_t)state->last.sensors.right_steps * step_m;
    odometry->wrap_m = wrap * step_m;
    odometry->heading_rad =
        (state->odometry_steps[EPUCK2_RIGHT] - state->odometry_steps[EPUCK2_LEFT]) * step_m /
        state->options.axle_m;
}

static const char *const button_names[] = {"user", NULL};

const struct robot_type epuck2_type = {
    .name = "epuck2",
    .title = "GCtronic e-puck2",
    .channels = channels,
    .channel_count = EPUCK2_CHANNEL_COUNT,
    .options = epuck2_option_rows,
    .option_count = EPUCK2_OPTION_COUNT,
    .options_size = sizeof(struct epuck2_options),
    .signals = epuck2_signal_rows,
    .signal_count = EPUCK2_SIGNAL_COUNT,
    .mirrors = epuck2_mirror_rows,
    .mirror_count = EPUCK2_MIRROR_COUNT,
    .commands = epuck2_command_rows,
    .command_count = EPUCK2_COMMAND_COUNT,
    .looks = epuck2_look_rows,
    .look_count = EPUCK2_LOOK_COUNT,
    .packets = epuck2_packets,
    .packet_count = EPUCK2_PACKET_COUNT,
    .buttons = button_names,
    .state_size = sizeof(struct epuck2_state),
    .stats_offset = offsetof(struct epuck2_state, stats),
    .storage_offset = SIZE_MAX,
    .body = epuck2_body,
    .battery_charge = charge_at,
    .battery_start = charge_at_start,
    .reset = epuck2_reset,
    .host = epuck2_host,
    .rx = epuck2_rx,
    .tick = epuck2_tick,
    .odometry = epuck2_odometry,
    .walk = epuck2_walk,
};
