/* A small planar world: static walls, discs and boxes, contacts with friction, wheels that push by
 * friction, and rays. It contains bodies and wheels, but no robots or protocols. All memory is
 * allocated at creation; a step allocates nothing. Bodies are processed in the order of addition,
 * and the result depends on that order only: add them in a fixed order (by name).
 *
 * The struct itself is in world_state.h, which lists the files that may use it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/drive.h"
#include "physics/geom.h"

struct world;

/* Room to reserve. Adding more than was reserved is a bug. */
struct world_capacity {
    size_t bodies, walls, contacts; /* contacts 0: a default by the number of bodies; contacts
                                     * beyond that number are ignored */
};

enum world_shape { WORLD_DISC, WORLD_BOX };

struct body_def {
    enum world_shape shape;
    double radius_m;          /* disc */
    double length_m, width_m; /* box, along its x and y */
    struct vec2 offset;       /* center of the shape, relative to the body's origin, body frame */
    struct vec2 mass_center;  /* relative to the body's origin, body frame */
    struct pose pose;         /* of the body's origin */
    double mass_kg;           /* 0: fixed */
    double inertia_kg_m2;     /* about the center of mass; 0: that of a uniform shape */
    double friction;          /* against walls and bodies, 0..; combined by geometric mean */
    double restitution;       /* 0..1; combined by maximum */
    double floor_friction;    /* of a body without wheels sliding on the floor, 0..; a body with
                               * wheels slides with the weight on its dropped ones */
    double reflectance;       /* for rays, 0..1 */
    double height_m;          /* rays above this height pass over the object */
    /* Parts on top of the body, within its outline, for rays above its height. Not owned; they must
     * outlive the world. */
    const struct body_part *parts;
    size_t part_count;
};

/* An upright cylinder that a body carries. */
struct body_part {
    struct vec2 place; /* its center, relative to the body's origin, body frame */
    double radius_m;
    double low_m, high_m; /* from the floor */
};

struct wall_def {
    struct vec2 a, b;
    double friction, restitution, reflectance;
    double height_m;
};

/* NULL: not enough memory. */
struct world *world_create(const struct world_capacity *capacity);
void world_destroy(struct world *world);

/* Each returns the index of the new wall or body. */
size_t world_add_wall(struct world *world, const struct wall_def *def);
size_t world_add_body(struct world *world, const struct body_def *def);

/* Redefines a wall. With both ends at one point of another wall it has no effect. */
void world_replace_wall(struct world *world, size_t wall, const struct wall_def *def);
/* Redefines a body without wheels; it is then at rest and not lifted. */
void world_replace_body(struct world *world, size_t index, const struct body_def *def);

/* Gives a body wheels; at most one drive per body. The drive is copied. */
void world_set_drive(struct world *world, size_t body, const struct drive_def *def);
/* The drive of a body, for its inputs and its state; NULL: it has no drive. Valid as long as the
 * world. */
struct drive *world_drive(struct world *world, size_t body);

/* Reduces the grip of a wheel by the fraction PART, 0 to less than 1: oil, ice, a worn tire. */
void world_set_slip(struct world *world, size_t body, size_t wheel, double part);

/* One step of DT_S seconds (0.001). */
void world_step(struct world *world, double dt_s);

struct pose world_pose(const struct world *world, size_t body);
/* The unit vector of the heading. */
struct vec2 world_forward(const struct world *world, size_t body);
/* Velocity of the body's origin in the world frame, m/s, and its turn rate, rad/s. */
struct vec2 world_velocity(const struct world *world, size_t body, double *turn_rad_s);

/* Moves a body to a pose, at rest; the wheels of a lifted body keep turning. Does not check whether
 * the pose is free: overlapping bodies are separated gently, at most at 0.5 m/s. */
void world_place(struct world *world, size_t body, struct pose pose);
/* A lifted body touches neither the floor nor other objects; its wheels turn freely. */
void world_lift(struct world *world, size_t body, bool lifted);
bool world_is_lifted(const struct world *world, size_t body);

/* Whether a body of this definition would overlap a wall or a body other than SKIP (SIZE_MAX: none)
 * by more than SLACK_M (0..). Lifted bodies do not count. Only shape, sizes, offset and pose of the
 * definition are used. */
bool world_overlaps(const struct world *world, const struct body_def *def, size_t skip,
                    double slack_m);

/* The same for walls only. */
bool world_overlaps_wall(const struct world *world, const struct body_def *def, double slack_m);

/* The same for one body as if it were at POSE (NULL: its present pose). This body counts even if it
 * is lifted. */
bool world_overlaps_body(const struct world *world, const struct body_def *def, size_t body,
                         const struct pose *pose, double slack_m);

#define WORLD_WALL SIZE_MAX /* the other side of a contact, or the hit of a ray, is a wall */

/* One contact of the last step. */
struct world_contact {
    size_t body, other; /* OTHER may be WORLD_WALL; a pair of bodies is listed once, body < other */
    struct vec2 point;  /* world frame */
    struct vec2 normal; /* from OTHER towards BODY */
    double impulse_ns;  /* along the normal, newton seconds, >= 0 */
    double depth_m;     /* overlap, >= 0 */
};
const struct world_contact *world_contacts(const struct world *world, size_t *count);

struct world_hit {
    double distance_m; /* MAX_M if nothing was hit */
    bool is_hit;
    size_t other; /* body, or WORLD_WALL */
    double reflectance;
};

/* The first wall or body other than SKIP that a ray from a point along a heading hits within MAX_M.
 * A ray that starts inside an object hits it at distance 0. Rays pass through lifted bodies. */
struct world_hit world_ray(const struct world *world, struct vec2 from, double heading_rad,
                           double max_m, size_t skip);

/* The same along a unit vector: faster if the directions of many rays follow from one. */
struct world_hit world_ray_toward(const struct world *world, struct vec2 from,
                                  struct vec2 direction, double max_m, size_t skip);

/* Rays from one point, along unit vectors. */
struct world_fan {
    struct vec2 from;
    const struct vec2 *directions;
    size_t count;
    double max_m;
    size_t skip;
};

/* All rays of a fan, each with the hit that world_ray_toward would give: several times faster if
 * they are short, because nearby objects are collected once. HITS: one per ray. */
void world_ray_fan(const struct world *world, const struct world_fan *fan, struct world_hit *hits);

/* A horizontal ray at a height above the floor. It passes over lower walls and bodies, and hits the
 * parts on top of them. */
struct world_beam {
    struct vec2 from, direction; /* a unit vector */
    double z_m;                  /* above 0 */
    double max_m;
    size_t skip;                       /* the ray ignores this body and its parts; SIZE_MAX: none */
    const struct body_part *skip_part; /* ignored, unlike the rest of its body; NULL: none */
};

/* The first hit. COSINE: of the angle between the ray and the surface's normal, 0 grazing .. 1;
 * 0 if nothing was hit. */
struct world_hit world_ray_beam(const struct world *world, const struct world_beam *beam,
                                double *cosine);

/* Continues a hash (base/hash.h) over the bits of the state of all bodies and drives. */
uint64_t world_hash(const struct world *world, uint64_t hash);
