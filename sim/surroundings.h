/* What stands in a room, for whoever draws it: the shapes of the scene, which the physics keeps
 * only as walls and bodies. */
#ifndef PTYBOT_SIM_SURROUNDINGS_H
#define PTYBOT_SIM_SURROUNDINGS_H

#include "sim/scene.h"

/* Bodies of boxes and then of discs follow those of the docks in the world, in this order. */
struct surroundings {
    char title[SCENE_LABEL_MAX]; /* of the scene, UTF-8 */
    struct scene_wall *walls;
    size_t wall_count;
    struct scene_polygon *polygons;
    size_t polygon_count;
    struct scene_box *boxes;
    size_t box_count;
    struct scene_disc *discs;
    size_t disc_count;
    char (*dock_names)[SCENE_NAME_MAX + 1];
    size_t dock_count;
    /* Goes up whenever anything that stands still has changed: drawers then look again. */
    uint64_t generation;
};

/* A copy of what a scene has. False where memory is short; destroy takes it as it is. */
bool surroundings_create(struct surroundings *self, const struct scene *scene);
void surroundings_destroy(struct surroundings *self);

#endif
