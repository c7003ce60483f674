#include "sim/room/beam.h"

#include <math.h>

#include "base/angle.h"
#include "base/array.h"
#include "sim/room/room.h"

/* ---- A Kobuki's dock. x is the distance from the light, in the direction that the dock faces.
 * ---- */

static const double LIGHT_X_M = BEAM_DOCK_X_M;
static const double FAR_M = 5.0;                  /* specifications.rst: 2 m x 5 m */
static const double NEAR_M = 5.0 * 182 / 376;     /* dock_ir_fields.png, pixels */
static const double OUTER_M = 5.0 * 90 / 376;     /* the same */
static const double OUTER_START_M = 0.01;         /* chosen: half the window */
static const double OUTER_SLOPE = 90.0 / 182;     /* the corner of the near region as drawn */
static const double CENTER_START_M = 0.015;       /* chosen: what the contacts forgive */
static const double CENTER_END_M = 5.0 * 6 / 376; /* the drawn strip, at FAR_M */
static const double OVERLAP_START_M = 0.010, OVERLAP_END_M = 0.060; /* chosen: in the center */

static double strip_m(double start_m, double end_m, double x_m)
{
    return start_m + (end_m - start_m) * x_m / FAR_M;
}

/* AT is in the dock's frame. */
static uint32_t kobuki_beams(struct vec2 at)
{
    double x_m = at.x - LIGHT_X_M, aside_m = fabs(at.y);
    double away_m = sqrt(x_m * x_m + at.y * at.y);
    double outer_m = OUTER_START_M + OUTER_SLOPE * x_m;
    if (at.x <= SCENE_DOCK_DEPTH_M / 2 || away_m > FAR_M || aside_m > outer_m || aside_m > OUTER_M)
        return 0;

    double beyond_m = strip_m(OVERLAP_START_M, OVERLAP_END_M, x_m);
    bool is_left = at.y >= -beyond_m, is_right = at.y <= beyond_m;
    bool is_center = aside_m <= strip_m(CENTER_START_M, CENTER_END_M, x_m);
    uint32_t bits = (is_left ? BEAM_FAR_LEFT : 0u) | (is_right ? BEAM_FAR_RIGHT : 0u) |
                    (is_center ? BEAM_FAR_CENTER : 0u);
    if (away_m <= NEAR_M)
        bits |= (is_left ? BEAM_NEAR_LEFT : 0u) | (is_right ? BEAM_NEAR_RIGHT : 0u) |
                (is_center ? BEAM_NEAR_CENTER : 0u);
    return bits;
}

/* The lower and upper border of a beam's region at distance x from the light, before the arc limits
 * it. */
static void kobuki_borders_m(uint32_t beam, double x_m, double *low_m, double *high_m)
{
    double outer_m = fmin(OUTER_START_M + OUTER_SLOPE * x_m, OUTER_M);
    double beyond_m = strip_m(OVERLAP_START_M, OVERLAP_END_M, x_m);
    double center_m = fmin(strip_m(CENTER_START_M, CENTER_END_M, x_m), outer_m);
    *low_m = beam & (BEAM_FAR_LEFT | BEAM_NEAR_LEFT) ? -beyond_m : -outer_m;
    *high_m = beam & (BEAM_FAR_RIGHT | BEAM_NEAR_RIGHT) ? beyond_m : outer_m;
    if (beam & (BEAM_FAR_CENTER | BEAM_NEAR_CENTER)) {
        *low_m = -center_m;
        *high_m = center_m;
    }
}

/* ---- Home Base, virtual wall, lighthouse: sectors between two straight borders, and discs.
 * Reasons: docs/decisions/0014-beacons.md ---- */

struct region {
    enum beam_source source;
    uint32_t beam;
    double range_m;
    /* Borders of a sector: y = START + SLOPE x. For a disc both slopes are 0. */
    double low_start_m, low_slope, high_start_m, high_slope;
};

#define REACH_M 2.4  /* 8 ft: the maker's answer to buyers */
#define WIDE    0.70 /* chosen: a buoy lights 35 degrees to its side of the axis */
#define SLIM    0.04 /* chosen: and 2 degrees beyond it */
#define FIELD_M (0.75 * SCENE_DOCK_WIDTH_M) /* 0.75 dock widths: Open Interface, drawing */
#define FENCE   0.12                        /* chosen: a fan of 14 degrees */

static const struct region regions[] = {
    /* For a robot that drives toward the dock, green is on the left, which is the dock's right. */
    {BEAMS_OF_HOME_BASE, BEAM_GREEN_BUOY, REACH_M, -0.02, -WIDE, 0.008, SLIM},
    {BEAMS_OF_HOME_BASE, BEAM_RED_BUOY, REACH_M, -0.008, -SLIM, 0.02, WIDE},
    {BEAMS_OF_HOME_BASE, BEAM_FORCE_FIELD, FIELD_M, 0, 0, 0, 0},
    {BEAMS_OF_VIRTUAL_WALL, BEAM_VIRTUAL_WALL, REACH_M, -0.02, -FENCE, 0.02, FENCE},
    {BEAMS_OF_VIRTUAL_WALL, BEAM_VIRTUAL_WALL, 0.25, 0, 0, 0, 0}, /* chosen: a halo around it */
    {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_FENCE, REACH_M, -0.02, -FENCE, 0.02, FENCE},
    {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_FIELD, 0.25, 0, 0, 0, 0},
    {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_GREEN, REACH_M, -0.02, -WIDE, 0.008, SLIM},
    {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_RED, REACH_M, -0.008, -SLIM, 0.02, WIDE},
};

static double light_x_m(enum beam_source source)
{
    return source < (enum beam_source)DOCK_KINDS ? LIGHT_X_M : 0;
}

static bool is_disc(const struct region *region)
{
    return region->low_slope == 0 && region->high_slope == 0;
}

/* AT is in the frame of the source. */
static bool is_inside(const struct region *region, struct vec2 at)
{
    double x_m = at.x - light_x_m(region->source);
    if (x_m * x_m + at.y * at.y > region->range_m * region->range_m)
        return false;
    return is_disc(region) || (x_m >= 0 && at.y >= region->low_start_m + region->low_slope * x_m &&
                               at.y <= region->high_start_m + region->high_slope * x_m);
}

uint32_t beams_at(enum beam_source source, struct pose pose, struct vec2 point)
{
    struct vec2 at = geom_to_local(pose, point);
    if (source == BEAMS_OF_KOBUKI_DOCK)
        return kobuki_beams(at);
    /* The housing of a dock is opaque: there is no light behind its face. */
    if (source == BEAMS_OF_HOME_BASE && at.x <= SCENE_DOCK_DEPTH_M / 2)
        return 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < COUNT(regions); i++)
        if (regions[i].source == source && is_inside(&regions[i], at))
            bits |= regions[i].beam;
    return bits;
}

/* ---- Outlines ---- */

/* Start and end of a beam's outline, as distances from the light. */
struct extent {
    const struct region *region; /* NULL: of a Kobuki's dock */
    double light_m, start_m, range_m;
};

static struct extent extent_of(uint32_t beam)
{
    bool is_near = beam & (BEAM_NEAR_LEFT | BEAM_NEAR_CENTER | BEAM_NEAR_RIGHT);
    struct extent extent = {NULL, LIGHT_X_M, SCENE_DOCK_DEPTH_M / 2 - LIGHT_X_M,
                            is_near ? NEAR_M : FAR_M};
    for (size_t i = 0; i < COUNT(regions) && !extent.region; i++)
        if (regions[i].beam == beam) {
            bool is_dock = regions[i].source == BEAMS_OF_HOME_BASE;
            double back_m = is_disc(&regions[i]) ? -regions[i].range_m : 0;
            extent = (struct extent){&regions[i], light_x_m(regions[i].source),
                                     is_dock ? extent.start_m : back_m, regions[i].range_m};
        }
    return extent;
}

static void borders_m(const struct extent *extent, uint32_t beam, double x_m, double *low_m,
                      double *high_m)
{
    const struct region *region = extent->region;
    if (!region) {
        kobuki_borders_m(beam, x_m, low_m, high_m);
        return;
    }
    bool is_round = is_disc(region);
    *low_m = is_round ? -region->range_m : region->low_start_m + region->low_slope * x_m;
    *high_m = is_round ? region->range_m : region->high_start_m + region->high_slope * x_m;
}

size_t beam_outline(uint32_t beam, struct vec2 *points, size_t count)
{
    struct extent extent = extent_of(beam);
    size_t half = count / 2;
    for (size_t i = 0; i < half; i++) {
        // Points are closer together at the far end, where the arc is.
        double along =
            1 - (1.0 - (double)i / (double)(half - 1)) * (1.0 - (double)i / (double)(half - 1));
        double x_m = extent.start_m + (extent.range_m - extent.start_m) * along, low_m, high_m;
        borders_m(&extent, beam, x_m, &low_m, &high_m);
        double arc_m = sqrt(fmax(extent.range_m * extent.range_m - x_m * x_m, 0));
        points[i] = (struct vec2){extent.light_m + x_m, fmax(low_m, -arc_m)};
        points[2 * half - 1 - i] = (struct vec2){extent.light_m + x_m, fmin(high_m, arc_m)};
    }
    return 2 * half;
}

/* ---- Beams at a receiver ---- */

struct source {
    enum beam_source kind;
    struct pose pose;
    bool has_body;
    size_t body; /* in the world */
};

/* Whether a receiver at a point faces the light of a source, without an obstacle between them. */
static bool is_in_view(const struct sim_robot *robot, const struct source *source,
                       const struct sensor_spec *receiver, struct vec2 point)
{
    const struct sim *sim = robot->sim;
    struct vec2 light = geom_to_world(source->pose, (struct vec2){light_x_m(source->kind), 0});
    double x = light.x - point.x, y = light.y - point.y;
    double away_m = sqrt(x * x + y * y), bearing_rad = angle_atan2(y, x);
    double off_rad = angle_wrap(bearing_rad - robot->pose.heading_rad - receiver->heading_rad);
    if (away_m > receiver->range_m || fabs(off_rad) > receiver->cone_half_rad)
        return false;
    struct world_hit hit = world_ray(sim->world, point, bearing_rad, away_m, robot->body_index);
    return !hit.is_hit || (source->has_body && hit.other == source->body);
}

static uint32_t seen_of(const struct sim_robot *robot, const struct source *source,
                        const struct sensor_spec *receiver, struct vec2 point)
{
    uint32_t bits = beams_at(source->kind, source->pose, point);
    return bits && is_in_view(robot, source, receiver, point) ? bits : 0;
}

uint32_t beams_seen(const struct sim_robot *robot, const struct sensor_spec *receiver)
{
    const struct scene *scene = robot->sim->scene;
    if (robot->handling.is_lifted)
        return 0;
    struct vec2 point = geom_to_world(robot->pose, (struct vec2){receiver->x_m, receiver->y_m});
    uint32_t seen = 0;
    for (size_t i = 0; i < scene->dock_count; i++) {
        const struct scene_dock *dock = &scene->docks[i];
        seen |= seen_of(robot,
                        &(struct source){(enum beam_source)dock->kind, dock->pose, true,
                                         robot->sim->room->first_dock + i},
                        receiver, point);
    }
    for (size_t i = 0; i < scene->beacon_count; i++) {
        const struct scene_beacon *beacon = &scene->beacons[i];
        uint32_t bits = seen_of(
            robot,
            &(struct source){(enum beam_source)(DOCK_KINDS + beacon->kind), beacon->pose, false, 0},
            receiver, point);
        bool is_named = bits != 0 && beacon->kind == BEACON_LIGHTHOUSE;
        // If several lighthouses are visible, the number is that of the first one in the scene.
        if (is_named && seen >> BEAM_NUMBER_SHIFT == 0)
            bits |= (uint32_t)beacon->number << BEAM_NUMBER_SHIFT;
        seen |= bits;
    }
    return seen;
}
