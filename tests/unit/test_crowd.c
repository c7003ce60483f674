/* A crowd of robots and boxes: they do not overlap, and a repeated run is identical bit for bit. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/angle.h"
#include "base/hash.h"
#include "physics/world_state.h"
#include "tests/unit/physics_fixture.h"

/* Twenty robots in a narrow room. Their motors get new inputs from time to time. */
static struct world *make_crowd(void)
{
    struct world *world = make_world(24, 5);
    add_room(world, 1.5);
    add_wall(world, -0.5, 0.0, 0.5, 0.2);
    for (int i = 0; i < 20; i++)
        (void)add_robot(world, -1.2 + 0.6 * (i % 5), -1.1 + 0.6 * (i / 5) + (i / 5 > 1 ? 0.4 : 0.0),
                        0.7 * i);
    for (int i = 0; i < 4; i++) {
        struct body_def crate = box(-1.0 + 0.6 * i, -0.8, 0.3 * i, i == 0 ? 0.0 : 0.8);
        crate.length_m = crate.width_m = 0.1;
        (void)world_add_body(world, &crate);
    }
    return world;
}

static void steer_crowd(struct world *world, int step, uint64_t *sequence)
{
    for (size_t i = 0; i < 20 && step % 500 == 0; i++) {
        struct drive *drive = world_drive(world, i);
        drive->wheels[0].input = 2.0 * next_number(sequence) - 0.7;
        drive->wheels[1].input = 2.0 * next_number(sequence) - 0.7;
        drive->wheels[0].is_free = next_number(sequence) < 0.1;
    }
}

static double deepest_of_robots(const struct world *world)
{
    double deepest = 0.0;
    for (size_t i = 0; i < 20; i++) {
        struct pose a = world_pose(world, i);
        assert_true(isfinite(a.x_m) && isfinite(a.y_m) && isfinite(a.heading_rad));
        deepest = fmax(deepest, fmax(fabs(a.x_m), fabs(a.y_m)) + ROBOT_RADIUS_M - 1.5);
        for (size_t k = i + 1; k < 20; k++) {
            struct pose b = world_pose(world, k);
            double distance = hypot(a.x_m - b.x_m, a.y_m - b.y_m);
            deepest = fmax(deepest, 2.0 * ROBOT_RADIUS_M - distance);
        }
    }
    return deepest;
}

static void a_crowd_that_pushes_for_a_minute_does_not_overlap(void **state)
{
    (void)state;
    struct world *world = make_crowd();
    uint64_t sequence = 7;
    double deepest = 0.0;
    for (int step = 0; step < 60000; step++) {
        steer_crowd(world, step, &sequence);
        world_step(world, STEP_S);
        deepest = fmax(deepest, deepest_of_robots(world));
        size_t count;
        const struct world_contact *contacts = world_contacts(world, &count);
        for (size_t i = 0; i < count; i++)
            deepest = fmax(deepest, contacts[i].depth_m);
    }
    print_message("deepest overlap %.3f mm\n", 1e3 * deepest);
    assert_true(deepest < 0.002);
    world_destroy(world);
}

static uint64_t crowd_hash(void)
{
    struct world *world = make_crowd();
    uint64_t sequence = 3;
    uint64_t hash = HASH_START;
    for (int step = 0; step < 10000; step++) {
        steer_crowd(world, step, &sequence);
        world_step(world, STEP_S);
        if (step % 100 == 0)
            hash = world_hash(world, hash);
    }
    world_destroy(world);
    return hash;
}

static void the_same_run_gives_the_same_bits_wherever_its_memory_lies(void **state)
{
    (void)state;
    uint64_t first = crowd_hash();
    void *litter[100];
    for (size_t i = 0; i < 100; i++) {
        litter[i] = malloc(1000 + 777 * i);
        assert_non_null(litter[i]);
    }
    for (size_t i = 0; i < 100; i += 2)
        free(litter[i]);
    uint64_t second = crowd_hash();
    for (size_t i = 1; i < 100; i += 2)
        free(litter[i]);
    print_message("hash %016llx\n", (unsigned long long)first);
    assert_true(first == second);
    assert_true(first != HASH_START);
}

enum {
    ALONG = 24
}; /* objects along each long side of a plate: more than its list of neighbors can hold */

/* BEFORE objects far away, then a plate of 3 m. Each object along a long side overlaps it by half a
 * millimeter. */
static struct world *make_plate(size_t before, bool has_walls)
{
    struct world *world = make_world(before + 1 + 2 * ALONG, 2 * ALONG);
    for (size_t i = 0; i < before; i++) {
        struct body_def far = box(10.0 + (double)i, 10.0, 0.0, 0.0);
        (void)world_add_body(world, &far);
    }
    struct body_def plate = box(0.0, 0.0, 0.0, 8.0);
    plate.length_m = 3.0;
    plate.width_m = 0.2;
    (void)world_add_body(world, &plate);
    for (int i = 0; i < 2 * ALONG; i++) {
        double x_m = -1.4 + 0.12 * (i % ALONG), side = i < ALONG ? 1.0 : -1.0;
        struct body_def crate = box(x_m, side * 0.1495, 0.0, 1.0);
        crate.length_m = crate.width_m = 0.1;
        if (has_walls)
            add_wall(world, x_m, side * 0.0995, x_m, side * 0.3);
        else
            (void)world_add_body(world, &crate);
    }
    return world;
}

/* The result does not depend on the plate's number. */
static void a_body_touches_all_of_more_than_it_can_list(void **state)
{
    (void)state;
    static const size_t before[] = {0, 1, 70, 520};
    for (size_t run = 0; run < 8; run++) {
        size_t plate = before[run / 2];
        bool has_walls = run % 2 == 1, is_touched[1 + 2 * ALONG] = {false};
        struct world *world = make_plate(plate, has_walls);
        size_t count, walls = 0;
        world_step(world, STEP_S);
        const struct world_contact *contacts = world_contacts(world, &count);
        for (size_t i = 0; i < count; i++) {
            assert_true(contacts[i].body == plate);
            walls += contacts[i].other == WORLD_WALL;
            if (contacts[i].other != WORLD_WALL)
                is_touched[contacts[i].other - plate] = true;
        }
        assert_true(walls >= (has_walls ? 2 * ALONG : 0));
        for (size_t i = 1; i <= 2 * ALONG && !has_walls; i++)
            if (!is_touched[i])
                fail_msg("the thing %zu is not touched", i);
        world_destroy(world);
    }
}

/* One robot drives into a comb of walls with more walls than its list can hold. Another robot
 * pushes at a wall elsewhere. */
static void a_robot_at_very_many_walls_opens_none_for_its_neighbor(void **state)
{
    (void)state;
    enum { COMB = 40 };
    struct world *world = make_world(2, COMB + 1);
    for (int i = 0; i < COMB; i++)
        add_wall(world, -1.0, 0.002 * i, -0.9, 0.002 * i);
    add_wall(world, 1.0, -0.5, 1.0, 0.5);
    struct drive *first = add_robot(world, 0.0, 0.0, ANGLE_PI);
    struct drive *second = add_robot(world, 0.7, 0.0, 0.0);
    second->wheels[0].input = second->wheels[1].input = 0.5;
    run(world, 1.0);
    first->wheels[0].input = first->wheels[1].input = 0.5;
    for (int step = 0; step < 6000; step++) {
        world_step(world, STEP_S);
        assert_true(world_pose(world, 1).x_m < 1.0 - ROBOT_RADIUS_M + 0.002);
    }
    assert_true(world_pose(world, 0).x_m < -0.9 + ROBOT_RADIUS_M + 0.002);
    world_destroy(world);
}

enum { BALLS = 60 };

static double deepest_of_balls(const struct world *world)
{
    double deepest = 0.0;
    for (size_t i = 0; i < BALLS; i++)
        for (size_t k = i + 1; k < BALLS; k++) {
            struct pose a = world_pose(world, i), b = world_pose(world, k);
            deepest = fmax(deepest, 0.06 - hypot(a.x_m - b.x_m, a.y_m - b.y_m));
        }
    return deepest;
}

/* Neighbors are ordered by number, so that a run does not depend on the cells. */
static void assert_neighbors_are_in_order(struct world *world)
{
    for (size_t i = 0; i < BALLS; i++) {
        size_t count = grid_find_bodies(world, i, 0);
        for (size_t n = 1; n < count; n++)
            assert_true(world->found[n - 1] < world->found[n]);
    }
}

/* Many small discs share each cell of the grid. They are thrown at each other from all sides. */
static void balls_that_rush_through_each_others_lists_do_not_overlap(void **state)
{
    (void)state;
    struct world *world = make_world(BALLS, 4);
    add_room(world, 0.6);
    uint64_t sequence = 9;
    for (int i = 0; i < BALLS; i++) {
        int place = 23 * i % 64; /* neighbors have very different numbers */
        double x_m = -0.49 + 0.14 * (place % 8), y_m = -0.49 + 0.14 * (place / 8);
        const struct body_def ball = {
            .radius_m = 0.03, .pose = {x_m, y_m, 0.0}, .mass_kg = 0.1, .restitution = 1.0};
        size_t index = world_add_body(world, &ball);
        world->bodies[index].velocity =
            (struct vec2){4.0 * next_number(&sequence) - 2.0, 4.0 * next_number(&sequence) - 2.0};
    }
    double deepest = 0.0;
    for (int step = 0; step < 5000; step++) {
        world_step(world, STEP_S);
        deepest = fmax(deepest, deepest_of_balls(world));
        if (step % 100 == 0)
            assert_neighbors_are_in_order(world);
    }
    print_message("deepest overlap %.3f mm\n", 1e3 * deepest);
    assert_true(deepest < 0.004);
    world_destroy(world);
}

enum { PILE = 2000, PILE_STEPS = 10 };

/* CPU seconds of some steps with fixed boxes, SPACING_M apart, and a robot near them. */
static double cost_of_pile(double spacing_m)
{
    struct world *world = make_world(PILE + 1, 0);
    (void)add_robot(world, -0.5, 0.0, 0.0);
    for (int i = 0; i < PILE; i++) {
        struct body_def crate = box(spacing_m * (i % 50), spacing_m * (i / 50), 0.0, 0.0);
        crate.length_m = crate.width_m = 0.2;
        (void)world_add_body(world, &crate);
    }
    clock_t begun = clock();
    for (int i = 0; i < PILE_STEPS; i++)
        world_step(world, STEP_S);
    double cost_s = (double)(clock() - begun) / CLOCKS_PER_SEC;
    world_destroy(world);
    return cost_s;
}

/* Testing all pairs would cost a thousand times more. */
static void boxes_that_never_move_cost_little_wherever_they_are(void **state)
{
    (void)state;
    double apart_s = cost_of_pile(0.5), together_s = cost_of_pile(0.0);
    print_message("apart %.2f ms, on one spot %.2f ms\n", 1e3 * apart_s, 1e3 * together_s);
    assert_true(together_s < 20 * apart_s + 0.05);
}

/* The order of bodies in a cell (fixed ones last) changes no result. */
static void a_robot_on_fixed_and_loose_boxes_touches_all_of_them(void **state)
{
    (void)state;
    for (int is_first = 0; is_first < 2; is_first++) {
        struct world *world = make_world(61, 0);
        bool is_touched[61] = {false};
        size_t robot = is_first ? 0 : 60, count;
        for (size_t i = 0; i < 61; i++) {
            struct body_def crate = box(0.001 * (double)i, 0.0, 0.0, i % 30 ? 0.0 : 1.0);
            crate.length_m = crate.width_m = 0.1;
            if (i == robot)
                (void)add_robot(world, 0.0, 0.0, 0.0);
            else
                (void)world_add_body(world, &crate);
        }
        world_step(world, STEP_S);
        const struct world_contact *contacts = world_contacts(world, &count);
        for (size_t i = 0; i < count; i++) {
            assert_false(contacts[i].other != WORLD_WALL && contacts[i].body == contacts[i].other);
            if (contacts[i].body == robot)
                is_touched[contacts[i].other] = true;
            if (contacts[i].other == robot)
                is_touched[contacts[i].body] = true;
        }
        for (size_t i = 0; i < 61; i++)
            assert_true(is_touched[i] || i == robot);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_that_pushes_for_a_minute_does_not_overlap),
        cmocka_unit_test(a_body_touches_all_of_more_than_it_can_list),
        cmocka_unit_test(a_robot_at_very_many_walls_opens_none_for_its_neighbor),
        cmocka_unit_test(balls_that_rush_through_each_others_lists_do_not_overlap),
        cmocka_unit_test(boxes_that_never_move_cost_little_wherever_they_are),
        cmocka_unit_test(a_robot_on_fixed_and_loose_boxes_touches_all_of_them),
        cmocka_unit_test(the_same_run_gives_the_same_bits_wherever_its_memory_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
