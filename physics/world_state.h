/* The internal state of a world, for its source files: world.c (bodies, walls, the order of a
 * step), body.c, grid.c (the search for nearby objects), contact.c, solve.c (islands), traction.c
 * (wheels and floor), pair.c (two wheels on one axle) and rays.c. No other file includes it. */
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

/* In bytes, on all relevant processors. A different size only costs time. */
enum { CACHE_LINE = 64 };

struct box2 {
    struct vec2 low, high;
};

/* The members that every step uses come first, on separate cache lines. So most of thousands of
 * bodies stay in the cache. */
struct body {
    _Alignas(CACHE_LINE) struct pose pose; /* pose of the origin */
    struct vec2 velocity;                  /* of the center of mass */
    double turn_rad_s;

    struct vec2 center; /* center of mass, world frame */
    double extent_m;    /* from the shape's center to its farthest point */
    double margin_m;    /* more than the distance that it can move in this step */
    struct shape shape; /* placed; its axis is the heading. The search for nearby bodies reads only
                           the cache line of its center */
    struct vec2 filed;  /* the shape's center when BOUNDS were set */
    double room_m;      /* how far BOUNDS reach beyond the area that the shape can cover there */
    bool is_lifted;
    bool is_touching; /* near another object in this step: solved together with the contacts */
    bool is_plain;    /* origin, center of mass and center of the shape are one point */
    uint32_t drive;

    bool is_loose;   /* not in the cells of the grid */
    bool is_crowded; /* near more objects than its list can hold: uses the grid in every step */
    double inverse_mass, inverse_inertia; /* 0: fixed, or lifted */
    uint32_t near_walls, near_bodies;     /* entries in the world's NEAR: walls, then bodies */
    double floor_limit_ns;                /* limit of FLOOR_NS below */
    double reach_m; /* from the center of mass to the farthest point of the shape that moves in a
                       turn */

    struct vec2 push; /* velocity that separates overlapping bodies; not kept after the step */
    double push_rad_s;

    /* Sliding on the floor: impulses of this step, and the limit of the moment. */
    struct vec2 floor_ns;
    double floor_nms;
    double floor_limit_nms;

    struct body_def def;
    struct box2 bounds;      /* contain the shape until the body is inserted into the grid again */
    struct grid_range range; /* the cells that BOUNDS cover */
};

/* A grip direction of a wheel on the floor, in the body's frame, and the changes of velocity by a
 * unit impulse in it. */
struct grip {
    double x, y, lever_m; /* speed in this direction: x * vx + y * vy + lever * turn */
    double kick_x, kick_y, kick_turn;
    double slope, inverse_slope; /* change of velocity for a unit impulse, 0 while lifted */
};

/* A wheel on the floor. Impulses are those of the floor on the body. The members that change in
 * each step come first, on one cache line. */
struct traction {
    _Alignas(CACHE_LINE) double along_ns;
    double across_ns;
    double limit_ns;     /* 0: not on the floor */
    double momentum_nms; /* the wheel's speed after the step is
                          * shrink(momentum - along_ns * reach, friction) / inertia */
    double speed_rad_s;  /* wheel speed of a stepper (is_prescribed), instead of the formula */
    double reach_m;      /* rim speed along the grip per wheel speed */
    bool is_plain;       /* resists sideways too */
    bool is_prescribed;
    struct grip along, across;
    double inertia_kg_m2, inverse_inertia, friction_nms; /* present values, motor on or off */
    double torque_per_v_ns;     /* impulse of the motor at the wheel per volt, for a step */
    double motor_inertia_kg_m2; /* inertia that the back-EMF adds */
    double wheel_inertia_kg_m2; /* without the back-EMF */
    double back_v_s_rad, resistance_ohm;
    double roll_give; /* 1 / (slope + reach^2 / inertia) */
};

/* Velocity of the center of mass in the body's own frame, where the wheels' directions are fixed.
 */
struct local {
    double x, y, turn_rad_s;
};

/* Two plain wheels on one axle that drive along x. First the impulses that cancel a slip of 1 m/s,
 * then copies of the members of the grips, close together in memory. */
struct pair {
    _Alignas(CACHE_LINE) double left_ns;
    double right_ns, both_ns; /* along, if both wheels grip */
    double across_ns;         /* half of it for each wheel */
    double slide_ns;          /* if one of the wheels slips */
    double inverse_track;     /* turn rate per difference of the rim speeds */
    double left_lever_m, right_lever_m, across_lever_m;
    double left_kick_turn, right_kick_turn, across_kick_turn;
    double left_slope, right_slope, across_slope;
    bool is_one;
};

struct wheels {
    _Alignas(CACHE_LINE) struct drive drive;
    _Alignas(CACHE_LINE) double ready_s; /* step length of the calculated grips; 0: calculate them
                                            again */
    struct local steady;                 /* velocity after the last step without contacts */
    struct vec2 turning;                 /* cosine and sine of the turn in a step while steady */
    int until_exact;     /* number of steps that use TURNING before the heading's sine is calculated
                            again */
    bool is_steady;      /* while the body touches nothing and its inputs stay the same */
    bool has_changed;    /* an impulse has changed since KICKS was summed */
    uint8_t wheel_count; /* the same as in the definition, copied for the cache */
    struct local kicks;  /* change of velocity by the impulses of all wheels */
    struct pair pair;
    struct traction traction[DRIVE_WHEELS_MAX];
    size_t body;
    double limit_ns;   /* of a wheel on the floor */
    double floor_part; /* fraction of the weight that no wheel carries */
};

/* A contact direction of two bodies. The impulse acts on the body, and the opposite one on the
 * other body. */
struct press {
    double x, y, lever_m, other_lever_m;
    double slope, give; /* change of their relative speed for a unit impulse, and its reciprocal */
};

struct contact {
    /* The members that the next step uses for its search, on one cache line. */
    _Alignas(CACHE_LINE) size_t body;
    size_t other, wall; /* if OTHER is WORLD_WALL, WALL is the index of the wall */
    double normal_ns, tangent_ns;
    uint32_t place; /* number of the point among those of this pair */
    uint32_t next;  /* next contact of the same island */
    uint32_t island;
    double gap_m;
    double friction;
    double target_m_s; /* minimum speed of separation after the step */
    double push_ns;
    struct vec2 normal, point;
    struct vec2 arm, other_arm; /* from the centers of mass */
    struct press along, across;
};

/* An island: bodies that touch each other, directly or through others. Each island is solved
 * separately, so that other parts of the world do not change a bit of the result. Numbered like
 * bodies; an island has the number of its lowest body. */
struct island {
    uint32_t parent; /* next body on the path to the lowest body of the island */
    uint32_t first_contact, first_body;
    uint32_t next_body; /* next body of the island that contains this body */
};
#define ISLAND_NONE UINT32_MAX

/* Length of a body's list of nearby objects (chosen: twice the default number of contacts). A body
 * that is near more objects uses the grid in every step. */
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
    struct island *islands; /* indexed by body */
    struct body ground;     /* the other body in contacts with walls */
    struct grid grid;
    uint32_t *found;   /* indices of nearby walls or bodies */
    uint32_t *near;    /* WORLD_NEAR_A_BODY entries for each body */
    uint64_t *watched; /* a bit for each body that is near another object */
    uint32_t *left;    /* bodies that may leave their bounds in the next step */
    size_t body_count, wheels_count, wall_count, contact_count, previous_count, touched_count;
    size_t left_count;
    double step_s; /* duration of the last step */
    bool is_stale; /* insert all bodies into the grid again before the next search */
};

/* ---- grid.c ---- */

/* Inserts bodies that left their bounds into the grid again, and lists the nearby objects for the
 * next steps. */
void near_update(struct world *world);

/* ---- contact.c ---- */

/* Finds the contacts of this step. */
void contact_find(struct world *world, double dt_s);
/* Applies the contact's impulses of the last step, as the initial solution. */
void contact_start(struct world *world, const struct contact *contact);
/* One pass over a contact; returns the largest change of a velocity, m/s. */
double contact_relax(struct world *world, struct contact *contact);
/* One pass that separates overlapping bodies, by velocities that are not kept after the step. */
void contact_push(struct world *world, struct contact *contact, double dt_s);
bool contact_needs_push(const struct contact *contact);
/* Fills the list that world_contacts returns. */
void contact_publish(struct world *world);

/* ---- solve.c ---- */

/* Largest number of passes over the constraints of a step. They end when no velocity changes by
 * more than a thousandth of the speed that gravity adds in a step. Both are chosen: impulses are
 * kept from step to step, so the next steps correct the rest, and more passes change no test of
 * piles and crowds. */
enum { SOLVE_PASSES_MAX = 10 };
#define SOLVE_TOLERANCE_M_S2 (1e-3 * WORLD_GRAVITY_M_S2)
/* A hundredth if all bodies have wheels on the floor: the grip corrects the error in the next step.
 * A body without wheels keeps the error. */
#define SOLVE_DRIVEN_TOLERANCE_M_S2 (1e-2 * WORLD_GRAVITY_M_S2)

/* Calculates the velocities of all bodies after the step, and moves them. */
void solve_step(struct world *world, double dt_s);

/* ---- traction.c ---- */

/* Turns the motors' inputs into the constraints of a step, and applies the impulses of the last
 * step. */
void traction_prepare(struct body *body, struct wheels *wheels, double dt_s);
/* One pass over the wheels; returns the largest change of a velocity, m/s. */
double traction_relax(struct body *body, struct wheels *wheels);
/* Turns the wheels and calculates the currents. */
void traction_finish(struct wheels *wheels, double dt_s);
/* All three functions for a body that touches nothing and has all wheels on the floor, or is
 * lifted. */
void traction_alone(struct body *body, struct wheels *wheels, double dt_s);
/* Also moves the body, if its motion is the same as in the last step. If not, returns false and
 * does nothing. */
bool traction_coast(struct body *body, struct wheels *wheels, double dt_s);

/* Preparation and pass for bodies that slide on the floor: those without wheels, or with dropped
 * wheels. PART: fraction of the weight that is not on wheels. */
void floor_prepare(struct body *body, double part, double dt_s);
double floor_relax(struct body *body);

/* ---- pair.c ---- */

/* Fills `wheels->pair` from the grips, if the wheels are a pair. */
void pair_make(struct wheels *wheels);
/* A pass over a pair on steppers: both wheels at once, exact if both grip. */
double pair_relax(const struct body *body, struct wheels *wheels, struct local *local);
/* A step of a pair on steppers that touches nothing. In the next steps the body coasts, without an
 * impulse of the floor. Returns false and does nothing if the drive is no such pair, or if the
 * wheels slip. */
bool pair_step(struct body *body, struct wheels *wheels, double dt_s);

/* Solves an island with one contact, between a pair on steppers and a wall or another such pair,
 * and turns the wheels. Returns false and does nothing for other islands. */
bool pair_solve_contact(struct world *world, struct contact *contact, double dt_s);

/* ---- body.c ---- */

/* Recalculates the values that depend on a body's pose. */
void body_update(struct body *body);
/* Moves a body by its velocities; its center of mass moves in a straight line. */
void body_move(struct body *body, double dt_s);
/* Sets the largest distance that the body may move in a step. */
void body_set_margin(struct body *body, double dt_s);
/* Sets bounds that are valid for some steps, in whichever direction the body moves. */
void body_file(struct body *body);
/* Sets mass and inertia in the form that the solver uses. */
void body_set_mass(struct body *body);
struct vec2 body_origin_velocity(const struct body *body);
/* The shape of a definition at a pose. */
struct shape body_shape(const struct body_def *def, struct pose pose);

/* Converts a direction from the body's frame to the world frame. */
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

/* Must be called once for each body that moved in a step. */
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
