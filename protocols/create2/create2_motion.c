/* Approximated: the real controller is unknown; this controller has the measured lag (robotics.SE
 * 6869). Values that the electrical data of the machine do not determine are chosen. */
#include "protocols/create2/create2_motion.h"

#include <math.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/number.h"
#include "base/rng.h"
#include "protocols/curve.h"

static const double HALF_BASE_MM = 117.5;                    /* OI: wheel base 235.0 mm */
static const double SPEED_MAX_M_S = 0.5;                     /* OI, Drive */
static const double RADIUS_MAX_MM = 2000;                    /* the same */
static const double WHEEL_RADIUS_M = 0.036;                  /* OI: wheel diameter 72.0 mm */
static const double COUNTS_PER_RAD = 508.8 / (2 * ANGLE_PI); /* OI, packet 43 */
static const double PASS_S = CREATE2_SLOT_NS * 1e-9 / CREATE2_PASSES;

/* Chosen: the wheel follows its ramp closely, without overshoot at 3.5 kg. */
static const double DUTY_PER_M = 6.0;
static const double DUTY_PER_M_S = 1.3;
static const double DUTY_AT_M_S = 1.55; /* feed forward: about the inverse of the free speed */
/* Friction of motor and gear: idle current times resistance, as a share of the supply voltage
 * (create2_body.c). */
static const double DUTY_AT_REST = 0.08 * 5.0 / 14.4;
static const double ERROR_MAX_M = 0.15;
static const double REST_M_S = 0.002; /* below it a ramp ends */

/* Chosen: above the current of starting and pushing, below that of a blocked wheel. */
static const double OVERLOAD_A = 1.2;
static const uint32_t OVERLOAD_PASSES = 20; /* chosen: 0.1 s */

void create2_motion_arc(int velocity, int radius, double wheel_m_s[CREATE2_WHEELS])
{
    double speed = number_clamp(velocity * 0.001, SPEED_MAX_M_S);
    double left = speed, right = speed;
    if (radius == -1 || radius == 1) {
        left = radius < 0 ? speed : -speed;
        right = -left;
    } else if (radius != 0 && radius != INT16_MAX && radius != INT16_MIN) {
        double around_mm = number_clamp(radius, RADIUS_MAX_MM);
        left = speed * (around_mm - HALF_BASE_MM) / around_mm;
        right = speed * (around_mm + HALF_BASE_MM) / around_mm;
    }
    double fastest = number_larger(fabs(left), fabs(right));
    double scale = fastest > SPEED_MAX_M_S ? SPEED_MAX_M_S / fastest : 1;
    wheel_m_s[CREATE2_LEFT] = left * scale;
    wheel_m_s[CREATE2_RIGHT] = right * scale;
}

int16_t create2_motion_reported(int16_t wanted)
{
    /* Input: recorded values are whole multiples of 7.113 mm/s (README.md). */
    const double step_mm_s = WHEEL_RADIUS_M * 1000 / COUNTS_PER_RAD * 16;
    return (int16_t)lround(round(wanted / step_mm_s) * step_mm_s);
}

void create2_motion_wheels(struct create2_motion *motion, double left_m_s, double right_m_s)
{
    motion->is_pwm = false;
    motion->wheel[CREATE2_LEFT].target_m_s = number_clamp(left_m_s, SPEED_MAX_M_S);
    motion->wheel[CREATE2_RIGHT].target_m_s = number_clamp(right_m_s, SPEED_MAX_M_S);
}

void create2_motion_pwm(struct create2_motion *motion, int left, int right)
{
    motion->is_pwm = true;
    motion->pwm[CREATE2_LEFT] = number_clamp(left / 255.0, 1);
    motion->pwm[CREATE2_RIGHT] = number_clamp(right / 255.0, 1);
}

void create2_motion_stop(struct create2_motion *motion)
{
    create2_motion_wheels(motion, 0, 0);
    motion->pwm[CREATE2_LEFT] = motion->pwm[CREATE2_RIGHT] = 0;
    motion->main_brush = motion->side_brush = motion->vacuum = 0;
}

void create2_motion_motors(struct create2_motion *motion, uint8_t bits)
{
    /* OI, Motors: by default, the side brush turns counter-clockwise and the main brush inward. */
    motion->side_brush = bits & 1 ? (bits & 8 ? -1 : 1) : 0;
    motion->vacuum = bits & 2 ? 1 : 0;
    motion->main_brush = bits & 4 ? (bits & 16 ? -1 : 1) : 0;
}

void create2_motion_pwm_motors(struct create2_motion *motion, const struct create2_pwm *pwm)
{
    motion->main_brush = number_clamp(pwm->main_brush / 127.0, 1);
    motion->side_brush = number_clamp(pwm->side_brush / 127.0, 1);
    motion->vacuum = number_between(pwm->vacuum / 127.0, 0, 1);
}

/* ---- Wheels ---- */

/* The encoder has one channel. It counts in the direction of the wanted speed, and up if there is
 * none (OI). */
static void read_wheel(struct create2_wheel *wheel, double turned_rad, double wanted)
{
    double moved_rad = turned_rad - wheel->turned_rad;
    double counted_rad = wanted < 0 ? -fabs(moved_rad) : fabs(moved_rad);
    wheel->turned_rad = turned_rad;
    wheel->moved_m = counted_rad * WHEEL_RADIUS_M;
    wheel->counts += counted_rad * COUNTS_PER_RAD;
}

/* Input: commanded and counted speeds, mm/s, of the recorded robots (README.md). Chosen:
 * proportional below 28, and above 199, because there are no recordings. */
static const struct curve_point recorded_mm_s[] = {
    {0, 0}, {28, 46}, {50, 67}, {78, 95.5}, {100, 115.5}, {128, 142}, {199, 189}, {500, 475}};

static const double WHEELS_DIFFER = 0.03; /* input: at most, both wheels of a robot */

static double wanted_m_s(const struct create2_state *state, unsigned at)
{
    double target_m_s = state->motion.wheel[at].target_m_s;
    if (state->options.wheel_error == CREATE2_WHEELS_EXACT)
        return target_m_s;
    double scale = 1 + WHEELS_DIFFER * (rng_uniform(~state->turn_key, at) - 0.5);
    double mm_s = curve_at(recorded_mm_s, COUNT(recorded_mm_s), fabs(target_m_s) * 1000);
    return copysign(mm_s * scale / 1000, target_m_s);
}

/* Control of one wheel. GOAL_M_S: the end of its ramp. */
static void control_wheel(struct create2_wheel *wheel, double time_constant_s, double goal_m_s,
                          double speed_m_s)
{
    double share = time_constant_s > PASS_S ? PASS_S / time_constant_s : 1;
    wheel->ramp_m_s += (goal_m_s - wheel->ramp_m_s) * share;
    if (goal_m_s == 0 && fabs(wheel->ramp_m_s) < REST_M_S) {
        wheel->ramp_m_s = wheel->error_m = wheel->duty = 0;
        return;
    }
    double slip_m_s = wheel->ramp_m_s - speed_m_s;
    wheel->error_m = number_clamp(wheel->error_m + slip_m_s * PASS_S, ERROR_MAX_M);
    double duty =
        DUTY_AT_M_S * wheel->ramp_m_s + DUTY_PER_M * wheel->error_m + DUTY_PER_M_S * slip_m_s;
    if (goal_m_s != 0) // friction helps a wheel that stops
        duty += copysign(DUTY_AT_REST, goal_m_s);
    wheel->duty = number_clamp(duty, 1);
}

/* Whether a current has exceeded its limit for OVERLOAD_PASSES. OVERLOAD: consecutive passes so
 * far. */
static bool is_overload(double current_a, double limit_a, uint32_t *overload)
{
    *overload = fabs(current_a) <= limit_a    ? 0
                : *overload < OVERLOAD_PASSES ? *overload + 1
                                              : OVERLOAD_PASSES;
    return *overload == OVERLOAD_PASSES;
}

/* ---- Brushes ---- */

/* Currents at full duty: chosen. */
static const struct {
    double free_a, stall_a, limit_a;
} brushes[CREATE2_BRUSHES] = {
    [CREATE2_MAIN_BRUSH] = {0.6, 2.0, 1.2},
    [CREATE2_SIDE_BRUSH] = {0.1, 0.8, 0.4},
};

double create2_motion_brush_a(const struct create2_state *state, enum create2_brush brush)
{
    const struct create2_motion *motion = &state->motion;
    double duty = brush == CREATE2_MAIN_BRUSH ? motion->main_brush : motion->side_brush;
    bool is_jammed = motion->jam[brush].passes > 0;
    if (!create2_profile(state)->has_cleaner)
        return 0;
    return duty * (is_jammed ? brushes[brush].stall_a : brushes[brush].free_a);
}

void create2_motion_jam(struct create2_motion *motion, enum create2_brush brush, double for_s)
{
    bool has_end = for_s > 0 && for_s < UINT32_MAX * PASS_S;
    motion->jam[brush].passes = has_end ? (uint32_t)ceil(for_s / PASS_S) : UINT32_MAX;
}

static void watch_brushes(struct create2_state *state)
{
    for (int i = 0; i < CREATE2_BRUSHES; i++) {
        struct create2_jam *jam = &state->motion.jam[i];
        double current_a = create2_motion_brush_a(state, (enum create2_brush)i);
        jam->is_over = is_overload(current_a, brushes[i].limit_a, &jam->overload);
        jam->passes -= jam->passes > 0 && jam->passes < UINT32_MAX;
    }
}

void create2_motion_pass(struct create2_state *state, const struct robot_sensors *sensors)
{
    struct create2_motion *motion = &state->motion;
    for (int i = 0; i < CREATE2_WHEELS; i++) {
        struct create2_wheel *wheel = &motion->wheel[i];
        if (!motion->has_start)
            wheel->turned_rad = sensors->wheel_rad[i];
        read_wheel(wheel, sensors->wheel_rad[i], motion->is_pwm ? motion->pwm[i] : wheel->ramp_m_s);
        wheel->current_a = sensors->motor_a[i];
        wheel->is_over = is_overload(wheel->current_a, OVERLOAD_A, &wheel->overload);
        if (motion->is_pwm) {
            wheel->duty = motion->pwm[i];
            wheel->ramp_m_s = sensors->wheel_rad_s[i] * WHEEL_RADIUS_M;
            wheel->error_m = 0;
        } else {
            control_wheel(wheel, state->options.time_constant_s, wanted_m_s(state, (unsigned)i),
                          sensors->wheel_rad_s[i] * WHEEL_RADIUS_M);
        }
    }
    watch_brushes(state);
    motion->has_start = true;
    double left_m = motion->wheel[CREATE2_LEFT].moved_m;
    double right_m = motion->wheel[CREATE2_RIGHT].moved_m;
    motion->distance_mm += (left_m + right_m) / 2 * 1000;
    motion->angle_deg += (right_m - left_m) * 1000 / (2 * HALF_BASE_MM) / ANGLE_RAD_DEG;
}

int16_t create2_motion_counts(const struct create2_wheel *wheel)
{
    double counts = floor(wheel->counts + 1e-9);
    counts -= 65536 * floor(counts / 65536);
    return (int16_t)(uint16_t)counts;
}
