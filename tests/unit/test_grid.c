/* The grid only finds candidates, so it changes no result. These tests compare it with a search
 * through every wall and every body, in many small worlds. */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "physics/world_state.h"
#include "tests/unit/physics_fixture.h"

enum { WORLDS = 150, ROUNDS = 4, RAYS = 40, WALLS_MAX = 12, BODIES_MAX = 12, FAN = 6 };

static const struct body_part posts[] = {
    {.place = {0.03, 0.0}, .radius_m = 0.01, .low_m = 0.1, .high_m = 0.3},
    {.place = {-0.02, 0.02}, .radius_m = 0.02, .low_m = 0.2, .high_m = 0.5},
};

static size_t pick(uint64_t *sequence, size_t count)
{
    return (size_t)(next_number(sequence) * (double)count);
}

/* A coordinate within SIZE, or up to AROUND beyond it. Half of the numbers are on a raster: there,
 * walls meet and cells may have borders. */
static double coordinate(uint64_t *sequence, double size_m, double around_m)
{
    double value = (size_m + 2.0 * around_m) * next_number(sequence) - around_m;
    return next_number(sequence) < 0.5 ? value : floor(8.0 * value) / 8.0;
}

struct area {
    double width_m, height_m;
};

static struct wall_def random_wall(uint64_t *sequence, const struct area *area)
{
    struct wall_def def = {.reflectance = next_number(sequence), .height_m = 0.25};
    def.a = (struct vec2){coordinate(sequence, area->width_m, 0.0),
                          coordinate(sequence, area->height_m, 0.0)};
    double kind = next_number(sequence);
    double length = 0.125 * (double)(1 + pick(sequence, 16));
    if (kind < 0.25)
        def.b = (struct vec2){def.a.x + length, def.a.y};
    else if (kind < 0.5)
        def.b = (struct vec2){def.a.x, def.a.y + length};
    else if (kind < 0.7)
        def.b = (struct vec2){def.a.x + length, def.a.y - length};
    else
        def.b = (struct vec2){coordinate(sequence, area->width_m, 0.0) + 0.001,
                              coordinate(sequence, area->height_m, 0.0)};
    return def;
}

static struct body_def random_body(uint64_t *sequence, const struct area *area)
{
    static const double sizes_m[] = {0.01, 0.04, 0.1, 0.2, 0.4, 0.75, 0.9, 2.0};
    double size = sizes_m[pick(sequence, 8)] * (1.0 + 0.1 * next_number(sequence));
    struct body_def def = {.shape = next_number(sequence) < 0.5 ? WORLD_DISC : WORLD_BOX,
                           .radius_m = size,
                           .length_m = 2.0 * size,
                           .width_m = size,
                           .mass_kg = pick(sequence, 2) ? 1.0 : 0.0,
                           .reflectance = next_number(sequence),
                           .height_m = pick(sequence, 2) ? 0.1 : 1.0,
                           .parts = posts,
                           .part_count = size < 0.1 ? 0 : pick(sequence, 3)};
    double around = pick(sequence, 4) ? 0.0 : 3.0;
    def.pose =
        (struct pose){coordinate(sequence, area->width_m, around),
                      coordinate(sequence, area->height_m, around), 7.0 * next_number(sequence)};
    return def;
}

/* Areas from a single row of cells to a hall. */
static struct area random_area(uint64_t *sequence)
{
    static const double sizes_m[] = {0.0, 0.1, 0.25, 0.5, 1.0, 3.0, 20.0, 200.0};
    return (struct area){sizes_m[pick(sequence, 8)], sizes_m[pick(sequence, 8)]};
}

static struct world *make_random(uint64_t *sequence, const struct area *area)
{
    const struct world_capacity capacity = {
        .bodies = BODIES_MAX, .walls = WALLS_MAX, .contacts = 1000};
    struct world *world = world_create(&capacity);
    assert_non_null(world);
    for (size_t i = pick(sequence, WALLS_MAX + 1); i > 0; i--) {
        const struct wall_def def = random_wall(sequence, area);
        (void)world_add_wall(world, &def);
    }
    for (size_t i = pick(sequence, 2) * pick(sequence, BODIES_MAX + 1); i > 0; i--) {
        const struct body_def def = random_body(sequence, area);
        world_lift(world, world_add_body(world, &def), pick(sequence, 8) == 0);
    }
    near_update(world);
    return world;
}

/* Adds, moves or redefines an object. */
static void change(struct world *world, uint64_t *sequence, const struct area *area)
{
    const struct wall_def wall = random_wall(sequence, area);
    const struct body_def body = random_body(sequence, area);
    size_t kind = pick(sequence, 8);
    if (kind == 0 && world->wall_count < WALLS_MAX)
        (void)world_add_wall(world, &wall);
    else if (kind == 1 && world->wall_count > 0)
        world_replace_wall(world, pick(sequence, world->wall_count), &wall);
    else if (kind == 2 && world->body_count < BODIES_MAX)
        (void)world_add_body(world, &body);
    else if (kind == 3 && world->body_count > 0)
        world_replace_body(world, pick(sequence, world->body_count), &body);
    else if (world->body_count > 0)
        world_place(world, pick(sequence, world->body_count), body.pose);
    near_update(world);
}

/* ---- Near walls and bodies ---- */

static bool is_wall_in(const struct wall *wall, const struct box2 *box)
{
    const struct shape area = {.center = vec2_scale(0.5, vec2_add(box->low, box->high)),
                               .axis = {1.0, 0.0},
                               .half_x_m = 0.5 * (box->high.x - box->low.x),
                               .half_y_m = 0.5 * (box->high.y - box->low.y)};
    return shape_ray_m(&area, wall->def.a, wall->shape.axis) < 2.0 * wall->shape.half_x_m - 1e-9;
}

static void assert_in_order(const struct world *world, size_t count, size_t least, size_t end)
{
    for (size_t n = 0; n < count; n++) {
        assert_true(world->found[n] >= least && world->found[n] < end);
        assert_true(n == 0 || world->found[n - 1] < world->found[n]);
    }
}

static bool is_found(const struct world *world, size_t count, size_t number)
{
    for (size_t n = 0; n < count; n++)
        if (world->found[n] == number)
            return true;
    return false;
}

static void assert_finds_all_near(struct world *world, size_t body, size_t least)
{
    const struct body *bodies = world->bodies;
    size_t count = grid_find_walls(world, body);
    assert_in_order(world, count, 0, world->wall_count);
    for (size_t i = 0; i < world->wall_count; i++)
        assert_true(is_found(world, count, i) ||
                    !is_wall_in(&world->walls[i], &bodies[body].bounds));
    count = grid_find_bodies(world, body, least);
    assert_in_order(world, count, least, world->body_count);
    for (size_t i = least; i < world->body_count; i++) {
        bool are_fixed = bodies[body].def.mass_kg == 0.0 && bodies[i].def.mass_kg == 0.0;
        bool is_near = !are_fixed && bounds_meet(&bodies[body].bounds, &bodies[i].bounds);
        if (i != body)
            assert_true(is_found(world, count, i) || !is_near);
        assert_false(are_fixed && is_found(world, count, i));
    }
}

static void the_grid_finds_all_walls_and_bodies_that_are_near_one(void **state)
{
    (void)state;
    uint64_t sequence = 1;
    for (int i = 0; i < WORLDS; i++) {
        struct area area = random_area(&sequence);
        struct world *world = make_random(&sequence, &area);
        for (int round = 0; round < ROUNDS; round++, change(world, &sequence, &area))
            for (size_t body = 0; body < world->body_count; body++)
                assert_finds_all_near(world, body, pick(&sequence, world->body_count + 1));
        world_destroy(world);
    }
}

/* ---- Cells ---- */

static bool is_listed_as_loose(const struct grid *grid, size_t body)
{
    for (size_t i = 0; i < grid->loose_count; i++)
        if (grid->loose[i] == body)
            return true;
    return false;
}

static struct box2 whole(const struct grid *grid)
{
    struct vec2 size = {(double)grid->columns * grid->cell_m, (double)grid->rows * grid->cell_m};
    return (struct box2){grid->low, vec2_add(grid->low, size)};
}

static bool is_within(const struct box2 *box, const struct box2 *area, double slack_m)
{
    return box->low.x > area->low.x + slack_m && box->low.y > area->low.y + slack_m &&
           box->high.x < area->high.x - slack_m && box->high.y < area->high.y - slack_m;
}

static void only_bodies_that_are_outside_or_wide_are_not_in_the_cells(void **state)
{
    (void)state;
    uint64_t sequence = 4;
    for (int i = 0; i < WORLDS; i++) {
        struct area area = random_area(&sequence);
        struct world *world = make_random(&sequence, &area);
        for (int round = 0; round < ROUNDS; round++, change(world, &sequence, &area)) {
            struct box2 box = whole(&world->grid);
            for (size_t k = 0; k < world->body_count; k++) {
                const struct body *body = &world->bodies[k];
                bool is_small = body->bounds.high.x - body->bounds.low.x < 4.0 * world->grid.cell_m;
                assert_true(is_listed_as_loose(&world->grid, k) == body->is_loose);
                assert_true(body->is_loose || is_within(&body->bounds, &box, -1e-9));
                assert_false(body->is_loose && is_small && is_within(&body->bounds, &box, 1e-9));
            }
        }
        world_destroy(world);
    }
}

static bool is_in(const struct grid *grid, const struct grid_range *range, struct vec2 point)
{
    struct vec2 cell = vec2_scale(grid->inverse_cell, vec2_sub(point, grid->low));
    return cell.x >= range->column && cell.x <= (double)range->last_column + 1.0 &&
           cell.y >= range->row && cell.y <= (double)range->last_row + 1.0;
}

static void a_circle_touches_no_other_cells_than_those_around_it(void **state)
{
    (void)state;
    struct world *world = make_world(0, 4);
    add_room(world, 2.0);
    near_update(world);
    const struct grid *grid = &world->grid;
    struct box2 box = whole(grid);
    uint64_t sequence = 5;
    for (int i = 0; i < 2000; i++) {
        double radius =
            pick(&sequence, 2) ? next_number(&sequence) : grid->cell_m * (double)pick(&sequence, 5);
        struct vec2 middle = {coordinate(&sequence, 5.0, 0.0) - 2.5,
                              coordinate(&sequence, 5.0, 0.0) - 2.5};
        struct vec2 reach = {radius, radius};
        struct box2 bounds = {vec2_sub(middle, reach), vec2_add(middle, reach)};
        struct grid_range range;
        if (!grid_range_around(grid, middle, radius, &range)) {
            assert_false(is_within(&bounds, &box, 1e-5));
            continue;
        }
        assert_true(is_within(&bounds, &box, -1e-9));
        assert_true(range.last_column < grid->columns && range.last_row < grid->rows);
        assert_true(is_in(grid, &range, bounds.low) && is_in(grid, &range, bounds.high));
        double most = 2.0 * radius * grid->inverse_cell + 2.0;
        assert_true(range.last_column - range.column <= most);
        assert_true(range.last_row - range.row <= most);
        /* A point on a border may be on either side by rounding. */
        struct vec2 right = {bounds.high.x + 1e-9, middle.y},
                    left = {bounds.low.x - 1e-9, middle.y};
        struct vec2 above = {middle.x, bounds.high.y + 1e-9},
                    below = {middle.x, bounds.low.y - 1e-9};
        assert_true(is_in(grid, &range, right) && is_in(grid, &range, left));
        assert_true(is_in(grid, &range, above) && is_in(grid, &range, below));
    }
    world_destroy(world);
}

/* ---- Contacts ---- */

static bool has_contact(const struct world *world, size_t body, size_t other)
{
    size_t count;
    const struct world_contact *contacts = world_contacts(world, &count);
    for (size_t i = 0; i < count; i++)
        if (contacts[i].body == body && contacts[i].other == other)
            return true;
    return false;
}

/* Whether they overlap by more than rounding. */
static bool overlap(const struct world *world, size_t body, size_t other)
{
    struct body_def def = world->bodies[body].def;
    def.pose = world_pose(world, body);
    if (world_is_lifted(world, body))
        return false;
    if (other == WORLD_WALL)
        return def.mass_kg > 0.0 && world_overlaps_wall(world, &def, 1e-4);
    return (def.mass_kg > 0.0 || world->bodies[other].def.mass_kg > 0.0) &&
           !world_is_lifted(world, other) && world_overlaps_body(world, &def, other, NULL, 1e-4);
}

static void assert_contacts_of_a_step(struct world *world)
{
    bool is_expected[BODIES_MAX][BODIES_MAX + 1];
    for (size_t i = 0; i < world->body_count; i++) {
        for (size_t k = i + 1; k < world->body_count; k++)
            is_expected[i][k] = overlap(world, i, k);
        is_expected[i][BODIES_MAX] = overlap(world, i, WORLD_WALL);
    }
    world_step(world, STEP_S);
    for (size_t i = 0; i < world->body_count; i++) {
        for (size_t k = i + 1; k < world->body_count; k++)
            assert_true(!is_expected[i][k] || has_contact(world, i, k));
        assert_true(!is_expected[i][BODIES_MAX] || has_contact(world, i, WORLD_WALL));
    }
}

static void whatever_overlaps_is_in_contact(void **state)
{
    (void)state;
    uint64_t sequence = 2;
    for (int i = 0; i < WORLDS; i++) {
        struct area area = random_area(&sequence);
        struct world *world = make_random(&sequence, &area);
        for (int step = 0; step < 40; step++) {
            if (step % 10 == 0)
                change(world, &sequence, &area);
            for (size_t body = 0; body < world->body_count && step % 10 == 0; body++)
                if (world->bodies[body].def.mass_kg > 0.0)
                    world->bodies[body].velocity = (struct vec2){
                        6.0 * next_number(&sequence) - 3.0, 6.0 * next_number(&sequence) - 3.0};
            assert_contacts_of_a_step(world);
        }
        world_destroy(world);
    }
}

/* ---- Rays ---- */

/* Whether a wall is at the distance of a hit. Where two walls meet, the hit may be on either.
 * COSINE: NULL: any. */
static bool is_of_a_wall(const struct world *world, const struct world_beam *beam,
                         struct world_hit hit, const double *cosine)
{
    for (size_t i = 0; i < world->wall_count; i++) {
        const struct wall *wall = &world->walls[i];
        double slant = fabs(vec2_cross(beam->direction, wall->shape.axis));
        if (shape_ray_wall_m(&wall->shape, beam->from, beam->direction) == hit.distance_m &&
            wall->def.height_m >= beam->z_m && wall->def.reflectance == hit.reflectance &&
            (!cosine || *cosine == slant))
            return true;
    }
    return false;
}

static void assert_same_hit(const struct world *world, const struct world_beam *beam,
                            struct world_hit hit, struct world_hit slow, const double *cosine)
{
    assert_true(hit.is_hit == slow.is_hit);
    assert_true(hit.distance_m == slow.distance_m);
    assert_true(hit.other == slow.other);
    if (hit.is_hit && hit.other == WORLD_WALL)
        assert_true(is_of_a_wall(world, beam, hit, cosine));
    else
        assert_true(hit.reflectance == slow.reflectance);
}

/* A beam that ignores the grid. At height 0 it is a plain ray. */
static struct world_hit slow_beam(struct world *world, const struct world_beam *beam,
                                  double *cosine)
{
    bool is_ready = world->grid.is_ready;
    world->grid.is_ready = false;
    struct world_hit hit = world_ray_beam(world, beam, cosine);
    world->grid.is_ready = is_ready;
    return hit;
}

static struct vec2 random_eye(const struct world *world, uint64_t *sequence,
                              const struct area *area)
{
    static const double arounds_m[] = {0.0, 0.2, 0.6, 2.0, 30.0};
    double around = arounds_m[pick(sequence, 5)];
    const struct grid *grid = &world->grid;
    struct vec2 eye = {coordinate(sequence, area->width_m, around),
                       coordinate(sequence, area->height_m, around)};
    if (pick(sequence, 4) == 0) /* on the border of cells, or of the grid */
        eye.x = grid->low.x + (double)pick(sequence, grid->columns + 1) * grid->cell_m;
    if (pick(sequence, 4) == 0)
        eye.y = grid->low.y + (double)pick(sequence, grid->rows + 1) * grid->cell_m;
    return eye;
}

/* A ray along a diagonal wall hits it anywhere or not at all, depending on rounding. */
static bool runs_along_a_wall(const struct world *world, struct vec2 direction)
{
    for (size_t i = 0; i < world->wall_count; i++) {
        double slant = fabs(vec2_cross(direction, world->walls[i].shape.axis));
        if (slant > 0.0 && slant < 1e-9)
            return true;
    }
    return false;
}

static struct vec2 any_direction(const struct world *world, uint64_t *sequence, struct vec2 from)
{
    double eighths = (double)pick(sequence, 8);
    struct vec2 direction, target = from;
    angle_sin_cos(0.25 * eighths * ANGLE_PI, &direction.y, &direction.x);
    size_t kind = pick(sequence, 4);
    if (kind == 0)
        return (struct vec2[]){{1, 0}, {0, 1}, {-1, 0}, {0, -1}}[pick(sequence, 4)];
    if (kind == 1)
        return direction;
    if (kind == 2 && world->wall_count > 0) {
        const struct wall_def *wall = &world->walls[pick(sequence, world->wall_count)].def;
        double part = pick(sequence, 2) ? 0.125 * (double)pick(sequence, 9) : next_number(sequence);
        target = vec2_add(wall->a, vec2_scale(part, vec2_sub(wall->b, wall->a)));
    } else if (kind == 2 && world->body_count > 0) {
        target = world->bodies[pick(sequence, world->body_count)].shape.center;
    }
    struct vec2 arm = vec2_sub(target, from);
    double away = sqrt(vec2_dot(arm, arm));
    if (away > 0.0)
        return vec2_scale(1.0 / away, arm);
    angle_sin_cos(7.0 * next_number(sequence), &direction.y, &direction.x);
    return direction;
}

static struct vec2 random_direction(const struct world *world, uint64_t *sequence, struct vec2 from)
{
    for (;;) {
        struct vec2 direction = any_direction(world, sequence, from);
        if (!runs_along_a_wall(world, direction))
            return direction;
    }
}

static struct world_beam random_beam(const struct world *world, uint64_t *sequence,
                                     const struct area *area)
{
    static const double heights_m[] = {0.0, 0.15, 0.22, 0.28, 0.6};
    struct world_beam beam = {.from = random_eye(world, sequence, area),
                              .z_m = heights_m[pick(sequence, 5)],
                              .skip = pick(sequence, BODIES_MAX + 1),
                              .skip_part = pick(sequence, 4) ? NULL : &posts[0]};
    beam.direction = random_direction(world, sequence, beam.from);
    if (pick(sequence, 4) == 0) /* on the way to its target */
        beam.from = vec2_add(vec2_scale(next_number(sequence), beam.direction), beam.from);
    double kind = next_number(sequence);
    beam.max_m = kind < 0.3   ? 0.7 * next_number(sequence)
                 : kind < 0.5 ? 0.125 * (double)pick(sequence, 7)
                 : kind < 0.7 ? 4.0 * next_number(sequence)
                              : 100.0;
    if (kind < 0.9)
        return beam;
    /* The ray ends exactly at its hit. */
    const struct world_hit hit =
        world_ray_toward(world, beam.from, beam.direction, 100.0, beam.skip);
    beam.max_m = hit.distance_m;
    return beam;
}

static void assert_ray_meets_the_first(struct world *world, const struct world_beam *beam)
{
    double cosine, slow_cosine;
    struct world_hit slow = slow_beam(world, beam, &slow_cosine);
    struct world_hit hit = world_ray_beam(world, beam, &cosine);
    assert_same_hit(world, beam, hit, slow, &cosine);
    assert_true(cosine == slow_cosine || hit.other == WORLD_WALL);
    if (beam->z_m > 0.0)
        return;
    hit = world_ray_toward(world, beam->from, beam->direction, beam->max_m, beam->skip);
    assert_same_hit(world, beam, hit, slow, NULL);
}

static void assert_fan_meets_the_first(struct world *world, const struct world_beam *beam,
                                       uint64_t *sequence)
{
    struct vec2 directions[FAN];
    struct world_hit hits[FAN];
    for (size_t i = 0; i < FAN; i++)
        directions[i] = i == 0 ? beam->direction : random_direction(world, sequence, beam->from);
    const struct world_fan fan = {.from = beam->from,
                                  .directions = directions,
                                  .count = FAN,
                                  .max_m = beam->max_m,
                                  .skip = beam->skip};
    world_ray_fan(world, &fan, hits);
    for (size_t i = 0; i < FAN; i++) {
        double cosine;
        struct world_beam ray = *beam;
        ray.z_m = 0.0;
        ray.direction = directions[i];
        assert_same_hit(world, &ray, hits[i], slow_beam(world, &ray, &cosine), NULL);
    }
}

static void a_ray_meets_what_a_look_at_everything_finds_first(void **state)
{
    (void)state;
    uint64_t sequence = 3;
    for (int i = 0; i < 2 * WORLDS; i++) {
        struct area area = random_area(&sequence);
        struct world *world = make_random(&sequence, &area);
        for (int round = 0; round < ROUNDS; round++, change(world, &sequence, &area))
            for (int k = 0; k < RAYS; k++) {
                struct world_beam beam = random_beam(world, &sequence, &area);
                assert_ray_meets_the_first(world, &beam);
                if (k % 4 == 0)
                    assert_fan_meets_the_first(world, &beam, &sequence);
            }
        world_destroy(world);
    }
}

/* The wall is about as long as the largest possible row or column of cells. */
static void long_and_narrow_worlds_have_no_more_cells_than_there_is_room_for(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct world *world = make_world(0, 1);
        const struct grid *grid = &world->grid;
        double length_m = 0.25 * (double)(grid->cells_max / 2) - 0.01 - 0.25 * (i / 2);
        const struct vec2 end = i % 2 ? (struct vec2){0.0, length_m} : (struct vec2){length_m, 0.0};
        add_wall(world, 0.0, 0.0, end.x, end.y);
        near_update(world);
        assert_true(grid->columns * grid->rows <= grid->cells_max);
        world_destroy(world);
    }
}

static void a_world_without_anything_runs_and_shows_nothing(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    run(world, 0.002);
    assert_true(isfinite(world->grid.cell_m));
    assert_true(world->grid.columns <= world->grid.cells_max);
    assert_true(world->grid.rows <= world->grid.cells_max);
    assert_false(world_ray(world, (struct vec2){0.1, 0.2}, 1.0, 5.0, SIZE_MAX).is_hit);
    assert_false(world_ray(world, (struct vec2){9.0, 9.0}, 4.0, 50.0, SIZE_MAX).is_hit);
    world_destroy(world);
}

static void there_is_room_for_thousands_of_walls(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    struct world *world = make_world(1, MANY);
    for (int i = 0; i < MANY; i++) /* one behind the other */
        add_wall(world, 0.005 * i, 0.0, 0.005 * i, 0.01);
    near_update(world);
    for (int i = 0; i < MANY - 1; i += 50) {
        struct vec2 eye = {0.005 * i + 0.001, 0.005};
        struct world_hit hit = world_ray(world, eye, 0.0, 1.0, SIZE_MAX);
        assert_true(hit.is_hit && fabs(hit.distance_m - 0.004) < 1e-9);
    }
    world_destroy(world);
}

/* All walls begin in one corner. With cells of the finest size they would need more room than
 * available. */
static void long_walls_fit_into_the_room_for_them(void **state)
{
    (void)state;
    enum { LONG = 200 };
    uint64_t sequence = 6;
    struct area area = {12.0, 12.0};
    struct world *world = make_world(0, LONG);
    for (int i = 0; i < LONG; i++) {
        double x_m = 6.0 + 6.0 * next_number(&sequence), y_m = 6.0 + 6.0 * next_number(&sequence);
        add_wall(world, 0.0, 0.0, x_m, y_m);
    }
    near_update(world);
    const struct grid *grid = &world->grid;
    assert_true(grid->wall_start[grid->columns * grid->rows] <= grid->items_max);
    for (int k = 0; k < 100; k++) {
        struct world_beam beam = random_beam(world, &sequence, &area);
        beam.z_m = 0.0;
        assert_ray_meets_the_first(world, &beam);
    }
    world_destroy(world);
}

/* ---- Bodies that move ---- */

static size_t add_ball(struct world *world, double x_m, double y_m, double mass_kg, double speed_x)
{
    const struct body_def def = {.radius_m = 0.02, .pose = {x_m, y_m, 0.0}, .mass_kg = mass_kg};
    size_t ball = world_add_body(world, &def);
    world->bodies[ball].velocity.x = speed_x;
    return ball;
}

static void a_body_that_flies_out_of_the_grid_is_seen_on_all_its_way(void **state)
{
    (void)state;
    struct world *world = make_world(1, 1);
    add_wall(world, 0.0, -0.5, 0.0, 0.5);
    size_t ball = add_ball(world, 0.1, 0.0, 1.0, 2.0);
    for (int step = 0; step < 500; step++) {
        world_step(world, STEP_S);
        struct vec2 eye = {world_pose(world, ball).x_m, -0.2};
        struct world_hit hit = world_ray(world, eye, 0.5 * ANGLE_PI, 1.0, SIZE_MAX);
        assert_true(hit.is_hit && hit.other == ball && fabs(hit.distance_m - 0.18) < 1e-9);
    }
    assert_true(world_pose(world, ball).x_m > 0.9);
    struct box2 box = whole(&world->grid);
    assert_false(is_within(&world->bodies[ball].bounds, &box, 0.0));
    world_destroy(world);
}

/* A fixed target is ahead of each of them. The grid was built around a wall far away. */
static void bodies_that_fly_side_by_side_outside_of_the_grid_hit_their_targets(void **state)
{
    (void)state;
    enum { BALLS = 40 };
    struct world *world = make_world(2 * BALLS, 1);
    add_wall(world, 0.0, -0.1, 0.0, 0.1);
    world_step(world, STEP_S);
    for (int i = 0; i < BALLS; i++) {
        (void)add_ball(world, 2.0, 0.2 * i, 1.0, 3.0);
        (void)add_ball(world, 2.2, 0.2 * i, 0.0, 0.0);
    }
    for (int step = 0; step < 100; step++) {
        world_step(world, STEP_S);
        for (size_t i = 0; i < 2 * BALLS; i += 2)
            assert_true(world_pose(world, i).x_m < 2.2 - 0.04 + 0.002);
    }
    world_destroy(world);
}

/* Its list is full of fixed balls in the corners of its bounds, which do not touch it. */
static void a_body_whose_list_is_full_is_hit_by_one_that_comes_later(void **state)
{
    (void)state;
    struct world *world = make_world(WORLD_NEAR_A_BODY + 2, 0);
    struct body_def def = {.radius_m = 0.3, .mass_kg = 100.0, .floor_friction = 0.5};
    size_t big = world_add_body(world, &def);
    for (int i = 0; i < WORLD_NEAR_A_BODY; i++)
        (void)add_ball(world, i % 2 ? 0.28 : -0.28, i % 4 < 2 ? 0.28 : -0.28, 0.0, 0.0);
    size_t ball = add_ball(world, 0.7, 0.0, 0.1, -2.0);
    bool is_touched = false;
    for (int step = 0; step < 300; step++) {
        world_step(world, STEP_S);
        assert_true(world_pose(world, ball).x_m > world_pose(world, big).x_m + 0.32 - 0.002);
        is_touched |= has_contact(world, big, ball);
    }
    assert_true(is_touched);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_finds_all_walls_and_bodies_that_are_near_one),
        cmocka_unit_test(only_bodies_that_are_outside_or_wide_are_not_in_the_cells),
        cmocka_unit_test(a_circle_touches_no_other_cells_than_those_around_it),
        cmocka_unit_test(whatever_overlaps_is_in_contact),
        cmocka_unit_test(a_ray_meets_what_a_look_at_everything_finds_first),
        cmocka_unit_test(long_and_narrow_worlds_have_no_more_cells_than_there_is_room_for),
        cmocka_unit_test(a_world_without_anything_runs_and_shows_nothing),
        cmocka_unit_test(there_is_room_for_thousands_of_walls),
        cmocka_unit_test(long_walls_fit_into_the_room_for_them),
        cmocka_unit_test(a_body_that_flies_out_of_the_grid_is_seen_on_all_its_way),
        cmocka_unit_test(bodies_that_fly_side_by_side_outside_of_the_grid_hit_their_targets),
        cmocka_unit_test(a_body_whose_list_is_full_is_hit_by_one_that_comes_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
