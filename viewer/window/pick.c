/* Points against shapes, the topmost first. */
#include "viewer/window/pick.h"

#include <math.h>
#include <string.h>

#define TURN_RAD 6.283185307179586

static const double SLACK_PX = 4; /* chosen: what a hand misses by */

/* The point in the frame of a pose. */
static struct snapshot_pose local(const struct viewport *viewport, struct snapshot_pose pose,
                                  double x_px, double y_px)
{
    double x_m, y_m, cosine = cos(pose.heading_rad), sine = sin(pose.heading_rad);
    viewport_m(viewport, x_px, y_px, &x_m, &y_m);
    x_m -= pose.x_m;
    y_m -= pose.y_m;
    return (struct snapshot_pose){cosine * x_m + sine * y_m, cosine * y_m - sine * x_m, 0};
}

int32_t pick_robot(const struct viewport *viewport, const struct snapshot *snapshot, double x_px,
                   double y_px)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    double slack_m = SLACK_PX / viewport->px_per_m;
    for (size_t i = snapshot->robots.count; i-- > 0;) {
        const struct snapshot_robot *robot = &robots[i];
        struct snapshot_pose at = local(viewport, robot->pose, x_px, y_px);
        at.x_m -= (double)robot->center_x_m;
        bool is_in = robot->shape == ROBOT_DISC
                         ? hypot(at.x_m, at.y_m) <= (double)robot->radius_m + slack_m
                         : fabs(at.x_m) <= (double)robot->length_m / 2 + slack_m &&
                               fabs(at.y_m) <= (double)robot->width_m / 2 + slack_m;
        if (is_in)
            return (int32_t)i;
    }
    return VIEWPORT_NOBODY;
}

static bool is_on(const struct look_row *look, double x_m, double y_m, double slack_m)
{
    double dx = x_m - look->x_m, dy = y_m - look->y_m, far_m = hypot(dx, dy);
    double cosine = cos(look->heading_rad), sine = sin(look->heading_rad);
    switch (look->shape) {
    case LOOK_DISC:
        return far_m <= look->length_m / 2 + slack_m;
    case LOOK_ARC: {
        double angle = fmod(atan2(dy, dx) - look->heading_rad - look->from_rad, TURN_RAD);
        if (angle < 0)
            angle += TURN_RAD;
        return fabs(far_m - look->length_m / 2) <= look->width_m / 2 + slack_m &&
               angle <= look->to_rad - look->from_rad;
    }
    case LOOK_BOX:
        return fabs(cosine * dx + sine * dy) <= look->length_m / 2 + slack_m &&
               fabs(cosine * dy - sine * dx) <= look->width_m / 2 + slack_m;
    default:
        return false;
    }
}

const char *pick_part(const struct viewport *viewport, const struct snapshot *snapshot,
                      size_t robot, double x_px, double y_px)
{
    const struct snapshot_robot *one =
        (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + robot;
    const struct robot_type *type = robot_type_find(one->type);
    struct snapshot_pose at = local(viewport, one->pose, x_px, y_px);
    // Parts of a robot that is small on the screen are not worth a hand's slack.
    double slack_m = fmin(SLACK_PX / viewport->px_per_m, 0.006);
    for (size_t i = type ? type->look_count : 0; i-- > 0;)
        if (type->looks[i].click &&
            is_on(&type->looks[i], at.x_m - (double)one->center_x_m, at.y_m, slack_m))
            return type->looks[i].click;
    return NULL;
}

static double distance_px(const struct viewport *viewport, const struct snapshot_wall *wall,
                          double x_px, double y_px)
{
    struct viewport_point a = viewport_px(viewport, (double)wall->from.x_m, (double)wall->from.y_m);
    struct viewport_point b = viewport_px(viewport, (double)wall->to.x_m, (double)wall->to.y_m);
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double part = square > 0 ? ((x_px - a.x) * dx + (y_px - a.y) * dy) / square : 0;
    part = fmax(0, fmin(1, part));
    return hypot(x_px - a.x - part * dx, y_px - a.y - part * dy);
}

struct pick_thing pick_thing(const struct viewport *viewport, const struct snapshot *snapshot,
                             double x_px, double y_px)
{
    const struct snapshot_wall *walls = snapshot_at(snapshot, snapshot->walls);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    for (size_t i = snapshot->boxes.count; i-- > 0;) {
        struct snapshot_pose at = local(viewport, boxes[i].pose, x_px, y_px);
        if (fabs(at.x_m) <= (double)boxes[i].length_m / 2 &&
            fabs(at.y_m) <= (double)boxes[i].width_m / 2)
            return (struct pick_thing){PICK_BOX, i};
    }
    for (size_t i = snapshot->walls.count; i-- > 0;)
        if (distance_px(viewport, &walls[i], x_px, y_px) <= 2 * SLACK_PX)
            return (struct pick_thing){PICK_WALL, i};
    return (struct pick_thing){PICK_NOTHING, 0};
}
