#include "protocols/rplidar_a1/rplidar_a1_scan.h"

#include <math.h>

/* The command profile: what an A2 takes for full speed (SDK: DEFAULT_MOTOR_PWM). */
#define FULL_PWM 660.0

/* ---- The motor ---- */

double rplidar_target_hz(const struct rplidar_state *state)
{
    if (!state->is_motor_on)
        return 0;
    double share = state->options.motor == RPLIDAR_MOTOR_COMMAND ? state->pwm / FULL_PWM : 1;
    return state->options.scan_hz * share;
}

/* DTR stops the motor, once the host has shown that it can let go of it. */
void rplidar_decide_motor(struct rplidar_state *state)
{
    switch ((enum rplidar_motor)state->options.motor) {
    case RPLIDAR_MOTOR_DTR:
        state->is_motor_on = !state->is_dtr_on || !state->has_lines;
        break;
    case RPLIDAR_MOTOR_COMMAND:
        state->is_motor_on = state->pwm > 0;
        break;
    case RPLIDAR_MOTOR_ALWAYS:
        state->is_motor_on = true;
        break;
    }
}

/* ---- Sending ---- */

bool rplidar_send(struct rplidar_state *state, const struct robot_tx *tx, const uint8_t *bytes,
                  size_t size)
{
    bool is_sent = tx_frame(tx, 0, bytes, size);
    state->stats.sent += is_sent;
    state->stats.overruns += !is_sent;
    return is_sent;
}

/* ---- Scans ---- */

void rplidar_stop(struct rplidar_state *state)
{
    state->activity = RPLIDAR_IDLE;
    lidar_stop(&state->lidar);
}

void rplidar_begin_scan(struct rplidar_state *state, enum rplidar_activity wanted,
                        uint16_t sample_us, int64_t now_us)
{
    rplidar_stop(state);
    state->activity = RPLIDAR_WAITING;
    state->wanted = (uint8_t)wanted;
    state->sample_us = sample_us;
    state->is_begun = state->is_turn_new = false;
    state->held = 0;
    state->sample_due_us = now_us;
}

static unsigned angle_q6(double turn)
{
    return (unsigned)((turn - floor(turn)) * RPLIDAR_TURN_Q6 + 0.5) % RPLIDAR_TURN_Q6;
}

/* Chosen: 15 for a wall of light paint at 3 m, as units report it. */
static unsigned quality_of(struct lidar_point point)
{
    enum { MOST = 63 };
    double quality = point.signal > 0 ? 4 * sqrt(point.signal) : 0;
    return quality < 1 ? point.distance_m > 0 : quality > MOST ? MOST : (unsigned)quality;
}

static void send_node(struct rplidar_state *state, const struct robot_tx *tx,
                      struct lidar_point point)
{
    uint8_t bytes[RPLIDAR_NODE_BYTES];
    rplidar_put_node(state->is_turn_new, quality_of(point), angle_q6(state->lidar.turn),
                     point.distance_m * 1000, bytes);
    wire_decode(&rplidar_node_packet, bytes, sizeof bytes, &state->last.node);
    rplidar_send(state, tx, bytes, sizeof bytes);
}

/* A capsule is whole when its last point is known, an ultra capsule with the first of the next. */
static void send_capsule(struct rplidar_state *state, const struct robot_tx *tx)
{
    uint8_t bytes[RPLIDAR_ULTRA_BYTES];
    bool is_ultra = state->activity == RPLIDAR_SCANS_ULTRA;
    unsigned start = angle_q6(state->start_turn);
    size_t size = is_ultra ? RPLIDAR_ULTRA_BYTES : RPLIDAR_EXPRESS_BYTES;
    if (is_ultra)
        rplidar_put_ultra(!state->is_begun, start, state->held_mm, bytes);
    else
        rplidar_put_express(!state->is_begun, start, state->held_mm, bytes);
    if (state->bad_capsules > 0) {
        state->bad_capsules--;
        bytes[0] ^= 0x01;
    }
    wire_decode(is_ultra ? &rplidar_ultra_packet : &rplidar_express_packet, bytes, size,
                is_ultra ? &state->last.ultra : &state->last.express);
    if (rplidar_send(state, tx, bytes, size))
        state->is_begun = true;
}

/* The host turns a point of an ultra capsule back by its distance, so its ray is cast there: at the
 * distance of the last one, and again where that moves it by more than a step of the angles. */
static struct lidar_point measure_ultra(struct rplidar_state *state, const struct robot_rays *rays,
                                        int64_t at_us, double *turn)
{
    enum { TRIES = 3 };
    double raw = state->lidar.turn, shift_deg = state->shift_deg, again_deg = shift_deg;
    struct lidar_point point = {0};
    uint64_t sample = state->lidar.samples;
    for (int i = 0; i < TRIES; i++) {
        *turn = raw - shift_deg / 360;
        state->lidar.samples = sample; /* the same sample: the same luck */
        point = lidar_measure(&state->lidar, &state->options.optics, rays, *turn, at_us);
        if (point.distance_m <= 0)
            break;
        again_deg = rplidar_ultra_shift_deg(point.distance_m);
        if (fabs(again_deg - shift_deg) < 1.0 / 64)
            break;
        shift_deg = again_deg;
    }
    if (point.distance_m > 0)
        state->shift_deg = again_deg;
    return point;
}

static void measure(struct rplidar_state *state, const struct robot_rays *rays,
                    const struct robot_tx *tx, int64_t at_us)
{
    double turn = state->lidar.turn;
    struct lidar_point point =
        state->activity == RPLIDAR_SCANS_ULTRA
            ? measure_ultra(state, rays, at_us, &turn)
            : lidar_measure(&state->lidar, &state->options.optics, rays, turn, at_us);
    lidar_note(&state->lidar, turn, point, state->is_turn_new, at_us);
    if (state->activity == RPLIDAR_SCANS_STANDARD) {
        send_node(state, tx, point);
        return;
    }
    bool is_ultra = state->activity == RPLIDAR_SCANS_ULTRA;
    size_t whole = is_ultra ? RPLIDAR_ULTRA_SAMPLES + 1 : RPLIDAR_EXPRESS_SAMPLES;
    uint16_t mm = wire_saturate_u16(point.distance_m * 1000);
    if (state->held == 0)
        state->start_turn = state->lidar.turn;
    state->held_mm[state->held++] = mm;
    if (state->held < whole)
        return;
    send_capsule(state, tx);
    state->held = 0;
    if (is_ultra) { // the one too many is the first of the next
        state->held_mm[state->held++] = mm;
        state->start_turn = state->lidar.turn;
    }
}

void rplidar_scan(struct rplidar_state *state, const struct robot_rays *rays,
                  const struct robot_tx *tx, int64_t now_us)
{
    const struct rplidar_a1_options *options = &state->options;
    for (; state->sample_due_us <= now_us; state->sample_due_us += state->sample_us) {
        state->is_turn_new = lidar_spin(&state->lidar, rplidar_target_hz(state), options->spin_up_s,
                                        options->spin_down_s, state->sample_due_us);
        bool is_ready =
            state->is_forced || lidar_is_stable(&state->lidar, rplidar_target_hz(state));
        if (!is_ready) {
            if (state->activity != RPLIDAR_WAITING)
                lidar_stop(&state->lidar);
            state->activity = RPLIDAR_WAITING;
            state->held = 0;
            continue;
        }
        state->activity = state->wanted;
        measure(state, rays, tx, state->sample_due_us);
    }
}
