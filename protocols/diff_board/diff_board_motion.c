/* Kinematics and motion loop. Sources: the vendor's firmware (gskywolf/MoBot_Arduino:
 * src/robot.cpp, lib/PID, lib/KinematicModels; 4WD and mecanum from its STM32 firmware). Omni 4 is
 * our own, because no public formula was found. The firmware computes in single precision, this
 * file in double precision. A value that is not finite, which results from parameters such as
 * diameter 0 or ko 0, counts as 0 here. */
#include "protocols/diff_board/diff_board_motion.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/number.h"
#include "protocols/diff_board/diff_board_body.h"
#include "protocols/diff_board/diff_board_parameters.h"

/* ---- Kinematics as tables ---- */

#define SQRT_3      1.732 /* as the firmware writes it */
#define SQRT_HALF   0.70710678118654752440
#define MOTORS(...) .motor = {__VA_ARGS__}

/* Speed of motor i in rad/s = (x vx + y vy + turn wz b) / r. Travel of the body = sum of (back_x,
 * back_y) d, and sum of back_turn d / b. */
struct diff_board_kinematics {
    uint8_t kind;
    size_t motor_count;
    struct {
        double x, y, turn;
        double back_x, back_y;
    } motor[DIFF_BOARD_MOTORS];
    double back_turn;
};

static const struct diff_board_kinematics models[] = {
    {.kind = DIFF_BOARD_2WD,
     .motor_count = 2,
     /* left, right */
     MOTORS({-1, 0, 1, -0.5, 0}, {1, 0, 1, 0.5, 0}),
     .back_turn = 0.5},
    {.kind = DIFF_BOARD_4WD,
     .motor_count = 4,
     /* rear right, front right, front left, rear left */
     MOTORS({1, 0, 1, 0.25, 0}, {1, 0, 1, 0.25, 0}, {-1, 0, 1, -0.25, 0}, {-1, 0, 1, -0.25, 0}),
     .back_turn = 0.25},
    {.kind = DIFF_BOARD_OMNI_3,
     .motor_count = 3,
     /* front, rear left, rear right */
     MOTORS({0, 1, 1, 0, 2.0 / 3.0}, {-SQRT_3 / 2, -0.5, 1, -SQRT_3 / 3, -1.0 / 3.0},
            {SQRT_3 / 2, -0.5, 1, SQRT_3 / 3, -1.0 / 3.0}),
     .back_turn = 1.0 / 3.0},
    /* Wheels at the corners of a square, each along its tangent; the order is that of mecanum.
     * With b = (wheelbase + track) / 2, each wheel has the speed of a mecanum wheel divided by
     * sqrt 2. */
    {.kind = DIFF_BOARD_OMNI_4,
     .motor_count = 4,
     MOTORS({SQRT_HALF, -SQRT_HALF, SQRT_HALF, SQRT_HALF / 2, -SQRT_HALF / 2},
            {SQRT_HALF, SQRT_HALF, SQRT_HALF, SQRT_HALF / 2, SQRT_HALF / 2},
            {-SQRT_HALF, SQRT_HALF, SQRT_HALF, -SQRT_HALF / 2, SQRT_HALF / 2},
            {-SQRT_HALF, -SQRT_HALF, SQRT_HALF, -SQRT_HALF / 2, -SQRT_HALF / 2}),
     .back_turn = SQRT_HALF / 2},
    {.kind = DIFF_BOARD_MECANUM,
     .motor_count = 4,
     /* rear right, front right, front left, rear left */
     MOTORS({1, -1, 1, 0.25, -0.25}, {1, 1, 1, 0.25, 0.25}, {-1, 1, 1, -0.25, 0.25},
            {-1, -1, 1, -0.25, -0.25}),
     .back_turn = 0.25},
};

const struct diff_board_kinematics *diff_board_kinematics(uint8_t kind)
{
    for (size_t i = 0; i < COUNT(models); i++)
        if (models[i].kind == kind)
            return &models[i];
    return NULL;
}

const struct diff_board_kinematics *diff_board_model(const struct diff_board_state *state)
{
    const struct diff_board_kinematics *chosen = NULL;
    if (state->options.firmware != DIFF_BOARD_FIRMWARE_1_0_1)
        chosen = diff_board_kinematics(state->parameters.model_type);
    return chosen ? chosen : diff_board_kinematics(diff_board_chassis(&state->options)->kind);
}

/* Motor speeds, rad/s. A radius of 0 gives values that are not finite, as on the board. */
static void diff_board_solve(const struct diff_board_kinematics *kinematics,
                             struct diff_board_twist velocity, double wheel_radius_m,
                             double body_radius_m, double motor_rad_s[DIFF_BOARD_MOTORS])
{
    for (size_t i = 0; i < DIFF_BOARD_MOTORS; i++) {
        double rim_m_s = kinematics->motor[i].x * velocity.x + kinematics->motor[i].y * velocity.y +
                         kinematics->motor[i].turn * velocity.turn * body_radius_m;
        motor_rad_s[i] = i < kinematics->motor_count ? rim_m_s / wheel_radius_m : 0;
    }
}

struct diff_board_twist diff_board_travel(const struct diff_board_kinematics *kinematics,
                                          const double wheel_m[DIFF_BOARD_MOTORS],
                                          double body_radius_m)
{
    struct diff_board_twist travel = {0};
    double sum_m = 0;
    for (size_t i = 0; i < kinematics->motor_count; i++) {
        travel.x += kinematics->motor[i].back_x * wheel_m[i];
        travel.y += kinematics->motor[i].back_y * wheel_m[i];
        sum_m += wheel_m[i];
    }
    travel.turn = sum_m * kinematics->back_turn / body_radius_m;
    return travel;
}

/* ---- Commands and limits ---- */

static const double TURN_RAD = 2 * ANGLE_PI;

void diff_board_motion_reset(struct diff_board_state *state, int64_t now_us)
{
    struct diff_board_motion *motion = &state->motion;
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        struct diff_board_motor *motor = &motion->motor[i];
        int64_t raw_count = motor->raw_count; /* the wheels have turned, whoever was counting */
        memset(motor, 0, sizeof *motor);
        motor->raw_count = raw_count;
    }
    motion->is_running = motion->is_by_hand = motion->is_first = false;
    motion->command_us = motion->pass_us = now_us;
    motion->due_us = ROBOT_NEVER;
}

static double finite_or_zero(struct diff_board_motion *motion, double value)
{
    if (isfinite(value))
        return value;
    motion->bad_values++;
    return 0;
}

/* Resets the control of a motor, as the idle loop does continuously. */
static void motor_forget(struct diff_board_motor *motor)
{
    motor->error_sum = motor->error = 0;
    motor->pwm = 0;
}

/* ---- Commands ---- */

/* Limits are signed in the firmware: 0xFFFF is -1, which turns every value into -1. */
static int limit(int value, uint16_t most)
{
    int high = (int16_t)most;
    int low = -high;
    value = value > low ? value : low;
    return value < high ? value : high;
}

static void motion_start(struct diff_board_state *state, int64_t now_us)
{
    struct diff_board_motion *motion = &state->motion;
    motion->command_us = now_us;
    if (!motion->is_running) {
        motion->is_running = true;
        motion->is_first = true;
    }
    diff_board_motion_reschedule(state, now_us);
}

void diff_board_motion_command(struct diff_board_state *state,
                               const struct diff_board_velocity *velocity, int64_t now_us)
{
    const struct diff_board_parameters *parameters = &state->parameters;
    struct diff_board_motion *motion = &state->motion;
    const struct diff_board_twist wanted = {
        limit(velocity->v_liner_x, parameters->max_v_liner_x) / 100.0,
        limit(velocity->v_liner_y, parameters->max_v_liner_y) / 100.0,
        limit(velocity->v_angular_z, parameters->max_v_angular_z) / 100.0,
    };
    double motor_rad_s[DIFF_BOARD_MOTORS];
    diff_board_solve(diff_board_model(state), wanted, parameters->wheel_diameter * 0.0005,
                     parameters->wheel_track * 0.0005, motor_rad_s);
    double counts_a_rad = diff_board_target_counts(state) / TURN_RAD;
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        double target = motor_rad_s[i] * counts_a_rad * parameters->do_pid_interval * 0.001;
        motion->motor[i].target = finite_or_zero(motion, target);
    }
    motion->is_by_hand = false;
    motion_start(state, now_us);
}

/* The vendor's tool sets a PWM once and expects it to last until it sets 0 (pypibot:
 * test_motors.py). Therefore there is no timeout. */
void diff_board_motion_by_hand(struct diff_board_state *state, const struct diff_board_pwm *pwm,
                               int64_t now_us)
{
    struct diff_board_motion *motion = &state->motion;
    double most = diff_board_pwm_max(&state->options);
    motion->is_by_hand = true;
    motion->is_running = false;
    motion->command_us = now_us;
    motion->due_us = ROBOT_NEVER;
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        motor_forget(&motion->motor[i]);
        motion->motor[i].target = 0;
        motion->motor[i].pwm = fmax(-most, fmin(most, pwm->pwm[i]));
    }
}

/* ---- Encoders ---- */

static bool is_set(int64_t bits, int motor)
{
    return ((uint64_t)bits >> motor & 1) != 0;
}

/* -1 if wiring and flag together reverse a motor or an encoder; otherwise 1. */
static int sign_of(const struct diff_board_state *state, int64_t crossed, uint8_t normal, int motor)
{
    bool is_old = state->options.firmware == DIFF_BOARD_FIRMWARE_1_0_1;
    bool is_normal = is_old || is_set(normal, motor);
    return is_normal == is_set(crossed, motor) ? -1 : 1;
}

void diff_board_motion_update(struct diff_board_state *state, const struct robot_sensors *sensors)
{
    double counts_a_rad = (double)diff_board_encoder_counts(&state->options) / TURN_RAD;
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        struct diff_board_motor *motor = &state->motion.motor[i];
        int64_t raw_count = (int64_t)floor(sensors->wheel_rad[i] * counts_a_rad);
        motor->count += sign_of(state, state->options.encoders_crossed,
                                state->parameters.encoder_nonexchange_flag, i) *
                        (raw_count - motor->raw_count);
        motor->raw_count = raw_count;
        if (state->wants_clear)
            motor->count = motor->pid_count = motor->odom_count = 0;
    }
    state->wants_clear = false;
}

/* ---- The loop ---- */

void diff_board_motion_reschedule(struct diff_board_state *state, int64_t now_us)
{
    struct diff_board_motion *motion = &state->motion;
    /* With an interval of 0, the firmware's loop runs as fast as it can. Here it runs once per
     * millisecond. */
    int64_t interval_ms = state->parameters.do_pid_interval;
    int64_t due_us = motion->pass_us + (interval_ms > 0 ? interval_ms : 1) * 1000;
    motion->due_us = !motion->is_running ? ROBOT_NEVER : due_us > now_us ? due_us : now_us;
}

static double motor_control(struct diff_board_state *state, struct diff_board_motor *motor)
{
    const struct diff_board_parameters *parameters = &state->parameters;
    struct diff_board_motion *motion = &state->motion;
    double pwm_max = diff_board_pwm_max(&state->options);
    double interval_s = parameters->do_pid_interval * 0.001;
    double kp = (double)parameters->kp / parameters->ko;
    double ki = (double)parameters->ki / parameters->ko;
    double kd = (double)parameters->kd / parameters->ko;

    double error = motor->target - motor->feedback;
    motor->error_sum += error * interval_s;
    if (ki != 0) {
        motor->error_sum = number_clamp(finite_or_zero(motion, motor->error_sum), pwm_max / ki);
        motor->error_sum = finite_or_zero(motion, motor->error_sum);
    }
    double slope = (error - motor->error) / interval_s;
    motor->error = error;

    double output = finite_or_zero(motion, kp * error + ki * motor->error_sum + kd * slope);
    bool is_beyond = fabs(output) > pwm_max;
    return trunc(is_beyond ? copysign(pwm_max - 1, output) : output);
}

/* Targets become 0 in the first pass that is more than cmd_last_time after the last command. */
static void motion_watch(struct diff_board_state *state, int64_t now_us)
{
    struct diff_board_motion *motion = &state->motion;
    int64_t last_us = state->parameters.cmd_last_time * INT64_C(1000);
    int64_t silent_us = now_us - motion->command_us;
    bool was_moving = false;
    for (int i = 0; i < DIFF_BOARD_MOTORS && silent_us > last_us; i++) {
        was_moving = was_moving || motion->motor[i].target != 0;
        motion->motor[i].target = 0;
    }
    motion->time_outs += was_moving;
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++)
        if (state->options.has_pwm_timeout && silent_us > 2 * last_us)
            motion->motor[i].pwm = 0;
}

static void motion_publish(struct diff_board_state *state)
{
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        const struct diff_board_motor *motor = &state->motion.motor[i];
        double input = number_clamp(trunc(motor->target), INT32_MAX);
        state->last.pid.input[i] = (int32_t)input;
        state->last.pid.output[i] = motor->feedback;
    }
}

void diff_board_motion_pass(struct diff_board_state *state, int64_t now_us)
{
    struct diff_board_motion *motion = &state->motion;
    bool is_stopped = true;
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        struct diff_board_motor *motor = &motion->motor[i];
        /* The idle loop discards the encoder counts. */
        int64_t counted = motion->is_first ? 0 : motor->count - motor->pid_count;
        motor->feedback = (int32_t)number_clamp((double)counted, INT32_MAX);
        motor->pid_count = motor->count;
        is_stopped = is_stopped && motor->target == 0 && motor->feedback == 0;
    }
    size_t count = diff_board_model(state)->motor_count;
    for (size_t i = 0; i < DIFF_BOARD_MOTORS; i++) {
        struct diff_board_motor *motor = &motion->motor[i];
        if (is_stopped || i >= count)
            motor_forget(motor);
        else
            motor->pwm = motor_control(state, motor);
    }
    motion_publish(state);
    motion_watch(state, now_us);
    motion->is_running = !is_stopped;
    motion->is_first = false;
    motion->pass_us = motion->due_us;
    motion->passes++;
    diff_board_motion_reschedule(state, now_us);
}

void diff_board_motion_drive(const struct diff_board_state *state, double duty[DIFF_BOARD_MOTORS])
{
    double pwm_max = diff_board_pwm_max(&state->options);
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        int sign = sign_of(state, state->options.motors_crossed,
                           state->parameters.motor_nonexchange_flag, i);
        duty[i] = sign * state->motion.motor[i].pwm / pwm_max;
    }
}
