/* Messages 02 to 07 by their deadlines. The order inside a cycle is the vendor firmware's: 02, 03,
 * 05, then 04, 07, then 06. Numbers are truncated toward zero, as there. */
#include "protocols/cobot/cobot_feedback.h"

#include <math.h>

#include "protocols/cobot/cobot_imu.h"
#include "protocols/cobot/cobot_power.h"

/* Vendor firmware: 330 counts a wheel turn, 20 windows a second. */
static const double COBOT_RPM_PER_COUNT = 60.0 * 20.0 / 330.0;

struct periods {
    int64_t fast_us, middle_us, slow_us;
};

static const struct periods periods[] = {
    /* 40, 20 and 5 Hz: the public document. */
    [COBOT_RATES_DOCUMENT] = {25000, 50000, 200000},
    /* 1 : 1/3 : 1/6, of the document's 40 Hz: vendor firmware. */
    [COBOT_RATES_FIRMWARE] = {25000, 75000, 150000},
};

static struct cobot_group group_start(int64_t period_us, int64_t now_us)
{
    return (struct cobot_group){.due_us = now_us + period_us, .period_us = period_us};
}

void cobot_feedback_reset(struct cobot_state *state, int64_t now_us)
{
    const struct periods *chosen = &periods[state->options.rates];
    state->fast = group_start(chosen->fast_us, now_us);
    state->middle = group_start(chosen->middle_us, now_us);
    state->slow = group_start(chosen->slow_us, now_us);
}

int64_t cobot_feedback_due(const struct cobot_state *state)
{
    int64_t due = state->fast.due_us;
    due = state->middle.due_us < due ? state->middle.due_us : due;
    return state->slow.due_us < due ? state->slow.due_us : due;
}

/* ---- Messages ---- */

static void fill_velocity(struct cobot_state *state)
{
    struct cobot_move *velocity = &state->last.velocity;
    const struct cobot_options *options = &state->options;
    double wheel_m_s[COBOT_WHEELS];
    for (int i = 0; i < COBOT_WHEELS; i++)
        wheel_m_s[i] = state->motion.wheel[i].speed_m_s;
    struct cobot_twist twist = cobot_chassis_twist(&state->chassis, wheel_m_s);
    double y_m_s = options->strafe == COBOT_STRAFE_SWAPPED ? -twist.y_m_s : twist.y_m_s;
    double turn = twist.turn_rad_s * 100;
    if (options->model == COBOT_ACKERMANN && options->turn_report == COBOT_TURN_REPORT_STEERING) {
        /* Whole degrees; half a digit keeps what came in as such. */
        double degrees = state->motion.steer_rad * 57.295779513082320877;
        turn = degrees < 0 ? degrees - 0.5 : degrees + 0.5;
    }
    cobot_put_signed(twist.x_m_s * 1000, &velocity->x_sign, &velocity->x);
    cobot_put_signed(y_m_s * 1000, &velocity->y_sign, &velocity->y);
    cobot_put_signed(turn, &velocity->turn_sign, &velocity->turn);
    if (velocity->y == 0)
        velocity->y_sign = (uint8_t)options->zero_y_sign;
}

static uint16_t motor_value(const struct cobot_state *state, int wheel)
{
    const struct cobot_wheel *of = &state->motion.wheel[wheel];
    int32_t choice = state->options.motor_speed;
    bool is_rpm = choice == COBOT_MOTOR_RPM || choice == COBOT_MOTOR_RPM_SIGNED;
    bool is_signed = choice == COBOT_MOTOR_MM_S_SIGNED || choice == COBOT_MOTOR_RPM_SIGNED;
    double value = trunc(is_rpm ? of->window_counts * COBOT_RPM_PER_COUNT : of->speed_m_s * 1000);
    return is_signed ? (uint16_t)wire_saturate_i16(value) : wire_saturate_u16(fabs(value));
}

static void fill_motors(struct cobot_state *state)
{
    struct cobot_motors *motors = &state->last.motors;
    motors->motor1 = motor_value(state, COBOT_FRONT_LEFT);
    motors->motor2 = motor_value(state, COBOT_REAR_LEFT);
    motors->motor3 = motor_value(state, COBOT_FRONT_RIGHT);
    motors->motor4 = motor_value(state, COBOT_REAR_RIGHT);
}

/* ---- Sending ---- */

static void send_on(struct cobot_state *state, const struct robot_tx *tx,
                    enum cobot_channel channel, const uint8_t *bytes, size_t size)
{
    if (tx_frame(tx, channel, bytes, size))
        state->stats[channel].sent++;
    else
        state->stats[channel].overruns++;
}

static void send(struct cobot_state *state, const struct robot_tx *tx,
                 const struct wire_packet *packet, const void *message)
{
    uint8_t frame[COBOT_FRAME_MAX];
    size_t size = cobot_frame_write(packet, message, frame);
    send_on(state, tx, COBOT_UART, frame, size);
    if (state->options.bluetooth != COBOT_BLUETOOTH_LETTERS)
        send_on(state, tx, COBOT_BLUETOOTH, frame, size);
}

static bool group_take(struct cobot_group *group, int64_t due_us)
{
    if (group->due_us != due_us)
        return false;
    group->due_us += group->period_us;
    return true;
}

void cobot_feedback_send(struct cobot_state *state, const struct robot_sensors *sensors,
                         const struct robot_tx *tx, int64_t due_us)
{
    struct cobot_messages *last = &state->last;
    if (group_take(&state->middle, due_us)) {
        fill_velocity(state);
        fill_motors(state);
        cobot_imu_fill_attitude(state, sensors);
        send(state, tx, &cobot_velocity_packet, &last->velocity);
        send(state, tx, &cobot_motors_packet, &last->motors);
        send(state, tx, &cobot_attitude_packet, &last->attitude);
    }
    if (group_take(&state->slow, due_us)) {
        cobot_power_fill(state);
        last->model.model = (uint8_t)(state->options.model + 1);
        send(state, tx, &cobot_battery_packet, &last->battery);
        send(state, tx, &cobot_model_packet, &last->model);
    }
    if (group_take(&state->fast, due_us)) {
        cobot_imu_fill_raw(state, sensors);
        send(state, tx, &cobot_imu_packet, &last->imu);
    }
}
