/* Creates cameras and draws pictures: first the floor, then column by column the objects on it. */
#include "sim/room/camera_view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"

/* Chosen: the background above the walls is bright, more so near the horizon. */
static const double HORIZON_RGB[3] = {206, 212, 220};
static const double ZENITH_RGB[3] = {150, 166, 192};
#define FLOOR_RGB 230 /* chosen: a white floor, not quite overexposed */

/* Vertical position of the light of lamps and of glowing bodies, as fractions of the body's height.
 * Chosen after the e-puck2: its lamps are 41 mm high on a body of 50 mm, and its shell glows below
 * them. */
#define LAMP_LOW  0.74
#define LAMP_HIGH 0.90
#define GLOW_LOW  0.20
#define GLOW_HIGH 0.60

/* ---- Creation ---- */

static void paint_backdrop(struct camera *camera)
{
    for (size_t row = 0; row < camera->height; row++) {
        uint8_t *line = camera->backdrop + row * camera->width * 3;
        double below = (double)row - camera->middle_v;
        uint8_t rgb[3];
        if (below > 0) {
            camera->row_light[row] = camera_fade(below / (camera->focal * camera->spec.z_m));
            memset(rgb, (int)(FLOOR_RGB * camera->row_light[row]), sizeof rgb);
        } else {
            double high = -below / (camera->middle_v + 1);
            for (size_t i = 0; i < 3; i++)
                rgb[i] = (uint8_t)(HORIZON_RGB[i] + high * (ZENITH_RGB[i] - HORIZON_RGB[i]));
        }
        for (size_t column = 0; column < camera->width; column++)
            memcpy(line + column * 3, rgb, sizeof rgb);
    }
}

struct camera *camera_create(const struct sim_robot *robot, const struct sensor_spec *spec)
{
    struct camera *camera = calloc(1, sizeof *camera);
    if (!camera)
        return NULL;
    size_t pixels = (size_t)spec->width * spec->height;
    camera->sim = robot->sim;
    camera->robot = robot;
    camera->spec = *spec;
    camera->aside = calloc(spec->width, sizeof *camera->aside);
    camera->row_light = calloc(spec->height, sizeof *camera->row_light);
    camera->backdrop = calloc(pixels, 3);
    camera->rgb = calloc(pixels, 3);
    camera->columns = calloc(spec->width, sizeof *camera->columns);
    if (!camera->aside || !camera->row_light || !camera->backdrop || !camera->rgb ||
        !camera->columns) {
        camera_destroy(camera);
        return NULL;
    }
    camera_resize(camera, spec->width);
    return camera;
}

void camera_resize(struct camera *camera, uint32_t columns)
{
    const struct sensor_spec *spec = &camera->spec;
    double sine, cosine;
    assert(columns >= 1 && columns <= spec->width);
    if (columns == camera->width)
        return;
    camera->width = columns;
    camera->height = robot_image_rows(columns, spec->width, spec->height);
    angle_sin_cos(spec->cone_half_rad, &sine, &cosine);
    camera->focal = (double)camera->width / 2 * cosine / sine;
    camera->middle_u = ((double)camera->width - 1) / 2;
    camera->middle_v = ((double)camera->height - 1) / 2;
    camera->top_slope = (camera->middle_v + 1) / camera->focal;
    for (size_t u = 0; u < camera->width; u++)
        camera->aside[u] = (camera->middle_u - (double)u) / camera->focal;
    paint_backdrop(camera);
}

void camera_destroy(struct camera *camera)
{
    if (!camera)
        return;
    free(camera->aside);
    free(camera->row_light);
    free(camera->backdrop);
    free(camera->rgb);
    free(camera->columns);
    free(camera);
}

/* ---- Columns ---- */

/* The first row at or below a slope. */
static size_t row_of(const struct camera *camera, double slope)
{
    return camera_first(camera->middle_v - camera->focal * slope, camera->height);
}

/* Fills rows FROM (included) to TO of a column. */
static void fill(struct camera *camera, size_t column, size_t from, size_t to, uint32_t rgb)
{
    const uint8_t red = (uint8_t)(rgb >> 16), green = (uint8_t)(rgb >> 8), blue = (uint8_t)rgb;
    const size_t stride = camera->width * 3;
    uint8_t *pixel = camera->rgb + from * stride + column * 3;
    for (size_t row = from; row < to; row++, pixel += stride) {
        pixel[0] = red;
        pixel[1] = green;
        pixel[2] = blue;
    }
}

/* Draws a band of light around a body, between two fractions of its height, in rows FROM to TO. */
static void fill_band(struct camera *camera, size_t column, const struct slab *slab, double low,
                      double high, size_t from, size_t to, uint32_t rgb)
{
    if (!(rgb & CAMERA_LIT))
        return;
    double foot = -camera->spec.z_m * slab->inverse_m, tall = slab->top - foot;
    size_t first = row_of(camera, foot + high * tall), last = row_of(camera, foot + low * tall);
    fill(camera, column, first > from ? first : from, last < to ? last : to, rgb);
}

static void paint_column(struct camera *camera, size_t u)
{
    const struct column *column = &camera->columns[u];
    size_t below = camera->height; /* rows from here on show something nearer */
    for (size_t i = 0; i < column->count; i++) {
        const struct slab *slab = &column->slabs[i];
        size_t foot = row_of(camera, -camera->spec.z_m * slab->inverse_m);
        size_t top = row_of(camera, slab->top), reach = row_of(camera, slab->reach);
        if (foot > below)
            foot = below;
        if (top > foot)
            top = foot;
        fill(camera, u, top, foot, slab->side_rgb);
        fill_band(camera, u, slab, GLOW_LOW, GLOW_HIGH, top, foot, slab->glow_rgb);
        fill_band(camera, u, slab, LAMP_LOW, LAMP_HIGH, top, foot, slab->lamp_rgb);
        if (reach < top)
            fill(camera, u, reach, top, slab->lid_rgb);
        if (reach < below)
            below = reach;
    }
}

struct robot_image camera_render(struct camera *camera)
{
    struct pose pose = camera->robot->pose;
    camera->place = geom_to_world(pose, (struct vec2){camera->spec.x_m, camera->spec.y_m});
    angle_sin_cos(pose.heading_rad + camera->spec.heading_rad, &camera->ahead.y, &camera->ahead.x);

    memcpy(camera->rgb, camera->backdrop, camera->width * camera->height * 3);
    camera_draw_floor(camera);
    camera_find_things(camera);
    for (size_t u = 0; u < camera->width; u++)
        paint_column(camera, u);
    return (struct robot_image){(uint16_t)camera->width, (uint16_t)camera->height, camera->rgb};
}

/* ---- Pictures that a firmware requests at once ---- */

static struct robot_image take(void *context, size_t sensor, uint32_t width)
{
    struct sim_robot *robot = context;
    struct camera *camera = robot->cameras[sensor];
    camera_resize(camera, width);
    robot->sensors.image = camera_render(camera);
    if (robot->blind >> sensor & 1)
        memset(camera->rgb, 0, camera->width * camera->height * 3);
    return robot->sensors.image;
}

struct robot_cameras camera_pictures(struct sim_robot *robot)
{
    for (size_t i = 0; i < robot->body->sensor_count; i++)
        if (robot->cameras[i])
            return (struct robot_cameras){.context = robot, .take = take};
    return (struct robot_cameras){0};
}
