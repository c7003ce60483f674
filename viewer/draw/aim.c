#include "viewer/draw/aim.h"

#include <math.h>

static const double MARGIN_M = 0.45; /* chosen: margin around the objects, 1.5 Kobukis */
static const double EDGE_M = 0.1;    /* chosen: an object closer to the edge starts a glide */
static const double NEARER = 1.5;    /* chosen: minimum enlargement that is worth a glide */
static const double ROOM = 1.3;      /* below this enlargement, show the whole room instead */
static const double GLIDE_S = 0.25;  /* chosen: time constant, after which two thirds are done */
static const double THERE_PX = 0.5;

/* A part of the room. */
struct part {
    double left_m, low_m, right_m, high_m;
};

static void hold(struct part *part, double x_m, double y_m, double radius_m)
{
    part->left_m = fmin(part->left_m, x_m - radius_m);
    part->low_m = fmin(part->low_m, y_m - radius_m);
    part->right_m = fmax(part->right_m, x_m + radius_m);
    part->high_m = fmax(part->high_m, y_m + radius_m);
}

/* The area of the objects to show. Empty (right is less than left): no object. */
static struct part action_of(const struct snapshot *snapshot)
{
    struct part part = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    const struct snapshot_beacon *beacons = snapshot_at(snapshot, snapshot->beacons);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    const struct snapshot_disc *discs = snapshot_at(snapshot, snapshot->discs);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        hold(&part, robots[i].pose.x_m, robots[i].pose.y_m,
             robots[i].shape == ROBOT_DISC ? (double)robots[i].radius_m
                                           : (double)robots[i].length_m / 2);
    for (size_t i = 0; i < snapshot->docks.count; i++)
        hold(&part, docks[i].pose.x_m, docks[i].pose.y_m, (double)docks[i].width_m / 2);
    for (size_t i = 0; i < snapshot->beacons.count; i++)
        hold(&part, beacons[i].pose.x_m, beacons[i].pose.y_m, 0);
    for (size_t i = 0; i < snapshot->boxes.count; i++)
        if (boxes[i].mass_kg > 0)
            hold(&part, boxes[i].pose.x_m, boxes[i].pose.y_m, (double)boxes[i].length_m / 2);
    for (size_t i = 0; i < snapshot->discs.count; i++)
        if (discs[i].mass_kg > 0)
            hold(&part, discs[i].pose.x_m, discs[i].pose.y_m, (double)discs[i].radius_m);
    return part;
}

/* The viewport that shows the area with a margin, or the whole room if that is hardly smaller. */
static struct viewport fitted(const struct viewport *viewport, const struct snapshot *snapshot,
                              struct part part)
{
    struct viewport room = *viewport, near = *viewport;
    viewport_fit(&room, snapshot);
    if (part.left_m > part.right_m)
        return room;
    viewport_show(&near, part.left_m - MARGIN_M, part.low_m - MARGIN_M, part.right_m + MARGIN_M,
                  part.high_m + MARGIN_M);
    if (near.px_per_m < ROOM * room.px_per_m)
        return room;
    viewport_center(&near, snapshot, near.center_x_m, near.center_y_m);
    return near;
}

/* Whether a picture shows the whole area, and not close to its edge unless that is the edge of the
 * room. */
static bool holds(const struct viewport *viewport, const struct snapshot *snapshot,
                  struct part part)
{
    return part.left_m > part.right_m ||
           viewport_holds(viewport, fmax(part.left_m - EDGE_M, (double)snapshot->low.x_m),
                          fmax(part.low_m - EDGE_M, (double)snapshot->low.y_m),
                          fmin(part.right_m + EDGE_M, (double)snapshot->high.x_m),
                          fmin(part.high_m + EDGE_M, (double)snapshot->high.y_m));
}

void aim_step(struct aim *aim, struct viewport *viewport, const struct snapshot *snapshot,
              double passed_s)
{
    struct viewport *wanted = &aim->wanted;
    struct part action = action_of(snapshot);
    struct viewport best = fitted(viewport, snapshot, action);
    bool is_first =
        wanted->width_px != viewport->width_px || wanted->height_px != viewport->height_px;
    if (is_first || best.px_per_m > NEARER * wanted->px_per_m || !holds(wanted, snapshot, action))
        *wanted = best;
    double part = is_first ? 1 : 1 - exp(-passed_s / GLIDE_S);
    double dx_m = wanted->center_x_m - viewport->center_x_m;
    double dy_m = wanted->center_y_m - viewport->center_y_m;
    double zoom = log(wanted->px_per_m / viewport->px_per_m);
    double far_px = hypot(dx_m, dy_m) * wanted->px_per_m + fabs(zoom) * viewport->width_px;
    if (far_px * (1 - part) < THERE_PX)
        part = 1;
    aim->is_gliding = part < 1;
    viewport->center_x_m = part < 1 ? viewport->center_x_m + part * dx_m : wanted->center_x_m;
    viewport->center_y_m = part < 1 ? viewport->center_y_m + part * dy_m : wanted->center_y_m;
    viewport->px_per_m = part < 1 ? viewport->px_per_m * exp(part * zoom) : wanted->px_per_m;
}
