/* The world of a scene: the bodies of robots and docks, and what else stands there. */
#ifndef PTYBOT_SIM_ROOM_BUILD_H
#define PTYBOT_SIM_ROOM_BUILD_H

#include <stdbool.h>

struct scene;
struct sim;

/* Robots are there already. False where memory is short. */
bool build_world(struct sim *sim, const struct scene *scene);

#endif
