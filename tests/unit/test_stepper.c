/* Robots on steppers. Most of their steps repeat the last motion, and the world reuses results:
 * these must still be correct. */
#include <math.h>

#include "base/angle.h"
#include "tests/unit/physics_fixture.h"

static size_t add_stepper(struct world *world, double x_m, double y_m)
{
    struct body_def body = robot_body(x_m, y_m, 0.4);
    body.mass_center = (struct vec2){0.0, 0.0};
    struct drive_def def = robot_drive();
    def.motor = DRIVE_MOTOR_STEPPER;
    size_t index = world_add_body(world, &body);
    world_set_drive(world, index, &def);
    return index;
}

static void drive_at(struct world *world, size_t index, double left_rad_s, double right_rad_s)
{
    world_drive(world, index)->wheels[0].input = left_rad_s;
    world_drive(world, index)->wheels[1].input = right_rad_s;
}

static void a_steady_turn_stays_on_its_circle(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    size_t robot = add_stepper(world, 0.0, 0.0);
    drive_at(world, robot, 4.0, 6.0);
    run(world, 0.1);
    double turn = 2.0 * 0.035 / 0.23, radius = 5.0 * 0.035 / turn;
    struct pose start = world_pose(world, robot);
    struct vec2 middle = {start.x_m - radius * sin(start.heading_rad),
                          start.y_m + radius * cos(start.heading_rad)};
    run(world, 100.0);
    struct pose pose = world_pose(world, robot);
    assert_true(fabs(pose.heading_rad - start.heading_rad - 100.0 * turn) < 1e-9);
    /* Steps of 1 ms along a chord cause almost no drift. */
    assert_true(fabs(hypot(pose.x_m - middle.x, pose.y_m - middle.y) - radius) < 1e-3);
    world_destroy(world);
}

static void a_steady_robot_looks_where_its_heading_says(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    size_t robot = add_stepper(world, 0.0, 0.0);
    drive_at(world, robot, -9.0, 9.0);
    for (int i = 0; i < 5000; i++) {
        world_step(world, STEP_S);
        double heading = world_pose(world, robot).heading_rad;
        struct vec2 forward = world_forward(world, robot);
        assert_true(fabs(forward.x - cos(heading)) < 1e-14);
        assert_true(fabs(forward.y - sin(heading)) < 1e-14);
    }
    world_destroy(world);
}

static void a_steady_robot_obeys_at_once_when_told_otherwise(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    size_t robot = add_stepper(world, 0.0, 0.0);
    struct drive *drive = world_drive(world, robot);
    drive_at(world, robot, 5.0, 5.0);
    run(world, 1.0);
    assert_true(fabs(world_velocity(world, robot, NULL).x - 0.175 * cos(0.4)) < 1e-9);

    /* A grip of 0.8 brakes with 0.8 g. */
    drive_at(world, robot, 0.0, 0.0);
    world_step(world, STEP_S);
    double speed =
        hypot(world_velocity(world, robot, NULL).x, world_velocity(world, robot, NULL).y);
    assert_true(fabs(speed - (0.175 - 0.8 * 9.80665 * STEP_S)) < 1e-6);
    run(world, 0.1);
    assert_true(fabs(world_velocity(world, robot, NULL).x) < 1e-9);

    /* With coils off, lifted, put down, and moved to another place. */
    drive_at(world, robot, 5.0, 5.0);
    run(world, 1.0);
    drive->wheels[0].is_free = drive->wheels[1].is_free = true;
    run(world, 2.0);
    assert_true(fabs(drive->wheels[0].rad_s) < 5.0);
    drive->wheels[0].is_free = drive->wheels[1].is_free = false;
    run(world, 1.0);
    world_lift(world, robot, true);
    struct pose held = world_pose(world, robot);
    run(world, 1.0);
    assert_true(world_pose(world, robot).x_m == held.x_m);
    assert_true(drive->wheels[0].rad_s == 5.0);
    world_lift(world, robot, false);
    run(world, 1.0);
    assert_true(world_pose(world, robot).x_m > held.x_m + 0.1);
    world_place(world, robot, (struct pose){7.0, 7.0, 0.0});
    world_step(world, STEP_S);
    assert_true(fabs(world_pose(world, robot).x_m - 7.0) < 1e-4);
    world_destroy(world);
}

static void a_steady_robot_meets_what_comes_in_its_way(void **state)
{
    (void)state;
    struct world *world = make_world(2, 1);
    add_wall(world, 3.0, -9.0, 3.0, 9.0);
    size_t first = add_stepper(world, 0.0, 0.0);
    size_t second = add_stepper(world, 0.0, 2.0);
    world_place(world, first, (struct pose){0.0, 0.0, 0.0});
    world_place(world, second, (struct pose){2.0, 0.0, ANGLE_PI});
    drive_at(world, first, 5.0, 5.0);
    drive_at(world, second, 3.0, 3.0);
    run(world, 30.0);
    double apart = world_pose(world, second).x_m - world_pose(world, first).x_m;
    assert_true(apart > 2.0 * ROBOT_RADIUS_M - 0.001);
    assert_true(apart < 2.0 * ROBOT_RADIUS_M + 0.001);
    world_place(world, second, (struct pose){0.0, 5.0, 0.0});
    run(world, 60.0);
    assert_true(fabs(world_pose(world, first).x_m - (3.0 - ROBOT_RADIUS_M)) < 0.001);
    world_destroy(world);
}

/* A bend that becomes tighter, to either side, until it would need 1.2 g at a grip of 0.8. A wheel
 * may have lost half of its grip. */
static void a_robot_takes_no_bend_faster_than_its_grip(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct world *world = make_world(1, 0);
        size_t robot = add_stepper(world, 0.0, 0.0);
        double side = i % 2 ? 1.0 : -1.0, grip = i < 2 ? 0.8 : 0.6;
        if (i >= 2)
            world_set_slip(world, robot, (size_t)i / 2 - 1, 0.5);
        drive_at(world, robot, 60.0, 60.0);
        run(world, 1.0);
        double most = 0.0;
        for (int step = 0; step < 2000; step++) {
            double turn = side * 1.2 * 9.80665 / 2.1 * step / 2000.0;
            drive_at(world, robot, 60.0 - turn * 0.115 / 0.035, 60.0 + turn * 0.115 / 0.035);
            struct vec2 before = world_velocity(world, robot, NULL);
            world_step(world, STEP_S);
            struct vec2 after = world_velocity(world, robot, NULL);
            most = fmax(most, hypot(after.x - before.x, after.y - before.y) / STEP_S);
        }
        assert_true(most < grip * 9.80665 * 1.001 && most > grip * 9.80665 * 0.95);
        world_destroy(world);
    }
}

/* Four omni wheels on steppers, which drive along, across or on the spot, from rest. At a grip of
 * 0.1 they slip at first. */
static void steppers_that_slip_at_a_start_reach_their_speed_in_every_direction(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        struct world *world = make_world(1, 0);
        const struct body_def body = {.radius_m = 0.2, .mass_kg = 4.0};
        size_t robot = world_add_body(world, &body);
        struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER, .wheel_count = 4, .grip = 0.1};
        for (size_t i = 0; i < 4; i++) {
            double angle = (0.5 + (double)i) * ANGLE_PI / 2.0;
            def.wheels[i] = (struct wheel_def){.place = {0.2 * cos(angle), 0.2 * sin(angle)},
                                               .heading_rad = angle + ANGLE_PI / 2.0,
                                               .roller_rad = ANGLE_PI / 2.0,
                                               .radius_m = 0.05};
        }
        world_set_drive(world, robot, &def);
        for (size_t i = 0; i < 4; i++) {
            double heading = def.wheels[i].heading_rad;
            double rim = way == 0 ? 0.5 * cos(heading) : way == 1 ? 0.5 * sin(heading) : 0.5;
            world_drive(world, robot)->wheels[i].input = rim / 0.05;
        }
        run(world, 3.0);
        double turn;
        struct vec2 velocity = world_velocity(world, robot, &turn);
        assert_true(fabs(velocity.x - (way == 0 ? 0.5 : 0.0)) < 1e-3);
        assert_true(fabs(velocity.y - (way == 1 ? 0.5 : 0.0)) < 1e-3);
        assert_true(fabs(turn - (way == 2 ? 2.5 : 0.0)) < 1e-3);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_turn_stays_on_its_circle),
        cmocka_unit_test(a_steady_robot_looks_where_its_heading_says),
        cmocka_unit_test(a_steady_robot_obeys_at_once_when_told_otherwise),
        cmocka_unit_test(a_steady_robot_meets_what_comes_in_its_way),
        cmocka_unit_test(a_robot_takes_no_bend_faster_than_its_grip),
        cmocka_unit_test(steppers_that_slip_at_a_start_reach_their_speed_in_every_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
