/* A robot from above: its appearance as described by the rows of its type, its wheels, its path,
 * and the view of its sensors. */
#include <math.h>

#include "base/angle.h"
#include "viewer/draw/draw.h"

#define TIRE        0x15181BFFu
#define TREAD       0x3C434AFFu
#define ROLLER      0x59636DFFu
#define ROLLER_EDGE 0x0B0D0FFFu

static const double SMALL_M = 0.04; /* chosen: a lit disc up to this size is a lamp and glows */
static const double GROUP_PX = 48;  /* chosen: a robot up to this radius is painted as a copy */
static const double SHADOW_PX = 32; /* chosen: a smaller robot on the floor has no shadow */
static const double SEEN_PX = 1;    /* chosen: smaller dark parts are left out */
/* chosen: treads and rollers blur on wheels of a smaller radius, and are left out */
static const double WHEEL_PX = 6;
static const double CAMERA_M = 0.35;  /* chosen: length of the cone of a camera */
static const double RECEIVER_M = 0.1; /* chosen: the same for a receiver of dock light */

/* ---- Wheels: tires, rollers of mecanum and omni wheels, tracks, steering ---- */

static void draw_tire(const struct drawing *drawing, const struct snapshot_robot *robot,
                      const struct snapshot_wheel *wheel, double width_m)
{
    struct draw_item style = {
        .fill = TIRE, .stroke = theme_alpha(drawing->theme->outline, 0.45), .width_px = 1};
    if (wheel->is_dropped) {
        style.stroke = drawing->theme->warn;
        style.width_px = 2;
    }
    drawing_rounded(drawing, style, robot->pose, wheel->x_m, wheel->y_m, wheel->heading_rad,
                    2 * wheel->radius_m, width_m, width_m * 0.22);
}

/* Treads or rollers on the upper half of the rim: COUNT lines per turn, at SLANT_RAD to the wheel's
 * heading. */
static void draw_rim(const struct drawing *drawing, const struct snapshot_robot *robot,
                     const struct snapshot_wheel *wheel, double width_m, int count,
                     double slant_rad, struct draw_item style)
{
    double cosine = cos((double)wheel->heading_rad), sine = sin((double)wheel->heading_rad);
    double half_m = width_m * 0.40, slope = 1 / tan(slant_rad);
    double end_m = wheel->radius_m * 0.94;
    for (int i = 0; i < count; i++) {
        // The upper half moves forward when the wheel rolls forward.
        double angle = remainder(wheel->turned_rad + 2 * ANGLE_PI * i / count, 2 * ANGLE_PI);
        double at_m = wheel->radius_m * sin(angle);
        if (fabs(angle) > ANGLE_PI / 2)
            continue;
        // From one side to the other, but not past the ends.
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

/* Two rows of rollers with axles tangent to the wheel. */
static void draw_omni(const struct drawing *drawing, const struct snapshot_robot *robot,
                      const struct snapshot_wheel *wheel, double width_m)
{
    double cosine = cos((double)wheel->heading_rad), sine = sin((double)wheel->heading_rad);
    for (int i = 0; i < 16; i++) {
        double angle = remainder(wheel->turned_rad + 2 * ANGLE_PI * i / 16, 2 * ANGLE_PI);
        double at_m = wheel->radius_m * sin(angle), across_m = width_m * (i % 2 ? 0.22 : -0.22);
        double length_m = wheel->radius_m * 0.42 * cos(angle);
        if (fabs(angle) > ANGLE_PI * 0.42)
            continue;
        drawing_rounded(drawing,
                        (struct draw_item){.fill = ROLLER, .stroke = ROLLER_EDGE, .width_px = 0.75},
                        robot->pose, wheel->x_m + cosine * at_m - sine * across_m,
                        wheel->y_m + sine * at_m + cosine * across_m, wheel->heading_rad, length_m,
                        width_m * 0.34, width_m * 0.15);
    }
}

static void draw_wheel(const struct drawing *drawing, const struct snapshot_robot *robot,
                       const struct snapshot_wheel *wheel, double width_m)
{
    double roller_rad = wheel->roller_rad;
    width_m = width_m > 0 ? width_m : wheel->radius_m;
    draw_tire(drawing, robot, wheel, width_m);
    if (wheel->radius_m * drawing->viewport->px_per_m < WHEEL_PX)
        return;
    if (roller_rad == 0) {
        draw_rim(drawing, robot, wheel, width_m, 14, ANGLE_PI / 2,
                 (struct draw_item){.flags = DRAW_BUTT,
                                    .stroke = TREAD,
                                    .width_px = drawing_px(drawing, 0.003, 0.75)});
    } else if (fabs(fabs(roller_rad) - ANGLE_PI / 2) < 0.1) {
        draw_omni(drawing, robot, wheel, width_m);
    } else {
        // The upper rollers, seen from above, slant the other way than those on the floor.
        double width_px = drawing_px(drawing, wheel->radius_m * 0.19, 1.25);
        draw_rim(drawing, robot, wheel, width_m, 12, -(roller_rad + ANGLE_PI / 2),
                 (struct draw_item){.stroke = ROLLER, .width_px = width_px});
    }
}

/* The track of one side, around all its wheels. */
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
    if (radius_m * drawing->viewport->px_per_m < WHEEL_PX)
        return;
    // Links of 1/12 of a wheel's turn, which move with the wheels.
    double link_m = radius_m * 2 * ANGLE_PI / 12;
    double first_m = fmod(turned_rad * radius_m, link_m);
    for (double x_m = low_m + first_m - link_m; x_m < high_m - width_m * 0.2; x_m += link_m)
        if (x_m > low_m + width_m * 0.2)
            drawing_line(drawing,
                         (struct draw_item){.flags = DRAW_BUTT,
                                            .stroke = TREAD,
                                            .width_px = drawing_px(drawing, 0.005, 1)},
                         robot->pose, x_m, y_m - width_m * 0.42, x_m, y_m + width_m * 0.42);
}

static void draw_wheels(const struct drawing *drawing, const struct snapshot_robot *robot,
                        const struct appearance_row *row)
{
    if (robot->drive == ROBOT_TRACKED) {
        draw_track(drawing, robot, true, row->width_m);
        draw_track(drawing, robot, false, row->width_m);
        return;
    }
    for (uint32_t i = 0; i < robot->wheel_count; i++)
        draw_wheel(drawing, robot, &robot->wheels[i], row->width_m);
}

/* The shadow of the wheels for a robot at POSE. */
static void draw_wheel_shadows(const struct drawing *drawing, const struct snapshot_robot *robot,
                               struct snapshot_pose pose, double width_m)
{
    for (uint32_t i = 0; i < robot->wheel_count; i++) {
        const struct snapshot_wheel *wheel = &robot->wheels[i];
        double radius_m = (double)wheel->radius_m;
        double wide_m = width_m > 0 ? width_m : radius_m;
        drawing_rounded(drawing, (struct draw_item){.fill = drawing->theme->shadow}, pose,
                        (double)wheel->x_m, (double)wheel->y_m, (double)wheel->heading_rad,
                        2 * radius_m, wide_m, wide_m * 0.22);
    }
}

/* ---- Appearance ---- */

/* Value of the signal in list LIST of the spans of lit_by, or OTHERWISE. */
static double value_of(const struct drawing *drawing, const struct snapshot_robot *robot,
                       size_t list, size_t row, double otherwise)
{
    const uint32_t *signals = snapshot_at(drawing->snapshot, robot->lit_by);
    const double *values = snapshot_at(drawing->snapshot, drawing->snapshot->values);
    size_t at = list * robot->appearance.count + row;
    return at >= robot->lit_by.count || signals[at] == UINT32_MAX ? otherwise : values[signals[at]];
}

/* Brightness of the lamp of an appearance row: 0 (dark) to 1. */
static double light_of(const struct drawing *drawing, const struct snapshot_robot *robot,
                       size_t row)
{
    return fmin(fabs(value_of(drawing, robot, 0, row, 0)), 1);
}

/* An appearance row after the signals have moved it. */
static struct appearance_row moved_row(const struct drawing *drawing,
                                       const struct snapshot_robot *robot, size_t i)
{
    struct appearance_row row = snapshot_appearance(drawing->snapshot, robot, i);
    row.heading_rad += value_of(drawing, robot, 1, i, 0) * ANGLE_RAD_DEG;
    row.length_m = value_of(drawing, robot, 2, i, row.length_m);
    return row;
}

/* The pose of the center of the body's shape, which is the origin of the appearance rows. */
static struct snapshot_pose middle_pose(const struct snapshot_robot *robot)
{
    struct snapshot_pose pose = robot->pose;
    pose.x_m += cos(pose.heading_rad) * (double)robot->center_x_m;
    pose.y_m += sin(pose.heading_rad) * (double)robot->center_x_m;
    return pose;
}

static void draw_outline(const struct drawing *drawing, struct draw_item style,
                         const struct snapshot_robot *robot, struct snapshot_pose middle)
{
    if (robot->shape == ROBOT_DISC)
        draw_disc(drawing->list, style, viewport_px(drawing->viewport, middle.x_m, middle.y_m),
                  drawing_px(drawing, (double)robot->radius_m, 2));
    else
        drawing_rounded(drawing, style, middle, 0, 0, 0, (double)robot->length_m,
                        (double)robot->width_m, 0.02);
}

static void draw_shape(const struct drawing *drawing, struct snapshot_pose middle,
                       const struct appearance_row *row, uint32_t color)
{
    struct viewport_point at = viewport_local_px(drawing->viewport, middle, row->x_m, row->y_m);
    struct draw_item filled = {.fill = color};
    struct draw_item stroked = {
        .flags = DRAW_BUTT, .stroke = color, .width_px = drawing_px(drawing, row->width_m, 1)};
    double heading_rad = middle.heading_rad + row->heading_rad;
    switch (row->shape) {
    case APPEARANCE_DISC:
        draw_disc(drawing->list, filled, at, drawing_px(drawing, row->length_m / 2, 0.75));
        break;
    case APPEARANCE_RING:
        draw_disc(drawing->list, stroked, at, drawing_px(drawing, row->length_m / 2, 1));
        break;
    case APPEARANCE_ARC:
        draw_arc(drawing->list, stroked, at, drawing_px(drawing, row->length_m / 2, 1),
                 heading_rad + row->from_rad, heading_rad + row->to_rad);
        break;
    case APPEARANCE_BOX:
        drawing_rounded(drawing, filled, middle, row->x_m, row->y_m, row->heading_rad,
                        row->length_m, row->width_m, fmin(row->length_m, row->width_m) * 0.15);
        break;
    case APPEARANCE_LINE:
        stroked.flags = 0;
        drawing_line(drawing, stroked, middle, row->x_m, row->y_m,
                     row->x_m + row->length_m * cos(row->heading_rad),
                     row->y_m + row->length_m * sin(row->heading_rad));
        break;
    case APPEARANCE_BODY:
    case APPEARANCE_WHEELS:
        break; // see draw_row
    }
}

/* The glow around a lit lamp. */
static void draw_glow(const struct drawing *drawing, struct snapshot_pose middle,
                      const struct appearance_row *row, double light)
{
    if (row->shape != APPEARANCE_DISC || row->length_m > SMALL_M)
        return;
    draw_disc(
        drawing->list,
        (struct draw_item){.flags = DRAW_SOFT, .fill = theme_alpha(row->lit_color, 0.75 * light)},
        viewport_local_px(drawing->viewport, middle, row->x_m, row->y_m),
        drawing_px(drawing, row->length_m * 1.6, 5));
}

static void draw_row(const struct drawing *drawing, const struct snapshot_robot *robot,
                     struct snapshot_pose middle, const struct appearance_row *row, double light)
{
    uint32_t color = light > 0 ? theme_mix(row->color, row->lit_color, light) : row->color;
    double least_m = SEEN_PX / drawing->viewport->px_per_m;
    if (row->shape == APPEARANCE_WHEELS)
        draw_wheels(drawing, robot, row);
    else if (row->shape == APPEARANCE_BODY)
        draw_outline(drawing,
                     (struct draw_item){
                         .fill = color,
                         .stroke = drawing->theme->outline,
                         .width_px = drawing_px(drawing, drawing_reach_m(robot), 0) < 16 ? 2.5 : 1},
                     robot, middle);
    else if ((color & 0xFF) > 0 && (light > 0 || fabs(row->length_m) > least_m))
        draw_shape(drawing, middle, row, color);
    if (light > 0)
        draw_glow(drawing, middle, row, light);
}

static uint64_t key_mix(uint64_t key, double value)
{
    // FNV-1a over numbers, rounded: 0.1 mm or 0.6 % of light is not visible.
    double parts = value * 1e4;
    return (key ^ (uint64_t)(int64_t)(parts < 0 ? parts - 0.5 : parts + 0.5)) * 0x100000001B3u ^
           key >> 47;
}

/* Equal for robots that look the same at this zoom. */
static uint64_t appearance_key(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    uint64_t key = 0xCBF29CE484222325u;
    const double values[] = {robot->appearance.at, // of its type
                             drawing->viewport->px_per_m,
                             drawing->viewport->theme,
                             robot->shape,
                             robot->drive,
                             (double)robot->radius_m,
                             (double)robot->length_m,
                             (double)robot->width_m,
                             (double)robot->center_x_m};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        key = key_mix(key, values[i]);
    for (uint32_t i = 0; i < robot->wheel_count; i++) {
        const struct snapshot_wheel *wheel = &robot->wheels[i];
        const float parts[] = {wheel->x_m, wheel->y_m, wheel->heading_rad, wheel->radius_m,
                               wheel->is_dropped};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            key = key_mix(key, (double)parts[k]);
    }
    for (size_t i = 0; i < robot->appearance.count; i++) {
        key = key_mix(key, floor(light_of(drawing, robot, i) * 160 + 0.5));
        key = key_mix(key, round(value_of(drawing, robot, 1, i, 0) * 4)); // quarters of a degree
        key = key_mix(key, value_of(drawing, robot, 2, i, 0));
    }
    return key;
}

/* Radius of a robot around its center, with the glow of its lamps. */
static double extent_m(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    double extent = drawing_reach_m(robot);
    double glow_m = 5 / drawing->viewport->px_per_m;
    for (size_t i = 0; i < robot->appearance.count; i++) {
        const struct appearance_row row = moved_row(drawing, robot, i);
        double reach_m = row.shape == APPEARANCE_DISC && row.length_m <= SMALL_M && row.lit_by
                             ? fmax(row.length_m * 1.6, glow_m)
                         : row.shape == APPEARANCE_LINE ? row.length_m + row.width_m
                                                        : (row.length_m + row.width_m) / 2;
        extent = fmax(extent, sqrt(row.x_m * row.x_m + row.y_m * row.y_m) + reach_m);
    }
    for (uint32_t i = 0; i < robot->wheel_count; i++)
        extent = fmax(extent, hypot((double)robot->wheels[i].x_m - (double)robot->center_x_m,
                                    (double)robot->wheels[i].y_m) +
                                  1.5 * (double)robot->wheels[i].radius_m);
    return extent;
}

/* Whether no motion is visible on a robot: it is small, and its wheels blur. */
static bool is_still(const struct drawing *drawing, const struct snapshot_robot *robot,
                     double radius_px)
{
    bool has_wheels = false;
    for (size_t i = 0; i < robot->appearance.count; i++)
        has_wheels |= snapshot_appearance(drawing->snapshot, robot, i).shape == APPEARANCE_WHEELS;
    for (uint32_t i = 0; has_wheels && i < robot->wheel_count; i++)
        if ((double)robot->wheels[i].radius_m * drawing->viewport->px_per_m >= WHEEL_PX)
            return false;
    return radius_px < GROUP_PX;
}

void draw_robot_appearance(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    struct snapshot_pose middle = middle_pose(robot);
    for (size_t i = 0; i < robot->appearance.count; i++) {
        const struct appearance_row row = moved_row(drawing, robot, i);
        draw_row(drawing, robot, middle, &row, light_of(drawing, robot, i));
    }
}

/* A small robot is a group, so that a painter can copy it. */
static void draw_appearance(const struct drawing *drawing, const struct snapshot_robot *robot,
                            size_t index)
{
    struct snapshot_pose middle = middle_pose(robot);
    double radius_px = extent_m(drawing, robot) * drawing->viewport->px_per_m + 2;
    bool is_group = is_still(drawing, robot, radius_px);
    if (is_group)
        draw_group_begin(drawing->list, viewport_px(drawing->viewport, middle.x_m, middle.y_m),
                         middle.heading_rad, radius_px, appearance_key(drawing, robot), index);
    if (!is_group || !drawing->list->is_folded)
        draw_robot_appearance(drawing, robot);
    if (is_group)
        draw_group_end(drawing->list);
}

/* Gets the plate between the wheels if no other part of the body is visible. Otherwise returns
 * false. */
static bool plate_of(const struct drawing *drawing, const struct snapshot_robot *robot,
                     struct appearance_row *plate)
{
    if (robot->appearance.count == 0 || robot->shape != ROBOT_BOX || robot->drive == ROBOT_TRACKED)
        return false;
    *plate = snapshot_appearance(drawing->snapshot, robot, 0);
    return plate->shape == APPEARANCE_BOX;
}

/* The shadow of a lifted robot is farther away. */
static void draw_shadow(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    double most_m = (robot->is_lifted ? 40 : 7) / drawing->viewport->px_per_m;
    double off_m = fmin(robot->is_lifted ? 0.10 : 0.018, most_m);
    struct appearance_row plate;
    struct draw_item style = {.fill = drawing->theme->shadow};
    struct snapshot_pose pose = robot->pose, middle = middle_pose(robot);
    middle.x_m += off_m * 0.7;
    middle.y_m -= off_m;
    pose.x_m += off_m * 0.7;
    pose.y_m -= off_m;
    if (!plate_of(drawing, robot, &plate)) {
        draw_outline(drawing, style, robot, middle);
        return;
    }
    drawing_rounded(drawing, style, middle, plate.x_m, plate.y_m, plate.heading_rad, plate.length_m,
                    plate.width_m, 0.02);
    for (size_t i = 0; i < robot->appearance.count; i++) {
        const struct appearance_row row = snapshot_appearance(drawing->snapshot, robot, i);
        if (row.shape == APPEARANCE_WHEELS)
            draw_wheel_shadows(drawing, robot, pose, row.width_m);
    }
}

/* ---- Odometry, selection, trail ---- */

bool draw_has_ghost(const struct snapshot_robot *robot)
{
    double x_m = robot->odometry.x_m - robot->pose.x_m, y_m = robot->odometry.y_m - robot->pose.y_m;
    double turn_rad =
        remainder(robot->odometry.heading_rad - robot->pose.heading_rad, 2 * ANGLE_PI);
    // chosen: a smaller error is not worth a second outline
    return robot->has_odometry && (sqrt(x_m * x_m + y_m * y_m) >= 0.03 || fabs(turn_rad) >= 0.08);
}

static void draw_odometry(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    if (!draw_has_ghost(robot))
        return;
    struct snapshot_robot ghost = *robot;
    ghost.pose = robot->odometry;
    struct snapshot_pose middle = middle_pose(&ghost);
    struct draw_item style = {.stroke = drawing->theme->odometry, .width_px = 2, .dash_px = 5};
    double front_m =
        robot->shape == ROBOT_DISC ? (double)robot->radius_m : (double)robot->length_m / 2;
    double radius_px = drawing_reach_m(robot) * drawing->viewport->px_per_m + 3;
    bool is_group = radius_px < GROUP_PX;
    if (is_group)
        draw_group_begin(drawing->list, viewport_px(drawing->viewport, middle.x_m, middle.y_m),
                         middle.heading_rad, radius_px, ~appearance_key(drawing, robot), 0);
    draw_outline(drawing, style, &ghost, middle);
    style.dash_px = 0;
    drawing_line(drawing, style, middle, front_m * 0.35, 0, front_m, 0);
    if (is_group)
        draw_group_end(drawing->list);
}

static void draw_selection(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    double radius_m = drawing_reach_m(robot);
    struct snapshot_pose middle = middle_pose(robot);
    // With a dark edge, since yellow is hardly visible on a white floor.
    const struct draw_item rings[] = {
        {.stroke = theme_alpha(drawing->theme->text, 0.75), .width_px = 4.5},
        {.stroke = drawing->theme->selection, .width_px = 2.5}};
    for (size_t i = 0; i < 2; i++)
        draw_disc(drawing->list, rings[i], viewport_px(drawing->viewport, middle.x_m, middle.y_m),
                  drawing_px(drawing, radius_m, 2) + 7);
}

enum { PIECE = SNAPSHOT_TRAIL_MAX / 8 }; /* positions */

/* A path that fades towards its older end, piece by piece. The pieces keep their place while the
 * path grows. */
static void draw_path(const struct drawing *drawing, const struct snapshot_trail *trail,
                      struct draw_item style)
{
    uint32_t color = style.stroke, last = (trail->gone + trail->count - 1) / PIECE;
    for (uint32_t from = 0, to; from + 1 < trail->count; from = to) {
        uint32_t piece = (trail->gone + from) / PIECE;
        to = (uint32_t)fmin((piece + 1) * PIECE - trail->gone, trail->count - 1);
        // A path shorter than the maximum does not fade.
        double age = trail->gone == 0 ? 1 : fmax(1 - (double)(last - piece) / 8, 1.0 / 8);
        style.stroke = theme_alpha(color, 0.85 * age);
        drawing_points(drawing, style, false, trail->points + from, to - from + 1);
    }
}

/* Up to the last recorded position, which is below the robot. */
void draw_trail(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    const struct theme *theme = drawing->theme;
    if (drawing->viewport->shows & SHOW_TRAILS)
        draw_path(drawing, &robot->trail,
                  (struct draw_item){.stroke = theme->trail, .width_px = 2.5});
    if (drawing->viewport->shows & SHOW_ODOMETRY && robot->has_odometry)
        draw_path(drawing, &robot->odometry_trail,
                  (struct draw_item){.stroke = theme->odometry, .width_px = 2, .dash_px = 6});
}

void draw_robot(const struct drawing *drawing, size_t index)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_robot *robot =
        (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + index;
    double size_px =
        (robot->shape == ROBOT_DISC ? 2 * (double)robot->radius_m : (double)robot->width_m) *
        drawing->viewport->px_per_m;
    if (robot->carrier == UINT32_MAX && (size_px >= SHADOW_PX || robot->is_lifted))
        draw_shadow(drawing, robot);
    draw_appearance(drawing, robot, index);
    if (drawing->viewport->shows & SHOW_ODOMETRY)
        draw_odometry(drawing, robot);
    if (drawing->viewport->selected == (int32_t)index)
        draw_selection(drawing, robot);
}

/* ---- Sensors ---- */

/* The pose of a sensor in the room. */
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

/* The nearest dock, whose light a receiver may see. */
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
    if (!dock)
        return;
    uint32_t color = draw_dock_color(drawing->theme, sensor->beams);
    struct viewport_point ends[] = {
        viewport_local_px(drawing->viewport, dock->pose, (double)dock->light_x_m, 0),
        viewport_px(drawing->viewport, place.x_m, place.y_m)};
    draw_line(drawing->list, (struct draw_item){.stroke = theme_alpha(color, 0.9), .width_px = 1.5},
              ends, 2);
    draw_cone(drawing, sensor, place, RECEIVER_M, color, 0.3, 0.9);
}

/* Whether to draw rays for a robot's scan: those of many robots would hide the room. */
static bool has_rays(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    int32_t index = (int32_t)(robot - robots), selected = drawing->viewport->selected;
    size_t scans = 0;
    for (size_t i = 0; i < snapshot->robots.count; i++)
        scans += robots[i].scan_count > 0;
    return scans <= 2 ||
           (selected >= 0 && (selected == index || (uint32_t)selected == robot->carrier));
}

/* The points of the last turn as the driver has them, relative to the present position of the
 * scanner. A few rays show where it measures. */
static void draw_scan(const struct drawing *drawing, const struct snapshot_robot *robot,
                      struct snapshot_pose place)
{
    enum { RAYS = 24 }; /* chosen: more would hide the room */
    bool is_rayed = has_rays(drawing, robot);
    const struct snapshot_point *points = snapshot_at(drawing->snapshot, robot->scan);
    struct viewport_point ends[2] = {viewport_px(drawing->viewport, place.x_m, place.y_m)};
    uint32_t step = robot->scan_count / RAYS + 1;
    for (uint32_t i = 0; is_rayed && i < robot->scan_count; i += step) {
        ends[1] = viewport_local_px(drawing->viewport, robot->pose, (double)points[i].x_m,
                                    (double)points[i].y_m);
        draw_line(
            drawing->list,
            (struct draw_item){.stroke = theme_alpha(drawing->theme->ray, 0.25), .width_px = 1},
            ends, 2);
    }
    struct viewport_point dots[256], zero = viewport_local_px(drawing->viewport, robot->pose, 0, 0);
    double px_per_m = drawing->viewport->px_per_m;
    double cosine = cos(robot->pose.heading_rad) * px_per_m,
           sine = sin(robot->pose.heading_rad) * px_per_m;
    for (uint32_t from = 0, count; from < robot->scan_count; from += count) {
        for (count = 0; count < 256 && from + count < robot->scan_count; count++) {
            double x_m = (double)points[from + count].x_m, y_m = (double)points[from + count].y_m;
            dots[count] = (struct viewport_point){zero.x + cosine * x_m - sine * y_m,
                                                  zero.y - sine * x_m - cosine * y_m};
        }
        draw_dots(drawing->list, (struct draw_item){.fill = drawing->theme->hit}, dots, count,
                  drawing_px(drawing, 0.012, 1.25));
    }
}

/* Whether a sensor has a view to draw; sensors that face the floor are part of the robot's
 * appearance. */
static bool is_looking(const struct snapshot_sensor *sensor)
{
    return sensor->kind == SENSOR_RANGE || sensor->kind == SENSOR_CAMERA ||
           sensor->kind == SENSOR_SCANNER || (sensor->kind == SENSOR_DOCK_IR && sensor->beams != 0);
}

void draw_sensors(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    if (robot->is_lifted && robot->scan_count == 0)
        return;
    for (uint32_t i = 0; i < robot->sensor_count; i++) {
        const struct snapshot_sensor *sensor = &robot->sensors[i];
        // The reading of a failing sensor does not show the room; see draw_faults.c.
        if (sensor->is_failing || !is_looking(sensor))
            continue;
        struct snapshot_pose place = place_of(robot, sensor);
        switch (sensor->kind) {
        case SENSOR_RANGE:
            draw_range(drawing, sensor, place);
            break;
        case SENSOR_DOCK_IR:
            if (drawing->viewport->shows & SHOW_CONES)
                draw_receiver(drawing, sensor, place);
            break;
        case SENSOR_SCANNER:
            draw_scan(drawing, robot, place);
            break;
        case SENSOR_CAMERA:
            draw_cone(drawing, sensor, place, fmin((double)sensor->range_m, CAMERA_M),
                      drawing->theme->field, 0.14, 0.6);
            break;
        default:
            break;
        }
    }
}
