#include "tests/unit/camera_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/angle.h"
#include "sim/state/state.h"

const char eye_course[] =
    "  size: {x: 4, y: 3}\n"
    "  walls: [{from: {x: 2.6, y: 0.3}, to: {x: 3.1, y: 1.3}}]\n"
    "  polygons: [{points: [{x: 0.4, y: 2}, {x: 1, y: 2.1}, {x: 0.7, y: 2.6}]}]\n"
    "  boxes: [{pose: {x: 1.1, y: 0.6, heading: 33}, size: {x: 0.3, y: 0.2}}]\n"
    "  discs: [{pose: {x: 2.2, y: 2.4}, radius: 0.11}]\n"
    "  shades:\n"
    "    - {points: [{x: 1.8, y: 0.3}, {x: 2.3, y: 0.4}, {x: 1.9, y: 0.6}, {x: 2.3, y: 1}, {x: "
    "1.7, y: 0.9}], reflectance: 0.2}\n"
    "  lines:\n"
    "    - {from: {x: 0.2, y: 1.2}, to: {x: 3.6, y: 1.6}, width: 0.03}\n"
    "    - {from: {x: 1.5, y: 0.2}, to: {x: 1.4, y: 2.8}, width: 0.05, reflectance: 0.4}\n";

struct eye eye_open(const char *world, struct pose pose, const char *more)
{
    char yaml[8192];
    int size = snprintf(yaml, sizeof yaml,
                        "world:\n%s"
                        "robots:\n"
                        "  - {name: kobuki, type: kobuki, pose: {x: %.17g, y: %.17g, heading: "
                        "%.17g}}\n%s",
                        world, pose.x_m, pose.y_m, pose.heading_rad * 180 / ANGLE_PI, more);
    assert_true(size > 0 && (size_t)size < sizeof yaml);
    const struct sensor_spec spec = {.kind = SENSOR_CAMERA,
                                     .x_m = EYE_X_M,
                                     .z_m = EYE_Z_M,
                                     .cone_half_rad = EYE_HALF_RAD,
                                     .width = EYE_WIDTH,
                                     .height = EYE_HEIGHT};
    struct eye eye = {.simulation = simulation_open(yaml, NULL),
                      .focal = EYE_WIDTH / 2 / tan(EYE_HALF_RAD)};
    struct sim_robot *robot = &eye.simulation.sim->robots[0];
    assert_null(robot->cameras[0]);
    eye.camera = robot->cameras[0] = camera_create(robot, &spec);
    assert_non_null(eye.camera);
    return eye;
}

void eye_close(struct eye *eye)
{
    simulation_close(&eye->simulation);
}

void eye_capture(struct eye *eye)
{
    eye->image = camera_render(eye->camera);
    assert_int_equal(eye->image.width, EYE_WIDTH);
    assert_int_equal(eye->image.height, EYE_HEIGHT);
}

uint32_t eye_pixel(const struct eye *eye, size_t column, size_t row)
{
    const uint8_t *pixel = eye->image.rgb + (row * EYE_WIDTH + column) * 3;
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

double eye_column(const struct eye *eye, double depth_m, double left_m)
{
    return (EYE_WIDTH - 1) / 2.0 - eye->focal * left_m / depth_m;
}

double eye_row(const struct eye *eye, double depth_m, double high_m)
{
    return (EYE_HEIGHT - 1) / 2.0 - eye->focal * (high_m - EYE_Z_M) / depth_m;
}

bool is_red(uint32_t rgb)
{
    return (rgb >> 16) > 60 && (rgb & 0xffff) == 0;
}

bool is_blue(uint32_t rgb)
{
    return (rgb & 0xff) > 60 && (rgb & 0xffff00) == 0;
}

bool is_green(uint32_t rgb)
{
    return (rgb >> 8 & 0xff) > 60 && (rgb & 0xff00ff) == 0;
}
