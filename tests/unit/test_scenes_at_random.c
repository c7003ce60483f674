/* Random scenes through the whole simulation. Whatever happens in them, no body leaves the room, no
 * body overlaps another, and every run of a scene is the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"
#include "physics/world.h"
#include "sim/state/state.h"
#include "tests/support/sample.h"
#include "tests/unit/kobuki_rig.h"

enum { SCENES = 10, COLUMNS = 5, ROWS = 4, CELLS = COLUMNS * ROWS, YAML_MAX = 8192 };

#define CELL_M    0.62  /* room for a robot and a little more */
#define OVERLAP_M 0.002 /* the largest allowed overlap */

/* ---- Scenes ---- */

struct dice {
    uint64_t key, count;
};

static double roll(struct dice *dice, double low, double high)
{
    return low + (high - low) * rng_uniform(dice->key, dice->count++);
}

static size_t pick(struct dice *dice, size_t count)
{
    return (size_t)roll(dice, 0, (double)count) % count;
}

enum thing { NOTHING, ROBOT, BOX, DISC, WALL };

struct plan {
    enum thing things[CELLS];
    double x[CELLS], y[CELLS], heading[CELLS], mass[CELLS];
    double wide_m;
};

static struct plan make_plan(struct dice *dice, int robots)
{
    struct plan plan = {.wide_m = 0};
    for (int placed = 0; placed < robots;) {
        size_t cell = pick(dice, CELLS);
        placed += plan.things[cell] == NOTHING;
        plan.things[cell] = ROBOT;
    }
    for (size_t i = 0; i < CELLS; i++) {
        static const enum thing others[] = {NOTHING, BOX, BOX, DISC, DISC, WALL};
        if (plan.things[i] == NOTHING)
            plan.things[i] = others[pick(dice, sizeof others / sizeof others[0])];
        plan.x[i] = CELL_M * ((double)(i % COLUMNS) + 0.5) + roll(dice, -0.1, 0.1);
        plan.y[i] = CELL_M * ((double)(i / COLUMNS) + 0.5) + roll(dice, -0.1, 0.1);
        plan.heading[i] = roll(dice, -180, 180);
        plan.mass[i] = roll(dice, 0, 1) < 0.2 ? 0 : roll(dice, 0.1, 6);
    }
    return plan;
}

/* All objects of a kind, as items of a YAML list. */
static size_t write_things(char *yaml, size_t used, const struct plan *plan, enum thing kind)
{
    for (size_t i = 0; i < CELLS; i++) {
        double x = plan->x[i], y = plan->y[i];
        if (plan->things[i] != kind)
            continue;
        char *to = yaml + used;
        size_t room = YAML_MAX - used;
        if (kind == BOX)
            used += (size_t)snprintf(to, room,
                                     "    - {pose: {x: %.4f, y: %.4f, heading: %.1f}, size: {x: "
                                     "0.25, y: %.3f}, mass: %.2f}\n",
                                     x, y, plan->heading[i], 0.03 + 0.02 * (double)(i % 9),
                                     plan->mass[i]);
        else if (kind == DISC)
            used += (size_t)snprintf(to, room,
                                     "    - {pose: {x: %.4f, y: %.4f}, radius: %.3f, mass: %.2f}\n",
                                     x, y, 0.02 + 0.01 * (double)(i % 12), plan->mass[i]);
        else if (kind == WALL)
            used += (size_t)snprintf(
                to, room, "    - {from: {x: %.4f, y: %.4f}, to: {x: %.4f, y: %.4f}}\n", x, y,
                x + 0.15 * cos(plan->heading[i]), y + 0.15 * sin(plan->heading[i]));
    }
    return used;
}

static size_t write_robots(char *yaml, size_t used, const struct plan *plan, bool backwards)
{
    used += (size_t)snprintf(yaml + used, YAML_MAX - used, "robots:\n");
    for (size_t n = 0; n < CELLS; n++) {
        size_t i = backwards ? CELLS - 1 - n : n;
        if (plan->things[i] == ROBOT)
            used += (size_t)snprintf(
                yaml + used, YAML_MAX - used,
                "  - {name: r%zu, type: kobuki, pose: {x: %.4f, y: %.4f, heading: %.1f}}\n", i,
                plan->x[i], plan->y[i], plan->heading[i]);
    }
    return used;
}

/* FAR: one more robot, in a wing of the room that the others do not reach. */
static struct rig open_plan(const struct plan *plan, unsigned seed, bool backwards, bool far)
{
    static char yaml[YAML_MAX];
    size_t used =
        (size_t)snprintf(yaml, sizeof yaml, "seed: %u\nworld:\n  size: {x: %.3f, y: %.3f}\n", seed,
                         CELL_M * COLUMNS + plan->wide_m, CELL_M * ROWS);
    used += (size_t)snprintf(yaml + used, sizeof yaml - used, "  boxes:\n");
    used = write_things(yaml, used, plan, BOX);
    used += (size_t)snprintf(yaml + used, sizeof yaml - used, "  discs:\n");
    used = write_things(yaml, used, plan, DISC);
    used += (size_t)snprintf(yaml + used, sizeof yaml - used, "  walls:\n");
    used = write_things(yaml, used, plan, WALL);
    if (plan->wide_m > 0)
        used += (size_t)snprintf(yaml + used, sizeof yaml - used,
                                 "    - {from: {x: %.3f, y: 0}, to: {x: %.3f, y: %.3f}}\n",
                                 CELL_M * COLUMNS, CELL_M * COLUMNS, CELL_M * ROWS);
    used = write_robots(yaml, used, plan, backwards);
    if (far)
        snprintf(yaml + used, sizeof yaml - used,
                 "  - {name: far, type: kobuki, pose: {x: %.3f, y: 0.5}}\n",
                 CELL_M * COLUMNS + 0.5);
    return rig_open_scene(yaml, NULL);
}

/* ---- Driving ---- */

/* Base control of a Kobuki (Kobuki protocol, Base Control), a new goal every second for each robot.
 * The goal depends only on the robot's name and the time. */
static void send_wishes(struct sim *sim, uint64_t key)
{
    for (size_t c = 0; c < sim_channel_count(sim); c++) {
        unsigned channel;
        const char *name = sim_robot_name(sim, sim_channel_robot(sim, c, &channel));
        int64_t second = sim_now_us(sim) / 1000000;
        struct dice dice = {rng_key(key, name), (uint64_t)second * 2};
        int speed = (int)roll(&dice, -500, 700), radius = (int)roll(&dice, -600, 600);
        uint8_t frame[] = {0xaa,
                           0x55,
                           6,
                           1,
                           4,
                           (uint8_t)(speed & 0xff),
                           (uint8_t)((unsigned)speed >> 8 & 0xff),
                           (uint8_t)(radius & 0xff),
                           (uint8_t)((unsigned)radius >> 8 & 0xff),
                           0};
        for (size_t i = 2; i < sizeof frame - 1; i++)
            frame[sizeof frame - 1] ^= frame[i];
        sim_host_bytes(sim, c, frame, sizeof frame);
        const uint8_t *bytes;
        size_t size;
        while (sim_output(sim, c, &bytes, &size))
            ;
    }
}

static void start_hosts(struct sim *sim)
{
    for (size_t c = 0; c < sim_channel_count(sim); c++)
        sim_host_present(sim, c, true);
}

static void run_wildly(struct rig *rig, uint64_t key, int milliseconds)
{
    start_hosts(rig->sim);
    for (int step = 0; step < milliseconds; step++) {
        if (step % 100 == 0)
            send_wishes(rig->sim, key);
        sim_step(rig->sim);
    }
}

/* ---- What must hold ---- */

static void check_robots(const struct sim *sim)
{
    for (size_t i = 0; i < sim->robot_count; i++) {
        const struct sim_robot *a = &sim->robots[i];
        double radius = a->body->radius_m;
        assert_true(isfinite(a->pose.x_m) && isfinite(a->pose.y_m) &&
                    isfinite(a->pose.heading_rad) && isfinite(a->speed_m_s));
        double x = a->pose.x_m, y = a->pose.y_m;
        if (x < radius - OVERLAP_M || y < radius - OVERLAP_M ||
            x > sim->scene->size_x_m - radius + OVERLAP_M ||
            y > sim->scene->size_y_m - radius + OVERLAP_M)
            fail_msg("%s is at (%g, %g) after %g s", a->name, x, y, sim->time_s);
        for (size_t k = 0; k < i; k++) {
            const struct sim_robot *b = &sim->robots[k];
            double apart = hypot(x - b->pose.x_m, y - b->pose.y_m);
            if (apart < 2 * radius - OVERLAP_M)
                fail_msg("%s lies in %s by %g m after %g s", a->name, b->name, 2 * radius - apart,
                         sim->time_s);
        }
    }
}

/* Boxes and discs, with the order of bodies that the scene's lists have. */
static void check_things(const struct sim *sim, const struct scene *scene)
{
    size_t body = sim->robot_count;
    for (size_t i = 0; i < scene->box_count + scene->disc_count; i++, body++) {
        struct body_def def = {.pose = world_pose(sim->world, body)};
        if (i < scene->box_count) {
            def.shape = WORLD_BOX;
            def.length_m = scene->boxes[i].length_m;
            def.width_m = scene->boxes[i].width_m;
        } else {
            def.radius_m = scene->discs[i - scene->box_count].radius_m;
        }
        assert_true(def.pose.x_m > 0 && def.pose.x_m < scene->size_x_m && def.pose.y_m > 0 &&
                    def.pose.y_m < scene->size_y_m);
        if (world_overlaps(sim->world, &def, body, OVERLAP_M))
            fail_msg("%s %zu lies in something after %g s at (%g, %g)",
                     i < scene->box_count ? "box" : "disc", i, sim->time_s, def.pose.x_m,
                     def.pose.y_m);
    }
}

static double deepest_m(const struct sim *sim)
{
    size_t count;
    const struct world_contact *contacts = world_contacts(sim->world, &count);
    double deepest = 0;
    for (size_t i = 0; i < count; i++)
        deepest = fmax(deepest, contacts[i].depth_m);
    return deepest;
}

static void nobody_leaves_the_room_and_nothing_lies_in_anything(void **state)
{
    (void)state;
    double deepest = 0, collisions = 0;
    for (unsigned seed = 1; seed <= SCENES; seed += (unsigned)sample_stride()) {
        struct dice dice = {seed, 0};
        struct plan plan = make_plan(&dice, 3 + (int)seed % 5);
        struct rig rig = open_plan(&plan, seed, false, false);
        start_hosts(rig.sim);
        for (int step = 0; step < 60000; step++) {
            if (step % 100 == 0)
                send_wishes(rig.sim, seed);
            sim_step(rig.sim);
            deepest = fmax(deepest, deepest_m(rig.sim));
            if (step % 10 == 0)
                check_robots(rig.sim);
            if (step % 50 == 0)
                check_things(rig.sim, rig.scene);
        }
        for (size_t i = 0; i < rig.sim->robot_count; i++)
            collisions += (double)rig.sim->robots[i].collisions;
        rig_close(&rig);
    }
    print_message("deepest overlap %.3f mm, %.0f collisions\n", 1e3 * deepest, collisions);
    assert_true(deepest < OVERLAP_M);
    assert_true(collisions > 100); /* otherwise this test proves nothing */
}

static void twenty_runs_have_one_hash(void **state)
{
    (void)state;
    struct dice dice = {77, 0};
    struct plan plan = make_plan(&dice, 6);
    uint64_t first = 0;
    for (int i = 0; i < 20; i++) {
        struct rig rig = open_plan(&plan, 5, false, false);
        run_wildly(&rig, 5, 5000);
        uint64_t hash = sim_hash(rig.sim);
        first = i == 0 ? hash : first;
        assert_true(hash == first);
        rig_close(&rig);
    }
}

static uint64_t hash_of_crowd(const struct plan *plan, bool backwards, bool far)
{
    struct rig rig = open_plan(plan, 5, backwards, far);
    run_wildly(&rig, 5, 20000);
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < rig.sim->robot_count; i++) {
        const struct sim_robot *robot = &rig.sim->robots[rig.sim->by_name[i]];
        if (strcmp(robot->name, "far") == 0) {
            assert_true(robot->collisions > 0);
            continue;
        }
        hash = hash_bytes(hash, &robot->pose, sizeof robot->pose);
        hash = hash_bytes(hash, robot->sensors.wheel_rad, sizeof robot->sensors.wheel_rad);
    }
    assert_true(far == (sim_robot_count(rig.sim) == 7));
    rig_close(&rig);
    return hash;
}

static void a_crowd_that_collides_is_the_same_in_any_order_and_with_company_far_away(void **state)
{
    (void)state;
    struct dice dice = {78, 0};
    struct plan plan = make_plan(&dice, 6);
    plan.wide_m = 3;
    uint64_t alone = hash_of_crowd(&plan, false, false);
    assert_true(hash_of_crowd(&plan, true, false) == alone);
    assert_true(hash_of_crowd(&plan, false, true) == alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_leaves_the_room_and_nothing_lies_in_anything),
        cmocka_unit_test(twenty_runs_have_one_hash),
        cmocka_unit_test(a_crowd_that_collides_is_the_same_in_any_order_and_with_company_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
