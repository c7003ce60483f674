/* "Firmware" is ROBOTIS-GIT/OpenCR @ 68ec75d: turtlebot3_ros2. Approximated: the velocity control
 * inside the motors, which is not published (README.md). */
#include "protocols/turtlebot3/turtlebot3_motion.h"

#include <math.h>

#include "base/angle.h"
#include "base/rng.h"

/* Counts per turn, and units of speed and acceleration (e-manual: XL430-W250, XM430-W210). */
#define COUNT_RAD    (2 * ANGLE_PI / 4096)
#define SPEED_RAD_S  (0.229 * 2 * ANGLE_PI / 60)
#define RAMP_RAD_S2  (214.577 * 2 * ANGLE_PI / 3600)
#define CURRENT_A    0.00269
#define STEP_S       1e-3
#define HEARTBEAT_US 500000         /* firmware */
#define GOALS_A_M_S  1263.632956882 /* firmware: VELOCITY_CONSTANT_VALUE */
#define GOAL_MOST    337            /* firmware: LIMIT_X_MAX_VELOCITY */
#define SILENCE_US   450000 /* 3 reads and a query of 100 ms each, and the rest; estimated */

/* Chosen: a first-order lag of 50 ms; volts per rad/s and per rad of error. */
#define LAG_S   0.05
#define GAIN    0.5
#define GAIN_I  10.0
#define SUM_RAD 0.5

/* Model information; track, m; speed of the motors in the firmware, rpm; Velocity Limit; gear;
 * torque, Nm, current, A, and free speed, rpm (these three at 11.1 V); load of the board, A. */
#define TRAITS(number, track, most_rpm, limit, ratio, torque, current, free, board)                \
    {                                                                                              \
        .information = (number), .track_m = (track),                                               \
        .linear_max_m_s = TURTLEBOT3_RADIUS_M * 2 * ANGLE_PI * (most_rpm) / 60,                    \
        .angular_max_rad_s = TURTLEBOT3_RADIUS_M * 2 * ANGLE_PI * (most_rpm) / 60 / ((track) / 2), \
        .goal_max = (limit), .gear = (ratio), .stall_nm = (torque), .stall_a = (current),          \
        .free_rpm = (free), .board_a = (board)                                                     \
    }
const struct turtlebot3_traits turtlebot3_traits[TURTLEBOT3_MODELS] = {
    [TURTLEBOT3_BURGER] = TRAITS(1, 0.160, 61, 265, 258.5, 1.4, 1.3, 57, 0.6),
    [TURTLEBOT3_WAFFLE] = TRAITS(2, 0.287, 77, 330, 212.6, 2.7, 2.1, 70, 0.75),
};

static const struct turtlebot3_traits *traits_of(const struct turtlebot3_state *state)
{
    return &turtlebot3_traits[state->model];
}

static double within(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

/* ---- Commands ---- */

void turtlebot3_motion_command(struct turtlebot3_state *state, uint64_t effects)
{
    const struct turtlebot3_traits *traits = traits_of(state);
    const struct turtlebot3_table *table = &state->table;
    if (effects & 1u << TURTLEBOT3_LINEAR)
        state->linear_m_s = within(table->linear_x * 0.01, traits->linear_max_m_s);
    if (effects & 1u << TURTLEBOT3_ANGULAR)
        state->angular_rad_s = within(table->angular_z * 0.01, traits->angular_max_rad_s);
    if (effects & 1u << TURTLEBOT3_TORQUE && state->options.has_motors && !state->power.is_cut)
        state->has_torque = table->torque != 0;
}

void turtlebot3_motion_connection(struct turtlebot3_state *state, int64_t now_us)
{
    struct turtlebot3_table *table = &state->table;
    if (table->heartbeat != state->heartbeat) {
        state->heartbeat = table->heartbeat;
        state->heartbeat_us = now_us;
        state->is_connected = true;
    } else if (state->is_connected && now_us - state->heartbeat_us >= HEARTBEAT_US) {
        state->is_connected = false;
        state->timeouts++;
    }
}

/* Buttons that are held for 3 s start a drive of 0.3 m or a half turn, measured at the right
 * motor. */
static void drive_by_buttons(struct turtlebot3_state *state, uint32_t buttons, int64_t now_us,
                             double *linear_m_s, double *angular_rad_s)
{
    enum { HELD_US = 3000000 };
    const double a_count_m = 0.207 / 4096; // firmware
    const double way_m[] = {0.300, 3.14 * traits_of(state)->track_m / 2};
    for (int i = 0; i < 2; i++) {
        bool is_pressed = buttons >> i & 1;
        if (!is_pressed)
            state->button_us[i] = ROBOT_NEVER;
        else if (state->button_us[i] == ROBOT_NEVER)
            state->button_us[i] = now_us;
        bool is_held = is_pressed && now_us - state->button_us[i] >= HELD_US;
        if (is_held && !state->was_held[i]) {
            state->is_button_drive[i] = true;
            state->button_position = state->table.position_right;
        }
        state->was_held[i] = is_held;
        double gone = (double)state->table.position_right - state->button_position;
        if (fabs(gone) * a_count_m > way_m[i])
            state->is_button_drive[i] = false;
    }
    if (state->is_button_drive[0])
        *linear_m_s += 0.05;
    else if (state->is_button_drive[1])
        *angular_rad_s -= 0.7;
}

static void light(struct turtlebot3_table *table, double linear_m_s, double angular_rad_s)
{
    bool is_back = linear_m_s<0, is_left = angular_rad_s> 0, is_right = angular_rad_s < 0;
    bool is_moving = linear_m_s != 0 || angular_rad_s != 0;
    table->led1 = is_moving && !is_back && !is_right;
    table->led2 = is_moving && !is_back && !is_left;
    table->led3 = is_back && !is_left;
    table->led4 = is_back && !is_right;
}

static void set_goals(struct turtlebot3_state *state, uint32_t buttons, int64_t now_us)
{
    if (!state->is_connected && !state->table.debug)
        state->linear_m_s = state->angular_rad_s = 0;
    double linear_m_s = state->linear_m_s, angular_rad_s = state->angular_rad_s;
    drive_by_buttons(state, buttons, now_us, &linear_m_s, &angular_rad_s);
    light(&state->table, linear_m_s, angular_rad_s);
    double aside_m_s = angular_rad_s * traits_of(state)->track_m / 2;
    state->servos[TURTLEBOT3_LEFT].goal =
        (int32_t)within((linear_m_s - aside_m_s) * GOALS_A_M_S, GOAL_MOST);
    state->servos[TURTLEBOT3_RIGHT].goal =
        (int32_t)within((linear_m_s + aside_m_s) * GOALS_A_M_S, GOAL_MOST);
}

/* ---- The motors on their bus ---- */

double turtlebot3_count_m(double count)
{
    return count * COUNT_RAD * TURTLEBOT3_RADIUS_M;
}

void turtlebot3_motion_zero(struct turtlebot3_state *state, const struct robot_sensors *sensors)
{
    for (uint64_t i = 0; i < TURTLEBOT3_WHEELS; i++) {
        struct turtlebot3_servo *servo = &state->servos[i];
        double at_turns = sensors->wheel_rad[i] / (2 * ANGLE_PI) + rng_uniform(state->rng_key, i);
        servo->zero_rad = sensors->wheel_rad[i] - (at_turns - floor(at_turns)) * 2 * ANGLE_PI;
    }
    state->has_zero = true;
}

static int32_t current(const struct turtlebot3_state *state, const struct turtlebot3_servo *servo)
{
    bool has_load = state->model == TURTLEBOT3_BURGER;
    return wire_saturate_i32(has_load ? servo->duty * 1000 : servo->current_a / CURRENT_A);
}

/* The counter of a motor, modulo 2^32. */
static int32_t position(const struct turtlebot3_servo *servo, double wheel_rad)
{
    return (int32_t)(uint32_t)(int64_t)floor((wheel_rad - servo->zero_rad) / COUNT_RAD);
}

static void read_motors(struct turtlebot3_state *state, const struct robot_sensors *sensors)
{
    const struct turtlebot3_servo *left = &state->servos[0], *right = &state->servos[1];
    struct turtlebot3_table *table = &state->table;
    table->current_left = current(state, left);
    table->current_right = current(state, right);
    table->velocity_left = wire_saturate_i32(sensors->wheel_rad_s[0] / SPEED_RAD_S);
    table->velocity_right = wire_saturate_i32(sensors->wheel_rad_s[1] / SPEED_RAD_S);
    table->position_left = position(left, sensors->wheel_rad[0]);
    table->position_right = position(right, sensors->wheel_rad[1]);
    table->torque = state->has_torque;
}

void turtlebot3_motion_pass(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                            int64_t now_us)
{
    bool is_silent = state->power.is_cut;
    for (int i = 0; i < TURTLEBOT3_WHEELS; i++)
        is_silent |= state->servos[i].silent_until_us > now_us;
    state->table.connected = state->is_connected || state->table.debug;
    set_goals(state, sensors->buttons, now_us);
    if (state->options.has_motors && is_silent)
        state->blocked_until_us = now_us + SILENCE_US;
    else if (state->options.has_motors)
        read_motors(state, sensors);
}

/* Control voltage for the present and the wanted speed. */
static double control(const struct turtlebot3_traits *traits, struct turtlebot3_servo *servo,
                      uint32_t acceleration, double speed_rad_s, double volts)
{
    double goal_rad_s = within(servo->goal, traits->goal_max) * SPEED_RAD_S;
    double step_rad_s = acceleration > 0 ? acceleration * RAMP_RAD_S2 * STEP_S : INFINITY;
    servo->ramp_rad_s += within(goal_rad_s - servo->ramp_rad_s, step_rad_s);
    servo->wanted_rad_s += (servo->ramp_rad_s - servo->wanted_rad_s) * STEP_S / LAG_S;
    double error_rad_s = servo->wanted_rad_s - speed_rad_s;
    double wanted_v = 11.1 / (traits->free_rpm * 2 * ANGLE_PI / 60) * servo->wanted_rad_s +
                      GAIN * error_rad_s + GAIN_I * servo->sum_rad;
    if (fabs(wanted_v) < volts)
        servo->sum_rad = within(servo->sum_rad + error_rad_s * STEP_S, SUM_RAD);
    return within(wanted_v, volts);
}

void turtlebot3_motion_drive(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                             struct robot_actuators *actuators, int64_t now_us)
{
    const uint32_t accelerations[] = {state->table.acceleration_left,
                                      state->table.acceleration_right};
    for (int i = 0; i < TURTLEBOT3_WHEELS; i++) {
        struct turtlebot3_servo *servo = &state->servos[i];
        bool is_free = !state->has_torque || state->power.is_cut || servo->silent_until_us > now_us;
        if (is_free) {
            servo->ramp_rad_s = servo->wanted_rad_s = servo->sum_rad = servo->duty = 0;
        } else {
            servo->duty = control(traits_of(state), servo, accelerations[i],
                                  sensors->wheel_rad_s[i], state->power.volts) /
                          TURTLEBOT3_SUPPLY_V;
        }
        servo->current_a = sensors->motor_a[i];
        actuators->motor[i] = servo->duty;
        actuators->motor_free[i] = is_free;
    }
}
