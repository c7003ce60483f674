/* The inside of a world, for the files of which it consists: world.c (bodies, walls, the order of a
 * step), body.c, grid.c (what is near), contact.c, solve.c (islands), traction.c (wheels and
 * floor), pair.c (two wheels on one axle) and rays.c. Nobody else includes it. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/drive.h"
#include "physics/geom.h"
#include "physics/grid.h"
#include "physics/shape.h"
#include "physics/world.h"

#define WORLD_NO_DRIVE     UINT32_MAX
#define WORLD_GRAVITY_M_S2 9.80665 /* standard gravity, 3rd CGPM, 1901 */

/* Bytes, on all processors that matter here. Where it differs, that costs only time. */
enum { CACHE_LINE = 64 };

struct box2 {
    struct vec2 low, high;
};

/* What every step touches comes first, on cache lines of its own: so most of thousands of bodies
 * stay in the cache. */
struct body {
    _Alignas(CACHE_LINE) struct pose pose; /* of the origin */
    struct vec2 velocity;                  /* of the center of mass */
    double turn_rad_s;

    struct vec2 center; /* of mass, world frame */
    double extent_m;    /* from the shape's center to its farthest point */
    double margin_m;    /* more than it can move in this step */
    struct shape shape; /* placed, and its axis is the heading; the search for near bodies reads no
                           line but its center's */
    struct vec2 filed;  /* the shape's center when BOUNDS were set */
    double room_m;      /* how far BOUNDS reach beyond all that the shape may cover there */
    bool is_lifted;
    bool is_touching; /* near something in this step: solved together with the contacts */
    bool is_plain;    /* origin, center of mass and center of the shape are one point */
    uint32_t drive;

    bool is_loose;   /* not in the cells of the grid */
    bool is_crowded; /* near more than its list holds: looked up in the grid every step */
    double inverse_mass, inverse_inertia; /* 0: fixed, or lifted */
    uint32_t near_walls, near_bodies;     /* in the world's NEAR: walls, then bodies */
    double floor_limit_ns;                /* see below */
    double reach_m; /* from the center of mass to the shape's farthest point that turning moves */

    struct vec2 push; /* velocity that parts overlapping bodies and is not kept */
    double push_rad_s;

    /* Sliding on the floor: impulses of this step, and their limits. */
    struct vec2 floor_ns;
    double floor_nms;
    double floor_limit_nms;

    struct body_def def;
    struct box2 bounds;      /* where the shape is until it is filed anew */
    struct grid_range range; /* the cells that BOUNDS cover */
};

/* A direction in which a wheel grips the floor, in the body's frame, and what a unit impulse along
 * it changes. */
struct grip {
    double x, y, lever_m; /* speed along it: x * vx + y * vy + lever * turn */
    double kick_x, kick_y, kick_turn;
    double slope, inverse_slope; /* change of velocity for a unit impulse, 0 while lifted */
};

/* A wheel on the floor. Impulses are those of the floor on the body. What changes from step to step
 * comes first, on one cache line. */
struct traction {
    _Alignas(CACHE_LINE) double along_ns;
    double across_ns;
    double limit_ns;     /* 0: not on the floor */
    double momentum_nms; /* the wheel's speed after the step is
                          * shrink(momentum - along_ns * reach, friction) / inertia */
    double speed_rad_s;  /* or this, for a stepper (is_prescribed) */
    double reach_m;      /* rim speed along for a wheel speed */
    bool is_plain;       /* resists sideways too */
    bool is_prescribed;
    struct grip along, across;
    double inertia_kg_m2, inverse_inertia, friction_nms; /* with the motor on or off */
    double torque_per_v_ns;     /* impulse of the motor at the wheel, for a step */
    double motor_inertia_kg_m2; /* what back-EMF adds to the inertia */
    double wheel_inertia_kg_m2; /* without it */
    double back_v_s_rad, resistance_ohm;
    double roll_give; /* 1 / (slope + reach^2 / inertia) */
};

/* Velocity of the center of mass in the body's own frame, where the wheels' directions are fixed.
 */
struct local {
    double x, y, turn_rad_s;
};

/* Two plain wheels on one axle that drive along x. First the impulses that end a slip of 1 m/s;
 * then copies of what the grips hold, close together in memory. */
struct pair {
    _Alignas(CACHE_LINE) double left_ns;
    double right_ns, both_ns; /* along, where both hold */
    double across_ns;         /* half of it for each */
    double slide_ns;          /* where one of them slides */
    double inverse_track;     /* turn rate for a difference of rim speeds */
    double left_lever_m, right_lever_m, across_lever_m;
    double left_kick_turn, right_kick_turn, across_kick_turn;
    double left_slope, right_slope, across_slope;
    bool is_one;
};

struct wheels {
    _Alignas(CACHE_LINE) struct drive drive;
    _Alignas(CACHE_LINE) double ready_s; /* step for which the grips were made; 0: anew */
    struct local steady;                 /* velocity after the last step without contacts */
    struct vec2 turning;                 /* cosine and sine of the turn in a step while steady */
    int until_exact;     /* steps that use it before the heading's sine is computed again */
    bool is_steady;      /* while nothing touches it and its inputs stay the same */
    bool has_changed;    /* some impulse has changed since KICKS was summed */
    uint8_t wheel_count; /* that of the definition, here for the cache */
    struct local kicks;  /* change of velocity by the impulses of all wheels */
    struct pair pair;
    struct traction traction[DRIVE_WHEELS_MAX];
    size_t body;
    double limit_ns;   /* of a wheel on the floor */
    double floor_part; /* of the weight that no wheel bears */
};

/* A direction in which two bodies press on each other: on the body; the other gets the opposite. */
struct press {
    double x, y, lever_m, other_lever_m;
    double slope, give; /* change of their relative speed for a unit impulse, and one over it */
};

struct contact {
    /* What the next step searches by, on one cache line. */
    _Alignas(CACHE_LINE) size_t body;
    size_t other, wall; /* OTHER may be WORLD_WALL, then WALL tells which */
    double normal_ns, tangent_ns;
    uint32_t place; /* number of the point among those of this pair */
    uint32_t next;  /* of the same island */
    uint32_t island;
    double gap_m;
    double friction;
    double target_m_s; /* least speed of parting after the step */
    double push_ns;
    struct vec2 normal, point;
    struct vec2 arm, other_arm; /* from the centers of mass */
    struct press along, across;
};

/* An island: bodies that touch each other, directly or through others. Each is solved on its own,
 * so what happens elsewhere does not change a bit of it. Numbered like bodies; the lowest body
 * stands for the island. */
struct island {
    uint32_t parent; /* nearer to the lowest body */
    uint32_t first_contact, first_body;
    uint32_t next_body; /* of the island that this body is in */
};
#define ISLAND_NONE UINT32_MAX

/* Length of a body's list of what is near (chosen: twice the default number of contacts). A body
 * that is near more is looked up in the grid every step. */
enum { WORLD_NEAR_A_BODY = 32 };
enum { WORLD_WATCH_BITS = 64 };

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
    struct island *islands; /* by body */
    struct body ground;     /* the other body of contacts with walls */
    struct grid grid;
    uint32_t *found;   /* numbers of near walls or bodies */
    uint32_t *near;    /* WORLD_NEAR_A_BODY for each */
    uint64_t *watched; /* a bit for each body that is near anything */
    uint32_t *left;    /* bodies that may leave their bounds in the next step */
    size_t body_count, wheels_count, wall_count, contact_count, previous_count, touched_count;
    size_t left_count;
    double step_s; /* the length of the last step */
    bool is_stale; /* file all bodies before looking for what is near */
};

/* ---- grid.c ---- */

/* Files bodies that left their bounds, and lists what is near them for the coming steps. */
void near_update(struct world *world);

/* ---- contact.c ---- */

/* Finds the contacts of this step. */
void contact_find(struct world *world, double dt_s);
/* Applies its impulses of the last step, as a start. */
void contact_start(struct world *world, const struct contact *contact);
/* One pass over a contact; returns the largest change of a velocity, m/s. */
double contact_relax(struct world *world, struct contact *contact);
/* One pass that separates overlapping bodies, by velocities that are not kept. */
void contact_push(struct world *world, struct contact *contact, double dt_s);
bool contact_needs_push(const struct contact *contact);
/* Fills the list that world_contacts returns. */
void contact_publish(struct world *world);

/* ---- solve.c ---- */

/* Most passes over the constraints of a step. They end when no velocity changes by more than a
 * thousandth of what gravity adds in a step (both chosen: impulses are kept from step to step, so
 * the next steps settle the rest; more passes change no test of piles and crowds). */
enum { SOLVE_PASSES_MAX = 10 };
#define SOLVE_TOLERANCE_M_S2 (1e-3 * WORLD_GRAVITY_M_S2)
/* A hundredth where all bodies stand on wheels: the grip corrects the error in the next step, while
 * a body without wheels keeps it. */
#define SOLVE_DRIVEN_TOLERANCE_M_S2 (1e-2 * WORLD_GRAVITY_M_S2)

/* Finds the velocities of all bodies after the step, and moves them. */
void solve_step(struct world *world, double dt_s);

/* ---- traction.c ---- */

/* Turns the motors' inputs into the constraints of a step, and applies last step's impulses. */
void traction_prepare(struct body *body, struct wheels *wheels, double dt_s);
/* One pass over the wheels; returns the largest change of a velocity, m/s. */
double traction_relax(struct body *body, struct wheels *wheels);
/* Turns the wheels and computes the currents. */
void traction_finish(struct wheels *wheels, double dt_s);
/* All three for a body that touches nothing and has all wheels on the floor, or is lifted. */
void traction_alone(struct body *body, struct wheels *wheels, double dt_s);
/* Also moves the body, where all goes on as in the last step. Else returns false and does nothing.
 */
bool traction_coast(struct body *body, struct wheels *wheels, double dt_s);

/* Preparing and a pass for bodies that slide on the floor: those without wheels, or with dropped
 * ones. PART of the weight is not on wheels. */
void floor_prepare(struct body *body, double part, double dt_s);
double floor_relax(struct body *body);

/* ---- pair.c ---- */

/* Fills `wheels->pair` from the grips, if the wheels are a pair. */
void pair_make(struct wheels *wheels);
/* A pass over a pair on steppers: both at once, exact where both hold. */
double pair_relax(const struct body *body, struct wheels *wheels, struct local *local);
/* A step of a pair on steppers that touches nothing; in the next ones the body coasts, without an
 * impulse of the floor. Returns false and does nothing where it is no such pair or the wheels slip.
 */
bool pair_step(struct body *body, struct wheels *wheels, double dt_s);

/* Solves an island with one contact, between a pair on steppers and a wall or another such pair,
 * and turns the wheels. Returns false and does nothing for any other. */
bool pair_solve_contact(struct world *world, struct contact *contact, double dt_s);

/* ---- body.c ---- */

/* Recomputes what follows from a body's pose. */
void body_update(struct body *body);
/* Moves a body by its velocities; its center of mass goes straight. */
void body_move(struct body *body, double dt_s);
/* Sets how far the body may move in a step. */
void body_set_margin(struct body *body, double dt_s);
/* Sets bounds that hold for some steps, wherever the body moves. */
void body_file(struct body *body);
/* Sets mass and inertia as the solver uses them. */
void body_set_mass(struct body *body);
struct vec2 body_origin_velocity(const struct body *body);
/* The shape of a definition at a pose. */
struct shape body_shape(const struct body_def *def, struct pose pose);

/* A direction of the body's frame in the world frame. */
static inline struct vec2 body_direction(const struct body *body, struct vec2 local)
{
    return (struct vec2){body->shape.axis.x * local.x - body->shape.axis.y * local.y,
                         body->shape.axis.y * local.x + body->shape.axis.x * local.y};
}

static inline struct local body_local(const struct body *body)
{
    return (struct local){
        body->shape.axis.x * body->velocity.x + body->shape.axis.y * body->velocity.y,
        body->shape.axis.x * body->velocity.y - body->shape.axis.y * body->velocity.x,
        body->turn_rad_s};
}

static inline void body_set_local(struct body *body, const struct local *local)
{
    body->velocity = body_direction(body, (struct vec2){local->x, local->y});
    body->turn_rad_s = local->turn_rad_s;
}

static inline struct vec2 body_velocity_at(const struct body *body, struct vec2 arm)
{
    return (struct vec2){body->velocity.x - body->turn_rad_s * arm.y,
                         body->velocity.y + body->turn_rad_s * arm.x};
}

/* False if the next step may take the body out of its bounds. */
static inline bool body_stays(const struct body *body)
{
    double left_m = body->room_m - body->margin_m;
    return fabs(body->shape.center.x - body->filed.x) <= left_m &&
           fabs(body->shape.center.y - body->filed.y) <= left_m;
}

/* To be called once for each body that moved in a step. */
static inline void world_note_move(struct world *world, const struct body *body)
{
    if (!body_stays(body))
        world->left[world->left_count++] = (uint32_t)(body - world->bodies);
}

static inline bool bounds_meet(const struct box2 *a, const struct box2 *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y;
}
