#include "sim/state/odometry.h"

#include "base/angle.h"

void odometry_init(struct odometry *odometry, struct pose start)
{
    *odometry = (struct odometry){.anchor = start, .pose = start};
}

void odometry_begin(struct odometry *odometry, struct pose truth)
{
    odometry->hosts++;
    odometry->has_last = false;
    odometry->anchor = odometry->pose = truth;
    odometry->way = (struct pose){0};
}

/* The distance between two readings of a counter that wraps at WRAP_M. */
static double way_m(double from_m, double to_m, double wrap_m)
{
    double way = to_m - from_m;
    return way > wrap_m / 2 ? way - wrap_m : way < -wrap_m / 2 ? way + wrap_m : way;
}

static void move(struct odometry *odometry, double forward_m, double left_m, double turn_rad)
{
    struct vec2 way =
        geom_rotate(odometry->way.heading_rad + turn_rad / 2, (struct vec2){forward_m, left_m});
    odometry->way.x_m += way.x;
    odometry->way.y_m += way.y;
    odometry->way.heading_rad += turn_rad;
}

/* The firmware's own odometry may begin at any value, and some drivers set it to zero. In both
 * cases the driver's estimate is relative to that value. */
static void move_to(struct odometry *odometry, const struct robot_odometry *now)
{
    const struct robot_odometry *last = &odometry->last;
    bool is_zeroed = now->x_m == 0 && now->y_m == 0 && now->heading_rad == 0;
    if (is_zeroed)
        return;
    struct vec2 way = geom_rotate(odometry->way.heading_rad - last->heading_rad,
                                  (struct vec2){now->x_m - last->x_m, now->y_m - last->y_m});
    odometry->way.x_m += way.x;
    odometry->way.y_m += way.y;
    odometry->way.heading_rad += angle_wrap(now->heading_rad - last->heading_rad);
}

static void update_pose(struct odometry *odometry)
{
    struct vec2 way = {odometry->way.x_m, odometry->way.y_m};
    struct vec2 at = geom_to_world(odometry->anchor, way);
    odometry->pose =
        (struct pose){at.x, at.y, odometry->anchor.heading_rad + odometry->way.heading_rad};
}

void odometry_follow(struct odometry *odometry, const struct robot_type *type, const void *state,
                     int64_t now_us)
{
    odometry->is_fresh = false;
    if (!type->odometry || odometry->hosts == 0)
        return;
    struct robot_odometry now = {.kind = ROBOT_ODOMETRY_NONE};
    type->odometry(state, &now);
    const struct robot_odometry *last = &odometry->last;
    double past_s = (double)(now_us - odometry->last_us) * 1e-6;
    if (odometry->has_last && now.kind == last->kind) {
        switch (now.kind) {
        case ROBOT_ODOMETRY_WHEELS:
            move(odometry,
                 (way_m(last->left_m, now.left_m, now.wrap_m) +
                  way_m(last->right_m, now.right_m, now.wrap_m)) /
                     2,
                 0, angle_wrap(now.heading_rad - last->heading_rad));
            break;
        case ROBOT_ODOMETRY_SPEEDS:
            move(odometry, now.x_m_s * past_s, now.y_m_s * past_s, now.turn_rad_s * past_s);
            break;
        case ROBOT_ODOMETRY_POSE:
            move_to(odometry, &now);
            break;
        case ROBOT_ODOMETRY_NONE:
            return;
        }
        odometry->is_fresh = true;
        update_pose(odometry);
    }
    odometry->last = now;
    odometry->last_us = now_us;
    odometry->has_last = now.kind != ROBOT_ODOMETRY_NONE;
}
