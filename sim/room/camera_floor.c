/* The floor in a picture. A row of pixels shows a straight line on the floor at one depth. It shows
 * the parts of a shade or line between the points where the outline crosses that depth. */
#include <math.h>
#include <string.h>

#include "sim/room/camera_view.h"

/* Chosen: black paint is not quite black, and white is that of the backdrop. */
#define GRAY_LEAST 26.0
#define GRAY_MORE  204.0
/* Chosen: the side of a hole and the ground below it, both in shadow. */
enum { CLIFF_SIDE = 74, CLIFF_BOTTOM = 40 };

struct span {
    size_t from, to;
};
enum { SPANS_MAX = SCENE_POINTS_MAX / 2 };

static void fill_span(struct camera *camera, size_t row, struct span span, double gray)
{
    if (span.from < span.to)
        memset(camera->rgb + (row * camera->width + span.from) * 3,
               (int)(gray * camera->row_light[row]), (span.to - span.from) * 3);
}

static double gray_of(double reflectance)
{
    return GRAY_LEAST + GRAY_MORE * reflectance;
}

/* Depth where a row sees a plane BELOW_M below the camera. */
static double depth_of(const struct camera *camera, size_t row, double below_m)
{
    return below_m * camera->focal / ((double)row - camera->middle_v);
}

/* Rows that see a plane between two depths; larger depths are higher in the picture. */
static struct span rows_between(const struct camera *camera, double near_m, double far_m,
                                double below_m)
{
    struct span rows = {camera_first(camera->middle_v + 0.5, camera->height), camera->height};
    if (far_m <= 0)
        return (struct span){0, 0};
    size_t first = camera_first(camera->middle_v + camera->focal * below_m / far_m, camera->height);
    if (first > rows.from)
        rows.from = first;
    if (near_m > 0)
        rows.to = camera_first(camera->middle_v + camera->focal * below_m / near_m, camera->height);
    return rows;
}

/* ---- Outlines ---- */

struct outline {
    struct vec2 points[SCENE_POINTS_MAX]; /* camera's frame */
    size_t count;
    double near_m, far_m;
};

static void make_outline(const struct camera *camera, const struct vec2 *points, size_t count,
                         struct outline *outline)
{
    outline->count = count;
    outline->near_m = INFINITY;
    outline->far_m = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        struct vec2 point = camera_to_view(camera, points[i]);
        outline->points[i] = point;
        outline->near_m = point.x < outline->near_m ? point.x : outline->near_m;
        outline->far_m = point.x > outline->far_m ? point.x : outline->far_m;
    }
}

/* The spans of columns that lie inside the outline at a depth, from left to right. */
static size_t outline_spans(const struct camera *camera, const struct outline *outline,
                            double depth_m, struct span spans[static SPANS_MAX])
{
    double places[SCENE_POINTS_MAX];
    double scale = camera->focal / depth_m;
    size_t count = 0;
    for (size_t i = 0; i < outline->count; i++) {
        struct vec2 a = outline->points[i], b = outline->points[(i + 1) % outline->count];
        if ((a.x <= depth_m) == (b.x <= depth_m))
            continue;
        double y = a.y + (b.y - a.y) * (depth_m - a.x) / (b.x - a.x);
        double place = camera->middle_u - scale * y;
        size_t at = count++;
        for (; at > 0 && places[at - 1] > place; at--)
            places[at] = places[at - 1];
        places[at] = place;
    }
    for (size_t i = 0; i < count / 2; i++)
        spans[i] = (struct span){camera_first(places[2 * i], camera->width),
                                 camera_first(places[2 * i + 1], camera->width)};
    return count / 2;
}

static void draw_shade(struct camera *camera, const struct scene_shade *shade)
{
    struct outline outline;
    make_outline(camera, shade->points, shade->point_count, &outline);
    double below_m = camera->spec.z_m, gray = gray_of(shade->reflectance);
    struct span rows = rows_between(camera, outline.near_m, outline.far_m, below_m);
    for (size_t row = rows.from; row < rows.to; row++) {
        struct span spans[SPANS_MAX];
        size_t count = outline_spans(camera, &outline, depth_of(camera, row, below_m), spans);
        for (size_t i = 0; i < count; i++)
            fill_span(camera, row, spans[i], gray);
    }
}

/* ---- Lines: round at their ends ---- */

/* Extends the interval from LEFT to RIGHT by the extent of a disc at a depth. */
static void add_disc(struct vec2 middle, double radius_m, double depth_m, double *left,
                     double *right)
{
    double off_m = depth_m - middle.x, square = radius_m * radius_m - off_m * off_m;
    if (square < 0)
        return;
    double half_m = sqrt(square);
    *left = middle.y + half_m > *left ? middle.y + half_m : *left;
    *right = middle.y - half_m < *right ? middle.y - half_m : *right;
}

static void add_edge(struct vec2 a, struct vec2 b, double depth_m, double *left, double *right)
{
    if ((a.x <= depth_m) == (b.x <= depth_m))
        return;
    double y = a.y + (b.y - a.y) * (depth_m - a.x) / (b.x - a.x);
    *left = y > *left ? y : *left;
    *right = y < *right ? y : *right;
}

static void draw_line(struct camera *camera, const struct scene_line *line)
{
    struct vec2 a = camera_to_view(camera, line->from), b = camera_to_view(camera, line->to);
    double radius_m = line->width_m / 2, below_m = camera->spec.z_m;
    double near_m = (a.x < b.x ? a.x : b.x) - radius_m, far_m = (a.x < b.x ? b.x : a.x) + radius_m;
    struct span rows = rows_between(camera, near_m, far_m, below_m);
    if (rows.from >= rows.to)
        return;
    double x = b.x - a.x, y = b.y - a.y, length_m = sqrt(x * x + y * y);
    double scale = length_m > 0 ? radius_m / length_m : 0;
    struct vec2 aside = {-y * scale, x * scale};
    const struct vec2 corners[4] = {{a.x + aside.x, a.y + aside.y},
                                    {b.x + aside.x, b.y + aside.y},
                                    {b.x - aside.x, b.y - aside.y},
                                    {a.x - aside.x, a.y - aside.y}};
    double gray = gray_of(line->reflectance);
    for (size_t row = rows.from; row < rows.to; row++) {
        double depth_m = depth_of(camera, row, below_m), left = -INFINITY, right = INFINITY;
        add_disc(a, radius_m, depth_m, &left, &right);
        add_disc(b, radius_m, depth_m, &left, &right);
        for (size_t i = 0; i < 4; i++)
            add_edge(corners[i], corners[(i + 1) % 4], depth_m, &left, &right);
        double pixels = camera->focal / depth_m;
        struct span span = {camera_first(camera->middle_u - pixels * left, camera->width),
                            camera_first(camera->middle_u - pixels * right, camera->width)};
        if (left >= right)
            fill_span(camera, row, span, gray);
    }
}

/* ---- Cliffs ---- */

/* Through the hole the camera sees its side, and its bottom inside the outline at the depth of the
 * bottom. */
static void draw_cliff(struct camera *camera, const struct scene_cliff *cliff)
{
    struct outline outline;
    make_outline(camera, cliff->points, cliff->point_count, &outline);
    double below_m = camera->spec.z_m;
    struct span rows = rows_between(camera, outline.near_m, outline.far_m, below_m);
    for (size_t row = rows.from; row < rows.to; row++) {
        struct span holes[SPANS_MAX], bottoms[SPANS_MAX];
        double deep_m = depth_of(camera, row, below_m + cliff->depth_m);
        size_t count = outline_spans(camera, &outline, depth_of(camera, row, below_m), holes);
        size_t bottom_count = outline_spans(camera, &outline, deep_m, bottoms);
        for (size_t i = 0; i < count; i++) {
            fill_span(camera, row, holes[i], CLIFF_SIDE);
            for (size_t k = 0; k < bottom_count; k++) {
                struct span both = {holes[i].from > bottoms[k].from ? holes[i].from
                                                                    : bottoms[k].from,
                                    holes[i].to < bottoms[k].to ? holes[i].to : bottoms[k].to};
                fill_span(camera, row, both, CLIFF_BOTTOM);
            }
        }
    }
}

/* ---- The picture of the floor ---- */

/* Positions in the floor's picture (pixels) and fractions of light have this many fractional
 * bits. */
enum { FRACTION = 32, LIGHT_FRACTION = 16 };

static int64_t fixed(double value)
{
    return (int64_t)(value * (double)(INT64_C(1) << FRACTION));
}

static size_t pixel_at(int64_t place, size_t count)
{
    if (place < 0)
        return 0;
    size_t pixel = (size_t)(place >> FRACTION);
    return pixel < count ? pixel : count - 1;
}

/* A row sees the floor's picture along a straight line, in steps of equal length. */
static void draw_picture_row(struct camera *camera, size_t row)
{
    const struct scene *scene = camera->sim->scene;
    const struct scene_floor *floor = &scene->floor;
    double scale_x = (double)floor->width / scene->size_x_m;
    double scale_y = (double)floor->height / scene->size_y_m;
    double depth_m = depth_of(camera, row, camera->spec.z_m);
    double aside_m = camera->aside[0] * depth_m, step_m = depth_m / camera->focal;
    struct vec2 right = {camera->ahead.y, -camera->ahead.x};
    double x = camera->place.x + camera->ahead.x * depth_m - right.x * aside_m;
    double y = camera->place.y + camera->ahead.y * depth_m - right.y * aside_m;
    int64_t at_x = fixed((x - scene->low.x) * scale_x), step_x = fixed(right.x * step_m * scale_x);
    int64_t at_y = fixed((y - scene->low.y) * scale_y), step_y = fixed(right.y * step_m * scale_y);

    double light = camera->row_light[row] * (1 << LIGHT_FRACTION);
    uint32_t dark = (uint32_t)(GRAY_LEAST * light), more = (uint32_t)(GRAY_MORE / 255 * light);
    uint8_t *pixel = camera->rgb + row * camera->width * 3;
    for (size_t u = 0; u < camera->width; u++, pixel += 3) {
        size_t column = pixel_at(at_x, floor->width), up = pixel_at(at_y, floor->height);
        uint32_t gray = floor->gray[(floor->height - 1 - up) * floor->width + column];
        pixel[0] = pixel[1] = pixel[2] = (uint8_t)((dark + more * gray) >> LIGHT_FRACTION);
        at_x += step_x;
        at_y += step_y;
    }
}

void camera_draw_floor(struct camera *camera)
{
    const struct scene *scene = camera->sim->scene;
    size_t first = camera_first(camera->middle_v + 0.5, camera->height);
    for (size_t row = first; row < camera->height && scene->floor.gray; row++)
        draw_picture_row(camera, row);
    for (size_t i = 0; i < scene->shade_count; i++)
        draw_shade(camera, &scene->shades[i]);
    for (size_t i = 0; i < scene->line_count; i++)
        draw_line(camera, &scene->lines[i]);
    for (size_t i = 0; i < scene->cliff_count; i++)
        draw_cliff(camera, &scene->cliffs[i]);
}
