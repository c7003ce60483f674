/* Commands of the world: build walls and boxes, remove them, restore the initial state. */
#include "sim/commands/robot_commands.h"

#include "base/angle.h"
#include "base/array.h"
#include "base/text.h"
#include "sim/commands/command.h"
#include "sim/room/room.h"
#include "sim/state/state.h"

struct room_wall_args {
    int64_t number;
    struct scene_wall wall;
};
struct room_box_args {
    int64_t number;
    struct scene_box box;
};
struct room_remove_args {
    int64_t wall, box;
};

enum { NUMBER_MAX = 1000000 };

#define NUMBER_ROW(tag)                                                                            \
    ROW_INTEGER("number", tag, number, "", 0, NUMBER_MAX, "0", "ID; 0: the first free ID")
#define COLOR_ROW(tag, member)                                                                     \
    ROW_TEXT("color", tag, member, "", "a name or #rrggbb, as in a scene")

static const struct option_row room_wall_rows[] = {
    ROW_NUMBER("from_x", room_wall_args, wall.from.x, "m", 0, 0, NULL),
    ROW_NUMBER("from_y", room_wall_args, wall.from.y, "m", 0, 0, NULL),
    ROW_NUMBER("to_x", room_wall_args, wall.to.x, "m", 0, 0, NULL),
    ROW_NUMBER("to_y", room_wall_args, wall.to.y, "m", 0, 0, NULL),
    NUMBER_ROW(room_wall_args),
    COLOR_ROW(room_wall_args, wall.appearance.color),
    ROW_NUMBER("height", room_wall_args, wall.appearance.height_m, "m", 0, 100, "0",
               "0: like the walls of the room"),
};

static const struct option_row room_box_rows[] = {
    ROW_NUMBER("x", room_box_args, box.pose.x_m, "m", 0, 0, NULL),
    ROW_NUMBER("y", room_box_args, box.pose.y_m, "m", 0, 0, NULL),
    ROW_SCALED("heading", room_box_args, box.pose.heading_rad, "deg", ANGLE_RAD_DEG, 0, 0, "0"),
    ROW_NUMBER("length", room_box_args, box.length_m, "m", 0.01, 100, NULL),
    ROW_NUMBER("width", room_box_args, box.width_m, "m", 0.01, 100, NULL),
    ROW_NUMBER("mass", room_box_args, box.mass_kg, "kg", 0, 10000, "0", "0: fixed"),
    NUMBER_ROW(room_box_args),
    COLOR_ROW(room_box_args, box.appearance.color),
    ROW_NUMBER("height", room_box_args, box.appearance.height_m, "m", 0.001, 100, "0.2"),
};

static const struct option_row room_remove_rows[] = {
    ROW_INTEGER("wall", room_remove_args, wall, "", 0, NUMBER_MAX, "0",
                "number, from 1, in the order of the scene"),
    ROW_INTEGER("box", room_remove_args, box, "", 0, NUMBER_MAX, "0", "the same"),
};

_Static_assert(sizeof(struct room_wall_args) <= ROBOT_ARGS_MAX, "args fit");
_Static_assert(sizeof(struct room_box_args) <= ROBOT_ARGS_MAX, "args fit");

/* ---- Checks that do not depend on the state ---- */

static const struct scene *scene_of(const void *setup)
{
    return ((const struct command_setup *)setup)->scene;
}

static bool check_color(const struct scene_appearance *appearance, struct error *error)
{
    uint32_t rgb;
    return appearance->color[0] == '\0' || scene_appearance_color(appearance->color, &rgb) ||
           error_set(error, "color: '%s' is not a color; allowed: a name such as red, or #rrggbb",
                     TEXT_QUOTE(appearance->color));
}

static bool check_place(const struct scene *scene, struct vec2 point, struct error *error)
{
    double x = point.x - scene->low.x, y = point.y - scene->low.y;
    return (x >= 0 && x <= scene->size_x_m && y >= 0 && y <= scene->size_y_m) ||
           error_set(error, "x=%g y=%g is outside the room of %g x %g m", point.x, point.y,
                     scene->size_x_m, scene->size_y_m);
}

/* Checks the number of a wall or box; MOST is the last one. */
static bool check_number(const char *key, int64_t number, size_t most, struct error *error)
{
    return number <= (int64_t)most ||
           error_set(error, "%s: %lld; allowed: at most %zu in this scene", key, (long long)number,
                     most);
}

static size_t most_walls(const struct scene *scene)
{
    return scene->wall_count + ROOM_SPARE_WALLS;
}

static size_t most_boxes(const struct scene *scene)
{
    return scene->box_count + ROOM_SPARE_BOXES;
}

static bool room_wall_check(const void *setup, const void *args, struct error *error)
{
    const struct room_wall_args *given = args;
    const struct scene *scene = scene_of(setup);
    struct vec2 from = given->wall.from, to = given->wall.to;
    if (from.x == to.x && from.y == to.y)
        return error_set(error, "its ends are at the same place");
    return check_color(&given->wall.appearance, error) && check_place(scene, from, error) &&
           check_place(scene, to, error) &&
           check_number("number", given->number, most_walls(scene), error);
}

static bool room_box_check(const void *setup, const void *args, struct error *error)
{
    const struct room_box_args *given = args;
    const struct scene *scene = scene_of(setup);
    const struct pose *pose = &given->box.pose;
    return check_color(&given->box.appearance, error) &&
           check_place(scene, (struct vec2){pose->x_m, pose->y_m}, error) &&
           check_number("number", given->number, most_boxes(scene), error);
}

static bool room_remove_check(const void *setup, const void *args, struct error *error)
{
    const struct room_remove_args *given = args;
    const struct scene *scene = scene_of(setup);
    if ((given->wall == 0) == (given->box == 0))
        return error_set(error, "give wall=NUMBER or box=NUMBER");
    return check_number("wall", given->wall, most_walls(scene), error) &&
           check_number("box", given->box, most_boxes(scene), error);
}

/* ---- Execution ---- */

static bool room_wall(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct room_wall_args given = *(const struct room_wall_args *)args;
    struct scene_appearance *appearance = &given.wall.appearance;
    struct sim *sim = state;
    scene_appearance_color(appearance->color, &appearance->rgb);
    if (appearance->height_m == 0 && appearance->color[0] != '\0')
        appearance->height_m = sim->room->appearance.height_m;
    return room_add_wall(sim, given.number, &given.wall, error);
}

static bool room_box(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct room_box_args given = *(const struct room_box_args *)args;
    scene_appearance_color(given.box.appearance.color, &given.box.appearance.rgb);
    return room_add_box(state, given.number, &given.box, error);
}

static bool room_remove(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    const struct room_remove_args *given = args;
    return given->wall > 0 ? room_remove_wall(state, given->wall, error)
                           : room_remove_box(state, given->box, error);
}

static bool room_reset(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)args, (void)now_us;
    struct sim *sim = state;
    if (!room_can_restore(sim, error))
        return false;
    room_restore(sim);
    for (size_t i = 0; i < sim->robot_count; i++)
        robot_restart(&sim->robots[sim->by_name[i]]);
    return true;
}

static const struct command_row world_commands[] = {
    {.name = "reset",
     .run = room_reset,
     .note = "Reset all robots and objects to the start; time continues"},
    COMMAND_ROW("wall", room_wall_rows, room_wall_args, room_wall, "build a wall",
                .check = room_wall_check),
    COMMAND_ROW("box", room_box_rows, room_box_args, room_box, "add a box",
                .check = room_box_check),
    COMMAND_ROW("remove", room_remove_rows, room_remove_args, room_remove, "remove a wall or a box",
                .check = room_remove_check),
};

const struct command_row *sim_world_commands(size_t *count)
{
    *count = COUNT(world_commands);
    return world_commands;
}
