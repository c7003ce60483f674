#include "sim/room/scenery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/room/room.h"

/* Chosen: light gray walls, a dark dock. */
enum { WALL_RGB = 0xd2cec4, DOCK_RGB = 0x2f343c };

#define LAMP_RADIUS_M 0.003 /* chosen: the least that a lamp lights of its shell */

double scenery_light(struct vec2 normal)
{
    /* Chosen: light from the ceiling, and some from a window in a corner. */
    return 0.82 + 0.18 * (0.6 * normal.x + 0.8 * normal.y);
}

static uint32_t color_of(const struct scene_appearance *appearance, uint32_t fallback)
{
    return appearance->color[0] != '\0' ? appearance->rgb : fallback;
}

/* ---- Walls ---- */

static void add_wall(struct scenery *scenery, struct vec2 a, struct vec2 b,
                     const struct scene_appearance *appearance)
{
    double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
    if (length == 0)
        return;
    scenery->walls[scenery->wall_count++] = (struct scenery_wall){
        .a = a,
        .b = b,
        .height_m = appearance->height_m,
        .rgb = color_of(appearance, WALL_RGB),
        .left_light = scenery_light((struct vec2){-y / length, x / length}),
        .right_light = scenery_light((struct vec2){y / length, -x / length}),
    };
}

static void add_walls(const struct sim *sim)
{
    const struct scene *scene = sim->scene;
    const struct room *room = sim->room;
    struct scenery *scenery = &sim->room->scenery;
    struct vec2 low = scene->low, high = {low.x + scene->size_x_m, low.y + scene->size_y_m};
    const struct vec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}};
    for (size_t i = 0; i < 4; i++)
        add_wall(scenery, corners[i], corners[(i + 1) % 4], &room->appearance);
    for (size_t i = 0; i < room->wall_count; i++) {
        const struct scene_wall *wall = room->walls[i].shape;
        if (wall)
            add_wall(scenery, wall->from, wall->to,
                     wall->appearance.height_m > 0 ? &wall->appearance : &room->appearance);
    }
    for (size_t i = 0; i < scene->polygon_count; i++) {
        const struct scene_polygon *polygon = &scene->polygons[i];
        for (size_t k = 0; k < polygon->point_count; k++)
            add_wall(scenery, polygon->points[k], polygon->points[(k + 1) % polygon->point_count],
                     &polygon->appearance);
    }
}

/* ---- Robots ---- */

/* A round part with a translucent cover is a lamp; other parts represent sensors. Lamps far inside
 * the outline are on top of the body, and not visible from the side. */
static bool is_lamp(const struct sim_robot *robot, const struct appearance_row *appearance)
{
    const struct robot_body *body = robot->body;
    double rim_m = body->shape == ROBOT_BOX
                       ? (body->length_m < body->width_m ? body->length_m : body->width_m) / 2
                       : body->radius_m;
    double reach_m = sqrt(appearance->x_m * appearance->x_m + appearance->y_m * appearance->y_m) +
                     appearance->length_m / 2;
    return (appearance->shape == APPEARANCE_DISC || appearance->shape == APPEARANCE_RING) &&
           appearance->lit_by && (appearance->color & 0xff) < 0xff && reach_m > 0.7 * rim_m;
}

static void add_lamps(const struct sim *sim, const struct sim_robot *robot,
                      struct scenery_body *body)
{
    struct scenery *scenery = &sim->room->scenery;
    body->first_lamp = scenery->lamp_count;
    for (size_t i = 0; i < robot->type->appearance->count; i++) {
        const struct appearance_row *appearance = &robot->type->appearance->rows[i];
        if (!is_lamp(robot, appearance))
            continue;
        char name[SIM_SIGNAL_NAME_MAX];
        snprintf(name, sizeof name, "%s.%s", robot->name, appearance->lit_by);
        size_t signal_at = sim_signal_find(sim, name);
        if (signal_at == SIZE_MAX)
            continue;
        double radius_m = appearance->length_m / 2;
        scenery->lamps[scenery->lamp_count++] = (struct scenery_lamp){
            .place = {appearance->x_m, appearance->y_m},
            .radius_m = radius_m > LAMP_RADIUS_M ? radius_m : LAMP_RADIUS_M,
            .signal = signal_at,
            .rgb = appearance->lit_color >> 8,
        };
    }
    body->lamp_count = scenery->lamp_count - body->first_lamp;
}

static void add_robot(const struct sim *sim, const struct sim_robot *robot)
{
    const struct robot_body *from = robot->body;
    struct scenery *scenery = &sim->room->scenery;
    struct scenery_body *body = &scenery->bodies[scenery->body_count++];
    *body = (struct scenery_body){
        .body = robot->body_index,
        .is_disc = from->shape == ROBOT_DISC,
        .radius_m = from->radius_m,
        .half_x_m = from->length_m / 2,
        .half_y_m = from->width_m / 2,
        .offset = {from->center_x_m, 0},
        .height_m = from->height_m,
        .rgb = robot->type->appearance->count > 0 ? robot->type->appearance->rows[0].color >> 8
                                                  : SCENERY_DISC_RGB,
    };
    add_lamps(sim, robot, body);
    // Parts on the body are drawn down to the floor; the body itself hides their lower end.
    for (size_t i = 0; i < robot->part_count; i++)
        scenery->bodies[scenery->body_count++] = (struct scenery_body){
            .body = robot->body_index,
            .is_disc = true,
            .radius_m = robot->parts[i].radius_m,
            .offset = robot->parts[i].place,
            .height_m = robot->parts[i].high_m,
            .rgb = SCENERY_PART_RGB,
        };
}

/* ---- Docks, boxes, discs ---- */

static void add_docks(const struct sim *sim)
{
    struct scenery *scenery = &sim->room->scenery;
    for (size_t i = 0; i < sim->scene->dock_count; i++)
        scenery->bodies[scenery->body_count++] = (struct scenery_body){
            .body = sim->room->first_dock + i,
            .half_x_m = SCENE_DOCK_DEPTH_M / 2,
            .half_y_m = SCENE_DOCK_WIDTH_M / 2,
            .height_m = SCENERY_DOCK_HEIGHT_M,
            .rgb = DOCK_RGB,
        };
}

static void add_obstacles(const struct sim *sim)
{
    const struct scene *scene = sim->scene;
    const struct room *room = sim->room;
    struct scenery *scenery = &sim->room->scenery;
    for (size_t i = 0; i < room->box_count; i++) {
        const struct scene_box *box = room->boxes[i].shape;
        if (!box)
            continue;
        scenery->bodies[scenery->body_count++] = (struct scenery_body){
            .body = room->boxes[i].body,
            .half_x_m = box->length_m / 2,
            .half_y_m = box->width_m / 2,
            .height_m = box->appearance.height_m,
            .rgb = color_of(&box->appearance, SCENERY_BOX_RGB),
        };
    }
    for (size_t i = 0; i < scene->disc_count; i++) {
        const struct scene_disc *disc = &scene->discs[i];
        scenery->bodies[scenery->body_count++] = (struct scenery_body){
            .body = room->first_disc + i,
            .is_disc = true,
            .radius_m = disc->radius_m,
            .height_m = disc->appearance.height_m,
            .rgb = color_of(&disc->appearance, SCENERY_DISC_RGB),
        };
    }
}

/* ---- The whole scenery ---- */

bool scenery_create(struct sim *sim)
{
    const struct scene *scene = sim->scene;
    const struct room *room = sim->room;
    struct scenery *scenery = &sim->room->scenery;
    size_t walls = room->wall_max + 4, lamps = 0;
    size_t bodies = sim->robot_count + scene->dock_count + room->box_max + scene->disc_count;
    for (size_t i = 0; i < scene->polygon_count; i++)
        walls += scene->polygons[i].point_count;
    for (size_t i = 0; i < sim->robot_count; i++) {
        lamps += sim->robots[i].type->appearance->count;
        bodies += sim->robots[i].part_count;
    }
    scenery->walls = calloc(walls, sizeof *scenery->walls);
    scenery->bodies = calloc(bodies + 1, sizeof *scenery->bodies);
    scenery->lamps = calloc(lamps + 1, sizeof *scenery->lamps);
    if (!scenery->walls || !scenery->bodies || !scenery->lamps)
        return false;
    for (size_t i = 0; i < sim->robot_count; i++)
        if (!robot_is_mounted(&sim->robots[sim->by_name[i]]))
            add_robot(sim, &sim->robots[sim->by_name[i]]);
    add_docks(sim);
    scenery->fixed_count = scenery->body_count;
    scenery_update(sim);
    return true;
}

void scenery_update(struct sim *sim)
{
    struct scenery *scenery = &sim->room->scenery;
    scenery->wall_count = 0;
    add_walls(sim);
    scenery->body_count = scenery->fixed_count;
    add_obstacles(sim);
}

void scenery_destroy(struct scenery *scenery)
{
    free(scenery->walls);
    free(scenery->bodies);
    free(scenery->lamps);
}
