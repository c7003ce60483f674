#include "sim/room/dock.h"

#include <math.h>

#include "base/angle.h"
#include "sim/room/room.h"

/* The reasons for all sizes: docs/decisions/0004-dock-field.md. x is counted from the light, along
 * the way that the dock faces. */
static const double LIGHT_X_M = DOCK_LIGHT_X_M;
static const double FAR_M = 5.0;                  /* specifications.rst: 2 m x 5 m */
static const double NEAR_M = 5.0 * 182 / 376;     /* dock_ir_fields.png, pixels */
static const double OUTER_M = 5.0 * 90 / 376;     /* the same */
static const double OUTER_START_M = 0.01;         /* chosen: half the window */
static const double OUTER_SLOPE = 90.0 / 182;     /* the corner of the near region as drawn */
static const double CENTER_START_M = 0.015;       /* chosen: what the contacts forgive */
static const double CENTER_END_M = 5.0 * 6 / 376; /* the drawn strip, at FAR_M */
static const double OVERLAP_START_M = 0.010, OVERLAP_END_M = 0.060; /* chosen: in the center */

static const double PIN_X_M = DOCK_PIN_X_M, PIN_Y_M = DOCK_PIN_Y_M;
static const double PIN_ALONG_M = 0.010, PIN_ACROSS_M = 0.015; /* chosen: the size of the pads */
static const double PIN_TRAVEL_M = 0.006;                      /* chosen: of the spring */

static double strip_m(double start_m, double end_m, double x_m)
{
    return start_m + (end_m - start_m) * x_m / FAR_M;
}

uint32_t dock_bits_at(struct pose dock, struct vec2 point)
{
    struct vec2 at = geom_to_local(dock, point);
    double x_m = at.x - LIGHT_X_M, aside_m = fabs(at.y);
    double away_m = sqrt(x_m * x_m + at.y * at.y);
    double outer_m = OUTER_START_M + OUTER_SLOPE * x_m;
    if (at.x <= SCENE_DOCK_DEPTH_M / 2 || away_m > FAR_M || aside_m > outer_m || aside_m > OUTER_M)
        return 0;

    double beyond_m = strip_m(OVERLAP_START_M, OVERLAP_END_M, x_m);
    bool is_left = at.y >= -beyond_m, is_right = at.y <= beyond_m;
    bool is_center = aside_m <= strip_m(CENTER_START_M, CENTER_END_M, x_m);
    uint32_t bits = (is_left ? DOCK_FAR_LEFT : 0u) | (is_right ? DOCK_FAR_RIGHT : 0u) |
                    (is_center ? DOCK_FAR_CENTER : 0u);
    if (away_m <= NEAR_M)
        bits |= (is_left ? DOCK_NEAR_LEFT : 0u) | (is_right ? DOCK_NEAR_RIGHT : 0u) |
                (is_center ? DOCK_NEAR_CENTER : 0u);
    return bits;
}

/* The lower and upper border of a bit's region at x from the light, before the arc cuts it off. */
static void borders_m(uint32_t bit, double x_m, double *low_m, double *high_m)
{
    double outer_m = fmin(OUTER_START_M + OUTER_SLOPE * x_m, OUTER_M);
    double beyond_m = strip_m(OVERLAP_START_M, OVERLAP_END_M, x_m);
    double center_m = fmin(strip_m(CENTER_START_M, CENTER_END_M, x_m), outer_m);
    *low_m = bit & (DOCK_FAR_LEFT | DOCK_NEAR_LEFT) ? -beyond_m : -outer_m;
    *high_m = bit & (DOCK_FAR_RIGHT | DOCK_NEAR_RIGHT) ? beyond_m : outer_m;
    if (bit & (DOCK_FAR_CENTER | DOCK_NEAR_CENTER)) {
        *low_m = -center_m;
        *high_m = center_m;
    }
}

size_t dock_field_outline(uint32_t bit, struct vec2 *points, size_t count)
{
    bool is_near = bit & (DOCK_NEAR_LEFT | DOCK_NEAR_CENTER | DOCK_NEAR_RIGHT);
    double range_m = is_near ? NEAR_M : FAR_M, start_m = SCENE_DOCK_DEPTH_M / 2 - LIGHT_X_M;
    size_t half = count / 2;
    for (size_t i = 0; i < half; i++) {
        // Points are closer together at the far end, where the arc is.
        double along =
            1 - (1.0 - (double)i / (double)(half - 1)) * (1.0 - (double)i / (double)(half - 1));
        double x_m = start_m + (range_m - start_m) * along, low_m, high_m;
        borders_m(bit, x_m, &low_m, &high_m);
        double arc_m = sqrt(fmax(range_m * range_m - x_m * x_m, 0));
        points[i] = (struct vec2){LIGHT_X_M + x_m, fmax(low_m, -arc_m)};
        points[2 * half - 1 - i] = (struct vec2){LIGHT_X_M + x_m, fmin(high_m, arc_m)};
    }
    return 2 * half;
}

/* Whether pads at (X_M, +-HALF_Y_M) of a robot touch both pins of a dock. The pins have springs: a
 * contact that was made holds for some millimeters more. */
static bool touches(struct pose dock, struct pose robot, double x_m, double half_y_m,
                    bool was_touched)
{
    double travel_m = was_touched ? PIN_TRAVEL_M : 0;
    for (int side = -1; side <= 1; side += 2) {
        struct vec2 pad = geom_to_world(robot, (struct vec2){x_m, side * half_y_m});
        struct vec2 at = geom_to_local(dock, pad);
        // The robot faces the dock: its left is the dock's right.
        if (fabs(at.x - PIN_X_M) > PIN_ALONG_M + travel_m ||
            fabs(at.y + side * PIN_Y_M) > PIN_ACROSS_M + travel_m)
            return false;
    }
    return true;
}

/* Whether a receiver at a point sees the light of a dock, with nothing in between. */
static bool is_in_view(const struct sim_robot *robot, size_t dock,
                       const struct sensor_spec *receiver, struct vec2 point)
{
    const struct sim *sim = robot->sim;
    struct vec2 light = geom_to_world(sim->scene->docks[dock].pose, (struct vec2){LIGHT_X_M, 0});
    double x = light.x - point.x, y = light.y - point.y;
    double away_m = sqrt(x * x + y * y), bearing_rad = angle_atan2(y, x);
    double off_rad = angle_wrap(bearing_rad - robot->pose.heading_rad - receiver->heading_rad);
    if (away_m > receiver->range_m || fabs(off_rad) > receiver->cone_half_rad)
        return false;
    struct world_hit hit = world_ray(sim->world, point, bearing_rad, away_m, robot->body_index);
    return !hit.is_hit || hit.other == sim->room->first_dock + dock;
}

uint32_t dock_seen(const struct sim_robot *robot, const struct sensor_spec *receiver)
{
    const struct scene *scene = robot->sim->scene;
    if (robot->handling.is_lifted)
        return 0;
    struct vec2 point = geom_to_world(robot->pose, (struct vec2){receiver->x_m, receiver->y_m});
    uint32_t seen = 0;
    for (size_t i = 0; i < scene->dock_count; i++) {
        uint32_t bits = dock_bits_at(scene->docks[i].pose, point);
        if (bits && is_in_view(robot, i, receiver, point))
            seen |= bits;
    }
    return seen;
}

bool dock_charges(const struct sim_robot *robot)
{
    const struct robot_body *body = &robot->body;
    const struct scene *scene = robot->sim->scene;
    if (body->contact_half_y_m == 0 || robot->handling.is_lifted)
        return false;
    for (size_t i = 0; i < scene->dock_count; i++)
        if (touches(scene->docks[i].pose, robot->pose, body->contact_x_m, body->contact_half_y_m,
                    robot->is_docked))
            return true;
    return false;
}
