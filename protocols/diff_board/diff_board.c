/* The board as a robot type: its tables, power-on, received bytes, one pass of the loop. */
#include "protocols/diff_board/diff_board.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/modem_lines.h"
#include "base/rng.h"
#include "protocols/diff_board/diff_board_body.h"
#include "protocols/diff_board/diff_board_host.h"
#include "protocols/diff_board/diff_board_motion.h"
#include "protocols/diff_board/diff_board_parameters.h"
#include "protocols/diff_board/diff_board_senses.h"
#include "protocols/diff_board/diff_board_state.h"

static const struct channel_spec channels[] = {
    {.name = "uart",
     .baud = 115200, /* pypibot params.py: pibotBaud */
     .frame_max = DIFF_BOARD_REPLY_MAX,
     .device = "/dev/pibot", /* pypibot: transport.py; pibot_bringup: the driver's default */
     .frames = {&diff_board_framing, &diff_board_framing},
     .framing =
         "`5A`, a byte of id, a byte with the length of the body, the body, and the low byte "
         "of the sum of all bytes before. The answer to a request is one frame with its id"},
};

static uint32_t baud(const void *options, unsigned channel)
{
    const struct diff_board_options *chosen = options;
    return chosen->board == DIFF_BOARD_STM32F4 ? 921600 : channels[channel].baud;
}

/* ---- Options ---- */

static const char *const model_words[] = {"apollo",  "apollo_x", "zeus",  "hades",
                                          "hades_x", "hera",     "omni4", NULL};
static const char *const board_words[] = {"mega2560", "mega2560_shield", "stm32f1", "stm32f4",
                                          NULL};
static const char *const firmware_words[] = {"1.0.1", "2.0.0", NULL};
static const char *const eeprom_words[] = {"factory", "erased", NULL};

#define NUMBER(key, ...)  ROW_NUMBER(key, diff_board_options, __VA_ARGS__)
#define SCALED(key, ...)  ROW_SCALED(key, diff_board_options, __VA_ARGS__)
#define INTEGER(key, ...) ROW_INTEGER(key, diff_board_options, __VA_ARGS__)
#define CHOICE(key, ...)  ROW_CHOICE(key, diff_board_options, __VA_ARGS__)
#define SWITCH(key, ...)  ROW_BOOL(key, diff_board_options, __VA_ARGS__)

static const struct option_row option_rows[] = {
    CHOICE("model", model, model_words, "apollo",
           "the chassis and its factory parameters; omni4 is our own"),
    CHOICE("board", board, board_words, "stm32f1",
           "115200 baud, stm32f4 921600; decides the PWM range and the factory gains"),
    CHOICE("firmware", firmware, firmware_words, "2.0.0",
           "1.0.1: no ids 8 and 9, no motor_ratio, model_type and flags"),
    CHOICE("eeprom", eeprom, eeprom_words, "factory",
           "initial parameters of a board without stored ones; erased: 64 x 0xFF"),
    SCALED("turnaround_ms", turnaround_s, "ms", 0.001, 1, 1000, "1",
           "time from a request to its reply; real boards need less than 1 ms plus transmission"),
    SWITCH("auto_reset", has_auto_reset, "no",
           "reboot when a driver opens the port or sets DTR, as an Arduino does"),
    NUMBER("boot_s", boot_s, "s", 0, 60, "1.6",
           "time without input and output after an auto-reset: boot loader and start"),
    SWITCH("heading_lag", has_heading_lag, "yes",
           "differential odometry turns one step late, as in the firmware"),
    SWITCH("omni3_velocity_quirk", has_omni3_quirk, "no",
           "omni3 velocities in message 5 too small by 1000: 0, as in the firmware"),
    SWITCH("yaw_wrap", has_yaw_wrap, "no", "yaw modulo 628, as in a later derivative"),
    SWITCH("pwm_timeout", has_pwm_timeout, "no",
           "PWM 0 after two times cmd_last_time, as in a later derivative"),
    SWITCH("nan_quirk", has_nan_quirk, "no",
           "parameters of 0 make x and y -2147483648 cm until message 3, as in the firmware; "
           "otherwise invalid numbers count as 0"),
    SCALED("wheel_diameter_mm", wheel_diameter_m, "mm", 0.001, 0, 500, "0",
           "real diameter, independent of the parameters; below 10: diameter of the model"),
    SCALED("wheel_track_mm", wheel_track_m, "mm", 0.001, 0, 1000, "0",
           "real track, may differ from the parameters; below 50: track of the model"),
    INTEGER("encoder_counts", encoder_counts, "", 0, 1000000, "0",
            "real counts per wheel turn; 0: counts of the model"),
    INTEGER("motors_crossed", motors_crossed, "", 0, 15, "0",
            "bits 0..3: motors 1..4 wired in reverse"),
    INTEGER("encoders_crossed", encoders_crossed, "", 0, 15, "0",
            "bits 0..3: encoders 1..4 wired in reverse"),
    NUMBER("accel_noise_m_s2", accel_noise_m_s2, "m/s2", 0, 10, "0.03",
           "standard deviation; chosen"),
    NUMBER("gyro_noise_rad_s", gyro_noise_rad_s, "rad/s", 0, 10, "0.003",
           "standard deviation; chosen"),
    NUMBER("field_noise_mg", field_noise_mg, "mG", 0, 1000, "2", "standard deviation; chosen"),
    NUMBER("gyro_bias_rad_s", gyro_bias_rad_s, "rad/s", -10, 10, "0.01", "about z; chosen"),
};

/* ---- Commands ---- */

struct eeprom_args {
    int32_t contents; /* enum diff_board_eeprom */
};

static bool run_eeprom(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    struct diff_board_state *state = memory;
    const struct eeprom_args *wanted = args;
    uint8_t block[DIFF_BOARD_BLOCK_SIZE];
    diff_board_memory_fresh(&state->options, (enum diff_board_eeprom)wanted->contents, block);
    diff_board_memory_save(state, block);
    diff_board_motion_reschedule(state, now_us);
    return true;
}

static const struct option_row eeprom_rows[] = {
    ROW_CHOICE("contents", eeprom_args, contents, eeprom_words, "factory"),
};

static const struct command_row command_rows[] = {
    COMMAND_ROW("eeprom", eeprom_rows, eeprom_args, run_eeprom,
                "write factory or erased parameters, with immediate effect"),
};

/* ---- Signals ---- */

#define SIGNAL(label, ...) SIGNAL_ROW(label, diff_board_state, __VA_ARGS__)
#define MOTOR(n, i)                                                                                \
    SIGNAL("motor" n "_target", motion.motor[i].target, "count", "in a PID interval"),             \
        SIGNAL("motor" n "_feedback", motion.motor[i].feedback, "count",                           \
               "ticks in the last PID interval"),                                                  \
        SIGNAL("motor" n "_error_sum", motion.motor[i].error_sum, "count s", ""),                  \
        SIGNAL("motor" n "_pwm", motion.motor[i].pwm, "", "PWM set by the firmware"),              \
        SIGNAL("motor" n "_count", motion.motor[i].count, "count",                                 \
               "since the last initialization")

static const struct signal_row signal_rows[] = {
    MOTOR("1", 0),
    MOTOR("2", 1),
    MOTOR("3", 2),
    MOTOR("4", 3),
    SIGNAL("running", motion.is_running, "", "1 while the control loop is active"),
    SIGNAL("by_hand", motion.is_by_hand, "", "PWM set by message 9"),
    SIGNAL("pid_passes", motion.passes, "", "passes of the control loop"),
    SIGNAL("time_outs", motion.time_outs, "", "stops by the watchdog"),
    SIGNAL("bad_values", motion.bad_values, "", "invalid numbers, from parameters of 0"),
    SIGNAL("odom_x_m", odom.x_m, "m", "value before rounding"),
    SIGNAL("odom_y_m", odom.y_m, "m", "value before rounding"),
    SIGNAL("odom_yaw_rad", odom.yaw_rad, "rad", "value before rounding"),
    SIGNAL("odom_vx_m_s", odom.velocity.x, "m/s", "value before rounding"),
    SIGNAL("odom_vy_m_s", odom.velocity.y, "m/s", "value before rounding"),
    SIGNAL("odom_turn_rad_s", odom.velocity.turn, "rad/s", "value before rounding"),
    SIGNAL("imu_samples", imu.samples, "", ""),
    SIGNAL("waiting_replies", replies.count, "", ""),
    SIGNAL("booting", is_booting, "", "deaf and silent"),
    SIGNAL("boots", boots, "", "power-ons and resets"),
    SIGNAL("unsaved", storage.is_dirty, "", "1: parameters changed since they were saved"),
};

#define LAST(member) offsetof(struct diff_board_state, last.member)

static const struct signal_mirror mirror_rows[] = {
    {&diff_board_set_parameters_packet, LAST(set_parameters)},
    {&diff_board_set_velocity_packet, LAST(set_velocity)},
    {&diff_board_set_pwm_packet, LAST(set_pwm)},
    {&diff_board_version_packet, LAST(version)},
    {&diff_board_parameters_packet, offsetof(struct diff_board_state, parameters)},
    {&diff_board_odometry_packet, LAST(odometry)},
    {&diff_board_pid_packet, LAST(pid)},
    {&diff_board_imu_packet, LAST(imu)},
    {&diff_board_encoders_packet, LAST(encoders)},
};

/* ---- The interface of a robot type ---- */

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
    due_us = earlier(due_us, state->port.count > 0 ? state->port.free_us : ROBOT_NEVER);
    return earlier(due_us, diff_board_host_due(&state->replies));
}

/* Sets the state that the microcontroller loses when it restarts. */
static void start(struct diff_board_state *state, int64_t now_us)
{
    memset(&state->framer, 0, sizeof state->framer);
    memset(&state->port, 0, sizeof state->port);
    memset(&state->last.pid, 0, sizeof state->last.pid);
    memset(&state->last.imu, 0, sizeof state->last.imu);
    memset(&state->replies, 0, sizeof state->replies);
    diff_board_motion_reset(state, now_us);
    diff_board_odometry_clear(state);
    state->odom.due_us = now_us + DIFF_BOARD_ODOMETRY_PERIOD_US;
    state->imu.due_us = now_us;
    state->boots++;
}

/* An Arduino's bootloader waits for a program before the firmware starts. */
static void boot(struct diff_board_state *state, int64_t now_us)
{
    state->boot_until_us = now_us + (int64_t)floor(state->options.boot_s * 1e6);
    state->wake_us = now_us; /* the motors stop now */
    start(state, state->boot_until_us);
}

static int64_t diff_board_reset(void *memory, const struct robot_start *from)
{
    struct diff_board_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    diff_board_memory_load(state, from->storage);
    state->imu.key = rng_key(from->rng_key, "imu");
    state->wake_us = ROBOT_NEVER;
    state->is_dtr_on = (from->hosts[0].lines & MODEM_DTR) != 0;
    if (state->options.has_auto_reset && !from->has_booted)
        boot(state, from->now_us);
    else
        start(state, from->now_us);
    return next_due(state);
}

/* On an Arduino, a capacitor connects DTR to the reset pin. The board boots when a host opens the
 * port, and whenever the host sets DTR later. */
static int64_t diff_board_lines(void *memory, unsigned channel, unsigned lines, int64_t now_us)
{
    (void)channel;
    struct diff_board_state *state = memory;
    bool was_on = state->is_dtr_on;
    state->is_dtr_on = (lines & MODEM_DTR) != 0;
    if (state->is_dtr_on && !was_on && state->options.has_auto_reset) {
        state->is_booting = true;
        boot(state, now_us);
    }
    return next_due(state);
}

static const char *diff_board_deaf(const void *memory)
{
    return ((const struct diff_board_state *)memory)->is_booting ? "was starting" : NULL;
}

static int64_t diff_board_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                             int64_t now_us)
{
    (void)channel;
    struct diff_board_state *state = memory;
    if (state->is_booting || now_us < state->boot_until_us) {
        state->stats.noise_bytes += size;
        return next_due(state);
    }
    diff_board_host_hear(state, bytes, size, now_us);
    return next_due(state);
}

/* Executes the action that is due at DUE_US. */
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
    diff_board_motion_update(state, sensors);
    state->is_booting = now_us < state->boot_until_us;
    if (!state->is_booting) {
        diff_board_host_read(state, now_us);
        diff_board_host_send(state, tx, now_us);
        int64_t due_us;
        while ((due_us = earlier(earlier(state->odom.due_us, state->imu.due_us),
                                 state->motion.due_us)) <= now_us)
            run_due(state, sensors, due_us);
    }
    diff_board_motion_drive(state, actuators->motor);
    state->wake_us = ROBOT_NEVER; // also for requests that have waited in the port
    return next_due(state);
}

/* ---- Battery: the board does not measure it, so a linear curve is sufficient ---- */

static double battery_charge(const void *options, double volts)
{
    struct robot_body body;
    diff_board_body(options, &body);
    double charge = (volts - body.battery_min_v) / (body.battery_max_v - body.battery_min_v);
    return fmax(0, fmin(1, charge));
}

/* ---- Odometry: the pose that the board computes ---- */

static void diff_board_odometry(const void *state, struct robot_odometry *odometry)
{
    const struct diff_board_odometry *last =
        &((const struct diff_board_state *)state)->last.odometry;
    odometry->kind = ROBOT_ODOMETRY_POSE;
    odometry->x_m = last->x * 0.01;
    odometry->y_m = last->y * 0.01;
    odometry->heading_rad = last->yaw * 0.01;
}

static const struct robot_answer answers[] = {
    {"version", "get_version"},
    {"parameters_set", "set_parameters"},
    {"parameters", "get_parameters"},
    {"odometry_initialized", "init_odometry"},
    {"velocity_set", "set_velocity"},
    {"odometry", "get_odometry"},
    {"pid", "get_pid"},
    {"imu", "get_imu"},
    {"encoders", "get_encoders"},
    {"pwm_set", "set_pwm"},
    {NULL, NULL},
};

const struct robot_type diff_board_type = {
    .name = "diff_board",
    .title = "PIBOT chassis board",
    ROBOT_TABLES(diff_board_state, diff_board_options),
    ROBOT_MIRRORS,
    ROBOT_COMMANDS,
    .appearance = &diff_board_appearance,
    .answers = answers,
    .packets = diff_board_packets,
    .storage_offset = offsetof(struct diff_board_state, storage),
    .boots_offset = offsetof(struct diff_board_state, boots),
    .body = diff_board_body,
    .baud = baud,
    .battery_charge = battery_charge,
    .lines = diff_board_lines,
    .deaf = diff_board_deaf,
    ROBOT_FUNCTIONS(diff_board),
    .odometry = diff_board_odometry,
};
