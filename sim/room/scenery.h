/* What a camera can see in a room, but the floor: outlines with height, color and lamps. It is
 * derived from the room and its robots; where things are now is asked of the world. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"

struct sim;

/* Chosen: cardboard boxes, gray plastic discs, dark posts and plates; of things that name no color,
 * 0xRRGGBB. */
enum { SCENERY_BOX_RGB = 0xb58a5a, SCENERY_DISC_RGB = 0x8c94a0, SCENERY_PART_RGB = 0x2a2d33 };

#define SCENERY_DOCK_HEIGHT_M 0.10 /* chosen: about that of a Kobuki's dock */

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
    size_t first_lamp, lamp_count; /* robots only */
};

struct scenery {
    struct scenery_wall *walls;
    size_t wall_count;
    struct scenery_body *bodies;    /* robots, docks, boxes, discs */
    size_t body_count, fixed_count; /* robots and docks stay */
    struct scenery_lamp *lamps;
    size_t lamp_count;
};

/* Fills the scenery of a room in which all stands. False: no memory. */
bool scenery_create(struct sim *sim);
/* Walls or boxes have been put up or taken away. Allocates nothing. */
void scenery_update(struct sim *sim);
void scenery_destroy(struct scenery *scenery);

/* How light a surface with this outward normal (a unit vector) is, 0..1: sides differ, so that
 * edges are seen. */
double scenery_light(struct vec2 normal);
