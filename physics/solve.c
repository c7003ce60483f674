/* The solver of a step: single bodies, and islands of bodies that touch each other. */
#include "base/number.h"
#include "physics/world_state.h"

/* Passes that separate overlapping bodies (chosen). */
enum { PUSH_PASSES = 10 };

/* ---- Islands ---- */

static uint32_t find_island(struct island *islands, uint32_t body)
{
    while (islands[body].parent != body) {
        islands[body].parent = islands[islands[body].parent].parent;
        body = islands[body].parent;
    }
    return body;
}

/* The bodies of a contact that can move; fixed bodies do not join islands. */
static size_t movable(const struct world *world, const struct contact *contact, uint32_t *parties)
{
    size_t count = 0;
    if (world->bodies[contact->body].inverse_mass > 0.0)
        parties[count++] = (uint32_t)contact->body;
    if (contact->other != WORLD_WALL && world->bodies[contact->other].inverse_mass > 0.0)
        parties[count++] = (uint32_t)contact->other;
    return count;
}

static void link_contacts(struct world *world)
{
    struct island *islands = world->islands;
    uint32_t parties[2] = {0};
    for (size_t i = 0; i < world->contact_count; i++) {
        size_t count = movable(world, &world->contacts[i], parties);
        for (size_t k = 0; k < count; k++)
            islands[parties[k]] =
                (struct island){parties[k], ISLAND_NONE, ISLAND_NONE, ISLAND_NONE};
    }
    for (size_t i = 0; i < world->contact_count; i++) {
        if (movable(world, &world->contacts[i], parties) < 2)
            continue;
        uint32_t a = find_island(islands, parties[0]);
        uint32_t b = find_island(islands, parties[1]);
        islands[a < b ? b : a].parent = a < b ? a : b;
    }
    /* From the last to the first, so that each list is in ascending order. */
    for (size_t i = world->contact_count; i-- > 0;) {
        (void)movable(world, &world->contacts[i], parties);
        uint32_t lowest = find_island(islands, parties[0]);
        struct island *island = &islands[lowest];
        world->contacts[i].island = lowest;
        world->contacts[i].next = island->first_contact;
        island->first_contact = (uint32_t)i;
    }
}

static void link_body(struct world *world, size_t body)
{
    struct island *islands = world->islands;
    struct island *island = &islands[find_island(islands, (uint32_t)body)];
    islands[body].next_body = island->first_body;
    island->first_body = (uint32_t)body;
}

/* ---- Solving ---- */

static struct wheels *wheels_of(struct world *world, const struct body *body)
{
    return body->drive == WORLD_NO_DRIVE ? NULL : &world->wheels[body->drive];
}

static void prepare(struct body *body, struct wheels *wheels, double dt_s)
{
    if (wheels)
        traction_prepare(body, wheels, dt_s);
    double part = wheels ? wheels->floor_part : 1.0;
    if (part > 0.0 || body->floor_limit_ns > 0.0)
        floor_prepare(body, part, dt_s);
}

/* One pass over the floor's constraints on a body. */
static double relax(struct body *body, struct wheels *wheels)
{
    double change = body->floor_limit_ns > 0.0 ? floor_relax(body) : 0.0;
    if (wheels)
        change = number_larger(change, traction_relax(body, wheels));
    return change;
}

static double relax_island(struct world *world, const struct island *island)
{
    double change = 0.0;
    for (uint32_t i = island->first_body; i != ISLAND_NONE; i = world->islands[i].next_body) {
        struct body *body = &world->bodies[i];
        change = number_larger(change, relax(body, wheels_of(world, body)));
    }
    for (uint32_t i = island->first_contact; i != ISLAND_NONE; i = world->contacts[i].next)
        change = number_larger(change, contact_relax(world, &world->contacts[i]));
    return change;
}

static void push_island(struct world *world, const struct island *island, double dt_s)
{
    bool is_needed = false;
    for (uint32_t i = island->first_contact; i != ISLAND_NONE; i = world->contacts[i].next)
        is_needed = is_needed || contact_needs_push(&world->contacts[i]);
    /* Contacts with a gap take part too, so that no body is pushed into the next one. A single
     * contact needs one pass. */
    bool is_single = world->contacts[island->first_contact].next == ISLAND_NONE;
    int passes = !is_needed ? 0 : is_single ? 1 : PUSH_PASSES;
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t i = island->first_contact; i != ISLAND_NONE; i = world->contacts[i].next)
            contact_push(world, &world->contacts[i], dt_s);
}

static void move_body(struct world *world, struct body *body, double dt_s)
{
    body->is_touching = false;
    if (body->inverse_mass > 0.0)
        body_move(body, dt_s);
    body_set_margin(body, dt_s);
    world_note_move(world, body);
}

static bool is_driven(const struct world *world, const struct island *island)
{
    bool is = true;
    for (uint32_t i = island->first_body; i != ISLAND_NONE; i = world->islands[i].next_body)
        is = is && world->bodies[i].drive != WORLD_NO_DRIVE;
    return is;
}

/* Prepares the bodies of an island and finds their velocities after the step. */
static void relax_all(struct world *world, const struct island *island, double dt_s)
{
    for (uint32_t i = island->first_body; i != ISLAND_NONE; i = world->islands[i].next_body)
        prepare(&world->bodies[i], wheels_of(world, &world->bodies[i]), dt_s);
    for (uint32_t i = island->first_contact; i != ISLAND_NONE; i = world->contacts[i].next)
        contact_start(world, &world->contacts[i]);
    double tolerance =
        is_driven(world, island) ? SOLVE_DRIVEN_TOLERANCE_M_S2 * dt_s : SOLVE_TOLERANCE_M_S2 * dt_s;
    for (int pass = 0; pass < SOLVE_PASSES_MAX; pass++)
        if (relax_island(world, island) < tolerance)
            break;
    for (uint32_t i = island->first_body; i != ISLAND_NONE; i = world->islands[i].next_body) {
        struct wheels *wheels = wheels_of(world, &world->bodies[i]);
        if (wheels)
            traction_finish(wheels, dt_s);
    }
}

static void solve_island(struct world *world, const struct island *island, double dt_s)
{
    struct contact *first = &world->contacts[island->first_contact];
    if (first->next != ISLAND_NONE || !pair_solve_contact(world, first, dt_s))
        relax_all(world, island, dt_s);
    push_island(world, island, dt_s);
    for (uint32_t i = island->first_body; i != ISLAND_NONE; i = world->islands[i].next_body) {
        struct body *body = &world->bodies[i];
        move_body(world, body, dt_s);
        body->push = (struct vec2){0.0, 0.0};
        body->push_rad_s = 0.0;
    }
}

static bool has_dropped(const struct wheels *wheels)
{
    size_t i = 0;
    while (i < wheels->wheel_count && !wheels->drive.wheels[i].is_dropped)
        i++;
    return i < wheels->wheel_count;
}

static void solve_alone(struct body *body, struct wheels *wheels, double dt_s)
{
    if (wheels && body->floor_limit_ns == 0.0 && !has_dropped(wheels)) {
        traction_alone(body, wheels, dt_s);
        return;
    }
    prepare(body, wheels, dt_s);
    for (int pass = 0; pass < SOLVE_PASSES_MAX; pass++)
        if (relax(body, wheels) < SOLVE_TOLERANCE_M_S2 * dt_s)
            break;
    if (wheels)
        traction_finish(wheels, dt_s);
}

static void step_body(struct world *world, size_t index, double dt_s)
{
    struct body *body = &world->bodies[index];
    struct wheels *wheels = wheels_of(world, body);
    if (body->is_touching && body->inverse_mass > 0.0) {
        link_body(world, index);
        return;
    }
    if (wheels && wheels->is_steady && traction_coast(body, wheels, dt_s)) {
        world_note_move(world, body);
        return;
    }
    solve_alone(body, wheels, dt_s);
    move_body(world, body, dt_s);
}

void solve_step(struct world *world, double dt_s)
{
    if (world->contact_count > 0)
        link_contacts(world);
    for (size_t i = world->body_count; i-- > 0;)
        step_body(world, i, dt_s);
    /* An island is solved at its first contact; at this point its list contains all its bodies. */
    for (size_t i = 0; i < world->contact_count; i++) {
        const struct island *island = &world->islands[world->contacts[i].island];
        if (island->first_contact == i)
            solve_island(world, island, dt_s);
    }
}
