/* Contacts between bodies and walls: finding them, and solving them by sequential impulses. Bodies
 * that are about to touch may close the gap in this step and no more, so nothing tunnels and next
 * to no overlap arises; what is left is parted by velocities that are not kept. */
#include <math.h>

#include "physics/world_state.h"

/* Overlap that is left alone, so that resting contacts stay listed (chosen). */
static const double slop_m = 5e-5;
/* A contact nearer than this counts as touching even without an impulse (chosen). */
static const double touch_m = 1e-4;
/* Slower impacts do not bounce, so that bodies come to rest (chosen). */
static const double bounce_least_m_s = 0.05;
/* Part of an overlap that one step removes, and how fast at most (chosen: soft and no jump). */
static const double push_part = 0.2;
static const double push_most_m_s = 0.5;

/* The contact of the last step for the same pair and point, or NULL. OLDER: where the contacts of
 * the body start there. */
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

static struct vec2 contact_velocity(const struct world *world, const struct contact *contact)
{
    struct vec2 velocity = body_velocity_at(&world->bodies[contact->body], contact->arm);
    if (contact->other == WORLD_WALL)
        return velocity;
    const struct body *other = &world->bodies[contact->other];
    return vec2_sub(velocity, body_velocity_at(other, contact->other_arm));
}

static double contact_slope(const struct world *world, const struct contact *contact,
                            struct vec2 direction)
{
    double slope = body_slope(&world->bodies[contact->body], contact->arm, direction);
    if (contact->other != WORLD_WALL)
        slope += body_slope(&world->bodies[contact->other], contact->other_arm, direction);
    return slope;
}

static void contact_kick(struct world *world, const struct contact *contact, struct vec2 impulse)
{
    body_kick(&world->bodies[contact->body], contact->arm, impulse);
    if (contact->other != WORLD_WALL)
        body_kick(&world->bodies[contact->other], contact->other_arm, vec2_scale(-1.0, impulse));
}

/* Adds one touching point; CONTACT comes with its parties, friction and restitution (in target). */
static void add_contact(struct world *world, struct contact contact, const struct touch *touch,
                        size_t older, double dt_s)
{
    if (world->contact_count == world->capacity.contacts)
        return;
    struct body *body = &world->bodies[contact.body];
    contact.normal = touch->normal;
    contact.point = touch->point;
    contact.gap_m = touch->gap_m;
    contact.arm = vec2_sub(touch->point, body->center);
    body->is_touching = true;
    if (contact.other != WORLD_WALL) {
        struct body *other = &world->bodies[contact.other];
        contact.other_arm = vec2_sub(touch->point, other->center);
        other->is_touching = true;
    }
    contact.normal_slope = contact_slope(world, &contact, contact.normal);
    contact.tangent_slope = contact_slope(world, &contact, vec2_left(contact.normal));

    /* A gap may be closed and no more; an impact in this step bounces. */
    double restitution = contact.target_m_s;
    double speed = vec2_dot(contact_velocity(world, &contact), contact.normal);
    contact.target_m_s = contact.gap_m > 0.0 ? -contact.gap_m / dt_s : 0.0;
    if (speed < -bounce_least_m_s && contact.gap_m + speed * dt_s < 0.0 &&
        -restitution * speed > contact.target_m_s && restitution > 0.0)
        contact.target_m_s = -restitution * speed;

    const struct contact *old = find_previous(world, &contact, older);
    contact.normal_ns = old ? old->normal_ns : 0.0;
    contact.tangent_ns = old ? old->tangent_ns : 0.0;
    world->contacts[world->contact_count++] = contact;
}

static void touch_wall(struct world *world, size_t index, size_t number, size_t older, double dt_s)
{
    const struct body *body = &world->bodies[index];
    const struct wall *wall = &world->walls[number];
    struct vec2 arm = vec2_sub(body->shape.center, wall->shape.center);
    double near_m = body->extent_m + body->margin_m;
    if (fabs(vec2_cross(wall->shape.axis, arm)) > near_m)
        return;
    struct touch touches[SHAPE_TOUCHES_MAX];
    size_t count = shape_touch(&body->shape, &wall->shape, body->margin_m, touches);
    for (size_t k = 0; k < count; k++) {
        struct contact contact = {.body = index, .other = WORLD_WALL, .wall = number, .place = k};
        contact.friction = sqrt(body->def.friction * wall->def.friction);
        contact.target_m_s = number_larger(body->def.restitution, wall->def.restitution);
        add_contact(world, contact, &touches[k], older, dt_s);
    }
}

static void touch_body(struct world *world, size_t index, size_t number, size_t older, double dt_s)
{
    const struct body *body = &world->bodies[index];
    const struct body *other = &world->bodies[number];
    if (other->is_lifted || (body->inverse_mass == 0.0 && other->inverse_mass == 0.0))
        return;
    struct touch touches[SHAPE_TOUCHES_MAX];
    double margin = body->margin_m + other->margin_m;
    struct vec2 apart = vec2_sub(body->shape.center, other->shape.center);
    double near_m = body->extent_m + other->extent_m + margin;
    if (vec2_dot(apart, apart) > near_m * near_m)
        return;
    size_t count = shape_touch(&body->shape, &other->shape, margin, touches);
    for (size_t k = 0; k < count; k++) {
        struct contact contact = {.body = index, .other = number, .place = k};
        contact.friction = sqrt(body->def.friction * other->def.friction);
        contact.target_m_s = number_larger(body->def.restitution, other->def.restitution);
        add_contact(world, contact, &touches[k], older, dt_s);
    }
}

/* A body that is near more than the list holds. */
static void touch_crowd(struct world *world, size_t index, size_t older, double dt_s)
{
    size_t count = grid_find_walls(world, index);
    for (size_t n = 0; n < count && world->bodies[index].inverse_mass > 0.0; n++)
        touch_wall(world, index, world->found[n], older, dt_s);
    count = grid_find_bodies(world, index);
    for (size_t n = 0; n < count; n++)
        touch_body(world, index, world->found[n], older, dt_s);
}

void contact_find(struct world *world, double dt_s)
{
    struct contact *swap = world->previous;
    world->previous = world->contacts;
    world->previous_count = world->contact_count;
    world->contacts = swap;
    world->contact_count = 0;
    size_t older = 0;
    for (size_t i = 0; i < world->body_count; i++) {
        const struct body *body = &world->bodies[i];
        if (body->is_lifted || (body->near_walls + body->near_bodies == 0 && !body->is_crowded))
            continue;
        while (older < world->previous_count && world->previous[older].body < i)
            older++;
        if (body->is_crowded) {
            touch_crowd(world, i, older, dt_s);
            continue;
        }
        const uint32_t *near = world->near + body->near_first;
        for (uint32_t n = 0; n < body->near_walls && body->inverse_mass > 0.0; n++)
            touch_wall(world, i, near[n], older, dt_s);
        for (uint32_t n = 0; n < body->near_bodies; n++)
            touch_body(world, i, near[body->near_walls + n], older, dt_s);
    }
}

void contact_start(struct world *world, const struct contact *contact)
{
    struct vec2 along = vec2_scale(contact->normal_ns, contact->normal);
    struct vec2 across = vec2_scale(contact->tangent_ns, vec2_left(contact->normal));
    contact_kick(world, contact, vec2_add(along, across));
}

double contact_relax(struct world *world, struct contact *contact)
{
    /* Friction against sliding, bounded by the pressure. */
    struct vec2 tangent = vec2_left(contact->normal);
    double sliding = vec2_dot(contact_velocity(world, contact), tangent);
    double bound = contact->friction * contact->normal_ns;
    double wanted = number_clamp(contact->tangent_ns - sliding / contact->tangent_slope, bound);
    double step = wanted - contact->tangent_ns;
    contact->tangent_ns = wanted;
    contact_kick(world, contact, vec2_scale(step, tangent));
    double change = fabs(step) * contact->tangent_slope;

    /* Pressure against closing in. */
    double parting = vec2_dot(contact_velocity(world, contact), contact->normal);
    wanted = contact->normal_ns + (contact->target_m_s - parting) / contact->normal_slope;
    wanted = number_larger(wanted, 0.0);
    step = wanted - contact->normal_ns;
    contact->normal_ns = wanted;
    contact_kick(world, contact, vec2_scale(step, contact->normal));
    return number_larger(change, fabs(step) * contact->normal_slope);
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
    double wanted = contact->push_ns + (target - speed) / contact->normal_slope;
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
