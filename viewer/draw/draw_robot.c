/* A robot in its true look from above: the rows of its type, one after the other. */
#include <math.h>

#include "viewer/draw/drawing.h"

static const double SMALL_M = 0.04; /* chosen: a lit disc up to this size is a lamp, and glows */
static const double GROUP_PX = 48;  /* chosen: up to this radius, a robot is copied as a whole */
static const double SEEN_PX = 1;    /* chosen: a dark part that is smaller is left out */

/* How bright a look shines: 0 dark, 1 lit. */
static double light_of(const struct drawing *drawing, const struct snapshot_robot *robot,
                       size_t look)
{
    const uint32_t *lit_by = snapshot_at(drawing->snapshot, robot->looks);
    const double *values = snapshot_at(drawing->snapshot, drawing->snapshot->values);
    if (look >= robot->looks.count || lit_by[look] == UINT32_MAX)
        return 0;
    return fmin(fabs(values[lit_by[look]]), 1);
}

/* The middle of the body's shape, which looks are placed from. */
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

static void draw_look(const struct drawing *drawing, struct snapshot_pose middle,
                      const struct look_row *look, uint32_t color)
{
    struct viewport_point at = viewport_local_px(drawing->viewport, middle, look->x_m, look->y_m);
    struct draw_item filled = {.fill = color};
    struct draw_item stroked = {
        .flags = DRAW_BUTT, .stroke = color, .width_px = drawing_px(drawing, look->width_m, 1)};
    double heading_rad = middle.heading_rad + look->heading_rad;
    switch (look->shape) {
    case LOOK_DISC:
        draw_disc(drawing->list, filled, at, drawing_px(drawing, look->length_m / 2, 0.75));
        break;
    case LOOK_RING:
        draw_disc(drawing->list, stroked, at, drawing_px(drawing, look->length_m / 2, 1));
        break;
    case LOOK_ARC:
        draw_arc(drawing->list, stroked, at, drawing_px(drawing, look->length_m / 2, 1),
                 heading_rad + look->from_rad, heading_rad + look->to_rad);
        break;
    case LOOK_BOX:
        drawing_rounded(drawing, filled, middle, look->x_m, look->y_m, look->heading_rad,
                        look->length_m, look->width_m, fmin(look->length_m, look->width_m) * 0.15);
        break;
    case LOOK_LINE:
        stroked.flags = 0;
        drawing_line(drawing, stroked, middle, look->x_m, look->y_m,
                     look->x_m + look->length_m * cos(look->heading_rad),
                     look->y_m + look->length_m * sin(look->heading_rad));
        break;
    case LOOK_BODY:
    case LOOK_WHEELS:
        break; // need more than a row, see draw_looks
    }
}

/* The shine around a lit lamp. */
static void draw_glow(const struct drawing *drawing, struct snapshot_pose middle,
                      const struct look_row *look, double light)
{
    if (look->shape != LOOK_DISC || look->length_m > SMALL_M)
        return;
    draw_disc(
        drawing->list,
        (struct draw_item){.flags = DRAW_SOFT, .fill = theme_alpha(look->lit_color, 0.75 * light)},
        viewport_local_px(drawing->viewport, middle, look->x_m, look->y_m),
        drawing_px(drawing, look->length_m * 1.6, 5));
}

static void draw_one_look(const struct drawing *drawing, const struct snapshot_robot *robot,
                          struct snapshot_pose middle, const struct look_row *look, double light)
{
    uint32_t color = light > 0 ? theme_mix(look->color, look->lit_color, light) : look->color;
    double least_m = SEEN_PX / drawing->viewport->px_per_m;
    if (look->shape == LOOK_WHEELS)
        draw_wheels(drawing, robot, look);
    else if (look->shape == LOOK_BODY)
        draw_outline(
            drawing,
            (struct draw_item){.fill = color, .stroke = drawing->theme->outline, .width_px = 1},
            robot, middle);
    else if ((color & 0xFF) > 0 && (light > 0 || look->length_m > least_m))
        draw_look(drawing, middle, look, color);
    if (light > 0)
        draw_glow(drawing, middle, look, light);
}

static uint64_t key_mix(uint64_t key, double value)
{
    // FNV-1a in steps of a number; a tenth of a millimeter, and 0.6 % of light, are seen by nobody.
    return (key ^ (uint64_t)llround(value * 1e4)) * 0x100000001B3u ^ key >> 47;
}

/* The same for robots that look the same from one pixel per meter to the next. */
static uint64_t look_key(const struct drawing *drawing, const struct snapshot_robot *robot,
                         const struct robot_type *type)
{
    uint64_t key = 0xCBF29CE484222325u;
    for (const char *letter = type->name; *letter; letter++)
        key = key_mix(key, *letter);
    const double values[] = {drawing->viewport->px_per_m,
                             drawing->viewport->theme,
                             robot->shape,
                             robot->drive,
                             (double)robot->radius_m,
                             (double)robot->length_m,
                             (double)robot->width_m,
                             (double)robot->center_x_m,
                             round((double)robot->steer_rad * 64)};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        key = key_mix(key, values[i]);
    for (uint32_t i = 0; i < robot->wheel_count; i++) {
        const struct snapshot_wheel *wheel = &robot->wheels[i];
        const float parts[] = {wheel->x_m, wheel->y_m, wheel->heading_rad, wheel->radius_m,
                               wheel->is_dropped};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            key = key_mix(key, (double)parts[k]);
    }
    for (size_t i = 0; i < type->look_count; i++)
        key = key_mix(key, round(light_of(drawing, robot, i) * 160));
    return key;
}

/* How far from the middle anything of a robot reaches, m, with the shine of its lamps. */
static double extent_m(const struct drawing *drawing, const struct snapshot_robot *robot,
                       const struct robot_type *type)
{
    double extent = robot->shape == ROBOT_DISC
                        ? (double)robot->radius_m
                        : hypot((double)robot->length_m, (double)robot->width_m) / 2;
    double glow_m = 5 / drawing->viewport->px_per_m;
    for (size_t i = 0; i < type->look_count; i++) {
        const struct look_row *look = &type->looks[i];
        double reach_m = look->shape == LOOK_DISC && look->length_m <= SMALL_M && look->lit_by
                             ? fmax(look->length_m * 1.6, glow_m)
                         : look->shape == LOOK_LINE ? look->length_m + look->width_m
                                                    : (look->length_m + look->width_m) / 2;
        extent = fmax(extent, hypot(look->x_m, look->y_m) + reach_m);
    }
    for (uint32_t i = 0; i < robot->wheel_count; i++)
        extent = fmax(extent, hypot((double)robot->wheels[i].x_m - (double)robot->center_x_m,
                                    (double)robot->wheels[i].y_m) +
                                  1.5 * (double)robot->wheels[i].radius_m);
    return extent;
}

/* Whether nothing on a robot is seen to move: it is small, and its wheels are a blur. */
static bool is_still(const struct drawing *drawing, const struct snapshot_robot *robot,
                     const struct robot_type *type, double radius_px)
{
    bool has_wheels = false;
    for (size_t i = 0; i < type->look_count; i++)
        has_wheels |= type->looks[i].shape == LOOK_WHEELS;
    for (uint32_t i = 0; has_wheels && i < robot->wheel_count; i++)
        if ((double)robot->wheels[i].radius_m * drawing->viewport->px_per_m >= DRAWING_WHEEL_PX)
            return false;
    return radius_px < GROUP_PX;
}

/* A small robot is a group: a painter may copy it from the last picture. */
static void draw_looks(const struct drawing *drawing, const struct snapshot_robot *robot,
                       const struct robot_type *type)
{
    struct snapshot_pose middle = middle_pose(robot);
    double radius_px = extent_m(drawing, robot, type) * drawing->viewport->px_per_m + 2;
    bool is_group = is_still(drawing, robot, type, radius_px);
    if (is_group)
        draw_group_begin(drawing->list, viewport_px(drawing->viewport, middle.x_m, middle.y_m),
                         middle.heading_rad, radius_px, look_key(drawing, robot, type));
    for (size_t i = 0; i < type->look_count; i++)
        draw_one_look(drawing, robot, middle, &type->looks[i], light_of(drawing, robot, i));
    if (is_group)
        draw_group_end(drawing->list);
}

/* A plate between wheels, where that is all of its body that is seen; else NULL. */
static const struct look_row *plate_of(const struct snapshot_robot *robot,
                                       const struct robot_type *type)
{
    const struct look_row *first = type->look_count > 0 ? &type->looks[0] : NULL;
    bool is_plate = robot->shape == ROBOT_BOX && robot->drive != ROBOT_TRACKED && first &&
                    first->shape == LOOK_BOX;
    return is_plate ? first : NULL;
}

/* Higher above the floor, the shadow is farther off. */
static void draw_shadow(const struct drawing *drawing, const struct snapshot_robot *robot,
                        const struct robot_type *type)
{
    double most_m = (robot->is_lifted ? 40 : 7) / drawing->viewport->px_per_m;
    double off_m = fmin(robot->is_lifted ? 0.10 : 0.018, most_m);
    const struct look_row *plate = plate_of(robot, type);
    struct draw_item style = {.fill = drawing->theme->shadow};
    struct snapshot_pose pose = robot->pose, middle = middle_pose(robot);
    middle.x_m += off_m * 0.7;
    middle.y_m -= off_m;
    pose.x_m += off_m * 0.7;
    pose.y_m -= off_m;
    if (!plate) {
        draw_outline(drawing, style, robot, middle);
        return;
    }
    drawing_rounded(drawing, style, middle, plate->x_m, plate->y_m, plate->heading_rad,
                    plate->length_m, plate->width_m, 0.02);
    for (size_t i = 0; i < type->look_count; i++)
        if (type->looks[i].shape == LOOK_WHEELS)
            draw_wheel_shadows(drawing, robot, pose, type->looks[i].width_m);
}

/* ---- Beside the robot ---- */

/* Where its host believes that it is: an outline with the way it looks. */
static void draw_told(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    double x_m = robot->odometry.x_m - robot->pose.x_m, y_m = robot->odometry.y_m - robot->pose.y_m;
    double turn_rad =
        remainder(robot->odometry.heading_rad - robot->pose.heading_rad, 6.283185307179586);
    // chosen: less than this is not worth a second outline
    if (!robot->has_odometry || (sqrt(x_m * x_m + y_m * y_m) < 0.03 && fabs(turn_rad) < 0.08))
        return;
    struct snapshot_robot ghost = *robot;
    ghost.pose = robot->odometry;
    struct snapshot_pose middle = middle_pose(&ghost);
    struct draw_item style = {.stroke = drawing->theme->odometry, .width_px = 2, .dash_px = 5};
    double front_m =
        robot->shape == ROBOT_DISC ? (double)robot->radius_m : (double)robot->length_m / 2;
    draw_outline(drawing, style, &ghost, middle);
    style.dash_px = 0;
    drawing_line(drawing, style, middle, front_m * 0.35, 0, front_m, 0);
}

static void draw_selection(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    double radius_m = robot->shape == ROBOT_DISC
                          ? (double)robot->radius_m
                          : hypot((double)robot->length_m, (double)robot->width_m) / 2;
    struct snapshot_pose middle = middle_pose(robot);
    draw_disc(drawing->list,
              (struct draw_item){.stroke = drawing->theme->selection, .width_px = 2.5},
              viewport_px(drawing->viewport, middle.x_m, middle.y_m),
              drawing_px(drawing, radius_m, 2) + 7);
}

/* A way that fades towards its past, in pieces. */
static void draw_way(const struct drawing *drawing, const struct snapshot_trail *trail,
                     struct snapshot_pose now, struct draw_item style)
{
    enum { PIECES = 8 };
    struct snapshot_point points[SNAPSHOT_TRAIL_MAX + 1];
    size_t count = trail->count;
    for (size_t i = 0; i < count; i++)
        points[i] = trail->points[i];
    points[count++] = (struct snapshot_point){(float)now.x_m, (float)now.y_m};
    uint32_t color = style.stroke;
    for (size_t piece = 0; piece < PIECES; piece++) {
        // Short ways do not fade: they have no past.
        double age = count < SNAPSHOT_TRAIL_MAX ? 1 : (double)(piece + 1) / PIECES;
        size_t from = (count - 1) * piece / PIECES, to = (count - 1) * (piece + 1) / PIECES;
        style.stroke = theme_alpha(color, 0.85 * age);
        if (count < SNAPSHOT_TRAIL_MAX) {
            from = 0;
            to = count - 1;
            piece = PIECES;
        }
        if (to > from)
            drawing_points(drawing, style, false, points + from, to - from + 1);
    }
}

void draw_trail(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    const struct theme *theme = drawing->theme;
    if (drawing->viewport->shows & SHOW_TRAILS)
        draw_way(drawing, &robot->trail, robot->pose,
                 (struct draw_item){.stroke = theme->trail, .width_px = 2.5});
    if (drawing->viewport->shows & SHOW_ODOMETRY && robot->has_odometry)
        draw_way(drawing, &robot->odometry_trail, robot->odometry,
                 (struct draw_item){.stroke = theme->odometry, .width_px = 2, .dash_px = 6});
}

void draw_robot(const struct drawing *drawing, size_t index)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_robot *robot =
        (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + index;
    const struct robot_type *type = robot_type_find(robot->type);
    if (!type)
        return;
    draw_shadow(drawing, robot, type);
    draw_looks(drawing, robot, type);
    if (drawing->viewport->shows & SHOW_ODOMETRY)
        draw_told(drawing, robot);
    if (drawing->viewport->selected == (int32_t)index)
        draw_selection(drawing, robot);
}
