/* What a robot senses of the world: shades of the floor, things in a cone, things hidden behind
 * others, and other robots. The sensors are put onto a Kobuki by hand, as it has none of these. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "sim/parse/scene_parse.h"
#include "sim/room/sensors.h"
#include "sim/state/state.h"
#include "tests/unit/kobuki_rig.h"

#define ROBOT "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\n"

/* What one sensor reads now, mounted on the first robot. */
static struct sensor_reading sense(const struct rig *rig, const struct sensor_spec *spec)
{
    struct sim_robot *robot = &rig->sim->robots[0];
    const struct robot_body *own = robot->body;
    struct robot_body body = *own;
    body.sensors[body.sensor_count++] = *spec;
    robot->body = &body;
    sensors_sample(robot);
    robot->body = own;
    return robot->sensors.sensor[own->sensor_count];
}

/* How bright the floor is at a place of the room, seen from the robot at (2, 2). */
static double shade_at(const struct rig *rig, double x_m, double y_m)
{
    const struct sensor_spec spec = {
        .kind = SENSOR_GROUND, .x_m = x_m - 2, .y_m = y_m - 2, .z_m = 0.01};
    return sense(rig, &spec).reflectance;
}

static void the_floor_is_white_without_shades_and_dark_below_an_edge(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene("world:\n  size: {x: 4, y: 4}\n"
                                    "  cliffs: [{points: [{x: 3, y: 0}, {x: 4, y: 0}, {x: 4, y: "
                                    "4}, {x: 3, y: 4}]}]\n" ROBOT,
                                    NULL);
    assert_true(shade_at(&rig, 2.05, 2) == 1);
    assert_true(shade_at(&rig, 3.5, 2) == 0);
    rig_do(&rig, "kobuki.lift up=true");
    rig_run(&rig, 0.01);
    assert_true(shade_at(&rig, 2.05, 2) == 0);
    rig_close(&rig);
}

static void lines_lie_upon_shades_and_later_ones_upon_earlier(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(
        "world:\n  size: {x: 4, y: 4}\n"
        "  shades:\n"
        "    - {points: [{x: 1, y: 1}, {x: 3, y: 1}, {x: 3, y: 3}, {x: 1, y: 3}], reflectance: "
        "0.5}\n"
        "    - {points: [{x: 2, y: 1}, {x: 3, y: 1}, {x: 3, y: 3}, {x: 2, y: 3}], reflectance: "
        "0.25}\n"
        "  lines:\n"
        "    - {from: {x: 0, y: 2}, to: {x: 4, y: 2}}\n"
        "    - {from: {x: 2.5, y: 0}, to: {x: 2.5, y: 4}, width: 0.1, reflectance: 0.75}\n" ROBOT,
        NULL);
    assert_true(shade_at(&rig, 0.5, 1.5) == 1);
    assert_true(shade_at(&rig, 1.5, 1.5) == 0.5);
    assert_true(shade_at(&rig, 2.3, 1.5) == 0.25);
    assert_true(shade_at(&rig, 2.3, 2.009) == 0 && shade_at(&rig, 2.3, 2.011) == 0.25);
    assert_true(shade_at(&rig, 2.5, 2) == 0.75 && shade_at(&rig, 2.549, 1.2) == 0.75);
    rig_close(&rig);
}

static void a_picture_of_the_floor_spans_the_room(void **state)
{
    (void)state;
    static const char yaml[] = "world: {size: {x: 4, y: 4}, floor_image: f.png}\n" ROBOT;
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, strlen(yaml), "f.yaml", &error);
    assert_non_null(scene);
    scene->floor = (struct scene_floor){malloc(4), 2, 2};
    assert_non_null(scene->floor.gray);
    memcpy(scene->floor.gray, "\x00\x33\xff\x66", 4); /* from the top */
    struct rig rig = {.scene = scene, .sim = sim_create(scene, NULL, NULL, &error)};
    assert_non_null(rig.sim);
    assert_true(shade_at(&rig, 1, 1) == 1 && fabs(shade_at(&rig, 3, 1) - 0.4) < 1e-12);
    assert_true(shade_at(&rig, 1, 3) == 0 && fabs(shade_at(&rig, 3, 3) - 0.2) < 1e-12);
    assert_true(shade_at(&rig, 4.5, 5) == shade_at(&rig, 3, 3)); /* no farther than its edge */
    assert_true(shade_at(&rig, -0.5, -0.5) == shade_at(&rig, 1, 1));
    rig_close(&rig);
}

static const struct sensor_spec ray = {
    .kind = SENSOR_RANGE, .x_m = 0.18, .z_m = 0.05, .range_m = 1.5, .rays = 1};

static void a_cone_finds_what_a_ray_misses(void **state)
{
    (void)state;
    /* A thin post at 20 degrees, 0.6 m away. */
    struct rig rig =
        rig_open_scene("world:\n  size: {x: 4, y: 4}\n"
                       "  discs: [{pose: {x: 2.7438, y: 2.2052}, radius: 0.05}]\n" ROBOT,
                       NULL);
    struct sensor_spec cone = ray;
    cone.rays = 9;
    assert_true(sense(&rig, &ray).distance_m == 1.5);
    cone.cone_half_rad = 10 * ANGLE_PI / 180;
    assert_true(sense(&rig, &cone).distance_m == 1.5);
    cone.cone_half_rad = 30 * ANGLE_PI / 180;
    assert_true(fabs(sense(&rig, &cone).distance_m - 0.557) < 0.002);
    assert_true(fabs(sense(&rig, &cone).reflectance - 0.8) < 1e-12);
    cone.heading_rad = ANGLE_PI;
    assert_true(sense(&rig, &cone).distance_m == 1.5);
    rig_close(&rig);
}

static void what_stands_behind_is_not_seen(void **state)
{
    (void)state;
    struct rig rig =
        rig_open_scene("world:\n  size: {x: 4, y: 4}\n"
                       "  boxes: [{pose: {x: 3.2, y: 2}, size: {x: 0.2, y: 0.2}}]\n"
                       "  walls: [{from: {x: 2.8, y: 1.5}, to: {x: 2.8, y: 2.5}}]\n"
                       "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}\n",
                       NULL);
    assert_true(fabs(sense(&rig, &ray).distance_m - 0.62) < 1e-9); /* the wall hides the box */
    rig_close(&rig);
    rig = rig_open_scene("world:\n  size: {x: 4, y: 4}\n"
                         "  boxes: [{pose: {x: 3.2, y: 2}, size: {x: 0.2, y: 0.2}}]\n" ROBOT,
                         NULL);
    assert_true(fabs(sense(&rig, &ray).distance_m - 0.92) < 1e-9);
    rig_close(&rig);
}

static void robots_sense_each_other_and_not_one_that_is_lifted(void **state)
{
    (void)state;
    struct rig rig =
        rig_open_scene("world:\n  size: {x: 6, y: 4}\n"
                       "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}\n"
                       "  - {name: other, type: kobuki, pose: {x: 3, y: 2, heading: 90}}\n",
                       NULL);
    double radius = rig.sim->robots[1].body->radius_m;
    assert_true(fabs(sense(&rig, &ray).distance_m - (0.82 - radius)) < 1e-9);
    struct sensor_spec back = ray;
    back.heading_rad = ANGLE_PI; /* through its own body, which it does not see */
    assert_true(sense(&rig, &back).distance_m == 1.5);
    rig_do(&rig, "other.place x=2.8 y=2");
    rig_run(&rig, 0.01);
    assert_true(fabs(sense(&rig, &ray).distance_m - (0.62 - radius)) < 1e-9);
    rig_do(&rig, "other.lift up=true");
    rig_run(&rig, 0.01);
    assert_true(sense(&rig, &ray).distance_m == 1.5);
    rig_close(&rig);
}

/* ---- Colors, light and sound ---- */

static void a_dark_box_throws_back_less_than_a_bright_one(void **state)
{
    (void)state;
    static const char *const colors[] = {"black", "\"#808080\"", "white"};
    double last = 0;
    for (int i = 0; i < 3; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 "world:\n  size: {x: 4, y: 4}\n"
                 "  boxes: [{pose: {x: 2.8, y: 2}, size: {x: 0.2, y: 0.2}, color: %s}]\n" ROBOT,
                 colors[i]);
        struct rig rig = rig_open_scene(yaml, NULL);
        double reflectance = sense(&rig, &ray).reflectance;
        assert_true(reflectance > last + 0.04 && reflectance <= 1);
        last = reflectance;
        rig_close(&rig);
    }
}

static void a_lamp_is_brighter_near_by_and_hidden_behind_a_wall(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene("world:\n  size: {x: 6, y: 4}\n  light: 0.25\n"
                                    "  lamps: [{at: {x: 4.18, y: 2}, brightness: 0.4}]\n" ROBOT,
                                    NULL);
    struct sensor_spec back = ray;
    back.heading_rad = ANGLE_PI;
    assert_true(fabs(sense(&rig, &ray).level - (0.25 + 0.4 / 4)) < 1e-9);
    assert_true(fabs(sense(&rig, &back).level - 0.25) < 1e-9);
    struct sensor_spec aslant = ray;
    aslant.heading_rad = 60 * ANGLE_PI / 180;
    assert_true(fabs(sense(&rig, &aslant).level - (0.25 + 0.2 / 4)) < 1e-9);
    rig_do(&rig, "kobuki.place x=3.9 y=2");
    rig_run(&rig, 0.01);
    assert_true(sense(&rig, &ray).level == 1);
    rig_close(&rig);
    rig = rig_open_scene("world:\n  size: {x: 6, y: 4}\n  light: 0\n"
                         "  walls: [{from: {x: 3, y: 1}, to: {x: 3, y: 3}}]\n"
                         "  lamps: [{at: {x: 4.18, y: 2}}]\n" ROBOT,
                         NULL);
    assert_true(sense(&rig, &ray).level == 0);
    rig_close(&rig);
}

static void another_robot_is_heard_less_from_farther_away_and_from_behind(void **state)
{
    (void)state;
    struct rig rig =
        rig_open_scene("world:\n  size: {x: 9, y: 4}\n"
                       "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}\n"
                       "  - {name: other, type: kobuki, pose: {x: 3.1, y: 2, heading: 90}}\n",
                       NULL);
    const struct sensor_spec front = {.kind = SENSOR_MICROPHONE, .x_m = 0.1};
    const struct sensor_spec behind = {.kind = SENSOR_MICROPHONE, .x_m = -0.1};
    struct robot_actuators *speaker = &rig.sim->robots[1].actuators;
    assert_true(sense(&rig, &front).level == 0);
    speaker->sound_hz = 440;
    speaker->sound_level = 0.5;
    sensors_actuate(&rig.sim->robots[1]);
    double near = sense(&rig, &front).level;
    assert_true(near > 0 && sense(&rig, &behind).level < near / 2);
    rig.sim->robots[1].pose.x_m = 4.1; /* 2 m from the microphone, where it was 1 m */
    assert_true(fabs(sense(&rig, &front).level - near / 2) < 1e-9);
    speaker->sound_level = 0;
    assert_true(sense(&rig, &front).level == 0);
    rig_close(&rig);
}

static void a_knock_is_felt_however_seldom_one_looks(void **state)
{
    (void)state;
    /* 0.5 m/s into a wall, while the firmware looks every 20 ms: what it feels adds up to the
     * speed. */
    struct rig rig = rig_open_scene("world: {size: {x: 3, y: 4}}\n" ROBOT, NULL);
    const struct sim_robot *robot = &rig.sim->robots[0];
    double felt_m_s = 0, knock = 0;
    int64_t felt_us = robot->felt_us, samples = 0;
    for (int i = 0; i < 2000; i++) {
        rig_base(&rig, 500, 0);
        rig_run(&rig, 0.001);
        if (robot->felt_us == felt_us)
            continue;
        felt_m_s += robot->sensors.accel_m_s2[0] * (double)(robot->felt_us - felt_us) * 1e-6;
        felt_us = robot->felt_us;
        knock = fmin(knock, robot->sensors.accel_m_s2[0]);
        assert_true(fabs(felt_m_s - robot->felt_m_s.x) < 0.005); /* it turns a little */
        samples++;
    }
    assert_true(samples < 1000);
    assert_true(rig_get(&rig, "kobuki.collisions") >= 1);
    assert_true(knock < -5);
    rig_close(&rig);
}

/* Puts the robot into the wall at x = 4 by a millimeter, or away from it, and steps once. */
static void put(struct rig *rig, bool is_touching)
{
    const struct sim_robot *robot = &rig->sim->robots[0];
    double x_m = is_touching ? 4 - robot->body->radius_m + 0.001 : 2;
    world_place(rig->sim->world, robot->body_index, (struct pose){x_m, 2, 0});
    rig_run(rig, 0.001);
}

static void touches_within_a_tenth_of_a_second_are_one_collision(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene("world: {size: {x: 4, y: 4}}\n" ROBOT, NULL);
    const struct sim_robot *robot = &rig.sim->robots[0];
    put(&rig, true);
    assert_int_equal(robot->collisions, 1);
    /* Counted from the last touch, not from the first. */
    for (int i = 0; i < 5; i++) {
        for (int ms = 1; ms < 100; ms++)
            put(&rig, false);
        put(&rig, true);
        assert_int_equal(robot->collisions, 1);
    }
    for (int ms = 1; ms < 101; ms++)
        put(&rig, false);
    put(&rig, true);
    assert_int_equal(robot->collisions, 2);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_floor_is_white_without_shades_and_dark_below_an_edge),
        cmocka_unit_test(lines_lie_upon_shades_and_later_ones_upon_earlier),
        cmocka_unit_test(a_picture_of_the_floor_spans_the_room),
        cmocka_unit_test(a_cone_finds_what_a_ray_misses),
        cmocka_unit_test(what_stands_behind_is_not_seen),
        cmocka_unit_test(robots_sense_each_other_and_not_one_that_is_lifted),
        cmocka_unit_test(a_dark_box_throws_back_less_than_a_bright_one),
        cmocka_unit_test(a_lamp_is_brighter_near_by_and_hidden_behind_a_wall),
        cmocka_unit_test(another_robot_is_heard_less_from_farther_away_and_from_behind),
        cmocka_unit_test(a_knock_is_felt_however_seldom_one_looks),
        cmocka_unit_test(touches_within_a_tenth_of_a_second_are_one_collision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
