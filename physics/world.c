/* The world: bodies, walls and drives, and the order of one step. */
#include "physics/world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "physics/world_state.h"

/* Default room for contacts: in the plane a body touches six equal ones, each at two points at most
 * and listed once. The rest is for walls (chosen). */
enum { CONTACTS_A_BODY = 16 };

static size_t array_size(size_t count, size_t size)
{
    return ((count > 0 ? count : 1) * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Uninitialized memory, which is written before it is read: unused pages take no physical
 * memory. */
static void *make_room(size_t count, size_t size)
{
    return aligned_alloc(CACHE_LINE, array_size(count, size));
}

static void *make_array(size_t count, size_t size)
{
    void *array = make_room(count, size);
    if (array)
        memset(array, 0, array_size(count, size));
    return array;
}

struct world *world_create(const struct world_capacity *capacity)
{
    struct world *world = make_array(1, sizeof *world);
    if (!world)
        return NULL;
    world->capacity = *capacity;
    if (world->capacity.contacts == 0)
        world->capacity.contacts = CONTACTS_A_BODY * capacity->bodies;
    size_t contacts = world->capacity.contacts;
    world->bodies = make_array(capacity->bodies, sizeof *world->bodies);
    world->wheels = make_array(capacity->bodies, sizeof *world->wheels);
    world->walls = make_array(capacity->walls, sizeof *world->walls);
    world->contacts = make_room(contacts, sizeof *world->contacts);
    world->previous = make_room(contacts, sizeof *world->previous);
    world->touched = make_array(contacts, sizeof *world->touched);
    world->islands = make_array(capacity->bodies, sizeof *world->islands);
    world->near = make_array(WORLD_NEAR_A_BODY * capacity->bodies, sizeof *world->near);
    world->watched = make_array(capacity->bodies / WORLD_WATCH_BITS + 1, sizeof *world->watched);
    world->left = make_array(capacity->bodies, sizeof *world->left);
    world->is_stale = true;
    size_t most = capacity->walls > capacity->bodies ? capacity->walls : capacity->bodies;
    world->found = make_array(most, sizeof *world->found);
    if (world->bodies && world->wheels && world->walls && world->contacts && world->previous &&
        world->touched && world->islands && world->near && world->watched && world->left &&
        world->found && grid_reserve(&world->grid, capacity->walls, capacity->bodies))
        return world;
    world_destroy(world);
    return NULL;
}

void world_destroy(struct world *world)
{
    if (!world)
        return;
    free(world->bodies);
    free(world->wheels);
    free(world->walls);
    free(world->contacts);
    free(world->previous);
    free(world->touched);
    free(world->islands);
    free(world->near);
    free(world->watched);
    free(world->left);
    free(world->found);
    grid_free(&world->grid);
    free(world);
}

static void lay_wall(struct world *world, struct wall *wall)
{
    struct vec2 a = wall->def.a, b = wall->def.b, span = vec2_sub(b, a);
    double length = sqrt(vec2_dot(span, span));
    wall->shape = (struct shape){
        .center = vec2_scale(0.5, vec2_add(a, b)),
        .axis = length > 0.0 ? vec2_scale(1.0 / length, span) : (struct vec2){1.0, 0.0},
        .half_x_m = 0.5 * length,
    };
    struct vec2 extent = shape_extent(&wall->shape);
    wall->bounds.low = vec2_sub(wall->shape.center, extent);
    wall->bounds.high = vec2_add(wall->shape.center, extent);
    world->grid.is_ready = false;
    world->is_stale = true;
}

size_t world_add_wall(struct world *world, const struct wall_def *def)
{
    assert(world->wall_count < world->capacity.walls);
    struct wall *wall = &world->walls[world->wall_count];
    wall->def = *def;
    lay_wall(world, wall);
    return world->wall_count++;
}

void world_replace_wall(struct world *world, size_t wall, const struct wall_def *def)
{
    assert(wall < world->wall_count);
    world->walls[wall].def = *def;
    lay_wall(world, &world->walls[wall]);
    for (size_t i = 0; i < world->contact_count; i++) {
        struct contact *contact = &world->contacts[i];
        if (contact->other == WORLD_WALL && contact->wall == wall)
            contact->normal_ns = contact->tangent_ns = 0.0;
    }
}

/* Stops a body and clears the impulses on it. */
static void halt(struct world *world, size_t index)
{
    struct body *body = &world->bodies[index];
    body->velocity = body->floor_ns = (struct vec2){0.0, 0.0};
    body->turn_rad_s = body->floor_nms = 0.0;
    for (size_t i = 0; i < world->contact_count; i++) {
        struct contact *contact = &world->contacts[i];
        if (contact->body == index || contact->other == index)
            contact->normal_ns = contact->tangent_ns = 0.0;
    }
    if (body->drive == WORLD_NO_DRIVE)
        return;
    struct wheels *wheels = &world->wheels[body->drive];
    wheels->has_changed = true;
    wheels->is_steady = false;
    for (size_t i = 0; i < DRIVE_WHEELS_MAX; i++) {
        wheels->traction[i].along_ns = wheels->traction[i].across_ns = 0.0;
        if (!body->is_lifted) /* in the air they keep turning */
            wheels->drive.wheels[i].rad_s = 0.0;
    }
}

/* Puts a body at rest at its pose, and updates its cells in the grid. */
static void settle(struct world *world, size_t index)
{
    struct body *body = &world->bodies[index];
    body_update(body);
    halt(world, index);
    body_set_margin(body, world->step_s);
    body_file(body);
    world->is_stale = true;
    grid_fill(world);
}

static void define_body(struct world *world, size_t index, const struct body_def *def)
{
    struct body *body = &world->bodies[index];
    *body = (struct body){.def = *def, .pose = def->pose, .drive = WORLD_NO_DRIVE};
    body_set_mass(body);
    settle(world, index);
}

size_t world_add_body(struct world *world, const struct body_def *def)
{
    assert(world->body_count < world->capacity.bodies);
    define_body(world, world->body_count++, def);
    return world->body_count - 1;
}

void world_set_drive(struct world *world, size_t body, const struct drive_def *def)
{
    assert(body < world->body_count && world->bodies[body].drive == WORLD_NO_DRIVE);
    assert(world->bodies[body].def.mass_kg > 0.0);
    assert(def->wheel_count > 0 && def->wheel_count <= DRIVE_WHEELS_MAX);
    world->bodies[body].drive = (uint32_t)world->wheels_count;
    world->wheels[world->wheels_count++] =
        (struct wheels){.drive.def = *def, .wheel_count = (uint8_t)def->wheel_count, .body = body};
}

struct drive *world_drive(struct world *world, size_t body)
{
    assert(body < world->body_count);
    size_t drive = world->bodies[body].drive;
    return drive == WORLD_NO_DRIVE ? NULL : &world->wheels[drive].drive;
}

void world_set_slip(struct world *world, size_t body, size_t wheel, double part)
{
    assert(body < world->body_count && world->bodies[body].drive != WORLD_NO_DRIVE);
    struct wheels *wheels = &world->wheels[world->bodies[body].drive];
    assert(wheel < wheels->drive.def.wheel_count && part >= 0.0 && part < 1.0);
    wheels->drive.wheels[wheel].slip = part;
    wheels->is_steady = false;
}

void world_step(struct world *world, double dt_s)
{
    if (world->step_s != dt_s) {
        for (size_t i = 0; i < world->body_count; i++)
            body_set_margin(&world->bodies[i], dt_s);
        world->step_s = dt_s;
        world->is_stale = true;
    }
    if (world->is_stale || world->left_count > 0)
        near_update(world);
    contact_find(world, dt_s);
    solve_step(world, dt_s);
    contact_publish(world);
}

static const struct body *get_body(const struct world *world, size_t body)
{
    assert(body < world->body_count);
    return &world->bodies[body];
}

struct pose world_pose(const struct world *world, size_t body)
{
    return get_body(world, body)->pose;
}

struct vec2 world_forward(const struct world *world, size_t body)
{
    return get_body(world, body)->shape.axis;
}

struct vec2 world_velocity(const struct world *world, size_t body, double *turn_rad_s)
{
    if (turn_rad_s)
        *turn_rad_s = get_body(world, body)->turn_rad_s;
    return body_origin_velocity(get_body(world, body));
}

void world_place(struct world *world, size_t body, struct pose pose)
{
    assert(body < world->body_count);
    world->bodies[body].pose = pose;
    settle(world, body);
}

void world_lift(struct world *world, size_t body, bool lifted)
{
    assert(body < world->body_count);
    if (world->bodies[body].is_lifted == lifted)
        return;
    world->bodies[body].is_lifted = lifted;
    body_set_mass(&world->bodies[body]);
    if (world->bodies[body].drive != WORLD_NO_DRIVE)
        world->wheels[world->bodies[body].drive].ready_s = 0.0;
    halt(world, body);
}

void world_replace_body(struct world *world, size_t index, const struct body_def *def)
{
    assert(index < world->body_count && world->bodies[index].drive == WORLD_NO_DRIVE);
    define_body(world, index, def);
}

bool world_is_lifted(const struct world *world, size_t body)
{
    return get_body(world, body)->is_lifted;
}

static bool shapes_overlap(const struct shape *a, const struct shape *b, double slack_m)
{
    struct touch touches[SHAPE_TOUCHES_MAX];
    size_t count = shape_touch(a, b, 0.0, touches);
    for (size_t i = 0; i < count; i++)
        if (touches[i].gap_m < -slack_m)
            return true;
    return false;
}

bool world_overlaps_wall(const struct world *world, const struct body_def *def, double slack_m)
{
    struct shape shape = body_shape(def, def->pose);
    struct vec2 extent = shape_extent(&shape);
    struct box2 bounds = {vec2_sub(shape.center, extent), vec2_add(shape.center, extent)};
    for (size_t i = 0; i < world->wall_count; i++) {
        const struct wall *wall = &world->walls[i];
        if (bounds_meet(&bounds, &wall->bounds) && shapes_overlap(&shape, &wall->shape, slack_m))
            return true;
    }
    return false;
}

bool world_overlaps(const struct world *world, const struct body_def *def, size_t skip,
                    double slack_m)
{
    struct shape shape = body_shape(def, def->pose);
    if (world_overlaps_wall(world, def, slack_m))
        return true;
    for (size_t i = 0; i < world->body_count; i++) {
        const struct body *body = &world->bodies[i];
        if (i != skip && !body->is_lifted && shapes_overlap(&shape, &body->shape, slack_m))
            return true;
    }
    return false;
}

bool world_overlaps_body(const struct world *world, const struct body_def *def, size_t body,
                         const struct pose *pose, double slack_m)
{
    const struct body *other = get_body(world, body);
    struct shape shape = body_shape(def, def->pose);
    struct shape there = pose ? body_shape(&other->def, *pose) : other->shape;
    return shapes_overlap(&shape, &there, slack_m);
}

const struct world_contact *world_contacts(const struct world *world, size_t *count)
{
    *count = world->touched_count;
    return world->touched;
}

static uint64_t hash_doubles(uint64_t hash, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        uint8_t bytes[sizeof bits];
        memcpy(&bits, &values[i], sizeof bits);
        for (size_t k = 0; k < sizeof bytes; k++) /* the same on every byte order */
            bytes[k] = (uint8_t)(bits >> 8 * k);
        hash = hash_bytes(hash, bytes, sizeof bytes);
    }
    return hash;
}

uint64_t world_hash(const struct world *world, uint64_t hash)
{
    for (size_t i = 0; i < world->body_count; i++) {
        const struct body *body = &world->bodies[i];
        const double state[] = {
            body->pose.x_m,   body->pose.y_m,   body->pose.heading_rad,     body->velocity.x,
            body->velocity.y, body->turn_rad_s, body->is_lifted ? 1.0 : 0.0};
        hash = hash_doubles(hash, state, COUNT(state));
    }
    for (size_t i = 0; i < world->wheels_count; i++) {
        const struct drive *drive = &world->wheels[i].drive;
        for (size_t kind = 0; kind < 3; kind++)
            for (size_t k = 0; k < drive->def.wheel_count; k++) {
                const struct drive_wheel *wheel = &drive->wheels[k];
                const double state[] = {wheel->rad, wheel->rad_s, wheel->motor_a};
                hash = hash_doubles(hash, &state[kind], 1);
            }
        hash = hash_doubles(hash, &drive->steer_rad, 1);
    }
    return hash;
}
