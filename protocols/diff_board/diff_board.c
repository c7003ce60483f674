/* The board as a robot type: power-on, bytes in, one pass of the loop. */
#include "protocols/diff_board/diff_board.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/modem_lines.h"
#include "base/rng.h"
#include "protocols/diff_board/diff_board_imu.h"
#include "protocols/diff_board/diff_board_memory.h"
#include "protocols/diff_board/diff_board_models.h"
#include "protocols/diff_board/diff_board_motion.h"
#include "protocols/diff_board/diff_board_odometry.h"
#include "protocols/diff_board/diff_board_replies.h"
#include "protocols/diff_board/diff_board_rows.h"
#include "protocols/diff_board/diff_board_state.h"

static const struct channel_spec channels[] = {
    {.name = "uart",
     .kind = CHANNEL_SERIAL,
     .baud = 115200, /* pypibot params.py: pibotBaud */
     .frame_max = DIFF_BOARD_REPLY_MAX,
     .device = "/dev/pibot"}, /* pypibot: transport.py; pibot_bringup: the driver's default */
};

static uint32_t baud(const void *options, unsigned channel)
{
    const struct diff_board_options *chosen = options;
    return chosen->board == DIFF_BOARD_STM32F4 ? 921600 : channels[channel].baud;
}

/* ---- The contract ---- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_due(const struct diff_board_state *state)
{
    if (state->is_booting)
        return earlier(state->boot_until_us, state->wake_us);
    int64_t due_us = earlier(state->odom.due_us, state->imu.due_us);
    due_us = earlier(due_us, state->motion.due_us);
    due_us = earlier(due_us, state->wake_us);
    return earlier(due_us, diff_board_replies_due(&state->replies));
}

/* What a microcontroller forgets when it starts. */
static void start(struct diff_board_state *state, int64_t now_us)
{
    memset(&state->framer, 0, sizeof state->framer);
    memset(&state->last.pid, 0, sizeof state->last.pid);
    memset(&state->last.imu, 0, sizeof state->last.imu);
    diff_board_replies_clear(&state->replies);
    diff_board_motion_reset(state, now_us);
    diff_board_odometry_clear(state);
    state->odom.due_us = now_us + DIFF_BOARD_ODOMETRY_PERIOD_US;
    state->imu.due_us = now_us;
    state->boots++;
}

static int64_t diff_board_reset(void *memory, const struct robot_start *from)
{
    struct diff_board_state *state = memory;
    memset(state, 0, sizeof *state);
    diff_board_options_copy(&state->options, from->options);
    diff_board_memory_load(state, from->storage);
    state->imu.key = rng_key(from->rng_key, "imu");
    state->wake_us = ROBOT_NEVER;
    start(state, from->now_us);
    return next_due(state);
}

static int64_t diff_board_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    (void)channel, (void)present, (void)now_us;
    return next_due(memory);
}

/* On an Arduino DTR goes to the reset pin through a capacitor: the board boots when a host opens
 * the port, and whenever it sets DTR later. */
static int64_t diff_board_lines(void *memory, unsigned channel, unsigned lines, int64_t now_us)
{
    (void)channel;
    struct diff_board_state *state = memory;
    bool was_on = state->is_dtr_on;
    state->is_dtr_on = (lines & MODEM_DTR) != 0;
    if (state->is_dtr_on && !was_on && state->options.has_auto_reset) {
        state->is_booting = true;
        state->boot_until_us = now_us + (int64_t)floor(state->options.boot_s * 1e6);
        state->wake_us = now_us; /* the motors stop now */
        start(state, state->boot_until_us);
    }
    return next_due(state);
}

static int64_t diff_board_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                             int64_t now_us)
{
    (void)channel;
    struct diff_board_state *state = memory;
    bool is_old = state->options.firmware == DIFF_BOARD_FIRMWARE_1_0_1;
    unsigned ids = is_old ? DIFF_BOARD_ID_COUNT_1_0_1 : DIFF_BOARD_ID_COUNT;
    if (state->is_booting) {
        state->stats.noise_bytes += size;
        return next_due(state);
    }
    for (size_t i = 0; i < size; i++)
        if (diff_board_framer_push(&state->framer, bytes[i], ids, &state->stats))
            diff_board_replies_request(state, now_us);
    return next_due(state);
}

/* Does the one thing that is due at DUE_US. */
static void run_due(struct diff_board_state *state, const struct robot_sensors *sensors,
                    int64_t due_us)
{
    if (state->motion.due_us == due_us)
        diff_board_motion_pass(state, due_us);
    else if (state->odom.due_us == due_us)
        diff_board_odometry_update(state);
    else
        diff_board_imu_update(state, sensors);
}

static int64_t diff_board_tick(void *memory, const struct robot_sensors *sensors,
                               struct robot_actuators *actuators, const struct robot_tx *tx,
                               int64_t now_us)
{
    struct diff_board_state *state = memory;
    state->wake_us = ROBOT_NEVER;
    diff_board_motion_look(state, sensors);
    state->is_booting = state->is_booting && now_us < state->boot_until_us;
    if (!state->is_booting) {
        diff_board_replies_send(state, tx, now_us);
        int64_t due_us;
        while ((due_us = earlier(earlier(state->odom.due_us, state->imu.due_us),
                                 state->motion.due_us)) <= now_us)
            run_due(state, sensors, due_us);
    }
    diff_board_motion_drive(state, actuators->motor);
    return next_due(state);
}

static bool diff_board_walk(unsigned channel, enum wire_direction direction, const uint8_t *frame,
                            size_t size, robot_visit *visit, void *user)
{
    (void)channel;
    const uint8_t *body;
    size_t body_size;
    if (!diff_board_frame_body(frame, size, &body, &body_size))
        return false;
    visit(user, diff_board_packet_find(direction, frame[1]), frame[1], body, body_size);
    return true;
}

/* ---- Battery: the board does not measure it, so a straight line will do ---- */

static double battery_charge(const void *options, double volts)
{
    struct robot_body body;
    diff_board_body(options, &body);
    double charge = (volts - body.battery_min_v) / (body.battery_max_v - body.battery_min_v);
    return fmax(0, fmin(1, charge));
}

static double battery_start(const void *options)
{
    (void)options;
    return 1;
}

/* ---- Motion: the board's own odometry ---- */

static void diff_board_odometry(const void *state, struct robot_odometry *odometry)
{
    const struct diff_board_odometry *last =
        &((const struct diff_board_state *)state)->last.odometry;
    odometry->kind = ROBOT_ODOMETRY_POSE;
    odometry->x_m = last->x * 0.01;
    odometry->y_m = last->y * 0.01;
    odometry->heading_rad = last->yaw * 0.01;
}

const struct robot_type diff_board_type = {
    .name = "diff_board",
    .title = "PIBOT chassis board",
    .channels = channels,
    .channel_count = 1,
    .options = diff_board_option_rows,
    .option_count = DIFF_BOARD_OPTION_COUNT,
    .options_size = sizeof(struct diff_board_options),
    .signals = diff_board_signal_rows,
    .signal_count = DIFF_BOARD_SIGNAL_COUNT,
    .mirrors = diff_board_mirror_rows,
    .mirror_count = DIFF_BOARD_MIRROR_COUNT,
    .commands = diff_board_command_rows,
    .command_count = DIFF_BOARD_COMMAND_COUNT,
    .looks = diff_board_look_rows,
    .look_count = DIFF_BOARD_LOOK_COUNT,
    .packets = diff_board_packets,
    .packet_count = DIFF_BOARD_PACKET_COUNT,
    .state_size = sizeof(struct diff_board_state),
    .stats_offset = offsetof(struct diff_board_state, stats),
    .storage_offset = offsetof(struct diff_board_state, storage),
    .body = diff_board_body,
    .baud = baud,
    .battery_charge = battery_charge,
    .battery_start = battery_start,
    .reset = diff_board_reset,
    .host = diff_board_host,
    .lines = diff_board_lines,
    .rx = diff_board_rx,
    .tick = diff_board_tick,
    .odometry = diff_board_odometry,
    .walk = diff_board_walk,
};
