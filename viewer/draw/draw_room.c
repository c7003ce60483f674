/* The room: the floor with its grid, lines, lamps and cliffs; walls and obstacles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/draw.h"

static const double LABEL_PX = 14; /* of the grid's numbers */

/* ---- Floor ---- */

static struct draw_item shade_style(const struct drawing *drawing, float reflectance)
{
    const struct theme *theme = drawing->theme;
    return (struct draw_item){.fill =
                                  theme_mix(theme->dark_floor, theme->floor, (double)reflectance),
                              .stroke = theme_alpha(theme->faint, 0.35),
                              .width_px = 1};
}

static void draw_shades(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_polygon *shades = snapshot_at(snapshot, snapshot->shades);
    for (size_t i = 0; i < snapshot->shades.count; i++)
        drawing_points(drawing, shade_style(drawing, shades[i].value), true,
                       snapshot_at(snapshot, shades[i].points), shades[i].points.count);

    const struct snapshot_line *lines = snapshot_at(snapshot, snapshot->lines);
    for (size_t i = 0; i < snapshot->lines.count; i++) {
        struct draw_item style = shade_style(drawing, lines[i].reflectance);
        double width_px = drawing_px(drawing, (double)lines[i].width_m, 1);
        struct snapshot_point ends[] = {lines[i].from, lines[i].to};
        drawing_points(drawing, (struct draw_item){.stroke = style.fill, .width_px = width_px},
                       false, ends, 2);
    }
}

static void draw_picture(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    if (snapshot->floor.count == 0)
        return;
    struct draw_item style = {.fill = drawing->theme->floor, .stroke = drawing->theme->dark_floor};
    draw_image(
        drawing->list, style,
        viewport_px(drawing->viewport, (double)snapshot->low.x_m, (double)snapshot->high.y_m),
        viewport_px(drawing->viewport, (double)snapshot->high.x_m, (double)snapshot->low.y_m),
        snapshot_at(snapshot, snapshot->floor), snapshot->floor_width, snapshot->floor_height,
        false);
}

/* ---- Grid ---- */

/* The step of the grid: 1, 2 or 5 times a power of ten, at least LEAST_PX on the screen. */
static double grid_step_m(const struct viewport *viewport, double least_px)
{
    static const double steps[] = {1, 2, 5};
    for (double power = 1e-3;; power *= 10)
        for (int i = 0; i < 3; i++)
            if (power * steps[i] * viewport->px_per_m >= least_px)
                return power * steps[i];
}

static void grid_line(const struct drawing *drawing, bool is_upright, double at_m,
                      struct draw_item style)
{
    const struct snapshot *snapshot = drawing->snapshot;
    struct snapshot_point ends[] = {snapshot->low, snapshot->high};
    for (int i = 0; i < 2; i++)
        *(is_upright ? &ends[i].x_m : &ends[i].y_m) = (float)at_m;
    drawing_points(drawing, style, false, ends, 2);
}

static void grid_number(const struct drawing *drawing, bool is_upright, double at_m, bool is_last)
{
    const struct snapshot *snapshot = drawing->snapshot;
    char text[32];
    // + 0: no minus before a zero
    snprintf(text, sizeof text, "%g%s", round(at_m * 1000) / 1000 + 0.0,
             is_last && is_upright ? " m" : "");
    struct viewport_point at =
        viewport_px(drawing->viewport, is_upright ? at_m : (double)snapshot->low.x_m,
                    is_upright ? (double)snapshot->low.y_m : at_m);
    struct draw_item style = {.fill = drawing->theme->faint, .size_px = LABEL_PX};
    style.align = is_upright ? DRAW_CENTER : DRAW_RIGHT;
    at.x -= is_upright ? 0 : 12;
    at.y += is_upright ? 12 + LABEL_PX : LABEL_PX / 3;
    draw_text(drawing->list, style, at, text);
}

static void grid_lines(const struct drawing *drawing, bool is_upright, double step_m,
                       struct draw_item style, bool has_numbers)
{
    const struct snapshot *snapshot = drawing->snapshot;
    double low_m = (double)(is_upright ? snapshot->low.x_m : snapshot->low.y_m);
    double high_m = (double)(is_upright ? snapshot->high.x_m : snapshot->high.y_m);
    double slack_m = step_m * 1e-3;
    for (double k = ceil(low_m / step_m); k * step_m <= high_m + slack_m; k++) {
        if (k * step_m > low_m + slack_m && k * step_m < high_m - slack_m)
            grid_line(drawing, is_upright, k * step_m, style);
        if (has_numbers)
            grid_number(drawing, is_upright, k * step_m, (k + 1) * step_m > high_m + slack_m);
    }
}

static void draw_grid(const struct drawing *drawing)
{
    double step_m = grid_step_m(drawing->viewport, 88);
    struct draw_item coarse = {.stroke = drawing->theme->grid, .width_px = 1.25};
    struct draw_item fine = {.stroke = drawing->theme->grid_fine, .width_px = 1};
    bool has_numbers = drawing->viewport->shows & SHOW_CAPTION;
    for (int way = 0; way < 2; way++)
        grid_lines(drawing, way == 0, step_m / 5, fine, false);
    for (int way = 0; way < 2; way++)
        grid_lines(drawing, way == 0, step_m, coarse, has_numbers);
}

/* ---- Cliffs ---- */

static struct viewport_point middle_of(const struct drawing *drawing,
                                       const struct snapshot_polygon *polygon)
{
    const struct snapshot_point *points = snapshot_at(drawing->snapshot, polygon->points);
    double x_m = 0, y_m = 0;
    for (size_t i = 0; i < polygon->points.count; i++) {
        x_m += (double)points[i].x_m / polygon->points.count;
        y_m += (double)points[i].y_m / polygon->points.count;
    }
    return viewport_px(drawing->viewport, x_m, y_m);
}

/* Distance from the center of a polygon to each side. */
static double inner_px(const struct drawing *drawing, const struct snapshot_polygon *polygon)
{
    const struct snapshot_point *points = snapshot_at(drawing->snapshot, polygon->points);
    double middle_px = middle_of(drawing, polygon).x, least_px = INFINITY;
    for (int side = -1; side <= 1; side += 2) {
        double reach_px = 0;
        for (size_t i = 0; i < polygon->points.count; i++) {
            double x_px = viewport_px(drawing->viewport, (double)points[i].x_m, 0).x;
            reach_px = fmax(reach_px, side * (x_px - middle_px));
        }
        least_px = fmin(least_px, reach_px);
    }
    return least_px;
}

static void draw_cliff(const struct drawing *drawing, const struct snapshot_polygon *cliff)
{
    const struct theme *theme = drawing->theme;
    double depth_m = (double)cliff->value;
    // Deeper cliffs are darker; half way at 0.2 m (chosen: too deep for any robot).
    double dark = isfinite(depth_m) && depth_m > 0 ? depth_m / (depth_m + 0.2) : 1;
    struct draw_item style = {
        .flags = DRAW_SOFT,
        .fill = theme_mix(theme_mix(theme->depth, theme->faint, 0.4), theme->depth, dark),
        .stroke = theme->depth_edge,
        .width_px = 1.5,
        .soft_px = fmin(drawing_px(drawing, 0.14, 6), 40),
        .hatch_px = fmin(drawing_px(drawing, 0.08, 7), 16)};
    drawing_points(drawing, style, true, snapshot_at(drawing->snapshot, cliff->points),
                   cliff->points.count);
    if (!(drawing->viewport->shows & SHOW_LABELS))
        return;
    char text[48] = "cliff";
    double room_px = 2 * inner_px(drawing, cliff), letter_px = 8.5; // chosen: of wide letters
    for (int i = 0; i < 2 && isfinite(depth_m) && depth_m > 0; i++) {
        snprintf(text, sizeof text, "%g m%s", round(depth_m * 1000) / 1000, i == 0 ? " deep" : "");
        if (letter_px * (double)strlen(text) <= room_px)
            break;
    }
    if (letter_px * (double)strlen(text) > room_px)
        return;
    struct viewport_point at = middle_of(drawing, cliff);
    at.y += 5;
    draw_text(drawing->list,
              (struct draw_item){.flags = DRAW_HALO,
                                 .fill = 0xF2F5F8FFu,
                                 .stroke = theme_alpha(theme->depth_edge, 0.8),
                                 .size_px = 15,
                                 .align = DRAW_CENTER},
              at, text);
}

/* ---- Lamps ---- */

static void draw_lamp(const struct drawing *drawing, const struct snapshot_lamp *lamp)
{
    struct viewport_point at =
        viewport_px(drawing->viewport, (double)lamp->at.x_m, (double)lamp->at.y_m);
    uint32_t color = drawing->theme->lamp;
    // chosen: up to the distance with 1/20 of the full light
    draw_disc(drawing->list,
              (struct draw_item){.flags = DRAW_SOFT, .fill = theme_alpha(color, 0.6)}, at,
              drawing_px(drawing, sqrt((double)lamp->brightness * 20), 20));
    draw_disc(drawing->list,
              (struct draw_item){
                  .fill = color, .stroke = theme_alpha(drawing->theme->text, 0.5), .width_px = 1},
              at, 5);
}

void draw_floor(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct viewport *viewport = drawing->viewport;
    draw_rect(drawing->list, (struct draw_item){.fill = drawing->theme->page}, 0, 0,
              viewport->width_px, viewport->height_px);
    struct snapshot_point room[] = {snapshot->low,
                                    {snapshot->high.x_m, snapshot->low.y_m},
                                    snapshot->high,
                                    {snapshot->low.x_m, snapshot->high.y_m}};
    drawing_points(drawing, (struct draw_item){.fill = drawing->theme->floor}, true, room, 4);
    draw_picture(drawing);
    if (viewport->shows & SHOW_GRID)
        draw_grid(drawing);
    draw_shades(drawing);
    const struct snapshot_lamp *lamps = snapshot_at(snapshot, snapshot->lamps);
    for (size_t i = 0; i < snapshot->lamps.count; i++)
        draw_lamp(drawing, &lamps[i]);
    const struct snapshot_polygon *cliffs = snapshot_at(snapshot, snapshot->cliffs);
    for (size_t i = 0; i < snapshot->cliffs.count; i++)
        draw_cliff(drawing, &cliffs[i]);
}

/* ---- Walls and obstacles ---- */

static const double WALL_M = 0.04; /* chosen: a wall has no thickness and is drawn like a board, */
static const double WALL_MAX_PX = 9; /* but at most this thick when zoomed in */

static uint32_t color_or(uint32_t color, uint32_t otherwise)
{
    return color ? color : otherwise;
}

static double wall_px(const struct drawing *drawing, double least_px)
{
    return fmin(drawing_px(drawing, WALL_M, least_px), WALL_MAX_PX);
}

static double hatch_px(const struct drawing *drawing)
{
    return fmin(drawing_px(drawing, 0.07, 6), 14);
}

/* The four walls of the room, just outside the floor. */
static void draw_border(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    double width_px = wall_px(drawing, 4);
    float half_m = (float)(width_px / 2 / drawing->viewport->px_per_m);
    struct snapshot_point low = {snapshot->low.x_m - half_m, snapshot->low.y_m - half_m};
    struct snapshot_point high = {snapshot->high.x_m + half_m, snapshot->high.y_m + half_m};
    struct snapshot_point corners[] = {low, {high.x_m, low.y_m}, high, {low.x_m, high.y_m}};
    drawing_points(drawing,
                   (struct draw_item){.stroke = drawing->theme->wall, .width_px = width_px}, true,
                   corners, 4);
}

/* The pose of a shadow: offset to the lower right. */
static struct snapshot_pose shadow_of(const struct drawing *drawing, struct snapshot_pose pose)
{
    double off_m = fmin(0.02, 5 / drawing->viewport->px_per_m);
    pose.x_m += off_m * 0.7;
    pose.y_m -= off_m;
    return pose;
}

static void draw_box(const struct drawing *drawing, const struct snapshot_box *box)
{
    const struct theme *theme = drawing->theme;
    bool is_fixed = box->mass_kg <= 0;
    double length_m = (double)box->length_m, width_m = (double)box->width_m;
    struct draw_item style = {
        .fill = box->color,
        .stroke = is_fixed ? theme->box_edge : theme->crate_edge,
        .width_px = 1.5,
    };
    drawing_rounded(drawing, (struct draw_item){.fill = theme->shadow},
                    shadow_of(drawing, box->pose), 0, 0, 0, length_m, width_m, 0.02);
    style.hatch_px = is_fixed ? hatch_px(drawing) : 0;
    drawing_rounded(drawing, style, box->pose, 0, 0, 0, length_m, width_m, 0.01);
    // Adhesive tape: shows that this is a cardboard box, which robots can push.
    if (!is_fixed)
        drawing_box(drawing, (struct draw_item){.fill = theme_alpha(theme->crate_edge, 0.35)},
                    box->pose, 0, 0, 0, length_m, width_m * 0.16);
}

static void draw_disc_obstacle(const struct drawing *drawing, const struct snapshot_disc *disc)
{
    const struct theme *theme = drawing->theme;
    bool is_fixed = disc->mass_kg <= 0;
    double radius_px = drawing_px(drawing, (double)disc->radius_m, 2);
    struct viewport_point middle = viewport_px(drawing->viewport, disc->pose.x_m, disc->pose.y_m);
    struct snapshot_pose below = shadow_of(drawing, disc->pose);
    struct draw_item style = {
        .fill = disc->color,
        .stroke = is_fixed ? theme->box_edge : theme->crate_edge,
        .width_px = 1.5,
    };
    draw_disc(drawing->list, (struct draw_item){.fill = theme->shadow},
              viewport_px(drawing->viewport, below.x_m, below.y_m), radius_px);
    draw_disc(drawing->list, style, middle, radius_px);
    if (!is_fixed)
        draw_disc(
            drawing->list,
            (struct draw_item){.stroke = theme_alpha(theme->crate_edge, 0.5), .width_px = 1.25},
            middle, radius_px * 0.6);
}

void draw_obstacles(const struct drawing *drawing, bool is_fixed)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    const struct snapshot_disc *discs = snapshot_at(snapshot, snapshot->discs);
    for (size_t i = 0; i < snapshot->boxes.count; i++)
        if ((boxes[i].mass_kg <= 0) == is_fixed)
            draw_box(drawing, &boxes[i]);
    for (size_t i = 0; i < snapshot->discs.count; i++)
        if ((discs[i].mass_kg <= 0) == is_fixed)
            draw_disc_obstacle(drawing, &discs[i]);
}

/* Whether the borders are closed outlines: each corner has an even number of ends. A user may have
 * removed a border. */
static bool is_closed(const struct snapshot_wall *walls, size_t count)
{
    uint64_t odd = 0;
    for (size_t i = 0; i < count; i++) {
        const struct snapshot_point ends[] = {walls[i].from, walls[i].to};
        for (int k = 0; walls[i].is_border && k < 2; k++) {
            // Equal corners have equal coordinates, up to rounding.
            uint64_t x = (uint64_t)(int64_t)lround((double)ends[k].x_m * 1e5);
            uint64_t y = (uint64_t)(int64_t)lround((double)ends[k].y_m * 1e5);
            uint64_t mixed = (x * 0x9E3779B97F4A7C15u ^ y) * 0xC2B2AE3D27D4EB4Fu;
            odd ^= mixed ^ mixed >> 29;
        }
    }
    return odd == 0;
}

/* The solid areas of a map, from its borders in any order: the triangles from one point to each
 * border cover the inside an odd number of times. */
static void draw_solid(const struct drawing *drawing, const struct snapshot_wall *walls,
                       size_t count)
{
    struct viewport_point *points = calloc(3 * count, sizeof *points);
    size_t used = 0;
    for (size_t i = 0; points && i < count; i++) {
        if (!walls[i].is_border)
            continue;
        struct viewport_point from =
            viewport_px(drawing->viewport, (double)walls[i].from.x_m, (double)walls[i].from.y_m);
        points[used] = used == 0 ? from : points[0];
        points[used + 1] = from;
        points[used + 2] =
            viewport_px(drawing->viewport, (double)walls[i].to.x_m, (double)walls[i].to.y_m);
        used += 3;
    }
    if (used > 0)
        draw_polygon(drawing->list,
                     (struct draw_item){.flags = DRAW_EVEN, .fill = drawing->theme->wall}, points,
                     used);
    free(points);
}

void draw_walls(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct theme *theme = drawing->theme;
    const struct snapshot_polygon *polygons = snapshot_at(snapshot, snapshot->polygons);
    for (size_t i = 0; i < snapshot->polygons.count; i++)
        drawing_points(drawing,
                       (struct draw_item){.fill = color_or(polygons[i].color, theme->box),
                                          .stroke = theme->wall,
                                          .width_px = wall_px(drawing, 4) / 2,
                                          .hatch_px = hatch_px(drawing)},
                       true, snapshot_at(snapshot, polygons[i].points), polygons[i].points.count);
    draw_obstacles(drawing, true);
    const struct snapshot_wall *walls = snapshot_at(snapshot, snapshot->walls);
    bool is_solid = is_closed(walls, snapshot->walls.count);
    if (is_solid)
        draw_solid(drawing, walls, snapshot->walls.count);
    for (size_t i = 0; i < snapshot->walls.count; i++) {
        const struct snapshot_point ends[] = {walls[i].from, walls[i].to};
        double width_px = walls[i].is_border && is_solid ? 1 : wall_px(drawing, 3);
        drawing_points(drawing,
                       (struct draw_item){.stroke = color_or(walls[i].color, theme->wall),
                                          .width_px = width_px},
                       false, ends, 2);
    }
    draw_border(drawing);
}
