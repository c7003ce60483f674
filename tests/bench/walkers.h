/* A scene for comparing engines: robots of the size of an e-puck that walk at random in a walled
 * room of 10 x 10 m (larger for more than 1000) with 20 wall segments. Each engine is a table of
 * functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"

enum { WALKERS_WALLS = 24, WALKERS_RAYS = 8 };

/* e-puck2: 70 mm across, 0.13 kg, wheels 53 mm apart and 41 mm across on steppers that make up to
 * 15.4 cm/s (GCtronic, e-puck2 specifications; axle: gctronic/epuck_driver_cpp). */
#define WALKERS_RADIUS_M     0.035
#define WALKERS_TRACK_M      0.053
#define WALKERS_WHEEL_M      0.0205
#define WALKERS_MASS_KG      0.13
#define WALKERS_SPEED_M_S    0.154
#define WALKERS_RAY_M        0.12 /* about what its proximity sensors see */
#define WALKERS_GRIP         0.8  /* chosen: rubber on wood */
#define WALKERS_FRICTION     0.3  /* chosen: plastic on wood */
#define WALKERS_ROOM_M       10.0
#define WALKERS_GRAVITY_M_S2 9.80665

struct walkers_wall {
    struct vec2 a, b;
};

/* Start poses and walls are the same for all engines. */
struct walkers {
    size_t count;
    double room_m; /* length of its walls: above 1000 robots, the area per robot stays that of 1000
                      robots */
    struct walkers_wall walls[WALKERS_WALLS];
    struct pose *poses;   /* at the start */
    double *left, *right; /* speeds of the wheels' rims, m/s */
    uint64_t random;
    double sum; /* of all results of rays, so that the compiler cannot remove them */
};

/* False if there is not enough memory. */
bool walkers_create(struct walkers *walkers, size_t count);
void walkers_destroy(struct walkers *walkers);

/* Directions of the rays of a robot with heading 0: unit vectors. */
void walkers_rays(struct vec2 directions[WALKERS_RAYS]);

static inline struct vec2 walkers_rotate(struct vec2 v, struct vec2 forward)
{
    return (struct vec2){forward.x * v.x - forward.y * v.y, forward.x * v.y + forward.y * v.x};
}

/* Sets new speeds of the robots that are due in a step: each robot gets new speeds about once per
 * second. */
void walkers_steer(struct walkers *walkers, long step, long steps_a_second);

struct engine {
    const char *name;
    void *(*create)(struct walkers *walkers);
    void (*step)(void *engine, double dt_s); /* with the speeds of the walkers */
    void (*look)(void *engine);              /* casts all rays of all robots */
    void (*destroy)(void *engine);
};

extern const struct engine engine_ours;  /* physics/ */
extern const struct engine engine_floor; /* wheel speeds to poses, without obstacles */
extern const struct engine engine_chipmunk;
