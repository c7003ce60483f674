/* Communication with hosts. The last frame or letter of either channel is in force. Messages are
 * sent in the order of the vendor's firmware: 02, 03, 05, then 04, 07, then 06. Their numbers are
 * truncated toward zero, as in the firmware. */
#include "protocols/cobot/cobot_state.h"

#include <math.h>

#include "base/angle.h"
#include "protocols/cobot/cobot_motion.h"

/* ---- Received letters and frames ---- */

/* Speeds of the letters (vendor firmware). Chosen: the effect of the letters a and b on a moving
 * robot, and that they stop at 0. */
static const int32_t COBOT_PHONE_START_MM_S = 350;
static const int32_t COBOT_PHONE_STEP_MM_S = 50;
static const int32_t COBOT_PHONE_MAX_MM_S = 800;
static const int32_t COBOT_PHONE_STRAFE_MM_S = 300;
static const int32_t COBOT_PHONE_PIVOT = 200; /* 2.00 rad/s; Ackermann: the maximum steering
                                               * angle */

/* ---- Letters ---- */

static void phone_faster(struct cobot_phone *phone, int32_t step_mm_s)
{
    int32_t speed = phone->speed_mm_s + step_mm_s;
    phone->speed_mm_s = speed < 0 ? 0 : speed > COBOT_PHONE_MAX_MM_S ? COBOT_PHONE_MAX_MM_S : speed;
}

/* The motion of a letter. */
static struct cobot_command phone_command(const struct cobot_phone *phone, uint8_t letter)
{
    switch (letter) {
    case '3':
        return (struct cobot_command){.turn = COBOT_PHONE_PIVOT};
    case '4':
        return (struct cobot_command){.turn = -COBOT_PHONE_PIVOT};
    case '6':
        return (struct cobot_command){.x_mm_s = phone->speed_mm_s};
    case '7':
        return (struct cobot_command){.x_mm_s = -phone->speed_mm_s};
    case '8':
        return (struct cobot_command){.y_mm_s = COBOT_PHONE_STRAFE_MM_S};
    case '9':
        return (struct cobot_command){.y_mm_s = -COBOT_PHONE_STRAFE_MM_S};
    default: /* 0 and 5 */
        return (struct cobot_command){0};
    }
}

static void run_letter(struct cobot_state *state, enum cobot_channel channel, uint8_t letter)
{
    struct cobot_phone *phone = &state->phone;
    if (!cobot_letter_is_known(letter)) {
        state->stats[channel].noise_bytes++;
        return;
    }
    state->stats[channel].frames++;
    state->last.letter.letter = letter;
    cobot_motion_heard(state);
    if (letter == 'a' || letter == 'b') {
        phone_faster(phone, letter == 'a' ? COBOT_PHONE_STEP_MM_S : -COBOT_PHONE_STEP_MM_S);
        if (phone->letter != '6' && phone->letter != '7')
            return;
    } else {
        phone->letter = letter;
    }
    cobot_motion_command(state, phone_command(phone, phone->letter));
}

/* ---- Frames ---- */

/* Any sign byte other than 0 means minus (the vendor's driver tests > 0). */
static int32_t signed_value(uint8_t sign, uint16_t magnitude)
{
    return sign != 0 ? -(int32_t)magnitude : (int32_t)magnitude;
}

static void run_frame(struct cobot_state *state, enum cobot_channel channel,
                      const struct cobot_part *part)
{
    struct robot_stats *stats = &state->stats[channel];
    struct cobot_move *motion = &state->last.motion;
    stats->frames++;
    if (part->function != cobot_motion_packet.id) {
        stats->unknown_ids++;
    } else if (wire_decode(&cobot_motion_packet, part->data, part->size, motion)) {
        state->phone.letter = 0;
        cobot_motion_command(state, (struct cobot_command){
                                        .x_mm_s = signed_value(motion->x_sign, motion->x),
                                        .y_mm_s = signed_value(motion->y_sign, motion->y),
                                        .turn = signed_value(motion->turn_sign, motion->turn),
                                    });
    } else {
        stats->bad_lengths++;
        if (state->options.watchdog_feed == COBOT_FEED_VALID)
            return;
    }
    cobot_motion_heard(state);
}

static void run_bad_frame(struct cobot_state *state, enum cobot_channel channel)
{
    state->stats[channel].bad_frames++;
    if (state->options.watchdog_feed == COBOT_FEED_ANY)
        cobot_motion_heard(state);
}

void cobot_host_byte(struct cobot_state *state, enum cobot_channel channel, uint8_t byte)
{
    bool is_phone = channel == COBOT_BLUETOOTH;
    if (is_phone && state->options.bluetooth == COBOT_BLUETOOTH_LETTERS) {
        run_letter(state, channel, byte);
        return;
    }
    struct cobot_framer *framer = &state->framer[channel];
    struct cobot_part part;
    enum cobot_found found;
    cobot_framer_push(framer, byte);
    while ((found = cobot_framer_next(framer, &part)) != COBOT_FOUND_NOTHING)
        if (found == COBOT_FOUND_FRAME)
            run_frame(state, channel, &part);
        else if (found == COBOT_FOUND_BAD_FRAME)
            run_bad_frame(state, channel);
        else if (is_phone && state->options.bluetooth == COBOT_BLUETOOTH_BOTH)
            run_letter(state, channel, part.function);
        else
            state->stats[channel].noise_bytes++;
}

/* ---- Messages 02 to 07 ---- */

/* Vendor firmware: 330 counts per wheel turn, 20 windows per second. */
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

void cobot_host_reset(struct cobot_state *state, int64_t now_us)
{
    state->phone.speed_mm_s = COBOT_PHONE_START_MM_S;
    state->phone.letter = 0;
    const struct periods *chosen = &periods[state->options.rates];
    state->fast = group_start(chosen->fast_us, now_us);
    state->middle = group_start(chosen->middle_us, now_us);
    state->slow = group_start(chosen->slow_us, now_us);
}

int64_t cobot_host_due(const struct cobot_state *state)
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
        /* Whole degrees: adding half a degree gives the commanded number. */
        double degrees = state->motion.steer_rad * (180 / ANGLE_PI);
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

static void send(struct cobot_state *state, const struct robot_tx *tx,
                 const struct wire_packet *packet, const void *message)
{
    uint8_t frame[COBOT_FRAME_MAX];
    size_t size = cobot_frame_write(packet, message, frame);
    tx_send(tx, COBOT_UART, frame, size, &state->stats[COBOT_UART]);
    if (state->options.bluetooth != COBOT_BLUETOOTH_LETTERS)
        tx_send(tx, COBOT_BLUETOOTH, frame, size, &state->stats[COBOT_BLUETOOTH]);
}

static bool group_take(struct cobot_group *group, int64_t due_us)
{
    if (group->due_us != due_us)
        return false;
    group->due_us += group->period_us;
    return true;
}

void cobot_host_send(struct cobot_state *state, const struct robot_sensors *sensors,
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
