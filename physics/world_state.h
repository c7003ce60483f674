/* The inside of a world, shared by the files that make its step. Private to the physics folder. */
#ifndef PTYBOT_PHYSICS_WORLD_STATE_H
#define PTYBOT_PHYSICS_WORLD_STATE_H

#include <math.h>
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

/* Bytes; of all processors that matter here. Another number costs but time. */
enum { CACHE_LINE = 64 };

struct box2 {
    struct vec2 low, high;
};

/* What every step touches comes first, in lines of the cache: of thousands of bodies most then stay
 * in it. */
struct body {
    _Alignas(CACHE_LINE) struct pose pose; /* of the origin */
    double sine, cosine;
    struct vec2 velocity; /* of the center of mass */
    double turn_rad_s;

    struct vec2 center; /* of mass, world frame */
    struct vec2 was;    /* velocity of the origin before this step */
    struct shape shape; /* placed */
    struct vec2 filed;  /* where the shape's center was when BOUNDS were set */
    double room_m;      /* by which BOUNDS exceed all that the shape may cover there */
    double margin_m;    /* what it may move in this step, and more */

    size_t drive;
    double inverse_mass, inverse_inertia; /* 0: fixed, or lifted */
    double extent_m;                      /* from the shape's center to its farthest point */
    bool is_lifted;
    bool is_touching; /* near something in this step: solved together with the contacts */
    bool is_plain;    /* origin, center of mass and middle of the shape are one */
    bool is_loose;    /* not in the cells of the grid */
    bool is_crowded;  /* near more than the list holds: looked up in the grid every step */
    uint32_t near_walls, near_bodies; /* in the world's NEAR: walls, then bodies */
    double floor_limit_ns;            /* see below */

    struct vec2 push; /* velocity that parts overlapping bodies and is not kept */
    double push_rad_s;
    double reach_m; /* what of the shape's points can move by turning */

    /* Sliding on the floor: impulses of this step, and their bounds. */
    struct vec2 floor_ns;
    double floor_nms;
    double floor_limit_nms;

    struct body_def def;
    struct box2 bounds;      /* where the shape is until it is filed anew */
    struct grid_range range; /* the cells that they cover */
};

/* A direction in which a wheel holds on to the floor, in the body's frame, and what a unit impulse
 * along it changes. */
struct grip {
    double x, y, lever_m; /* speed along it: x * vx + y * vy + lever * turn */
    double kick_x, kick_y, kick_turn;
    double slope, inverse_slope; /* change of velocity for a unit impulse, 0 while lifted */
};

/* A wheel on the floor. Impulses are those of the floor on the body. What changes from step to step
 * comes first, in one line of the cache. */
struct traction {
    _Alignas(CACHE_LINE) double along_ns;
    double across_ns;
    double limit_ns;     /* 0: not on the floor */
    double momentum_nms; /* the wheel's speed after the step is
                          * shrink(momentum - along_ns * reach, friction) / inertia */
    double speed_rad_s;  /* or this, where it is prescribed */
    double reach_m;      /* rim speed along for a wheel speed */
    bool is_plain;       /* resists sideways too */
    bool is_prescribed;
    struct grip along, across;
    double inertia_kg_m2, inverse_inertia, friction_nms; /* with the motor on or off */
    double roll_give;                                    /* 1 / (slope + reach^2 / inertia) */
};

/* Velocity of the center of mass in the body's own frame, in which a wheel's directions stay. */
struct local {
    double x, y, turn_rad_s;
};

/* Two plain wheels on one axle that drive along x. First impulses that take away a slip of 1 m/s,
 * then what the grips hold as well, once more and close together. */
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
    struct local steady;                 /* velocity after the last step that it made alone */
    struct vec2 turning;                 /* unit vector of what a step turns the steady body by */
    int until_exact;    /* steps that turn by it, before the heading's sine is computed again */
    bool is_steady;     /* as long as nobody touches it and nothing new is wanted */
    bool has_changed;   /* an impulse, since KICKS was summed */
    struct local kicks; /* change of velocity by the impulses of all wheels */
    struct pair pair;
    struct traction traction[DRIVE_WHEELS_MAX];
    size_t body;
    double limit_ns;            /* of a wheel on the floor */
    double torque_per_v_ns;     /* impulse of the motor at the wheel, for a step */
    double motor_inertia_kg_m2; /* what back-EMF adds */
    double friction_nms, inertia_kg_m2;
    double floor_part; /* of the weight that no wheel bears */
};

/* A direction in which two bodies press on each other, for the body; the other gets the opposite.
 */
struct press {
    double x, y, lever_m, other_lever_m;
    double slope, give; /* change of their relative speed for a unit impulse, and one over it */
};

struct contact {
    /* All that the next step looks for, in one line of the cache. */
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

/* Bodies that touch each other directly or through others are solved together, and apart from all
 * the rest: what happens elsewhere changes not a bit of them. Numbered like bodies; the lowest
 * body stands for the island. */
struct island {
    uint32_t parent; /* nearer to the lowest body */
    uint32_t first_contact, first_body;
    uint32_t next_body; /* of the island that this body is in */
};
#define ISLAND_NONE UINT32_MAX

/* Room for what is near a body (chosen: twice the contacts that there is room for); a body that is
 * near more is looked up in the grid every step. */
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
    struct body ground;     /* stands for all walls where two bodies are meant */
    struct grid grid;
    uint32_t *found;   /* numbers of near walls or bodies */
    uint32_t *near;    /* WORLD_NEAR_A_BODY for each */
    uint64_t *watched; /* a bit for each body that is near anything */
    uint32_t *left;    /* bodies that may leave their bounds in the next step */
    size_t body_count, wheels_count, wall_count, contact_count, previous_count, touched_count;
    size_t left_count;
    double step_s; /* the length of the last step */
    bool is_stale; /* file all bodies before looking what is near */
};

/* Files bodies that left their bounds, and lists what is near and will be for a while. */
void near_update(struct world *world);

/* Contacts of this step. */
void contact_find(struct world *world, double dt_s);
/* Applies the impulses that it had in the last step, as a start. */
void contact_start(struct world *world, const struct contact *contact);
/* One pass over a contact; returns the largest change of a velocity, m/s. */
double contact_relax(struct world *world, struct contact *contact);
/* One pass that parts bodies that overlap, by velocities that are not kept. */
void contact_push(struct world *world, struct contact *contact, double dt_s);
bool contact_needs_push(const struct contact *contact);
/* Fills the list of what touched. */
void contact_publish(struct world *world);

/* Passes over the constraints of one step, at most; they end when no velocity changes by more than
 * a thousandth of what gravity gives in a step (both chosen: impulses are kept from step to step,
 * so that what is not settled now is in the next steps; more passes change no test of piles and
 * crowds). */
enum { SOLVE_PASSES_MAX = 10 };
#define SOLVE_TOLERANCE_M_S2 (1e-3 * WORLD_GRAVITY_M_S2)
/* A hundredth where all stand on wheels: the next step's grip takes back what is wrong, while a
 * body without wheels goes on with it. */
#define SOLVE_DRIVEN_TOLERANCE_M_S2 (1e-2 * WORLD_GRAVITY_M_S2)

/* Velocities after the step, of all bodies. */
void solve_step(struct world *world, double dt_s);

/* Turns inputs of the motors into the constraints of a step, and applies last step's impulses. */
void traction_prepare(struct body *body, struct wheels *wheels, double dt_s);
/* One pass over the wheels; returns the largest change of a velocity, m/s. */
double traction_relax(struct body *body, struct wheels *wheels);
/* Moves the wheels on and reads the currents. */
void traction_finish(struct wheels *wheels, double dt_s);
/* All of it for a body that touches nothing and has all wheels on the floor, or is lifted. */
void traction_alone(struct body *body, struct wheels *wheels, double dt_s);
/* The same and the body's move, where both go on as in the last step; else false, and nothing is
 * done. */
bool traction_coast(struct body *body, struct wheels *wheels, double dt_s);

/* Sees whether the wheels are a pair, once their grips are made. */
void pair_make(struct wheels *wheels);
/* A pass over a pair on steppers: both at once, so that what holds is exact. */
double pair_relax(const struct body *body, struct wheels *wheels, struct local *local);
/* Whether the wheels are a pair on steppers that turn and stand on the floor, ready for steps as
 * long as this. */
bool pair_is_driving(const struct body *body, const struct wheels *wheels, double dt_s);
/* A step of a pair on steppers that nobody touches; from then on the body goes on so with no
 * impulse of the floor. False, and nothing is done, where it is none or the floor does not hold it.
 */
bool pair_step(struct body *body, struct wheels *wheels, double dt_s);

/* Solves a contact that is all that one or two bodies touch, each a pair on steppers, and turns the
 * wheels on. False, and nothing is done, where they are something else. */
bool meeting_solve(struct world *world, struct contact *contact, double dt_s);

/* Two of the same for bodies that slide on the floor: those without wheels, or with dropped ones.
 * PART of the weight is not borne by wheels. */
void floor_prepare(struct body *body, double part, double dt_s);
double floor_relax(struct body *body);

/* The angle of one steered wheel, so that all wheels of the body turn about one point. */
double drive_wheel_steer_rad(const struct drive_def *def, size_t wheel, double steer_rad);

/* Of two things at the same distance a wall comes first, then the lower number: the order of
 * looking does not matter. */
static inline bool hit_is_nearer(const struct world_hit *hit, double distance_m, size_t other)
{
    if (distance_m != hit->distance_m)
        return distance_m < hit->distance_m;
    if (!hit->is_hit)
        return true;
    return hit->other != WORLD_WALL && (other == WORLD_WALL || other < hit->other);
}

/* Recomputes what follows from a body's pose. */
void body_update(struct body *body);
/* Moves a body by its velocities; the mass center goes straight. */
void body_move(struct body *body, double dt_s);
/* Sets how far the body may move in a step. */
void body_set_margin(struct body *body, double dt_s);
/* Sets bounds that hold for some steps, wherever the body goes. */
void body_file(struct body *body);
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

static inline struct local body_local(const struct body *body)
{
    return (struct local){body->cosine * body->velocity.x + body->sine * body->velocity.y,
                          body->cosine * body->velocity.y - body->sine * body->velocity.x,
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

/* Called once for each body that moved in a step. */
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

#endif
