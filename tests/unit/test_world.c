/* The world: contacts, corners, boxes, bounces, and bodies that are moved to other places. */
#include <malloc.h>
#include <math.h>

#include "base/angle.h"
#include "physics/world_state.h"
#include "tests/unit/physics_fixture.h"

static struct body_def disc(double x_m, double y_m, double radius_m, double heading_rad)
{
    return (struct body_def){.shape = WORLD_DISC,
                             .radius_m = radius_m,
                             .pose = {x_m, y_m, heading_rad},
                             .mass_kg = 1.0,
                             .friction = 0.3};
}

/* Adds a body that starts along its heading at a speed and then slides without wheels. A stepper
 * with endless grip accelerates it in one step, then its wheels lose the floor. */
static size_t throw(struct world * world, const struct body_def *def, double speed_m_s)
{
    const struct drive_def wheels = {
        .motor = DRIVE_MOTOR_STEPPER,
        .wheel_count = 2,
        .wheels = {{.place = {0.0, 0.1}, .radius_m = 1.0}, {.place = {0.0, -0.1}, .radius_m = 1.0}},
        .grip = 1e6};
    size_t body = world_add_body(world, def);
    world_set_drive(world, body, &wheels);
    struct drive *drive = world_drive(world, body);
    drive->wheels[0].input = drive->wheels[1].input = speed_m_s;
    return body;
}

static void release(struct world *world)
{
    world_step(world, STEP_S);
    for (size_t i = 0; i < world->body_count; i++) {
        struct drive *drive = world_drive(world, i);
        if (drive)
            drive->wheels[0].is_dropped = drive->wheels[1].is_dropped = true;
    }
}

static double kinetic_energy(const struct world *world, double mass_kg, double inertia_kg_m2)
{
    double energy = 0.0;
    for (size_t i = 0; i < world->body_count; i++) {
        double turn;
        struct vec2 v = world_velocity(world, i, &turn);
        energy += 0.5 * mass_kg * (v.x * v.x + v.y * v.y) + 0.5 * inertia_kg_m2 * turn * turn;
    }
    return energy;
}

static void a_robot_that_drives_into_a_wall_stays_out_and_does_not_tremble(void **state)
{
    (void)state;
    struct world *world = make_world(1, 4);
    add_room(world, 2.0);
    struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
    drive->wheels[0].input = drive->wheels[1].input = 1.0;
    double deepest = 0.0;
    for (int i = 0; i < 10000; i++) {
        world_step(world, STEP_S);
        deepest = fmax(deepest, world_pose(world, 0).x_m + ROBOT_RADIUS_M - 2.0);
    }
    assert_true(deepest < 0.001);
    struct pose rest = world_pose(world, 0);
    assert_true(fabs(rest.x_m + ROBOT_RADIUS_M - 2.0) < 0.001);
    for (int i = 0; i < 10000; i++) {
        world_step(world, STEP_S);
        struct pose pose = world_pose(world, 0);
        assert_true(fabs(pose.x_m - rest.x_m) < 1e-5 && fabs(pose.y_m - rest.y_m) < 1e-5);
        assert_true(fabs(pose.heading_rad - rest.heading_rad) < 1e-5);
    }
    world_destroy(world);
}

static void a_robot_in_a_corner_stays_there(void **state)
{
    (void)state;
    struct world *world = make_world(1, 4);
    add_room(world, 1.0);
    struct drive *drive = add_robot(world, 0.4, 0.4, ANGLE_PI / 4.0);
    drive->wheels[0].input = drive->wheels[1].input = 1.0;
    run(world, 10.0);
    struct pose pose = world_pose(world, 0);
    assert_true(fabs(pose.x_m - (1.0 - ROBOT_RADIUS_M)) < 0.001);
    assert_true(fabs(pose.y_m - (1.0 - ROBOT_RADIUS_M)) < 0.001);
    size_t count;
    (void)world_contacts(world, &count);
    assert_int_equal(count, 2);
    world_destroy(world);
}

static void nothing_passes_a_wall_at_three_meters_a_second(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct world *world = make_world(2, 1);
        add_wall(world, 1.0, -3.0, 1.0, 3.0);
        double angle = -0.7 + i * 0.035;
        struct body_def ball = disc(0.0, 0.0, 0.02, angle);
        struct body_def crate = box(0.0, 0.5, angle, 1.0);
        size_t bodies[2] = {throw(world, &ball, 3.0), throw(world, &crate, 3.0)};
        release(world);
        for (int step = 0; step < 1500; step++) {
            world_step(world, STEP_S);
            assert_true(world_pose(world, bodies[0]).x_m < 1.0 - 0.02 + 0.002);
            assert_true(world_pose(world, bodies[1]).x_m < 1.0 - 0.15 + 0.002);
        }
        assert_true(world_pose(world, bodies[0]).x_m > 0.9);
        world_destroy(world);
    }
}

static void discs_that_meet_head_on_exchange_their_speeds(void **state)
{
    (void)state;
    struct world *world = make_world(2, 0);
    struct body_def first = disc(0.0, 0.0, 0.1, 0.0);
    struct body_def second = disc(1.0, 0.0, 0.1, ANGLE_PI);
    first.restitution = 1.0;
    (void) throw(world, &first, 3.0);
    (void) throw(world, &second, 1.0);
    release(world);
    run(world, 1.0);
    assert_true(fabs(world_velocity(world, 0, NULL).x + 1.0) < 1e-6);
    assert_true(fabs(world_velocity(world, 1, NULL).x - 3.0) < 1e-6);
    world_destroy(world);
}

static void a_bounce_loses_what_restitution_says(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, 1.0, -1.0, 1.0, 1.0);
    struct body_def ball = disc(0.0, 0.0, 0.1, 0.0);
    ball.restitution = 0.6;
    (void) throw(world, &ball, 2.0);
    release(world);
    run(world, 0.8);
    assert_true(fabs(world_velocity(world, 0, NULL).x + 1.2) < 1e-6);
    world_destroy(world);
}

static void a_sliding_body_is_stopped_by_the_floor(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct body_def crate = box(0.0, 0.0, 0.0, 2.0);
    (void) throw(world, &crate, 1.0);
    release(world);
    double start = world_pose(world, 0).x_m;
    run(world, 2.0);
    double path = 1.0 / (2.0 * 0.3 * 9.80665);
    assert_true(fabs(world_pose(world, 0).x_m - start - path) < 0.01 * path);
    struct pose rest = world_pose(world, 0);
    run(world, 2.0);
    assert_true(fabs(world_pose(world, 0).x_m - rest.x_m) < 1e-9);
    world_destroy(world);
}

static void a_robot_pushes_a_light_box_and_not_a_heavy_or_fixed_one(void **state)
{
    (void)state;
    static const double masses[] = {0.5, 20.0, 0.0};
    for (size_t i = 0; i < 3; i++) {
        struct world *world = make_world(2, 0);
        struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
        struct body_def crate = box(0.6, 0.0, 0.0, masses[i]);
        size_t body = world_add_body(world, &crate);
        drive->wheels[0].input = drive->wheels[1].input = 0.4;
        run(world, 3.0);
        struct pose after_impact = world_pose(world, body);
        run(world, 3.0);
        double gap = world_pose(world, body).x_m - 0.2 - world_pose(world, 0).x_m - ROBOT_RADIUS_M;
        assert_true(fabs(gap) < 0.001);
        if (i == 0)
            assert_true(world_pose(world, body).x_m > 1.0);
        else
            assert_true(fabs(world_pose(world, body).x_m - after_impact.x_m) < 1e-6 &&
                        fabs(after_impact.x_m - 0.6) < 0.001);
        world_destroy(world);
    }
}

static void a_box_slides_over_the_joint_of_two_walls(void **state)
{
    (void)state;
    struct world *world = make_world(1, 10);
    for (int i = 0; i < 10; i++)
        add_wall(world, i * 0.5 - 1.0, 0.0, i * 0.5 - 0.5, 0.0);
    struct body_def crate = box(0.0, 0.1545, -0.02, 1.0);
    crate.friction = crate.floor_friction = 0.0;
    (void) throw(world, &crate, 1.0);
    release(world);
    run(world, 2.0);
    assert_true(world_pose(world, 0).x_m > 1.9);
    assert_true(fabs(world_pose(world, 0).heading_rad) < 0.01);
    world_destroy(world);
}

static void a_box_is_stopped_by_the_end_of_a_wall(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, 1.0, 0.0, 3.0, 0.0);
    struct body_def crate = box(0.0, 0.05, 0.0, 1.0);
    crate.floor_friction = 0.0;
    (void) throw(world, &crate, 1.0);
    release(world);
    run(world, 0.85);
    assert_true(fabs(world_pose(world, 0).x_m - 0.8) < 0.02);
    world_destroy(world);
}

static void collisions_without_motors_add_no_energy(void **state)
{
    (void)state;
    for (int sort = 0; sort < 2; sort++) {
        struct world *world = make_world(20, 4);
        add_room(world, 1.0);
        for (int i = 0; i < 20; i++) {
            double x = -0.8 + 0.4 * (i % 5);
            double y = -0.6 + 0.4 * (i / 5);
            struct body_def body = disc(x, y, 0.1, 1.3 * i);
            if (sort == 1) {
                body = box(x, y, 1.3 * i, 1.0);
                body.length_m = body.width_m = 0.2;
                body.floor_friction = 0.0;
            }
            body.inertia_kg_m2 = 0.005;
            body.restitution = sort == 0 ? 0.8 : 0.0;
            (void) throw(world, &body, 2.0);
        }
        release(world);
        double lowest = kinetic_energy(world, 1.0, 0.005);
        assert_true(lowest > 20.0);
        for (int step = 0; step < 20000; step++) {
            world_step(world, STEP_S);
            double after = kinetic_energy(world, 1.0, 0.005);
            assert_true(after <= lowest * (1.0 + 1e-3) + 1e-9);
            lowest = fmin(lowest, after);
        }
        world_destroy(world);
    }
}

/* Friction at a wall makes the body turn; the turn depends on its inertia. */
static double turn_at_a_wall(const struct body_def *def)
{
    struct world *world = make_world(1, 1);
    add_wall(world, 0.5, -2.0, 0.5, 2.0);
    size_t body = throw(world, def, 2.0);
    release(world);
    run(world, 0.5);
    double turn_rad_s;
    (void)world_velocity(world, body, &turn_rad_s);
    world_destroy(world);
    return turn_rad_s;
}

static void a_body_without_an_inertia_has_that_of_its_shape(void **state)
{
    (void)state;
    struct body_def bodies[] = {disc(0, 0, 0.1, 0.7), box(0, 0, 0.7, 1.0)};
    const double inertias_kg_m2[] = {1.0 * 0.1 * 0.1 / 2, (0.4 * 0.4 + 0.3 * 0.3) / 12};
    for (size_t i = 0; i < 2; i++) {
        bodies[i].floor_friction = 0.0;
        double of_shape_rad_s = turn_at_a_wall(&bodies[i]);
        bodies[i].inertia_kg_m2 = inertias_kg_m2[i];
        assert_true(fabs(of_shape_rad_s) > 0.5);
        assert_true(fabs(turn_at_a_wall(&bodies[i]) - of_shape_rad_s) < 1e-9);
    }
}

static void bodies_that_are_put_into_each_other_part_gently(void **state)
{
    (void)state;
    struct world *world = make_world(2, 1);
    add_wall(world, -0.1, -1.0, -0.1, 1.0);
    (void)add_robot(world, 0.0, 0.0, 0.0);
    (void)add_robot(world, 0.1, 0.05, 0.0);
    run(world, 3.0);
    struct pose a = world_pose(world, 0);
    struct pose b = world_pose(world, 1);
    assert_true(hypot(a.x_m - b.x_m, a.y_m - b.y_m) > 2.0 * ROBOT_RADIUS_M - 0.001);
    assert_true(a.x_m > -0.1 + ROBOT_RADIUS_M - 0.001 && b.x_m < 0.6);
    assert_true(fabs(world_velocity(world, 1, NULL).x) < 1e-6);
    world_destroy(world);
}

static void contacts_report_place_normal_and_other(void **state)
{
    (void)state;
    struct world *world = make_world(3, 1);
    add_wall(world, 1.0, -1.0, 1.0, 1.0);
    struct drive *drive = add_robot(world, 0.5, 0.0, 0.0);
    (void)add_robot(world, 0.5 - 2.0 * ROBOT_RADIUS_M - 0.01, 0.0, 0.0);
    (void)add_robot(world, -3.0, 0.0, 0.0);
    drive->wheels[0].input = drive->wheels[1].input = 0.3;
    drive = world_drive(world, 1);
    drive->wheels[0].input = drive->wheels[1].input = 0.4;
    run(world, 5.0);
    size_t count;
    const struct world_contact *contacts = world_contacts(world, &count);
    assert_int_equal(count, 2);
    assert_true(contacts[0].body == 0 && contacts[0].other == WORLD_WALL);
    assert_true(contacts[0].normal.x < -0.999 && fabs(contacts[0].point.x - 1.0) < 1e-3);
    assert_true(contacts[1].body == 0 && contacts[1].other == 1);
    assert_true(contacts[1].normal.x > 0.999 && contacts[1].impulse_ns > 0.0);
    world_destroy(world);
}

static void a_body_is_where_it_was_placed_and_at_rest(void **state)
{
    (void)state;
    struct world *world = make_world(2, 0);
    struct drive *drive = add_robot(world, 0.0, 0.0, 0.0);
    (void)add_robot(world, 1.0, 0.0, 0.0);
    drive->wheels[0].input = drive->wheels[1].input = 0.5;
    run(world, 1.0);
    drive->wheels[0].input = drive->wheels[1].input = 0.0;
    world_place(world, 0, (struct pose){3.0, 2.0, 7.5});
    run(world, 1.0);
    struct pose pose = world_pose(world, 0);
    assert_true(pose.x_m == 3.0 && pose.y_m == 2.0 && pose.heading_rad == 7.5);

    /* While it is lifted over another body, it touches nothing. */
    world_lift(world, 0, true);
    world_place(world, 0, (struct pose){1.0, 0.0, 0.0});
    run(world, 1.0);
    assert_true(world_is_lifted(world, 0) && world_pose(world, 1).x_m == 1.0);
    size_t count;
    (void)world_contacts(world, &count);
    assert_int_equal(count, 0);
    world_destroy(world);
}

static size_t memory_in_use(void)
{
    struct mallinfo2 all = mallinfo2(); /* of a sanitizer, which finds leaks itself: 0 */
    return all.uordblks + all.hblkhd;
}

static void a_thousand_worlds_after_each_other_need_the_memory_of_one(void **state)
{
    (void)state;
    size_t before = 0;
    for (int i = 0; i < 1000; i++) {
        struct world *world = make_world(50, 7);
        add_room(world, 1.0);
        (void)add_robot(world, 0.0, 0.0, 0.0);
        run(world, 0.01);
        world_destroy(world);
        if (i == 0)
            before = memory_in_use();
    }
    /* The C library counts some pieces that were freed. */
    print_message("%zu bytes, then %zu\n", before, memory_in_use());
    assert_true(memory_in_use() < before + 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_that_drives_into_a_wall_stays_out_and_does_not_tremble),
        cmocka_unit_test(a_robot_in_a_corner_stays_there),
        cmocka_unit_test(a_body_without_an_inertia_has_that_of_its_shape),
        cmocka_unit_test(nothing_passes_a_wall_at_three_meters_a_second),
        cmocka_unit_test(discs_that_meet_head_on_exchange_their_speeds),
        cmocka_unit_test(a_bounce_loses_what_restitution_says),
        cmocka_unit_test(a_sliding_body_is_stopped_by_the_floor),
        cmocka_unit_test(a_robot_pushes_a_light_box_and_not_a_heavy_or_fixed_one),
        cmocka_unit_test(a_box_slides_over_the_joint_of_two_walls),
        cmocka_unit_test(a_box_is_stopped_by_the_end_of_a_wall),
        cmocka_unit_test(collisions_without_motors_add_no_energy),
        cmocka_unit_test(bodies_that_are_put_into_each_other_part_gently),
        cmocka_unit_test(contacts_report_place_normal_and_other),
        cmocka_unit_test(a_thousand_worlds_after_each_other_need_the_memory_of_one),
        cmocka_unit_test(a_body_is_where_it_was_placed_and_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
