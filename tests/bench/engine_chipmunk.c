/* The walkers in Chipmunk, built like the top-down vehicles in its documentation: a pivot and a
 * gear joint to a control body, their forces limited by the grip. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <chipmunk/chipmunk.h>

#include "tests/bench/walkers.h"

struct robot {
    cpBody *body, *control;
    cpShape *shape;
    cpConstraint *pivot, *gear;
};

struct theirs {
    struct walkers *walkers;
    cpSpace *space;
    struct robot *robots;
    cpShape *walls[WALKERS_WALLS];
    struct vec2 rays[WALKERS_RAYS];
};

static void add_robot(cpSpace *space, struct robot *robot, size_t number, struct pose pose)
{
    const double mass = WALKERS_MASS_KG;
    const double grip_n = WALKERS_GRIP * mass * WALKERS_GRAVITY_M_S2;
    robot->body = cpBodyNew(mass, cpMomentForCircle(mass, 0.0, WALKERS_RADIUS_M, cpvzero));
    cpBodySetPosition(robot->body, cpv(pose.x_m, pose.y_m));
    cpBodySetAngle(robot->body, pose.heading_rad);
    robot->shape = cpCircleShapeNew(robot->body, WALKERS_RADIUS_M, cpvzero);
    cpShapeSetFriction(robot->shape, WALKERS_FRICTION);
    /* A separate group for each robot, so that its rays pass through its own shape. */
    cpShapeSetFilter(robot->shape,
                     cpShapeFilterNew(number + 1, CP_ALL_CATEGORIES, CP_ALL_CATEGORIES));
    robot->control = cpBodyNewKinematic();
    robot->pivot = cpPivotJointNew2(robot->control, robot->body, cpvzero, cpvzero);
    cpConstraintSetMaxBias(robot->pivot, 0.0);
    cpConstraintSetMaxForce(robot->pivot, grip_n);
    robot->gear = cpGearJointNew(robot->control, robot->body, 0.0, 1.0);
    cpConstraintSetMaxBias(robot->gear, 0.0);
    cpConstraintSetMaxForce(robot->gear, 0.5 * WALKERS_TRACK_M * grip_n);
    cpSpaceAddBody(space, robot->body);
    cpSpaceAddShape(space, robot->shape);
    cpSpaceAddConstraint(space, robot->pivot);
    cpSpaceAddConstraint(space, robot->gear);
}

/* The library prints a greeting to standard output once, which must not mix with the figures. */
static cpSpace *new_space(void)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    cpSpace *space = cpSpaceNew();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(nowhere);
    return space;
}

static void *theirs_create(struct walkers *walkers)
{
    struct theirs *theirs = calloc(1, sizeof *theirs);
    if (!theirs || !(theirs->robots = calloc(walkers->count, sizeof *theirs->robots))) {
        free(theirs);
        return NULL;
    }
    theirs->walkers = walkers;
    walkers_rays(theirs->rays);
    theirs->space = new_space();
    cpSpaceSetCollisionSlop(theirs->space, 1e-4);
    for (size_t i = 0; i < WALKERS_WALLS; i++) {
        const struct walkers_wall *wall = &walkers->walls[i];
        theirs->walls[i] =
            cpSegmentShapeNew(cpSpaceGetStaticBody(theirs->space), cpv(wall->a.x, wall->a.y),
                              cpv(wall->b.x, wall->b.y), 0.0);
        cpShapeSetFriction(theirs->walls[i], WALKERS_FRICTION);
        cpSpaceAddShape(theirs->space, theirs->walls[i]);
    }
    for (size_t i = 0; i < walkers->count; i++)
        add_robot(theirs->space, &theirs->robots[i], i, walkers->poses[i]);
    return theirs;
}

static void theirs_step(void *engine, double dt_s)
{
    struct theirs *theirs = engine;
    for (size_t i = 0; i < theirs->walkers->count; i++) {
        const struct robot *robot = &theirs->robots[i];
        double left = theirs->walkers->left[i];
        double right = theirs->walkers->right[i];
        cpVect forward = cpBodyGetRotation(robot->body);
        cpBodySetVelocity(robot->control, cpvmult(forward, 0.5 * (left + right)));
        cpBodySetAngularVelocity(robot->control, (right - left) / WALKERS_TRACK_M);
    }
    cpSpaceStep(theirs->space, dt_s);
}

static void theirs_look(void *engine)
{
    struct theirs *theirs = engine;
    for (size_t i = 0; i < theirs->walkers->count; i++) {
        const struct robot *robot = &theirs->robots[i];
        cpVect from = cpBodyGetPosition(robot->body);
        cpShapeFilter filter = cpShapeFilterNew(i + 1, CP_ALL_CATEGORIES, CP_ALL_CATEGORIES);
        for (size_t k = 0; k < WALKERS_RAYS; k++) {
            cpVect ray = cpvrotate(cpv(theirs->rays[k].x, theirs->rays[k].y),
                                   cpBodyGetRotation(robot->body));
            cpVect to = cpvadd(from, cpvmult(ray, WALKERS_RAY_M));
            cpSegmentQueryInfo hit;
            cpSpaceSegmentQueryFirst(theirs->space, from, to, 0.0, filter, &hit);
            theirs->walkers->sum += hit.alpha * WALKERS_RAY_M;
        }
    }
}

static void theirs_destroy(void *engine)
{
    struct theirs *theirs = engine;
    cpSpaceFree(theirs->space);
    for (size_t i = 0; i < theirs->walkers->count; i++) {
        struct robot *robot = &theirs->robots[i];
        cpConstraintFree(robot->pivot);
        cpConstraintFree(robot->gear);
        cpShapeFree(robot->shape);
        cpBodyFree(robot->control);
        cpBodyFree(robot->body);
    }
    for (size_t i = 0; i < WALKERS_WALLS; i++)
        cpShapeFree(theirs->walls[i]);
    free(theirs->robots);
    free(theirs);
}

const struct engine engine_chipmunk = {"Chipmunk", theirs_create, theirs_step, theirs_look,
                                       theirs_destroy};
