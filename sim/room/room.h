/* What stands in a room: from the surroundings into the world, and changes of both together. */
#ifndef PTYBOT_SIM_ROOM_ROOM_H
#define PTYBOT_SIM_ROOM_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"

struct sim;

/* Puts everything into the world, at the start. */
void room_build(struct sim *sim);

/* Number of a wall or box, from 1 on: WANTED if it is free, where it is 0 the first free one. Also
 * what SHAPE says must lie in the room. False, with the reason. */
bool room_add_wall(struct sim *sim, int64_t wanted, const struct scene_wall *shape,
                   struct error *error);
bool room_add_box(struct sim *sim, int64_t wanted, const struct scene_box *shape,
                  struct error *error);
bool room_remove_wall(struct sim *sim, int64_t number, struct error *error);
bool room_remove_box(struct sim *sim, int64_t number, struct error *error);

/* Everything that can move goes back to where it was put. */
void room_tidy(struct sim *sim);

#endif
