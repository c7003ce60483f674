/* What the sensors of a robot look at. */
#include <math.h>

#include "viewer/draw/drawing.h"

static const double CAMERA_M = 0.35;  /* chosen: how far a camera's cone is drawn */
static const double RECEIVER_M = 0.1; /* chosen: the same for a receiver of light */

/* A sensor's place and heading in the room. */
static struct snapshot_pose place_of(const struct snapshot_robot *robot,
                                     const struct snapshot_sensor *sensor)
{
    double cosine = cos(robot->pose.heading_rad), sine = sin(robot->pose.heading_rad);
    double x_m = (double)sensor->x_m, y_m = (double)sensor->y_m;
    return (struct snapshot_pose){robot->pose.x_m + cosine * x_m - sine * y_m,
                                  robot->pose.y_m + sine * x_m + cosine * y_m,
                                  robot->pose.heading_rad + (double)sensor->heading_rad};
}

static void draw_cone(const struct drawing *drawing, const struct snapshot_sensor *sensor,
                      struct snapshot_pose place, double reach_m, uint32_t color, double fill,
                      double edge)
{
    double half_rad = fmax((double)sensor->cone_half_rad, 0.03);
    drawing_sector(
        drawing,
        (struct draw_item){
            .fill = theme_alpha(color, fill), .stroke = theme_alpha(color, edge), .width_px = 1},
        place.x_m, place.y_m, reach_m, place.heading_rad - half_rad, place.heading_rad + half_rad);
}

static void draw_range(const struct drawing *drawing, const struct snapshot_sensor *sensor,
                       struct snapshot_pose place)
{
    bool is_hit = sensor->distance_m < sensor->range_m * 0.999f;
    double reach_m = fmin((double)sensor->distance_m, (double)sensor->range_m);
    draw_cone(drawing, sensor, place, reach_m, drawing->theme->ray, is_hit ? 0.16 : 0.09,
              is_hit ? 0.7 : 0.3);
    if (is_hit)
        draw_disc(drawing->list, (struct draw_item){.fill = drawing->theme->hit},
                  viewport_local_px(drawing->viewport, place, reach_m, 0), 3);
}

/* The color of what a receiver sees: the side that it is on, the center where it sees that. */
static uint32_t light_color(const struct theme *theme, uint32_t bits)
{
    if (bits & (DOCK_NEAR_CENTER | DOCK_FAR_CENTER))
        return theme->center;
    return bits & (DOCK_NEAR_LEFT | DOCK_FAR_LEFT) ? theme->left : theme->right;
}

/* The dock whose light a receiver sees: the nearest. */
static const struct snapshot_dock *dock_of(const struct snapshot *snapshot,
                                           struct snapshot_pose place)
{
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks), *nearest = NULL;
    double nearest_m = INFINITY;
    for (size_t i = 0; i < snapshot->docks.count; i++) {
        double away_m = hypot(docks[i].pose.x_m - place.x_m, docks[i].pose.y_m - place.y_m);
        if (away_m < nearest_m) {
            nearest_m = away_m;
            nearest = &docks[i];
        }
    }
    return nearest;
}

static void draw_receiver(const struct drawing *drawing, const struct snapshot_sensor *sensor,
                          struct snapshot_pose place)
{
    const struct snapshot_dock *dock = dock_of(drawing->snapshot, place);
    if (sensor->dock_bits == 0 || !dock)
        return;
    uint32_t color = light_color(drawing->theme, sensor->dock_bits);
    struct viewport_point ends[] = {
        viewport_local_px(drawing->viewport, dock->pose, (double)dock->light_x_m, 0),
        viewport_px(drawing->viewport, place.x_m, place.y_m)};
    draw_line(drawing->list, (struct draw_item){.stroke = theme_alpha(color, 0.9), .width_px = 1.5},
              ends, 2);
    draw_cone(drawing, sensor, place, RECEIVER_M, color, 0.3, 0.9);
}

void draw_senses(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    if (robot->is_lifted)
        return;
    for (uint32_t i = 0; i < robot->sensor_count; i++) {
        const struct snapshot_sensor *sensor = &robot->sensors[i];
        struct snapshot_pose place = place_of(robot, sensor);
        switch (sensor->kind) {
        case SENSOR_RANGE:
            draw_range(drawing, sensor, place);
            break;
        case SENSOR_DOCK_IR:
            if (drawing->viewport->shows & SHOW_CONES)
                draw_receiver(drawing, sensor, place);
            break;
        case SENSOR_CAMERA:
            draw_cone(drawing, sensor, place, fmin((double)sensor->range_m, CAMERA_M),
                      drawing->theme->selection, 0.14, 0.6);
            break;
        default: // those that look down are parts of the robot's look
            break;
        }
    }
}
