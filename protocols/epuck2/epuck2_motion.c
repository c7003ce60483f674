/* Stepper motors. As in the robot, the counters count the commanded steps. They do not show the
 * steps that a blocked motor loses. */
#include "protocols/epuck2/epuck2_motion.h"

#include <math.h>
#include <string.h>

/* Ticks per second of the motors' timer (motors.c). */
static const int EPUCK2_TIMER_HZ = 100000;

/* Proximity readings below this count as noise (behaviors.c). */
static const int EPUCK2_NOISE_MAX = 5;

double epuck2_motion_true_steps_s(int16_t wanted)
{
    int speed = wanted < 0 ? -wanted : wanted;
    if (speed == 0)
        return 0;
    int half_step = EPUCK2_TIMER_HZ / (2 * speed);
    double true_speed = (double)EPUCK2_TIMER_HZ / (2 * half_step);
    return wanted < 0 ? -true_speed : true_speed;
}

static int16_t clamp(int speed)
{
    return (int16_t)(speed > EPUCK2_SPEED_MAX    ? EPUCK2_SPEED_MAX
                     : speed < -EPUCK2_SPEED_MAX ? -EPUCK2_SPEED_MAX
                                                 : speed);
}

void epuck2_motion_reset(struct epuck2_state *state, int64_t now_us)
{
    memset(&state->motion, 0, sizeof state->motion);
    state->motion.wheel[EPUCK2_LEFT].steps = (double)state->options.left_steps_start;
    state->motion.wheel[EPUCK2_RIGHT].steps = (double)state->options.right_steps_start;
    state->motion.moved_us = now_us;
}

void epuck2_motion_advance(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_motion *motion = &state->motion;
    double duration_s = (double)(now_us - motion->moved_us) * 1e-6;
    for (int i = 0; i < EPUCK2_WHEELS; i++)
        motion->wheel[i].steps += motion->wheel[i].true_steps_s * duration_s;
    motion->moved_us = now_us;
}

int16_t epuck2_motion_steps(const struct epuck2_wheel *wheel)
{
    int64_t steps = (int64_t)floor(wheel->steps);
    uint16_t low = (uint16_t)((uint64_t)steps & 0xffff);
    return (int16_t)low;
}

static void drive(struct epuck2_state *state, int left, int right, int64_t now_us)
{
    struct epuck2_wheel *wheels = state->motion.wheel;
    epuck2_motion_advance(state, now_us);
    wheels[EPUCK2_LEFT].driven = clamp(left);
    wheels[EPUCK2_RIGHT].driven = clamp(right);
    for (int i = 0; i < EPUCK2_WHEELS; i++)
        wheels[i].true_steps_s = epuck2_motion_true_steps_s(wheels[i].driven);
}

void epuck2_motion_speeds(struct epuck2_state *state, int left, int right, int64_t now_us)
{
    struct epuck2_wheel *wheels = state->motion.wheel;
    wheels[EPUCK2_LEFT].wanted = clamp(left);
    wheels[EPUCK2_RIGHT].wanted = clamp(right);
    if (!state->motion.is_avoiding)
        drive(state, left, right, now_us);
}

void epuck2_motion_count(struct epuck2_state *state, int16_t left, int16_t right, int64_t now_us)
{
    epuck2_motion_advance(state, now_us);
    state->motion.wheel[EPUCK2_LEFT].steps = left;
    state->motion.wheel[EPUCK2_RIGHT].steps = right;
}

void epuck2_motion_avoid(struct epuck2_state *state, bool is_on, int64_t now_us)
{
    const struct epuck2_wheel *wheels = state->motion.wheel;
    bool is_over = state->motion.is_avoiding && !is_on;
    state->motion.is_avoiding = is_on;
    if (is_over)
        drive(state, wheels[EPUCK2_LEFT].wanted, wheels[EPUCK2_RIGHT].wanted, now_us);
}

/* Half of the value, rounded down like the firmware's shift. */
static int half(int value)
{
    return value >= 0 ? value / 2 : -((1 - value) / 2);
}

void epuck2_motion_field(const uint16_t prox[EPUCK2_PROX_COUNT], int left, int right, int out[2])
{
    int p[EPUCK2_PROX_COUNT];
    for (int i = 0; i < EPUCK2_PROX_COUNT; i++)
        p[i] = prox[i] < EPUCK2_NOISE_MAX ? 0 : prox[i];
    /* behaviors.c: three quarters are a half plus a quarter, each rounded. */
    int x = -p[0] - p[1] / 2 + p[3] / 2 + p[3] / 4 + p[4] / 2 + p[4] / 4 - p[6] / 2 - p[7];
    int y = p[0] / 2 + p[1] / 2 + p[2] + p[3] / 2 - p[4] / 2 - p[5] - p[6] / 2 - p[7] / 2;
    out[EPUCK2_LEFT] = left >= 0 ? left + (half(x) - 4 * y) : left - (half(x) + 4 * y);
    out[EPUCK2_RIGHT] = right >= 0 ? right + (half(x) + 4 * y) : right - (half(x) - 4 * y);
}

void epuck2_motion_pass(struct epuck2_state *state, int64_t now_us)
{
    const struct epuck2_wheel *wheels = state->motion.wheel;
    int driven[2];
    if (!state->motion.is_avoiding)
        return;
    epuck2_motion_field(state->prox.value, wheels[EPUCK2_LEFT].wanted, wheels[EPUCK2_RIGHT].wanted,
                        driven);
    drive(state, driven[EPUCK2_LEFT], driven[EPUCK2_RIGHT], now_us);
}
