/* Internal state of a camera, only for camera.c and its two parts, camera_floor.c and
 * camera_things.c. In the camera's frame x is the depth, along the viewing direction, and y is to
 * the left. A slope is a height above the camera per depth. */
#pragma once

#include "sim/room/camera.h"
#include "sim/state/state.h"

/* The part of an object in one column of the picture: its side, from the floor up to TOP. For an
 * object lower than the camera also its upper surface, up to REACH. */
struct slab {
    double inverse_m;  /* 1 / depth */
    double top, reach; /* slopes */
    uint32_t body;     /* of the world; or CAMERA_WALL */
    uint32_t side_rgb, lid_rgb;
    uint32_t lamp_rgb, glow_rgb; /* CAMERA_LIT is set if there is a light */
};
#define CAMERA_WALL UINT32_MAX
#define CAMERA_LIT  0x1000000u

/* Slabs from near to far. Each reaches above all nearer ones: hidden slabs are not in the list, so
 * the list is short. */
enum { CAMERA_SLABS_MAX = 12 }; /* chosen: scenes have fewer different heights in one direction */
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
    double middle_u, middle_v; /* column and row of the viewing direction */
    double top_slope;          /* upper limit of the view */
    double *aside;             /* by column: distance to the left per depth */
    double *row_light;         /* by row: light on the visible floor */
    uint8_t *backdrop;         /* the picture of an empty world */
    uint8_t *rgb;
    struct column *columns;

    struct vec2 place, ahead; /* present position and direction, world frame */
};

/* Converts a point of the world to the camera's frame. */
static inline struct vec2 camera_to_view(const struct camera *camera, struct vec2 point)
{
    double x = point.x - camera->place.x, y = point.y - camera->place.y;
    return (struct vec2){camera->ahead.x * x + camera->ahead.y * y,
                         camera->ahead.x * y - camera->ahead.y * x};
}

/* The first column (row) whose center is not left of (above) a position in the picture; 0 to
 * COUNT. */
static inline size_t camera_first(double place, size_t count)
{
    if (!(place > 0))
        return 0;
    if (place > (double)count)
        return count;
    size_t whole = (size_t)place;
    return (double)whole < place ? whole + 1 : whole;
}

/* The fraction of light that remains after a distance (1 / INVERSE_M). */
static inline double camera_fade(double inverse_m)
{
    double square = inverse_m * inverse_m;
    return 0.6 + 0.4 * square / (square + 0.25); /* chosen: half of the fading at 2 m */
}

/* camera_floor.c: draws the floor's picture, shades, lines and cliffs on the backdrop. */
void camera_draw_floor(struct camera *camera);

/* camera_things.c: fills the columns with all objects on the floor. */
void camera_find_things(struct camera *camera);
