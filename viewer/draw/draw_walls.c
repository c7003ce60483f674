/* Walls and obstacles. */
#include <math.h>
#include <stdlib.h>

#include "viewer/draw/drawing.h"

static const double WALL_M = 0.04;   /* chosen: a wall is a line; drawn like a board, */
static const double WALL_MAX_PX = 9; /* but not a beam where little of the room is seen */

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

static struct snapshot_pose floor_pose(void)
{
    return (struct snapshot_pose){0, 0, 0};
}

/* The four walls of the room: around the floor, none of it hidden. */
static void draw_room(const struct drawing *drawing)
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

/* A shadow to the lower right, so that things stand on the floor. */
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
        .fill = color_or(box->color, is_fixed ? theme->box : theme->crate),
        .stroke = is_fixed ? theme->box_edge : theme->crate_edge,
        .width_px = 1.5,
    };
    drawing_rounded(drawing, (struct draw_item){.fill = theme->shadow},
                    shadow_of(drawing, box->pose), 0, 0, 0, length_m, width_m, 0.02);
    style.hatch_px = is_fixed ? hatch_px(drawing) : 0;
    drawing_rounded(drawing, style, box->pose, 0, 0, 0, length_m, width_m, 0.01);
    // Adhesive tape: this one is made of cardboard and can be pushed.
    if (!is_fixed)
        drawing_box(drawing, (struct draw_item){.fill = theme_alpha(theme->crate_edge, 0.35)},
                    box->pose, 0, 0, 0, length_m, width_m * 0.16);
}

static void draw_round(const struct drawing *drawing, const struct snapshot_disc *disc)
{
    const struct theme *theme = drawing->theme;
    bool is_fixed = disc->mass_kg <= 0;
    double radius_px = drawing_px(drawing, (double)disc->radius_m, 2);
    struct viewport_point middle = viewport_px(drawing->viewport, disc->pose.x_m, disc->pose.y_m);
    struct snapshot_pose below = shadow_of(drawing, disc->pose);
    struct draw_item style = {
        .fill = color_or(disc->color, is_fixed ? theme->box : theme->crate),
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

/* Fixed ones stand still, the others are painted in each frame. */
static void draw_some(const struct drawing *drawing, bool is_fixed)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    const struct snapshot_disc *discs = snapshot_at(snapshot, snapshot->discs);
    for (size_t i = 0; i < snapshot->boxes.count; i++)
        if ((boxes[i].mass_kg <= 0) == is_fixed)
            draw_box(drawing, &boxes[i]);
    for (size_t i = 0; i < snapshot->discs.count; i++)
        if ((discs[i].mass_kg <= 0) == is_fixed)
            draw_round(drawing, &discs[i]);
}

/* Whether the borders close: as many begin or end at each corner as go on from it. A hand may have
 * taken one away. */
static bool is_closed(const struct snapshot_wall *walls, size_t count)
{
    uint64_t odd = 0;
    for (size_t i = 0; i < count; i++) {
        const struct snapshot_point ends[] = {walls[i].from, walls[i].to};
        for (int k = 0; walls[i].is_border && k < 2; k++) {
            // Corners that are one have been computed alike.
            uint64_t x = (uint64_t)(int64_t)lround((double)ends[k].x_m * 1e5);
            uint64_t y = (uint64_t)(int64_t)lround((double)ends[k].y_m * 1e5);
            uint64_t mixed = (x * 0x9E3779B97F4A7C15u ^ y) * 0xC2B2AE3D27D4EB4Fu;
            odd ^= mixed ^ mixed >> 29;
        }
    }
    return odd == 0;
}

/* What is solid in a map, from its borders in any order: the triangles that they make with one
 * point cover an odd number of times what lies inside. */
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
    draw_some(drawing, true);
    const struct snapshot_wall *walls = snapshot_at(snapshot, snapshot->walls);
    bool is_solid = is_closed(walls, snapshot->walls.count);
    if (is_solid)
        draw_solid(drawing, walls, snapshot->walls.count);
    for (size_t i = 0; i < snapshot->walls.count; i++)
        drawing_line(drawing,
                     (struct draw_item){
                         .stroke = color_or(walls[i].color, theme->wall),
                         .width_px = walls[i].is_border && is_solid ? 1 : wall_px(drawing, 3)},
                     floor_pose(), (double)walls[i].from.x_m, (double)walls[i].from.y_m,
                     (double)walls[i].to.x_m, (double)walls[i].to.y_m);
    draw_room(drawing);
}

void draw_obstacles(const struct drawing *drawing)
{
    draw_some(drawing, false);
}
