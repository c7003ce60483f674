/* Gathers what stands in the world as an eye sees it. */
#include "sim/room/scenery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/state/state.h"

/* Chosen: light gray walls, cardboard boxes, gray plastic discs, a dark dock. */
enum { WALL_RGB = 0xd2cec4, BOX_RGB = 0xb58a5a, DISC_RGB = 0x8c94a0, DOCK_RGB = 0x2f343c };

#define ROOM_HEIGHT_M     0.5   /* chosen: as scenes have it where they say nothing */
#define DOCK_HEIGHT_M     0.10  /* chosen: about that of a Kobuki's dock */
#define LAMP_RADIUS_M     0.003 /* chosen: the least that a lamp lights of its shell */
#define REFLECTANCE_1     0.8   /* chosen: light gray, for all that has no color of its own */
#define REFLECTANCE_LEAST 0.05  /* chosen: black paint still throws back some infrared */

struct scene_look scenery_room(const struct scene *scene)
{
    struct scene_look look = scene->room;
    if (look.height_m == 0)
        look.height_m = ROOM_HEIGHT_M;
    return look;
}

double scenery_light(struct vec2 normal)
{
    /* Chosen: light from the ceiling, some of it from a window in a corner. */
    return 0.82 + 0.18 * (0.6 * normal.x + 0.8 * normal.y);
}

/* Weights of luma: ITU-R BT.601. Infrared sees no colors: what looks bright is bright. */
double scenery_reflectance(const struct scene_look *look)
{
    if (look->color[0] == '\0')
        return REFLECTANCE_1;
    double luma = 0.299 * (look->rgb >> 16 & 0xff) + 0.587 * (look->rgb >> 8 & 0xff) +
                  0.114 * (look->rgb & 0xff);
    double reflectance = luma / 255;
    return reflectance > REFLECTANCE_LEAST ? reflectance : REFLECTANCE_LEAST;
}

static uint32_t color_of(const struct scene_look *look, uint32_t fallback)
{
    return look->color[0] != '\0' ? look->rgb : fallback;
}

/* ---- Walls ---- */

static void add_wall(struct scenery *scenery, struct vec2 a, struct vec2 b,
                     const struct scene_look *look)
{
    double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
    if (length == 0)
        return;
    scenery->walls[scenery->wall_count++] = (struct scenery_wall){
        .a = a,
        .b = b,
        .height_m = look->height_m,
        .rgb = color_of(look, WALL_RGB),
        .left_light = scenery_light((struct vec2){-y / length, x / length}),
        .right_light = scenery_light((struct vec2){y / length, -x / length}),
    };
}

static void add_walls(struct sim *sim)
{
    const struct surroundings *around = &sim->surroundings;
    struct scenery *scenery = &sim->scenery;
    struct vec2 low = sim->low, high = {low.x + sim->size_x_m, low.y + sim->size_y_m};
    const struct vec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}};
    for (size_t i = 0; i < 4; i++)
        add_wall(scenery, corners[i], corners[(i + 1) % 4], &around->room);
    for (size_t i = 0; i < around->wall_count; i++) {
        const struct scene_wall *wall = &around->walls[i].wall;
        if (!around->walls[i].is_gone)
            add_wall(scenery, wall->from, wall->to,
                     wall->look.height_m > 0 ? &wall->look : &around->room);
    }
    for (size_t i = 0; i < around->polygon_count; i++) {
        const struct scene_polygon *polygon = &around->polygons[i];
        for (size_t k = 0; k < polygon->point_count; k++)
            add_wall(scenery, polygon->points[k], polygon->points[(k + 1) % polygon->point_count],
                     &polygon->look);
    }
}

/* ---- Robots ---- */

/* A round part with a cover that light shines through is a lamp; the others are drawings of
 * sensors. Lamps far inside the outline are on top of the body, where nobody sees them from the
 * side. */
static bool is_lamp(const struct sim_robot *robot, const struct look_row *look)
{
    const struct robot_body *body = &robot->body;
    double rim_m = body->shape == ROBOT_BOX
                       ? (body->length_m < body->width_m ? body->length_m : body->width_m) / 2
                       : body->radius_m;
    double reach_m = sqrt(look->x_m * look->x_m + look->y_m * look->y_m) + look->length_m / 2;
    return (look->shape == LOOK_DISC || look->shape == LOOK_RING) && look->lit_by &&
           (look->color & 0xff) < 0xff && reach_m > 0.7 * rim_m;
}

static void add_lamps(struct sim *sim, const struct sim_robot *robot, struct scenery_body *body)
{
    struct scenery *scenery = &sim->scenery;
    body->first_lamp = scenery->lamp_count;
    for (size_t i = 0; i < robot->type->looks->count; i++) {
        const struct look_row *look = &robot->type->looks->rows[i];
        if (!is_lamp(robot, look))
            continue;
        char name[sizeof sim->signals->info.name];
        snprintf(name, sizeof name, "%s.%s", robot->name, look->lit_by);
        size_t signal_at = sim_signal_find(sim, name);
        if (signal_at == SIZE_MAX)
            continue;
        double radius_m = look->length_m / 2;
        scenery->lamps[scenery->lamp_count++] = (struct scenery_lamp){
            .place = {look->x_m, look->y_m},
            .radius_m = radius_m > LAMP_RADIUS_M ? radius_m : LAMP_RADIUS_M,
            .signal = signal_at,
            .rgb = look->lit_color >> 8,
        };
    }
    body->lamp_count = scenery->lamp_count - body->first_lamp;
}

static void add_robot(struct sim *sim, const struct sim_robot *robot)
{
    const struct robot_body *from = &robot->body;
    struct scenery_body *body = &sim->scenery.bodies[sim->scenery.body_count++];
    *body = (struct scenery_body){
        .body = robot->body_index,
        .is_disc = from->shape == ROBOT_DISC,
        .radius_m = from->radius_m,
        .half_x_m = from->length_m / 2,
        .half_y_m = from->width_m / 2,
        .offset = {from->center_x_m, 0},
        .height_m = from->height_m,
        .rgb = robot->type->looks->count > 0 ? robot->type->looks->rows[0].color >> 8 : DISC_RGB,
    };
    add_lamps(sim, robot, body);
}

/* ---- All of it ---- */

static void add_things(struct sim *sim)
{
    const struct surroundings *around = &sim->surroundings;
    struct scenery *scenery = &sim->scenery;
    for (size_t i = 0; i < sim->dock_count; i++)
        scenery->bodies[scenery->body_count++] = (struct scenery_body){
            .body = sim->docks[i].body_index,
            .half_x_m = DOCK_DEPTH_M / 2,
            .half_y_m = DOCK_WIDTH_M / 2,
            .height_m = DOCK_HEIGHT_M,
            .rgb = DOCK_RGB,
        };
    for (size_t i = 0; i < around->box_count; i++) {
        const struct scene_box *box = &around->boxes[i].box;
        if (around->boxes[i].is_gone)
            continue;
        scenery->bodies[scenery->body_count++] = (struct scenery_body){
            .body = around->boxes[i].body,
            .half_x_m = box->length_m / 2,
            .half_y_m = box->width_m / 2,
            .height_m = box->look.height_m,
            .rgb = color_of(&box->look, BOX_RGB),
        };
    }
    for (size_t i = 0; i < around->disc_count; i++) {
        const struct scene_disc *disc = &around->discs[i].disc;
        scenery->bodies[scenery->body_count++] = (struct scenery_body){
            .body = around->discs[i].body,
            .is_disc = true,
            .radius_m = disc->radius_m,
            .height_m = disc->look.height_m,
            .rgb = color_of(&disc->look, DISC_RGB),
        };
    }
}

bool scenery_create(struct sim *sim)
{
    const struct surroundings *around = &sim->surroundings;
    struct scenery *scenery = &sim->scenery;
    size_t walls = around->wall_room + 4, lamps = 0;
    size_t bodies = sim->robot_count + sim->dock_count + around->box_room + around->disc_count;
    for (size_t i = 0; i < around->polygon_count; i++)
        walls += around->polygons[i].point_count;
    for (size_t i = 0; i < sim->robot_count; i++)
        lamps += sim->robots[i].type->looks->count;
    scenery->walls = calloc(walls, sizeof *scenery->walls);
    scenery->bodies = calloc(bodies + 1, sizeof *scenery->bodies);
    scenery->lamps = calloc(lamps + 1, sizeof *scenery->lamps);
    if (!scenery->walls || !scenery->bodies || !scenery->lamps)
        return false;
    scenery_update(sim);
    return true;
}

void scenery_update(struct sim *sim)
{
    struct scenery *scenery = &sim->scenery;
    scenery->wall_count = scenery->body_count = scenery->lamp_count = 0;
    add_walls(sim);
    for (size_t i = 0; i < sim->robot_count; i++)
        add_robot(sim, &sim->robots[sim->by_name[i]]);
    add_things(sim);
}

void scenery_destroy(struct sim *sim)
{
    free(sim->scenery.walls);
    free(sim->scenery.bodies);
    free(sim->scenery.lamps);
}
