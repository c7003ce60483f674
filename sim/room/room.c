#include "sim/room/room.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/angle.h"

/* chosen: painted walls, cardboard, plastic shells; hardly any bounce, because bumpers absorb it */
#define FRICTION_1        0.3
#define RESTITUTION_1     0.1
#define FLOOR_1           0.5   /* chosen: cardboard or plastic on a hard floor */
#define REFLECTANCE_1     0.8   /* chosen: light gray, for all that has no color of its own */
#define REFLECTANCE_LEAST 0.05  /* chosen: black paint still throws back some infrared */
#define OVERLAP_M         0.001 /* chosen: a millimeter of contact leaves room */

/* ---- Physical properties of objects ---- */

/* Infrared reflectance of an object, 0..1. It depends on the brightness only, because an infrared
 * sensor sees no colors. The weights are those of luma: ITU-R BT.601. */
static double reflectance_of(const struct scene_appearance *appearance)
{
    if (appearance->color[0] == '\0')
        return REFLECTANCE_1;
    double luma = 0.299 * (appearance->rgb >> 16 & 0xff) + 0.587 * (appearance->rgb >> 8 & 0xff) +
                  0.114 * (appearance->rgb & 0xff);
    double reflectance = luma / 255;
    return reflectance > REFLECTANCE_LEAST ? reflectance : REFLECTANCE_LEAST;
}

/* Height of an object. */
static double height_of(const struct scene_appearance *appearance)
{
    return appearance->height_m > 0 ? appearance->height_m : SCENE_HEIGHT_M;
}

static struct wall_def wall_between(struct vec2 a, struct vec2 b,
                                    const struct scene_appearance *appearance)
{
    return (struct wall_def){.a = a,
                             .b = b,
                             .friction = FRICTION_1,
                             .restitution = RESTITUTION_1,
                             .reflectance = reflectance_of(appearance),
                             .height_m = height_of(appearance)};
}

static struct wall_def wall_of(const struct room *room, const struct scene_wall *wall)
{
    return wall_between(wall->from, wall->to,
                        wall->appearance.height_m > 0 ? &wall->appearance : &room->appearance);
}

static struct body_def body_of(struct pose pose, double mass_kg,
                               const struct scene_appearance *appearance)
{
    return (struct body_def){.pose = pose,
                             .mass_kg = mass_kg,
                             .friction = FRICTION_1,
                             .restitution = RESTITUTION_1,
                             .floor_friction = FLOOR_1,
                             .reflectance = reflectance_of(appearance),
                             .height_m = height_of(appearance)};
}

static struct body_def box_of(const struct scene_box *box)
{
    struct body_def def = body_of(box->pose, box->mass_kg, &box->appearance);
    def.shape = WORLD_BOX;
    def.length_m = box->length_m;
    def.width_m = box->width_m;
    return def;
}

static struct body_def disc_of(const struct scene_disc *disc)
{
    struct body_def def = body_of(disc->pose, disc->mass_kg, &disc->appearance);
    def.shape = WORLD_DISC;
    def.radius_m = disc->radius_m;
    return def;
}

static struct body_def dock_of(const struct scene_dock *dock)
{
    return (struct body_def){
        .shape = WORLD_BOX,
        .pose = dock->pose,
        .length_m = SCENE_DOCK_DEPTH_M,
        .width_m = SCENE_DOCK_WIDTH_M,
        .friction = FRICTION_1,
        .restitution = RESTITUTION_1,
        .reflectance = REFLECTANCE_1,
        .height_m = SCENERY_DOCK_HEIGHT_M,
    };
}

static struct drive_def drive_of(const struct robot_body *body)
{
    struct drive_def def = {
        .motor = body->motor == ROBOT_MOTOR_STEPPER ? DRIVE_MOTOR_STEPPER : DRIVE_MOTOR_DC,
        .wheel_count = body->wheel_count,
        .grip = body->grip,
        .steer_max_rad = body->steer_max_rad,
        .steer_rate_rad_s = body->steer_rate_rad_s,
        .supply_v = body->supply_v,
        .resistance_ohm = body->resistance_ohm,
        .torque_nm_a = body->torque_nm_a,
        .emf_v_s_rad = body->emf_v_s_rad,
        .gear = body->gear,
        .idle_a = body->idle_a,
        .wheel_inertia_kg_m2 = body->wheel_inertia_kg_m2,
        .dead_band = body->dead_band,
        .is_parallel = body->is_parallel,
    };
    for (size_t i = 0; i < body->wheel_count; i++)
        def.wheels[i] = (struct wheel_def){
            .place = {body->wheels[i].x_m, body->wheels[i].y_m},
            .heading_rad = body->wheels[i].heading_rad,
            .roller_rad = body->wheels[i].roller_rad,
            .radius_m = body->wheels[i].radius_m,
            .is_steered = body->wheels[i].is_steered,
            .is_passive = body->wheels[i].is_passive,
            .own = {body->wheels[i].resistance_ohm, body->wheels[i].torque_nm_a,
                    body->wheels[i].emf_v_s_rad, body->wheels[i].gear, body->wheels[i].idle_a,
                    body->wheels[i].wheel_inertia_kg_m2},
        };
    return def;
}

static void add_robot(struct world *world, struct sim_robot *robot)
{
    const struct robot_body *body = robot->body;
    robot->body_index =
        world_add_body(world, &(struct body_def){
                                  .shape = body->shape == ROBOT_BOX ? WORLD_BOX : WORLD_DISC,
                                  .radius_m = body->radius_m,
                                  .length_m = body->length_m,
                                  .width_m = body->width_m,
                                  .offset = {body->center_x_m, 0},
                                  .mass_center = {body->mass_center_x_m, 0},
                                  .pose = robot->pose,
                                  .mass_kg = body->mass_kg,
                                  .inertia_kg_m2 = body->inertia_kg_m2,
                                  .friction = FRICTION_1,
                                  .restitution = RESTITUTION_1,
                                  .floor_friction = FLOOR_1, // of what its wheels do not carry
                                  .reflectance = REFLECTANCE_1,
                                  .height_m = body->height_m,
                                  .parts = robot->parts,
                                  .part_count = robot->part_count,
                              });
    if (body->wheel_count == 0)
        return;
    struct drive_def drive = drive_of(body);
    world_set_drive(world, robot->body_index, &drive);
}

/* ---- Creation ---- */

static void add_wall(struct world *world, struct vec2 a, struct vec2 b,
                     const struct scene_appearance *appearance)
{
    const struct wall_def def = wall_between(a, b, appearance);
    world_add_wall(world, &def);
}

static void add_walls(struct sim *sim)
{
    const struct scene *scene = sim->scene;
    struct room *room = sim->room;
    struct vec2 low = scene->low, high = {low.x + scene->size_x_m, low.y + scene->size_y_m};
    const struct vec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}};
    for (size_t i = 0; i < 4; i++)
        add_wall(sim->world, corners[i], corners[(i + 1) % 4], &room->appearance);
    for (size_t i = 0; i < scene->wall_count; i++) {
        const struct wall_def def = wall_of(room, &scene->walls[i]);
        room->walls[room->wall_count++] =
            (struct room_wall){&scene->walls[i], world_add_wall(sim->world, &def)};
    }
    for (size_t i = 0; i < scene->polygon_count; i++) {
        const struct scene_polygon *polygon = &scene->polygons[i];
        for (size_t k = 0; k < polygon->point_count; k++)
            add_wall(sim->world, polygon->points[k],
                     polygon->points[(k + 1) % polygon->point_count], &polygon->appearance);
    }
}

/* Robots come first, by name: contacts are found by the index of a body, and the order of robots in
 * the file must not matter. Docks are next, so that robots recognize them by their index. */
static void add_bodies(struct sim *sim)
{
    const struct scene *scene = sim->scene;
    struct room *room = sim->room;
    for (size_t i = 0; i < sim->robot_count; i++) {
        struct sim_robot *robot = &sim->robots[sim->by_name[i]];
        if (robot_is_mounted(robot))
            continue;
        add_robot(sim->world, robot);
        room->standing[room->first_dock++] = sim->by_name[i];
    }
    for (size_t i = 0; i < sim->robot_count; i++)
        sim->robots[i].body_index = robot_carrier(&sim->robots[i])->body_index;
    for (size_t i = 0; i < scene->dock_count; i++) {
        const struct body_def def = dock_of(&scene->docks[i]);
        world_add_body(sim->world, &def);
    }
    for (size_t i = 0; i < scene->box_count; i++) {
        const struct body_def def = box_of(&scene->boxes[i]);
        room->boxes[room->box_count++] =
            (struct room_box){&scene->boxes[i], world_add_body(sim->world, &def)};
    }
    room->first_disc = room->first_dock + scene->dock_count + scene->box_count;
    for (size_t i = 0; i < scene->disc_count; i++) {
        const struct body_def def = disc_of(&scene->discs[i]);
        world_add_body(sim->world, &def);
    }
}

static bool create_world(struct sim *sim)
{
    const struct scene *scene = sim->scene;
    const struct room *room = sim->room;
    struct world_capacity capacity = {
        .bodies = scene->robot_count + scene->dock_count + room->box_max + scene->disc_count,
        .walls = room->wall_max + 4,
    };
    for (size_t i = 0; i < scene->polygon_count; i++)
        capacity.walls += scene->polygons[i].point_count;
    sim->world = world_create(&capacity);
    return sim->world != NULL;
}

bool room_create(struct sim *sim)
{
    const struct scene *scene = sim->scene;
    struct room *room = sim->room = calloc(1, sizeof *room);
    if (!room)
        return false;
    room->generation = 1;
    room->appearance = scene->room;
    if (room->appearance.height_m == 0)
        room->appearance.height_m = SCENE_HEIGHT_M;
    room->wall_max = scene->wall_count + ROOM_SPARE_WALLS;
    room->box_max = scene->box_count + ROOM_SPARE_BOXES;
    room->walls = calloc(room->wall_max, sizeof *room->walls);
    room->boxes = calloc(room->box_max, sizeof *room->boxes);
    room->new_walls = calloc(room->wall_max, sizeof *room->new_walls);
    room->new_boxes = calloc(room->box_max, sizeof *room->new_boxes);
    room->playing = calloc(sim->robot_count + 1, sizeof *room->playing);
    room->standing = calloc(sim->robot_count + 1, sizeof *room->standing);
    if (!room->walls || !room->boxes || !room->new_walls || !room->new_boxes || !room->playing ||
        !room->standing || !create_world(sim))
        return false;
    add_bodies(sim);
    add_walls(sim);
    return scenery_create(sim);
}

void room_destroy(struct sim *sim)
{
    struct room *room = sim->room;
    if (sim->world)
        world_destroy(sim->world);
    if (!room)
        return;
    scenery_destroy(&room->scenery);
    free(room->walls);
    free(room->boxes);
    free(room->new_walls);
    free(room->new_boxes);
    free(room->playing);
    free(room->standing);
    free(room);
}

/* ---- Edits ---- */

static void changed(struct sim *sim)
{
    sim->room->generation++;
    scenery_update(sim);
}

/* The obstacle at the place of a new object, as text; empty: none. */
struct obstacle {
    char text[SCENE_NAME_MAX + 16];
};

/* A wall or a box to be added to the room, or an existing one. */
struct newcomer {
    struct body_def def;
    size_t box;       /* its index in the list; SIZE_MAX: not a box of the list */
    bool is_at_start; /* test the start poses of the other objects, not their present poses */
};

static bool is_in_way(const struct sim *sim, const struct newcomer *new, size_t body,
                      struct pose start)
{
    return world_overlaps_body(sim->world, &new->def, body, new->is_at_start ? &start : NULL,
                               OVERLAP_M);
}

/* The first object that the new one must not overlap but does: a robot or a dock; or a box, a disc
 * or a wall if one of the two is movable. The physics would push such objects apart, possibly
 * through a wall. */
static struct obstacle find_obstacle(const struct sim *sim, const struct newcomer *new)
{
    const struct scene *scene = sim->scene;
    const struct room *room = sim->room;
    bool is_movable = new->def.mass_kg > 0;
    struct obstacle found = {0};
    for (size_t i = 0; i < sim->robot_count; i++)
        if (!robot_is_mounted(&sim->robots[i]) &&
            is_in_way(sim, new, sim->robots[i].body_index, sim->robots[i].start)) {
            snprintf(found.text, sizeof found.text, "%s", sim->robots[i].name);
            return found;
        }
    for (size_t i = 0; i < scene->dock_count; i++)
        if (is_in_way(sim, new, room->first_dock + i, scene->docks[i].pose)) {
            snprintf(found.text, sizeof found.text, "the dock %s", scene->docks[i].name);
            return found;
        }
    for (size_t i = 0; i < room->box_count; i++) {
        const struct scene_box *other = room->boxes[i].shape;
        if (other && i != new->box && (is_movable || other->mass_kg > 0) &&
            is_in_way(sim, new, room->boxes[i].body, other->pose)) {
            snprintf(found.text, sizeof found.text, "box %zu", i + 1);
            return found;
        }
    }
    for (size_t i = 0; i < scene->disc_count; i++)
        if ((is_movable || scene->discs[i].mass_kg > 0) &&
            is_in_way(sim, new, room->first_disc + i, scene->discs[i].pose)) {
            snprintf(found.text, sizeof found.text, "discs[%zu]", i);
            return found;
        }
    if (is_movable && world_overlaps_wall(sim->world, &new->def, OVERLAP_M))
        snprintf(found.text, sizeof found.text, "a wall");
    return found;
}

static bool leaves_room(const struct sim *sim, const struct newcomer *new, struct error *error)
{
    struct obstacle obstacle = find_obstacle(sim, new);
    return obstacle.text[0] == '\0' ||
           error_set(error, "it would overlap %s: move one of them, or choose another place",
                     obstacle.text);
}

/* A wall in the form that the physics uses: a box without width. */
static struct newcomer newcomer_wall(const struct scene_wall *wall)
{
    double x_m = wall->to.x - wall->from.x, y_m = wall->to.y - wall->from.y;
    return (struct newcomer){
        .def = {.shape = WORLD_BOX,
                .length_m = sqrt(x_m * x_m + y_m * y_m),
                .pose = {.x_m = (wall->from.x + wall->to.x) / 2,
                         .y_m = (wall->from.y + wall->to.y) / 2,
                         .heading_rad = angle_atan2(y_m, x_m)}},
        .box = SIZE_MAX,
    };
}

bool room_add_wall(struct sim *sim, int64_t wanted, const struct scene_wall *shape,
                   struct error *error)
{
    struct room *room = sim->room;
    size_t at = wanted > 0 ? (size_t)wanted - 1 : 0;
    while (wanted == 0 && at < room->wall_count && room->walls[at].shape)
        at++;
    if (at < room->wall_count && room->walls[at].shape)
        return error_set(error, "number: wall %zu already exists", at + 1);
    if (at >= room->wall_max || at > room->wall_count)
        return error_set(error, "number: the next free number is %zu, the last %zu",
                         room->wall_count + 1, room->wall_max);
    const struct newcomer new = newcomer_wall(shape);
    if (!leaves_room(sim, &new, error))
        return false;
    struct room_wall *wall = &room->walls[at];
    room->new_walls[at] = *shape;
    wall->shape = &room->new_walls[at];
    const struct wall_def def = wall_of(room, shape);
    if (at < room->wall_count)
        world_replace_wall(sim->world, wall->in_world, &def);
    else
        wall->in_world = world_add_wall(sim->world, &def);
    room->wall_count += at == room->wall_count;
    changed(sim);
    return true;
}

bool room_add_box(struct sim *sim, int64_t wanted, const struct scene_box *shape,
                  struct error *error)
{
    struct room *room = sim->room;
    size_t at = wanted > 0 ? (size_t)wanted - 1 : 0;
    while (wanted == 0 && at < room->box_count && room->boxes[at].shape)
        at++;
    if (at < room->box_count && room->boxes[at].shape)
        return error_set(error, "number: box %zu already exists", at + 1);
    if (at >= room->box_max || at > room->box_count)
        return error_set(error, "number: the next free number is %zu, the last %zu",
                         room->box_count + 1, room->box_max);
    const struct newcomer new = {.def = box_of(shape), .box = SIZE_MAX};
    if (!leaves_room(sim, &new, error))
        return false;
    struct room_box *box = &room->boxes[at];
    room->new_boxes[at] = *shape;
    box->shape = &room->new_boxes[at];
    if (at < room->box_count)
        world_replace_body(sim->world, box->body, &new.def);
    else
        box->body = world_add_body(sim->world, &new.def);
    room->box_count += at == room->box_count;
    changed(sim);
    return true;
}

bool room_remove_wall(struct sim *sim, int64_t number, struct error *error)
{
    struct room *room = sim->room;
    size_t at = (size_t)number - 1;
    if (number < 1 || at >= room->wall_count || !room->walls[at].shape)
        return error_set(error, "wall: there is no wall %lld", (long long)number);
    // A point in the corner of the room: a body that touches it touches the room's walls too.
    const struct wall_def def = wall_between(sim->scene->low, sim->scene->low, &room->appearance);
    room->walls[at].shape = NULL;
    world_replace_wall(sim->world, room->walls[at].in_world, &def);
    changed(sim);
    return true;
}

bool room_remove_box(struct sim *sim, int64_t number, struct error *error)
{
    struct room *room = sim->room;
    size_t at = (size_t)number - 1;
    if (number < 1 || at >= room->box_count || !room->boxes[at].shape)
        return error_set(error, "box: there is no box %lld", (long long)number);
    room->boxes[at].shape = NULL;
    world_lift(sim->world, room->boxes[at].body, true); // nothing touches or sees it any more
    changed(sim);
    return true;
}

static bool leaves_starts(const struct sim *sim, struct newcomer new, const char *what, size_t at,
                          struct error *error)
{
    new.is_at_start = true;
    struct obstacle obstacle = find_obstacle(sim, &new);
    return obstacle.text[0] == '\0' ||
           error_set(error, "%s would start in %s %zu; world.remove %s=%zu first", obstacle.text,
                     what, at + 1, what, at + 1);
}

bool room_can_restore(const struct sim *sim, struct error *error)
{
    const struct room *room = sim->room;
    bool is_free = true;
    for (size_t i = 0; is_free && i < room->wall_count; i++)
        if (room->walls[i].shape == &room->new_walls[i])
            is_free = leaves_starts(sim, newcomer_wall(room->walls[i].shape), "wall", i, error);
    for (size_t i = 0; is_free && i < room->box_count; i++)
        if (room->boxes[i].shape == &room->new_boxes[i])
            is_free =
                leaves_starts(sim, (struct newcomer){.def = box_of(room->boxes[i].shape), .box = i},
                              "box", i, error);
    return is_free;
}

void room_restore(struct sim *sim)
{
    const struct room *room = sim->room;
    for (size_t i = 0; i < room->box_count; i++)
        if (room->boxes[i].shape)
            world_place(sim->world, room->boxes[i].body, room->boxes[i].shape->pose);
    for (size_t i = 0; i < sim->scene->disc_count; i++)
        world_place(sim->world, room->first_disc + i, sim->scene->discs[i].pose);
}
