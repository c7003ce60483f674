/* Builds the world of a scene: the bodies of robots and docks; what else stands there is of room.c.
 */
#include "sim/room/build.h"

#include <stdlib.h>
#include <string.h>

#include "sim/room/floor.h"
#include "sim/room/room.h"
#include "sim/state/state.h"

/* chosen: painted walls and plastic shells; hardly any bounce, as bumpers absorb it */
#define FRICTION_1    0.3
#define RESTITUTION_1 0.1
#define REFLECTANCE_1 0.8 /* chosen: light gray */

static bool add_docks(struct sim *sim, const struct scene *scene)
{
    sim->docks = calloc(scene->dock_count + 1, sizeof *sim->docks);
    if (!sim->docks)
        return false;
    for (size_t i = 0; i < scene->dock_count; i++) {
        struct dock *dock = &sim->docks[sim->dock_count++];
        dock->pose = scene->docks[i].pose;
        dock->body_index = world_add_body(sim->world, &(struct body_def){
                                                          .shape = WORLD_BOX,
                                                          .pose = dock->pose,
                                                          .length_m = DOCK_DEPTH_M,
                                                          .width_m = DOCK_WIDTH_M,
                                                          .friction = FRICTION_1,
                                                          .restitution = RESTITUTION_1,
                                                          .reflectance = REFLECTANCE_1,
                                                      });
    }
    return true;
}

static struct drive_def drive_of(const struct robot_body *body)
{
    struct drive_def def = {
        .motor = body->motor == ROBOT_MOTOR_STEPPER ? DRIVE_MOTOR_STEPPER : DRIVE_MOTOR_DC,
        .wheel_count = body->wheel_count,
        .grip = body->grip,
        .steer_max_rad = body->steer_max_rad,
        .steer_rate_rad_s = body->steer_rate_rad_s,
        .supply_v = body->supply_v,
        .resistance_ohm = body->resistance_ohm,
        .torque_nm_a = body->torque_nm_a,
        .emf_v_s_rad = body->emf_v_s_rad,
        .gear = body->gear,
        .idle_a = body->idle_a,
        .wheel_inertia_kg_m2 = body->wheel_inertia_kg_m2,
    };
    for (size_t i = 0; i < body->wheel_count; i++)
        def.wheels[i] = (struct wheel_def){
            .place = {body->wheels[i].x_m, body->wheels[i].y_m},
            .heading_rad = body->wheels[i].heading_rad,
            .roller_rad = body->wheels[i].roller_rad,
            .radius_m = body->wheels[i].radius_m,
            .is_steered = body->wheels[i].is_steered,
        };
    return def;
}

static void add_robot(struct world *world, struct sim_robot *robot)
{
    const struct robot_body *body = &robot->body;
    robot->body_index =
        world_add_body(world, &(struct body_def){
                                  .shape = body->shape == ROBOT_BOX ? WORLD_BOX : WORLD_DISC,
                                  .radius_m = body->radius_m,
                                  .length_m = body->length_m,
                                  .width_m = body->width_m,
                                  .offset = {body->center_x_m, 0},
                                  .mass_center = {body->mass_center_x_m, 0},
                                  .pose = robot->pose,
                                  .mass_kg = body->mass_kg,
                                  .inertia_kg_m2 = body->inertia_kg_m2,
                                  .friction = FRICTION_1,
                                  .restitution = RESTITUTION_1,
                                  .reflectance = REFLECTANCE_1,
                              });
    struct drive_def drive = drive_of(body);
    world_set_drive(world, robot->body_index, &drive);
}

static bool copy_lamps(struct sim *sim, const struct scene *scene)
{
    sim->light = scene->light;
    sim->lamps = calloc(scene->lamp_count + 1, sizeof *sim->lamps);
    if (!sim->lamps)
        return false;
    for (size_t i = 0; i < scene->lamp_count; i++)
        sim->lamps[sim->lamp_count++] = scene->lamps[i];
    return true;
}

static bool copy_cliffs(struct sim *sim, const struct scene *scene)
{
    sim->cliffs = calloc(scene->cliff_count + 1, sizeof *sim->cliffs);
    if (!sim->cliffs)
        return false;
    for (size_t i = 0; i < scene->cliff_count; i++) {
        struct scene_cliff *cliff = &sim->cliffs[i];
        *cliff = scene->cliffs[i];
        cliff->points = malloc(cliff->point_count * sizeof *cliff->points);
        if (!cliff->points)
            return false;
        memcpy(cliff->points, scene->cliffs[i].points, cliff->point_count * sizeof *cliff->points);
        sim->cliff_count++;
    }
    return true;
}

bool build_world(struct sim *sim, const struct scene *scene)
{
    struct world_capacity capacity = {
        .bodies = scene->robot_count + scene->dock_count + scene->box_count +
                  SURROUNDINGS_SPARE_BOXES + scene->disc_count,
        .walls = scene->wall_count + SURROUNDINGS_SPARE_WALLS + 4,
    };
    for (size_t i = 0; i < scene->polygon_count; i++)
        capacity.walls += scene->polygons[i].point_count;
    sim->low = scene->low;
    sim->size_x_m = scene->size_x_m;
    sim->size_y_m = scene->size_y_m;
    sim->world = world_create(&capacity);
    if (!sim->world || !copy_cliffs(sim, scene) || !copy_lamps(sim, scene) ||
        !floor_create(sim, scene) || !surroundings_create(&sim->surroundings, scene))
        return false;
    // Robots first, by name: contacts then find them by their index, and a file's order is nothing.
    // Then docks, for the same reason.
    for (size_t i = 0; i < sim->robot_count; i++)
        add_robot(sim->world, &sim->robots[sim->by_name[i]]);
    if (!add_docks(sim, scene))
        return false;
    room_build(sim);
    return true;
}
