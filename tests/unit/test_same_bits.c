/* Motion, contacts and sensor rays in a world, to the last bit. They are the same from every
 * compiler, on every machine and in later versions, as journals require. After an intended change,
 * the test prints the new values. */
#include <inttypes.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "physics/world_state.h"
#include "tests/unit/physics_fixture.h"

enum { RAYS = 24, STEPS = 3000, EVERY = 50 };

static struct vec2 direction(double angle_rad)
{
    struct vec2 to;
    angle_sin_cos(angle_rad, &to.y, &to.x);
    return to;
}

/* ---- Machines: each with the motors of robot_drive, or with steppers ---- */

static struct wheel_def wheel(double x_m, double y_m, double heading_rad, double roller_rad)
{
    return (struct wheel_def){.place = {x_m, y_m},
                              .heading_rad = heading_rad,
                              .roller_rad = roller_rad,
                              .radius_m = 0.035};
}

static void stand_on(struct drive_def *def, size_t count, const struct wheel_def *wheels)
{
    def->wheel_count = count;
    memcpy(def->wheels, wheels, count * sizeof *wheels);
}

static void on_an_axle(struct drive_def *def)
{
    stand_on(def, 2, (const struct wheel_def[]){wheel(0.02, 0.11, 0, 0), wheel(0.02, -0.12, 0, 0)});
}

static void on_two_axles(struct drive_def *def)
{
    stand_on(def, 2, (const struct wheel_def[]){wheel(0.05, 0.11, 0, 0), wheel(0, -0.11, 0.1, 0)});
}

static void on_four_that_scrub(struct drive_def *def)
{
    stand_on(def, 4,
             (const struct wheel_def[]){wheel(0.08, 0.1, 0, 0), wheel(0.08, -0.1, 0, 0),
                                        wheel(-0.08, 0.1, 0, 0), wheel(-0.08, -0.1, 0, 0)});
}

static void on_rollers(struct drive_def *def)
{
    double eighth = ANGLE_PI / 4;
    stand_on(def, 4,
             (const struct wheel_def[]){wheel(0.08, 0.1, 0, eighth), wheel(0.08, -0.1, 0, -eighth),
                                        wheel(-0.08, 0.1, 0, -eighth),
                                        wheel(-0.08, -0.1, 0, eighth)});
}

static void on_three_omni_wheels(struct drive_def *def)
{
    struct wheel_def three[3];
    for (size_t i = 0; i < 3; i++) {
        double angle = (double)i * 2 * ANGLE_PI / 3;
        struct vec2 to = direction(angle);
        three[i] = wheel(0.12 * to.x, 0.12 * to.y, angle + ANGLE_PI / 2, ANGLE_PI / 2);
    }
    stand_on(def, 3, three);
}

static void on_steered_ones(struct drive_def *def)
{
    stand_on(def, 4,
             (const struct wheel_def[]){wheel(0.1, 0.08, 0, 0), wheel(0.1, -0.08, 0, 0),
                                        wheel(-0.1, 0.08, 0, 0), wheel(-0.1, -0.08, 0, 0)});
    def->wheels[0].is_steered = def->wheels[1].is_steered = true;
    def->steer_max_rad = 0.5;
    def->steer_rate_rad_s = 2;
}

/* ---- The room: straight, slanted and bouncing walls; fixed, sliding and rolling objects ---- */

static struct body_def disc(double x_m, double y_m, double mass_kg)
{
    return (struct body_def){.shape = WORLD_DISC,
                             .radius_m = 0.1,
                             .pose = {x_m, y_m, 0},
                             .mass_kg = mass_kg,
                             .friction = 0.2,
                             .restitution = 0.4,
                             .floor_friction = 0.1,
                             .reflectance = 0.6,
                             .height_m = 0.2};
}

static struct world *furnish(void)
{
    struct world *world = make_world(12, 8);
    add_room(world, 1.2);
    add_wall(world, -1.2, 0.6, -0.6, 1.2);
    const struct wall_def rubber = {.a = {0.5, -1.2},
                                    .b = {0.4, -0.7},
                                    .friction = 0.9,
                                    .restitution = 0.7,
                                    .reflectance = 0.3,
                                    .height_m = 0.3};
    (void)world_add_wall(world, &rubber);
    struct body_def crate = box(0.7, 0.1, 0.4, 0.5), fixed = box(-0.9, -0.9, 0.3, 0);
    crate.length_m = 0.3;
    crate.width_m = 0.2;
    crate.height_m = fixed.height_m = 0.25;
    crate.mass_center = (struct vec2){0.02, -0.01};
    struct body_def shelf = crate;
    shelf.pose = (struct pose){0.72, 0.45, -0.2};
    shelf.offset = (struct vec2){0.01, 0.02};
    static const struct body_part mast = {{0.05, 0.03}, 0.02, 0.2, 0.9};
    shelf.parts = &mast;
    shelf.part_count = 1;
    const struct body_def things[] = {
        crate, shelf, fixed, disc(-0.3, 0.8, 0.3), disc(0.1, 0.9, 1.5), disc(-0.9, 0.1, 0)};
    for (size_t i = 0; i < COUNT(things); i++)
        (void)world_add_body(world, &things[i]);
    return world;
}

/* Removes the slanted wall or puts it back, and moves the crate. */
static void refurnish(struct world *world, bool is_gone)
{
    struct wall_def slant = {{-1.2, 0.6}, {-0.6, 1.2}, 0.3, 0.0, 0.8, 0.0};
    struct body_def crate = box(is_gone ? -0.8 : 0.9, is_gone ? 0.9 : -0.9, 0.2, 0.8);
    if (is_gone)
        slant.a = slant.b = (struct vec2){-1.2, -1.2};
    world_replace_wall(world, 4, &slant);
    world_replace_body(world, 0, &crate);
}

/* Two machines of one kind, and a machine with plain wheels and the shape of a box. */
static size_t add_machines(struct world *world, const struct drive_def *def)
{
    struct body_def body = robot_body(-0.4, -0.3, 0.3);
    size_t first = world_add_body(world, &body);
    world_set_drive(world, first, def);
    body.pose = (struct pose){0.2, -0.2, 2.8};
    world_set_drive(world, world_add_body(world, &body), def);

    struct drive_def plain = robot_drive();
    body.shape = WORLD_BOX;
    body.length_m = 0.3;
    body.width_m = 0.25;
    body.height_m = 0.1;
    body.restitution = 0.2;
    body.pose = (struct pose){0.1, 0.4, -1.2};
    world_set_drive(world, world_add_body(world, &body), &plain);
    return first;
}

/* Gives each machine new inputs. */
static void steer(struct world *world, size_t first, uint64_t key, uint64_t *counter)
{
    for (size_t i = first; i < first + 3; i++) {
        struct drive *drive = world_drive(world, i);
        bool is_stepper = drive->def.motor == DRIVE_MOTOR_STEPPER;
        for (size_t k = 0; k < drive->def.wheel_count; k++) {
            double part = 2 * rng_uniform(key, (*counter)++) - 0.7;
            drive->wheels[k].input = is_stepper ? 12 * part : part;
            drive->wheels[k].is_free = rng_uniform(key, (*counter)++) < 0.1;
            drive->wheels[k].is_dropped = rng_uniform(key, (*counter)++) < 0.05;
        }
        drive->steer_target_rad = rng_uniform(key, (*counter)++) - 0.5;
        world_set_slip(world, i, 0, rng_uniform(key, (*counter)++) < 0.3 ? 0.6 : 0);
    }
}

/* Drives straight on with all wheels alike, as robots do that only push: robots that lean on each
 * other. */
static void push_on(struct world *world, size_t first)
{
    for (size_t i = first; i < first + 2; i++) {
        struct drive *drive = world_drive(world, i);
        for (size_t k = 0; k < drive->def.wheel_count; k++) {
            drive->wheels[k].input = drive->def.motor == DRIVE_MOTOR_STEPPER ? 8 : 0.6;
            drive->wheels[k].is_free = drive->wheels[k].is_dropped = false;
        }
        drive->steer_target_rad = 0;
        world_set_slip(world, i, 0, 0);
    }
}

/* The lowest byte comes first, on every machine. */
static uint64_t hash_doubles(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (unsigned k = 0; k < 8; k++)
            hash = hash_bytes(hash, &(uint8_t){(uint8_t)(bits >> 8 * k)}, 1);
    }
    return hash;
}

static uint64_t hash_motion(const struct world *world, uint64_t hash)
{
    for (size_t i = 0; i < world->body_count; i++) {
        double turn;
        struct pose pose = world_pose(world, i);
        struct vec2 velocity = world_velocity(world, i, &turn);
        const double moved[] = {pose.x_m, pose.y_m, pose.heading_rad, velocity.x, velocity.y, turn};
        hash = hash_doubles(hash, moved, COUNT(moved));
    }
    return hash;
}

static uint64_t hash_drive(const struct drive *drive, uint64_t hash)
{
    for (size_t i = 0; i < drive->def.wheel_count; i++)
        hash = hash_doubles(hash, &drive->wheels[i].rad, 1);
    for (size_t i = 0; i < drive->def.wheel_count; i++)
        hash = hash_doubles(hash, &drive->wheels[i].rad_s, 1);
    for (size_t i = 0; i < drive->def.wheel_count; i++)
        hash = hash_doubles(hash, &drive->wheels[i].motor_a, 1);
    return hash_doubles(hash, &drive->steer_rad, 1);
}

static uint64_t hash_sight(const struct world *world, size_t robot, double max_m, uint64_t hash)
{
    struct pose pose = world_pose(world, robot);
    struct vec2 toward[RAYS];
    struct world_hit hits[RAYS];
    for (size_t i = 0; i < RAYS; i++)
        toward[i] = direction(pose.heading_rad + (double)i * 2 * ANGLE_PI / RAYS);
    const struct world_fan fan = {{pose.x_m, pose.y_m}, toward, RAYS, max_m, robot};
    world_ray_fan(world, &fan, hits);
    for (size_t i = 0; i < RAYS; i++) {
        double cosine;
        const struct world_beam beam = {fan.from, toward[i], 0.05 + 0.04 * (double)i,
                                        2.5,      robot,     NULL};
        struct world_hit hit = world_ray_beam(world, &beam, &cosine);
        const double seen[] = {hits[i].distance_m, hits[i].reflectance, hit.distance_m,
                               hit.reflectance, cosine};
        hash = hash_doubles(hash, seen, COUNT(seen));
    }
    return hash;
}

static uint64_t hash_touch(const struct world *world, uint64_t hash)
{
    size_t count;
    const struct world_contact *contacts = world_contacts(world, &count);
    for (size_t i = 0; i < count; i++) {
        const struct world_contact *at = &contacts[i];
        const double felt[] = {at->point.x,  at->point.y,    at->normal.x,
                               at->normal.y, at->impulse_ns, at->depth_m};
        hash = hash_doubles(hash, felt, COUNT(felt));
    }
    return hash;
}

/* Hash of a run of three seconds. The inputs of the machines change four times a second. */
static uint64_t hash_run(void (*wheels)(struct drive_def *), enum drive_motor motor)
{
    struct drive_def def = robot_drive();
    def.motor = motor;
    wheels(&def);
    struct world *world = furnish();
    size_t first = add_machines(world, &def);
    uint64_t hash = HASH_START, counter = 0, key = rng_key(motor, "steer");
    for (int step = 0; step < STEPS; step++) {
        if (step < STEPS / 2 && step % 250 == 0)
            steer(world, first, key, &counter);
        if (step == STEPS / 2)
            push_on(world, first);
        if (step == 1000 || step == 1100)
            world_lift(world, first, step == 1000);
        if (step == 1200)
            world_place(world, first + 1, (struct pose){0.65, 0.2, 1});
        if (step == 1300 || step == 2000)
            refurnish(world, step == 1300);
        world_step(world, STEP_S);
        if (step % EVERY != 0)
            continue;
        hash = hash_touch(world, hash_motion(world, hash));
        for (size_t i = first; i < first + 3; i++)
            hash = hash_drive(world_drive(world, i), hash);
        hash = hash_sight(world, first, step % (3 * EVERY) ? 1.7 : 6, hash);
    }
    world_destroy(world);
    return hash;
}

/* ---- Meetings: robots that touch only each other, at a slant ---- */

static void add_driver(struct world *world, enum drive_motor motor, struct pose pose, double left,
                       double right)
{
    struct drive_def def = robot_drive();
    struct body_def body = robot_body(pose.x_m, pose.y_m, pose.heading_rad);
    def.motor = motor;
    on_an_axle(&def);
    body.restitution = 0.1;
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &def);
    struct drive *drive = world_drive(world, robot);
    double size = motor == DRIVE_MOTOR_STEPPER ? 10 : 0.7;
    drive->wheels[0].input = left * size;
    drive->wheels[1].input = right * size;
    world_set_slip(world, robot, 1, 0.2);
}

static uint64_t hash_meeting(enum drive_motor motor)
{
    struct world *world = make_world(3, 2);
    add_wall(world, 2, -3, 2, 3);
    add_wall(world, -3, 1.2, 3, 1.0);
    add_driver(world, motor, (struct pose){-0.5, -0.5, 0.05}, 1, 0.95);
    add_driver(world, motor, (struct pose){0.3, -0.42, 3.0}, 0.8, 0.85);
    add_driver(world, motor, (struct pose){1.2, 0.2, 0.9}, 0.9, 1);
    uint64_t hash = HASH_START;
    for (int step = 0; step < STEPS; step++) {
        world_step(world, STEP_S);
        if (step % 10 != 0)
            continue;
        hash = hash_touch(world, hash_motion(world, hash));
        for (size_t i = 0; i < 3; i++)
            hash = hash_drive(world_drive(world, i), hash);
    }
    world_destroy(world);
    return hash;
}

static const struct {
    const char *name;
    void (*wheels)(struct drive_def *);
    enum drive_motor motor;
    uint64_t hash;
} machines[] = {
    {"motors on an axle", on_an_axle, DRIVE_MOTOR_DC, 0xe5638d93ac2ac1c7u},
    {"steppers on an axle", on_an_axle, DRIVE_MOTOR_STEPPER, 0xb71bf02e9f8721eeu},
    {"motors on two axles", on_two_axles, DRIVE_MOTOR_DC, 0x4f07fbeb0ac1d955u},
    {"steppers on two axles", on_two_axles, DRIVE_MOTOR_STEPPER, 0x736015139c74925eu},
    {"motors on four wheels", on_four_that_scrub, DRIVE_MOTOR_DC, 0xb3f682a182883c63u},
    {"steppers on four wheels", on_four_that_scrub, DRIVE_MOTOR_STEPPER, 0xe1f21c87623f34feu},
    {"motors on rollers", on_rollers, DRIVE_MOTOR_DC, 0x442c1d8984eddb21u},
    {"steppers on rollers", on_rollers, DRIVE_MOTOR_STEPPER, 0xf4367674eaedeeaau},
    {"motors on omni wheels", on_three_omni_wheels, DRIVE_MOTOR_DC, 0x6ed6b0ffd94c545cu},
    {"steppers on omni wheels", on_three_omni_wheels, DRIVE_MOTOR_STEPPER, 0x39c5aed2184b2825u},
    {"motors that are steered", on_steered_ones, DRIVE_MOTOR_DC, 0x087ca48f3a06a921u},
    {"steppers that are steered", on_steered_ones, DRIVE_MOTOR_STEPPER, 0xa666ca32c033701cu},
};

static void all_machines_move_as_ever_to_the_last_bit(void **state)
{
    (void)state;
    bool is_same = true;
    for (size_t i = 0; i < COUNT(machines); i++) {
        uint64_t hash = hash_run(machines[i].wheels, machines[i].motor);
        if (hash != machines[i].hash)
            print_message("%s: 0x%016" PRIx64 "\n", machines[i].name, hash);
        is_same = is_same && hash == machines[i].hash;
    }
    assert_true(is_same);
}

static void robots_that_meet_part_as_ever_to_the_last_bit(void **state)
{
    (void)state;
    static const uint64_t hashes[] = {0xd6f04a718378cdf1u, 0x695e0d6c78887bc1u};
    uint64_t motors = hash_meeting(DRIVE_MOTOR_DC), steppers = hash_meeting(DRIVE_MOTOR_STEPPER);
    if (motors != hashes[0] || steppers != hashes[1])
        fail_msg("motors: 0x%016" PRIx64 ", steppers: 0x%016" PRIx64, motors, steppers);
}

static void the_hash_of_a_world_sees_every_part_of_its_state(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive *drive = add_robot(world, 0, 0, 0);
    double *const parts[] = {&drive->wheels[1].rad, &drive->wheels[0].rad_s,
                             &drive->wheels[1].rad_s, &drive->wheels[1].motor_a, &drive->steer_rad};
    uint64_t before = world_hash(world, HASH_START);
    for (size_t i = 0; i < COUNT(parts); i++) {
        *parts[i] += 1e-9;
        assert_true(world_hash(world, HASH_START) != before);
        before = world_hash(world, HASH_START);
        *parts[i] = -*parts[i]; /* the sign, too */
        assert_true(world_hash(world, HASH_START) != before);
        before = world_hash(world, HASH_START);
    }
    world_lift(world, 0, true);
    assert_true(world_hash(world, HASH_START) != before);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_machines_move_as_ever_to_the_last_bit),
        cmocka_unit_test(robots_that_meet_part_as_ever_to_the_last_bit),
        cmocka_unit_test(the_hash_of_a_world_sees_every_part_of_its_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
