/* What stands in the world as an eye sees it: outlines of physics with height, color and lamps. It
 * is made of the surroundings; where things are now is asked of the world. Leaves out the floor. */
#ifndef PTYBOT_SIM_ROOM_SCENERY_H
#define PTYBOT_SIM_ROOM_SCENERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"
#include "sim/scene/scene.h"

struct sim;

struct scenery_wall {
    struct vec2 a, b;
    double height_m;
    double left_light, right_light; /* of its sides, on the way from A to B, 0..1 */
    uint32_t rgb;                   /* 0xRRGGBB */
};

/* A lamp of a robot, seen from the side while its signal is not 0. */
struct scenery_lamp {
    struct vec2 place; /* from the middle of the body's shape, body frame */
    double radius_m;
    size_t signal;
    uint32_t rgb;
};

struct scenery_body {
    size_t body; /* in the world */
    bool is_disc;
    double radius_m;           /* disc */
    double half_x_m, half_y_m; /* box */
    struct vec2 offset;        /* of the shape's middle from the body's origin, body frame */
    double height_m;
    uint32_t rgb;
    size_t first_lamp, lamp_count;
};

struct scenery {
    struct scenery_wall *walls;
    size_t wall_count;
    struct scenery_body *bodies;
    size_t body_count;
    struct scenery_lamp *lamps;
    size_t lamp_count;
};

/* Fills the scenery of a simulation whose world, surroundings, robots and signals are there. False:
 * no memory. */
bool scenery_create(struct sim *sim);
/* The surroundings have changed. Allocates nothing. */
void scenery_update(struct sim *sim);
void scenery_destroy(struct sim *sim);

/* The room's walls, with what the scene leaves open filled in. */
struct scene_look scenery_room(const struct scene *scene);

/* How light a surface with this outward normal (a unit vector) is, 0..1: sides differ, so that
 * edges are seen. */
double scenery_light(struct vec2 normal);

/* How much infrared a thing of this look throws back, 0..1. */
double scenery_reflectance(const struct scene_look *look);

#endif
