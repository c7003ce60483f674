/* The objects in the room: those of the scene, and the changes since the start (walls and boxes
 * that were added or removed). The scene does not change and is not copied. A struct room contains
 * the changes, and the body or wall of the physical world for each object. */
#pragma once

#include "sim/room/scenery.h"
#include "sim/state/state.h"

/* chosen: more than a user draws in an afternoon */
enum { ROOM_SPARE_WALLS = 64, ROOM_SPARE_BOXES = 32 };

/* Walls and boxes have numbers: their position in the list, counted from 1, first those of the
 * scene, then the added ones. The number of a removed one is reused for the next that is added. */
struct room_wall {
    const struct scene_wall *shape; /* in the scene or in the added ones; NULL: removed or unused */
    size_t in_world;                /* index of the wall in the world */
};

struct room_box {
    const struct scene_box *shape; /* the same; its pose is the start pose */
    size_t body;                   /* index in the world */
};

struct room {
    struct scene_appearance appearance; /* of its four walls, and of walls without an appearance */
    struct room_wall *walls;
    size_t wall_count, wall_max;
    struct room_box *boxes;
    size_t box_count, box_max;
    struct scene_wall *new_walls; /* by number: the shapes of walls added since the start */
    struct scene_box *new_boxes;
    size_t *standing; /* by body in the world: the robot. Mounted robots have no body */
    size_t first_dock, first_disc; /* indices of bodies in the world; the others follow in the order
                                      of the scene */
    struct scenery scenery;
    size_t *playing; /* robots that play a tone, in the order of their names */
    size_t playing_count;
    /* Incremented at each change of static objects: programs that draw the room then read it
     * again. */
    uint64_t generation;
};

/* Makes the room and the physical world of a simulation that already has its scene, robots and
 * signals. False: out of memory; room_destroy accepts a partial room. */
bool room_create(struct sim *sim);
void room_destroy(struct sim *sim);

/* Adds a wall or box with the number WANTED, which must be free; 0: the first free one. SHAPE is
 * copied; both ends of a wall, and the middle of a box, must be in the room. Returns false with the
 * reason if the number or all numbers are in use, or if it overlaps a robot or a dock. The same
 * applies if it overlaps a box, a disc or a wall, and one of the two is movable. Allocates
 * nothing. */
bool room_add_wall(struct sim *sim, int64_t wanted, const struct scene_wall *shape,
                   struct error *error);
bool room_add_box(struct sim *sim, int64_t wanted, const struct scene_box *shape,
                  struct error *error);

/* False, with the reason: this number does not exist. */
bool room_remove_wall(struct sim *sim, int64_t number, struct error *error);
bool room_remove_box(struct sim *sim, int64_t number, struct error *error);

/* Whether all objects can go back to their start poses, because nothing was added there. If not,
 * returns false with the reason. */
bool room_can_restore(const struct sim *sim, struct error *error);
/* Moves every box and disc back to the pose of the scene or of the command that added it. */
void room_restore(struct sim *sim);
