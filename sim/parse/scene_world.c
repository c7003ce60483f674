/* The key `world` of a scene: the room and everything in it except the robots. */

#include "base/angle.h"
#include "base/text.h"
#include "sim/parse/scene_keys.h"

/* The ranges of this file are chosen: wide enough for ants and halls, narrow enough to detect a
 * wrong unit (millimeters for meters). */
#define METERS(name, tag, member)      ROW_NUMBER(name, tag, member, "m", -1000, 1000, NULL)
#define SIZE(name, tag, member)        ROW_NUMBER(name, tag, member, "m", 0.001, 1000, NULL)
#define MASS(name, tag, member)        ROW_NUMBER(name, tag, member, "kg", 0, 1e6, "0")
#define REFLECTANCE(name, tag, member) ROW_NUMBER(name, tag, member, "", 0, 1, "0")
/* Chosen: walls of an arena, higher than any robot; boxes that robots push. */
#define WALL_HEIGHT  "0.5"
#define THING_HEIGHT "0.2"
/* A required nested mapping. */
#define PART(name, of, tag, member) SCENE_MAPPING(name, of, tag, member, true)
/* The corners of an outline, for the members `points` and `point_count` of a struct. */
#define POINTS(tag)                                                                                \
    SCENE_LIST("points", point_spec, tag, points, point_count, SCENE_POINTS_MAX, .min = 3,         \
               .is_required = true)
/* The table of an object: its rows and parts, with an optional `.finish`. */
#define THING(thing, ...)                                                                          \
    static const struct scene_spec thing##_spec = {                                                \
        SCENE_ROWS(thing##_rows), SCENE_PARTS(thing##_parts),                                      \
        .place_offset = offsetof(struct scene_##thing, place), __VA_ARGS__}
/* The rows for a struct scene_appearance that is a MEMBER of a struct TAG. They need
 * appearance_finish.
 */
#define APPEARANCE_ROWS(tag, member, height)                                                       \
    ROW_TEXT("color", tag, member.color, ""),                                                      \
        ROW_NUMBER("height", tag, member.height_m, "m", 0.001, 100, height)

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
    return scene_yaml_fail(yaml, &child,
                           "'%s' is not a valid name of %s; allowed: a letter, then letters, "
                           "digits and _, all lower-case%s",
                           TEXT_QUOTE(name), whose, hint);
}

static const struct option_row point_rows[] = {
    METERS("x", vec2, x),
    METERS("y", vec2, y),
};
static const struct scene_spec point_spec = {SCENE_ROWS(point_rows)};

static const struct option_row pose_rows[] = {
    METERS("x", pose, x_m),
    METERS("y", pose, y_m),
    ROW_SCALED("heading", pose, heading_rad, "degrees", ANGLE_RAD_DEG, -360, 360, "0"),
};
const struct scene_spec scene_pose_spec = {SCENE_ROWS(pose_rows)};

/* ---- Appearance ---- */

static bool appearance_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_appearance *appearance = out;
    struct scene_at child = scene_yaml_child(yaml, at, "color");
    if (child.node == 0 || scene_appearance_color(appearance->color, &appearance->rgb))
        return true;
    char advice[TEXT_ADVICE_SIZE];
    return scene_yaml_fail(yaml, &child, "'%s' is not a color; %s, or \"#rrggbb\" in quotes",
                           TEXT_QUOTE(appearance->color),
                           scene_color_advice(appearance->color, advice));
}

/* ---- Walls ---- */

static bool wall_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_wall *wall = out;
    if (wall->from.x == wall->to.x && wall->from.y == wall->to.y)
        return scene_yaml_fail(yaml, at, "the wall has no length; move one of its ends");
    return appearance_finish(yaml, at, &wall->appearance);
}

static const struct option_row wall_rows[] = {APPEARANCE_ROWS(scene_wall, appearance, WALL_HEIGHT)};
static const struct scene_part wall_parts[] = {
    PART("from", point_spec, scene_wall, from),
    PART("to", point_spec, scene_wall, to),
};
THING(wall, .finish = wall_finish);

/* ---- Boxes ---- */

static const struct option_row box_size_rows[] = {
    SIZE("x", scene_box, length_m),
    SIZE("y", scene_box, width_m),
};
static const struct scene_spec box_size_spec = {SCENE_ROWS(box_size_rows)};

static const struct option_row box_rows[] = {
    MASS("mass", scene_box, mass_kg),
    APPEARANCE_ROWS(scene_box, appearance, THING_HEIGHT),
};
static const struct scene_part box_parts[] = {
    PART("pose", scene_pose_spec, scene_box, pose),
    {.key = "size", .kind = PART_MAPPING, .spec = &box_size_spec, .is_required = true},
};
THING(box, .finish = appearance_finish);

/* ---- Discs ---- */

static const struct option_row disc_rows[] = {
    SIZE("radius", scene_disc, radius_m),
    MASS("mass", scene_disc, mass_kg),
    APPEARANCE_ROWS(scene_disc, appearance, THING_HEIGHT),
};
static const struct scene_part disc_parts[] = {PART("pose", scene_pose_spec, scene_disc, pose)};
THING(disc, .finish = appearance_finish);

/* ---- Outlines and cliffs ---- */

/* Twice the signed area of a triangle: positive if C is left of the line from A to B. */
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

/* An outline must have an area and no crossing edges. */
static bool outline_check(struct scene_yaml *yaml, const struct scene_at *at, const char *what,
                          const struct vec2 *points, size_t count)
{
    double area = 0;
    for (size_t i = 2; i < count; i++)
        area += outline_side(points[0], points[i - 1], points[i]);
    if (area == 0)
        return scene_yaml_fail(yaml, at,
                               "the %s has no area; allowed: corners one after the "
                               "other around it",
                               what);
    if (outline_is_crossed(points, count))
        return scene_yaml_fail(yaml, at,
                               "edges of the %s cross; allowed: corners one after the "
                               "other around it",
                               what);
    return true;
}

static bool cliff_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_cliff *cliff = out;
    return outline_check(yaml, at, "cliff", cliff->points, cliff->point_count);
}

static const struct option_row cliff_rows[] = {
    ROW_NUMBER("depth", scene_cliff, depth_m, "m", 0.001, 100, "0.3"),
};
static const struct scene_part cliff_parts[] = {POINTS(scene_cliff)};
THING(cliff, .finish = cliff_finish);

/* ---- Polygons ---- */

static bool polygon_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_polygon *polygon = out;
    return outline_check(yaml, at, "polygon", polygon->points, polygon->point_count) &&
           appearance_finish(yaml, at, &polygon->appearance);
}

static const struct option_row polygon_rows[] = {
    APPEARANCE_ROWS(scene_polygon, appearance, WALL_HEIGHT),
};
static const struct scene_part polygon_parts[] = {POINTS(scene_polygon)};
THING(polygon, .finish = polygon_finish);

/* ---- Shades and lines on the floor ---- */

static bool shade_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_shade *shade = out;
    return outline_check(yaml, at, "shade", shade->points, shade->point_count);
}

static const struct option_row shade_rows[] = {
    REFLECTANCE("reflectance", scene_shade, reflectance),
};
static const struct scene_part shade_parts[] = {POINTS(scene_shade)};
THING(shade, .finish = shade_finish);

static const struct option_row line_rows[] = {
    ROW_NUMBER("width", scene_line, width_m, "m", 0.001, 10, "0.02"),
    REFLECTANCE("reflectance", scene_line, reflectance),
};
static const struct scene_part line_parts[] = {
    PART("from", point_spec, scene_line, from),
    PART("to", point_spec, scene_line, to),
};
THING(line, .finish = NULL);

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
    ROW_TEXT("name", scene_dock, name, NULL),
    ROW_CHOICE("type", scene_dock, kind, dock_words, "kobuki"),
};
static const struct scene_part dock_parts[] = {PART("pose", scene_pose_spec, scene_dock, pose)};
THING(dock, .finish = dock_finish);

/* ---- Beacons ---- */

static const char *const beacon_words[] = {"virtual_wall", "lighthouse", NULL};

static const struct option_row beacon_rows[] = {
    ROW_CHOICE("type", scene_beacon, kind, beacon_words, NULL),
    /* For a lighthouse; 11: not bound to a robot. */
    ROW_INTEGER("number", scene_beacon, number, "", 1, 11, "11"),
};
static const struct scene_part beacon_parts[] = {PART("pose", scene_pose_spec, scene_beacon, pose)};
THING(beacon, .finish = NULL);

/* ---- Lamps ---- */

static const struct option_row lamp_rows[] = {
    /* 0.2, chosen: dazzles a sensor at 0.45 m, visible from 2 m. */
    ROW_NUMBER("brightness", scene_lamp, brightness, "", 0, 100, "0.2"),
};
static const struct scene_part lamp_parts[] = {PART("at", point_spec, scene_lamp, at)};
THING(lamp, .finish = NULL);

/* ---- The world ---- */

static const struct option_row room_rows[] = {
    ROW_NUMBER("x", scene, size_x_m, "m", 0.1, 1000, NULL),
    ROW_NUMBER("y", scene, size_y_m, "m", 0.1, 1000, NULL),
};
static const struct scene_spec room_spec = {SCENE_ROWS(room_rows)};

static bool room_appearance_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene *scene = out;
    return appearance_finish(yaml, at, &scene->room);
}

static const struct option_row room_appearance_rows[] = {APPEARANCE_ROWS(scene, room, WALL_HEIGHT)};
static const struct scene_spec room_appearance_spec = {SCENE_ROWS(room_appearance_rows),
                                                       .finish = room_appearance_finish};

#define THINGS(name, thing, things, thing_count)                                                   \
    SCENE_LIST(name, thing##_spec, scene, things, thing_count, 0)

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
        return scene_yaml_fail(yaml, &map, "the map defines the size; leave world.size out");
    if (map.node == 0 && size.node == 0)
        return scene_yaml_fail(yaml, &size, "missing; allowed: a mapping of x, y");
    return true;
}

static const struct option_row world_rows[] = {
    ROW_TEXT("map", scene, map, ""),
    ROW_TEXT("floor_image", scene, floor_image, ""),
    /* 0.1, chosen: a lit room without direct sun; 1 is a lamp close by. */
    ROW_NUMBER("light", scene, light, "", 0, 1, "0.1"),
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
    {.key = "room", .kind = PART_MAPPING, .spec = &room_appearance_spec},
    THINGS("lamps", lamp, lamps, lamp_count),
};
const struct scene_spec scene_world_spec = {SCENE_ROWS(world_rows), SCENE_PARTS(world_parts),
                                            .finish = world_finish};
