/* Runs the same scenes in our world and in Chipmunk, and compares the final poses of the bodies.
 * Chipmunk has no floor, so this test adds one: Coulomb friction summed over a patch of points that
 * bear the weight evenly. Chipmunk's steps are four times as fine as ours, so the measured
 * difference is our error. */
#include <math.h>
#include <stdio.h>

#include <chipmunk/chipmunk.h>

#include "tests/support/sample.h"
#include "tests/unit/physics_fixture.h"

enum { FINE = 4, PATCH = 12 };

#define GRAVITY_M_S2 9.80665

/* A scene with one moving body and the objects that it can hit. */
struct scene {
    struct body_def body;
    double left_m_s, right_m_s; /* initial speeds of its sides, 0.1 m off the middle */
    struct body_def other;      /* MASS_KG 0: no other body */
    double other_m_s;           /* along its heading: at the start, or for PUSH_S */
    double push_s;              /* > 0: the other body is a pusher that contacts do not slow down */
    bool has_wall;              /* at x = 1 */
    double seconds;
};

/* ---- Our world ---- */

/* A body that starts at the given speeds and then slides. Steppers with endless grip accelerate it
 * in one step. */
static size_t throw_body(struct world *world, const struct body_def *def, double left_m_s,
                         double right_m_s)
{
    const struct drive_def wheels = {
        .motor = DRIVE_MOTOR_STEPPER,
        .wheel_count = 2,
        .wheels = {{.place = {0.0, 0.1}, .radius_m = 1.0}, {.place = {0.0, -0.1}, .radius_m = 1.0}},
        .grip = 1e6};
    size_t body = world_add_body(world, def);
    world_set_drive(world, body, &wheels);
    world_drive(world, body)->wheels[0].input = left_m_s;
    world_drive(world, body)->wheels[1].input = right_m_s;
    return body;
}

static void release(struct world *world, size_t body)
{
    struct drive *drive = world_drive(world, body);
    drive->wheels[0].is_dropped = drive->wheels[1].is_dropped = true;
}

/* The start of both runs is the world after the throw, STEP_S after its creation. */
static struct world *start_ours(const struct scene *scene)
{
    struct world *world = make_world(2, 1);
    if (scene->has_wall) {
        const struct wall_def wall = {
            .a = {1.0, -5.0}, .b = {1.0, 5.0}, .friction = scene->body.friction};
        (void)world_add_wall(world, &wall);
    }
    size_t body = throw_body(world, &scene->body, scene->left_m_s, scene->right_m_s);
    size_t other = 0;
    if (scene->other.mass_kg > 0.0)
        other = throw_body(world, &scene->other, scene->other_m_s, scene->other_m_s);
    world_step(world, STEP_S);
    release(world, body);
    if (scene->other.mass_kg > 0.0 && scene->push_s == 0.0)
        release(world, other);
    return world;
}

static double energy(const struct world *world, size_t index, const struct body_def *def)
{
    double turn;
    struct vec2 v = world_velocity(world, index, &turn);
    return 0.5 * def->mass_kg * (v.x * v.x + v.y * v.y) + 0.5 * def->inertia_kg_m2 * turn * turn;
}

/* Continues the run, and checks that the energy does not grow. */
static void run_ours(const struct scene *scene, struct world *world)
{
    double before = INFINITY;
    for (long i = 1; i < lround(scene->seconds / STEP_S); i++) {
        if (scene->push_s > 0.0 && (double)i * STEP_S >= scene->push_s) {
            struct drive *drive = world_drive(world, 1);
            drive->wheels[0].input = drive->wheels[1].input = 0.0;
        }
        world_step(world, STEP_S);
        double now = energy(world, 0, &scene->body);
        if (scene->other.mass_kg > 0.0 && scene->push_s == 0.0)
            now += energy(world, 1, &scene->other);
        bool is_driven = scene->push_s > 0.0 && (double)(i - 1) * STEP_S < scene->push_s + 0.01;
        if (!is_driven)
            assert_true(now <= before * (1.0 + 1e-3) + 1e-12);
        before = now;
    }
}

/* ---- Chipmunk ---- */

/* Friction of the floor on a patch. The force on a point is at most what stops the point in this
 * step. */
static void slide(cpBody *body, cpVect gravity, cpFloat damping, cpFloat dt)
{
    (void)gravity, (void)damping;
    const struct body_def *def = cpBodyGetUserData(body);
    cpVect velocity = cpBodyGetVelocity(body);
    double turn = cpBodyGetAngularVelocity(body);
    double heading = cpBodyGetAngle(body);
    double force_x = 0.0, force_y = 0.0, torque = 0.0, count = 0.0;
    for (int i = 0; i < PATCH * PATCH; i++) {
        double x = ((i % PATCH + 0.5) / PATCH - 0.5);
        double y = ((i / PATCH + 0.5) / PATCH - 0.5);
        bool is_disc = def->shape == WORLD_DISC;
        if (is_disc && x * x + y * y > 0.25)
            continue;
        x *= is_disc ? 2.0 * def->radius_m : def->length_m;
        y *= is_disc ? 2.0 * def->radius_m : def->width_m;
        double arm_x = cos(heading) * x - sin(heading) * y;
        double arm_y = sin(heading) * x + cos(heading) * y;
        double slip_x = velocity.x - turn * arm_y, slip_y = velocity.y + turn * arm_x;
        double slip = fmax(hypot(slip_x, slip_y), def->floor_friction * GRAVITY_M_S2 * dt);
        if (slip == 0.0)
            continue;
        force_x -= slip_x / slip;
        force_y -= slip_y / slip;
        torque += arm_y * slip_x / slip - arm_x * slip_y / slip;
        count += 1.0;
    }
    if (count == 0.0)
        return;
    double part = def->floor_friction * def->mass_kg * GRAVITY_M_S2 * dt / count;
    velocity.x += part * force_x / def->mass_kg;
    velocity.y += part * force_y / def->mass_kg;
    cpBodySetVelocity(body, velocity);
    cpBodySetAngularVelocity(body, turn + part * torque / def->inertia_kg_m2);
}

static cpBody *add_theirs(cpSpace *space, const struct body_def *def, const struct world *world,
                          size_t index, bool is_pusher)
{
    cpBody *body = is_pusher ? cpBodyNewKinematic() : cpBodyNew(def->mass_kg, def->inertia_kg_m2);
    cpSpaceAddBody(space, body);
    cpShape *shape = def->shape == WORLD_DISC
                         ? cpCircleShapeNew(body, def->radius_m, cpvzero)
                         : cpBoxShapeNew(body, def->length_m, def->width_m, 0.0);
    cpSpaceAddShape(space, shape);
    cpShapeSetFriction(shape, def->friction); /* times that of the other body */
    cpShapeSetElasticity(shape, def->restitution);
    struct pose pose = world_pose(world, index);
    double turn;
    struct vec2 velocity = world_velocity(world, index, &turn);
    cpBodySetPosition(body, cpv(pose.x_m, pose.y_m));
    cpBodySetAngle(body, pose.heading_rad);
    cpBodySetVelocity(body, cpv(velocity.x, velocity.y));
    cpBodySetAngularVelocity(body, turn);
    static struct body_def kept[2];
    kept[index] = *def;
    cpBodySetUserData(body, &kept[index]);
    if (!is_pusher)
        cpBodySetVelocityUpdateFunc(body, slide);
    return body;
}

static cpSpace *start_theirs(const struct scene *scene, const struct world *world,
                             cpBody *bodies[2])
{
    cpSpace *space = cpSpaceNew();
    cpSpaceSetIterations(space, 50);
    cpSpaceSetCollisionSlop(space, 1e-5);
    if (scene->has_wall) {
        cpShape *wall =
            cpSegmentShapeNew(cpSpaceGetStaticBody(space), cpv(1.0, -5.0), cpv(1.0, 5.0), 0.0);
        cpSpaceAddShape(space, wall);
        cpShapeSetFriction(wall, 1.0);
        cpShapeSetElasticity(wall, 1.0);
    }
    bodies[0] = add_theirs(space, &scene->body, world, 0, false);
    bodies[1] = NULL;
    if (scene->other.mass_kg > 0.0) {
        /* Chipmunk multiplies the friction and elasticity of both bodies. In our scenes those of
         * the moving body decide. */
        struct body_def other = scene->other;
        other.friction = other.restitution = 1.0;
        bodies[1] = add_theirs(space, &other, world, 1, scene->push_s > 0.0);
    }
    return space;
}

static void run_theirs(const struct scene *scene, cpSpace *space, cpBody *bodies[2])
{
    const double step_s = STEP_S / FINE;
    for (long i = 0; i < FINE * (lround(scene->seconds / STEP_S) - 1); i++) {
        double now_s = STEP_S + (double)i * step_s;
        if (scene->push_s > 0.0 && now_s >= scene->push_s)
            cpBodySetVelocity(bodies[1], cpvzero);
        cpSpaceStep(space, step_s);
    }
}

/* ---- Side by side ---- */

struct shapes {
    cpShape *shape[3];
    size_t count;
};

static void note_shape(cpShape *shape, void *data)
{
    struct shapes *shapes = data;
    shapes->shape[shapes->count++] = shape;
}

static void end_theirs(cpSpace *space, cpBody *bodies[2])
{
    struct shapes shapes = {.count = 0};
    cpSpaceEachShape(space, note_shape, &shapes);
    cpSpaceFree(space);
    for (size_t i = 0; i < shapes.count; i++)
        cpShapeFree(shapes.shape[i]);
    for (size_t i = 0; i < 2 && bodies[i]; i++)
        cpBodyFree(bodies[i]);
}

/* Runs both simulations and compares the last poses of the body; returns our pose. */
static struct pose compare(const char *name, const struct scene *scene, double most_m,
                           double most_rad)
{
    struct world *world = start_ours(scene);
    cpBody *bodies[2];
    cpSpace *space = start_theirs(scene, world, bodies);
    run_ours(scene, world);
    run_theirs(scene, space, bodies);
    struct pose ours = world_pose(world, 0);
    cpVect place = cpBodyGetPosition(bodies[0]);
    double heading = cpBodyGetAngle(bodies[0]);
    double off_m = hypot(ours.x_m - place.x, ours.y_m - place.y);
    double off_rad = fabs(ours.heading_rad - heading);
    print_message("%-44s (%.4f, %.4f, %.4f) off by %.4f mm of %g, %.5f rad of %g\n", name, ours.x_m,
                  ours.y_m, ours.heading_rad, 1e3 * off_m, 1e3 * most_m, off_rad, most_rad);
    if (off_m > most_m || off_rad > most_rad)
        fail_msg("%s: Chipmunk has it at (%g, %g, %g)", name, place.x, place.y, heading);
    end_theirs(space, bodies);
    world_destroy(world);
    return ours;
}

static struct body_def disc(double x_m, double y_m, double heading_rad, double mass_kg)
{
    const double radius_m = 0.1;
    return (struct body_def){.shape = WORLD_DISC,
                             .radius_m = radius_m,
                             .pose = {x_m, y_m, heading_rad},
                             .mass_kg = mass_kg,
                             .inertia_kg_m2 = 0.5 * mass_kg * radius_m * radius_m,
                             .friction = 0.3};
}

static struct body_def crate(double heading_rad)
{
    struct body_def def = box(0.0, 0.0, heading_rad, 1.0);
    def.inertia_kg_m2 = (0.4 * 0.4 + 0.3 * 0.3) / 12.0;
    return def;
}

/* A body that contacts do not slow down: a tonne on endless grip. */
static struct body_def pusher(double y_m)
{
    return disc(-0.32, y_m, 0.0, 1000.0);
}

static void a_disc_bounces_off_a_wall_as_theirs_does(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct scene scene = {.body = disc(0.0, 0.0, 0.3 * i, 1.0), .has_wall = true};
        scene.body.restitution = 0.5;
        scene.left_m_s = scene.right_m_s = 1.0;
        scene.seconds = 3.0;
        char name[64];
        snprintf(name, sizeof name, "disc on a wall at %.1f rad", 0.3 * i);
        struct pose end = compare(name, &scene, 0.002, 0.01);
        assert_true(end.x_m < 0.5); /* it came back */
    }
}

static void a_disc_meets_another_as_theirs_does(void **state)
{
    (void)state;
    static const double masses[] = {0.3, 1.0, 4.0};
    for (int i = 0; i < 9; i++) {
        double aside_m = 0.06 * (i % 3);
        struct scene scene = {.body = disc(0.0, 0.0, 0.0, 1.0)};
        scene.other = disc(0.6, aside_m, 0.0, masses[i / 3]);
        scene.body.restitution = 0.7;
        scene.left_m_s = scene.right_m_s = 1.0;
        scene.seconds = 2.0;
        char name[64];
        snprintf(name, sizeof name, "disc on a disc of %.1f kg, %.2f m aside", masses[i / 3],
                 aside_m);
        (void)compare(name, &scene, 0.01, 0.04);
    }
}

static void a_box_is_pushed_straight_as_theirs_is(void **state)
{
    (void)state;
    struct scene scene = {.body = crate(0.0), .other = pusher(0.0), .seconds = 5.0};
    scene.other_m_s = 0.25;
    scene.push_s = 4.0;
    struct pose end = compare("box pushed straight", &scene, 0.001, 1e-3);
    assert_true(end.x_m > 0.9);
}

static void a_box_is_pushed_off_its_middle_as_theirs_is(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        struct scene scene = {.body = crate(0.0), .other = pusher(0.04 * i), .seconds = 3.0};
        scene.other_m_s = 0.25;
        scene.push_s = 2.0;
        char name[64];
        snprintf(name, sizeof name, "box pushed %.2f m off its middle", 0.04 * i);
        struct pose end = compare(name, &scene, 0.006, 0.05);
        assert_true(end.heading_rad < -0.1);
    }
}

static void a_box_slides_to_rest_as_theirs_does(void **state)
{
    (void)state;
    static const double spins[] = {0.0, 0.2, 0.4, 0.8};
    for (size_t i = 0; i < sizeof spins / sizeof spins[0]; i++) {
        struct scene scene = {.body = crate(0.4), .seconds = 3.0};
        scene.left_m_s = 1.0 - spins[i];
        scene.right_m_s = 1.0 + spins[i];
        char name[64];
        snprintf(name, sizeof name, "box sliding to rest, %.0f rad/s at the start",
                 10.0 * spins[i]);
        struct pose end = compare(name, &scene, 0.03, 0.15);
        assert_true(hypot(end.x_m, end.y_m) > 0.16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_bounces_off_a_wall_as_theirs_does),
        cmocka_unit_test(a_disc_meets_another_as_theirs_does),
        cmocka_unit_test(a_box_is_pushed_straight_as_theirs_is),
    };
    /* The same contacts for longer. */
    const struct CMUnitTest more[] = {
        cmocka_unit_test(a_box_slides_to_rest_as_theirs_does),
        cmocka_unit_test(a_box_is_pushed_off_its_middle_as_theirs_is),
    };
    return SAMPLE_RUN(tests, more);
}
