/* Driving: motors, grip, and wheels without floor contact. */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "tests/unit/physics_fixture.h"

#define EMF_AT_WHEEL (0.0115 * 49.5833) /* V s/rad of the robot's motor, seen at the wheel */

/* Ramps both inputs to their final values, so slowly that no wheel slips, and then continues. */
static void ramp(struct world *world, struct drive *drive, double left, double right,
                 double seconds)
{
    double from_left = drive->wheels[0].input;
    double from_right = drive->wheels[1].input;
    for (int i = 1; i <= 1000; i++) {
        drive->wheels[0].input = from_left + (left - from_left) * i / 1000.0;
        drive->wheels[1].input = from_right + (right - from_right) * i / 1000.0;
        world_step(world, STEP_S);
    }
    run(world, seconds);
}

static void a_straight_drive_follows_its_wheels(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct world *world = make_world(1, 0);
        struct drive *drive = add_robot(world, 1.0, 2.0, 0.3);
        ramp(world, drive, 0.5 * sign, 0.5 * sign, 5.0);
        double path = 0.035 * drive->wheels[0].rad;
        struct pose pose = world_pose(world, 0);
        assert_true(path * sign > 1.5);
        assert_true(fabs(pose.x_m - 1.0 - path * cos(0.3)) < 0.001 * fabs(path));
        assert_true(fabs(pose.y_m - 2.0 - path * sin(0.3)) < 0.001 * fabs(path));
        assert_true(fabs(pose.heading_rad - 0.3) < 1e-6);
        world_destroy(world);
    }
}

static void a_turn_on_the_spot_follows_its_wheels(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct world *world = make_world(1, 0);
        struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
        ramp(world, drive, -0.25 * sign, 0.25 * sign, 10.0);
        double turn = 0.035 * (drive->wheels[1].rad - drive->wheels[0].rad) / 0.23;
        struct pose pose = world_pose(world, 0);
        assert_true(turn * sign > 6.0);
        assert_true(fabs(pose.heading_rad - turn) < 0.001 * fabs(turn));
        assert_true(fabs(pose.x_m) < 0.001 && fabs(pose.y_m) < 0.001);
        world_destroy(world);
    }
}

static void an_arc_has_the_radius_of_its_wheel_speeds(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct world *world = make_world(1, 0);
        struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
        ramp(world, drive, 0.3 - 0.1 * sign, 0.3 + 0.1 * sign, 2.0);

        /* From here on the robot moves in a circle. Its center is to the left, at a distance of the
         * radius. */
        double slow = drive->wheels[0].rad_s;
        double fast = drive->wheels[1].rad_s;
        double radius = 0.115 * (fast + slow) / (fast - slow);
        struct pose start = world_pose(world, 0);
        double center_x = start.x_m - radius * sin(start.heading_rad);
        double center_y = start.y_m + radius * cos(start.heading_rad);
        for (int i = 0; i < 12; i++) {
            run(world, 1.0);
            struct pose pose = world_pose(world, 0);
            double distance = hypot(pose.x_m - center_x, pose.y_m - center_y);
            assert_true(fabs(distance - fabs(radius)) < 0.001 * fabs(radius) + 1e-4);
        }
        assert_true(fabs(world_pose(world, 0).heading_rad) > 2.0 * ANGLE_PI);
        world_destroy(world);
    }
}

static void the_steady_speed_is_that_of_the_motor(void **state)
{
    (void)state;
    static const double duties[] = {-1.0, -0.4, 0.1, 0.25, 0.5, 1.0};
    for (size_t i = 0; i < sizeof duties / sizeof duties[0]; i++) {
        struct world *world = make_world(1, 0);
        struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
        ramp(world, drive, duties[i], duties[i], 5.0);
        double loss_v = duties[i] > 0.0 ? 0.21 * 1.5506 : -0.21 * 1.5506;
        double expected = (12.0 * duties[i] - loss_v) / EMF_AT_WHEEL;
        assert_true(fabs(drive->wheels[0].rad_s - expected) < 0.001 * fabs(expected));
        assert_true(fabs(drive->wheels[0].motor_a - (duties[i] > 0.0 ? 0.21 : -0.21)) < 0.001);
        struct vec2 velocity = world_velocity(world, 0, NULL);
        assert_true(fabs(velocity.x - 0.035 * expected) < 0.001 * fabs(0.035 * expected));
        world_destroy(world);
    }
}

static void gear_friction_holds_at_rest_and_a_little_more_moves(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
    const double idle_v = 0.21 * 1.5506;
    drive->wheels[0].input = drive->wheels[1].input = 0.99 * idle_v / 12.0;
    run(world, 3.0);
    assert_true(drive->wheels[0].rad == 0.0 && world_pose(world, 0).x_m == 0.0);
    drive->wheels[0].input = drive->wheels[1].input = 1.5 * idle_v / 12.0;
    run(world, 3.0);
    assert_true(world_pose(world, 0).x_m > 0.01);
    world_destroy(world);
}

static void a_coasting_robot_is_stopped_by_friction_and_stays(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
    ramp(world, drive, 0.8, 0.8, 2.0);
    drive->wheels[0].is_free = drive->wheels[1].is_free = true;
    double speed = 0.035 * drive->wheels[0].rad_s;
    double start = world_pose(world, 0).x_m;

    /* Friction of two gears stops the mass and the inertia of two wheels. */
    double force = 2.0 * 0.21 * 0.010913 * 49.5833 / 0.035;
    double mass = 2.4 + 2.0 * 0.001 / (0.035 * 0.035);
    double path = speed * speed * mass / (2.0 * force);
    run(world, 0.05);
    assert_true(drive->wheels[0].motor_a == 0.0);
    run(world, 3.0);
    struct pose stopped = world_pose(world, 0);
    assert_true(fabs(stopped.x_m - start - path) < 0.01 * path);
    assert_true(drive->wheels[0].rad_s == 0.0);
    assert_true(fabs(world_velocity(world, 0, NULL).x) < 1e-7);
    run(world, 10.0);
    assert_true(fabs(world_pose(world, 0).x_m - stopped.x_m) < 1e-7);
    world_destroy(world);
}

static void a_full_start_slips_but_gains_no_more_than_the_grip_gives(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
    drive->wheels[0].input = drive->wheels[1].input = 1.0;
    run(world, 0.05);
    double speed = world_velocity(world, 0, NULL).x;
    assert_true(fabs(speed - 0.8 * 9.80665 * 0.05) < 0.001);
    run(world, 0.001);
    assert_true(fabs((world_velocity(world, 0, NULL).x - speed) / 0.001 - 0.8 * 9.80665) < 0.01);
    assert_true(0.035 * drive->wheels[0].rad_s > 1.1 * speed);
    world_destroy(world);
}

static void wheels_slip_at_a_wall_and_their_encoders_run_on(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, 1.0, -5.0, 1.0, 5.0);
    struct drive *drive = add_robot(world, 0.5, 0.0, 0.0);
    ramp(world, drive, 0.5, 0.5, 2.0);
    double turned = drive->wheels[0].rad;
    double x_m = world_pose(world, 0).x_m;
    assert_true(fabs(x_m - (1.0 - ROBOT_RADIUS_M)) < 0.001);
    run(world, 10.0);
    assert_true(drive->wheels[0].rad - turned > 50.0);
    assert_true(fabs(world_pose(world, 0).x_m - x_m) < 1e-6);

    /* The wall takes the force of the wheels, and the current is the one at the limit of grip. */
    size_t count;
    const struct world_contact *contacts = world_contacts(world, &count);
    assert_int_equal(count, 1);
    double push_n = 0.8 * 2.4 * 9.80665;
    assert_true(fabs(contacts[0].impulse_ns / STEP_S - push_n) < 0.01 * push_n);
    double torque = 0.5 * push_n * 0.035 + 0.21 * 0.010913 * 49.5833;
    double expected_a = torque / (0.010913 * 49.5833);
    assert_true(fabs(drive->wheels[0].motor_a - expected_a) < 0.01 * expected_a);
    world_destroy(world);
}

static void a_weak_motor_stalls_at_a_wall_with_its_stall_current(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, 1.0, -5.0, 1.0, 5.0);
    struct drive *drive = add_robot(world, 0.6, 0.0, 0.0);
    ramp(world, drive, 0.08, 0.08, 10.0); /* 6.4 N, less than the grip */
    double turned = drive->wheels[0].rad;
    run(world, 5.0);
    assert_true(fabs(drive->wheels[0].rad - turned) < 1e-6);
    assert_true(fabs(drive->wheels[0].motor_a - 0.08 * 12.0 / 1.5506) < 1e-4);
    assert_true(fabs(drive->wheels[1].motor_a - 0.08 * 12.0 / 1.5506) < 1e-4);
    world_destroy(world);
}

static void a_robot_with_dropped_wheels_does_not_drive(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
    drive->wheels[0].is_dropped = drive->wheels[1].is_dropped = true;
    drive->wheels[0].input = drive->wheels[1].input = 0.5;
    run(world, 2.0);
    assert_true(world_pose(world, 0).x_m == 0.0);
    double expected = (6.0 - 0.21 * 1.5506) / EMF_AT_WHEEL;
    assert_true(fabs(drive->wheels[0].rad_s - expected) < 0.001 * expected);

    /* With one wheel on the floor, the robot can only rotate. */
    drive->wheels[0].is_dropped = false;
    drive->wheels[1].input = 0.0;
    run(world, 1.0);
    assert_true(world_pose(world, 0).heading_rad < -0.5);
    world_destroy(world);
}

static void a_lifted_robot_stays_and_its_wheels_turn(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
    world_lift(world, 0, true);
    drive->wheels[0].input = 0.5;
    drive->wheels[1].input = -0.5;
    run(world, 2.0);
    struct pose pose = world_pose(world, 0);
    assert_true(pose.x_m == 0.0 && pose.y_m == 0.0 && pose.heading_rad == 0.0);
    assert_true(drive->wheels[0].rad > 10.0 && drive->wheels[1].rad < -10.0);
    world_lift(world, 0, false);
    run(world, 1.0);
    assert_true(world_pose(world, 0).heading_rad < -1.0);
    world_destroy(world);
}

static void a_stepper_obeys_at_once_and_moves_the_robot_by_grip(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, 1.0, -5.0, 1.0, 5.0);
    const struct body_def body = robot_body(0.0, 0.0, 0.0);
    struct drive_def def = robot_drive();
    def.motor = DRIVE_MOTOR_STEPPER;
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &def);
    struct drive *drive = world_drive(world, robot);
    drive->wheels[0].input = drive->wheels[1].input = 10.0;
    world_step(world, STEP_S);
    assert_true(drive->wheels[0].rad_s == 10.0);
    run(world, 1.0);
    assert_true(fabs(world_velocity(world, robot, NULL).x - 0.35) < 1e-6);
    run(world, 9.0);
    assert_true(fabs(drive->wheels[0].rad - 100.01) < 1e-6);
    assert_true(fabs(world_pose(world, robot).x_m - (1.0 - ROBOT_RADIUS_M)) < 0.001);
    world_destroy(world);
}

/* Four plain wheels scrub in a turn. The moments of the friction against the slip balance when a
 * side has the speed turn x (T^2 + B^2) / (2 T), with track T and wheelbase B. */
static void four_plain_wheels_turn_as_far_as_their_scrubbing_lets_them(void **state)
{
    (void)state;
    static const double shapes[][2] = {{0.22, 0.185}, {0.30, 0.20}, {0.20, 0.20}};
    for (size_t k = 0; k < 3; k++) {
        double half_t = shapes[k][0] / 2.0, half_b = shapes[k][1] / 2.0;
        double lever = (half_t * half_t + half_b * half_b) / half_t;
        struct world *world = make_world(1, 0);
        const struct body_def body = box(0.0, 0.0, 0.0, 4.0);
        size_t robot = world_add_body(world, &body);
        struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER, .wheel_count = 4, .grip = 0.7};
        for (size_t i = 0; i < 4; i++)
            def.wheels[i] = (struct wheel_def){
                .place = {i % 2 ? -half_b : half_b, i < 2 ? half_t : -half_t},
                .radius_m = 0.04,
            };
        world_set_drive(world, robot, &def);
        for (size_t i = 0; i < 4; i++)
            world_drive(world, robot)->wheels[i].input = (i < 2 ? -1.0 : 1.0) * lever / 0.04;
        run(world, 2.0);
        double turn;
        struct vec2 velocity = world_velocity(world, robot, &turn);
        assert_true(fabs(turn - 1.0) < 0.001);
        assert_true(hypot(velocity.x, velocity.y) < 1e-4);
        world_destroy(world);
    }
}

/* A robot whose wheels hang in the air, both at the same duty. */
static struct drive *hang(struct world *world, const struct drive_def *def, double duty)
{
    const struct body_def body = robot_body(0.0, 0.0, 0.0);
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, def);
    struct drive *drive = world_drive(world, robot);
    world_lift(world, robot, true);
    drive->wheels[0].input = drive->wheels[1].input = duty;
    run(world, 3.0);
    return drive;
}

static void a_wheel_may_have_a_motor_of_its_own_or_none(void **state)
{
    (void)state;
    struct drive_def def = robot_drive();
    def.wheels[1].own.gear = 2 * def.gear;
    struct world *world = make_world(1, 0);
    struct drive *drive = hang(world, &def, 1.0);
    assert_true(fabs(drive->wheels[0].rad_s - 2 * drive->wheels[1].rad_s) < 1e-3);
    assert_true(drive->wheels[1].rad_s > 5);
    world_destroy(world);
    for (int passive = 0; passive < 2; passive++) { // a passive wheel rolls on, another is braked
        def.wheels[0].is_passive = passive == 1;
        world = make_world(1, 0);
        drive = hang(world, &def, 1.0);
        double speed = drive->wheels[0].rad_s;
        assert_true(speed > 10);
        drive->wheels[0].is_free = true;
        run(world, 3.0);
        assert_true(passive ? drive->wheels[0].rad_s == speed : drive->wheels[0].rad_s == 0.0);
        world_destroy(world);
    }
}

static void a_dead_band_takes_its_part_of_the_duty(void **state)
{
    (void)state;
    struct drive_def def = robot_drive();
    static const struct {
        double duty, same_as;
    } rows[] = {{0.2, 0}, {-0.25, 0}, {0.625, 0.5}, {-0.625, -0.5}, {1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world *world = make_world(1, 0);
        def.dead_band = 0.25;
        double speed = hang(world, &def, rows[i].duty)->wheels[0].rad_s;
        world_destroy(world);
        world = make_world(1, 0);
        def.dead_band = 0;
        assert_true(fabs(hang(world, &def, rows[i].same_as)->wheels[0].rad_s - speed) < 1e-9);
        world_destroy(world);
    }
}

/* A wheel's own number replaces the drive's, whether it is larger or smaller. */
static void every_number_of_a_motor_may_be_the_wheels_own(void **state)
{
    (void)state;
    const struct motor_def all = {1, 2, 3, 4, 5, 6};
    struct drive_def def = {.wheel_count = 2,
                            .resistance_ohm = all.resistance_ohm,
                            .torque_nm_a = all.torque_nm_a,
                            .emf_v_s_rad = all.emf_v_s_rad,
                            .gear = all.gear,
                            .idle_a = all.idle_a,
                            .wheel_inertia_kg_m2 = all.wheel_inertia_kg_m2};
    enum { NUMBERS = sizeof all / sizeof all.gear };
    for (int is_larger = 0; is_larger < 2; is_larger++)
        for (size_t own = 0; own <= NUMBERS;
             own++) { /* the last round has no number of the wheel */
            double expected[NUMBERS], found[NUMBERS];
            memcpy(expected, &all, sizeof all);
            def.wheels[1].own = (struct motor_def){0};
            if (own < NUMBERS) {
                expected[own] = is_larger ? 10.0 : 0.5;
                memcpy((char *)&def.wheels[1].own + own * sizeof *expected, &expected[own],
                       sizeof *expected);
            }
            struct motor_def motor = drive_motor(&def, 1), other = drive_motor(&def, 0);
            memcpy(found, &motor, sizeof motor);
            for (size_t i = 0; i < NUMBERS; i++)
                assert_true(found[i] == expected[i]);
            assert_memory_equal(&other, &all, sizeof all);
        }
}

static void a_duty_is_limited_to_all_of_the_supply(void **state)
{
    (void)state;
    struct drive_def def = robot_drive();
    static const double duties[][2] = {{-7, -1}, {-1, -1},   {-0.5, -0.5},
                                       {0, 0},   {0.5, 0.5}, {7, 1}};
    for (size_t i = 0; i < sizeof duties / sizeof *duties; i++) {
        def.dead_band = 0.0;
        assert_true(drive_duty(&def, duties[i][0]) == duties[i][1]);
        def.dead_band = 0.25; /* above it, the supply rises from 0 to all of it */
        double expected = fabs(duties[i][1]) == 0.5 ? duties[i][1] / 1.5 : duties[i][1];
        assert_true(fabs(drive_duty(&def, duties[i][0]) - expected) < 1e-15);
    }
}

/* Six wheels on three axles; each axle may be steered. The body turns about a point on the axle
 * that is not steered, or midway. Wheels on that axle keep their direction. */
static void the_axle_is_midway_between_the_wheels_that_are_not_steered(void **state)
{
    (void)state;
    static const struct {
        bool front, middle, rear;
        double axle, wheelbase;
    } rows[] = {
        {false, false, false, 0.0, 0.0}, {true, false, false, -0.125, 0.375},
        {true, false, true, 0.0, 0.25},  {true, true, false, -0.25, 0.375},
        {true, true, true, 0.0, 0.25},   {false, false, true, 0.125, -0.375},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drive_def def = {.wheel_count = 6};
        for (size_t k = 0; k < 6; k++)
            def.wheels[k] = (struct wheel_def){
                .place = {0.25 * (1.0 - (double)(k / 2)), k % 2 ? -0.125 : 0.125},
                .is_steered = k < 2   ? rows[i].front
                              : k < 4 ? rows[i].middle
                                      : rows[i].rear};
        double axle, wheelbase;
        drive_axles(&def, &axle, &wheelbase);
        assert_true(axle == rows[i].axle && wheelbase == rows[i].wheelbase);
        for (size_t k = 0; k < 6 && wheelbase != 0.0; k++) {
            double angle = drive_wheel_steer_rad(&def, k, 0.25), x_m = def.wheels[k].place.x - axle;
            assert_true(x_m == 0.0 ? angle == 0.0 : angle * x_m * wheelbase > 0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_drive_follows_its_wheels),
        cmocka_unit_test(a_turn_on_the_spot_follows_its_wheels),
        cmocka_unit_test(an_arc_has_the_radius_of_its_wheel_speeds),
        cmocka_unit_test(the_steady_speed_is_that_of_the_motor),
        cmocka_unit_test(gear_friction_holds_at_rest_and_a_little_more_moves),
        cmocka_unit_test(a_coasting_robot_is_stopped_by_friction_and_stays),
        cmocka_unit_test(a_full_start_slips_but_gains_no_more_than_the_grip_gives),
        cmocka_unit_test(wheels_slip_at_a_wall_and_their_encoders_run_on),
        cmocka_unit_test(a_weak_motor_stalls_at_a_wall_with_its_stall_current),
        cmocka_unit_test(a_robot_with_dropped_wheels_does_not_drive),
        cmocka_unit_test(a_lifted_robot_stays_and_its_wheels_turn),
        cmocka_unit_test(a_stepper_obeys_at_once_and_moves_the_robot_by_grip),
        cmocka_unit_test(four_plain_wheels_turn_as_far_as_their_scrubbing_lets_them),
        cmocka_unit_test(a_wheel_may_have_a_motor_of_its_own_or_none),
        cmocka_unit_test(a_dead_band_takes_its_part_of_the_duty),
        cmocka_unit_test(every_number_of_a_motor_may_be_the_wheels_own),
        cmocka_unit_test(a_duty_is_limited_to_all_of_the_supply),
        cmocka_unit_test(the_axle_is_midway_between_the_wheels_that_are_not_steered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
