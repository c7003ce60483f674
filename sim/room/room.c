/* What stands in a room: from the surroundings into the world, and changes of both together. */
#include "sim/room/room.h"

#include "sim/state/state.h"

/* chosen: painted walls and cardboard; hardly any bounce */
#define FRICTION_1    0.3
#define RESTITUTION_1 0.1
#define FLOOR_1       0.5 /* chosen: cardboard on a hard floor */

static struct wall_def wall_of(struct vec2 a, struct vec2 b, const struct scene_look *look)
{
    return (struct wall_def){.a = a,
                             .b = b,
                             .friction = FRICTION_1,
                             .restitution = RESTITUTION_1,
                             .reflectance = scenery_reflectance(look)};
}

static size_t add_wall(struct world *world, struct vec2 a, struct vec2 b,
                       const struct scene_look *look)
{
    const struct wall_def def = wall_of(a, b, look);
    return world_add_wall(world, &def);
}

/* A wall without a look of its own looks like those of the room. */
static const struct scene_look *look_of(const struct sim *sim, const struct scene_wall *wall)
{
    return wall->look.height_m > 0 ? &wall->look : &sim->surroundings.room;
}

static struct body_def body_of(struct pose pose, double mass_kg, const struct scene_look *look)
{
    return (struct body_def){.pose = pose,
                             .mass_kg = mass_kg,
                             .friction = FRICTION_1,
                             .restitution = RESTITUTION_1,
                             .floor_friction = FLOOR_1,
                             .reflectance = scenery_reflectance(look)};
}

static struct body_def box_of(const struct scene_box *box)
{
    struct body_def def = body_of(box->pose, box->mass_kg, &box->look);
    def.shape = WORLD_BOX;
    def.length_m = box->length_m;
    def.width_m = box->width_m;
    return def;
}

/* ---- At the start ---- */

static void build_walls(struct sim *sim)
{
    struct surroundings *around = &sim->surroundings;
    struct vec2 low = sim->low, high = {low.x + sim->size_x_m, low.y + sim->size_y_m};
    const struct vec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}};
    for (size_t i = 0; i < 4; i++)
        add_wall(sim->world, corners[i], corners[(i + 1) % 4], &around->room);
    for (size_t i = 0; i < around->wall_count; i++) {
        struct standing_wall *wall = &around->walls[i];
        wall->in_world =
            add_wall(sim->world, wall->wall.from, wall->wall.to, look_of(sim, &wall->wall));
    }
    for (size_t i = 0; i < around->polygon_count; i++) {
        const struct scene_polygon *polygon = &around->polygons[i];
        for (size_t k = 0; k < polygon->point_count; k++)
            add_wall(sim->world, polygon->points[k],
                     polygon->points[(k + 1) % polygon->point_count], &polygon->look);
    }
}

void room_build(struct sim *sim)
{
    struct surroundings *around = &sim->surroundings;
    build_walls(sim);
    for (size_t i = 0; i < around->box_count; i++) {
        const struct body_def def = box_of(&around->boxes[i].box);
        around->boxes[i].body = world_add_body(sim->world, &def);
    }
    for (size_t i = 0; i < around->disc_count; i++) {
        const struct scene_disc *disc = &around->discs[i].disc;
        struct body_def def = body_of(disc->pose, disc->mass_kg, &disc->look);
        def.shape = WORLD_DISC;
        def.radius_m = disc->radius_m;
        around->discs[i].body = world_add_body(sim->world, &def);
    }
}

/* ---- Changes ---- */

static void changed(struct sim *sim)
{
    sim->surroundings.generation++;
    scenery_update(sim);
}

static bool check_place(const struct sim *sim, struct vec2 point, struct error *error)
{
    double x = point.x - sim->low.x, y = point.y - sim->low.y;
    return (x >= 0 && x <= sim->size_x_m && y >= 0 && y <= sim->size_y_m) ||
           error_set(error, "x=%g y=%g is outside the room of %g x %g m", point.x, point.y,
                     sim->size_x_m, sim->size_y_m);
}

bool room_add_wall(struct sim *sim, int64_t wanted, const struct scene_wall *shape,
                   struct error *error)
{
    struct surroundings *around = &sim->surroundings;
    if (!check_place(sim, shape->from, error) || !check_place(sim, shape->to, error))
        return false;
    if (shape->from.x == shape->to.x && shape->from.y == shape->to.y)
        return error_set(error, "its ends are at one place");
    size_t at = wanted > 0 ? (size_t)wanted - 1 : 0;
    while (wanted == 0 && at < around->wall_count && !around->walls[at].is_gone)
        at++;
    if (at < around->wall_count && !around->walls[at].is_gone)
        return error_set(error, "number: there is a wall %zu already", at + 1);
    if (at >= around->wall_room || at > around->wall_count)
        return error_set(error, "number: the next free one is %zu, the last one %zu",
                         around->wall_count + 1, around->wall_room);
    struct standing_wall *wall = &around->walls[at];
    wall->wall = *shape;
    wall->is_gone = false;
    const struct wall_def def = wall_of(shape->from, shape->to, look_of(sim, shape));
    if (at < around->wall_count)
        world_replace_wall(sim->world, wall->in_world, &def);
    else
        wall->in_world = world_add_wall(sim->world, &def);
    around->wall_count += at == around->wall_count;
    changed(sim);
    return true;
}

bool room_add_box(struct sim *sim, int64_t wanted, const struct scene_box *shape,
                  struct error *error)
{
    struct surroundings *around = &sim->surroundings;
    if (!check_place(sim, (struct vec2){shape->pose.x_m, shape->pose.y_m}, error))
        return false;
    size_t at = wanted > 0 ? (size_t)wanted - 1 : 0;
    while (wanted == 0 && at < around->box_count && !around->boxes[at].is_gone)
        at++;
    if (at < around->box_count && !around->boxes[at].is_gone)
        return error_set(error, "number: there is a box %zu already", at + 1);
    if (at >= around->box_room || at > around->box_count)
        return error_set(error, "number: the next free one is %zu, the last one %zu",
                         around->box_count + 1, around->box_room);
    struct standing_box *box = &around->boxes[at];
    box->box = *shape;
    box->is_gone = false;
    const struct body_def def = box_of(shape);
    if (at < around->box_count)
        world_replace_body(sim->world, box->body, &def);
    else
        box->body = world_add_body(sim->world, &def);
    around->box_count += at == around->box_count;
    changed(sim);
    return true;
}

bool room_remove_wall(struct sim *sim, int64_t number, struct error *error)
{
    struct surroundings *around = &sim->surroundings;
    size_t at = (size_t)number - 1;
    if (number < 1 || at >= around->wall_count || around->walls[at].is_gone)
        return error_set(error, "wall: there is no wall %lld", (long long)number);
    struct standing_wall *wall = &around->walls[at];
    // A point in the corner of the room, where nothing gets that does not touch the room.
    const struct wall_def def = wall_of(sim->low, sim->low, &around->room);
    wall->is_gone = true;
    world_replace_wall(sim->world, wall->in_world, &def);
    changed(sim);
    return true;
}

bool room_remove_box(struct sim *sim, int64_t number, struct error *error)
{
    struct surroundings *around = &sim->surroundings;
    size_t at = (size_t)number - 1;
    if (number < 1 || at >= around->box_count || around->boxes[at].is_gone)
        return error_set(error, "box: there is no box %lld", (long long)number);
    around->boxes[at].is_gone = true;
    world_lift(sim->world, around->boxes[at].body, true); // out of everybody's way
    changed(sim);
    return true;
}

void room_tidy(struct sim *sim)
{
    struct surroundings *around = &sim->surroundings;
    for (size_t i = 0; i < around->box_count; i++)
        if (!around->boxes[i].is_gone)
            world_place(sim->world, around->boxes[i].body, around->boxes[i].box.pose);
    for (size_t i = 0; i < around->disc_count; i++)
        world_place(sim->world, around->discs[i].body, around->discs[i].disc.pose);
}
