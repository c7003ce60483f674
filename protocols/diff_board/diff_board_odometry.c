/* The odometry. Source: the vendor's firmware (gskywolf/MoBot_Arduino: src/robot.cpp,
 * lib/KinematicModels), which computes in single precision; this in double. */
#include "protocols/diff_board/diff_board_odometry.h"

#include <math.h>

#include "protocols/diff_board/diff_board_memory.h"
#include "protocols/trig.h"

static const double PI = 3.14159265358979323846;
static const double PERIOD_S = DIFF_BOARD_ODOMETRY_PERIOD_US * 1e-6;

enum { YAW_TURN = 628 }; /* 0.01 rad: the later derivative wraps at it */

static void odometry_zero(struct diff_board_odometry *message)
{
    message->v_liner_x = message->v_liner_y = message->v_angular_z = 0;
    message->x = message->y = 0;
    message->yaw = 0;
}

void diff_board_odometry_clear(struct diff_board_state *state)
{
    struct diff_board_odom *odom = &state->odom;
    odom->x_m = odom->y_m = odom->yaw_rad = 0;
    odom->velocity = (struct diff_board_twist){0};
    odometry_zero(&state->last.odometry);
    state->wants_clear = true;
}

/* ---- From doubles to the message: times 100, truncated toward zero ---- */

static int32_t hundredths(double value)
{
    double scaled = trunc(value * 100);
    return (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, scaled));
}

/* As the firmware's cast: what does not fit wraps around. */
static int16_t low_half(int32_t value)
{
    return (int16_t)(uint16_t)((uint32_t)value & 0xFFFF);
}

static void odometry_publish(struct diff_board_state *state)
{
    const struct diff_board_odom *odom = &state->odom;
    struct diff_board_odometry *message = &state->last.odometry;
    bool is_omni3 = diff_board_model(state) == diff_board_kinematics(DIFF_BOARD_OMNI_3);
    /* The firmware's omni3 divides by milliseconds and forgets the factor. */
    double scale = is_omni3 && state->options.has_omni3_quirk ? 0.001 : 1;
    message->v_liner_x = low_half(hundredths(odom->velocity.x * scale));
    message->v_liner_y = low_half(hundredths(odom->velocity.y * scale));
    message->v_angular_z = low_half(hundredths(odom->velocity.turn * scale));
    message->x = hundredths(odom->x_m);
    message->y = hundredths(odom->y_m);
    int32_t yaw = hundredths(odom->yaw_rad);
    message->yaw = low_half(state->options.has_yaw_wrap ? yaw % YAW_TURN : yaw);
}

/* ---- Integration ---- */

static double finite_or_zero(double value)
{
    return isfinite(value) ? value : 0;
}

static struct diff_board_twist odometry_travel(struct diff_board_state *state)
{
    double m_a_count =
        PI * state->parameters.wheel_diameter * 0.001 / diff_board_odometry_counts(state);
    double wheel_m[DIFF_BOARD_MOTORS];
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        struct diff_board_motor *motor = &state->motion.motor[i];
        wheel_m[i] = finite_or_zero((double)(motor->count - motor->odom_count) * m_a_count);
        motor->odom_count = motor->count;
    }
    struct diff_board_twist travel =
        diff_board_travel(diff_board_model(state), wheel_m, state->parameters.wheel_track * 0.0005);
    travel.turn = finite_or_zero(travel.turn);
    return travel;
}

static bool is_differential(const struct diff_board_kinematics *model)
{
    return model == diff_board_kinematics(DIFF_BOARD_2WD) ||
           model == diff_board_kinematics(DIFF_BOARD_4WD);
}

void diff_board_odometry_update(struct diff_board_state *state)
{
    struct diff_board_odom *odom = &state->odom;
    struct diff_board_twist travel = odometry_travel(state);
    /* Differential models turn the step the wrong way round (a sign slip of the firmware), the
     * others take the heading before the step. */
    bool is_lagging = state->options.has_heading_lag && is_differential(diff_board_model(state));
    double heading_rad = odom->yaw_rad - (is_lagging ? travel.turn : 0);
    double sine, cosine;
    trig_sin_cos(heading_rad, &sine, &cosine);
    odom->x_m += cosine * travel.x - sine * travel.y;
    odom->y_m += sine * travel.x + cosine * travel.y;
    odom->yaw_rad += travel.turn;
    odom->velocity.x = travel.x / PERIOD_S;
    odom->velocity.y = travel.y / PERIOD_S;
    odom->velocity.turn = travel.turn / PERIOD_S;
    odom->due_us += DIFF_BOARD_ODOMETRY_PERIOD_US;
    odometry_publish(state);
}
