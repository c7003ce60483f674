/* Steppers on one axle. Their motion is exact if the floor can give the force, otherwise the grip
 * of each wheel limits it, alone and in contact. And machines whose inputs change while they coast.
 */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "physics/world_state.h"
#include "tests/unit/physics_fixture.h"

#define GRAVITY_M_S2 9.80665

static size_t add_machine(struct world *world, const struct drive_def *def, struct pose pose)
{
    struct body_def body = robot_body(pose.x_m, pose.y_m, pose.heading_rad);
    body.mass_center = (struct vec2){0};
    size_t index = world_add_body(world, &body);
    world_set_drive(world, index, def);
    return index;
}

static size_t add_stepper(struct world *world, struct pose pose)
{
    struct drive_def def = robot_drive();
    def.motor = DRIVE_MOTOR_STEPPER;
    return add_machine(world, &def, pose);
}

static void drive_at(struct world *world, size_t index, double left_rad_s, double right_rad_s)
{
    world_drive(world, index)->wheels[0].input = left_rad_s;
    world_drive(world, index)->wheels[1].input = right_rad_s;
}

static double speed_of(const struct world *world, size_t index)
{
    struct vec2 velocity = world_velocity(world, index, NULL);
    return sqrt(vec2_dot(velocity, velocity));
}

/* ---- What the floor gives in a step ---- */

/* A machine with its wheels at AXLE, LEFT and -RIGHT; its center of mass may be anywhere. */
struct machine {
    double axle, left, right, left_radius, right_radius;
    struct vec2 mass_center;
    double mass_kg, inertia_kg_m2, left_slip, right_slip;
};

static size_t add_pair(struct world *world, const struct machine *self)
{
    const struct body_def body = {.radius_m = 0.3,
                                  .mass_center = self->mass_center,
                                  .mass_kg = self->mass_kg,
                                  .inertia_kg_m2 = self->inertia_kg_m2};
    const struct drive_def def = {
        .motor = DRIVE_MOTOR_STEPPER,
        .wheel_count = 2,
        .wheels = {{.place = {self->axle, self->left}, .radius_m = self->left_radius},
                   {.place = {self->axle, -self->right}, .radius_m = self->right_radius}},
        .grip = 0.8};
    size_t index = world_add_body(world, &body);
    world_set_drive(world, index, &def);
    world_set_slip(world, index, 0, self->left_slip);
    world_set_slip(world, index, 1, self->right_slip);
    return index;
}

/* Impulses of the floor: along at each wheel, and across at both. */
struct impulses {
    double left, right, across;
};

/* Those that change the velocity of the center of mass, in the machine's frame, by this much. */
static struct impulses impulses_for(const struct machine *self, const struct local *change)
{
    double along = self->mass_kg * change->x, moment = self->inertia_kg_m2 * change->turn_rad_s;
    struct impulses all = {.across = self->mass_kg * change->y};
    /* The same, about the place of the right wheel. */
    moment -= (self->axle - self->mass_center.x) * all.across;
    moment -= (self->right + self->mass_center.y) * along;
    all.left = -moment / (self->left + self->right);
    all.right = along - all.left;
    return all;
}

/* The impulse across that the wheels can bear in addition to their impulses along. */
static double spare_across(const struct machine *self, const struct impulses *all, bool is_halved)
{
    double most = 0.8 * self->mass_kg * GRAVITY_M_S2 * STEP_S / 2.0 * (1.0 + 1e-9);
    double left = most * (1.0 - self->left_slip), right = most * (1.0 - self->right_slip);
    double left_square = left * left - all->left * all->left;
    double right_square = right * right - all->right * all->right;
    if (left_square < 0.0 || right_square < 0.0)
        return -1.0;
    return is_halved ? 2.0 * sqrt(fmin(left_square, right_square))
                     : sqrt(left_square) + sqrt(right_square);
}

/* The velocity of the center of mass that follows from the speeds of the wheels. */
static struct local wanted_velocity(const struct machine *self, double left_rad_s,
                                    double right_rad_s)
{
    double left = self->left_radius * left_rad_s, right = self->right_radius * right_rad_s;
    double turn = (right - left) / (self->left + self->right);
    return (struct local){left + turn * (self->left - self->mass_center.y),
                          turn * (self->mass_center.x - self->axle), turn};
}

/* Makes one step. Returns whether its velocity is known exactly. */
static bool check_step(struct world *world, const struct machine *self)
{
    struct body *body = &world->bodies[0];
    const struct drive *drive = world_drive(world, 0);
    struct vec2 axis = body->shape.axis;
    struct local before = body_local(body);
    world_step(world, STEP_S);
    struct local after = {vec2_dot(axis, body->velocity), vec2_cross(axis, body->velocity),
                          body->turn_rad_s};
    struct local wanted = wanted_velocity(self, drive->wheels[0].input, drive->wheels[1].input);
    struct local given = {after.x - before.x, after.y - before.y,
                          after.turn_rad_s - before.turn_rad_s};
    struct local needed = {wanted.x - before.x, wanted.y - before.y,
                           wanted.turn_rad_s - before.turn_rad_s};
    struct impulses gave = impulses_for(self, &given), need = impulses_for(self, &needed);
    double least = 1e-9 * self->mass_kg; /* rounding */
    assert_true(fabs(gave.across) <= spare_across(self, &gave, false) + least);
    assert_true(drive->wheels[0].rad_s == drive->wheels[0].input);
    if (fabs(need.across) > spare_across(self, &need, true))
        return false;
    assert_true(fabs(after.x - wanted.x) < 1e-12 && fabs(after.y - wanted.y) < 1e-12);
    assert_true(fabs(after.turn_rad_s - wanted.turn_rad_s) < 1e-11);
    return true;
}

static const struct machine machines[] = {
    {0.0, 0.115, 0.115, 0.035, 0.035, {0.0, 0.0}, 2.4, 0.037, 0.0, 0.0},
    {0.02, 0.11, 0.12, 0.035, 0.035, {0.01, 0.0}, 2.4, 0.037, 0.0, 0.3},
    {0.0, 0.1, 0.1, 0.03, 0.04, {0.1, 0.03}, 1.0, 0.001, 0.0, 0.0},
    {-0.05, 0.15, 0.1, 0.05, 0.02, {-0.1, 0.0}, 10.0, 0.05, 0.5, 0.0},
    {0.1, 0.1, 0.1, 0.035, 0.035, {0.0, 0.0}, 0.3, 1e-5, 0.0, 0.0},
};

/* Most steps change the speeds a little; in some a wheel stops, or the two speeds swap. */
static void a_pair_has_the_velocity_of_its_wheels_unless_the_grip_is_too_small(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        struct world *world = make_world(1, 0);
        (void)add_pair(world, &machines[i]);
        uint64_t sequence = i;
        double left = 0.0, right = 0.0;
        int exact = 0;
        for (int step = 0; step < 4000; step++) {
            double size = step % 40 == 0 ? 2.0 : step % 7 == 0 ? 0.1 : 0.02;
            left += size * (2.0 * next_number(&sequence) - 1.0) - 0.02 * left;
            right += size * (2.0 * next_number(&sequence) - 1.0) - 0.02 * right;
            double swap = left;
            if (step % 100 == 50) {
                left = right;
                right = swap;
            }
            if (step % 100 == 90)
                *(step % 200 == 90 ? &left : &right) = 0.0;
            drive_at(world, 0, left, right);
            exact += check_step(world, &machines[i]);
        }
        print_message("machine %zu: %d steps are exact\n", i, exact);
        assert_true(exact > 400 && exact < 3990);
        world_destroy(world);
    }
}

/* ---- Wheels that are free or dropped ---- */

/* The pose of a machine after a while. One wheel is free or dropped; OBSTACLE is 1 for a wall that
 * it touches, 2 for another robot. */
static struct pose run_on_one_wheel(size_t wheel, bool is_dropped, size_t obstacle, double input)
{
    struct world *world = make_world(2, 1);
    if (obstacle == 1)
        add_wall(world, 0.2, -2, 0.15, 2);
    size_t robot = add_stepper(world, (struct pose){0});
    if (obstacle == 2)
        drive_at(world, add_stepper(world, (struct pose){0.36, 0.05, 3.0}), 2, 2);
    struct drive *drive = world_drive(world, robot);
    drive_at(world, robot, 3, 3);
    run(world, 0.1);
    drive->wheels[wheel].is_free = !is_dropped;
    drive->wheels[wheel].is_dropped = is_dropped;
    drive->wheels[wheel].input = input;
    run(world, 0.3);
    struct pose pose = world_pose(world, robot);
    world_destroy(world);
    return pose;
}

static void the_input_of_a_wheel_that_is_free_or_dropped_moves_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        struct pose slow = run_on_one_wheel(i % 2, i / 2 % 2, i / 4, 0.0);
        struct pose fast = run_on_one_wheel(i % 2, i / 2 % 2, i / 4, 20.0);
        assert_true(slow.x_m == fast.x_m && slow.y_m == fast.y_m);
        assert_true(slow.heading_rad == fast.heading_rad);
    }
}

/* The machine moves, in any direction and turn; the friction of the gears brakes it gently. */
static void coils_that_are_switched_off_give_no_push(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct world *world = make_world(1, 0);
        size_t robot = add_stepper(world, (struct pose){0, 0, i});
        drive_at(world, robot, i % 2 ? 5 : -4, i % 3 ? 5 : 3);
        run(world, 1.0);
        double turn, turn_after;
        struct vec2 before = world_velocity(world, robot, &turn);
        struct drive *drive = world_drive(world, robot);
        drive->wheels[0].is_free = drive->wheels[1].is_free = true;
        world_step(world, STEP_S);
        struct vec2 change = vec2_sub(world_velocity(world, robot, &turn_after), before);
        assert_true(sqrt(vec2_dot(change, change)) < 0.8 * GRAVITY_M_S2 * STEP_S);
        assert_true(fabs(turn_after - turn) < 0.05 && fabs(turn_after) < fabs(turn) + 1e-3);
        world_destroy(world);
    }
}

/* ---- In contact ---- */

/* The wall bears what the two wheels can push. */
static void a_wall_bears_the_grip_of_both_wheels(void **state)
{
    (void)state;
    static const double slips[][2] = {{0, 0}, {0.5, 0}, {0, 0.5}, {0.75, 0.75}};
    for (size_t i = 0; i < COUNT(slips); i++) {
        struct world *world = make_world(1, 1);
        add_wall(world, ROBOT_RADIUS_M, -1, ROBOT_RADIUS_M, 1);
        size_t robot = add_stepper(world, (struct pose){0});
        world_set_slip(world, robot, 0, slips[i][0]);
        world_set_slip(world, robot, 1, slips[i][1]);
        drive_at(world, robot, 20, 20);
        run(world, 0.005);
        size_t count;
        const struct world_contact *contacts = world_contacts(world, &count);
        assert_int_equal(count, 1);
        double push_n = 0.8 * 2.4 * GRAVITY_M_S2 * (2.0 - slips[i][0] - slips[i][1]) / 2.0;
        assert_true(fabs(contacts[0].impulse_ns / STEP_S - push_n) < 0.02 * push_n);
        world_destroy(world);
    }
}

static void steppers_obey_at_once_where_the_body_cannot_move(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, ROBOT_RADIUS_M, -1, ROBOT_RADIUS_M, 1);
    size_t robot = add_stepper(world, (struct pose){0});
    struct drive *drive = world_drive(world, robot);
    for (int i = 0; i < 50; i++) {
        double before = drive->wheels[1].rad;
        drive_at(world, robot, 10 + i % 3, 11 - i % 2);
        world_step(world, STEP_S);
        assert_true(drive->wheels[0].rad_s == 10 + i % 3 && drive->wheels[1].rad_s == 11 - i % 2);
        assert_true(fabs(drive->wheels[1].rad - before - (11 - i % 2) * STEP_S) < 1e-12);
    }
    world_destroy(world);
}

/* A robot drives against a wall, a fixed crate, a heavy crate or another robot, and pushes. Then
 * the obstacle is removed. */
static void a_robot_gains_speed_by_its_grip_when_an_obstacle_is_gone(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct world *world = make_world(2, 1);
        size_t robot = add_stepper(world, (struct pose){0});
        struct body_def crate = box(0.6, 0, 0, kind == 1 ? 0.0 : 200.0);
        if (kind == 0)
            add_wall(world, 0.4, -1, 0.4, 1);
        else if (kind < 3)
            (void)world_add_body(world, &crate);
        else
            drive_at(world, add_stepper(world, (struct pose){0.6, 0, ANGLE_PI}), 10, 10);
        drive_at(world, robot, 10, 10);
        run(world, 1.5);
        assert_true(speed_of(world, robot) < 1e-3);
        const struct wall_def no_wall = {.a = {9, 9}, .b = {9, 9}};
        if (kind == 0)
            world_replace_wall(world, 0, &no_wall);
        else
            world_place(world, 1, (struct pose){9, 9, 0});
        for (int i = 1; i < 30; i++) {
            world_step(world, STEP_S);
            double gained = 0.8 * GRAVITY_M_S2 * STEP_S * i;
            assert_true(fabs(speed_of(world, robot) - gained) < 1e-3 + 0.01 * gained);
        }
        run(world, 0.1);
        assert_true(fabs(speed_of(world, robot) - 0.35) < 1e-6);
        world_destroy(world);
    }
}

/* ---- Coasting ---- */

static void both_encoders_of_a_coasting_robot_count_on(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    size_t robot = add_stepper(world, (struct pose){0});
    const struct drive *drive = world_drive(world, robot);
    drive_at(world, robot, 4, -3);
    for (int i = 1; i <= 1000; i++) {
        world_step(world, STEP_S);
        assert_true(fabs(drive->wheels[0].rad - 4 * STEP_S * i) < 1e-9);
        assert_true(fabs(drive->wheels[1].rad + 3 * STEP_S * i) < 1e-9);
    }
    world_destroy(world);
}

static void one_new_input_is_enough_to_change_the_motion(void **state)
{
    (void)state;
    for (size_t wheel = 0; wheel < 2; wheel++) {
        struct world *world = make_world(1, 0);
        size_t robot = add_stepper(world, (struct pose){0});
        drive_at(world, robot, 5, 5);
        run(world, 0.5);
        world_drive(world, robot)->wheels[wheel].input = 5.02;
        world_step(world, STEP_S);
        double turn, expected = (wheel ? 0.02 : -0.02) * 0.035 / 0.23;
        assert_true(fabs(speed_of(world, robot) - 5.01 * 0.035) < 1e-6);
        (void)world_velocity(world, robot, &turn);
        assert_true(fabs(turn - expected) < 1e-12);
        world_destroy(world);
    }
}

/* The length of a step changes every five steps. */
static void a_coasting_robot_turns_by_its_rate_in_steps_of_every_length(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    size_t robot = add_stepper(world, (struct pose){0});
    drive_at(world, robot, -4, 6);
    run(world, 0.3);
    for (int i = 0; i < 200; i++) {
        double turn, dt_s = i / 5 % 2 ? 0.003 : i / 10 % 2 ? 0.0005 : 0.001;
        double before = world_pose(world, robot).heading_rad;
        world_step(world, dt_s);
        (void)world_velocity(world, robot, &turn);
        double heading = world_pose(world, robot).heading_rad;
        struct vec2 forward = world_forward(world, robot);
        assert_true(fabs(turn - 10 * 0.035 / 0.23) < 1e-9);
        assert_true(fabs(heading - before - turn * dt_s) < 1e-12);
        assert_true(fabs(forward.x - cos(heading)) < 1e-13);
        assert_true(fabs(forward.y - sin(heading)) < 1e-13);
    }
    world_destroy(world);
}

/* Rear wheels on steppers, and rolling ones in front. */
static void a_coasting_robot_can_be_steered(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive_def def = {.motor = DRIVE_MOTOR_STEPPER,
                            .wheel_count = 3,
                            .grip = 0.8,
                            .steer_max_rad = 0.4,
                            .steer_rate_rad_s = 2.0};
    for (size_t i = 0; i < 3; i++)
        def.wheels[i] =
            (struct wheel_def){.place = {i < 2 ? -0.1 : 0.1, 0.1 * (i == 0) - 0.1 * (i == 1)},
                               .radius_m = 0.035,
                               .is_steered = i == 2,
                               .is_passive = i == 2};
    size_t robot = add_machine(world, &def, (struct pose){0});
    struct drive *drive = world_drive(world, robot);
    drive->wheels[0].input = drive->wheels[1].input = drive->wheels[2].input = 5;
    run(world, 1.0);
    assert_true(fabs(speed_of(world, robot) - 0.175) < 1e-6);
    drive->steer_target_rad = 0.3;
    world_step(world, STEP_S);
    assert_true(fabs(drive->steer_rad - 2.0 * STEP_S) < 1e-12);
    run(world, 1.0);
    assert_true(drive->steer_rad == 0.3);
    assert_true(world_pose(world, robot).heading_rad > 0.1);
    world_destroy(world);
}

/* Eight wheels on two sides, of two machines: on motors, or on steppers that coast. */
static void machines_with_all_the_wheels_that_fit_move_as_if_alone(void **state)
{
    (void)state;
    for (int motor = DRIVE_MOTOR_DC; motor <= DRIVE_MOTOR_STEPPER; motor++) {
        struct world *alone = make_world(3, 0), *world = make_world(3, 0);
        struct drive_def def = robot_drive();
        def.motor = (enum drive_motor)motor;
        def.wheel_count = DRIVE_WHEELS_MAX;
        for (size_t i = 0; i < DRIVE_WHEELS_MAX; i++)
            def.wheels[i] = (struct wheel_def){
                .place = {0.04 * (double)(i / 2) - 0.06, i % 2 ? -0.1 : 0.1}, .radius_m = 0.035};
        struct world *worlds[] = {alone, world, world, world};
        size_t indices[4];
        for (size_t i = 0; i < 4; i++) {
            indices[i] = add_machine(worlds[i], &def, (struct pose){0, 4.0 * (i == 2), 0});
            if (i == 3)
                world_place(world, indices[i], (struct pose){0, -4, 0});
            for (size_t k = 0; k < DRIVE_WHEELS_MAX; k++)
                world_drive(worlds[i], indices[i])->wheels[k].input = motor ? 4 : 0.3;
        }
        for (int step = 0; step < 600; step++) {
            for (size_t i = 0; i < 4; i++) {
                if (step == 300)
                    world_drive(worlds[i], indices[i])->wheels[0].input *= 1.5;
                if (step == 400 || step == 420)
                    world_lift(worlds[i], indices[i], step == 400);
            }
            world_step(alone, STEP_S);
            world_step(world, STEP_S);
        }
        const struct drive *first = world_drive(alone, 0);
        assert_true(world_pose(alone, 0).x_m > 0.03);
        for (size_t i = 0; i < 4; i++) {
            const struct drive *drive = world_drive(worlds[i], indices[i]);
            assert_memory_equal(&drive->def, &def, sizeof def);
            assert_memory_equal(drive->wheels, first->wheels, sizeof drive->wheels);
            assert_true(world_pose(worlds[i], indices[i]).x_m == world_pose(alone, 0).x_m);
        }
        world_destroy(alone);
        world_destroy(world);
    }
}

/* ---- Elsewhere, and scale ---- */

/* Two robots on motors push each other at a slant. Far away another robot leans on a fixed crate,
 * or rests. */
static void what_happens_elsewhere_changes_no_bit(void **state)
{
    (void)state;
    struct world *worlds[2];
    for (size_t i = 0; i < 2; i++) {
        worlds[i] = make_world(4, 0);
        struct drive *drives[] = {add_robot(worlds[i], 0, 0, 0.1),
                                  add_robot(worlds[i], 0.4, 0.05, 3.0), NULL};
        const struct body_def post = box(9, 9, 0.2, 0);
        (void)world_add_body(worlds[i], &post);
        drives[2] = add_robot(worlds[i], 8.6, 9, 0.1);
        for (size_t k = 0; k < (i == 0 ? 3 : 2); k++) {
            drives[k]->wheels[0].input = 0.5;
            drives[k]->wheels[1].input = 0.45;
        }
    }
    for (int step = 0; step < 2000; step++) {
        world_step(worlds[0], STEP_S);
        world_step(worlds[1], STEP_S);
        for (size_t i = 0; i < 2; i++) {
            struct pose first = world_pose(worlds[0], i), second = world_pose(worlds[1], i);
            assert_true(first.x_m == second.x_m && first.y_m == second.y_m);
            assert_true(first.heading_rad == second.heading_rad);
        }
    }
    assert_true(world_pose(worlds[0], 3).x_m > 8.61 && world_pose(worlds[1], 3).x_m == 8.6);
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

static size_t add_scaled_robot(struct world *world, double scale, struct pose pose)
{
    struct drive_def def = robot_drive();
    struct body_def body = robot_body(pose.x_m, pose.y_m, pose.heading_rad);
    body.mass_kg *= scale;
    body.inertia_kg_m2 *= scale;
    def.motor = DRIVE_MOTOR_STEPPER;
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &def);
    return robot;
}

/* Makes a step. Before some steps, the first COUNT bodies, which are robots, get new inputs. */
static uint64_t hash_step(struct world *world, size_t count, int step, uint64_t hash)
{
    uint64_t sequence = (uint64_t)step;
    for (size_t i = 0; i < count && step % 200 == 100; i++) {
        drive_at(world, i, 16.0 * next_number(&sequence) - 5, 16.0 * next_number(&sequence) - 5);
        world_drive(world, i)->wheels[0].is_dropped = next_number(&sequence) < 0.3;
    }
    world_step(world, STEP_S);
    return step % 20 == 0 ? world_hash(world, hash) : hash;
}

/* Robots and crates push each other in a room. */
static uint64_t hash_of_crowd(double scale)
{
    struct world *world = make_world(6, 5);
    static const struct pose poses[] = {
        {-0.4, -0.3, 0.2}, {0.4, -0.3, 2.9}, {0.0, 0.5, 2.2}, {0.6, 0.5, 0.6}};
    add_room(world, 1.0);
    add_wall(world, -1.0, 0.2, -0.2, 1.0);
    for (size_t i = 0; i < COUNT(poses); i++)
        drive_at(world, add_scaled_robot(world, scale, poses[i]), 5.0 + (double)i, 6.0);
    for (int i = 0; i < 2; i++) {
        const struct body_def crate = box(-0.5 + i, -0.8, 0.1, scale * 0.5);
        (void)world_add_body(world, &crate);
    }
    uint64_t hash = HASH_START;
    for (int step = 0; step < 2000; step++)
        hash = hash_step(world, COUNT(poses), step, hash);
    world_destroy(world);
    return hash;
}

/* A robot leans on a wall at a slant, or two lean on each other. */
static uint64_t hash_of_meeting(double scale, int kind)
{
    struct world *world = make_world(2, 1);
    size_t count = kind < 3 ? 1 : 2;
    drive_at(world, add_scaled_robot(world, scale, (struct pose){0, 0, 0.2 * kind}), 5, 6);
    if (count == 1)
        add_wall(world, 0.2, -2, 0.19, 2);
    else
        drive_at(world, add_scaled_robot(world, scale, (struct pose){0.4, 0.05, 2.8}), 5, 6);
    uint64_t hash = HASH_START;
    for (int step = 0; step < 500; step++) {
        if (step == 250 || step == 260)
            world_drive(world, 0)->wheels[0].is_dropped = step == 250;
        hash = hash_step(world, step < 300 ? 0 : count, step, hash);
    }
    world_destroy(world);
    return hash;
}

/* Grip, friction and inertia are proportional to it. */
static void the_unit_of_mass_changes_no_motion(void **state)
{
    (void)state;
    static const double scales[] = {0x1p-12, 0x1p12};
    for (size_t i = 0; i < COUNT(scales); i++) {
        assert_true(hash_of_crowd(scales[i]) == hash_of_crowd(1.0));
        for (int kind = 0; kind < 5; kind++)
            assert_true(hash_of_meeting(scales[i], kind) == hash_of_meeting(1.0, kind));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_has_the_velocity_of_its_wheels_unless_the_grip_is_too_small),
        cmocka_unit_test(the_input_of_a_wheel_that_is_free_or_dropped_moves_nothing),
        cmocka_unit_test(coils_that_are_switched_off_give_no_push),
        cmocka_unit_test(a_wall_bears_the_grip_of_both_wheels),
        cmocka_unit_test(steppers_obey_at_once_where_the_body_cannot_move),
        cmocka_unit_test(a_robot_gains_speed_by_its_grip_when_an_obstacle_is_gone),
        cmocka_unit_test(both_encoders_of_a_coasting_robot_count_on),
        cmocka_unit_test(one_new_input_is_enough_to_change_the_motion),
        cmocka_unit_test(a_coasting_robot_turns_by_its_rate_in_steps_of_every_length),
        cmocka_unit_test(a_coasting_robot_can_be_steered),
        cmocka_unit_test(machines_with_all_the_wheels_that_fit_move_as_if_alone),
        cmocka_unit_test(what_happens_elsewhere_changes_no_bit),
        cmocka_unit_test(the_unit_of_mass_changes_no_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
