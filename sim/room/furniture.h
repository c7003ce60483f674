/* What stands in a room: the shapes of the scene, and those that were built or taken away since.
 * The one place that knows: physics, cameras and snapshots have theirs from here. */
#ifndef PTYBOT_SIM_ROOM_FURNITURE_H
#define PTYBOT_SIM_ROOM_FURNITURE_H

#include "sim/scene/scene.h"

/* chosen: more than a hand draws in an afternoon */
enum { SURROUNDINGS_SPARE_WALLS = 64, SURROUNDINGS_SPARE_BOXES = 32 };

/* Walls and boxes are known by their place in the list, from 1 on; one that is gone leaves its
 * place to the next that is built. */
struct standing_wall {
    struct scene_wall wall;
    size_t in_world; /* number of the wall there */
    bool is_gone;
};

struct standing_box {
    struct scene_box box; /* its pose is where it was put */
    size_t body;          /* in the world */
    bool is_gone;
};

struct standing_disc {
    struct scene_disc disc;
    size_t body;
};

struct surroundings {
    char title[SCENE_LABEL_MAX]; /* of the scene, UTF-8 */
    struct scene_look room;      /* of its walls */
    struct standing_wall *walls;
    size_t wall_count, wall_room;
    struct scene_polygon *polygons;
    size_t polygon_count;
    struct standing_box *boxes;
    size_t box_count, box_room;
    struct standing_disc *discs;
    size_t disc_count;
    char (*dock_names)[SCENE_NAME_MAX + 1];
    size_t dock_count;
    /* Goes up whenever anything that stands still has changed: drawers then look again. */
    uint64_t generation;
};

/* A copy of what a scene has, not in any world yet. False where memory is short; destroy takes it
 * as it is. */
bool surroundings_create(struct surroundings *self, const struct scene *scene);
void surroundings_destroy(struct surroundings *self);

#endif
