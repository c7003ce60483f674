/* The key `world` of a scene: the room and all that is in it but the robots. */
#include <string.h>

#include "base/angle.h"
#include "base/text.h"
#include "sim/parse/scene_keys.h"

/* The ranges of this file are chosen: wide enough for ants and halls, narrow enough that a slip of
 * units (millimeters for meters) is found. */
#define METERS .type = OPTION_NUMBER, .unit = "m", .min = -1000, .max = 1000
#define SIZE   .type = OPTION_NUMBER, .unit = "m", .min = 0.001, .max = 1000
#define MASS   .type = OPTION_NUMBER, .unit = "kg", .min = 0, .max = 1e6, .fallback = "0"
/* Chosen: walls of an arena, higher than any robot; boxes that robots push. */
#define WALL_HEIGHT  "0.5"
#define THING_HEIGHT "0.2"
/* A nested mapping that must be there, for the member AT. */
#define PART(name, of, at)                                                                         \
    {                                                                                              \
        .key = name, .kind = PART_MAPPING, .spec = of, .offset = at, .is_required = true           \
    }
/* The corners of an outline, for the members `points` and `point_count` of a struct. */
#define POINTS(of)                                                                                 \
    {                                                                                              \
        .key = "points", .kind = PART_LIST, .spec = &point_spec, .offset = offsetof(of, points),   \
        .count_offset = offsetof(of, point_count), .item_size = sizeof(struct vec2), .min = 3,     \
        .max = SCENE_POINTS_MAX, .is_required = true                                               \
    }
/* The rows for a struct scene_look that is the member AT of a struct OF. They need look_finish. */
#define LOOK_ROWS(of, at, height)                                                                  \
    {.key = "color",                                                                               \
     .type = OPTION_TEXT,                                                                          \
     .offset = offsetof(of, at.color),                                                             \
     .size = SCENE_COLOR_MAX,                                                                      \
     .fallback = ""},                                                                              \
    {                                                                                              \
        .key = "height", .type = OPTION_NUMBER, .offset = offsetof(of, at.height_m), .unit = "m",  \
        .min = 0.001, .max = 100, .fallback = height                                               \
    }

/* ---- Names, points and poses ---- */

bool scene_name_check(struct scene_yaml *yaml, const struct scene_at *at, const char *name,
                      const char *whose, const char *hint)
{
    bool is_good = name[0] >= 'a' && name[0] <= 'z';
    for (const char *c = name; *c; c++)
        is_good = is_good && ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_');
    if (is_good)
        return true;
    struct scene_at child = scene_yaml_child(yaml, at, "name");
    char quote[TEXT_QUOTE_SIZE];
    return scene_yaml_fail(yaml, &child,
                           "'%s' is no name for %s; allowed: a letter, then letters, digits and "
                           "_, all small%s",
                           text_quote(name, quote, sizeof quote), whose, hint);
}

static const struct option_row point_rows[] = {
    {.key = "x", .offset = offsetof(struct vec2, x), METERS},
    {.key = "y", .offset = offsetof(struct vec2, y), METERS},
};
static const struct scene_spec point_spec = {SCENE_ROWS(point_rows)};

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
const struct scene_spec scene_pose_spec = {SCENE_ROWS(pose_rows)};

/* ---- Appearance ---- */

static bool look_finish(struct scene_yaml *yaml, const struct scene_at *at, struct scene_look *look)
{
    struct scene_at child = scene_yaml_child(yaml, at, "color");
    if (child.node == 0 || scene_look_color(look->color, &look->rgb))
        return true;
    char quote[TEXT_QUOTE_SIZE];
    char advice[TEXT_ADVICE_SIZE];
    return scene_yaml_fail(yaml, &child, "'%s' is no color; %s, or \"#rrggbb\" in quotes",
                           text_quote(look->color, quote, sizeof quote),
                           scene_color_advice(look->color, advice));
}

/* ---- Walls ---- */

static bool wall_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_wall *wall = out;
    if (wall->from.x == wall->to.x && wall->from.y == wall->to.y)
        return scene_yaml_fail(yaml, at, "the wall has no length; move one of its ends");
    return look_finish(yaml, at, &wall->look);
}

static const struct option_row wall_rows[] = {
    LOOK_ROWS(struct scene_wall, look, WALL_HEIGHT),
};
static const struct scene_part wall_parts[] = {
    PART("from", &point_spec, offsetof(struct scene_wall, from)),
    PART("to", &point_spec, offsetof(struct scene_wall, to)),
};
static const struct scene_spec wall_spec = {SCENE_ROWS(wall_rows), SCENE_PARTS(wall_parts),
                                            .place_offset = offsetof(struct scene_wall, place),
                                            .finish = wall_finish};

/* ---- Boxes ---- */

static bool box_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_box *box = out;
    return look_finish(yaml, at, &box->look);
}

static const struct option_row box_size_rows[] = {
    {.key = "x", .offset = offsetof(struct scene_box, length_m), SIZE},
    {.key = "y", .offset = offsetof(struct scene_box, width_m), SIZE},
};
static const struct scene_spec box_size_spec = {SCENE_ROWS(box_size_rows)};

static const struct option_row box_rows[] = {
    {.key = "mass", .offset = offsetof(struct scene_box, mass_kg), MASS},
    LOOK_ROWS(struct scene_box, look, THING_HEIGHT),
};
static const struct scene_part box_parts[] = {
    PART("pose", &scene_pose_spec, offsetof(struct scene_box, pose)),
    PART("size", &box_size_spec, 0),
};
static const struct scene_spec box_spec = {SCENE_ROWS(box_rows), SCENE_PARTS(box_parts),
                                           .place_offset = offsetof(struct scene_box, place),
                                           .finish = box_finish};

/* ---- Discs ---- */

static bool disc_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_disc *disc = out;
    return look_finish(yaml, at, &disc->look);
}

static const struct option_row disc_rows[] = {
    {.key = "radius", .offset = offsetof(struct scene_disc, radius_m), SIZE},
    {.key = "mass", .offset = offsetof(struct scene_disc, mass_kg), MASS},
    LOOK_ROWS(struct scene_disc, look, THING_HEIGHT),
};
static const struct scene_part disc_parts[] = {
    PART("pose", &scene_pose_spec, offsetof(struct scene_disc, pose)),
};
static const struct scene_spec disc_spec = {SCENE_ROWS(disc_rows), SCENE_PARTS(disc_parts),
                                            .place_offset = offsetof(struct scene_disc, place),
                                            .finish = disc_finish};

/* ---- Outlines, and cliffs ---- */

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

/* An outline must have an area, and no edges that cross. */
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
    POINTS(struct scene_cliff),
};
static const struct scene_spec cliff_spec = {SCENE_ROWS(cliff_rows), SCENE_PARTS(cliff_parts),
                                             .place_offset = offsetof(struct scene_cliff, place),
                                             .finish = cliff_finish};

/* ---- Polygons ---- */

static bool polygon_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_polygon *polygon = out;
    return outline_check(yaml, at, "polygon", polygon->points, polygon->point_count) &&
           look_finish(yaml, at, &polygon->look);
}

static const struct option_row polygon_rows[] = {
    LOOK_ROWS(struct scene_polygon, look, WALL_HEIGHT),
};
static const struct scene_part polygon_parts[] = {
    POINTS(struct scene_polygon),
};
static const struct scene_spec polygon_spec = {
    SCENE_ROWS(polygon_rows), SCENE_PARTS(polygon_parts),
    .place_offset = offsetof(struct scene_polygon, place), .finish = polygon_finish};

/* ---- Shades and lines on the floor ---- */

#define REFLECTANCE .type = OPTION_NUMBER, .unit = "", .min = 0, .max = 1, .fallback = "0"

static bool shade_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_shade *shade = out;
    return outline_check(yaml, at, "shade", shade->points, shade->point_count);
}

static const struct option_row shade_rows[] = {
    {.key = "reflectance", .offset = offsetof(struct scene_shade, reflectance), REFLECTANCE},
};
static const struct scene_part shade_parts[] = {
    POINTS(struct scene_shade),
};
static const struct scene_spec shade_spec = {SCENE_ROWS(shade_rows), SCENE_PARTS(shade_parts),
                                             .place_offset = offsetof(struct scene_shade, place),
                                             .finish = shade_finish};

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
    PART("from", &point_spec, offsetof(struct scene_line, from)),
    PART("to", &point_spec, offsetof(struct scene_line, to)),
};
static const struct scene_spec line_spec = {SCENE_ROWS(line_rows), SCENE_PARTS(line_parts),
                                            .place_offset = offsetof(struct scene_line, place)};

/* ---- Docks ---- */

static bool dock_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_dock *dock = out;
    const struct scene_at name = scene_yaml_child(yaml, at, "name");
    dock->name_place = scene_yaml_place(yaml, &name);
    return scene_name_check(yaml, at, dock->name, "a dock", "");
}

static const char *const dock_words[] = {"kobuki", "home_base", NULL};

static const struct option_row dock_rows[] = {
    {.key = "name",
     .type = OPTION_TEXT,
     .offset = offsetof(struct scene_dock, name),
     .size = SCENE_NAME_MAX + 1},
    {.key = "type",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct scene_dock, kind),
     .choices = dock_words,
     .fallback = "kobuki"},
};
static const struct scene_part dock_parts[] = {
    PART("pose", &scene_pose_spec, offsetof(struct scene_dock, pose)),
};
static const struct scene_spec dock_spec = {SCENE_ROWS(dock_rows), SCENE_PARTS(dock_parts),
                                            .place_offset = offsetof(struct scene_dock, place),
                                            .finish = dock_finish};

/* ---- Beacons ---- */

static const char *const beacon_words[] = {"virtual_wall", "lighthouse", NULL};

static const struct option_row beacon_rows[] = {
    {.key = "type",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct scene_beacon, kind),
     .choices = beacon_words},
    {.key = "number",
     .type = OPTION_INTEGER,
     .offset = offsetof(struct scene_beacon, number),
     .min = 1,
     .max = 11,
     .fallback = "11"}, /* of a lighthouse; 11: bound to no robot */
};
static const struct scene_part beacon_parts[] = {
    PART("pose", &scene_pose_spec, offsetof(struct scene_beacon, pose)),
};
static const struct scene_spec beacon_spec = {SCENE_ROWS(beacon_rows), SCENE_PARTS(beacon_parts),
                                              .place_offset = offsetof(struct scene_beacon, place)};

/* ---- Lamps ---- */

static const struct option_row lamp_rows[] = {
    {.key = "brightness",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct scene_lamp, brightness),
     .unit = "",
     .min = 0,
     .max = 100,
     .fallback = "0.2"}, /* chosen: dazzles a sensor at 0.45 m, visible from 2 m */
};
static const struct scene_part lamp_parts[] = {
    PART("at", &point_spec, offsetof(struct scene_lamp, at)),
};
static const struct scene_spec lamp_spec = {SCENE_ROWS(lamp_rows), SCENE_PARTS(lamp_parts),
                                            .place_offset = offsetof(struct scene_lamp, place)};

/* ---- The world ---- */

#define ROOM .type = OPTION_NUMBER, .unit = "m", .min = 0.1, .max = 1000

static const struct option_row room_rows[] = {
    {.key = "x", .offset = offsetof(struct scene, size_x_m), ROOM},
    {.key = "y", .offset = offsetof(struct scene, size_y_m), ROOM},
};
static const struct scene_spec room_spec = {SCENE_ROWS(room_rows)};

static bool room_look_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene *scene = out;
    return look_finish(yaml, at, &scene->room);
}

static const struct option_row room_look_rows[] = {
    LOOK_ROWS(struct scene, room, WALL_HEIGHT),
};
static const struct scene_spec room_look_spec = {SCENE_ROWS(room_look_rows),
                                                 .finish = room_look_finish};

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
    const struct scene_at map = scene_yaml_child(yaml, at, "map");
    const struct scene_at image = scene_yaml_child(yaml, at, "floor_image");
    const struct scene_at size = scene_yaml_child(yaml, at, "size");
    scene->map_place = scene_yaml_place(yaml, &map);
    scene->floor_place = scene_yaml_place(yaml, &image);
    if (map.node != 0 && scene->map[0] == '\0')
        return scene_yaml_fail(yaml, &map, "empty; allowed: the file of a ROS map");
    if (map.node != 0 && size.node != 0)
        return scene_yaml_fail(yaml, &map, "the map has a size of its own; leave world.size out");
    if (map.node == 0 && size.node == 0)
        return scene_yaml_fail(yaml, &size, "missing; allowed: a mapping of x, y");
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
     .fallback = "0.1"}, /* chosen: a lit room out of the sun; 1 is a lamp close by */
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
    THINGS("docks", dock, docks, dock_count),
    THINGS("beacons", beacon, beacons, beacon_count),
    {.key = "room", .kind = PART_MAPPING, .spec = &room_look_spec},
    THINGS("lamps", lamp, lamps, lamp_count),
};
const struct scene_spec scene_world_spec = {SCENE_ROWS(world_rows), SCENE_PARTS(world_parts),
                                            .finish = world_finish};
