/* Converts the pixels of a ROS map to walls: the borders of occupied cells, with straight borders
 * joined into one wall. */
#include "sim/parse/scene_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "base/number.h"
#include "sim/yaml/scene_yaml.h"

/* ---- The YAML file: keys and meanings of map_server (wiki.ros.org/map_server, Map format) ---- */

static const char *const mode_words[] = {"trinary", NULL};

struct map_keys {
    struct scene_map map;
    int64_t negate;
    int32_t mode;
};

static const struct option_row map_rows[] = {
    ROW_TEXT("image", map_keys, map.image, NULL),
    ROW_NUMBER("resolution", map_keys, map.resolution_m, "m", 0.001, 10, NULL),
    ROW_INTEGER("negate", map_keys, negate, "", 0, 1, NULL),
    ROW_NUMBER("occupied_thresh", map_keys, map.occupied, "", 0, 1, NULL),
    ROW_NUMBER("free_thresh", map_keys, map.free, "", 0, 1, NULL),
    ROW_CHOICE("mode", map_keys, mode, mode_words, "trinary"),
};

static bool read_origin(struct scene_yaml *yaml, const struct scene_at *at, double origin[3])
{
    static const char allowed[] = "a list of x and y in m and yaw in rad";
    const struct scene_at list = scene_yaml_child(yaml, at, "origin");
    size_t count;
    if (list.node == 0)
        return scene_yaml_fail(yaml, &list, "missing; allowed: %s", allowed);
    if (!scene_yaml_list(yaml, &list, allowed, &count))
        return false;
    if (count != 3)
        return scene_yaml_fail(yaml, &list, "%zu items; allowed: %s", count, allowed);
    for (size_t i = 0; i < 3; i++) {
        const struct scene_at item = scene_yaml_item(yaml, &list, i);
        const char *text;
        if (!scene_yaml_text(yaml, &item, "a number", &text))
            return false;
        if (!number_parse(text, &origin[i]) || fabs(origin[i]) > 1e5)
            return scene_yaml_fail(yaml, &item, "'%s' is not a number of m or rad", text);
    }
    return true;
}

static bool map_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct map_keys *keys = out;
    double origin[3];
    if (!read_origin(yaml, at, origin))
        return false;
    keys->map.origin = (struct pose){origin[0], origin[1], origin[2]};
    keys->map.is_negated = keys->negate != 0;
    return true;
}

static const struct scene_part map_parts[] = {
    {.key = "origin", .kind = PART_OWN},
};
static const struct scene_spec map_spec = {SCENE_ROWS(map_rows), SCENE_PARTS(map_parts),
                                           .finish = map_finish};

bool scene_map_parse(struct scene_map *map, const char *bytes, size_t size, const char *name,
                     struct error *error)
{
    struct map_keys keys = {.negate = 0};
    bool is_good = scene_yaml_read(bytes, size, name, &map_spec, &keys, error);
    *map = keys.map;
    return is_good;
}

/* ---- Cells ---- */

struct cells {
    const struct scene_map *map;
    const struct scene_pixels *pixels;
    double sine, cosine; /* of the map's yaw */
};

/* The same as in map_server (ros-planning/navigation: map_server/src/image_loader.cpp; in mode
 * trinary alpha counts as a color): a pixel is occupied if the mean of its channels is above the
 * threshold, where black counts as 1 unless the map is negated. Pixels that are neither occupied
 * nor free are unknown, and not walls. */
static bool is_occupied(const struct cells *cells, size_t column, size_t row)
{
    const struct scene_pixels *pixels = cells->pixels;
    if (column >= pixels->width || row >= pixels->height)
        return false; // left of the map or below it the index has wrapped to a large number
    const uint8_t *pixel =
        pixels->bytes + ((pixels->height - 1 - row) * pixels->width + column) * pixels->channels;
    int sum = 0;
    for (size_t i = 0; i < pixels->channels; i++)
        sum += pixel[i];
    double mean = sum / (double)pixels->channels;
    double occupied = (cells->map->is_negated ? mean : 255 - mean) / 255.0;
    return occupied > cells->map->occupied;
}

static struct vec2 corner_of(const struct cells *cells, size_t column, size_t row)
{
    double x = (double)column * cells->map->resolution_m;
    double y = (double)row * cells->map->resolution_m;
    return (struct vec2){cells->map->origin.x_m + cells->cosine * x - cells->sine * y,
                         cells->map->origin.y_m + cells->sine * x + cells->cosine * y};
}

/* Whether there is a wall along the lower border of a cell, or along its left border if IS_BELOW is
 * false. */
static bool is_border(const struct cells *cells, bool is_below, size_t column, size_t row)
{
    bool self = is_occupied(cells, column, row);
    return self !=
           (is_below ? is_occupied(cells, column, row - 1) : is_occupied(cells, column - 1, row));
}

/* Counts the straight pieces of all borders, and stores them in WALLS unless it is NULL. */
static size_t list_borders(const struct cells *cells, bool is_below, struct scene_wall *walls)
{
    size_t lines = is_below ? cells->pixels->height : cells->pixels->width;
    size_t length = is_below ? cells->pixels->width : cells->pixels->height;
    size_t count = 0;
    for (size_t line = 0; line <= lines; line++) {
        for (size_t at = 0; at < length; at++) {
            size_t start = at;
            while (at < length &&
                   is_border(cells, is_below, is_below ? at : line, is_below ? line : at))
                at++;
            if (at == start)
                continue;
            if (walls) {
                walls[count].from =
                    corner_of(cells, is_below ? start : line, is_below ? line : start);
                walls[count].to = corner_of(cells, is_below ? at : line, is_below ? line : at);
            }
            count++;
        }
    }
    return count;
}

/* ---- The scene ---- */

static bool fail(const struct scene *scene, struct error *error, const char *sentence)
{
    return scene_fail(scene, scene->map_place, error, "world.map: %s: %s", scene->map, sentence);
}

static bool add_walls(struct scene *scene, const struct cells *cells, struct error *error)
{
    size_t below = list_borders(cells, true, NULL);
    size_t beside = list_borders(cells, false, NULL);
    if (below + beside > SCENE_MAP_WALLS_MAX)
        return fail(scene, error,
                    "its walls have too many edges; smooth the image or reduce its resolution");
    size_t count = scene->wall_count + below + beside;
    struct scene_wall *walls = calloc(count + 1, sizeof *walls);
    if (!walls)
        return fail(scene, error, "out of memory for its walls");
    if (scene->wall_count > 0)
        memcpy(walls, scene->walls, scene->wall_count * sizeof *walls);
    list_borders(cells, true, walls + scene->wall_count);
    list_borders(cells, false, walls + scene->wall_count + below);
    for (size_t i = scene->wall_count; i < count; i++) {
        walls[i].place = scene->map_place;
        walls[i].is_border = true;
    }
    free(scene->walls);
    scene->walls = walls;
    scene->wall_count = count;
    return true;
}

/* The room is the axis-aligned rectangle around the map. */
static void make_room(struct scene *scene, const struct cells *cells)
{
    size_t width = cells->pixels->width, height = cells->pixels->height;
    struct vec2 low = corner_of(cells, 0, 0), high = low;
    for (size_t i = 1; i < 4; i++) {
        struct vec2 corner = corner_of(cells, i % 2 == 0 ? 0 : width, i < 2 ? 0 : height);
        low.x = corner.x < low.x ? corner.x : low.x;
        low.y = corner.y < low.y ? corner.y : low.y;
        high.x = corner.x > high.x ? corner.x : high.x;
        high.y = corner.y > high.y ? corner.y : high.y;
    }
    scene->low = low;
    scene->size_x_m = high.x - low.x;
    scene->size_y_m = high.y - low.y;
}

static bool is_solid(const struct cells *cells, struct pose pose)
{
    double x = pose.x_m - cells->map->origin.x_m;
    double y = pose.y_m - cells->map->origin.y_m;
    double column = floor((cells->cosine * x + cells->sine * y) / cells->map->resolution_m);
    double row = floor((cells->cosine * y - cells->sine * x) / cells->map->resolution_m);
    return column >= 0 && row >= 0 && is_occupied(cells, (size_t)column, (size_t)row);
}

/* Checks docks and robots inside solid areas: an object in the middle of a large area touches no
 * wall. */
static bool check_solid(const struct scene *scene, const struct cells *cells, struct error *error)
{
    for (size_t i = 0; i < scene->dock_count; i++) {
        const struct scene_dock *dock = &scene->docks[i];
        if (is_solid(cells, dock->pose))
            return scene_fail(
                scene, dock->place, error,
                "world.docks[%zu]: %s at (%g, %g) is at an occupied place of the map; move it", i,
                dock->name, dock->pose.x_m, dock->pose.y_m);
    }
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct scene_robot *robot = &scene->robots[i];
        if (is_solid(cells, robot->pose))
            return scene_fail(
                scene, robot->pose_place, error,
                "robots[%zu].pose: %s at (%g, %g) is at an occupied place of the map; move it", i,
                robot->name, robot->pose.x_m, robot->pose.y_m);
    }
    return true;
}

bool scene_map_apply(struct scene *scene, const struct scene_map *map,
                     const struct scene_pixels *pixels, struct error *error)
{
    struct cells cells = {.map = map, .pixels = pixels};
    if (pixels->width == 0 || pixels->height == 0 || pixels->width > SCENE_MAP_SIDE_MAX ||
        pixels->height > SCENE_MAP_SIDE_MAX)
        return fail(scene, error, "the image has no pixel, or more than 8192 along a side");
    if (map->free > map->occupied)
        return fail(scene, error, "free_thresh is above occupied_thresh; swap them");
    angle_sin_cos(map->origin.heading_rad, &cells.sine, &cells.cosine);
    if (!add_walls(scene, &cells, error))
        return false;
    make_room(scene, &cells);
    scene->has_map = true;
    return check_solid(scene, &cells, error) && scene_check(scene, error);
}
