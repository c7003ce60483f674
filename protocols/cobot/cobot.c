/* The COBOT as a robot type: power-on, bytes in, one pass. */
#include "protocols/cobot/cobot.h"

#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "protocols/cobot/cobot_commands.h"
#include "protocols/cobot/cobot_feedback.h"
#include "protocols/cobot/cobot_imu.h"
#include "protocols/cobot/cobot_motion.h"
#include "protocols/cobot/cobot_power.h"
#include "protocols/cobot/cobot_rows.h"
#include "protocols/cobot/cobot_state.h"
#include "protocols/trig.h"

static const struct channel_spec channels[COBOT_CHANNELS] = {
    [COBOT_UART] = {.name = "uart",
                    .kind = CHANNEL_SERIAL,
                    .baud = 115200, /* public document, item 1 */
                    .frame_max = COBOT_FRAME_MAX},
    [COBOT_BLUETOOTH] = {.name = "bluetooth",
                         .kind = CHANNEL_SERIAL,
                         .baud = 115200, /* chosen: the document names one baud */
                         .frame_max = COBOT_FRAME_MAX},
};

static int64_t next_due(const struct cobot_state *state)
{
    int64_t due = cobot_feedback_due(state);
    due = state->control_due_us < due ? state->control_due_us : due;
    return state->window_due_us < due ? state->window_due_us : due;
}

static int64_t cobot_reset(void *memory, const struct robot_start *start)
{
    struct cobot_state *state = memory;
    struct robot_body body;
    memset(state, 0, sizeof *state);
    option_copy(cobot_option_rows, COBOT_OPTION_COUNT, start->options, &state->options);
    cobot_body(&state->options, &body);
    state->chassis = cobot_chassis_of(&state->options);
    state->free_m_s = body.supply_v / (body.emf_v_s_rad * body.gear) * body.wheels[0].radius_m;
    state->control_due_us = start->now_us + COBOT_CONTROL_PERIOD_US;
    state->window_due_us = start->now_us + COBOT_WINDOW_US;
    state->imu_key = rng_key(start->rng_key, "imu");
    cobot_motion_reset(state);
    cobot_commands_reset(state);
    cobot_feedback_reset(state, start->now_us);
    return next_due(state);
}

/* Feedback needs no connection, and the board sees none. */
static int64_t cobot_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    (void)channel;
    (void)present;
    (void)now_us;
    return next_due(memory);
}

static int64_t cobot_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                        int64_t now_us)
{
    (void)now_us;
    struct cobot_state *state = memory;
    for (size_t i = 0; i < size; i++)
        cobot_commands_byte(state, (enum cobot_channel)channel, bytes[i]);
    return next_due(state);
}

static int64_t cobot_tick(void *memory, const struct robot_sensors *sensors,
                          struct robot_actuators *actuators, const struct robot_tx *tx,
                          int64_t now_us)
{
    struct cobot_state *state = memory;
    cobot_motion_read(state, sensors);
    cobot_power_read(state, sensors);
    int64_t due_us;
    while ((due_us = next_due(state)) <= now_us) {
        if (state->control_due_us == due_us) {
            cobot_imu_sample(state, sensors);
            cobot_motion_step(state);
        } else if (state->window_due_us == due_us) {
            cobot_motion_window(state);
        } else {
            cobot_feedback_send(state, sensors, tx, due_us);
        }
    }
    for (int i = 0; i < COBOT_WHEELS; i++) {
        actuators->motor[i] = state->motion.wheel[i].duty;
        actuators->motor_free[i] = !cobot_chassis_is_driven(&state->chassis, i);
    }
    actuators->steer_rad = state->motion.steer_rad;
    actuators->charge_rate_1_s = cobot_power_charge_rate(state);
    return due_us;
}

static bool cobot_walk(unsigned channel, enum wire_direction direction, const uint8_t *frame,
                       size_t size, robot_visit *visit, void *user)
{
    struct cobot_part part;
    if (channel == COBOT_BLUETOOTH && direction == WIRE_TO_ROBOT && size == 1 &&
        cobot_letter_is_known(frame[0])) {
        visit(user, &cobot_letter_packet, cobot_letter_packet.id, frame, 1);
        return true;
    }
    if (!cobot_frame_part(direction, frame, size, &part))
        return false;
    visit(user, cobot_packet_find(direction, part.function), part.function, part.data, part.size);
    return true;
}

/* ---- Battery ---- */

static double charge_at(const void *options, double volts)
{
    return cobot_battery_charge(options, volts);
}

static double charge_at_start(const void *options)
{
    const struct cobot_options *chosen = options;
    return cobot_battery_charge(chosen, chosen->battery_v);
}

/* ---- Motion: speeds, to be integrated by the host ---- */

static double signed_value(uint8_t sign, uint16_t magnitude, double scale)
{
    return (sign ? -1 : 1) * scale * magnitude;
}

static void cobot_odometry(const void *state, struct robot_odometry *odometry)
{
    const struct cobot_state *self = state;
    const struct cobot_move *velocity = &self->last.velocity;
    odometry->kind = ROBOT_ODOMETRY_SPEEDS;
    odometry->x_m_s = signed_value(velocity->x_sign, velocity->x, 0.001);
    odometry->y_m_s = signed_value(velocity->y_sign, velocity->y, 0.001);
    odometry->turn_rad_s = signed_value(velocity->turn_sign, velocity->turn, 0.01);
    if (self->options.model == COBOT_ACKERMANN &&
        self->options.turn_report == COBOT_TURN_REPORT_STEERING) {
        double sine, cosine, degrees = odometry->turn_rad_s * 100;
        trig_sin_cos(degrees * 0.017453292519943295769, &sine, &cosine);
        odometry->turn_rad_s = odometry->x_m_s * sine / cosine / self->chassis.wheelbase_m;
    }
}

const struct robot_type cobot_type = {
    .name = "cobot",
    .title = "COBOT 4WD (CODBOT)",
    .channels = channels,
    .channel_count = COBOT_CHANNELS,
    .options = cobot_option_rows,
    .option_count = COBOT_OPTION_COUNT,
    .options_size = sizeof(struct cobot_options),
    .signals = cobot_signal_rows,
    .signal_count = COBOT_SIGNAL_COUNT,
    .mirrors = cobot_mirror_rows,
    .mirror_count = COBOT_MIRROR_COUNT,
    .looks = cobot_look_rows,
    .look_count = COBOT_LOOK_COUNT,
    .packets = cobot_packets,
    .packet_count = COBOT_PACKET_COUNT,
    .state_size = sizeof(struct cobot_state),
    .stats_offset = offsetof(struct cobot_state, stats),
    .storage_offset = SIZE_MAX,
    .body = cobot_body,
    .battery_charge = charge_at,
    .battery_start = charge_at_start,
    .reset = cobot_reset,
    .host = cobot_host,
    .rx = cobot_rx,
    .tick = cobot_tick,
    .odometry = cobot_odometry,
    .walk = cobot_walk,
};
