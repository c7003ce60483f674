/* The shade of the floor: a picture, polygons upon it, lines upon all. */
#ifndef PTYBOT_SIM_ROOM_FLOOR_H
#define PTYBOT_SIM_ROOM_FLOOR_H

#include <stdbool.h>

#include "physics/geom.h"

struct scene;
struct sim;

/* How bright the floor is at a point, 0 black .. 1 white. */
double floor_reflectance(const struct sim *sim, struct vec2 point);

/* A copy of a scene's floor. False where memory is short; destroy takes it as it is. */
bool floor_create(struct sim *sim, const struct scene *scene);
void floor_destroy(struct sim *sim);

#endif
