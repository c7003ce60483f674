/* The COBOT as a robot type: its tables, power-on, received bytes, one pass of the loop. */
#include "protocols/cobot/cobot.h"

#include <stddef.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/cobot/cobot_motion.h"
#include "protocols/cobot/cobot_state.h"

static const struct channel_spec channels[COBOT_CHANNELS] = {
    [COBOT_UART] = {.name = "uart",
                    .baud = 115200, /* public document, item 1 */
                    .frame_max = COBOT_FRAME_MAX,
                    .frames = {&cobot_framing_to_host, &cobot_framing_to_robot},
                    .framing = "`CD` to the robot or `FD` to the host, a byte with the length of "
                               "id and body, a byte of id, the body, and the exclusive or of id "
                               "and body"},
    [COBOT_BLUETOOTH] = {.name = "bluetooth",
                         .baud = 115200, /* chosen: the document names one rate only */
                         .frame_max = COBOT_FRAME_MAX,
                         .frames = {&cobot_framing_to_host, &cobot_framing_bluetooth},
                         .framing = "a letter has no frame; with the option `bluetooth` frames "
                                    "as on uart"},
};

/* ---- Options. There is an option for each choice that the public document leaves open. Its
 * default is the value that the vendor's host driver needs. ---- */

static const char *const model_words[] = {"ackermann", "differential", "mecanum", "tracked", NULL};

static const char *const feed_words[] = {"valid", "any", NULL};
static const char *const bluetooth_words[] = {"letters", "frames", "both", NULL};
static const char *const rates_words[] = {"document", "firmware", NULL};
static const char *const motor_words[] = {"mm_s", "mm_s_signed", "rpm", "rpm_signed", NULL};
static const char *const zero_words[] = {"plus", "minus", NULL};
static const char *const yaw_words[] = {"clockwise", "counter_clockwise", NULL};
static const char *const strafe_words[] = {"document", "swapped", NULL};
static const char *const strafe_from_words[] = {"all_wheels", "left_wheels", NULL};
static const char *const report_words[] = {"rate", "steering", NULL};
static const char *const loop_words[] = {"steady", "per_command", NULL};
static const char *const overflow_words[] = {"saturate", "wrap", NULL};

#define NUMBER(key, ...)  ROW_NUMBER(key, cobot_options, __VA_ARGS__)
#define INTEGER(key, ...) ROW_INTEGER(key, cobot_options, __VA_ARGS__)
#define CHOICE(name, ...) ROW_CHOICE(#name, cobot_options, name, __VA_ARGS__)

static const struct option_row option_rows[] = {
    CHOICE(model, model_words, "mecanum", "the chassis; reported by message 07"),
    NUMBER("track_m", track_m, "m", 0.1, 0.6, "0.22",
           "distance of left and right wheels (M100 firmware)"),
    NUMBER("wheelbase_m", wheelbase_m, "m", 0.1, 0.6, "0.185",
           "distance of the axles (M100 firmware)"),
    NUMBER("wheel_diameter_m", wheel_diameter_m, "m", 0.04, 0.2, "0.08", "M100 firmware"),
    NUMBER("battery_v", battery_v, "V", 0, 32, "12.35",
           "voltage at the start, within the range of the cells; chosen: nearly full"),
    INTEGER("battery_cells", battery_cells, "", 2, 7, "3",
            "cells in series: 3 is the pack of 12 V; with 7, message 04 omits its byte"),
    NUMBER("battery_ah", battery_ah, "Ah", 0.1, 100, "5", "capacity; chosen"),
    INTEGER("speed_max_mm_s", speed_max_mm_s, "mm/s", 1, 65535, "1000",
            "limit of X and Y in message 01; real value unknown, chosen"),
    INTEGER("watchdog_ms", watchdog_ms, "ms", 0, 3600000, "500",
            "gap between commands that stops the motors (document); 0: off"),
    CHOICE(watchdog_feed, feed_words, "valid",
           "any: accept frames with a wrong checksum too, as the real firmware does"),
    CHOICE(bluetooth, bluetooth_words, "letters",
           "input of the second channel; with frames, it also sends messages"),
    CHOICE(rates, rates_words, "document",
           "document: 40, 20 and 5 Hz; firmware: 40 Hz, a third and a sixth of it"),
    CHOICE(motor_speed, motor_words, "mm_s",
           "meaning of message 03; mm_s, without direction, in the real firmware"),
    CHOICE(zero_y_sign, zero_words, "plus",
           "sign of Y = 0 in message 02; minus in the real M100 firmware"),
    CHOICE(yaw, yaw_words, "clockwise", "direction of increasing yaw in messages 05 and 06"),
    CHOICE(strafe, strafe_words, "document", "swapped: Y positive to the right, both ways"),
    CHOICE(strafe_from, strafe_from_words, "all_wheels",
           "source of Y in message 02; left_wheels in the real M100 firmware"),
    CHOICE(turn_report, report_words, "rate",
           "Ackermann: meaning of W in message 02; steering: whole degrees"),
    CHOICE(speed_loop, loop_words, "steady",
           "per_command: one step per command, as in the real firmware"),
    CHOICE(turn_overflow, overflow_words, "saturate",
           "wrap: mecanum uses W modulo 256, a bug of the real M100 firmware"),
    CHOICE(battery_overflow, overflow_words, "saturate",
           "voltages above 25.5 V in message 04; wrap in the real firmware"),
    CHOICE(imu_overflow, overflow_words, "saturate",
           "values beyond 16 bits in message 06; wrap in the real firmware"),
    ROW_BOOL("noise", cobot_options, has_noise, "on", "noise of gyro and accelerometer"),
};

/* ---- Signals ---- */

#define SIGNAL(label, ...) SIGNAL_ROW(label, cobot_state, __VA_ARGS__)
#define WHEEL(label, i)                                                                            \
    SIGNAL(label "_target_m_s", motion.wheel[i].target_m_s, "m/s", "wanted rim speed"),            \
        SIGNAL(label "_window_m_s", motion.wheel[i].speed_m_s, "m/s",                              \
               "rim speed as measured by the board, over 50 ms"),                                  \
        SIGNAL(label "_duty", motion.wheel[i].duty, "", "PWM duty, -1..1"),                        \
        SIGNAL(label "_current_a", motion.wheel[i].current_a, "A", "signed"),                      \
        SIGNAL(label "_counts", motion.wheel[i].counts, "", "count of the encoder, 330 per turn")

static const struct signal_row signal_rows[] = {
    SIGNAL("model", options.model, "", "the chassis", .names = model_words),
    SIGNAL("wanted_x_m_s", motion.wanted.x_m_s, "m/s", "active command, limited"),
    SIGNAL("wanted_y_m_s", motion.wanted.y_m_s, "m/s", "left positive"),
    SIGNAL("wanted_turn_rad_s", motion.wanted.turn_rad_s, "rad/s", "left positive"),
    SIGNAL("wanted_steer_deg", motion.steer_rad, "deg", "Ackermann: of the servo, left positive",
           .scale = 180 / ANGLE_PI),
    SIGNAL("driven", motion.is_driven, "", "1 while a command is active"),
    SIGNAL("silent_passes", motion.silent, "", "control passes of 10 ms without a driver"),
    SIGNAL("watchdog_stops", motion.watchdog_stops, "", "stops by the watchdog"),
    WHEEL("front_left", COBOT_FRONT_LEFT),
    WHEEL("rear_left", COBOT_REAR_LEFT),
    WHEEL("front_right", COBOT_FRONT_RIGHT),
    WHEEL("rear_right", COBOT_REAR_RIGHT),
    SIGNAL("phone_speed_mm_s", phone.speed_mm_s, "mm/s", "speed of the letters 6 and 7"),
    SIGNAL("accel_x_m_s2", inertia.accel_m_s2[0], "m/s2", "robot frame, filtered"),
    SIGNAL("accel_y_m_s2", inertia.accel_m_s2[1], "m/s2", "robot frame, filtered"),
    SIGNAL("accel_z_m_s2", inertia.accel_m_s2[2], "m/s2", "robot frame, filtered"),
    SIGNAL("imu_samples", inertia.samples, "", "messages 06 since power-on"),
    SIGNAL("battery_v", power.battery_v, "V", ""),
    SIGNAL("battery_charge", power.charge, "", "0 empty .. 1 full"),
    SIGNAL("charging", power.is_charging, "", ""),
};

#define LAST(member) offsetof(struct cobot_state, last.member)

static const struct signal_mirror mirror_rows[] = {
    {&cobot_motion_packet, LAST(motion)},     {&cobot_letter_packet, LAST(letter)},
    {&cobot_velocity_packet, LAST(velocity)}, {&cobot_motors_packet, LAST(motors)},
    {&cobot_battery_packet, LAST(battery)},   {&cobot_attitude_packet, LAST(attitude)},
    {&cobot_imu_packet, LAST(imu)},           {&cobot_model_packet, LAST(model)},
};

/* ---- The interface of a robot type ---- */

static int64_t next_due(const struct cobot_state *state)
{
    int64_t due = cobot_host_due(state);
    due = state->control_due_us < due ? state->control_due_us : due;
    return state->window_due_us < due ? state->window_due_us : due;
}

static int64_t cobot_reset(void *memory, const struct robot_start *start)
{
    struct cobot_state *state = memory;
    struct robot_body body;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), start->options, &state->options);
    cobot_body(&state->options, &body);
    state->chassis = cobot_chassis_of(&state->options);
    state->free_m_s = body.supply_v / (body.emf_v_s_rad * body.gear) * body.wheels[0].radius_m;
    state->control_due_us = start->now_us + COBOT_CONTROL_PERIOD_US;
    state->window_due_us = start->now_us + COBOT_WINDOW_US;
    state->imu_key = rng_key(start->rng_key, "imu");
    cobot_host_reset(state, start->now_us);
    return next_due(state);
}

static int64_t cobot_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                        int64_t now_us)
{
    (void)now_us;
    struct cobot_state *state = memory;
    for (size_t i = 0; i < size; i++)
        cobot_host_byte(state, (enum cobot_channel)channel, bytes[i]);
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
            cobot_host_send(state, sensors, tx, due_us);
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

/* ---- Odometry: speeds that the host integrates ---- */

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
        angle_sin_cos(degrees * ANGLE_RAD_DEG, &sine, &cosine);
        odometry->turn_rad_s = odometry->x_m_s * sine / cosine / self->chassis.wheelbase_m;
    }
}

const struct robot_type cobot_type = {
    .name = "cobot",
    .title = "COBOT 4WD (CODBOT)",
    ROBOT_TABLES(cobot_state, cobot_options),
    ROBOT_MIRRORS,
    .appearance = &cobot_appearance,
    .packets = cobot_packets,
    .storage_offset = SIZE_MAX,
    .boots_offset = SIZE_MAX,
    .body = cobot_body,
    .battery_charge = cobot_battery_charge,
    ROBOT_FUNCTIONS(cobot),
    .odometry = cobot_odometry,
};
