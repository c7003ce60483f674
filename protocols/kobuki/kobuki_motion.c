/* Conversion of base control into duty cycles. Approximated: the real controller is unknown;
 * this controller has the protocol's gains and about the step response of the vendor's plot
 * (README.md). */
#include "protocols/kobuki/kobuki_motion.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* Wheelbase 230 mm (protocol.rst, Base Control; kobuki_core: diff_drive.cpp). */
static const double KOBUKI_HALF_BASE_MM = 115.0;

/* Maximum speed 0.70 m/s (specifications.rst; kobuki_core: doxygen/linear_acceleration.png). */
static const double KOBUKI_SPEED_MAX_M_S = 0.70;

/* conversions.rst: 1 tick = 0.0853 mm. */
static const double KOBUKI_M_PER_TICK = 0.000085292090497737556558;

/* The gains on the wire are multiplied by 1000. */
static const double KOBUKI_GAIN_SCALE = 0.001;

/* Duty per unit of P times meter, of I times meter second, of D times meter per second. Chosen: the
 * units of the real gains are unknown. P acts on the remaining distance, so that the speed is exact
 * even at low speeds; D acts on the speed. With the factory gains 100, 0.1, 2, a step to 0.70 m/s
 * is close to the vendor's plot (linear_acceleration.png; README.md has both). */
static const double KOBUKI_DUTY_P = 0.09;
static const double KOBUKI_DUTY_I = 0.09;
static const double KOBUKI_DUTY_D = 0.25;

/* Limit of the remaining distance for all gains. Chosen. */
static const double KOBUKI_ERROR_MAX_M = 2.0;

/* If a wheel has target 0 and has not ticked for this many passes, its duty becomes 0. Chosen: 0.1
 * s. */
static const uint32_t KOBUKI_STILL_PASSES = 10;

/* Overcurrent: above 3 A (anatomy.rst). Chosen: for 0.1 s without interruption, because starting
 * draws more for some milliseconds; the motor is then off for 1 s. */
static const double KOBUKI_OVERLOAD_A = 3.0;
static const uint32_t KOBUKI_OVERLOAD_PASSES = 10;
static const int64_t KOBUKI_OVERLOAD_CUT_US = 1000000;

/* Wheel speeds of a base control. SPEED in mm/s, RADIUS in mm; result in m/s. If a speed exceeds
 * 0.70, both are scaled down, which keeps the arc. */
static void kobuki_base_speeds(int16_t speed, int16_t radius, double wheel_m_s[KOBUKI_WHEELS])
{
    double left = speed;
    double right = speed;
    if (radius == 1) {
        left = -left; /* on the spot: the driver sends 1 for both directions */
    } else if (radius != 0) {
        double outer_mm = radius > 0 ? radius + KOBUKI_HALF_BASE_MM : radius - KOBUKI_HALF_BASE_MM;
        double turn_rad_s = speed / outer_mm;
        left = (radius - KOBUKI_HALF_BASE_MM) * turn_rad_s;
        right = (radius + KOBUKI_HALF_BASE_MM) * turn_rad_s;
    }
    double fastest_m_s = fmax(fabs(left), fabs(right)) * 0.001;
    double scale = fastest_m_s > KOBUKI_SPEED_MAX_M_S ? KOBUKI_SPEED_MAX_M_S / fastest_m_s : 1.0;
    wheel_m_s[KOBUKI_LEFT] = left * 0.001 * scale;
    wheel_m_s[KOBUKI_RIGHT] = right * 0.001 * scale;
}

void kobuki_gains_reset(struct kobuki_gain *gains)
{
    gains->type = 0; /* factory values: protocol.rst, Set Controller Gain */
    gains->p = 100000;
    gains->i = 100;
    gains->d = 2000;
}

/* ---- Commands ---- */

void kobuki_motion_command(struct kobuki_state *state, int16_t speed, int16_t radius,
                           int64_t now_us)
{
    struct kobuki_motion *motion = &state->motion;
    motion->base_us = now_us;
    int64_t dead_us = (int64_t)floor(state->options.command_dead_time_s * 1e6);
    if (dead_us <= 0) {
        kobuki_base_speeds(speed, radius, motion->base_m_s);
        motion->is_driven = true;
        return;
    }
    /* If the queue is full, the newest command is replaced. */
    if (motion->queue_used < KOBUKI_COMMAND_QUEUE)
        motion->queue_used++;
    struct kobuki_queued *queued = &motion->queue[motion->queue_used - 1];
    queued->due_us = now_us + dead_us;
    queued->speed = speed;
    queued->radius = radius;
}

static void motion_take_queued(struct kobuki_motion *motion, int64_t now_us)
{
    uint32_t due = 0;
    while (due < motion->queue_used && motion->queue[due].due_us <= now_us)
        due++;
    if (due == 0)
        return;
    kobuki_base_speeds(motion->queue[due - 1].speed, motion->queue[due - 1].radius,
                       motion->base_m_s);
    motion->is_driven = true;
    motion->queue_used -= due;
    memmove(motion->queue, motion->queue + due, motion->queue_used * sizeof motion->queue[0]);
    memset(motion->queue + motion->queue_used, 0, due * sizeof motion->queue[0]);
}

/* If commands stop, this stops the wheels and drops the delayed commands. */
static void motion_watch(struct kobuki_state *state, int64_t now_us)
{
    struct kobuki_motion *motion = &state->motion;
    int64_t limit_us = (int64_t)floor(state->options.watchdog_s * 1e6);
    bool is_busy = motion->is_driven || motion->queue_used > 0;
    if (limit_us <= 0 || !is_busy || now_us - motion->base_us < limit_us)
        return;
    bool was_moving = motion->base_m_s[KOBUKI_LEFT] != 0 || motion->base_m_s[KOBUKI_RIGHT] != 0;
    motion->watchdog_stops += was_moving ? 1 : 0;
    motion->is_driven = false;
    motion->base_m_s[KOBUKI_LEFT] = 0;
    motion->base_m_s[KOBUKI_RIGHT] = 0;
    memset(motion->queue, 0, sizeof motion->queue);
    motion->queue_used = 0;
}

/* Firmware below 1.1.2 handled safety itself (firmware.rst); the details are unknown. Chosen: no
 * wheel turns forward while a bumper, cliff or wheel drop bit is set. */
static void motion_set_targets(struct kobuki_state *state)
{
    bool is_unsafe = (state->bumper | state->cliff | state->wheel_drop) != 0;
    bool is_held = is_unsafe && kobuki_profile(state)->has_safety;
    for (int i = 0; i < KOBUKI_WHEELS; i++) {
        double target = state->motion.base_m_s[i];
        state->motion.wheel[i].target_m_s = is_held && target > 0 ? 0 : target;
    }
}

/* ---- Control ---- */

static void wheel_release(struct kobuki_wheel *wheel)
{
    wheel->error_m = 0;
    wheel->error_sum = 0;
    wheel->duty = 0;
}

/* Velocity control of one wheel, which has moved TURNED_M since the last pass. */
static void wheel_control(struct kobuki_wheel *wheel, const struct kobuki_gain *gains,
                          double turned_m)
{
    const double pass_s = KOBUKI_CONTROL_PERIOD_US * 1e-6;
    wheel->still = wheel->target_m_s == 0 && turned_m == 0 ? wheel->still + 1 : 0;
    if (wheel->still >= KOBUKI_STILL_PASSES) {
        wheel->still = KOBUKI_STILL_PASSES;
        wheel_release(wheel);
        return;
    }
    double slip_m_s = wheel->target_m_s - turned_m / pass_s;
    double error_m = number_clamp(wheel->error_m + slip_m_s * pass_s, KOBUKI_ERROR_MAX_M);
    double error_sum = number_clamp(wheel->error_sum + error_m * pass_s, KOBUKI_ERROR_MAX_M);
    double duty = KOBUKI_DUTY_P * KOBUKI_GAIN_SCALE * gains->p * error_m +
                  KOBUKI_DUTY_I * KOBUKI_GAIN_SCALE * gains->i * error_sum +
                  KOBUKI_DUTY_D * KOBUKI_GAIN_SCALE * gains->d * slip_m_s;

    /* At full duty the sums must stop growing. Otherwise a blocked wheel would race when it is
     * released. */
    bool is_winding_up = fabs(duty) > 1 && duty * slip_m_s > 0;
    if (!is_winding_up) {
        wheel->error_m = error_m;
        wheel->error_sum = error_sum;
    }
    wheel->duty = number_clamp(duty, 1);
}

/* Checks for overcurrent. True while the power of the wheel is cut. */
static bool wheel_overload(struct kobuki_state *state, struct kobuki_wheel *wheel, int64_t now_us)
{
    if (wheel->is_cut) {
        wheel->is_cut = now_us < wheel->cut_until_us;
        return wheel->is_cut;
    }
    bool is_high = fabs(wheel->current_a) > KOBUKI_OVERLOAD_A;
    wheel->overload = is_high ? wheel->overload + 1 : 0;
    if (wheel->overload < KOBUKI_OVERLOAD_PASSES)
        return false;
    wheel->overload = 0;
    wheel->is_cut = true;
    wheel->cut_until_us = now_us + KOBUKI_OVERLOAD_CUT_US;
    state->motion.overloads++;
    return true;
}

void kobuki_motion_restart(struct kobuki_state *state)
{
    for (int i = 0; i < KOBUKI_WHEELS; i++) {
        state->motion.wheel[i].error_m = 0;
        state->motion.wheel[i].error_sum = 0;
    }
}

void kobuki_motion_step(struct kobuki_state *state, int64_t now_us)
{
    motion_take_queued(&state->motion, now_us);
    motion_watch(state, now_us);
    motion_set_targets(state);
    for (int i = 0; i < KOBUKI_WHEELS; i++) {
        struct kobuki_wheel *wheel = &state->motion.wheel[i];
        double turned_m = (double)(wheel->ticks - wheel->ticks_loop) * KOBUKI_M_PER_TICK;
        wheel->ticks_loop = wheel->ticks;
        if (wheel_overload(state, wheel, now_us))
            wheel_release(wheel);
        else
            wheel_control(wheel, &state->gains, turned_m);
    }
}
