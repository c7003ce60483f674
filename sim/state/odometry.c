/* Integrates what a firmware has told, as the drivers in the field do. */
#include "sim/state/odometry.h"

#include <math.h>

#include "base/angle.h"

/* chosen: finer than a line is wide on a screen that shows a room */
static const double SPACING_M = 0.04;
/* chosen: no robot drives so far between two passes; a hand has put it elsewhere */
static const double JUMP_M = 0.30;

static void follow(struct odometry_trail *trail, struct pose pose)
{
    if (trail->total > 0) {
        uint64_t newest = (trail->total - 1) % ODOMETRY_TRAIL_MAX;
        double x = pose.x_m - (double)trail->point[newest].x_m;
        double y = pose.y_m - (double)trail->point[newest].y_m;
        double away_m = sqrt(x * x + y * y);
        if (away_m < SPACING_M)
            return;
        if (away_m > JUMP_M)
            trail->total = 0;
    }
    uint64_t slot = trail->total++ % ODOMETRY_TRAIL_MAX;
    trail->point[slot].x_m = (float)pose.x_m;
    trail->point[slot].y_m = (float)pose.y_m;
}

void odometry_begin(struct odometry_track *track, struct pose truth)
{
    track->has_host = true;
    track->has_last = false;
    track->anchor = truth;
    track->pose = (struct pose){0};
    track->belief.total = 0;
}

struct pose told_pose(const struct odometry_track *track)
{
    struct vec2 at = geom_to_world(track->anchor, (struct vec2){track->pose.x_m, track->pose.y_m});
    return (struct pose){at.x, at.y, track->anchor.heading_rad + track->pose.heading_rad};
}

/* The way between two readings of a counter that starts again at WRAP_M. */
static double way_m(double from_m, double to_m, double wrap_m)
{
    double way = to_m - from_m;
    return way > wrap_m / 2 ? way - wrap_m : way < -wrap_m / 2 ? way + wrap_m : way;
}

static void move(struct odometry_track *track, double forward_m, double left_m, double turn_rad)
{
    struct vec2 way =
        geom_rotate(track->pose.heading_rad + turn_rad / 2, (struct vec2){forward_m, left_m});
    track->pose.x_m += way.x;
    track->pose.y_m += way.y;
    track->pose.heading_rad += turn_rad;
}

/* An odometry of the firmware's own may begin anywhere, and is set to zero by some hosts: both are
 * where the host then believes to be. */
static void move_to(struct odometry_track *track, const struct robot_odometry *now)
{
    const struct robot_odometry *last = &track->last;
    bool is_zeroed = now->x_m == 0 && now->y_m == 0 && now->heading_rad == 0;
    if (is_zeroed)
        return;
    struct vec2 way = geom_rotate(track->pose.heading_rad - last->heading_rad,
                                  (struct vec2){now->x_m - last->x_m, now->y_m - last->y_m});
    track->pose.x_m += way.x;
    track->pose.y_m += way.y;
    track->pose.heading_rad += angle_wrap(now->heading_rad - last->heading_rad);
}

void odometry_follow(struct odometry_track *track, const struct robot_type *type, const void *state,
                     struct pose truth, int64_t now_us)
{
    follow(&track->truth, truth);
    if (!type->odometry || !track->has_host)
        return;
    struct robot_odometry now = {.kind = ROBOT_ODOMETRY_NONE};
    type->odometry(state, &now);
    const struct robot_odometry *last = &track->last;
    double past_s = (double)(now_us - track->last_us) * 1e-6;
    if (track->has_last && now.kind == last->kind) {
        switch (now.kind) {
        case ROBOT_ODOMETRY_WHEELS:
            move(track,
                 (way_m(last->left_m, now.left_m, now.wrap_m) +
                  way_m(last->right_m, now.right_m, now.wrap_m)) /
                     2,
                 0, angle_wrap(now.heading_rad - last->heading_rad));
            break;
        case ROBOT_ODOMETRY_SPEEDS:
            move(track, now.x_m_s * past_s, now.y_m_s * past_s, now.turn_rad_s * past_s);
            break;
        case ROBOT_ODOMETRY_POSE:
            move_to(track, &now);
            break;
        case ROBOT_ODOMETRY_NONE:
            return;
        }
        follow(&track->belief, told_pose(track));
    }
    track->last = now;
    track->last_us = now_us;
    track->has_last = now.kind != ROBOT_ODOMETRY_NONE;
}
