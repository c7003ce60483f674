/* The key `world` of a scene: the room, and what stands in it before the robots come. */
#include "sim/scene/scene_spec.h"

#include "base/angle.h"
#include "base/array.h"

/* The ranges of this file are chosen: wide enough for ants and halls, narrow enough that a slip of
 * units (millimeters for meters) is found. */
#define METERS .type = OPTION_NUMBER, .unit = "m", .min = -1000, .max = 1000
#define SIZE   .type = OPTION_NUMBER, .unit = "m", .min = 0.001, .max = 1000
#define MASS   .type = OPTION_NUMBER, .unit = "kg", .min = 0, .max = 1e6, .fallback = "0"
/* Chosen: walls of an arena, higher than any robot; boxes that robots push. */
#define WALL_HEIGHT  "0.5"
#define THING_HEIGHT "0.2"
/* A nested mapping that must be there, for the member at OFFSET. */
#define PART(name, of, at)                                                                         \
    {                                                                                              \
        .key = name, .kind = PART_MAPPING, .spec = of, .offset = at, .is_required = true           \
    }

/* ---- Points and poses ---- */

static const struct option_row vec2_rows[] = {
    {.key = "x", .offset = offsetof(struct vec2, x), METERS},
    {.key = "y", .offset = offsetof(struct vec2, y), METERS},
};
const struct scene_spec scene_point_spec = {.rows = vec2_rows, .row_count = COUNT(vec2_rows)};

static const struct option_row pose_rows[] = {
    {.key = "x", .offset = offsetof(struct pose, x_m), METERS},
    {.key = "y", .offset = offsetof(struct pose, y_m), METERS},
    {.key = "heading",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct pose, heading_rad),
     .unit = "degrees",
     .scale = ANGLE_PI / 180,
     .min = -360,
     .max = 360,
     .fallback = "0"},
};
const struct scene_spec scene_pose_spec = {.rows = pose_rows, .row_count = COUNT(pose_rows)};

/* ---- Walls ---- */

static bool wall_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_wall *wall = out;
    wall->place = scene_yaml_place(yaml, at->node);
    if (wall->from.x == wall->to.x && wall->from.y == wall->to.y)
        return scene_yaml_fail(yaml, at, "the wall has no length; move one of its ends");
    return scene_look_finish(yaml, at, &wall->look);
}

static const struct option_row wall_rows[] = {
    SCENE_LOOK_ROWS(struct scene_wall, look, WALL_HEIGHT),
};
static const struct scene_part wall_parts[] = {
    PART("from", &scene_point_spec, offsetof(struct scene_wall, from)),
    PART("to", &scene_point_spec, offsetof(struct scene_wall, to)),
};
static const struct scene_spec wall_spec = {.rows = wall_rows,
                                            .row_count = COUNT(wall_rows),
                                            .parts = wall_parts,
                                            .part_count = COUNT(wall_parts),
                                            .finish = wall_finish};

/* ---- Boxes ---- */

static bool box_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_box *box = out;
    box->place = scene_yaml_place(yaml, at->node);
    return scene_look_finish(yaml, at, &box->look);
}

static const struct option_row box_size_rows[] = {
    {.key = "x", .offset = offsetof(struct scene_box, length_m), SIZE},
    {.key = "y", .offset = offsetof(struct scene_box, width_m), SIZE},
};
static const struct scene_spec box_size_spec = {.rows = box_size_rows,
                                                .row_count = COUNT(box_size_rows)};

static const struct option_row box_rows[] = {
    {.key = "mass", .offset = offsetof(struct scene_box, mass_kg), MASS},
    SCENE_LOOK_ROWS(struct scene_box, look, THING_HEIGHT),
};
static const struct scene_part box_parts[] = {
    PART("pose", &scene_pose_spec, offsetof(struct scene_box, pose)),
    PART("size", &box_size_spec, 0),
};
static const struct scene_spec box_spec = {.rows = box_rows,
                                           .row_count = COUNT(box_rows),
                                           .parts = box_parts,
                                           .part_count = COUNT(box_parts),
                                           .finish = box_finish};

/* ---- Discs ---- */

static bool disc_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_disc *disc = out;
    disc->place = scene_yaml_place(yaml, at->node);
    return scene_look_finish(yaml, at, &disc->look);
}

static const struct option_row disc_rows[] = {
    {.key = "radius", .offset = offsetof(struct scene_disc, radius_m), SIZE},
    {.key = "mass", .offset = offsetof(struct scene_disc, mass_kg), MASS},
    SCENE_LOOK_ROWS(struct scene_disc, look, THING_HEIGHT),
};
static const struct scene_part disc_parts[] = {
    PART("pose", &scene_pose_spec, offsetof(struct scene_disc, pose)),
};
static const struct scene_spec disc_spec = {.rows = disc_rows,
                                            .row_count = COUNT(disc_rows),
                                            .parts = disc_parts,
                                            .part_count = COUNT(disc_parts),
                                            .finish = disc_finish};

/* ---- Cliffs ---- */

/* Twice the area of a triangle: positive where C lies left of the line from A to B. */
static double outline_side(struct vec2 a, struct vec2 b, struct vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool outline_edges_cross(struct vec2 a, struct vec2 b, struct vec2 c, struct vec2 d)
{
    return outline_side(a, b, c) * outline_side(a, b, d) < 0 &&
           outline_side(c, d, a) * outline_side(c, d, b) < 0;
}

static bool outline_is_crossed(const struct vec2 *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            if (outline_edges_cross(points[i], points[(i + 1) % count], points[j],
                                    points[(j + 1) % count]))
                return true;
    }
    return false;
}

/* Corners that make an outline: some area, and no edges that cross. */
static bool outline_check(struct scene_yaml *yaml, const struct scene_at *at, const char *what,
                          const struct vec2 *points, size_t count)
{
    double area = 0;
    for (size_t i = 2; i < count; i++)
        area += outline_side(points[0], points[i - 1], points[i]);
    if (area == 0) {
        return scene_yaml_fail(yaml, at,
                               "the %s has no area; allowed: corners one after the "
                               "other around it",
                               what);
    }
    if (outline_is_crossed(points, count)) {
        return scene_yaml_fail(yaml, at,
                               "edges of the %s cross; allowed: corners one after the "
                               "other around it",
                               what);
    }
    return true;
}

static bool cliff_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_cliff *cliff = out;
    cliff->place = scene_yaml_place(yaml, at->node);
    return outline_check(yaml, at, "cliff", cliff->points, cliff->point_count);
}

static const struct option_row cliff_rows[] = {
    {.key = "depth",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct scene_cliff, depth_m),
     .unit = "m",
     .min = 0.001,
     .max = 100,
     .fallback = "0.3"},
};
static const struct scene_part cliff_parts[] = {
    {.key = "points",
     .kind = PART_LIST,
     .spec = &scene_point_spec,
     .offset = offsetof(struct scene_cliff, points),
     .count_offset = offsetof(struct scene_cliff, point_count),
     .item_size = sizeof(struct vec2),
     .min = 3,
     .max = SCENE_POINTS_MAX,
     .is_required = true},
};
static const struct scene_spec cliff_spec = {.rows = cliff_rows,
                                             .row_count = COUNT(cliff_rows),
                                             .parts = cliff_parts,
                                             .part_count = COUNT(cliff_parts),
                                             .finish = cliff_finish};

/* ---- Polygons ---- */

static bool polygon_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_polygon *polygon = out;
    polygon->place = scene_yaml_place(yaml, at->node);
    return outline_check(yaml, at, "polygon", polygon->points, polygon->point_count) &&
           scene_look_finish(yaml, at, &polygon->look);
}

static const struct option_row polygon_rows[] = {
    SCENE_LOOK_ROWS(struct scene_polygon, look, WALL_HEIGHT),
};
static const struct scene_part polygon_parts[] = {
    {.key = "points",
     .kind = PART_LIST,
     .spec = &scene_point_spec,
     .offset = offsetof(struct scene_polygon, points),
     .count_offset = offsetof(struct scene_polygon, point_count),
     .item_size = sizeof(struct vec2),
     .min = 3,
     .max = SCENE_POINTS_MAX,
     .is_required = true},
};
static const struct scene_spec polygon_spec = {.rows = polygon_rows,
                                               .row_count = COUNT(polygon_rows),
                                               .parts = polygon_parts,
                                               .part_count = COUNT(polygon_parts),
                                               .finish = polygon_finish};

/* ---- Shades of the floor ---- */

#define REFLECTANCE .type = OPTION_NUMBER, .unit = "", .min = 0, .max = 1, .fallback = "0"

static bool shade_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_shade *shade = out;
    shade->place = scene_yaml_place(yaml, at->node);
    return outline_check(yaml, at, "shade", shade->points, shade->point_count);
}

static const struct option_row shade_rows[] = {
    {.key = "reflectance", .offset = offsetof(struct scene_shade, reflectance), REFLECTANCE},
};
static const struct scene_part shade_parts[] = {
    {.key = "points",
     .kind = PART_LIST,
     .spec = &scene_point_spec,
     .offset = offsetof(struct scene_shade, points),
     .count_offset = offsetof(struct scene_shade, point_count),
     .item_size = sizeof(struct vec2),
     .min = 3,
     .max = SCENE_POINTS_MAX,
     .is_required = true},
};
static const struct scene_spec shade_spec = {.rows = shade_rows,
                                             .row_count = COUNT(shade_rows),
                                             .parts = shade_parts,
                                             .part_count = COUNT(shade_parts),
                                             .finish = shade_finish};

static bool line_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_line *line = out;
    line->place = scene_yaml_place(yaml, at->node);
    return true;
}

static const struct option_row line_rows[] = {
    {.key = "width",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct scene_line, width_m),
     .unit = "m",
     .min = 0.001,
     .max = 10,
     .fallback = "0.02"},
    {.key = "reflectance", .offset = offsetof(struct scene_line, reflectance), REFLECTANCE},
};
static const struct scene_part line_parts[] = {
    PART("from", &scene_point_spec, offsetof(struct scene_line, from)),
    PART("to", &scene_point_spec, offsetof(struct scene_line, to)),
};
static const struct scene_spec line_spec = {.rows = line_rows,
                                            .row_count = COUNT(line_rows),
                                            .parts = line_parts,
                                            .part_count = COUNT(line_parts),
                                            .finish = line_finish};

/* ---- The world ---- */

#define ROOM .type = OPTION_NUMBER, .unit = "m", .min = 0.1, .max = 1000

static const struct option_row room_rows[] = {
    {.key = "x", .offset = offsetof(struct scene, size_x_m), ROOM},
    {.key = "y", .offset = offsetof(struct scene, size_y_m), ROOM},
};
static const struct scene_spec room_spec = {.rows = room_rows, .row_count = COUNT(room_rows)};

static bool room_look_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene *scene = out;
    return scene_look_finish(yaml, at, &scene->room);
}

static const struct option_row room_look_rows[] = {
    SCENE_LOOK_ROWS(struct scene, room, WALL_HEIGHT),
};
static const struct scene_spec room_look_spec = {
    .rows = room_look_rows, .row_count = COUNT(room_look_rows), .finish = room_look_finish};

#define THINGS(name, thing, things, thing_count)                                                   \
    {                                                                                              \
        .key = name, .kind = PART_LIST, .spec = &thing##_spec,                                     \
        .offset = offsetof(struct scene, things),                                                  \
        .count_offset = offsetof(struct scene, thing_count),                                       \
        .item_size = sizeof(struct scene_##thing)                                                  \
    }

static bool world_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene *scene = out;
    struct scene_at child = {.parent = at, .key = "map"};
    child.node = scene_yaml_find(yaml, at->node, "map");
    if (child.node != 0)
        scene->map_place = scene_yaml_place(yaml, child.node);
    int image = scene_yaml_find(yaml, at->node, "floor_image");
    if (image != 0)
        scene->floor_place = scene_yaml_place(yaml, image);
    if (child.node != 0 && scene->map[0] == '\0')
        return scene_yaml_fail(yaml, &child, "empty; allowed: the file of a ROS map");
    if (child.node != 0 && scene_yaml_find(yaml, at->node, "size") != 0)
        return scene_yaml_fail(yaml, &child, "the map has a size of its own; leave world.size out");
    if (child.node == 0 && scene_yaml_find(yaml, at->node, "size") == 0) {
        child = (struct scene_at){.parent = at, .key = "size", .node = at->node};
        return scene_yaml_fail(yaml, &child, "missing; allowed: a mapping of x, y");
    }
    return true;
}

static const struct option_row world_rows[] = {
    {.key = "map",
     .type = OPTION_TEXT,
     .offset = offsetof(struct scene, map),
     .size = SCENE_ADDRESS_MAX,
     .fallback = ""},
    {.key = "floor_image",
     .type = OPTION_TEXT,
     .offset = offsetof(struct scene, floor_image),
     .size = SCENE_ADDRESS_MAX,
     .fallback = ""},
    {.key = "light",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct scene, light),
     .unit = "",
     .min = 0,
     .max = 1,
     .fallback = SCENE_LIGHT},
};
static const struct scene_part world_parts[] = {
    {.key = "size", .kind = PART_MAPPING, .spec = &room_spec},
    THINGS("walls", wall, walls, wall_count),
    THINGS("polygons", polygon, polygons, polygon_count),
    THINGS("boxes", box, boxes, box_count),
    THINGS("discs", disc, discs, disc_count),
    THINGS("cliffs", cliff, cliffs, cliff_count),
    THINGS("shades", shade, shades, shade_count),
    THINGS("lines", line, lines, line_count),
    {.key = "docks",
     .kind = PART_LIST,
     .spec = &scene_dock_spec,
     .offset = offsetof(struct scene, docks),
     .count_offset = offsetof(struct scene, dock_count),
     .item_size = sizeof(struct scene_dock)},
    {.key = "room", .kind = PART_MAPPING, .spec = &room_look_spec},
    {.key = "lamps",
     .kind = PART_LIST,
     .spec = &scene_lamp_spec,
     .offset = offsetof(struct scene, lamps),
     .count_offset = offsetof(struct scene, lamp_count),
     .item_size = sizeof(struct scene_lamp)},
};
const struct scene_spec scene_world_spec = {.rows = world_rows,
                                            .row_count = COUNT(world_rows),
                                            .parts = world_parts,
                                            .part_count = COUNT(world_parts),
                                            .finish = world_finish};
