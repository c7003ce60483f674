/* What is near each body, listed for several steps at once: bounds are wide enough for a while, and
 * most bodies are near nothing. A longer list changes no result, as whoever uses it looks closely.
 */
#include "physics/world_state.h"

static size_t list_walls(struct world *world, size_t index, uint32_t *list, size_t room)
{
    const struct body *body = &world->bodies[index];
    size_t found = grid_find_walls(world, index);
    size_t count = 0;
    for (size_t n = 0; n < found; n++) {
        uint32_t wall = world->found[n];
        if (!bounds_meet(&body->bounds, &world->walls[wall].bounds))
            continue;
        if (count < room)
            list[count] = wall;
        count++;
    }
    return count;
}

static size_t list_bodies(struct world *world, size_t index, uint32_t *list, size_t room)
{
    const struct body *body = &world->bodies[index];
    size_t found = grid_find_bodies(world, index);
    size_t count = 0;
    for (size_t n = 0; n < found; n++) {
        uint32_t other = world->found[n];
        if (!bounds_meet(&body->bounds, &world->bodies[other].bounds))
            continue;
        if (count < room)
            list[count] = other;
        count++;
    }
    return count;
}

static void list_near(struct world *world, size_t index)
{
    struct body *body = &world->bodies[index];
    size_t room = WORLD_NEAR_A_BODY * world->capacity.bodies - world->near_count;
    uint32_t *list = world->near + world->near_count;
    size_t walls = list_walls(world, index, list, room);
    size_t bodies = walls > room ? 0 : list_bodies(world, index, list + walls, room - walls);
    body->is_crowded = walls + bodies > room;
    if (body->is_crowded)
        walls = bodies = 0;
    body->near_first = (uint32_t)world->near_count;
    body->near_walls = (uint32_t)walls;
    body->near_bodies = (uint32_t)bodies;
    world->near_count += walls + bodies;
    if (walls + bodies > 0 || body->is_crowded)
        world->watched[world->watched_count++] = (uint32_t)index;
}

void near_update(struct world *world)
{
    for (size_t i = 0; i < world->body_count; i++)
        body_file(&world->bodies[i]);
    if (world->grid.is_ready)
        grid_fill(world);
    else
        grid_build(world);
    world->near_count = world->watched_count = 0;
    for (size_t i = 0; i < world->body_count; i++)
        list_near(world, i);
    world->is_stale = false;
}
