/* Wheels as the machine has them: plain tires, rollers of mecanum and omni wheels, tracks,
 * steering. What is on them moves as they turn. */
#include <math.h>

#include "viewer/draw/drawing.h"

#define TIRE        0x15181BFFu
#define TREAD       0x3C434AFFu
#define ROLLER      0x59636DFFu
#define ROLLER_EDGE 0x0B0D0FFFu

static const double HALF_TURN_RAD = 3.14159265358979323846;

/* A wheel on the floor, in the robot's frame. */
struct seen_wheel {
    double x_m, y_m, heading_rad;
    double radius_m, width_m;
    double turned_rad;
    bool is_dropped;
};

/* Both front wheels of a steered axle point around one center. */
static double steering_rad(const struct snapshot_robot *robot, const struct snapshot_wheel *wheel)
{
    double steer = tan((double)robot->steer_rad), base_m = (double)wheel->x_m;
    if (!wheel->is_steered || base_m <= 0)
        return 0;
    return atan2(base_m * steer, base_m - (double)wheel->y_m * steer);
}

static void draw_tire(const struct drawing *drawing, const struct snapshot_robot *robot,
                      const struct seen_wheel *wheel)
{
    struct draw_item style = {
        .fill = TIRE, .stroke = theme_alpha(drawing->theme->outline, 0.45), .width_px = 1};
    if (wheel->is_dropped) {
        style.stroke = drawing->theme->warn;
        style.width_px = 2;
    }
    drawing_rounded(drawing, style, robot->pose, wheel->x_m, wheel->y_m, wheel->heading_rad,
                    2 * wheel->radius_m, wheel->width_m, wheel->width_m * 0.22);
}

/* Lines on the upper half of the rim, COUNT a turn, slanted by SLANT_RAD from the wheel's heading.
 */
static void draw_rim(const struct drawing *drawing, const struct snapshot_robot *robot,
                     const struct seen_wheel *wheel, int count, double slant_rad,
                     struct draw_item style)
{
    double cosine = cos(wheel->heading_rad), sine = sin(wheel->heading_rad);
    double half_m = wheel->width_m * 0.40, slope = 1 / tan(slant_rad);
    double end_m = wheel->radius_m * 0.94;
    for (int i = 0; i < count; i++) {
        // What is above the axle moves forward when the wheel does.
        double angle =
            remainder(wheel->turned_rad + 2 * HALF_TURN_RAD * i / count, 2 * HALF_TURN_RAD);
        double at_m = wheel->radius_m * sin(angle);
        if (fabs(angle) > HALF_TURN_RAD / 2)
            continue;
        // From one side to the other, but not over the ends.
        double y1 = -half_m, y2 = half_m;
        if (fabs(slope) > 1e-6) {
            double low = (-end_m - at_m) / slope, high = (end_m - at_m) / slope;
            y1 = fmax(y1, fmin(low, high));
            y2 = fmin(y2, fmax(low, high));
        } else if (fabs(at_m) > end_m) {
            continue;
        }
        double x1 = at_m + slope * y1, x2 = at_m + slope * y2;
        if (y2 - y1 > half_m * 0.2)
            drawing_line(drawing, style, robot->pose, wheel->x_m + cosine * x1 - sine * y1,
                         wheel->y_m + sine * x1 + cosine * y1, wheel->x_m + cosine * x2 - sine * y2,
                         wheel->y_m + sine * x2 + cosine * y2);
    }
}

/* Two rows of rollers that roll across the wheel. */
static void draw_omni(const struct drawing *drawing, const struct snapshot_robot *robot,
                      const struct seen_wheel *wheel)
{
    double cosine = cos(wheel->heading_rad), sine = sin(wheel->heading_rad);
    for (int i = 0; i < 16; i++) {
        double angle = remainder(wheel->turned_rad + 2 * HALF_TURN_RAD * i / 16, 2 * HALF_TURN_RAD);
        double at_m = wheel->radius_m * sin(angle),
               across_m = wheel->width_m * (i % 2 ? 0.22 : -0.22);
        double length_m = wheel->radius_m * 0.42 * cos(angle);
        if (fabs(angle) > HALF_TURN_RAD * 0.42)
            continue;
        drawing_rounded(drawing,
                        (struct draw_item){.fill = ROLLER, .stroke = ROLLER_EDGE, .width_px = 0.75},
                        robot->pose, wheel->x_m + cosine * at_m - sine * across_m,
                        wheel->y_m + sine * at_m + cosine * across_m, wheel->heading_rad, length_m,
                        wheel->width_m * 0.34, wheel->width_m * 0.15);
    }
}

static void draw_wheel(const struct drawing *drawing, const struct snapshot_robot *robot,
                       const struct snapshot_wheel *from, double width_m)
{
    struct seen_wheel wheel = {
        .x_m = (double)from->x_m,
        .y_m = (double)from->y_m,
        .heading_rad = (double)from->heading_rad + steering_rad(robot, from),
        .radius_m = (double)from->radius_m,
        .width_m = width_m > 0 ? width_m : (double)from->radius_m,
        .turned_rad = (double)from->turned_rad,
        .is_dropped = from->is_dropped,
    };
    double roller_rad = (double)from->roller_rad;
    draw_tire(drawing, robot, &wheel);
    if (wheel.radius_m * drawing->viewport->px_per_m < DRAWING_WHEEL_PX)
        return;
    if (roller_rad == 0) {
        draw_rim(drawing, robot, &wheel, 14, HALF_TURN_RAD / 2,
                 (struct draw_item){.flags = DRAW_BUTT,
                                    .stroke = TREAD,
                                    .width_px = drawing_px(drawing, 0.003, 0.75)});
    } else if (fabs(fabs(roller_rad) - HALF_TURN_RAD / 2) < 0.1) {
        draw_omni(drawing, robot, &wheel);
    } else {
        // Rollers on top lie across those that touch the floor.
        double width_px = drawing_px(drawing, wheel.radius_m * 0.19, 1.25);
        draw_rim(drawing, robot, &wheel, 12, -(roller_rad + HALF_TURN_RAD / 2),
                 (struct draw_item){.stroke = ROLLER, .width_px = width_px});
    }
}

/* One side's track, around all its wheels. */
static void draw_track(const struct drawing *drawing, const struct snapshot_robot *robot,
                       bool is_left, double width_m)
{
    double low_m = INFINITY, high_m = -INFINITY, y_m = 0, radius_m = 0, turned_rad = 0;
    for (uint32_t i = 0; i < robot->wheel_count; i++) {
        const struct snapshot_wheel *wheel = &robot->wheels[i];
        if ((wheel->y_m > 0) != is_left)
            continue;
        radius_m = (double)wheel->radius_m;
        y_m = (double)wheel->y_m;
        turned_rad = (double)wheel->turned_rad * cos((double)wheel->heading_rad);
        low_m = fmin(low_m, (double)wheel->x_m - radius_m);
        high_m = fmax(high_m, (double)wheel->x_m + radius_m);
    }
    if (radius_m == 0)
        return;
    width_m = width_m > 0 ? width_m : radius_m;
    drawing_rounded(
        drawing,
        (struct draw_item){
            .fill = TIRE, .stroke = theme_alpha(drawing->theme->outline, 0.45), .width_px = 1},
        robot->pose, (low_m + high_m) / 2, y_m, 0, high_m - low_m, width_m, width_m * 0.45);
    if (radius_m * drawing->viewport->px_per_m < DRAWING_WHEEL_PX)
        return;
    // Links of 1/12 of a wheel's turn, as the track runs over the wheels.
    double link_m = radius_m * 2 * HALF_TURN_RAD / 12;
    double first_m = fmod(turned_rad * radius_m, link_m);
    for (double x_m = low_m + first_m - link_m; x_m < high_m - width_m * 0.2; x_m += link_m)
        if (x_m > low_m + width_m * 0.2)
            drawing_line(drawing,
                         (struct draw_item){.flags = DRAW_BUTT,
                                            .stroke = TREAD,
                                            .width_px = drawing_px(drawing, 0.005, 1)},
                         robot->pose, x_m, y_m - width_m * 0.42, x_m, y_m + width_m * 0.42);
}

void draw_wheels(const struct drawing *drawing, const struct snapshot_robot *robot,
                 const struct look_row *look)
{
    if (robot->drive == ROBOT_TRACKED) {
        draw_track(drawing, robot, true, look->width_m);
        draw_track(drawing, robot, false, look->width_m);
        return;
    }
    for (uint32_t i = 0; i < robot->wheel_count; i++)
        draw_wheel(drawing, robot, &robot->wheels[i], look->width_m);
}

void draw_wheel_shadows(const struct drawing *drawing, const struct snapshot_robot *robot,
                        struct snapshot_pose pose, double width_m)
{
    for (uint32_t i = 0; i < robot->wheel_count; i++) {
        const struct snapshot_wheel *wheel = &robot->wheels[i];
        double radius_m = (double)wheel->radius_m;
        double wide_m = width_m > 0 ? width_m : radius_m;
        drawing_rounded(drawing, (struct draw_item){.fill = drawing->theme->shadow}, pose,
                        (double)wheel->x_m, (double)wheel->y_m,
                        (double)wheel->heading_rad + steering_rad(robot, wheel), 2 * radius_m,
                        wide_m, wide_m * 0.22);
    }
}
