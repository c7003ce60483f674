/* Worlds that change while they run: walls added and moved, bodies placed and lifted, steps of a
 * different length. And the surfaces of bodies and walls. */
#include <math.h>

#include "base/angle.h"
#include "base/array.h"
#include "physics/world_state.h"
#include "tests/unit/physics_fixture.h"

static const struct wall_def no_wall = {.a = {9, 9}, .b = {9, 9}};

/* A disc on ice. */
static size_t add_puck(struct world *world, struct pose pose, double speed_m_s)
{
    const struct body_def def = {.radius_m = 0.1, .pose = pose, .mass_kg = 1.0};
    size_t puck = world_add_body(world, &def);
    world->bodies[puck].velocity = vec2_scale(speed_m_s, world_forward(world, puck));
    return puck;
}

static struct drive *add_plain_robot(struct world *world, enum drive_motor motor, struct pose pose)
{
    struct body_def body = robot_body(pose.x_m, pose.y_m, pose.heading_rad);
    struct drive_def def = robot_drive();
    body.mass_center = (struct vec2){0};
    def.motor = motor;
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &def);
    return world_drive(world, robot);
}

/* ---- Walls ---- */

/* A wall appears close to a puck on its way, whose neighbors were found before. */
static void a_wall_that_is_added_or_moved_is_seen_and_met_at_once(void **state)
{
    (void)state;
    for (int is_moved = 0; is_moved < 2; is_moved++) {
        struct world *world = make_world(1, 2);
        (void)world_add_wall(world, &no_wall);
        (void)add_puck(world, (struct pose){0}, 0.5);
        run(world, 0.01);
        const struct wall_def wall = {.a = {0.108, -1}, .b = {0.108, 1}, .height_m = 1};
        if (is_moved)
            world_replace_wall(world, 0, &wall);
        else
            (void)world_add_wall(world, &wall);
        struct world_hit hit = world_ray(world, (struct vec2){-1, 0.5}, 0.0, 5.0, SIZE_MAX);
        assert_true(hit.is_hit && fabs(hit.distance_m - 1.108) < 1e-12);
        for (int i = 0; i < 100; i++) {
            world_step(world, STEP_S);
            assert_true(world_pose(world, 0).x_m < 0.0081);
        }
        assert_true(fabs(world_velocity(world, 0, NULL).x) < 1e-9);
        if (is_moved)
            world_replace_wall(world, 0, &no_wall);
        assert_true(!is_moved || !world_ray(world, (struct vec2){-1, 0.5}, 0, 5, SIZE_MAX).is_hit);
        world_destroy(world);
    }
}

/* A robot leans on a wall, which jumps behind it. In the second world another wall appears there.
 */
static void a_moved_wall_acts_as_one_that_was_always_there(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct world *worlds[2];
        for (size_t i = 0; i < 2; i++) {
            struct world *world = worlds[i] = make_world(2, 2);
            const struct wall_def before = {.a = {1, -2}, .b = {1, 2}, .friction = 0.3};
            (void)world_add_wall(world, &before);
            (void)world_add_wall(world, &no_wall);
            enum drive_motor motor = kind % 2 ? DRIVE_MOTOR_STEPPER : DRIVE_MOTOR_DC;
            struct drive *drive = add_plain_robot(world, motor, (struct pose){0.8, 0, 0.3});
            drive->wheels[0].input = kind % 2 ? 10 : 0.5;
            drive->wheels[1].input = kind % 2 ? 6 : 0.3;
            const struct body_def crate = box(0.8 - ROBOT_RADIUS_M - 0.2, 0, 0, 3.0);
            if (kind / 2)
                (void)world_add_body(world, &crate);
            run(world, 0.5);
            struct pose pose = world_pose(world, 0);
            double behind_m = pose.x_m - ROBOT_RADIUS_M;
            const struct wall_def after = {.a = {behind_m - 0.1, pose.y_m - 2},
                                           .b = {behind_m + 0.1, pose.y_m + 2},
                                           .friction = 0.3};
            world_replace_wall(world, 0, i == 0 ? &after : &no_wall);
            if (i == 1)
                world_replace_wall(world, 1, &after);
        }
        for (int step = 0; step < 5; step++) {
            world_step(worlds[0], STEP_S);
            world_step(worlds[1], STEP_S);
            assert_true(world_hash(worlds[0], HASH_START) == world_hash(worlds[1], HASH_START));
        }
        world_destroy(worlds[0]);
        world_destroy(worlds[1]);
    }
}

static void a_wall_without_a_length_is_a_post(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        struct world *world = make_world(1, 1);
        double heading = i * ANGLE_PI / 6.0;
        add_wall(world, 0.5, 0.5, 0.5, 0.5);
        size_t puck = add_puck(
            world, (struct pose){0.5 - 0.3 * cos(heading), 0.5 - 0.3 * sin(heading), heading}, 1);
        for (int step = 0; step < 300; step++) {
            world_step(world, STEP_S);
            struct pose pose = world_pose(world, puck);
            assert_true(hypot(pose.x_m - 0.5, pose.y_m - 0.5) > 0.1 - 1e-6);
        }
        struct pose pose = world_pose(world, puck);
        assert_true(hypot(pose.x_m - 0.5, pose.y_m - 0.5) < 0.1 + 1e-4);
        world_destroy(world);
    }
}

/* ---- Surfaces ---- */

static void a_body_without_restitution_stops_at_what_it_hits(void **state)
{
    (void)state;
    static const double speeds_m_s[] = {0.3, 1.0, 2.2, 3.0};
    for (size_t i = 0; i < COUNT(speeds_m_s); i++) {
        struct world *world = make_world(1, 1);
        add_wall(world, 0.6, -1, 0.6, 1);
        (void)add_puck(world, (struct pose){0}, speeds_m_s[i]);
        run(world, 0.6 / speeds_m_s[i]);
        assert_true(fabs(world_pose(world, 0).x_m - 0.5) < 1e-5);
        assert_true(fabs(world_velocity(world, 0, NULL).x) < 1e-9);
        world_destroy(world);
    }
}

/* A puck glides into a wall at a slant. Friction is proportional to the speed that the wall stops.
 */
static void friction_is_the_geometric_mean_of_both_surfaces(void **state)
{
    (void)state;
    static const double frictions[][2] = {{0.1, 0.4}, {0.4, 0.1}, {0.2, 0.2}, {0.0, 0.9}, {0.9, 0}};
    for (size_t i = 0; i < COUNT(frictions); i++) {
        struct world *world = make_world(1, 1);
        const struct wall_def wall = {.a = {0.5, -9}, .b = {0.5, 9}, .friction = frictions[i][1]};
        (void)world_add_wall(world, &wall);
        struct body_def def = {.radius_m = 0.1, .mass_kg = 2.0, .friction = frictions[i][0]};
        size_t puck = world_add_body(world, &def);
        world->bodies[puck].velocity = (struct vec2){0.5, 2.0};
        run(world, 1.0);
        double lost = sqrt(frictions[i][0] * frictions[i][1]) * 0.5;
        assert_true(fabs(world_velocity(world, puck, NULL).y - (2.0 - lost)) < 1e-6);
        world_destroy(world);
    }
}

/* The order of adding the two bodies does not matter. */
static void a_fixed_body_stops_bodies_of_every_mass(void **state)
{
    (void)state;
    static const double masses_kg[] = {0.01, 0.5, 1.0, 2.0, 100.0};
    for (size_t i = 0; i < 2 * COUNT(masses_kg); i++) {
        struct world *world = make_world(2, 0);
        struct body_def puck = {.radius_m = 0.1, .mass_kg = masses_kg[i / 2]};
        struct body_def post = {.radius_m = 0.1, .pose = {0.5, 0, 0}};
        if (i % 2)
            (void)world_add_body(world, &post);
        size_t index = world_add_body(world, &puck);
        if (i % 2 == 0)
            (void)world_add_body(world, &post);
        world->bodies[index].velocity.x = 1.0;
        run(world, 1.0);
        assert_true(fabs(world_pose(world, index).x_m - 0.3) < 1e-5);
        world_destroy(world);
    }
}

/* By a millimeter, fast: in some step the crate's margin reaches beyond both near sides. */
static void a_crate_that_passes_another_is_not_stopped(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct world *world = make_world(2, 0);
        double side = i % 2 ? 1.0 : -1.0, forth = i / 2 % 2 ? 1.0 : -1.0;
        const struct body_def post = box(0, 0, 0, 0);
        struct body_def crate = box(forth * (-0.6 + 0.001 * (i / 4)), side * 0.301, 0, 1.0);
        crate.floor_friction = 0;
        (void)world_add_body(world, &post);
        size_t index = world_add_body(world, &crate);
        world->bodies[index].velocity.x = forth * 3.0;
        run(world, 0.4);
        struct vec2 velocity = world_velocity(world, index, NULL);
        assert_true(fabs(velocity.x - forth * 3.0) < 1e-12 && velocity.y == 0.0);
        world_destroy(world);
    }
}

/* ---- Bodies that are placed and lifted ---- */

/* A robot pushes a disc or a crate against another crate, and that crate against a wall. Then they
 * are placed on the other side of the wall and touch again. */
static void a_body_that_is_placed_stays_at_rest_whatever_pressed_on_it(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct world *world = make_world(3, 1);
        add_wall(world, 1, -2, 1, 2);
        struct drive *pusher = add_robot(world, 0.0, 0.0, 0.0);
        struct body_def first = box(0.6, 0.03, 0, 1.0), second = box(0.8, 0, 0, 2.0);
        first.length_m = kind == 1 ? 0.1 : 0.2;
        if (kind == 2)
            first = (struct body_def){
                .radius_m = 0.1, .pose = {0.6, 0.03, 0}, .mass_kg = 1, .floor_friction = 0.3};
        second.length_m = 0.2;
        size_t crate = world_add_body(world, &first), other = world_add_body(world, &second);
        pusher->wheels[0].input = pusher->wheels[1].input = 0.5;
        run(world, 3.0);
        world_place(world, 0, (struct pose){-3, 0, 0});
        pusher->wheels[0].input = pusher->wheels[1].input = 0.0;
        world_place(world, other, (struct pose){1.1, 0.5, 0});
        world_place(world, crate, (struct pose){1.2 + (kind == 1 ? 0.05 : 0.1), 0.5, 0});
        world_step(world, STEP_S);
        for (size_t i = 0; i < 3; i++) {
            double turn;
            struct vec2 velocity = world_velocity(world, i, &turn);
            assert_true(velocity.x == 0.0 && velocity.y == 0.0 && turn == 0.0);
        }
        world_destroy(world);
    }
}

/* Pressed on a wall, scrubbing in a turn, or gliding on ice. */
static void a_robot_that_is_placed_stays_at_rest_whatever_its_wheels_did(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        struct world *world = make_world(1, 1);
        add_wall(world, 1, -2, 1, 2);
        struct body_def body = robot_body(0.8, 0, 0);
        struct drive_def def = robot_drive();
        body.mass_center = (struct vec2){0};
        def.motor = kind % 2 ? DRIVE_MOTOR_STEPPER : DRIVE_MOTOR_DC;
        double full = kind % 2 ? 10.0 : 0.5, left = full;
        if (kind / 2 >= 2) { /* four wheels that scrub, or ice */
            def.wheel_count = 4;
            body.pose.x_m = -2;
            for (size_t i = 0; i < 4; i++)
                def.wheels[i] = (struct wheel_def){
                    .place = {i % 2 ? 0.1 : -0.1, i < 2 ? 0.1 : -0.1}, .radius_m = 0.035};
        }
        if (kind / 2 == 1 || kind / 2 == 2)
            left = -0.5 * full;
        def.grip = kind / 2 == 3 ? 0.0 : 0.8;
        size_t robot = world_add_body(world, &body);
        world_set_drive(world, robot, &def);
        struct drive *drive = world_drive(world, robot);
        for (size_t i = 0; i < def.wheel_count; i++)
            drive->wheels[i].input = i < def.wheel_count / 2 ? left : full;
        if (kind / 2 == 3) {
            world->bodies[robot].velocity.x = -1;
            for (size_t i = 0; i < def.wheel_count; i++)
                drive->wheels[i].input = 0;
        }
        run(world, 1.5);
        assert_true(kind / 2 != 3 || fabs(world_velocity(world, robot, NULL).x + 1) < 1e-12);
        for (size_t i = 0; i < def.wheel_count; i++)
            drive->wheels[i].input = 0;
        const struct pose place = {5, 5, 0.5};
        world_place(world, robot, place);
        run(world, 0.01);
        struct pose pose = world_pose(world, robot);
        if (pose.x_m != 5 || pose.y_m != 5 || pose.heading_rad != 0.5)
            fail_msg("kind %d: it moves to %.17g, %.17g", kind, pose.x_m, pose.y_m);
        world_destroy(world);
    }
}

/* After each of some steps of a start with spinning wheels, whose grip is all used. */
static void a_robot_that_is_placed_during_a_full_start_stays_at_rest(void **state)
{
    (void)state;
    for (int steps = 1; steps < 40; steps++) {
        struct world *world = make_world(1, 0);
        struct drive *drive = add_plain_robot(world, DRIVE_MOTOR_DC, (struct pose){0});
        drive->wheels[0].input = drive->wheels[1].input = 1.0;
        for (int i = 0; i < steps; i++)
            world_step(world, STEP_S);
        drive->wheels[0].input = drive->wheels[1].input = 0.0;
        world_place(world, 0, (struct pose){5, 5, 0.5});
        world_step(world, STEP_S);
        struct pose pose = world_pose(world, 0);
        assert_true(pose.x_m == 5 && pose.y_m == 5 && pose.heading_rad == 0.5);
        assert_true(drive->wheels[0].rad_s == 0.0 && drive->wheels[1].rad_s == 0.0);
        world_destroy(world);
    }
}

static void a_lifted_crate_has_no_speed_and_slides_again_when_it_is_back(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    const struct body_def crate = box(0, 0, 0.3, 2.0);
    (void)world_add_body(world, &crate);
    world->bodies[0].velocity.x = 1.0;
    world->bodies[0].turn_rad_s = 1.0;
    run(world, 0.05);
    world_lift(world, 0, true);
    struct pose held = world_pose(world, 0);
    for (int i = 0; i < 100; i++) {
        double turn;
        world_step(world, STEP_S);
        struct vec2 velocity = world_velocity(world, 0, &turn);
        struct pose pose = world_pose(world, 0);
        assert_true(velocity.x == 0.0 && velocity.y == 0.0 && turn == 0.0);
        assert_true(pose.x_m == held.x_m && pose.heading_rad == held.heading_rad);
    }
    world_lift(world, 0, false);
    world->bodies[0].velocity.x = 1.0;
    run(world, 2.0);
    double path_m = 1.0 / (2.0 * 0.3 * 9.80665);
    assert_true(fabs(world_pose(world, 0).x_m - held.x_m - path_m) < 0.01 * path_m);
    world_destroy(world);
}

/* Friction's moment is its force on a lever of 0.27 of the diagonal. */
static void a_crate_that_spins_on_its_place_is_stopped_by_the_floor(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct body_def crate = box(0, 0, 0.3, 2.0);
    crate.width_m = crate.length_m;
    (void)world_add_body(world, &crate);
    world->bodies[0].turn_rad_s = 2.0;
    run(world, 1.0);
    double lever_m = 0.27 * sqrt(2.0) * 0.4, inertia_kg_m2 = 2.0 * 0.4 * 0.4 / 6.0;
    double slowing = 0.3 * 2.0 * 9.80665 * lever_m / inertia_kg_m2, angle = 2.0 / slowing;
    struct pose pose = world_pose(world, 0);
    assert_true(pose.x_m == 0.0 && pose.y_m == 0.0);
    assert_true(fabs(pose.heading_rad - 0.3 - angle) < 0.01 * angle);
    world_destroy(world);
}

/* ---- Shapes off the origin, and free places ---- */

static void a_body_off_its_origin_is_where_its_offset_says_while_it_moves(void **state)
{
    (void)state;
    static const struct vec2 zero = {0, 0}, some = {0.05, -0.12};
    for (int i = 0; i < 4; i++) {
        struct world *world = make_world(1, 0);
        struct body_def puck = {.radius_m = 0.1, .pose = {0, 0, 0.4}, .mass_kg = 1.0};
        puck.offset = i % 2 ? some : zero;
        puck.mass_center = i / 2 ? some : zero;
        (void)world_add_body(world, &puck);
        world->bodies[0].velocity = (struct vec2){0.5, 0.25};
        world->bodies[0].turn_rad_s = 2.0;
        for (int step = 0; step < 100; step++) {
            struct pose pose = world_pose(world, 0);
            struct vec2 middle = geom_to_world(pose, puck.offset);
            struct vec2 mass = geom_to_world(pose, puck.mass_center);
            struct world_hit hit =
                world_ray(world, (struct vec2){-2, middle.y}, 0.0, 9.0, SIZE_MAX);
            assert_true(fabs(hit.distance_m - (middle.x - 0.1 + 2)) < 1e-12);
            struct vec2 start = geom_to_world((struct pose){0, 0, 0.4}, puck.mass_center);
            double time_s = step * STEP_S; /* the center of mass goes straight */
            assert_true(fabs(mass.x - start.x - 0.5 * time_s) < 1e-12);
            assert_true(fabs(mass.y - start.y - 0.25 * time_s) < 1e-12);
            world_step(world, STEP_S);
        }
        world_destroy(world);
    }
}

static void a_place_is_taken_where_the_shape_would_be_and_not_where_it_just_touches(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, 2, -1, 2, 1);
    const struct body_def post = {.shape = WORLD_BOX, .length_m = 0.5, .width_m = 0.5};
    (void)world_add_body(world, &post);
    struct body_def def = post;
    for (int quarter = 0; quarter < 4; quarter++) { /* the shape is to the left of the origin */
        struct vec2 turned = geom_rotate(quarter * ANGLE_PI / 2.0, (struct vec2){0, 4});
        def.offset = (struct vec2){0, 4};
        def.pose = (struct pose){-turned.x, -turned.y, quarter * ANGLE_PI / 2.0};
        assert_true(world_overlaps(world, &def, SIZE_MAX, 0.0));
        assert_true(world_overlaps_body(world, &def, 0, NULL, 0.0));
        def.pose.x_m += 0.55;
        assert_false(world_overlaps(world, &def, SIZE_MAX, 0.0));
        def.pose.x_m -= 0.1;
        assert_true(world_overlaps(world, &def, SIZE_MAX, 0.0));
        assert_false(world_overlaps(world, &def, SIZE_MAX, 0.06));
    }
    def = post;
    def.pose = (struct pose){0.5, 0, 0};
    assert_false(world_overlaps(world, &def, SIZE_MAX, 0.0));
    assert_false(world_overlaps_body(world, &def, 0, NULL, 0.0));
    def.pose.x_m = 1.75;
    assert_false(world_overlaps_wall(world, &def, 0.0));
    def.pose.x_m = 1.7500001;
    assert_true(world_overlaps_wall(world, &def, 0.0));
    world_destroy(world);
}

/* ---- Steps ---- */

static void nothing_passes_a_wall_when_steps_become_longer(void **state)
{
    (void)state;
    for (int before = 1; before < 20; before++) {
        struct world *world = make_world(1, 1);
        add_wall(world, 0.25, -1, 0.25, 1);
        (void)add_puck(world, (struct pose){0}, 3.0);
        run(world, 0.001 * before);
        for (int i = 0; i < 20; i++) {
            world_step(world, 0.1);
            assert_true(world_pose(world, 0).x_m < 0.1501);
        }
        world_destroy(world);
    }
}

static void a_world_that_was_not_made_can_be_destroyed(void **state)
{
    (void)state;
    world_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_that_is_added_or_moved_is_seen_and_met_at_once),
        cmocka_unit_test(a_moved_wall_acts_as_one_that_was_always_there),
        cmocka_unit_test(a_wall_without_a_length_is_a_post),
        cmocka_unit_test(a_body_without_restitution_stops_at_what_it_hits),
        cmocka_unit_test(friction_is_the_geometric_mean_of_both_surfaces),
        cmocka_unit_test(a_fixed_body_stops_bodies_of_every_mass),
        cmocka_unit_test(a_crate_that_passes_another_is_not_stopped),
        cmocka_unit_test(a_body_that_is_placed_stays_at_rest_whatever_pressed_on_it),
        cmocka_unit_test(a_robot_that_is_placed_stays_at_rest_whatever_its_wheels_did),
        cmocka_unit_test(a_robot_that_is_placed_during_a_full_start_stays_at_rest),
        cmocka_unit_test(a_lifted_crate_has_no_speed_and_slides_again_when_it_is_back),
        cmocka_unit_test(a_crate_that_spins_on_its_place_is_stopped_by_the_floor),
        cmocka_unit_test(a_body_off_its_origin_is_where_its_offset_says_while_it_moves),
        cmocka_unit_test(a_place_is_taken_where_the_shape_would_be_and_not_where_it_just_touches),
        cmocka_unit_test(nothing_passes_a_wall_when_steps_become_longer),
        cmocka_unit_test(a_world_that_was_not_made_can_be_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
