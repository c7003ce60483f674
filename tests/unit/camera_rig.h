/* A camera on the first robot of a scene. The robot is a Kobuki, which has no built-in camera. */
#pragma once

#include "physics/geom.h"
#include "sim/room/camera.h"
#include "tests/support/simulation.h"

/* The values of an e-puck2. */
#define EYE_X_M      0.030
#define EYE_Z_M      0.028
#define EYE_HALF_RAD 0.42
enum { EYE_WIDTH = 160, EYE_HEIGHT = 120 };

struct eye {
    struct simulation simulation;
    struct camera *camera;
    double focal; /* focal length in pixels: columns for a slope of 1 */
    struct robot_image image;
};

/* The lines under `world:` of a room with one of everything. */
extern const char eye_course[];

/* The robot `kobuki` at a pose of a world (the lines under `world:`); further robots in MORE. */
struct eye eye_open(const char *world, struct pose pose, const char *more);
void eye_close(struct eye *eye);

/* Takes an image and keeps it. */
void eye_capture(struct eye *eye);
/* A color as 0xRRGGBB. */
uint32_t eye_pixel(const struct eye *eye, size_t column, size_t row);

/* Place in the picture of a point at a depth, to the left and above the floor by these lengths. */
double eye_column(const struct eye *eye, double depth_m, double left_m);
double eye_row(const struct eye *eye, double depth_m, double high_m);

/* Whether the color has this hue, at any brightness above a minimum. */
bool is_red(uint32_t rgb);
bool is_blue(uint32_t rgb);
bool is_green(uint32_t rgb);
