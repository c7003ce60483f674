/* The inside of a world, shared by the files that make its step. Private to the physics folder. */
#ifndef PTYBOT_PHYSICS_WORLD_STATE_H
#define PTYBOT_PHYSICS_WORLD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/drive.h"
#include "physics/geom.h"
#include "physics/grid.h"
#include "physics/shape.h"
#include "physics/vector.h"
#include "physics/world.h"

#define WORLD_NO_DRIVE     SIZE_MAX
#define WORLD_GRAVITY_M_S2 9.80665 /* standard gravity, 3rd CGPM, 1901 */

struct box2 {
    struct vec2 low, high;
};

struct body {
    struct body_def def;
    struct pose pose; /* of the origin */
    double sine, cosine;
    struct vec2 center;   /* of mass, world frame */
    struct vec2 velocity; /* of the center of mass */
    double turn_rad_s;
    struct vec2 acceleration; /* of the origin */
    struct vec2 push;         /* velocity that parts overlapping bodies and is not kept */
    double push_rad_s;
    double inverse_mass, inverse_inertia; /* 0: fixed, or lifted */
    struct shape shape;                   /* placed */
    struct box2 bounds;                   /* of the shape, and where it may be after this step */
    double margin_m;                      /* by how much they are wider than the shape */
    size_t drive;
    bool is_lifted;
    bool is_loose;    /* not in the cells of the grid */
    bool is_touching; /* near something in this step: solved together with the contacts */

    /* Sliding on the floor: impulses of this step, their bounds. */
    struct vec2 floor_ns;
    double floor_nms;
    double floor_limit_ns, floor_limit_nms;
};

/* A wheel during a step. Impulses are those of the floor on the body. */
struct traction {
    struct vec2 arm;           /* from the center of mass to the floor contact, world frame */
    struct vec2 along, across; /* directions of the two constraints, world frame */
    double along_slope, across_slope; /* change of velocity for a unit impulse */
    double across_soft; /* sideways speed that the constraint lets pass for a unit impulse */
    double reach_m;     /* rim speed along ALONG for a wheel speed */
    double along_ns, across_ns;
    double limit_ns;
    bool is_plain; /* resists sideways too */

    /* The wheel's speed after the step is shrink(momentum - along_ns * reach, friction) / inertia;
     * a prescribed speed stays. */
    bool is_prescribed;
    double speed_rad_s;
    double momentum_nms, friction_nms, inertia_kg_m2;
};

struct wheels {
    struct drive drive;
    size_t body;
    struct traction traction[DRIVE_WHEELS_MAX];
};

struct contact {
    size_t body, other, wall; /* OTHER may be WORLD_WALL, then WALL tells which */
    size_t place;             /* number of the point among those of this pair */
    struct vec2 normal, point;
    struct vec2 arm, other_arm; /* from the centers of mass */
    double gap_m;
    double friction;
    double target_m_s; /* least speed of parting after the step */
    double normal_slope, tangent_slope;
    double normal_ns, tangent_ns, push_ns;
};

struct wall {
    struct wall_def def;
    struct shape shape;
    struct box2 bounds;
};

struct world {
    struct world_capacity capacity;
    struct body *bodies;
    struct wheels *wheels;
    struct wall *walls;
    struct contact *contacts, *previous;
    struct world_contact *touched;
    struct grid grid;
    uint32_t *found;        /* numbers of near walls or bodies */
    size_t *first_previous; /* where the contacts of each body start in PREVIOUS */
    size_t body_count, wheels_count, wall_count, contact_count, previous_count, touched_count;
};

/* Contacts of this step. */
void contact_find(struct world *world, double dt_s);
/* Applies the impulses that they had in the last step, as a start. */
void contact_start(struct world *world);
/* One pass over all contacts; returns the largest change of a velocity, m/s. */
double contact_relax(struct world *world);
/* Parts bodies that overlap, by velocities that are not kept. */
void contact_push(struct world *world, double dt_s);
/* Fills the list of what touched. */
void contact_publish(struct world *world);

/* Turns inputs of the motors into the constraints of a step, and applies last step's impulses. */
void traction_prepare(struct world *world, struct wheels *wheels, double dt_s);
/* One pass over the wheels; returns the largest change of a velocity, m/s. */
double traction_relax(struct world *world, struct wheels *wheels);
/* Moves the wheels on and reads the currents. */
void traction_finish(struct wheels *wheels, double dt_s);

/* Two of the same for bodies that slide on the floor: those without wheels, or with dropped ones.
 */
void floor_prepare(struct world *world, struct body *body, double dt_s);
double floor_relax(struct body *body);

/* The angle of one steered wheel, so that all wheels of the body turn about one point. */
double drive_steer_rad(const struct drive *drive, size_t wheel);

/* Recomputes what follows from a body's pose. */
void body_update(struct body *body);
/* Moves a body by its velocities; the mass center goes straight. */
void body_move(struct body *body, double dt_s);
/* Sets where the body may be after a step, so that all that it might touch is found. */
void body_bound(struct body *body, double dt_s);
/* Sets mass and inertia as the solver uses them. */
void body_set_mass(struct body *body);
struct vec2 body_origin_velocity(const struct body *body);
/* The shape of a definition at a pose. */
struct shape body_shape(const struct body_def *def, struct pose pose);

/* A direction of the body's frame in the world frame. */
static inline struct vec2 body_direction(const struct body *body, struct vec2 local)
{
    return (struct vec2){body->cosine * local.x - body->sine * local.y,
                         body->sine * local.x + body->cosine * local.y};
}

static inline struct vec2 body_velocity_at(const struct body *body, struct vec2 arm)
{
    return (struct vec2){body->velocity.x - body->turn_rad_s * arm.y,
                         body->velocity.y + body->turn_rad_s * arm.x};
}

static inline void body_kick(struct body *body, struct vec2 arm, struct vec2 impulse)
{
    body->velocity = vec2_add(body->velocity, vec2_scale(body->inverse_mass, impulse));
    body->turn_rad_s += body->inverse_inertia * vec2_cross(arm, impulse);
}

/* Velocity change along a unit direction for an impulse along it. */
static inline double body_slope(const struct body *body, struct vec2 arm, struct vec2 direction)
{
    double lever = vec2_cross(arm, direction);
    return body->inverse_mass + body->inverse_inertia * lever * lever;
}

static inline bool bounds_meet(const struct box2 *a, const struct box2 *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y;
}

#endif
