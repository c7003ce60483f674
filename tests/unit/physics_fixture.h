/* What the tests of the physics share: a small differential robot, and worlds around it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "physics/world.h"

#define STEP_S         0.001
#define ROBOT_RADIUS_M 0.1755

/* A disc with the sizes, masses and motors of a Kobuki (wheels and motors from its manual). */
static inline struct body_def robot_body(double x_m, double y_m, double heading_rad)
{
    return (struct body_def){
        .shape = WORLD_DISC,
        .radius_m = ROBOT_RADIUS_M,
        .mass_center = {0.01, 0.0},
        .pose = {x_m, y_m, heading_rad},
        .mass_kg = 2.4,
        .inertia_kg_m2 = 0.03675,
        .friction = 0.3,
        .floor_friction = 0.4,
        .reflectance = 0.5,
    };
}

static inline struct drive_def robot_drive(void)
{
    return (struct drive_def){
        .motor = DRIVE_MOTOR_DC,
        .wheel_count = 2,
        .wheels = {{.place = {0.0, 0.115}, .radius_m = 0.035},
                   {.place = {0.0, -0.115}, .radius_m = 0.035}},
        .grip = 0.8,
        .supply_v = 12.0,
        .resistance_ohm = 1.5506,
        .torque_nm_a = 0.010913,
        .emf_v_s_rad = 0.0115,
        .gear = 49.5833,
        .idle_a = 0.21,
        .wheel_inertia_kg_m2 = 0.001,
    };
}

static inline struct world *make_world(size_t bodies, size_t walls)
{
    const struct world_capacity capacity = {.bodies = bodies, .walls = walls};
    struct world *world = world_create(&capacity);
    assert_non_null(world);
    return world;
}

static inline void add_wall(struct world *world, double ax, double ay, double bx, double by)
{
    const struct wall_def def = {.a = {ax, ay}, .b = {bx, by}, .friction = 0.3, .reflectance = 0.8};
    (void)world_add_wall(world, &def);
}

/* A square room around the origin. */
static inline void add_room(struct world *world, double half_m)
{
    add_wall(world, -half_m, -half_m, half_m, -half_m);
    add_wall(world, half_m, -half_m, half_m, half_m);
    add_wall(world, half_m, half_m, -half_m, half_m);
    add_wall(world, -half_m, half_m, -half_m, -half_m);
}

/* Adds the robot; it is at rest and its motors are short-circuited. */
static inline struct drive *add_robot(struct world *world, double x_m, double y_m,
                                      double heading_rad)
{
    const struct body_def body = robot_body(x_m, y_m, heading_rad);
    const struct drive_def drive = robot_drive();
    size_t robot = world_add_body(world, &body);
    world_set_drive(world, robot, &drive);
    return world_drive(world, robot);
}

static inline struct body_def box(double x_m, double y_m, double heading_rad, double mass_kg)
{
    return (struct body_def){.shape = WORLD_BOX,
                             .length_m = 0.4,
                             .width_m = 0.3,
                             .pose = {x_m, y_m, heading_rad},
                             .mass_kg = mass_kg,
                             .friction = 0.3,
                             .floor_friction = 0.3};
}

static inline void run(struct world *world, double seconds)
{
    for (long i = 0; i < (long)(seconds / STEP_S + 0.5); i++)
        world_step(world, STEP_S);
}

/* A fixed sequence of numbers in 0..1. */
static inline double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}
