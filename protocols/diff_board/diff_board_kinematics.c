/* Kinematics as tables. Sources: the vendor's firmware (gskywolf/MoBot_Arduino:
 * lib/KinematicModels; 4WD and mecanum from its STM32 firmware). Omni 4 is our own: no public
 * formula was found. */
#include "protocols/diff_board/diff_board_kinematics.h"

#define SQRT_3      1.732 /* as the firmware writes it */
#define SQRT_HALF   0.70710678118654752440
#define MOTORS(...) .motor = {__VA_ARGS__}

/* rad/s of motor i = (x vx + y vy + turn wz b) / r; travel of the body = sum of (back_x, back_y) d,
 * and sum of back_turn d / b. */
struct diff_board_kinematics {
    uint8_t kind;
    size_t motor_count;
    struct {
        double x, y, turn;
        double back_x, back_y;
    } motor[DIFF_BOARD_MOTORS];
    double back_turn;
};

static const struct diff_board_kinematics models[] = {
    {.kind = DIFF_BOARD_2WD,
     .motor_count = 2,
     /* left, right */
     MOTORS({-1, 0, 1, -0.5, 0}, {1, 0, 1, 0.5, 0}),
     .back_turn = 0.5},
    {.kind = DIFF_BOARD_4WD,
     .motor_count = 4,
     /* rear right, front right, front left, rear left */
     MOTORS({1, 0, 1, 0.25, 0}, {1, 0, 1, 0.25, 0}, {-1, 0, 1, -0.25, 0}, {-1, 0, 1, -0.25, 0}),
     .back_turn = 0.25},
    {.kind = DIFF_BOARD_OMNI_3,
     .motor_count = 3,
     /* front, rear left, rear right */
     MOTORS({0, 1, 1, 0, 2.0 / 3.0}, {-SQRT_3 / 2, -0.5, 1, -SQRT_3 / 3, -1.0 / 3.0},
            {SQRT_3 / 2, -0.5, 1, SQRT_3 / 3, -1.0 / 3.0}),
     .back_turn = 1.0 / 3.0},
    /* Wheels at the corners of a square, each along its tangent; the order is that of mecanum. With
     * b = (wheelbase + track) / 2, each wheel runs at the speed of the mecanum one / sqrt 2. */
    {.kind = DIFF_BOARD_OMNI_4,
     .motor_count = 4,
     MOTORS({SQRT_HALF, -SQRT_HALF, SQRT_HALF, SQRT_HALF / 2, -SQRT_HALF / 2},
            {SQRT_HALF, SQRT_HALF, SQRT_HALF, SQRT_HALF / 2, SQRT_HALF / 2},
            {-SQRT_HALF, SQRT_HALF, SQRT_HALF, -SQRT_HALF / 2, SQRT_HALF / 2},
            {-SQRT_HALF, -SQRT_HALF, SQRT_HALF, -SQRT_HALF / 2, -SQRT_HALF / 2}),
     .back_turn = SQRT_HALF / 2},
    {.kind = DIFF_BOARD_MECANUM,
     .motor_count = 4,
     /* rear right, front right, front left, rear left */
     MOTORS({1, -1, 1, 0.25, -0.25}, {1, 1, 1, 0.25, 0.25}, {-1, 1, 1, -0.25, 0.25},
            {-1, -1, 1, -0.25, -0.25}),
     .back_turn = 0.25},
};

const struct diff_board_kinematics *diff_board_kinematics(uint8_t kind)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (models[i].kind == kind)
            return &models[i];
    return NULL;
}

size_t diff_board_motor_count(const struct diff_board_kinematics *kinematics)
{
    return kinematics->motor_count;
}

void diff_board_solve(const struct diff_board_kinematics *kinematics,
                      struct diff_board_twist velocity, double wheel_radius_m, double body_radius_m,
                      double motor_rad_s[DIFF_BOARD_MOTORS])
{
    for (size_t i = 0; i < DIFF_BOARD_MOTORS; i++) {
        double rim_m_s = kinematics->motor[i].x * velocity.x + kinematics->motor[i].y * velocity.y +
                         kinematics->motor[i].turn * velocity.turn * body_radius_m;
        motor_rad_s[i] = i < kinematics->motor_count ? rim_m_s / wheel_radius_m : 0;
    }
}

struct diff_board_twist diff_board_travel(const struct diff_board_kinematics *kinematics,
                                          const double wheel_m[DIFF_BOARD_MOTORS],
                                          double body_radius_m)
{
    struct diff_board_twist travel = {0};
    double sum_m = 0;
    for (size_t i = 0; i < kinematics->motor_count; i++) {
        travel.x += kinematics->motor[i].back_x * wheel_m[i];
        travel.y += kinematics->motor[i].back_y * wheel_m[i];
        sum_m += wheel_m[i];
    }
    travel.turn = sum_m * kinematics->back_turn / body_radius_m;
    return travel;
}
