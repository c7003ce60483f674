/* The walkers in our own world. */
#include <stdlib.h>

#include "physics/world.h"
#include "tests/bench/walkers.h"

struct ours {
    struct walkers *walkers;
    struct world *world;
    struct vec2 rays[WALKERS_RAYS];
};

static void add_robot(struct world *world, struct pose pose)
{
    const struct body_def body = {.radius_m = WALKERS_RADIUS_M,
                                  .pose = pose,
                                  .mass_kg = WALKERS_MASS_KG,
                                  .friction = WALKERS_FRICTION,
                                  .floor_friction = WALKERS_FRICTION,
                                  .reflectance = 0.5};
    struct drive_def drive = {.motor = DRIVE_MOTOR_STEPPER, .wheel_count = 2, .grip = WALKERS_GRIP};
    for (size_t i = 0; i < 2; i++)
        drive.wheels[i] = (struct wheel_def){
            .place = {0.0, i == 0 ? 0.5 * WALKERS_TRACK_M : -0.5 * WALKERS_TRACK_M},
            .radius_m = WALKERS_WHEEL_M};
    size_t index = world_add_body(world, &body);
    world_set_drive(world, index, &drive);
}

static void *ours_create(struct walkers *walkers)
{
    struct ours *ours = calloc(1, sizeof *ours);
    const struct world_capacity capacity = {.bodies = walkers->count, .walls = WALKERS_WALLS};
    if (!ours || !(ours->world = world_create(&capacity))) {
        free(ours);
        return NULL;
    }
    ours->walkers = walkers;
    walkers_rays(ours->rays);
    for (size_t i = 0; i < WALKERS_WALLS; i++) {
        const struct wall_def wall = {
            .a = walkers->walls[i].a, .b = walkers->walls[i].b, .friction = WALKERS_FRICTION};
        (void)world_add_wall(ours->world, &wall);
    }
    for (size_t i = 0; i < walkers->count; i++)
        add_robot(ours->world, walkers->poses[i]);
    return ours;
}

static void ours_step(void *engine, double dt_s)
{
    struct ours *ours = engine;
    for (size_t i = 0; i < ours->walkers->count; i++) {
        struct drive *drive = world_drive(ours->world, i);
        drive->wheels[0].input = ours->walkers->left[i] / WALKERS_WHEEL_M;
        drive->wheels[1].input = ours->walkers->right[i] / WALKERS_WHEEL_M;
    }
    world_step(ours->world, dt_s);
}

static void ours_look(void *engine)
{
    struct ours *ours = engine;
    for (size_t i = 0; i < ours->walkers->count; i++) {
        struct pose pose = world_pose(ours->world, i);
        struct vec2 from = {pose.x_m, pose.y_m};
        struct vec2 forward = world_forward(ours->world, i);
        struct vec2 directions[WALKERS_RAYS];
        for (size_t k = 0; k < WALKERS_RAYS; k++)
            directions[k] = walkers_rotate(ours->rays[k], forward);
        struct world_hit hits[WALKERS_RAYS];
        const struct world_fan fan = {from, directions, WALKERS_RAYS, WALKERS_RAY_M, i};
        world_ray_fan(ours->world, &fan, hits);
        for (size_t k = 0; k < WALKERS_RAYS; k++)
            ours->walkers->sum += hits[k].distance_m;
    }
}

static void ours_destroy(void *engine)
{
    struct ours *ours = engine;
    world_destroy(ours->world);
    free(ours);
}

const struct engine engine_ours = {"ours", ours_create, ours_step, ours_look, ours_destroy};
