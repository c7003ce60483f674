/* The robot types: tables, power-on, received bytes, one pass of the loop. */
#include "protocols/turtlebot3/turtlebot3.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"
#include "protocols/turtlebot3/turtlebot3_body.h"
#include "protocols/turtlebot3/turtlebot3_motion.h"
#include "protocols/turtlebot3/turtlebot3_senses.h"
#include "protocols/turtlebot3/turtlebot3_state.h"

/* Firmware: it updates the table every 20 ms; the gyro calibrates with 512 samples at 200 Hz. */
#define PASS_US      20000
#define CALIBRATE_US 2560000

static const struct channel_spec channels[] = {
    {.name = "usb",
     .frame_max = DYNAMIXEL2_FRAME_MAX,
     .device = "/dev/ttyACM0", /* turtlebot3_node: the usual parameter */
     .frames = {&turtlebot3_framing, &turtlebot3_framing},
     .framing =
         "Dynamixel 2.0: `FF FF FD 00`, a byte of ID (200), two bytes with the length of the rest, "
         "a byte of instruction, parameters, and a CRC-16. In instruction and parameters, an `FD` "
         "follows each `FF FF FD`"},
};

/* ---- Options ---- */

static const char *const library_words[] = {"0.6.1", "0.6.3", "0.7.0", NULL};
static const char *const imu_words[] = {"icm20648", "mpu9250", NULL};

static const struct option_row option_rows[] = {
    ROW_CHOICE("library", turtlebot3_options, library, library_words, "0.6.3",
               "Dynamixel2Arduino in the firmware; 0.6.1: bytes after FF FF FD become FD"),
    ROW_INTEGER("firmware", turtlebot3_options, firmware, "", 2, 5, "5",
                "number at address 6; below 5: no motors_connected at 148"),
    ROW_CHOICE("imu", turtlebot3_options, imu, imu_words, "icm20648",
               "chip on the board; mpu9250, before 2020, has a magnetometer"),
    ROW_BOOL("motors", turtlebot3_options, has_motors, "yes",
             "no: the board found no motors at its start (cable, or only USB power)"),
    ROW_BOOL("accessories", turtlebot3_options, has_accessories, "no",
             "touch sensors at OLLO ports 3 and 4, infrared at 2, light sensor at A1"),
    ROW_NUMBER("battery_v", turtlebot3_options, battery_v, "V", 10.5, 12.6, "12.4",
               "voltage at the start; below 11 the board cuts the power of the motors"),
    ROW_NUMBER("boot_s", turtlebot3_options, boot_s, "s", 0, 60, "8.2",
               "time from a power-on in the run to the first answer; requests wait"),
    ROW_SCALED("reply_min_ms", turtlebot3_options, reply_min_s, "ms", 0.001, 0, 1000, "0.5",
               "shortest time from a request to its answer"),
    ROW_SCALED("reply_max_ms", turtlebot3_options, reply_max_s, "ms", 0.001, 0, 1000, "7",
               "longest time; the internal bus keeps the board busy for 6 ms of 20"),
    ROW_BOOL("noise", turtlebot3_options, has_noise, "on", "noise of the IMU"),
};

/* ---- Commands ---- */

struct mute_args {
    int32_t motor;
    bool is_on;
    double for_s;
};

static bool run_mute(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    struct turtlebot3_state *state = memory;
    const struct mute_args *mute = args;
    int64_t until_us = mute->for_s > 0 ? now_us + (int64_t)(mute->for_s * 1e6) : ROBOT_NEVER;
    state->servos[mute->motor].silent_until_us = mute->is_on ? until_us : 0;
    return true;
}

static const char *const motor_words[] = {"left", "right", NULL};
static const struct option_row mute_rows[] = {
    ROW_CHOICE("motor", mute_args, motor, motor_words, NULL),
    ROW_BOOL("on", mute_args, is_on, "yes", "no: it answers again"),
    ROW_NUMBER("for", mute_args, for_s, "s", 0, 1e9, "0", "0: no limit"),
};
static const struct command_row command_rows[] = {
    COMMAND_ROW(
        "mute", mute_rows, mute_args, run_mute,
        "a motor is off the bus: it runs free, and the board waits 0.45 s for it each time"),
};

/* ---- Signals ---- */

#define SIGNAL(label, ...) SIGNAL_ROW(label, turtlebot3_state, __VA_ARGS__)
static const struct signal_row signal_rows[] = {
    SIGNAL("connected", is_connected, "", "the heartbeat of the host changes"),
    SIGNAL("timeouts", timeouts, "", "times that the heartbeat stayed away for 500 ms"),
    SIGNAL("command_m_s", linear_m_s, "m/s", "command after the limit"),
    SIGNAL("command_rad_s", angular_rad_s, "rad/s", "command after the limit"),
    SIGNAL("left_goal", servos[0].goal, "", "velocity of the motor, 0.229 rpm"),
    SIGNAL("right_goal", servos[1].goal, "", "velocity of the motor, 0.229 rpm"),
    SIGNAL("left_duty", servos[0].duty, "", "PWM duty, -1..1"),
    SIGNAL("right_duty", servos[1].duty, "", "PWM duty, -1..1"),
    SIGNAL("left_current_a", servos[0].current_a, "A", "signed"),
    SIGNAL("right_current_a", servos[1].current_a, "A", "signed"),
    SIGNAL("torque", has_torque, "", "the motors hold"),
    SIGNAL("battery_v", power.volts, "V", ""),
    SIGNAL("motors_cut", power.is_cut, "", "1: no power for the motors, the battery is low"),
    SIGNAL("button_drive", is_button_drive[0], "", "drives 0.3 m by its button"),
    SIGNAL("button_turn", is_button_drive[1], "", "turns by its button"),
    SIGNAL("calibrating", is_calibrating, "", "the gyro; nothing is answered"),
    SIGNAL("sound_hz", play.hz, "Hz", "0: silence"),
    SIGNAL("sounds", melodies, "", "melodies started"),
    SIGNAL("boots", boots, "", "power-ons and resets"),
};
#define ASKED(i) offsetof(struct turtlebot3_state, asked[i])
#define TOLD     offsetof(struct turtlebot3_state, table)
static const struct signal_mirror mirror_rows[] = {
    {&turtlebot3_read_packet, ASKED(1)},
    {&turtlebot3_write_packet, ASKED(2)},
    {&turtlebot3_write_byte_packet, ASKED(3)},
    {&turtlebot3_velocity_packet, ASKED(4)},
    {&turtlebot3_acceleration_packet, ASKED(5)},
    {&turtlebot3_pong_packet, TOLD},
    {&turtlebot3_model_packet, TOLD},
    {&turtlebot3_status_packet, TOLD},
    {&turtlebot3_table_packet, TOLD},
};

/* ---- The interface of a robot type ---- */

static int64_t start(struct turtlebot3_state *state, const struct robot_start *from, uint8_t model)
{
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    const struct turtlebot3_options *options = &state->options;
    struct turtlebot3_table *table = &state->table;
    control_table_reset(&turtlebot3_control, table);
    state->model = model;
    table->model_information = turtlebot3_traits[model].information;
    table->firmware = (uint8_t)options->firmware;
    table->device_status = options->has_motors ? 0 : -1;
    table->motors_connected = options->has_motors && options->firmware >= 5;
    table->orientation_w = 1;
    state->has_torque = options->has_motors;
    state->rng_key = rng_key(from->rng_key, "turtlebot3");
    state->start_us = from->now_us;
    state->blocked_until_us = from->now_us;
    if (!from->has_booted) {
        state->blocked_until_us += (int64_t)floor(options->boot_s * 1e6);
        state->is_booting = true;
    }
    state->pass_us = state->imu.due_us = state->blocked_until_us;
    state->button_us[0] = state->button_us[1] = state->power.low_us = ROBOT_NEVER;
    state->boots = 1;
    return from->now_us + 1000;
}

static int64_t burger_reset(void *memory, const struct robot_start *from)
{
    return start(memory, from, TURTLEBOT3_BURGER);
}

static int64_t waffle_reset(void *memory, const struct robot_start *from)
{
    return start(memory, from, TURTLEBOT3_WAFFLE);
}

static int64_t turtlebot3_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                             int64_t now_us)
{
    (void)channel;
    struct turtlebot3_state *state = memory;
    dynamixel2_push(&state->slave, (enum dynamixel2_library)state->options.library, bytes, size,
                    now_us, &state->stats);
    return now_us;
}

/* Stores the positions and the heading when a host has read them. */
static void note_reported(struct turtlebot3_state *state)
{
    const struct turtlebot3_table *table = &state->table, *read = &state->asked[1];
    if (state->request.instruction != DYNAMIXEL2_READ || read->address > TURTLEBOT3_POSITIONS ||
        read->address + read->count < TURTLEBOT3_POSITIONS + 8)
        return;
    state->reported[0] = table->position_left;
    state->reported[1] = table->position_right;
    state->reported_rad = state->imu.yaw_rad;
    state->has_reported = true;
}

static void obey(struct turtlebot3_state *state, int64_t now_us)
{
    struct turtlebot3_table *table = &state->table;
    const struct dynamixel2_device device = {
        .table = &turtlebot3_control,
        .message = table,
        .id = &table->id,
        .library = (enum dynamixel2_library)state->options.library,
        .identity = {(uint8_t)table->model_number, (uint8_t)(table->model_number >> 8),
                     table->firmware},
    };
    uint64_t effects = 0;
    state->reply_size =
        (uint32_t)dynamixel2_obey(&device, &state->request, &effects, &state->stats, state->reply);
    state->has_request = false;
    state->answer_us = now_us;
    if (state->reply_size == 0)
        return;
    table->error = state->reply[DYNAMIXEL2_HEAD + 1];
    turtlebot3_note(state->asked, &state->request);
    note_reported(state);
    turtlebot3_motion_command(state, effects);
    if (effects & 1u << TURTLEBOT3_SOUND)
        turtlebot3_play(state, table->sound, now_us);
    if (effects & 1u << TURTLEBOT3_RECALIBRATE && table->recalibrate) {
        turtlebot3_imu_calibrate(state);
        state->blocked_until_us = now_us + CALIBRATE_US;
    }
}

/* Executes requests one after another, each at its time. */
static void serve(struct turtlebot3_state *state, const struct robot_tx *tx, int64_t now_us)
{
    const struct turtlebot3_options *options = &state->options;
    while (now_us >= state->blocked_until_us) {
        if (state->reply_size > 0) {
            bool is_sent = tx_frame(tx, 0, state->reply, state->reply_size);
            state->stats.sent += is_sent;
            state->stats.overruns += !is_sent;
            state->reply_size = 0;
        }
        if (!state->has_request) {
            if (!dynamixel2_pop(&state->slave, &state->request))
                return;
            double part = rng_uniform(~state->rng_key, state->replies++);
            double after_s =
                options->reply_min_s + part * fmax(0, options->reply_max_s - options->reply_min_s);
            int64_t from_us = state->request.at_us;
            if (from_us < state->answer_us)
                from_us = state->answer_us;
            if (from_us < state->blocked_until_us)
                from_us = state->blocked_until_us;
            state->answer_us = from_us + (int64_t)(after_s * 1e6);
            state->has_request = true;
        }
        if (now_us < state->answer_us)
            return;
        obey(state, now_us);
    }
}

/* One pass of the firmware's loop, unless it is blocked. */
static void run(struct turtlebot3_state *state, const struct robot_sensors *sensors, int64_t now_us)
{
    if (now_us < state->blocked_until_us)
        return;
    if (state->is_calibrating)
        turtlebot3_imu_calibrated(state);
    if (state->is_booting)
        turtlebot3_play(state, 1, now_us);
    state->is_booting = false;
    turtlebot3_motion_connection(state, now_us);
    if (now_us < state->pass_us)
        return;
    state->pass_us += PASS_US;
    if (state->pass_us <= now_us)
        state->pass_us = now_us + PASS_US;
    turtlebot3_senses_pass(state, sensors, now_us);
    turtlebot3_motion_pass(state, sensors, now_us);
}

static int64_t turtlebot3_tick(void *memory, const struct robot_sensors *sensors,
                               struct robot_actuators *actuators, const struct robot_tx *tx,
                               int64_t now_us)
{
    struct turtlebot3_state *state = memory;
    if (!state->has_zero)
        turtlebot3_motion_zero(state, sensors);
    turtlebot3_power(state, sensors, now_us);
    turtlebot3_imu_sample(state, sensors, now_us);
    serve(state, tx, now_us);
    run(state, sensors, now_us);
    turtlebot3_motion_drive(state, sensors, actuators, now_us);
    state->play.hz = turtlebot3_sound_hz(state, now_us);
    actuators->sound_hz = state->play.hz;
    actuators->sound_level = state->play.hz > 0 ? 1 : 0;
    actuators->charge_rate_1_s = turtlebot3_charge_rate(state);
    return now_us + 1000;
}

/* ---- Battery, odometry ---- */

static double battery_charge(const void *options, double volts)
{
    (void)options;
    return turtlebot3_battery_charge(volts);
}

/* The odometry of turtlebot3_node: both wheels, and the heading of the IMU. */
static void turtlebot3_odometry(const void *memory, struct robot_odometry *odometry)
{
    const struct turtlebot3_state *state = memory;
    if (!state->has_reported)
        return;
    odometry->kind = ROBOT_ODOMETRY_WHEELS;
    odometry->left_m = turtlebot3_count_m((double)(uint32_t)state->reported[0]);
    odometry->right_m = turtlebot3_count_m((double)(uint32_t)state->reported[1]);
    odometry->wrap_m = turtlebot3_count_m(4294967296.0);
    odometry->heading_rad = state->reported_rad;
}

static const char *const buttons[] = {"sw1", "sw2", NULL};

#define TYPE(label, words, kind)                                                                   \
    {                                                                                              \
        .name = (label), .title = (words), .folder = "turtlebot3", .guide = "turtlebot3",          \
        ROBOT_TABLES(turtlebot3_state, turtlebot3_options), ROBOT_MIRRORS, ROBOT_COMMANDS,         \
        .appearance = &turtlebot3_##kind##_appearance, .packets = turtlebot3_packets,              \
        .answers = turtlebot3_answers, .buttons = buttons, .storage_offset = SIZE_MAX,             \
        .boots_offset = offsetof(struct turtlebot3_state, boots),                                  \
        .body = turtlebot3_##kind##_body, .battery_charge = battery_charge, .reset = kind##_reset, \
        .rx = turtlebot3_rx, .tick = turtlebot3_tick, .odometry = turtlebot3_odometry              \
    }
const struct robot_type turtlebot3_burger_type =
    TYPE("turtlebot3_burger", "TurtleBot3 Burger", burger);
const struct robot_type turtlebot3_waffle_type =
    TYPE("turtlebot3_waffle", "TurtleBot3 Waffle", waffle);
const struct robot_type turtlebot3_waffle_pi_type =
    TYPE("turtlebot3_waffle_pi", "TurtleBot3 Waffle Pi", waffle);
