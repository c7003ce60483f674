/* The visible objects of a room, except the floor: outlines with height, color and lamps. They are
 * derived from the room and its robots; present poses are read from the world. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"

struct sim;

/* Colors, 0xRRGGBB, of objects without a color. Chosen: cardboard boxes, gray plastic discs, dark
 * posts and plates. */
enum { SCENERY_BOX_RGB = 0xb58a5a, SCENERY_DISC_RGB = 0x8c94a0, SCENERY_PART_RGB = 0x2a2d33 };

#define SCENERY_DOCK_HEIGHT_M 0.10 /* chosen: about the height of a Kobuki's dock */

struct scenery_wall {
    struct vec2 a, b;
    double height_m;
    double left_light, right_light; /* brightness of its two sides, seen from A to B, 0..1 */
    uint32_t rgb;                   /* 0xRRGGBB */
};

/* A lamp of a robot, visible from the side while its signal is not 0. */
struct scenery_lamp {
    struct vec2 place; /* relative to the middle of the body's shape, body frame */
    double radius_m;
    size_t signal;
    uint32_t rgb;
};

struct scenery_body {
    size_t body; /* index in the world */
    bool is_disc;
    double radius_m;           /* disc */
    double half_x_m, half_y_m; /* box */
    struct vec2 offset;        /* middle of the shape, relative to the body's origin, body frame */
    double height_m;
    uint32_t rgb;
    size_t first_lamp, lamp_count; /* robots only */
};

struct scenery {
    struct scenery_wall *walls;
    size_t wall_count;
    struct scenery_body *bodies;    /* robots, docks, boxes, discs */
    size_t body_count, fixed_count; /* FIXED_COUNT: robots and docks, which are never removed */
    struct scenery_lamp *lamps;
    size_t lamp_count;
};

/* Fills the scenery of a complete room. False: out of memory. */
bool scenery_create(struct sim *sim);
/* Updates the scenery after walls or boxes were added or removed. Allocates nothing. */
void scenery_update(struct sim *sim);
void scenery_destroy(struct scenery *scenery);

/* Brightness of a surface with this outward normal (a unit vector), 0..1: sides differ, so that
 * edges are visible. */
double scenery_light(struct vec2 normal);
