/* Converts shapes in meters to items in pixels. */
#include "viewer/draw/draw.h"

#include <assert.h>
#include <math.h>

#include "base/angle.h"

double drawing_px(const struct drawing *drawing, double length_m, double least_px)
{
    return fmax(length_m * drawing->viewport->px_per_m, least_px);
}

double drawing_reach_m(const struct snapshot_robot *robot)
{
    return robot->shape == ROBOT_DISC ? (double)robot->radius_m
                                      : hypot((double)robot->length_m, (double)robot->width_m) / 2;
}

/* A box in pixels: its center, and the pixels of one meter along it. */
struct box {
    struct viewport_point center;
    double along_x, along_y;
};

static struct box box_of(const struct drawing *drawing, struct snapshot_pose pose, double x_m,
                         double y_m, double turn_rad)
{
    double heading_rad = pose.heading_rad + turn_rad, px_per_m = drawing->viewport->px_per_m;
    return (struct box){viewport_local_px(drawing->viewport, pose, x_m, y_m),
                        cos(heading_rad) * px_per_m, -sin(heading_rad) * px_per_m};
}

static struct viewport_point box_point(const struct box *box, double along_m, double across_m)
{
    return (struct viewport_point){box->center.x + box->along_x * along_m + box->along_y * across_m,
                                   box->center.y + box->along_y * along_m -
                                       box->along_x * across_m};
}

void drawing_box(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                 double x_m, double y_m, double turn_rad, double length_m, double width_m)
{
    struct viewport_point points[4];
    const struct box box = box_of(drawing, pose, x_m, y_m, turn_rad);
    for (int i = 0; i < 4; i++)
        points[i] = box_point(&box, i == 0 || i == 3 ? length_m / 2 : -length_m / 2,
                              i < 2 ? width_m / 2 : -width_m / 2);
    draw_polygon(drawing->list, style, points, 4);
}

/* The direction of point STEP of a rounded corner, whose STEPS points cover 90 degrees. */
static void corner_turn(int side, int step, int steps, double *cosine, double *sine)
{
    static const double QUARTERS[] = {1, 0, -1, 0, 1, 0};
    double angle = ANGLE_PI / 2 * (side + (double)step / (steps - 1));
    // Corners of small parts have two points; avoid sin and cos, since there are many such corners.
    *cosine = steps == 2 ? QUARTERS[side + step] : cos(angle);
    *sine = steps == 2 ? QUARTERS[(side + step + 3) % 4] : sin(angle);
}

void drawing_rounded(const struct drawing *drawing, struct draw_item style,
                     struct snapshot_pose pose, double x_m, double y_m, double turn_rad,
                     double length_m, double width_m, double corner_m)
{
    enum { STEPS_MAX = 12 };
    struct viewport_point points[4 * STEPS_MAX];
    const struct box box = box_of(drawing, pose, x_m, y_m, turn_rad);
    double corner = fmin(corner_m, fmin(length_m, width_m) / 2);
    // As smooth as the eye can see.
    double corner_px = corner * drawing->viewport->px_per_m;
    int steps = corner_px > 24 ? STEPS_MAX : corner_px > 3 ? 5 : 2;
    for (int i = 0; i < 4 * steps; i++) {
        int side = i / steps; // corners by their angle, from the front left
        double along = side == 0 || side == 3 ? 1 : -1, across = side < 2 ? 1 : -1;
        double cosine, sine;
        corner_turn(side, i % steps, steps, &cosine, &sine);
        points[i] = box_point(&box, along * (length_m / 2 - corner) + corner * cosine,
                              across * (width_m / 2 - corner) + corner * sine);
    }
    draw_polygon(drawing->list, style, points, 4 * (size_t)steps);
}

void drawing_line(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                  double from_x_m, double from_y_m, double to_x_m, double to_y_m)
{
    struct viewport_point points[] = {
        viewport_local_px(drawing->viewport, pose, from_x_m, from_y_m),
        viewport_local_px(drawing->viewport, pose, to_x_m, to_y_m)};
    draw_line(drawing->list, style, points, 2);
}

void drawing_points(const struct drawing *drawing, struct draw_item style, bool is_closed,
                    const struct snapshot_point *points, size_t count)
{
    struct viewport_point px[DRAWING_POINTS_MAX];
    assert(count <= DRAWING_POINTS_MAX);
    for (size_t i = 0; i < count; i++)
        px[i] = viewport_px(drawing->viewport, (double)points[i].x_m, (double)points[i].y_m);
    if (is_closed)
        draw_polygon(drawing->list, style, px, count);
    else
        draw_line(drawing->list, style, px, count);
}

void drawing_sector(const struct drawing *drawing, struct draw_item style, double x_m, double y_m,
                    double radius_m, double from_rad, double to_rad)
{
    enum { STEPS = 16 };
    struct viewport_point points[STEPS + 2];
    for (int i = 0; i <= STEPS; i++) {
        double angle = from_rad + (to_rad - from_rad) * i / STEPS;
        points[i] = viewport_px(drawing->viewport, x_m + radius_m * cos(angle),
                                y_m + radius_m * sin(angle));
    }
    points[STEPS + 1] = viewport_px(drawing->viewport, x_m, y_m);
    draw_polygon(drawing->list, style, points, STEPS + 2);
}

void drawing_text(const struct drawing *drawing, struct draw_item style, struct viewport_point at,
                  const char *text)
{
    style.flags |= DRAW_HALO;
    style.stroke = drawing->theme->halo;
    draw_text(drawing->list, style, at, text);
}

void drawing_clip_to_room(const struct drawing *drawing)
{
    const struct snapshot_point low_m = drawing->snapshot->low, high_m = drawing->snapshot->high;
    struct viewport_point low = viewport_px(drawing->viewport, low_m.x_m, low_m.y_m);
    struct viewport_point high = viewport_px(drawing->viewport, high_m.x_m, high_m.y_m);
    draw_rect(drawing->list, (struct draw_item){.kind = DRAW_CLIP}, low.x, low.y, high.x, high.y);
}
