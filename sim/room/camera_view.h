/* The inside of a camera, shared by the files that draw its picture and by nobody else. In the
 * camera's frame x is the depth, along the way it looks, and y is to the left. A slope is a height
 * over the camera for a depth of 1. */
#ifndef PTYBOT_SIM_ROOM_CAMERA_VIEW_H
#define PTYBOT_SIM_ROOM_CAMERA_VIEW_H

#include "physics/geom.h"
#include "sim/room/camera.h"

/* A thing in one column: it stands on the floor from FOOT up to TOP; of one lower than the camera
 * the upper side shows, up to REACH. */
struct slab {
    double inverse_m;  /* 1 / depth */
    double top, reach; /* slopes */
    uint32_t body;     /* of the world; CAMERA_WALL */
    uint32_t side_rgb, lid_rgb;
    uint32_t lamp_rgb, glow_rgb; /* CAMERA_LIT is set where there is one */
};
#define CAMERA_WALL UINT32_MAX
#define CAMERA_LIT  0x1000000u

/* Slabs from near to far. A slab is there only if it reaches above all that are nearer: the list is
 * short, and nothing hidden is in it. */
enum { CAMERA_SLABS_MAX = 12 }; /* chosen: more heights one behind the other than a scene shows */
struct column {
    size_t count;
    struct slab slabs[CAMERA_SLABS_MAX];
};

struct camera {
    const struct sim *sim;
    const struct sim_robot *robot;
    struct sensor_spec spec;
    size_t width, height;
    double focal;              /* pixels */
    double middle_u, middle_v; /* column and row of the way it looks */
    double top_slope;          /* no row looks above it */
    double *aside;             /* by column: to the left for a depth of 1 */
    double *row_light;         /* by row: light on the floor that it sees */
    uint8_t *backdrop;         /* what there is to see in an empty world */
    uint8_t *rgb;
    struct column *columns;

    struct vec2 place, ahead; /* now, world frame */
};

/* A point of the world in the camera's frame. */
struct vec2 camera_to_view(const struct camera *camera, struct vec2 point);

/* The first column, or row, whose middle is not left of, or above, a place in the picture; 0 to
 * COUNT. */
size_t camera_first(double place, size_t count);

/* What is left of light after so many meters (1 / INVERSE_M). */
double camera_fade(double inverse_m);

/* sim/room/camera_floor.c: draws shades, lines and cliffs, and the floor's picture, on the
 * backdrop. */
void camera_draw_floor(struct camera *camera);

/* sim/room/camera_things.c: fills the columns. */
void camera_find_things(struct camera *camera);

#endif
