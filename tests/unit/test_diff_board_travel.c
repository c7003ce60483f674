/* Each chassis driven through the complete simulation: wire, firmware, motors, wheels and floor.
 * The ground truth is compared with closed forms, and the odometry with the ground truth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "tests/unit/diff_board_rig.h"

static const double PI = 3.14159265358979323846;

static const double TRAVEL_S = 8;

struct chassis {
    const char *name;
    bool is_holonomic;
    bool is_skid;
};

static const struct chassis chassis[] = {
    {"apollo", false, false}, {"apollo_x", false, false}, {"hera", false, true},
    {"zeus", true, false},    {"omni4", true, false},     {"hades", true, false},
    {"hades_x", true, false},
};

struct motion {
    const char *name;
    int vx_cm_s, vy_cm_s, wz;
};

static const struct motion motions[] = {
    {"straight", 30, 0, 0},
    {"back", -30, 0, 0},
    {"circle left", 20, 0, 50},
    {"circle right", 20, 0, -50},
    {"turn in place", 0, 0, 100},
    {"strafe left", 0, 20, 0},
    {"strafe right", 0, -20, 0},
    {"diagonal", 20, 20, 0},
    {"diagonal back", -20, 15, 0},
    {"sideways circle", 0, 20, 50},
    {"diagonal circle", 15, -15, -60},
};

static void open_model(struct board *board, const char *model)
{
    char option[64];
    snprintf(option, sizeof option, "board.model=%s", model);
    board_open(board, (const char *const[]){option, NULL});
}

/* Pose after SECONDS of a body that moves at a constant twist. */
static struct pose closed_form(struct pose from, const struct motion *motion, double seconds)
{
    double vx = motion->vx_cm_s / 100.0, vy = motion->vy_cm_s / 100.0, turn = motion->wz / 100.0;
    double angle = turn * seconds;
    double ahead = turn == 0 ? seconds : sin(angle) / turn;
    double aside = turn == 0 ? 0 : (1 - cos(angle)) / turn;
    double x = vx * ahead - vy * aside, y = vx * aside + vy * ahead;
    return (struct pose){from.x_m + x * cos(from.heading_rad) - y * sin(from.heading_rad),
                         from.y_m + x * sin(from.heading_rad) + y * cos(from.heading_rad),
                         from.heading_rad + angle};
}

static struct pose believed(const struct board *board)
{
    return (struct pose){board_get(board, "odom_x_m"), board_get(board, "odom_y_m"),
                         board_get(board, "odom_yaw_rad")};
}

/* The displacement from one pose to another, in the frame of the first. */
static struct pose way(struct pose from, struct pose to)
{
    double x = to.x_m - from.x_m, y = to.y_m - from.y_m;
    double c = cos(from.heading_rad), s = sin(from.heading_rad);
    return (struct pose){x * c + y * s, y * c - x * s, to.heading_rad - from.heading_rad};
}

/* Both are within one percent of the closed form. The margins of 3 mm and 2 mrad are chosen for
 * wheels that still settle. */
static void check_truth(const struct chassis *self, const struct motion *motion, struct pose to,
                        struct pose wanted)
{
    double path_m = hypot(motion->vx_cm_s, motion->vy_cm_s) / 100 * TRAVEL_S;
    double turn_rad = abs(motion->wz) / 100.0 * TRAVEL_S;
    double off_m = hypot(to.x_m - wanted.x_m, to.y_m - wanted.y_m);
    double off_rad = fabs(to.heading_rad - wanted.heading_rad);
    print_message("%-9s %-16s truth off by %.1f mm of %.0f and %.4f rad of %.2f\n", self->name,
                  motion->name, off_m * 1000, path_m * 1000, off_rad, turn_rad);
    if (off_m > 0.01 * path_m + 1e-4 || off_rad > 0.01 * turn_rad + 1e-3)
        fail_msg("%s, %s", self->name, motion->name);
}

/* Error of the firmware's odometry. The firmware uses one heading for a whole interval of 100 ms:
 * the heading at its start, or in differential models one step earlier. The path is therefore
 * rotated by half (or one and a half) of the robot's rotation in an interval. Message 5 adds up to
 * 1 cm and 0.01 rad by truncation at each end. 2 mm and 2 mrad are encoder counts. A skid drive
 * slides, so its rotation is only as accurate as the track in the parameters: one percent. */
static void check_belief(const struct chassis *self, const struct motion *motion, struct pose truth,
                         struct pose belief)
{
    double interval_rad = motion->wz / 100.0 * 0.1;
    double late_rad = (self->is_holonomic ? 0.5 : 1.5) * interval_rad;
    double x_m = truth.x_m * cos(late_rad) + truth.y_m * sin(late_rad);
    double y_m = truth.y_m * cos(late_rad) - truth.x_m * sin(late_rad);
    double off_m = hypot(x_m - belief.x_m, y_m - belief.y_m);
    double off_rad = fabs(truth.heading_rad - belief.heading_rad);
    double slide = self->is_skid ? 0.01 : 0;
    double path_m = hypot(motion->vx_cm_s, motion->vy_cm_s) / 100 * TRAVEL_S;
    print_message("%-9s %-16s odometry off by %.1f mm and %.4f rad\n", self->name, motion->name,
                  off_m * 1000, off_rad);
    if (off_m > 0.002 + slide * path_m ||
        off_rad > 0.002 + slide * abs(motion->wz) / 100.0 * TRAVEL_S)
        fail_msg("%s, %s", self->name, motion->name);
}

static void check_motion(const struct chassis *self, const struct motion *motion)
{
    struct board board;
    open_model(&board, self->name);
    board_drive(&board, motion->vx_cm_s, motion->vy_cm_s, motion->wz, 2000);
    struct pose from = sim_robot_pose(board.rig.sim, 0), from_belief = believed(&board);
    board_drive(&board, motion->vx_cm_s, motion->vy_cm_s, motion->wz, (int)(TRAVEL_S * 1000));
    struct pose to = sim_robot_pose(board.rig.sim, 0);
    check_truth(self, motion, to, closed_form(from, motion, TRAVEL_S));
    check_belief(self, motion, way(from, to), way(from_belief, believed(&board)));

    /* The message is the estimated pose in hundredths, truncated toward zero. */
    struct pose belief = believed(&board);
    struct board_odometry message = board_odometry(&board);
    assert_int_equal(message.x_cm, (int)(belief.x_m * 100));
    assert_int_equal(message.y_cm, (int)(belief.y_m * 100));
    assert_int_equal(message.yaw, (int)(belief.heading_rad * 100));
    assert_true(abs(message.vx_cm_s - motion->vx_cm_s) <= 1);
    assert_true(abs(message.vy_cm_s - motion->vy_cm_s) <= 1);
    assert_true(abs(message.wz - motion->wz) <= 1 + abs(motion->wz) / 100);
    assert_int_equal(board_get(&board, "collisions"), 0);
    board_close(&board);
}

static void every_motion_of_every_chassis_follows_its_closed_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(chassis); i++)
        for (size_t k = 0; k < COUNT(motions); k++)
            if (chassis[i].is_holonomic || motions[k].vy_cm_s == 0)
                check_motion(&chassis[i], &motions[k]);
}

/* ---- A square driven by a host with odometry ---- */

static const double SIDE_M = 1.5;

/* Drives along one axis until message 5 reports the distance UNTIL, and slows down near the end.
 * AXIS: 0 x, 1 y, 2 yaw. Then sets this axis back to 0. */
static void go(struct board *board, int axis, int most, int until)
{
    int slack = axis == 2 ? 1 : 0;
    for (int settled = 0, tries = 0; settled < 10; tries++) {
        struct board_odometry at = board_odometry(board);
        int left = until - (const int[]){at.x_cm, at.y_cm, at.yaw}[axis];
        /* A skid drive would stick and slip at a lower speed. */
        int slow = axis == 2 ? 8 : 2;
        int speed = abs(left) <= slack ? 0 : left / 4 + (left > 0 ? slow : -slow);
        speed = speed > most ? most : speed < -most ? -most : speed;
        settled = speed == 0 ? settled + 1 : 0;
        board_velocity(board, axis == 0 ? speed : 0, axis == 1 ? speed : 0, axis == 2 ? speed : 0);
        board_run(board, 50);
        assert_in_range(tries, 0, 1000);
    }
    board_ask(board, 3, 0);
    board_run(board, 100);
}

static void check_square(const struct chassis *self)
{
    static const int ways[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    static const double corners[4][2] = {{1, 0}, {1, 1}, {0, 1}, {0, 0}};
    const int side_cm = (int)(SIDE_M * 100);
    struct board board;
    open_model(&board, self->name);
    board_ask(&board, 3, 0);
    struct pose from = sim_robot_pose(board.rig.sim, 0);
    double worst_m = 0;
    for (int i = 0; i < 4; i++) {
        if (self->is_holonomic)
            go(&board, i % 2, 25, side_cm * (ways[i][0] + ways[i][1]));
        else
            go(&board, 0, 25, side_cm);
        struct pose at = way(from, sim_robot_pose(board.rig.sim, 0));
        worst_m =
            fmax(worst_m, hypot(at.x_m - corners[i][0] * SIDE_M, at.y_m - corners[i][1] * SIDE_M));
        if (!self->is_holonomic)
            go(&board, 2, 80, 157);
    }
    struct pose end = way(from, sim_robot_pose(board.rig.sim, 0));
    double wanted_rad = self->is_holonomic ? 0 : 2 * PI;
    print_message("%-9s square: %.1f mm off at the worst corner, heading %.4f rad off\n",
                  self->name, worst_m * 1000, end.heading_rad - wanted_rad);
    /* One percent of the path. */
    assert_true(worst_m < 0.01 * 4 * SIDE_M);
    assert_true(fabs(end.heading_rad - wanted_rad) < 0.01 * 2 * PI);
    board_close(&board);
}

static void a_host_drives_a_square_by_the_odometry(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(chassis); i++)
        check_square(&chassis[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_motion_of_every_chassis_follows_its_closed_form),
        cmocka_unit_test(a_host_drives_a_square_by_the_odometry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
