/* Rays and free places: distances in closed form, starts inside a shape, and skipped bodies. */
#include <math.h>

#include "base/angle.h"
#include "tests/unit/physics_fixture.h"

static size_t add_disc(struct world *world, double x_m, double y_m, double radius_m)
{
    const struct body_def def = {
        .shape = WORLD_DISC, .radius_m = radius_m, .pose = {x_m, y_m, 0.0}, .reflectance = 0.4};
    return world_add_body(world, &def);
}

static size_t add_box(struct world *world, double x_m, double y_m, double heading_rad)
{
    const struct body_def def = {.shape = WORLD_BOX,
                                 .length_m = 2.0,
                                 .width_m = 1.0,
                                 .pose = {x_m, y_m, heading_rad},
                                 .reflectance = 0.6};
    return world_add_body(world, &def);
}

static void assert_hit(struct world_hit hit, double distance_m, size_t other)
{
    assert_true(hit.is_hit);
    assert_true(fabs(hit.distance_m - distance_m) < 1e-12);
    assert_true(hit.other == other);
}

static void a_ray_meets_a_wall_at_every_angle(void **state)
{
    (void)state;
    struct world *world = make_world(0, 4);
    add_room(world, 2.0);
    for (int i = 0; i < 360; i++) {
        double angle = i * ANGLE_PI / 180.0;
        double side = fmax(fabs(cos(angle)), fabs(sin(angle)));
        struct world_hit hit = world_ray(world, (struct vec2){0.0, 0.0}, angle, 10.0, SIZE_MAX);
        assert_hit(hit, 2.0 / side, WORLD_WALL);
        assert_true(hit.reflectance == 0.8);
        hit = world_ray(world, (struct vec2){0.0, 0.0}, angle, 1.9, SIZE_MAX);
        assert_true(!hit.is_hit && hit.distance_m == 1.9);
    }
    world_destroy(world);
}

/* A wall of 0.3 m height at x = 1 and one of 1 m at x = 2. Between them and the start there is a
 * body of 0.1 m with a post on it. */
static void a_beam_passes_over_what_is_lower(void **state)
{
    (void)state;
    struct world *world = make_world(1, 2);
    const struct wall_def near = {.a = {1, -1}, .b = {1, 1}, .reflectance = 0.8, .height_m = 0.3};
    const struct wall_def far = {.a = {2, -1}, .b = {2, 4}, .reflectance = 0.2, .height_m = 1};
    world_add_wall(world, &near);
    world_add_wall(world, &far);
    const struct body_part post = {
        .place = {0.05, 0}, .radius_m = 0.01, .low_m = 0.1, .high_m = 0.2};
    const struct body_def body = {.radius_m = 0.1,
                                  .pose = {0.5, 0, ANGLE_PI},
                                  .reflectance = 0.6,
                                  .height_m = 0.1,
                                  .parts = &post,
                                  .part_count = 1};
    size_t disc = world_add_body(world, &body);
    struct world_beam beam = {.direction = {1, 0}, .max_m = 5, .skip = SIZE_MAX};
    const struct {
        double z_m, distance_m;
        size_t other;
    } seen[] = {{0.05, 0.4, disc}, {0.15, 0.44, disc}, {0.25, 1, WORLD_WALL}, {0.5, 2, WORLD_WALL}};
    double cosine;
    for (size_t i = 0; i < 4; i++) {
        beam.z_m = seen[i].z_m;
        assert_hit(world_ray_beam(world, &beam, &cosine), seen[i].distance_m, seen[i].other);
        assert_true(fabs(cosine - 1) < 1e-12);
    }
    beam.z_m = 1.5;
    assert_false(world_ray_beam(world, &beam, &cosine).is_hit);
    beam.z_m = 0.15;
    beam.skip_part = &post;
    assert_hit(world_ray_beam(world, &beam, &cosine), 1, WORLD_WALL);
    beam.z_m = 0.05;
    beam.skip = disc;
    assert_hit(world_ray_beam(world, &beam, &cosine), 1, WORLD_WALL);
    /* Aslant at 60 degrees, and past the middle of the disc. */
    beam.z_m = 0.5;
    beam.direction = (struct vec2){0.5, sqrt(0.75)};
    assert_hit(world_ray_beam(world, &beam, &cosine), 4, WORLD_WALL);
    assert_true(fabs(cosine - 0.5) < 1e-12);
    beam = (struct world_beam){
        .from = {0, 0.05}, .direction = {1, 0}, .z_m = 0.05, .max_m = 5, .skip = SIZE_MAX};
    assert_true(world_ray_beam(world, &beam, &cosine).other == disc);
    assert_true(fabs(cosine - sqrt(0.75)) < 1e-12);
    world_destroy(world);
}

static void a_ray_beside_or_behind_a_wall_misses(void **state)
{
    (void)state;
    struct world *world = make_world(0, 1);
    add_wall(world, 1.0, -1.0, 1.0, 1.0);
    assert_false(world_ray(world, (struct vec2){0.0, 1.001}, 0.0, 5.0, SIZE_MAX).is_hit);
    assert_false(world_ray(world, (struct vec2){0.0, 0.0}, ANGLE_PI, 5.0, SIZE_MAX).is_hit);
    assert_true(world_ray(world, (struct vec2){0.0, 0.999}, 0.0, 5.0, SIZE_MAX).is_hit);
    world_destroy(world);
}

static void a_ray_meets_discs_and_boxes_where_geometry_says(void **state)
{
    (void)state;
    struct world *world = make_world(3, 1);
    add_wall(world, 5.0, -9.0, 5.0, 9.0);
    size_t disc = add_disc(world, 2.0, 0.3, 0.5);
    size_t box = add_box(world, 0.0, 3.0, ANGLE_PI / 2.0);
    struct world_hit hit = world_ray(world, (struct vec2){0.0, 0.0}, 0.0, 10.0, SIZE_MAX);
    assert_hit(hit, 2.0 - 0.4, disc);
    assert_true(hit.reflectance == 0.4);
    hit = world_ray(world, (struct vec2){0.1, 0.0}, ANGLE_PI / 2.0, 10.0, SIZE_MAX);
    assert_hit(hit, 2.0, box);
    hit = world_ray(world, (struct vec2){4.0, 3.0}, ANGLE_PI, 10.0, SIZE_MAX);
    assert_hit(hit, 3.5, box);

    /* A box's corner seen along the diagonal. */
    size_t turned = add_box(world, 0.0, -4.0, 0.0);
    hit = world_ray(world, (struct vec2){2.0, -2.5}, -0.75 * ANGLE_PI, 10.0, SIZE_MAX);
    assert_hit(hit, sqrt(2.0), turned);
    world_destroy(world);
}

static void a_ray_that_starts_inside_meets_it_at_once(void **state)
{
    (void)state;
    struct world *world = make_world(2, 0);
    size_t disc = add_disc(world, 0.0, 0.0, 0.5);
    size_t box = add_box(world, 5.0, 0.0, 0.4);
    assert_hit(world_ray(world, (struct vec2){0.2, 0.3}, 2.0, 1.0, SIZE_MAX), 0.0, disc);
    assert_hit(world_ray(world, (struct vec2){5.4, 0.2}, 2.0, 1.0, SIZE_MAX), 0.0, box);
    assert_false(world_ray(world, (struct vec2){0.2, 0.3}, 2.0, 1.0, disc).is_hit);
    world_destroy(world);
}

static void a_ray_follows_bodies_that_move_and_passes_under_lifted_ones(void **state)
{
    (void)state;
    struct world *world = make_world(1, 0);
    struct drive *drive = add_robot(world, 2.0, 0.0, 0.0);
    drive->wheels[0].input = drive->wheels[1].input = 0.3;
    run(world, 2.0);
    double expected = world_pose(world, 0).x_m - ROBOT_RADIUS_M;
    struct vec2 start = {0.0, 0.0};
    assert_hit(world_ray(world, start, 0.0, 10.0, SIZE_MAX), expected, 0);
    world_place(world, 0, (struct pose){0.0, 4.0, 0.0});
    assert_hit(world_ray(world, start, ANGLE_PI / 2.0, 10.0, SIZE_MAX), 4.0 - ROBOT_RADIUS_M, 0);
    world_lift(world, 0, true);
    assert_false(world_ray(world, start, ANGLE_PI / 2.0, 10.0, SIZE_MAX).is_hit);
    world_destroy(world);
}

/* Random walls and discs, some of them outside of the walls' area, as far as SPREAD_OF_LAST says.
 * The full world must answer with the nearest hit of the worlds that contain only one object each.
 * Eyes are up to AROUND_M meters beyond the walls. */
static void see_one_by_one(double spread_of_last, double around_m)
{
    enum { THINGS = 60 };
    struct world *full = make_world(THINGS, THINGS);
    struct world *single[2 * THINGS];
    uint64_t sequence = 11;
    for (int i = 0; i < THINGS; i++) {
        double x = 10.0 * next_number(&sequence);
        double y = 6.0 * next_number(&sequence);
        double x2 = x + 3.0 * next_number(&sequence) - 1.5;
        double y2 = y + 3.0 * next_number(&sequence) - 1.5;
        add_wall(full, x, y, x2, y2);
        single[i] = make_world(1, 1);
        add_wall(single[i], x, y, x2, y2);
        single[THINGS + i] = make_world(1, 1);
        double spread = i < 50 ? 1.0 : spread_of_last;
        x = spread * 10.0 * (next_number(&sequence) - 0.2);
        y = spread * 6.0 * (next_number(&sequence) - 0.2);
        double radius = 0.02 + 0.3 * next_number(&sequence);
        (void)add_disc(full, x, y, radius);
        (void)add_disc(single[THINGS + i], x, y, radius);
    }
    for (int k = 0; k < 2000; k++) {
        if (k == 1000)
            run(full, 0.002); /* and again after steps */
        struct vec2 from = {(10.0 + 2 * around_m) * next_number(&sequence) - around_m,
                            (6.0 + 2 * around_m) * next_number(&sequence) - around_m};
        double heading = k % 10 == 0 ? (k / 10 % 4) * ANGLE_PI / 2.0 : 7.0 * next_number(&sequence);
        if (k % 4 == 1)
            heading = atan2(6.0 * next_number(&sequence) - from.y,
                            10.0 * next_number(&sequence) - from.x);
        double nearest = k % 5 == 2 ? 0.2 : k % 3 == 0 ? 1.0 : 30.0;
        struct world_hit hit = world_ray(full, from, heading, nearest, SIZE_MAX);
        for (size_t i = 0; i < 2 * THINGS; i++) {
            struct world_hit one = world_ray(single[i], from, heading, nearest, SIZE_MAX);
            nearest = fmin(nearest, one.distance_m);
        }
        assert_true(hit.distance_m == nearest);
    }
    for (size_t i = 0; i < 2 * THINGS; i++)
        world_destroy(single[i]);
    world_destroy(full);
}

static void many_things_are_seen_as_one_by_one(void **state)
{
    (void)state;
    see_one_by_one(5.0, 1.0);
    see_one_by_one(1.0, 12.0);
}

/* Distance along the ray to the segment, in closed form; INFINITY: it misses. */
static double to_segment_m(struct vec2 from, struct vec2 direction, struct vec2 a, struct vec2 b)
{
    struct vec2 span = vec2_sub(b, a), arm = vec2_sub(a, from);
    double slant = vec2_cross(direction, span);
    double distance = vec2_cross(arm, span) / slant, part = vec2_cross(arm, direction) / slant;
    return distance >= 0.0 && part >= 0.0 && part <= 1.0 ? distance : INFINITY;
}

/* As a proximity sensor sees them: rays of up to half a meter among splinters of two centimeters.
 */
static void a_short_ray_passes_over_no_small_wall(void **state)
{
    (void)state;
    enum { SPLINTERS = 400 };
    struct world *world = make_world(0, SPLINTERS);
    struct vec2 ends[SPLINTERS][2];
    uint64_t sequence = 3;
    for (int i = 0; i < SPLINTERS; i++) {
        struct vec2 a = {4.0 * next_number(&sequence), 4.0 * next_number(&sequence)};
        struct vec2 b = {a.x + 0.04 * next_number(&sequence) - 0.02,
                         a.y + 0.04 * next_number(&sequence) - 0.02};
        ends[i][0] = a;
        ends[i][1] = b;
        add_wall(world, a.x, a.y, b.x, b.y);
    }
    world_step(world, STEP_S);
    for (int k = 0; k < 20000; k++) {
        struct vec2 from = {4.0 * next_number(&sequence), 4.0 * next_number(&sequence)}, direction;
        double nearest = 0.5 * next_number(&sequence);
        angle_sin_cos(7.0 * next_number(&sequence), &direction.y, &direction.x);
        struct world_hit hit = world_ray_toward(world, from, direction, nearest, SIZE_MAX);
        for (int i = 0; i < SPLINTERS; i++)
            nearest = fmin(nearest, to_segment_m(from, direction, ends[i][0], ends[i][1]));
        assert_true(fabs(hit.distance_m - nearest) < 1e-9);
    }
    world_destroy(world);
}

/* To each side of the room, and beyond each corner. */
static void a_robot_that_is_put_outside_of_all_walls_is_still_seen(void **state)
{
    (void)state;
    struct world *world = make_world(2, 4);
    add_room(world, 2.0);
    size_t disc = add_disc(world, 0.0, 0.0, 0.2);
    size_t inside = add_disc(world, 1.0, 1.0, 0.1);
    world_step(world, STEP_S);
    for (int i = 0; i < 9; i++) {
        double x_m = 5.0 * (i % 3 - 1), y_m = 5.0 * (i / 3 - 1);
        if (i == 4)
            continue;
        world_place(world, disc, (struct pose){x_m, y_m, 0.0});
        for (int step = 0; step < 2; step++, world_step(world, STEP_S))
            for (int k = 0; k < 8; k++) {
                struct vec2 direction;
                angle_sin_cos(k * ANGLE_PI / 4.0, &direction.y, &direction.x);
                struct vec2 eye = {x_m - direction.x, y_m - direction.y};
                assert_hit(world_ray_toward(world, eye, direction, 2.0, inside), 0.8, disc);
            }
    }
    world_destroy(world);
}

static void assert_fan_is_as_its_rays(const struct world *world, const struct world_fan *fan)
{
    struct world_hit hits[13];
    assert_true(fan->count < sizeof hits / sizeof hits[0]);
    hits[fan->count] = (struct world_hit){.distance_m = INFINITY};
    world_ray_fan(world, fan, hits);
    assert_true(hits[fan->count].distance_m == INFINITY);
    for (size_t i = 0; i < fan->count; i++) {
        struct world_hit one =
            world_ray_toward(world, fan->from, fan->directions[i], fan->max_m, fan->skip);
        assert_true(hits[i].is_hit == one.is_hit);
        assert_true(hits[i].distance_m == one.distance_m);
        assert_true(hits[i].other == one.other);
        assert_true(hits[i].reflectance == one.reflectance);
    }
}

static void a_fan_meets_what_its_rays_meet(void **state)
{
    (void)state;
    /* Short and long fans from inside and outside of a crowd of walls, discs and boxes. Some
     * objects are lifted, some are far away, and some places have more of them than a fan
     * remembers. */
    enum { THINGS = 80, RAYS = 12 };
    static const double reaches_m[] = {0.02, 0.12, 0.5, 20.0};
    struct world *world = make_world(2 * THINGS, THINGS);
    uint64_t sequence = 5;
    for (int i = 0; i < THINGS; i++) {
        double spread = i % 20 == 0 ? 40.0 : i % 2 == 0 ? 0.5 : 4.0;
        double x = spread * next_number(&sequence), y = spread * next_number(&sequence);
        add_wall(world, x, y, x + next_number(&sequence) - 0.5, y + next_number(&sequence) - 0.5);
        x = spread * next_number(&sequence);
        size_t disc = add_disc(world, x, spread * next_number(&sequence), 0.05);
        x = spread * next_number(&sequence);
        (void)add_box(world, x + 3.0, 3.0 + spread * next_number(&sequence), 7.0 * x);
        world_lift(world, disc, i % 7 == 0);
    }
    for (int k = 0; k < 4000; k++) {
        if (k % 1000 == 500)
            run(world, 0.002); /* before and after steps */
        struct vec2 directions[RAYS];
        for (size_t i = 0; i < RAYS; i++) {
            double heading = i == 0 ? k % 4 * ANGLE_PI / 2.0 : 7.0 * next_number(&sequence);
            angle_sin_cos(heading, &directions[i].y, &directions[i].x);
        }
        double spread = k % 2 == 0 ? 0.5 : 5.0;
        const struct world_fan fan = {
            .from = {spread * next_number(&sequence), spread * next_number(&sequence)},
            .directions = directions,
            .count = (size_t)(k % (RAYS + 1)),
            .max_m = reaches_m[k % 4],
            .skip = k % 5 == 0 ? SIZE_MAX : (size_t)(k % (2 * THINGS)),
        };
        assert_fan_is_as_its_rays(world, &fan);
    }
    world_destroy(world);
}

/* About as many tiny walls or discs as a fan can remember, in reach of a short fan. The nearest has
 * the highest number. More of them are in the same cells and out of reach, and there is an object
 * of the other kind. SHIFT_M moves all of them over the borders of the cells. */
static void look_around_among(int count, bool has_walls, double shift_m)
{
    enum { OTHERS = 6 };
    struct world *world = make_world(80, 80);
    add_wall(world, -1.0, -1.0, -1.0, -0.9);
    for (int i = 0; i < count + OTHERS; i++) {
        double x_m = shift_m + (i < count ? 0.085 - 0.001 * i : 0.13);
        if (has_walls)
            add_wall(world, x_m, -0.001, x_m, 0.001);
        else
            (void)add_disc(world, x_m, 0.0, 0.001);
    }
    if (has_walls)
        (void)add_disc(world, shift_m - 0.05, 0.0, 0.01);
    else
        add_wall(world, shift_m - 0.05, -0.01, shift_m - 0.05, 0.01);
    world_step(world, STEP_S);
    const struct vec2 directions[] = {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}};
    const struct world_fan fan = {.from = {shift_m, 0.0},
                                  .directions = directions,
                                  .count = 3,
                                  .max_m = 0.1,
                                  .skip = SIZE_MAX};
    assert_fan_is_as_its_rays(world, &fan);
    struct world_hit hits[3];
    world_ray_fan(world, &fan, hits);
    double nearest = 0.085 - 0.001 * (count - 1);
    assert_true(fabs(hits[0].distance_m - (has_walls ? nearest : nearest - 0.001)) < 1e-9);
    assert_true(fabs(hits[1].distance_m - (has_walls ? 0.04 : 0.05)) < 1e-9);
    assert_false(hits[2].is_hit);
    world_destroy(world);
}

static void a_fan_among_many_things_misses_none(void **state)
{
    (void)state;
    for (int count = 60; count < 69; count++)
        for (int shift = 0; shift < 5; shift++) {
            look_around_among(count, true, 0.05 * shift);
            look_around_among(count, false, 0.05 * shift);
        }
}

/* Boxes with a face in one plane. The grid lists one as loose, since it is wide. A wall may be in
 * the same plane. */
static void of_things_at_one_distance_a_wall_is_met_or_else_the_lowest_number(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        struct world *world = make_world(2, 2);
        add_wall(world, -3.0, -3.0, -3.0, 3.0);
        bool has_wall = i & 1, is_wide_first = i & 2;
        double is_wide = is_wide_first;
        for (int k = 0; k < 2; k++, is_wide = 1.0 - is_wide) {
            const struct body_def def = {.shape = WORLD_BOX,
                                         .length_m = 0.25 + 3.75 * is_wide,
                                         .width_m = 0.25 + 3.75 * is_wide,
                                         .pose = {1.125 + 1.875 * is_wide, 0.0, 0.0},
                                         .height_m = 1.0,
                                         .reflectance = 0.1 + 0.1 * k};
            (void)world_add_body(world, &def);
        }
        if (has_wall)
            add_wall(world, 1.0, -1.0, 1.0, 1.0);
        if (i & 4)
            world_step(world, STEP_S);
        struct vec2 direction = {1.0, 0.0};
        struct world_fan fan = {.from = {i & 8 ? 0.875 : 0.0, 0.0},
                                .directions = &direction,
                                .count = 1,
                                .max_m = i & 8 ? 0.2 : 5.0,
                                .skip = SIZE_MAX};
        double distance = 1.0 - fan.from.x;
        size_t first = has_wall ? WORLD_WALL : 0;
        assert_hit(world_ray_toward(world, fan.from, direction, fan.max_m, SIZE_MAX), distance,
                   first);
        assert_fan_is_as_its_rays(world, &fan);
        if (!has_wall)
            assert_hit(world_ray_toward(world, fan.from, direction, fan.max_m, 0), distance, 1);
        world_destroy(world);
    }
}

/* The grid has two columns, so numbers of cells in two rows follow each other. The ray crosses a
 * third cell between its first and its last cell, and that cell has a wall. */
static void a_short_ray_in_a_narrow_world_meets_the_wall_on_its_way(void **state)
{
    (void)state;
    struct world *world = make_world(0, 3);
    add_wall(world, 0.0, 0.0, 0.0, 0.01);
    add_wall(world, 0.2, 2.0, 0.2, 2.01);
    add_wall(world, 0.1, 0.6, 0.1, 0.6249);
    world_step(world, STEP_S);
    struct vec2 eye = {0.13, 0.6}, direction;
    angle_sin_cos(0.82 * ANGLE_PI, &direction.y, &direction.x);
    assert_hit(world_ray_toward(world, eye, direction, 0.1, SIZE_MAX), -0.03 / direction.x,
               WORLD_WALL);
    world_destroy(world);
}

/* The grid lists one body as loose, since it is wide, and a ray tries loose bodies first. */
static void of_posts_at_one_place_that_of_the_lower_number_is_met(void **state)
{
    (void)state;
    static const struct body_part post = {.radius_m = 0.125, .low_m = 0.1, .high_m = 0.2};
    for (int is_wide_first = 0; is_wide_first < 2; is_wide_first++) {
        struct world *world = make_world(2, 1);
        for (int i = 0; i < 2; i++) {
            const struct body_def def = {.radius_m = i == is_wide_first ? 0.25 : 2.0,
                                         .pose = {1.0, 0.0, 0.0},
                                         .height_m = 0.1,
                                         .parts = &post,
                                         .part_count = 1};
            (void)world_add_body(world, &def);
        }
        const struct world_beam beam = {
            .direction = {1.0, 0.0}, .z_m = 0.15, .max_m = 5.0, .skip = SIZE_MAX};
        double cosine;
        assert_hit(world_ray_beam(world, &beam, &cosine), 0.875, 0);
        world_step(world, STEP_S);
        assert_hit(world_ray_beam(world, &beam, &cosine), 0.875, 0);
        const struct wall_def wall = {.a = {0.875, -1.0}, .b = {0.875, 1.0}, .height_m = 1.0};
        (void)world_add_wall(world, &wall);
        world_step(world, STEP_S);
        assert_hit(world_ray_beam(world, &beam, &cosine), 0.875, WORLD_WALL);
        world_destroy(world);
    }
}

static void a_place_is_free_or_not(void **state)
{
    (void)state;
    struct world *world = make_world(2, 4);
    add_room(world, 2.0);
    size_t disc = add_disc(world, 0.0, 0.0, 0.5);
    struct body_def robot = robot_body(1.0, 0.0, 0.0);
    assert_false(world_overlaps(world, &robot, SIZE_MAX, 0.0));
    robot.pose.x_m = 0.6;
    assert_true(world_overlaps(world, &robot, SIZE_MAX, 0.0));
    assert_false(world_overlaps(world, &robot, SIZE_MAX, 0.1));
    assert_false(world_overlaps(world, &robot, disc, 0.0));
    robot.pose.x_m = 1.9;
    assert_true(world_overlaps(world, &robot, SIZE_MAX, 0.0));
    robot.pose.x_m = 1.0;
    robot.shape = WORLD_BOX;
    robot.length_m = robot.width_m = 1.0;
    assert_true(world_overlaps(world, &robot, disc, 0.0) == false);
    robot.pose.x_m = 1.6;
    assert_true(world_overlaps(world, &robot, disc, 0.05));
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_meets_a_wall_at_every_angle),
        cmocka_unit_test(a_beam_passes_over_what_is_lower),
        cmocka_unit_test(a_ray_beside_or_behind_a_wall_misses),
        cmocka_unit_test(a_ray_meets_discs_and_boxes_where_geometry_says),
        cmocka_unit_test(a_ray_that_starts_inside_meets_it_at_once),
        cmocka_unit_test(a_ray_follows_bodies_that_move_and_passes_under_lifted_ones),
        cmocka_unit_test(many_things_are_seen_as_one_by_one),
        cmocka_unit_test(a_short_ray_passes_over_no_small_wall),
        cmocka_unit_test(a_robot_that_is_put_outside_of_all_walls_is_still_seen),
        cmocka_unit_test(a_short_ray_in_a_narrow_world_meets_the_wall_on_its_way),
        cmocka_unit_test(of_posts_at_one_place_that_of_the_lower_number_is_met),
        cmocka_unit_test(a_fan_meets_what_its_rays_meet),
        cmocka_unit_test(a_fan_among_many_things_misses_none),
        cmocka_unit_test(of_things_at_one_distance_a_wall_is_met_or_else_the_lowest_number),
        cmocka_unit_test(a_place_is_free_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
