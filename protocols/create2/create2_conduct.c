/* Chosen: all of these motions. Docking follows the border between the green and the red buoy beam,
 * which is the purpose of these beams. */
#include "protocols/create2/create2_state.h"

#include "base/rng.h"
#include "protocols/create2/create2_motion.h"
#include "protocols/create2/create2_power.h"
#include "protocols/create2/create2_senses.h"

static const double CRUISE_M_S = 0.25, SLOW_M_S = 0.10, CREEP_M_S = 0.05;
static const double SPIN_M_S = 0.12, SLOW_SPIN_M_S = 0.05; /* of each wheel, on the spot */
static const int64_t BACK_US = 900000, SPOT_US = 60000000, CLEAN_US = 1800000000;
static const int64_t SEARCH_US = 16000000; /* a full turn at SPIN_M_S takes 6.2 s */
static const int64_t LOST_US = 1500000, STUCK_US = 1200000;

/* Phases. Docking uses those from SEARCH on. */
enum { GO, BACK, TURN, SEARCH, CROSS, FOLLOW, RETREAT, ARRIVED };

static void enter(struct create2_state *state, uint8_t phase, int64_t now_us)
{
    state->conduct.phase = phase;
    state->conduct.phase_us = now_us;
}

static void drive(struct create2_state *state, double left_m_s, double right_m_s)
{
    create2_motion_wheels(&state->motion, left_m_s, right_m_s);
}

static void spin(struct create2_state *state, double left_hand_m_s)
{
    drive(state, -left_hand_m_s, left_hand_m_s);
}

static double draw(struct create2_state *state)
{
    return rng_uniform(state->turn_key, state->conduct.draws++);
}

void create2_conduct_end(struct create2_state *state)
{
    if (state->conduct.kind == CREATE2_IDLE)
        return;
    state->conduct.kind = CREATE2_IDLE;
    create2_motion_stop(&state->motion);
    create2_panel_own(state);
}

void create2_conduct_begin(struct create2_state *state, enum create2_behaviour kind, int64_t now_us)
{
    struct create2_conduct *conduct = &state->conduct;
    bool is_again = conduct->kind == kind;
    create2_conduct_end(state);
    if (is_again)
        return;
    conduct->kind = (uint8_t)kind;
    conduct->since_us = now_us;
    conduct->turn_sign = 1;
    bool is_docked = state->power.charger == CHARGER_DOCK;
    /* A robot on its dock first leaves it to clean. For docking, it has already arrived. */
    enter(state,
          kind == CREATE2_DO_DOCK ? (is_docked ? ARRIVED : SEARCH)
          : is_docked             ? RETREAT
                                  : GO,
          now_us);
    create2_panel_own(state);
}

/* ---- Cleaning: straight ahead, and in another direction after each obstacle ---- */

static bool meets_something(const struct create2_state *state)
{
    return state->bumpers != 0 || state->cliffs != 0 ||
           state->beams[0] & (BEAM_VIRTUAL_WALL | BEAM_FORCE_FIELD | BEAM_LIGHTHOUSE_FENCE);
}

static void back_off(struct create2_state *state, int64_t now_us)
{
    bool is_left = state->bumpers & CREATE2_TOUCH_LEFT || state->cliffs & 3;
    state->conduct.turn_sign = is_left ? -1 : 1;
    enter(state, BACK, now_us);
}

/* A turn of 90 to 180 degrees takes 1.5 to 3.1 s. */
static void turn_away(struct create2_state *state, int64_t now_us)
{
    enter(state, TURN, now_us + (int64_t)(1500000 * (1 + draw(state))));
}

static void clean(struct create2_state *state, int64_t now_us)
{
    struct create2_conduct *conduct = &state->conduct;
    int64_t past_us = now_us - conduct->phase_us;
    bool is_spot = conduct->kind == CREATE2_DO_SPOT;
    switch (conduct->phase) {
    case GO:
        if (meets_something(state)) {
            back_off(state, now_us);
            break;
        }
        if (is_spot) { /* a spiral, 1 m wide after half of the time */
            double past_s = (double)(now_us - conduct->since_us) * 1e-6,
                   radius_m = 0.15 + past_s / 90;
            double wheel_m_s[CREATE2_WHEELS];
            create2_motion_arc((int)(CRUISE_M_S * 1000), (int)(radius_m * 1000), wheel_m_s);
            drive(state, wheel_m_s[CREATE2_LEFT], wheel_m_s[CREATE2_RIGHT]);
        } else {
            drive(state, CRUISE_M_S, CRUISE_M_S);
        }
        break;
    case BACK:
    case RETREAT: /* off the dock: farther */
        drive(state, -CRUISE_M_S, -CRUISE_M_S);
        if (past_us > (conduct->phase == RETREAT ? 3 : 1) * BACK_US)
            turn_away(state, now_us);
        break;
    default:
        spin(state, conduct->turn_sign * SPIN_M_S);
        if (now_us > conduct->phase_us)
            enter(state, GO, now_us);
    }
}

/* ---- Docking ---- */

static bool sees(const struct create2_state *state, int receiver, uint32_t beams)
{
    return state->beams[receiver] & beams;
}

/* Indexes of `beams`: the receivers omni, left, right. */
enum { OMNI, LEFT, RIGHT };
#define BUOYS ((uint32_t)(BEAM_GREEN_BUOY | BEAM_RED_BUOY))

/* -1: the robot is left of the border, as seen when facing the dock, in green light. 1: right of
 * the border. */
static int side_of(uint32_t beams)
{
    return (beams & BEAM_RED_BUOY ? 1 : 0) - (beams & BEAM_GREEN_BUOY ? 1 : 0);
}

/* Turns until the dock is ahead. If no receiver sees the dock, drives on as in cleaning. */
static void dock_search(struct create2_state *state, int64_t now_us)
{
    struct create2_conduct *conduct = &state->conduct;
    bool is_ahead = sees(state, LEFT, BUOYS) && sees(state, RIGHT, BUOYS);
    /* At the edge of the light, one of the receivers may never see the dock. */
    bool is_tired = now_us - conduct->phase_us > SEARCH_US / 2 &&
                    (sees(state, LEFT, BUOYS) || sees(state, RIGHT, BUOYS));
    if (is_ahead || is_tired) {
        uint32_t all = state->beams[OMNI] | state->beams[LEFT] | state->beams[RIGHT];
        enter(state, side_of(all) == 0 ? FOLLOW : CROSS, now_us);
        return;
    }
    if (sees(state, LEFT, BUOYS) != sees(state, RIGHT, BUOYS))
        conduct->turn_sign = sees(state, LEFT, BUOYS) ? 1 : -1;
    spin(state, conduct->turn_sign * (sees(state, OMNI, BUOYS) ? SLOW_SPIN_M_S : SPIN_M_S));
    if (!sees(state, OMNI, BUOYS) && now_us - conduct->phase_us > SEARCH_US / 2)
        enter(state, GO, now_us);
    else if (now_us - conduct->phase_us > 2 * SEARCH_US)
        enter(state, RETREAT, now_us);
}

/* Far from the border: drives across the front of the dock until the light of the other side
 * appears. Only the receiver on the dock's side sees the dock. */
static void dock_cross(struct create2_state *state, int64_t now_us)
{
    int side = side_of(state->beams[OMNI]);
    if (side == 0) {
        enter(state, sees(state, OMNI, BUOYS) ? SEARCH : GO, now_us);
        return;
    }
    /* In green light, the border is to the right: the dock stays on the left. */
    int inner = side < 0 ? LEFT : RIGHT, outer = side < 0 ? RIGHT : LEFT;
    double away = side < 0 ? -1 : 1; /* of a turn away from the dock */
    if (sees(state, outer, BUOYS))
        drive(state, SLOW_M_S * (1 - away), SLOW_M_S * (1 + away));
    else if (sees(state, inner, BUOYS))
        drive(state, CRUISE_M_S * 0.6, CRUISE_M_S * 0.6);
    else
        spin(state, -away * SPIN_M_S);
}

/* On the border, the left receiver should see green and the right one red. */
static void dock_follow(struct create2_state *state, int64_t now_us)
{
    bool sees_left = sees(state, LEFT, BUOYS), sees_right = sees(state, RIGHT, BUOYS);
    if (!sees_left && !sees_right) {
        if (now_us - state->conduct.phase_us > LOST_US)
            enter(state, SEARCH, now_us);
        spin(state, state->conduct.turn_sign * SLOW_SPIN_M_S);
        return;
    }
    state->conduct.phase_us = state->bumpers ? state->conduct.phase_us : now_us;
    bool is_close = sees(state, OMNI, BEAM_FORCE_FIELD);
    double speed = is_close ? CREEP_M_S : SLOW_M_S;
    /* Each receiver that sees only the light of the opposite side contributes to the correction, as
     * does the omnidirectional receiver. */
    int aside = side_of(state->beams[OMNI]);
    aside += (state->beams[LEFT] & BUOYS) == BEAM_RED_BUOY;
    aside -= (state->beams[RIGHT] & BUOYS) == BEAM_GREEN_BUOY;
    double turn = 0.22 * aside; /* right of the border: to the left */
    if (sees_left != sees_right)
        turn = (sees_left ? 1 : -1) * 0.5;
    state->conduct.turn_sign = turn < 0 ? -1 : 1;
    drive(state, speed * (1 - turn), speed * (1 + turn));
    bool is_stuck = state->bumpers && now_us - state->conduct.phase_us > STUCK_US;
    if (is_stuck)
        enter(state, RETREAT, now_us);
}

static void dock(struct create2_state *state, int64_t now_us)
{
    struct create2_conduct *conduct = &state->conduct;
    int64_t past_us = now_us - conduct->phase_us;
    if (state->power.charger != CHARGER_NONE) {
        create2_conduct_end(state);
        return;
    }
    bool is_wandering = conduct->phase <= TURN;
    if (is_wandering && conduct->phase == GO &&
        (sees(state, LEFT, BUOYS) || sees(state, RIGHT, BUOYS)))
        enter(state, SEARCH, now_us);
    switch (conduct->phase) {
    case SEARCH:
        dock_search(state, now_us);
        break;
    case CROSS:
        dock_cross(state, now_us);
        if (state->bumpers)
            back_off(state, now_us);
        break;
    case FOLLOW:
        dock_follow(state, now_us);
        break;
    case RETREAT: /* back, then look again */
        drive(state, -CRUISE_M_S, -CRUISE_M_S);
        if (past_us > 2 * BACK_US)
            enter(state, SEARCH, now_us);
        break;
    case ARRIVED: /* it has left the dock since */
        enter(state, SEARCH, now_us);
        break;
    default:
        clean(state, now_us);
    }
}

void create2_conduct_step(struct create2_state *state, int64_t now_us)
{
    struct create2_conduct *conduct = &state->conduct;
    if (conduct->kind == CREATE2_IDLE)
        return;
    create2_power_stir(state, now_us);
    int64_t past_us = now_us - conduct->since_us;
    bool is_over = (conduct->kind == CREATE2_DO_SPOT && past_us > SPOT_US) ||
                   (conduct->kind == CREATE2_DO_CLEAN && past_us > CLEAN_US);
    if (is_over || state->drops != 0) {
        create2_conduct_end(state);
        return;
    }
    /* A cleaning cycle waits while a plug is connected, because a robot cannot drive off with
     * it. */
    conduct->is_paused = state->power.charger == CHARGER_ADAPTER;
    if (conduct->is_paused)
        create2_motion_stop(&state->motion);
    else if (conduct->kind == CREATE2_DO_DOCK)
        dock(state, now_us);
    else
        clean(state, now_us);
    bool is_cleaning = conduct->kind != CREATE2_DO_DOCK && conduct->kind != CREATE2_IDLE;
    create2_motion_motors(&state->motion, is_cleaning && !conduct->is_paused ? 7 : 0);
}
