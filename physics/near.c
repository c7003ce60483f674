/* What is near each body, listed for several steps at once: bounds are wide enough for a while, and
 * most bodies are near nothing. A longer list changes no result, as whoever uses it looks closely:
 * so who leaves its bounds is listed anew, and added to the lists of others, but not taken from
 * them. */
#include "physics/world_state.h"

static uint32_t *list_of(const struct world *world, size_t index)
{
    return world->near + WORLD_NEAR_A_BODY * index;
}

/* Bodies that are near nothing are passed over in every step. */
static void watch(struct world *world, size_t index)
{
    const struct body *body = &world->bodies[index];
    uint64_t bit = (uint64_t)1 << index % WORLD_WATCH_BITS;
    uint64_t *word = &world->watched[index / WORLD_WATCH_BITS];
    if (body->near_walls + body->near_bodies > 0 || body->is_crowded)
        *word |= bit;
    else
        *word &= ~bit;
}

static uint32_t list_walls(struct world *world, size_t index)
{
    const struct body *body = &world->bodies[index];
    uint32_t *list = list_of(world, index);
    size_t found = grid_find_walls(world, index);
    uint32_t count = 0;
    for (size_t n = 0; n < found; n++) {
        uint32_t wall = world->found[n];
        if (!bounds_meet(&body->bounds, &world->walls[wall].bounds))
            continue;
        if (count < WORLD_NEAR_A_BODY)
            list[count] = wall;
        count++;
    }
    return count;
}

/* Adds a body of a higher number to a list that is in order. False where there is no room. */
static bool add_body(struct world *world, size_t index, uint32_t other)
{
    struct body *body = &world->bodies[index];
    uint32_t *list = list_of(world, index) + body->near_walls;
    uint32_t at = body->near_bodies;
    while (at > 0 && list[at - 1] > other)
        at--;
    if (at > 0 && list[at - 1] == other)
        return true;
    if (body->near_walls + body->near_bodies == WORLD_NEAR_A_BODY)
        return false;
    for (uint32_t i = body->near_bodies; i > at; i--)
        list[i] = list[i - 1];
    list[at] = other;
    body->near_bodies++;
    return true;
}

static void list_near(struct world *world, size_t index)
{
    struct body *body = &world->bodies[index];
    body->near_bodies = 0;
    body->near_walls = list_walls(world, index);
    body->is_crowded = body->near_walls > WORLD_NEAR_A_BODY;
    size_t found = body->is_crowded ? 0 : grid_find_bodies(world, index, index + 1);
    for (size_t n = 0; n < found && !body->is_crowded; n++) {
        uint32_t other = world->found[n];
        if (bounds_meet(&body->bounds, &world->bodies[other].bounds))
            body->is_crowded = !add_body(world, index, other);
    }
    if (body->is_crowded)
        body->near_walls = body->near_bodies = 0;
    watch(world, index);
}

/* Adds a body to the lists of those of a lower number. */
static void tell_others(struct world *world, size_t index)
{
    size_t found = grid_find_bodies(world, index, 0);
    for (size_t n = 0; n < found && world->found[n] < index; n++) {
        size_t other = world->found[n];
        if (world->bodies[other].is_crowded ||
            !bounds_meet(&world->bodies[index].bounds, &world->bodies[other].bounds))
            continue;
        if (!add_body(world, other, (uint32_t)index))
            world->is_stale = true; /* what is not near any more takes up the room */
        watch(world, other);
    }
}

static void update_all(struct world *world)
{
    for (size_t i = 0; i < world->body_count; i++)
        body_file(&world->bodies[i]);
    if (world->grid.is_ready)
        grid_fill(world);
    else
        grid_build(world);
    for (size_t i = 0; i < world->body_count; i++)
        list_near(world, i);
    world->is_stale = false;
}

void near_update(struct world *world)
{
    for (size_t n = 0; n < world->left_count && !world->is_stale; n++) {
        body_file(&world->bodies[world->left[n]]);
        world->is_stale = !grid_move(world, world->left[n]);
    }
    for (size_t n = 0; n < world->left_count && !world->is_stale; n++) {
        list_near(world, world->left[n]);
        tell_others(world, world->left[n]);
    }
    world->left_count = 0;
    if (world->is_stale)
        update_all(world);
}
