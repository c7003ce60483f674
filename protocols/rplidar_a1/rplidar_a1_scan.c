#include "protocols/rplidar_a1/rplidar_a1_scan.h"

#include <math.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/curve.h"

/* PWM of full speed on an A2 (SDK: DEFAULT_MOTOR_PWM), for the option value `command`. */
#define FULL_PWM 660.0

/* ---- The motor ---- */

double rplidar_target_hz(const struct rplidar_state *state)
{
    if (!state->is_motor_on)
        return 0;
    double share = state->options.motor == RPLIDAR_MOTOR_COMMAND ? state->pwm / FULL_PWM : 1;
    return state->options.scan_hz * share;
}

/* DTR stops the motor only after the host has shown that it can switch DTR off. */
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

/* ---- Inputs from recordings of one unit: CodreanuDan/RPLidar_RoomScanner @ ab93a03, 770,804 nodes
 * of standard scans (README.md). All other properties of a scan follow from them and from the room:
 * angles that decrease, angles of the start bit S, number of nodes per turn, turns that pass 0
 * twice. ---- */

/* The next node at or after this raw angle begins a turn. */
#define TURN_AT_DEG 358.2

/* The beam is rotated back from the raw angle, and is offset from the axis. The direction of a
 * return at distance d is therefore 8 deg - asin(ASIDE_M / d) behind the raw angle. The recorded
 * unit rotates standard nodes back by 8 deg - 1.46 deg m / d. The SDK rotates ultra capsules back
 * by 8 deg - 1.376 deg m / d (handler_capsules.cpp, 98361 / (4 mm) steps of 64 / 65536 rad,
 * truncated: half a step). Each mode has the beam that its correction assumes, so that points are
 * on the wall. */
#define BACK_DEG         8.0
#define ASIDE_M          (1.46 * ANGLE_RAD_DEG)
#define BACK_ULTRA_DEG   (BACK_DEG + 32.0 / 65536 / ANGLE_RAD_DEG)
#define ASIDE_ULTRA_M    (98361.0 / 4 * 64 / 65536 / 1000)
#define NEAR_M           0.36
#define TURNED_DEG(away) (BACK_DEG - 1.46 / (away))
static const struct curve_point turned_near_deg[] = {
    {0.17, -0.25}, {0.21, 0.24}, {0.25, 1.61}, {0.30, 2.99}, {NEAR_M, TURNED_DEG(NEAR_M)}};

/* Share of the highest quality against the distance in m. Other returns have 6 to 14, evenly
 * distributed (chosen). */
static const struct curve_point best_quality[] = {{0.45, 0.48}, {0.95, 0.64}, {1.05, 0.97},
                                                  {2.0, 0.985}, {3.25, 0.96}, {4.25, 0.89}};
/* Shares of nodes without a return that have quality 15, and 6 to 14; the others have 0. */
#define EMPTY_BEST  0.019
#define EMPTY_OTHER 0.013

/* Range of the angle of the first node after the descriptor. It does not depend on the room. */
#define STRAY_LEAST_DEG 23.8
#define STRAY_MOST_DEG  287.8

/* ---- Nodes ---- */

static unsigned angle_q6(double turn)
{
    return (unsigned)((turn - floor(turn)) * RPLIDAR_TURN_Q6 + 0.5) % RPLIDAR_TURN_Q6;
}

static double raw_turn(const struct rplidar_state *state)
{
    return state->lidar.turn + TURN_AT_DEG / 360;
}

static double turned_deg(double away_m)
{
    return away_m < NEAR_M ? curve_at(turned_near_deg, COUNT(turned_near_deg), away_m)
                           : TURNED_DEG(away_m);
}

/* Older units report 10 to 31 (robopeak/rplidar_ros, issue 44). Chosen: the same distribution. */
static unsigned quality_of(const struct rplidar_state *state, double away_m)
{
    bool is_old = state->options.quality == RPLIDAR_QUALITY_31;
    unsigned least = is_old ? 10 : 6, most = is_old ? 31 : 15;
    double luck = rng_uniform(state->quality_key, state->lidar.samples);
    double best = EMPTY_BEST, other = EMPTY_OTHER;
    if (away_m > 0) {
        best = curve_at(best_quality, COUNT(best_quality), away_m);
        other = 1 - best;
    }
    if (luck >= best + other)
        return 0;
    return luck < best ? most : least + (unsigned)((luck - best) / other * (most - least));
}

static void send_node(struct rplidar_state *state, const struct robot_tx *tx, double turn,
                      double away_m)
{
    uint8_t bytes[RPLIDAR_NODE_BYTES];
    rplidar_put_node(state->is_turn_new, quality_of(state, away_m), angle_q6(turn), away_m * 1000,
                     bytes);
    wire_decode(&rplidar_node_packet, bytes, sizeof bytes, &state->last.node);
    tx_send(tx, 0, bytes, sizeof bytes, &state->stats);
}

static void send_stray(struct rplidar_state *state, const struct robot_tx *tx)
{
    double part = rng_uniform(~state->quality_key, state->lidar.samples);
    send_node(state, tx, (STRAY_LEAST_DEG + (STRAY_MOST_DEG - STRAY_LEAST_DEG) * part) / 360, 0);
    state->is_begun = true;
}

/* ---- Samples ---- */

/* A capsule is complete when its last point is known; an ultra capsule also needs the first point
 * of the next one. */
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
    if (tx_send(tx, 0, bytes, size, &state->stats))
        state->is_begun = true;
}

static void measure(struct rplidar_state *state, const struct robot_rays *rays,
                    const struct robot_tx *tx, int64_t at_us)
{
    /* Express capsules contain true angles (README.md): their beam passes through the axis. */
    bool is_express = state->activity == RPLIDAR_SCANS_EXPRESS;
    bool is_ultra = state->activity == RPLIDAR_SCANS_ULTRA;
    double back_deg = is_express ? 0 : is_ultra ? BACK_ULTRA_DEG : BACK_DEG;
    double aside_m = is_express ? 0 : is_ultra ? ASIDE_ULTRA_M : ASIDE_M, raw = raw_turn(state);
    struct lidar_point point = lidar_measure(&state->lidar, &state->options.optics, rays,
                                             raw - back_deg / 360, aside_m, at_us);
    double away_m = point.distance_m;
    lidar_note(&state->lidar, away_m > 0 ? point.turn : raw, point, state->is_turn_new, at_us);
    if (state->activity == RPLIDAR_SCANS_STANDARD) {
        send_node(state, tx, away_m > 0 ? raw - turned_deg(away_m) / 360 : raw, away_m);
        return;
    }
    size_t whole = is_ultra ? RPLIDAR_ULTRA_SAMPLES + 1 : RPLIDAR_EXPRESS_SAMPLES;
    uint16_t mm = wire_saturate_u16(point.distance_m * 1000);
    if (state->held == 0)
        state->start_turn = raw;
    state->held_mm[state->held++] = mm;
    if (state->held < whole)
        return;
    send_capsule(state, tx);
    state->held = 0;
    if (is_ultra) { // the one too many is the first of the next
        state->held_mm[state->held++] = mm;
        state->start_turn = raw;
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
        if (state->activity == RPLIDAR_SCANS_STANDARD && !state->is_begun)
            send_stray(state, tx);
        else
            measure(state, rays, tx, state->sample_due_us);
    }
}
