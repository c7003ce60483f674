/* Contacts between bodies and walls: detection, and solution by sequential impulses. In one step,
 * bodies that are about to touch may close the gap between them, but not move further. Therefore
 * nothing tunnels, and overlaps are rare and small. An additional velocity, which is not kept after
 * the step, removes the rest. */
#include <math.h>

#include "base/number.h"
#include "physics/world_state.h"

/* Tolerated overlap, so that resting contacts last (chosen). */
static const double slop_m = 5e-5;
/* A contact with a smaller gap counts as touching even without an impulse (chosen). */
static const double touch_m = 1e-4;
/* Slower impacts do not bounce, so that bodies come to rest (chosen). */
static const double bounce_least_m_s = 0.05;
/* Fraction of an overlap that a single step removes, and the speed limit for it (chosen: soft, no
 * jumps). */
static const double push_part = 0.2;
static const double push_most_m_s = 0.5;

/* The contact of the last step for the same pair and point, or NULL. OLDER: index of the body's
 * first contact there. */
static const struct contact *find_previous(const struct world *world, const struct contact *contact,
                                           size_t older)
{
    for (size_t i = older; i < world->previous_count; i++) {
        const struct contact *old = &world->previous[i];
        if (old->body != contact->body)
            return NULL;
        if (old->other == contact->other && old->wall == contact->wall &&
            old->place == contact->place)
            return old;
    }
    return NULL;
}

/* The other body of a contact; for walls a body that cannot move. */
static struct body *other_of(struct world *world, const struct contact *contact)
{
    return contact->other == WORLD_WALL ? &world->ground : &world->bodies[contact->other];
}

static struct press make_press(const struct contact *contact, const struct body *body,
                               const struct body *other, struct vec2 direction)
{
    struct press press = {.x = direction.x, .y = direction.y};
    press.lever_m = vec2_cross(contact->arm, direction);
    press.other_lever_m = vec2_cross(contact->other_arm, direction);
    press.slope = body->inverse_mass + body->inverse_inertia * press.lever_m * press.lever_m +
                  other->inverse_mass +
                  other->inverse_inertia * press.other_lever_m * press.other_lever_m;
    press.give = 1.0 / press.slope;
    return press;
}

/* Speed of the body relative to the other, along the press. */
static double press_speed(const struct press *press, const struct body *body,
                          const struct body *other)
{
    return press->x * (body->velocity.x - other->velocity.x) +
           press->y * (body->velocity.y - other->velocity.y) + press->lever_m * body->turn_rad_s -
           press->other_lever_m * other->turn_rad_s;
}

static void press_kick(const struct press *press, struct body *body, struct body *other,
                       double impulse_ns)
{
    double mine = impulse_ns * body->inverse_mass;
    double theirs = impulse_ns * other->inverse_mass;
    body->velocity.x += mine * press->x;
    body->velocity.y += mine * press->y;
    body->turn_rad_s += impulse_ns * body->inverse_inertia * press->lever_m;
    other->velocity.x -= theirs * press->x;
    other->velocity.y -= theirs * press->y;
    other->turn_rad_s -= impulse_ns * other->inverse_inertia * press->other_lever_m;
}

/* A body that touches a wall or another body, and the surfaces between them. */
struct surface {
    size_t body, other, wall; /* as in a contact */
    double friction, restitution;
    size_t older; /* index of the body's first contact of the last step */
    double dt_s;
};

/* Adds a contact at one point, number PLACE of its pair. */
static void add_contact(struct world *world, const struct surface *surface, uint32_t place,
                        const struct touch *touch)
{
    if (world->contact_count == world->capacity.contacts)
        return;
    struct contact *contact = &world->contacts[world->contact_count++];
    struct body *body = &world->bodies[surface->body];
    contact->body = surface->body;
    contact->other = surface->other;
    contact->wall = surface->wall;
    contact->place = place;
    contact->normal = touch->normal;
    contact->point = touch->point;
    contact->gap_m = touch->gap_m;
    contact->friction = surface->friction;
    contact->arm = vec2_sub(touch->point, body->center);
    body->is_touching = true;
    struct body *other = other_of(world, contact);
    contact->other_arm = vec2_sub(touch->point, other->center);
    other->is_touching = true;
    contact->along = make_press(contact, body, other, contact->normal);
    contact->across = make_press(contact, body, other, vec2_left(contact->normal));

    /* A gap may only be closed; an impact in this step bounces. */
    double speed = press_speed(&contact->along, body, other);
    double bounce = -surface->restitution * speed;
    contact->target_m_s = contact->gap_m > 0.0 ? -contact->gap_m / surface->dt_s : 0.0;
    if (speed < -bounce_least_m_s && contact->gap_m + speed * surface->dt_s < 0.0 &&
        bounce > contact->target_m_s && surface->restitution > 0.0)
        contact->target_m_s = bounce;

    const struct contact *old = find_previous(world, contact, surface->older);
    contact->normal_ns = old ? old->normal_ns : 0.0;
    contact->tangent_ns = old ? old->tangent_ns : 0.0;
    contact->push_ns = 0.0;
}

/* Adds the contacts of a body with another shape, whose friction and restitution are given. */
static void touch_shape(struct world *world, struct surface surface, const struct shape *other,
                        double margin_m)
{
    struct touch touches[SHAPE_TOUCHES_MAX];
    const struct body_def *def = &world->bodies[surface.body].def;
    size_t count = shape_touch(&world->bodies[surface.body].shape, other, margin_m, touches);
    if (count == 0)
        return;
    surface.friction = sqrt(def->friction * surface.friction);
    surface.restitution = number_larger(def->restitution, surface.restitution);
    for (uint32_t k = 0; k < count; k++)
        add_contact(world, &surface, k, &touches[k]);
}

static inline void touch_wall(struct world *world, size_t index, size_t number, size_t older,
                              double dt_s)
{
    const struct body *body = &world->bodies[index];
    const struct wall *wall = &world->walls[number];
    struct vec2 arm = vec2_sub(body->shape.center, wall->shape.center);
    if (!(fabs(vec2_cross(wall->shape.axis, arm)) > body->extent_m + body->margin_m))
        touch_shape(world,
                    (struct surface){index, WORLD_WALL, number, wall->def.friction,
                                     wall->def.restitution, older, dt_s},
                    &wall->shape, body->margin_m);
}

static inline void touch_body(struct world *world, size_t index, size_t number, size_t older,
                              double dt_s)
{
    const struct body *body = &world->bodies[index];
    const struct body *other = &world->bodies[number];
    double margin = body->margin_m + other->margin_m;
    struct vec2 apart = vec2_sub(body->shape.center, other->shape.center);
    double near_m = body->extent_m + other->extent_m + margin;
    if (!(vec2_dot(apart, apart) > near_m * near_m) && !other->is_lifted &&
        (body->inverse_mass != 0.0 || other->inverse_mass != 0.0))
        touch_shape(world,
                    (struct surface){index, number, 0, other->def.friction, other->def.restitution,
                                     older, dt_s},
                    &other->shape, margin);
}

/* For a body that is near more objects than its list can hold. */
static void touch_crowd(struct world *world, size_t index, size_t older, double dt_s)
{
    size_t count = grid_find_walls(world, index);
    for (size_t n = 0; n < count && world->bodies[index].inverse_mass > 0.0; n++)
        touch_wall(world, index, world->found[n], older, dt_s);
    count = grid_find_bodies(world, index, index + 1);
    for (size_t n = 0; n < count; n++)
        touch_body(world, index, world->found[n], older, dt_s);
}

/* Contacts of a body with walls and with bodies of a higher number. */
static void touch_near(struct world *world, size_t index, size_t older, double dt_s)
{
    const struct body *body = &world->bodies[index];
    if (body->is_crowded) {
        touch_crowd(world, index, older, dt_s);
        return;
    }
    const uint32_t *near = world->near + WORLD_NEAR_A_BODY * index;
    for (uint32_t n = 0; n < body->near_walls && body->inverse_mass > 0.0; n++)
        touch_wall(world, index, near[n], older, dt_s);
    for (uint32_t n = 0; n < body->near_bodies; n++)
        touch_body(world, index, near[body->near_walls + n], older, dt_s);
}

/* Visits the watched bodies by number and, in parallel (OLDER), the contacts of the last step. */
void contact_find(struct world *world, double dt_s)
{
    struct contact *swap = world->previous;
    world->previous = world->contacts;
    world->previous_count = world->contact_count;
    world->contacts = swap;
    world->contact_count = 0;
    size_t older = 0;
    for (size_t first = 0; first < world->body_count; first += WORLD_WATCH_BITS) {
        uint64_t bits = world->watched[first / WORLD_WATCH_BITS];
        for (; bits != 0; bits &= bits - 1) {
            size_t i = first + (size_t)__builtin_ctzll(bits);
            if (world->bodies[i].is_lifted)
                continue;
            while (older < world->previous_count && world->previous[older].body < i)
                older++;
            touch_near(world, i, older, dt_s);
        }
    }
}

void contact_start(struct world *world, const struct contact *contact)
{
    struct body *body = &world->bodies[contact->body];
    struct body *other = other_of(world, contact);
    press_kick(&contact->along, body, other, contact->normal_ns);
    press_kick(&contact->across, body, other, contact->tangent_ns);
}

double contact_relax(struct world *world, struct contact *contact)
{
    struct body *body = &world->bodies[contact->body];
    struct body *other = other_of(world, contact);

    /* Friction against sliding, limited by the normal impulse. */
    const struct press *across = &contact->across;
    double bound = contact->friction * contact->normal_ns;
    double wanted = contact->tangent_ns - press_speed(across, body, other) * across->give;
    wanted = number_clamp(wanted, bound);
    double step = wanted - contact->tangent_ns;
    contact->tangent_ns = wanted;
    press_kick(across, body, other, step);
    double change = fabs(step) * across->slope;

    /* Normal impulse against approaching. */
    const struct press *along = &contact->along;
    double parting = press_speed(along, body, other);
    wanted = contact->normal_ns + (contact->target_m_s - parting) * along->give;
    wanted = number_larger(wanted, 0.0);
    step = wanted - contact->normal_ns;
    contact->normal_ns = wanted;
    press_kick(along, body, other, step);
    return number_larger(change, fabs(step) * along->slope);
}

static double push_speed(const struct body *body, struct vec2 arm, struct vec2 direction)
{
    return vec2_dot(body->push, direction) + body->push_rad_s * vec2_cross(arm, direction);
}

static void push_kick(struct body *body, struct vec2 arm, struct vec2 impulse)
{
    body->push = vec2_add(body->push, vec2_scale(body->inverse_mass, impulse));
    body->push_rad_s += body->inverse_inertia * vec2_cross(arm, impulse);
}

void contact_push(struct world *world, struct contact *contact, double dt_s)
{
    struct body *body = &world->bodies[contact->body];
    double target = push_part * (-contact->gap_m - slop_m) / dt_s;
    target = number_smaller(target, push_most_m_s);
    double speed = push_speed(body, contact->arm, contact->normal);
    if (contact->other != WORLD_WALL)
        speed -= push_speed(&world->bodies[contact->other], contact->other_arm, contact->normal);
    double wanted = contact->push_ns + (target - speed) * contact->along.give;
    wanted = number_larger(wanted, 0.0);
    struct vec2 impulse = vec2_scale(wanted - contact->push_ns, contact->normal);
    contact->push_ns = wanted;
    push_kick(body, contact->arm, impulse);
    if (contact->other != WORLD_WALL)
        push_kick(&world->bodies[contact->other], contact->other_arm, vec2_scale(-1.0, impulse));
}

bool contact_needs_push(const struct contact *contact)
{
    return contact->gap_m < -slop_m;
}

void contact_publish(struct world *world)
{
    world->touched_count = 0;
    for (size_t i = 0; i < world->contact_count; i++) {
        const struct contact *contact = &world->contacts[i];
        if (contact->normal_ns <= 0.0 && contact->gap_m > touch_m)
            continue;
        world->touched[world->touched_count++] = (struct world_contact){
            .body = contact->body,
            .other = contact->other,
            .point = contact->point,
            .normal = contact->normal,
            .impulse_ns = contact->normal_ns,
            .depth_m = contact->gap_m < 0.0 ? -contact->gap_m : 0.0,
        };
    }
}
