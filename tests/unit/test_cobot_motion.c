/* The four chassis driven by bytes through the complete simulation. The predictions are closed
 * forms of the commanded motion. The host computes its odometry only from message 02. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/cobot_rig.h"

static const double PI = 3.14159265358979323846;
static const double WHEELBASE_M = 0.185, TRACK_M = 0.22; // firmware of the M100

/* One command for a duration, from rest to rest. */
struct leg {
    int x, y, turn; // as in message 01
    double seconds;
};

struct course {
    const char *model;
    double x_m, y_m, heading_rad; // predicted
    double path_m, turned_rad;
};

static bool is_ackermann(const struct course *course)
{
    return course->model[0] == 'a';
}

static double turn_rad_s(const struct course *course, const struct leg *leg)
{
    return is_ackermann(course) ? leg->x * 0.001 * tan(leg->turn * PI / 180) / WHEELBASE_M
                                : leg->turn * 0.01;
}

/* The exact arc of a leg. */
static void predict(struct course *course, const struct leg *leg)
{
    double w = turn_rad_s(course, leg), turn = w * leg->seconds;
    double stretch = fabs(w) < 1e-9 ? leg->seconds : 2 / w * sin(turn / 2);
    double along = leg->x * 0.001 * stretch, aside = leg->y * 0.001 * stretch;
    double middle = course->heading_rad + turn / 2;
    course->x_m += along * cos(middle) - aside * sin(middle);
    course->y_m += along * sin(middle) + aside * cos(middle);
    course->heading_rad += turn;
    course->path_m += hypot(leg->x, leg->y) * 0.001 * leg->seconds;
    course->turned_rad += fabs(turn);
}

static void check_pose(const struct rig *rig, const struct course *course, const struct leg *leg)
{
    double x = rig_get(rig, "x_m") - 20, y = rig_get(rig, "y_m") - 20;
    double heading = rig_get(rig, "heading_deg") * PI / 180;
    double off = hypot(x - course->x_m, y - course->y_m);
    double off_turn = fabs(heading - course->heading_rad);
    double believed_off = hypot(x - rig->odometry.x_m, y - rig->odometry.y_m);
    double believed_off_turn = fabs(heading - rig->odometry.heading_rad);
    if (off > 0.01 * course->path_m + 0.002 || off_turn > 0.01 * course->turned_rad + 0.005)
        fail_msg(
            "%s after %d %d %d: %.4f m and %.4f rad off the closed form after %.2f m, %.2f rad",
            course->model, leg->x, leg->y, leg->turn, off, off_turn, course->path_m,
            course->turned_rad);
    if (believed_off > 0.02 * course->path_m + 0.002 ||
        believed_off_turn > 0.02 * course->turned_rad + 0.005)
        fail_msg("%s after %d %d %d: %.4f m and %.4f rad believed off after %.2f m, %.2f rad",
                 course->model, leg->x, leg->y, leg->turn, believed_off, believed_off_turn,
                 course->path_m, course->turned_rad);
}

/* Drives the legs one after the other and checks the pose after each. */
static void drive(const char *model, const struct leg *legs, size_t count)
{
    struct course course = {.model = model};
    struct rig rig = rig_open(model, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct leg *leg = &legs[i];
        int steering = is_ackermann(&course) ? leg->turn : 0;
        rig_stand(&rig, steering);
        rig_drive(&rig, leg->x, leg->y, leg->turn, leg->seconds);
        rig_stand(&rig, steering);
        predict(&course, leg);
        check_pose(&rig, &course, leg);
    }
    assert_int_equal(rig.bad[RIG_UART], 0);
    print_message("%-12s x %.4f y %.4f heading %.3f deg, wanted %.4f %.4f %.3f, believed %.4f %.4f "
                  "%.3f\n",
                  model, rig_get(&rig, "x_m") - 20, rig_get(&rig, "y_m") - 20,
                  rig_get(&rig, "heading_deg"), course.x_m, course.y_m,
                  course.heading_rad * 180 / PI, rig.odometry.x_m, rig.odometry.y_m,
                  rig.odometry.heading_rad * 180 / PI);
    rig_close(&rig);
}

static const char *const turning[] = {"differential", "mecanum", "tracked"};

/* ---- Courses ---- */

static void a_square_ends_where_it_began(void **state)
{
    (void)state;
    const double quarter_s = PI / 2; // at 1 rad/s
    for (int sign = 1; sign >= -1; sign -= 2) {
        const struct leg side = {sign * 250, 0, 0, 4}, corner = {0, 0, sign * 100, quarter_s};
        const struct leg square[] = {side, corner, side, corner, side, corner, side, corner};
        for (size_t i = 0; i < 3; i++)
            drive(turning[i], square, 8);
    }
}

static void an_ackermann_square_has_round_corners(void **state)
{
    (void)state;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const double quarter_s = PI / 2 * WHEELBASE_M / tan(25 * PI / 180) / 0.25;
        const struct leg side = {250, 0, 0, 4}, corner = {250, 0, sign * 25, quarter_s};
        const struct leg square[] = {side, corner, side, corner, side, corner, side, corner};
        drive("ackermann", square, 8);
    }
}

static void a_circle_ends_where_it_began(void **state)
{
    (void)state;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const struct leg circle = {300, 0, sign * 50, 2 * PI / 0.5};
        const struct leg back = {-300, 0, sign * 50, 2 * PI / 0.5};
        const struct leg steered = {300, 0, sign * 17,
                                    2 * PI * WHEELBASE_M / tan(17 * PI / 180) / 0.3};
        for (size_t i = 0; i < 3; i++) {
            drive(turning[i], &circle, 1);
            drive(turning[i], &back, 1);
        }
        drive("ackermann", &steered, 1);
    }
}

static void mecanum_wheels_drive_a_diagonal_and_every_mixture(void **state)
{
    (void)state;
    static const struct leg legs[] = {
        {200, 200, 0, 5}, {-200, -200, 0, 5}, {200, -200, 0, 5},   {0, 300, 0, 5},
        {0, -300, 0, 5},  {0, 250, 50, 10},   {150, 150, -50, 10},
    };
    for (size_t i = 0; i < sizeof legs / sizeof legs[0]; i++)
        drive("mecanum", &legs[i], 1);
    drive("mecanum", legs, sizeof legs / sizeof legs[0]);
}

/* ---- Motions that a model cannot execute ---- */

static void only_mecanum_wheels_strafe(void **state)
{
    (void)state;
    static const char *const models[] = {"ackermann", "differential", "tracked"};
    for (size_t i = 0; i < 3; i++) {
        struct rig rig = rig_open(models[i], NULL);
        rig_drive(&rig, 0, 300, 0, 2);
        assert_true(hypot(rig_get(&rig, "x_m") - 20, rig_get(&rig, "y_m") - 20) < 1e-6);
        rig_drive(&rig, 200, 300, 0, 2);
        assert_true(fabs(rig_get(&rig, "y_m") - 20) < 1e-3);
        assert_true(rig_get(&rig, "x_m") > 20.35);
        rig_expect(&rig, 7,
                   i == 0   ? "fd 02 07 01 06"
                   : i == 1 ? "fd 02 07 02 05"
                            : "fd 02 07 04 03");
        assert_int_equal(rig_signed(&rig, 2, 6), 0);
        rig_close(&rig);
    }
}

static void an_ackermann_cannot_turn_on_the_spot(void **state)
{
    (void)state;
    struct rig rig = rig_open("ackermann", NULL);
    rig_drive(&rig, 0, 0, 25, 2);
    assert_true(fabs(rig_get(&rig, "heading_deg")) < 0.01);
    assert_true(fabs(rig_get(&rig, "wanted_steer_deg") - 25) < 1e-9);
    assert_true(hypot(rig_get(&rig, "x_m") - 20, rig_get(&rig, "y_m") - 20) < 1e-3);
    rig_close(&rig);
}

static void steering_ends_at_twenty_five_degrees(void **state)
{
    (void)state;
    static const int wanted[] = {26, 540, 65535, -26, -540};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct rig rig = rig_open("ackermann", NULL);
        rig_drive(&rig, 250, 0, wanted[i], 3);
        double expected_deg_s = 0.25 * tan(25 * PI / 180) / WHEELBASE_M * 180 / PI;
        expected_deg_s = wanted[i] < 0 ? -expected_deg_s : expected_deg_s;
        assert_true(fabs(rig_get(&rig, "turn_deg_s") - expected_deg_s) < 1);
        rig_close(&rig);
    }
}

/* ---- Wheels ---- */

/* Friction balances where the outer side runs by (T^2 + B^2) / T^2 faster than without scrubbing.
 */
static void skidding_wheels_scrub_with_the_effective_track(void **state)
{
    (void)state;
    static const char *const models[] = {"differential", "tracked"};
    for (size_t i = 0; i < 2; i++) {
        struct rig rig = rig_open(models[i], NULL);
        rig_drive(&rig, 0, 0, 100, 6);
        double turned_rad = rig_get(&rig, "heading_deg") * PI / 180;
        double left = rig_get(&rig, "front_left_counts"),
               right = rig_get(&rig, "rear_right_counts");
        double rolled_rad = (right - left) * 2 * PI / 330 * 0.04 / TRACK_M;
        double scrub = (TRACK_M * TRACK_M + WHEELBASE_M * WHEELBASE_M) / (TRACK_M * TRACK_M);
        assert_true(fabs(rolled_rad / turned_rad / scrub - 1) < 0.01);
        rig_close(&rig);
    }
}

static void speeds_saturate(void **state)
{
    (void)state;
    const char *const slow[] = {"cobot.speed_max_mm_s=200", NULL};
    struct rig rig = rig_open("mecanum", slow);
    rig_drive(&rig, 65535, 0, 0, 3);
    assert_true(fabs(rig_get(&rig, "speed_m_s") - 0.2) < 0.02);
    rig_drive(&rig, 300, -300, 0, 3); // x or y, not the sum
    assert_true(fabs(rig_get(&rig, "wanted_x_m_s") - 0.2) < 1e-9);
    assert_true(fabs(rig_get(&rig, "wanted_y_m_s") + 0.2) < 1e-9);
    rig_drive(&rig, 0, 0, 65535, 1);
    assert_true(fabs(rig_get(&rig, "wanted_turn_rad_s") - 5.4) < 1e-9);
    rig_close(&rig);

    rig = rig_open("mecanum", NULL);
    rig_drive(&rig, 2000, 0, 0, 3);
    assert_true(fabs(rig_get(&rig, "speed_m_s") - 1) < 0.03);
    rig_close(&rig);
}

static void a_lifted_robot_turns_its_wheels_and_stays(void **state)
{
    (void)state;
    struct rig rig = rig_open("differential", NULL);
    rig_do(&rig, "lift");
    rig_drive(&rig, 300, 0, 0, 3);
    assert_true(rig_get(&rig, "x_m") == 20);
    assert_in_range(rig_u16(&rig, 3, 3), 280, 320);
    rig_do(&rig, "lift up=false");
    rig_drive(&rig, 300, 0, 0, 3);
    assert_true(rig_get(&rig, "x_m") > 20.8);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_square_ends_where_it_began),
        cmocka_unit_test(an_ackermann_square_has_round_corners),
        cmocka_unit_test(a_circle_ends_where_it_began),
        cmocka_unit_test(mecanum_wheels_drive_a_diagonal_and_every_mixture),
        cmocka_unit_test(only_mecanum_wheels_strafe),
        cmocka_unit_test(an_ackermann_cannot_turn_on_the_spot),
        cmocka_unit_test(steering_ends_at_twenty_five_degrees),
        cmocka_unit_test(skidding_wheels_scrub_with_the_effective_track),
        cmocka_unit_test(speeds_saturate),
        cmocka_unit_test(a_lifted_robot_turns_its_wheels_and_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
