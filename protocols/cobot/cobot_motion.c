/* Kinematics and speed loop. Limits, watchdog, encoders and kinematics are those of the vendor
 * firmware of the M100 (autocontrol.c, feedback.c). The speed loop is approximated, because its
 * gains are unknown. The Ackermann kinematics are chosen, because that firmware is unknown. */
#include "protocols/cobot/cobot_motion.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/number.h"

/* ---- Kinematics ---- */

struct cobot_chassis cobot_chassis_of(const struct cobot_options *options)
{
    return (struct cobot_chassis){
        .model = options->model,
        .strafe_from = options->strafe_from,
        .track_m = options->track_m,
        .wheelbase_m = options->wheelbase_m,
        .wheel_radius_m = options->wheel_diameter_m / 2,
    };
}

bool cobot_chassis_is_driven(const struct cobot_chassis *chassis, int wheel)
{
    return chassis->model != COBOT_ACKERMANN || wheel == COBOT_REAR_LEFT ||
           wheel == COBOT_REAR_RIGHT;
}

/* Rim speed of the outer side for turning on the spot at 1 rad/s. Four wheels or tracks scrub: the
 * firmware uses (T^2 + B^2) / (2 T), where friction is in balance. Rollers need half the track plus
 * half the wheelbase, steered wheels half the track. */
static double lever_m(const struct cobot_chassis *chassis)
{
    double track = chassis->track_m;
    double base = chassis->wheelbase_m;
    switch (chassis->model) {
    case COBOT_MECANUM:
        return (track + base) / 2;
    case COBOT_ACKERMANN:
        return track / 2;
    default:
        return (track * track + base * base) / (2 * track);
    }
}

static double steered_turn(const struct cobot_chassis *chassis, double x_m_s, double steer_rad)
{
    double sine, cosine;
    angle_sin_cos(steer_rad, &sine, &cosine);
    return x_m_s * sine / cosine / chassis->wheelbase_m;
}

/* Rim speeds for a twist. For Ackermann, STEER_RAD (left positive, at the center of the front axle)
 * determines the turn, and only the rear wheels have motors: the front wheels get 0. */
static void cobot_chassis_wheels(const struct cobot_chassis *chassis, struct cobot_twist twist,
                                 double steer_rad, double wheel_m_s[COBOT_WHEELS])
{
    bool is_mecanum = chassis->model == COBOT_MECANUM;
    double turn_rad_s = chassis->model == COBOT_ACKERMANN
                            ? steered_turn(chassis, twist.x_m_s, steer_rad)
                            : twist.turn_rad_s;
    double side = turn_rad_s * lever_m(chassis);
    double strafe = is_mecanum ? twist.y_m_s : 0;
    wheel_m_s[COBOT_FRONT_LEFT] = twist.x_m_s - strafe - side;
    wheel_m_s[COBOT_REAR_LEFT] = twist.x_m_s + strafe - side;
    wheel_m_s[COBOT_FRONT_RIGHT] = twist.x_m_s + strafe + side;
    wheel_m_s[COBOT_REAR_RIGHT] = twist.x_m_s - strafe + side;
    for (int i = 0; i < COBOT_WHEELS; i++)
        wheel_m_s[i] = cobot_chassis_is_driven(chassis, i) ? wheel_m_s[i] : 0;
}

struct cobot_twist cobot_chassis_twist(const struct cobot_chassis *chassis,
                                       const double wheel_m_s[COBOT_WHEELS])
{
    double a = wheel_m_s[COBOT_FRONT_LEFT];
    double b = wheel_m_s[COBOT_REAR_LEFT];
    double c = wheel_m_s[COBOT_FRONT_RIGHT];
    double d = wheel_m_s[COBOT_REAR_RIGHT];
    if (chassis->model == COBOT_ACKERMANN)
        return (struct cobot_twist){(b + d) / 2, 0, (d - b) / (2 * lever_m(chassis))};
    struct cobot_twist twist = {(a + b + c + d) / 4, 0, (c + d - a - b) / (4 * lever_m(chassis))};
    if (chassis->model == COBOT_MECANUM)
        twist.y_m_s =
            chassis->strafe_from == COBOT_STRAFE_FROM_LEFT ? (b - a) / 2 : (b + c - a - d) / 4;
    return twist;
}

/* ---- Commands and limits ---- */

/* Public document, message 01: 0..540 x 0.01 rad/s; Ackermann at most 25 degrees. */
static const int32_t COBOT_TURN_MAX = 540;
static const int32_t COBOT_STEER_MAX_DEG = 25;

/* Vendor firmware: 330 counts per wheel turn. */
static const double COBOT_RAD_PER_COUNT = 0.019039955476301776566;

/* The speed loop. Chosen: tuned to follow the wanted distance without overshoot, on the floor or in
 * the air. P acts on the speed, I on the remaining distance. SUM compensates for friction; at a
 * stop it is omitted, because friction helps there. */
static const double COBOT_DUTY_P = 1.0;    /* duty per m/s */
static const double COBOT_DUTY_I = 30.0;   /* duty per m */
static const double COBOT_DUTY_SUM = 80.0; /* duty per m s */

/* Limit of the change of wanted speeds, so that the wheels can follow without slipping. Chosen. */
static const double COBOT_RAMP_M_S2 = 1.5;

/* If a wheel has target 0 and has not moved for this many passes, its duty becomes 0. Chosen: 0.1
 * s. */
static const uint32_t COBOT_STILL_PASSES = 10;

static int32_t limit_to(int32_t value, int32_t limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

/* ---- Commands ---- */

void cobot_motion_command(struct cobot_state *state, struct cobot_command command)
{
    struct cobot_motion *motion = &state->motion;
    const struct cobot_options *options = &state->options;
    bool is_mecanum = options->model == COBOT_MECANUM;
    bool is_steered = options->model == COBOT_ACKERMANN;
    int32_t most = (int32_t)options->speed_max_mm_s;
    int32_t x = limit_to(command.x_mm_s, most);
    int32_t y = is_mecanum ? limit_to(command.y_mm_s, most) : 0;
    int32_t turn = limit_to(command.turn, is_steered ? COBOT_STEER_MAX_DEG : COBOT_TURN_MAX);
    if (is_mecanum && options->turn_overflow == COBOT_OVERFLOW_WRAP)
        turn = turn < 0 ? -(-turn & 0xFF) : turn & 0xFF; // firmware of the M100: one byte
    motion->wanted.x_m_s = x * 0.001;
    motion->wanted.y_m_s = (options->strafe == COBOT_STRAFE_SWAPPED ? -y : y) * 0.001;
    motion->wanted.turn_rad_s = is_steered ? 0 : turn * 0.01;
    motion->steer_rad = is_steered ? turn * ANGLE_RAD_DEG : 0;

    double wheel_m_s[COBOT_WHEELS];
    cobot_chassis_wheels(&state->chassis, motion->wanted, motion->steer_rad, wheel_m_s);
    for (int i = 0; i < COBOT_WHEELS; i++)
        motion->wheel[i].wanted_m_s = wheel_m_s[i];
    motion->is_driven = true;
    motion->was_commanded = true;
}

void cobot_motion_heard(struct cobot_state *state)
{
    state->motion.was_heard = true;
}

/* ---- Watchdog ---- */

static void wheel_release(struct cobot_wheel *wheel)
{
    wheel->target_m_s = 0;
    wheel->error_m = 0;
    wheel->error_sum = 0;
    wheel->duty = 0;
}

/* Sets all duties to 0, resets the loop and centers the steering (vendor firmware). */
static void motion_stop(struct cobot_motion *motion)
{
    motion->is_driven = false;
    motion->wanted = (struct cobot_twist){0};
    motion->steer_rad = 0;
    for (int i = 0; i < COBOT_WHEELS; i++) {
        motion->wheel[i].wanted_m_s = 0;
        wheel_release(&motion->wheel[i]);
    }
}

/* Counts passes without data, as the vendor's firmware does. */
static void motion_watch(struct cobot_state *state)
{
    struct cobot_motion *motion = &state->motion;
    int64_t most = state->options.watchdog_ms * 1000 / COBOT_CONTROL_PERIOD_US;
    motion->silent = motion->was_heard ? 0 : motion->silent + (motion->silent < UINT32_MAX);
    motion->was_heard = false;
    if (most > 0 && motion->is_driven && motion->silent >= most) {
        motion_stop(motion);
        motion->watchdog_stops++;
    }
}

/* ---- Encoders ---- */

static double counts_m(const struct cobot_state *state, int64_t counts)
{
    return (double)counts * COBOT_RAD_PER_COUNT * state->chassis.wheel_radius_m;
}

void cobot_motion_read(struct cobot_state *state, const struct robot_sensors *sensors)
{
    for (int i = 0; i < COBOT_WHEELS; i++) {
        struct cobot_wheel *wheel = &state->motion.wheel[i];
        wheel->current_a = sensors->motor_a[i];
        if (cobot_chassis_is_driven(&state->chassis, i))
            wheel->counts = (int64_t)floor(sensors->wheel_rad[i] / COBOT_RAD_PER_COUNT + 0.5);
    }
}

void cobot_motion_window(struct cobot_state *state)
{
    for (int i = 0; i < COBOT_WHEELS; i++) {
        struct cobot_wheel *wheel = &state->motion.wheel[i];
        wheel->window_counts = wire_saturate_i32((double)(wheel->counts - wheel->counts_window));
        wheel->counts_window = wheel->counts;
        wheel->speed_m_s = counts_m(state, wheel->window_counts) / (COBOT_WINDOW_US * 1e-6);
    }
    state->window_due_us += COBOT_WINDOW_US;
}

/* ---- Speed loop ---- */

/* Moves all targets by the same fraction of the remaining difference, so that the robot keeps its
 * path. */
static void motion_ramp(struct cobot_motion *motion, double pass_s)
{
    double step_m_s = COBOT_RAMP_M_S2 * pass_s;
    double most_m_s = 0;
    for (int i = 0; i < COBOT_WHEELS; i++) {
        const struct cobot_wheel *wheel = &motion->wheel[i];
        most_m_s = fmax(most_m_s, fabs(wheel->wanted_m_s - wheel->target_m_s));
    }
    double part = most_m_s > step_m_s ? step_m_s / most_m_s : 1;
    for (int i = 0; i < COBOT_WHEELS; i++) {
        struct cobot_wheel *wheel = &motion->wheel[i];
        double way_m_s = wheel->wanted_m_s - wheel->target_m_s;
        wheel->target_m_s = part < 1 ? wheel->target_m_s + part * way_m_s : wheel->wanted_m_s;
    }
}

/* One control pass of a wheel that had SPEED_M_S and moved TURNED_M in PASS_S. */
static void wheel_control(struct cobot_wheel *wheel, double speed_m_s, double turned_m,
                          double pass_s, double free_m_s)
{
    wheel->still = wheel->target_m_s == 0 && turned_m == 0 ? wheel->still + 1 : 0;
    if (wheel->still >= COBOT_STILL_PASSES) {
        wheel->still = COBOT_STILL_PASSES;
        wheel_release(wheel);
        return;
    }
    double error_m = wheel->error_m + wheel->target_m_s * pass_s - turned_m;
    double error_sum = wheel->error_sum + error_m * pass_s;
    if (wheel->target_m_s == 0 || wheel->target_m_s * error_sum < 0)
        error_sum = 0;
    double duty = wheel->target_m_s / free_m_s + COBOT_DUTY_P * (wheel->target_m_s - speed_m_s) +
                  COBOT_DUTY_I * error_m + COBOT_DUTY_SUM * error_sum;

    /* At full duty the sums must stop growing. Otherwise a blocked wheel would race when it is
     * released. */
    if (fabs(duty) <= 1 || duty * error_m < 0) {
        wheel->error_m = error_m;
        wheel->error_sum = error_sum;
    }
    wheel->duty = number_clamp(duty, 1);
}

/* Real boards run the loop once per command, with the speeds of the last window, and assume that
 * commands come at 20 Hz. */
static void motion_control(struct cobot_state *state)
{
    struct cobot_motion *motion = &state->motion;
    bool is_steady = state->options.speed_loop == COBOT_LOOP_STEADY;
    bool is_due = motion->is_driven && (is_steady || motion->was_commanded);
    double pass_s = (is_steady ? COBOT_CONTROL_PERIOD_US : COBOT_WINDOW_US) * 1e-6;
    double recent_s = COBOT_SPEED_PASSES * COBOT_CONTROL_PERIOD_US * 1e-6;
    if (is_due)
        motion_ramp(motion, pass_s);
    for (int i = 0; i < COBOT_WHEELS; i++) {
        struct cobot_wheel *wheel = &motion->wheel[i];
        int64_t *counts = wheel->counts_passes;
        double turned_m = counts_m(state, wheel->counts - counts[0]);
        double speed_m_s =
            counts_m(state, wheel->counts - counts[COBOT_SPEED_PASSES - 1]) / recent_s;
        memmove(counts + 1, counts, (COBOT_SPEED_PASSES - 1) * sizeof counts[0]);
        counts[0] = wheel->counts;
        if (is_due && is_steady) {
            wheel_control(wheel, speed_m_s, turned_m, pass_s, state->free_m_s);
        } else if (is_due) {
            wheel_control(wheel, wheel->speed_m_s, wheel->speed_m_s * pass_s, pass_s,
                          state->free_m_s);
        }
    }
}

void cobot_motion_step(struct cobot_state *state)
{
    motion_watch(state);
    motion_control(state);
    state->motion.was_commanded = false;
    state->control_due_us += COBOT_CONTROL_PERIOD_US;
}
