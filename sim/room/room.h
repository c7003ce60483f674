/* The room: what stands in it, as the scene has it and as it was edited since: walls and boxes that
 * were put up or taken away. The scene stays as it is, and nothing of it is copied; here are the
 * edits, and which body or wall of the physical world each thing is. */
#pragma once

#include "sim/room/scenery.h"
#include "sim/state/state.h"

/* chosen: more than anybody draws in an afternoon */
enum { ROOM_SPARE_WALLS = 64, ROOM_SPARE_BOXES = 32 };

/* A wall or box is known by its number, which is its place in the list, counted from 1: first those
 * of the scene, then those put up later. The number of one that was taken away is free for the next
 * that is put up. */
struct room_wall {
    const struct scene_wall *shape; /* of the scene or of the edits; NULL: there is none */
    size_t in_world;                /* number of the wall there */
};

struct room_box {
    const struct scene_box *shape; /* the same; its pose is where it was put */
    size_t body;                   /* in the world */
};

struct room {
    struct scene_appearance appearance; /* of its four walls, and of walls without their own */
    struct room_wall *walls;
    size_t wall_count, wall_max;
    struct room_box *boxes;
    size_t box_count, box_max;
    struct scene_wall *new_walls; /* by number: the shapes of those put up since the start */
    struct scene_box *new_boxes;
    size_t *standing; /* by body in the world: the robot. Those that ride on others have no body */
    size_t first_dock, first_disc; /* bodies in the world; the others follow, as in the scene */
    struct scenery scenery;
    size_t *playing; /* robots that play a tone, in the order of their names */
    size_t playing_count;
    /* Goes up whenever anything has changed that stands still: who draws it then looks again. */
    uint64_t generation;
};

/* Makes the room and the physical world of a simulation whose scene, robots and signals are there.
 * False where memory is short; room_destroy takes what there is. */
bool room_create(struct sim *sim);
void room_destroy(struct sim *sim);

/* Puts up a wall or box with the number WANTED, which must be free; 0: the first free one. SHAPE is
 * copied; both ends of a wall, and the middle of a box, lie in the room. False, with the reason,
 * where the number or all of them are taken, or it overlaps a robot, a dock, or where one of the
 * two is movable a box, a disc or a wall. Allocates nothing. */
bool room_add_wall(struct sim *sim, int64_t wanted, const struct scene_wall *shape,
                   struct error *error);
bool room_add_box(struct sim *sim, int64_t wanted, const struct scene_box *shape,
                  struct error *error);

/* False, with the reason: there is none of this number. */
bool room_remove_wall(struct sim *sim, int64_t number, struct error *error);
bool room_remove_box(struct sim *sim, int64_t number, struct error *error);

/* Whether all could go back to where it started: nothing was built there since. False, with the
 * reason. */
bool room_can_restore(const struct sim *sim, struct error *error);
/* Puts every box and disc back to where the scene or the command had put it. */
void room_restore(struct sim *sim);
