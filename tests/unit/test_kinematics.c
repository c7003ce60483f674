/* Kinematics: wheel speeds and twists of all types of wheels, calculated and driven in a world. */
#include <math.h>

#include "base/angle.h"
#include "tests/support/kinematics.h"
#include "tests/unit/physics_fixture.h"

static void assert_round_trip(const struct drive_def *def, struct twist twist)
{
    double speeds[DRIVE_WHEELS_MAX];
    kinematics_inverse(def, twist, speeds);
    struct twist back = kinematics_forward(def, speeds, kinematics_steering(def, twist));
    assert_true(fabs(back.x_m_s - twist.x_m_s) < 1e-9);
    assert_true(fabs(back.y_m_s - twist.y_m_s) < 1e-9);
    assert_true(fabs(back.turn_rad_s - twist.turn_rad_s) < 1e-9);
}

static void kinematics_of_wheels_and_rollers_invert_each_other(void **state)
{
    (void)state;
    const struct drive_def differential = robot_drive();
    assert_round_trip(&differential, (struct twist){0.4, 0.0, -1.5});

    struct drive_def omni = {.wheel_count = 3};
    for (int i = 0; i < 3; i++) {
        double angle = i * 2.0 * ANGLE_PI / 3.0;
        omni.wheels[i] = (struct wheel_def){.place = {0.2 * cos(angle), 0.2 * sin(angle)},
                                            .heading_rad = angle + ANGLE_PI / 2.0,
                                            .roller_rad = ANGLE_PI / 2.0,
                                            .radius_m = 0.05};
    }
    assert_round_trip(&omni, (struct twist){0.4, -0.3, 1.5});

    struct drive_def mecanum = {.wheel_count = 4};
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? 0.15 : -0.15;
        double y = i % 2 == 0 ? 0.1 : -0.1;
        mecanum.wheels[i] =
            (struct wheel_def){.place = {x, y},
                               .roller_rad = x * y > 0.0 ? 0.25 * ANGLE_PI : -0.25 * ANGLE_PI,
                               .radius_m = 0.05};
    }
    assert_round_trip(&mecanum, (struct twist){0.4, -0.3, 1.5});
}

static void steppers_on_mecanum_wheels_drive_the_twist_that_was_wanted(void **state)
{
    (void)state;
    struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER, .wheel_count = 4, .grip = 0.8};
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? 0.15 : -0.15;
        double y = i % 2 == 0 ? 0.1 : -0.1;
        double roller = x * y > 0.0 ? 0.25 * ANGLE_PI : -0.25 * ANGLE_PI;
        def.wheels[i] = (struct wheel_def){.place = {x, y}, .roller_rad = roller, .radius_m = 0.05};
    }
    struct world *world = make_world(1, 0);
    const struct body_def body = robot_body(0.0, 0.0, 0.0);
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &def);
    double speeds[DRIVE_WHEELS_MAX];
    kinematics_inverse(&def, (struct twist){0.1, 0.2, -0.3}, speeds);
    for (size_t i = 0; i < 4; i++)
        world_drive(world, robot)->wheels[i].input = speeds[i];
    run(world, 2.0);
    struct pose pose = world_pose(world, robot);
    double turn;
    struct vec2 velocity = world_velocity(world, robot, &turn);
    struct vec2 local = geom_rotate(-pose.heading_rad, velocity);
    assert_true(fabs(turn + 0.3) < 3e-4);
    assert_true(fabs(local.x - 0.1) < 2e-4 && fabs(local.y - 0.2) < 2e-4);
    world_destroy(world);
}

static void a_steered_vehicle_turns_about_the_point_on_its_rear_axle(void **state)
{
    (void)state;
    struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER,
                            .wheel_count = 4,
                            .grip = 0.8,
                            .steer_max_rad = 0.5,
                            .steer_rate_rad_s = 1.0};
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? 0.3 : 0.0;
        def.wheels[i] = (struct wheel_def){
            .place = {x, i % 2 == 0 ? 0.1 : -0.1}, .radius_m = 0.05, .is_steered = i < 2};
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        struct world *world = make_world(1, 0);
        const struct body_def body = robot_body(0.0, 0.0, 0.0);
        size_t robot = world_add_body(world, &body);
        world_set_drive(world, robot, &def);
        struct drive *drive = world_drive(world, robot);
        drive->wheels[0].is_free = drive->wheels[1].is_free = true;
        drive->steer_target_rad = 0.4 * sign;
        run(world, 0.2);
        assert_true(fabs(drive->steer_rad - 0.2 * sign) < 1e-9);
        run(world, 0.3);

        /* Rear wheels at the speeds for that circle. */
        double turn_rad_s = 0.2 * tan(0.4 * sign) / 0.3;
        drive->wheels[2].input = (0.2 - 0.1 * turn_rad_s) / 0.05;
        drive->wheels[3].input = (0.2 + 0.1 * turn_rad_s) / 0.05;
        run(world, 1.0);
        double turn;
        struct vec2 velocity = world_velocity(world, robot, &turn);
        assert_true(fabs(turn - turn_rad_s) < 0.001 * fabs(turn_rad_s));
        assert_true(fabs(hypot(velocity.x, velocity.y) - 0.2) < 2e-4);
        world_destroy(world);
    }
}

static void the_wheel_speeds_of_a_twist_are_the_textbook_ones(void **state)
{
    (void)state;
    const struct drive_def def = robot_drive();
    double speeds[2];
    kinematics_inverse(&def, (struct twist){0.35, 0.0, 1.0}, speeds);
    assert_true(fabs(speeds[0] - (0.35 - 0.115) / 0.035) < 1e-12);
    assert_true(fabs(speeds[1] - (0.35 + 0.115) / 0.035) < 1e-12);
}

static void a_skid_drive_is_taken_to_turn_about_its_middle(void **state)
{
    (void)state;
    struct drive_def def = {.wheel_count = 4};
    for (int i = 0; i < 4; i++) {
        def.wheels[i].place = (struct vec2){i < 2 ? 0.15 : -0.15, i % 2 == 0 ? 0.1 : -0.1};
        def.wheels[i].radius_m = 0.05;
    }
    const double speeds[4] = {-2.0, 2.0, -2.0, 2.0};
    struct twist twist = kinematics_forward(&def, speeds, 0.0);
    assert_true(fabs(twist.turn_rad_s - 1.0) < 1e-5);
    assert_true(fabs(twist.x_m_s) < 1e-9 && fabs(twist.y_m_s) < 1e-9);
}

/* ---- Closed forms: wheel speeds of a twist, from the textbook of each drive ---- */

static void assert_speeds(const struct drive_def *def, struct twist twist, const double *expected)
{
    double speeds[DRIVE_WHEELS_MAX];
    kinematics_inverse(def, twist, speeds);
    for (size_t i = 0; i < def->wheel_count; i++)
        assert_true(fabs(speeds[i] - expected[i]) < 1e-9);
    assert_round_trip(def, twist);
}

static const struct twist twists[] = {
    {0.4, 0.0, 0.0}, {0.0, 0.3, 0.0}, {0.0, 0.0, 1.2}, {-0.2, 0.5, -0.7}, {0.3, -0.1, 2.0},
};
enum { TWISTS = sizeof twists / sizeof twists[0] };

static void omni_wheels_turn_as_their_places_say(void **state)
{
    (void)state;
    /* Wheel i at angle a_i drives along its tangent: R w_i = -sin(a_i) x + cos(a_i) y + L turn. */
    for (size_t count = 3; count <= 4; count++) {
        struct drive_def def = {.wheel_count = count};
        for (size_t i = 0; i < count; i++) {
            double angle = 0.3 + 2.0 * ANGLE_PI * (double)i / (double)count;
            def.wheels[i] = (struct wheel_def){.place = {0.2 * cos(angle), 0.2 * sin(angle)},
                                               .heading_rad = angle + ANGLE_PI / 2.0,
                                               .roller_rad = ANGLE_PI / 2.0,
                                               .radius_m = 0.05};
        }
        for (size_t k = 0; k < TWISTS; k++) {
            double expected[DRIVE_WHEELS_MAX];
            for (size_t i = 0; i < count; i++) {
                double angle = 0.3 + 2.0 * ANGLE_PI * (double)i / (double)count;
                expected[i] = (-sin(angle) * twists[k].x_m_s + cos(angle) * twists[k].y_m_s +
                               0.2 * twists[k].turn_rad_s) /
                              0.05;
            }
            assert_speeds(&def, twists[k], expected);
        }
    }
}

static void mecanum_wheels_turn_as_the_textbook_says(void **state)
{
    (void)state;
    /* Rollers on the floor at 45 degrees, an X seen from below: R w = x -+ y -+ (lx + ly) turn. */
    struct drive_def def = {.wheel_count = 4};
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? 0.15 : -0.15;
        double y = i % 2 == 0 ? 0.1 : -0.1;
        def.wheels[i] =
            (struct wheel_def){.place = {x, y},
                               .roller_rad = x * y > 0.0 ? 0.25 * ANGLE_PI : -0.25 * ANGLE_PI,
                               .radius_m = 0.05};
    }
    for (size_t k = 0; k < TWISTS; k++) {
        double x = twists[k].x_m_s, y = twists[k].y_m_s, turn = 0.25 * twists[k].turn_rad_s;
        const double expected[4] = {(x - y - turn) / 0.05, (x + y + turn) / 0.05,
                                    (x + y - turn) / 0.05, (x - y + turn) / 0.05};
        assert_speeds(&def, twists[k], expected);
    }
}

static struct drive_def skid_drive(void)
{
    struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER, .wheel_count = 4, .grip = 0.8};
    for (int i = 0; i < 4; i++) {
        def.wheels[i].place = (struct vec2){i < 2 ? 0.12 : -0.12, i % 2 == 0 ? 0.1 : -0.1};
        def.wheels[i].radius_m = 0.05;
    }
    return def;
}

static void a_tracked_drive_is_a_differential_one_of_its_effective_track(void **state)
{
    (void)state;
    struct drive_def def = skid_drive();
    kinematics_widen(&def, 0.5);
    for (size_t k = 0; k < TWISTS; k++) {
        struct twist twist = {twists[k].x_m_s, 0.0, twists[k].turn_rad_s};
        double left = (twist.x_m_s - 0.25 * twist.turn_rad_s) / 0.05;
        double right = (twist.x_m_s + 0.25 * twist.turn_rad_s) / 0.05;
        const double expected[4] = {left, right, left, right};
        double speeds[4];
        kinematics_inverse(&def, twist, speeds);
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs(speeds[i] - expected[i]) < 1e-9);
        struct twist back = kinematics_forward(&def, speeds, 0.0);
        assert_true(fabs(back.x_m_s - twist.x_m_s) < 1e-5);
        assert_true(fabs(back.turn_rad_s - twist.turn_rad_s) <
                    1e-4 * fabs(twist.turn_rad_s) + 1e-9);
    }
}

static void a_skid_drive_turns_on_the_spot_with_its_effective_track(void **state)
{
    (void)state;
    /* Friction against the slip of each wheel: (rim - turn b) b = turn a a, at (+-a, +-b). */
    const double track = 2.0 * (0.12 * 0.12 + 0.1 * 0.1) / 0.1;
    struct drive_def def = skid_drive();
    assert_true(fabs(kinematics_skid_track_m(&def) - track) < 1e-12);
    struct world *world = make_world(1, 0);
    struct body_def body = robot_body(0.0, 0.0, 0.0);
    body.mass_center.x = 0.0;
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &def);
    for (int i = 0; i < 4; i++)
        world_drive(world, robot)->wheels[i].input = i % 2 == 0 ? -4.0 : 4.0;
    run(world, 3.0);
    double turn;
    (void)world_velocity(world, robot, &turn);
    double expected = 0.4 / track;
    print_message("turns at %.4f rad/s, %.4f expected\n", turn, expected);
    assert_true(fabs(turn - expected) < 0.01 * expected);

    kinematics_widen(&def, kinematics_skid_track_m(&def));
    double speeds[DRIVE_WHEELS_MAX];
    for (size_t i = 0; i < 4; i++)
        speeds[i] = world_drive(world, robot)->wheels[i].rad_s;
    struct twist twist = kinematics_forward(&def, speeds, 0.0);
    assert_true(fabs(twist.turn_rad_s - turn) < 0.01 * turn);
    world_destroy(world);
}

static struct drive_def car_drive(void)
{
    struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER,
                            .wheel_count = 4,
                            .grip = 0.8,
                            .steer_max_rad = 0.5,
                            .steer_rate_rad_s = 1.0};
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? 0.3 : 0.0;
        def.wheels[i] = (struct wheel_def){
            .place = {x, i % 2 == 0 ? 0.1 : -0.1}, .radius_m = 0.05, .is_steered = i < 2};
    }
    return def;
}

static void a_steered_drive_moves_as_a_bicycle(void **state)
{
    (void)state;
    const struct drive_def def = car_drive();
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = -4; i <= 4; i++) {
            double steer = 0.11 * i;
            struct twist wanted = {0.3 * sign, 0.0, 0.3 * sign * tan(steer) / 0.3};
            assert_true(fabs(kinematics_steering(&def, wanted) - steer) < 1e-12);
            double speeds[4];
            kinematics_inverse(&def, wanted, speeds);
            double rear = (0.3 * sign - 0.1 * wanted.turn_rad_s) / 0.05;
            assert_true(fabs(speeds[2] - rear) < 1e-9);
            struct twist twist = kinematics_forward(&def, speeds, steer);
            assert_true(fabs(twist.x_m_s - wanted.x_m_s) < 1e-9);
            assert_true(fabs(twist.y_m_s) < 1e-9);
            assert_true(fabs(twist.turn_rad_s - wanted.turn_rad_s) < 1e-9);
        }
    }
}

/* Six wheels, the outer four steered; and four wheels, all steered. The robot rotates about a point
 * abreast of its middle, at the rate of a bicycle of half the length. */
static void wheels_behind_the_axle_steer_the_other_way(void **state)
{
    (void)state;
    for (size_t wheels = 4; wheels <= 6; wheels += 2) {
        struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER, .wheel_count = wheels};
        for (size_t i = 0; i < wheels; i++)
            def.wheels[i] = (struct wheel_def){
                .place = {i < 2   ? 0.2
                          : i < 4 ? -0.2
                                  : 0.0,
                          i % 2 ? -0.1 : 0.1},
                .radius_m = 0.05,
                .is_steered = i < 4,
            };
        assert_true(drive_wheel_steer_rad(&def, 0, 0.3) > 0.3); // inside the turn
        for (size_t i = 0; i < 2; i++)
            assert_true(fabs(drive_wheel_steer_rad(&def, i, 0.3) +
                             drive_wheel_steer_rad(&def, i + 2, 0.3)) < 1e-12);
        double speeds[DRIVE_WHEELS_MAX], turn = 0.3 * tan(0.3) / 0.2;
        kinematics_inverse(&def, (struct twist){0.3, 0.0, turn}, speeds);
        struct twist twist = kinematics_forward(&def, speeds, 0.3);
        assert_true(fabs(twist.x_m_s - 0.3) < 1e-9 && fabs(twist.turn_rad_s - turn) < 1e-9);
        def.is_parallel = true;
        for (size_t i = 0; i < 4; i++)
            assert_true(drive_wheel_steer_rad(&def, i, 0.3) == 0.3);
    }
}

static void steering_takes_its_time_and_stops_at_its_limit(void **state)
{
    (void)state;
    const struct drive_def def = car_drive();
    struct world *world = make_world(1, 0);
    const struct body_def body = robot_body(0.0, 0.0, 0.0);
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &def);
    struct drive *drive = world_drive(world, robot);
    drive->steer_target_rad = 2.0;
    run(world, 0.25);
    assert_true(fabs(drive->steer_rad - 0.25) < 1e-9);
    run(world, 1.0);
    assert_true(fabs(drive->steer_rad - 0.5) < 1e-9);
    drive->steer_target_rad = -2.0;
    run(world, 0.75);
    assert_true(fabs(drive->steer_rad + 0.25) < 1e-9);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinematics_of_wheels_and_rollers_invert_each_other),
        cmocka_unit_test(steppers_on_mecanum_wheels_drive_the_twist_that_was_wanted),
        cmocka_unit_test(a_steered_vehicle_turns_about_the_point_on_its_rear_axle),
        cmocka_unit_test(the_wheel_speeds_of_a_twist_are_the_textbook_ones),
        cmocka_unit_test(a_skid_drive_is_taken_to_turn_about_its_middle),
        cmocka_unit_test(omni_wheels_turn_as_their_places_say),
        cmocka_unit_test(mecanum_wheels_turn_as_the_textbook_says),
        cmocka_unit_test(a_tracked_drive_is_a_differential_one_of_its_effective_track),
        cmocka_unit_test(a_skid_drive_turns_on_the_spot_with_its_effective_track),
        cmocka_unit_test(a_steered_drive_moves_as_a_bicycle),
        cmocka_unit_test(wheels_behind_the_axle_steer_the_other_way),
        cmocka_unit_test(steering_takes_its_time_and_stops_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
