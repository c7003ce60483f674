/* The sensors of a robot: shades of the floor, objects in a cone, hidden objects, and other robots.
 * The test adds the sensors to a Kobuki, which has none of these. */
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

/* The present value of one sensor, mounted on the first robot. */
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

/* A room with a floor of four pixels: 0 and 0.2 above, 1 and 0.4 below. */
static struct scene *scene_with_floor(void)
{
    static const char yaml[] = "world: {size: {x: 4, y: 4}, floor_image: f.png}\n" ROBOT;
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, strlen(yaml), "f.yaml", &error);
    assert_non_null(scene);
    scene->floor = (struct scene_floor){malloc(4), 2, 2};
    assert_non_null(scene->floor.gray);
    memcpy(scene->floor.gray, "\x00\x33\xff\x66", 4); /* from the top */
    return scene;
}

static void a_picture_of_the_floor_spans_the_room(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_with_floor();
    struct rig rig = {.scene = scene, .sim = sim_create(scene, NULL, NULL, &error)};
    assert_non_null(rig.sim);
    assert_true(shade_at(&rig, 1, 1) == 1 && fabs(shade_at(&rig, 3, 1) - 0.4) < 1e-12);
    assert_true(shade_at(&rig, 1, 3) == 0 && fabs(shade_at(&rig, 3, 3) - 0.2) < 1e-12);
    assert_true(shade_at(&rig, 4.5, 5) ==
                shade_at(&rig, 3, 3)); /* no farther than the edge of the floor */
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

/* ---- Places of sensors ---- */

/* A body with only these sensors, which exists while a test uses them. */
static struct robot_body body_with(const struct rig *rig, const struct sensor_spec *specs,
                                   size_t count)
{
    struct robot_body body = *rig->sim->robots[0].body;
    memcpy(body.sensors, specs, count * sizeof *specs);
    body.sensor_count = count;
    return body;
}

static double echo_m(struct sim_robot *robot, const struct robot_body *body, size_t sensor,
                     double heading_rad, int64_t at_us)
{
    const struct robot_body *own = robot->body;
    struct robot_echo echo = {0};
    robot->body = body;
    struct robot_rays rays = scanner_rays(robot);
    assert_non_null(rays.cast);
    rays.cast(rays.context, sensor, heading_rad, 0, at_us, &echo);
    robot->body = own;
    return echo.distance_m;
}

static void each_of_two_scanners_measures_from_its_place(void **state)
{
    (void)state;
    static const struct sensor_spec specs[] = {
        {.kind = SENSOR_SCANNER, .x_m = 0.15, .z_m = 0.05, .range_m = 20},
        {.kind = SENSOR_SCANNER, .x_m = -0.15, .z_m = 0.05, .range_m = 20},
    };
    struct rig rig = rig_open(NULL);
    struct sim_robot *robot = &rig.sim->robots[0];
    const struct robot_body body = body_with(&rig, specs, 2);
    rig_run(&rig, 0.01);
    for (size_t i = 0; i < 4; i++) {
        size_t sensor = i % 2;
        assert_true(fabs(echo_m(robot, &body, sensor, 0, sim_now_us(rig.sim)) -
                         (10 - specs[sensor].x_m)) < 1e-6);
    }
    rig_close(&rig);
}

/* On a robot that turns on the spot, with the scanner near its rim. */
static void a_ray_starts_where_the_scanner_was_at_its_moment(void **state)
{
    (void)state;
    enum { PAST_US = 5000 };
    static const struct sensor_spec spec = {
        .kind = SENSOR_SCANNER, .x_m = 0.15, .z_m = 0.05, .range_m = 20};
    struct rig rig = rig_open(NULL);
    struct sim_robot *robot = &rig.sim->robots[0];
    const struct robot_body body = body_with(&rig, &spec, 1);
    rig_drive(&rig, 200, 1, 1);
    double turned_rad = robot->pose.heading_rad;
    for (int i = 0; i < 100; i++) {
        struct pose then = robot->pose;
        int64_t then_us = sim_now_us(rig.sim);
        struct vec2 from = geom_to_world(then, (struct vec2){spec.x_m, 0});
        rig_drive(&rig, 200, 1, PAST_US * 1e-6);
        // Along x, to the wall of the room.
        double found_m = echo_m(robot, &body, 0, -then.heading_rad, then_us);
        assert_true(fabs(found_m - (20 - from.x)) < 1e-4);
        rig_drive(&rig, 200, 1, 0.03);
    }
    assert_true(robot->pose.heading_rad - turned_rad > 2 * ANGLE_PI * 0.75);
    rig_close(&rig);
}

static void a_compass_shows_north_as_the_sensor_is_mounted(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene("world: {size: {x: 4, y: 4}}\n" ROBOT, NULL);
    struct sim_robot *robot = &rig.sim->robots[0];
    const struct robot_body *own = robot->body;
    for (int quarters = -1; quarters <= 1; quarters++) {
        const struct sensor_spec specs[] = {
            {.kind = SENSOR_IMU, .heading_rad = quarters * ANGLE_PI / 2}, ray};
        for (size_t at = 0; at < 2; at++) { // the first of the list, and the last
            const struct sensor_spec list[] = {specs[at], specs[1 - at]};
            const struct robot_body body = body_with(&rig, list, 2);
            robot->body = &body;
            sensors_sample(robot);
            robot->body = own;
            // North is +y; the robot looks along +x.
            double north_ut = robot->sensors.field_ut[1], ahead_ut = robot->sensors.field_ut[0];
            assert_true(fabs(ahead_ut - 20 * quarters) < 1e-9);
            assert_true(fabs(north_ut - (quarters == 0 ? 20 : 0)) < 1e-9);
        }
    }
    rig_close(&rig);
}

static void a_polygon_is_met_at_its_edges(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(
        "world:\n  size: {x: 4, y: 4}\n"
        "  polygons: [{points: [{x: 2.6, y: 1.8}, {x: 3, y: 1.8}, {x: 3, y: 2.2}, {x: 2.6, y: "
        "2.2}]}]\n" ROBOT,
        NULL);
    for (int i = -3; i <= 3; i++) {
        struct sensor_spec parallel = ray;
        parallel.y_m = 0.06 * i;
        assert_true(fabs(sense(&rig, &parallel).distance_m - 0.42) < 1e-9);
    }
    rig_close(&rig);
}

static void a_picture_of_the_floor_begins_at_the_corner_of_the_room(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_with_floor();
    scene->low = (struct vec2){-0.5, 0.5}; /* as a map has it */
    struct rig rig = {.scene = scene, .sim = sim_create(scene, NULL, NULL, &error)};
    assert_non_null(rig.sim);
    // Its middle is at (1.5, 2.5).
    assert_true(shade_at(&rig, 1.4, 2.4) == 1 && shade_at(&rig, 1.4, 2.6) == 0);
    assert_true(fabs(shade_at(&rig, 1.6, 2.4) - 0.4) < 1e-12);
    assert_true(fabs(shade_at(&rig, 1.6, 2.6) - 0.2) < 1e-12);
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

static void
a_sensor_inside_a_lamp_sees_all_light_and_one_on_a_wall_is_not_hidden_by_it(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene("world:\n  size: {x: 6, y: 4}\n  light: 0\n"
                                    "  lamps: [{at: {x: 2.18, y: 2}, brightness: 0.4}]\n" ROBOT,
                                    NULL);
    assert_true(sense(&rig, &ray).level == 1);
    rig_close(&rig);
    rig = rig_open_scene("world:\n  size: {x: 6, y: 4}\n  light: 0\n"
                         "  walls: [{from: {x: 3.18, y: 1}, to: {x: 3.18, y: 3}}]\n"
                         "  lamps: [{at: {x: 3.18, y: 2}, brightness: 0.4}]\n" ROBOT,
                         NULL);
    assert_true(fabs(sense(&rig, &ray).level - 0.4) < 1e-9);
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
    rig.sim->robots[1].pose.x_m = 4.1; /* 2 m from the microphone; before it was 1 m */
    assert_true(fabs(sense(&rig, &front).level - near / 2) < 1e-9);
    speaker->sound_level = 0;
    assert_true(sense(&rig, &front).level == 0);
    rig_close(&rig);
}

/* A speaker and a microphone in the middle of a body have no side. */
static void a_sound_comes_from_no_side_where_there_is_none(void **state)
{
    (void)state;
    struct rig rig =
        rig_open_scene("world:\n  size: {x: 9, y: 4}\n"
                       "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}\n"
                       "  - {name: other, type: kobuki, pose: {x: 3, y: 2, heading: 90}}\n",
                       NULL);
    const struct sensor_spec middle = {.kind = SENSOR_MICROPHONE};
    const struct sensor_spec front = {.kind = SENSOR_MICROPHONE, .x_m = 0.1};
    const struct sensor_spec behind = {.kind = SENSOR_MICROPHONE, .x_m = -0.1};
    struct sim_robot *robots = rig.sim->robots;
    for (int speaks = 0; speaks < 2; speaks++) {
        struct robot_actuators *speaker = &robots[speaks].actuators;
        speaker->sound_hz = 440;
        speaker->sound_level = 0.5;
        sensors_actuate(&robots[speaks]);
        // The full level up to 5 cm, and less with increasing distance.
        if (speaks == 0) {
            assert_true(fabs(sense(&rig, &middle).level - 0.5) < 1e-9);
            assert_true(fabs(sense(&rig, &front).level - 0.5 * 0.05 / 0.1) < 1e-9);
            assert_true(fabs(sense(&rig, &behind).level - 0.5 * 0.05 / 0.1) < 1e-9);
        } else {
            assert_true(fabs(sense(&rig, &middle).level - 0.5 * 0.05) < 1e-9);
            double ahead = sense(&rig, &front).level, back = sense(&rig, &behind).level;
            assert_true(fabs(ahead - 0.5 * 0.05 / 0.9) < 1e-9);
            assert_true(back > 0 && back < ahead / 2);
        }
        speaker->sound_hz = 0; // no tone, at any level
        assert_true(sense(&rig, &middle).level == 0);
        sensors_actuate(&robots[speaks]);
    }
    rig_close(&rig);
}

/* ---- Motors ---- */

static void a_sensor_of_current_measures_its_motor_or_all(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    const struct sim_robot *robot = &rig.sim->robots[0];
    struct sensor_spec spec = {.kind = SENSOR_CURRENT};
    rig_drive(&rig, 300, 300, 0.3); // in a curve, while it gathers speed
    double all_a = sense(&rig, &spec).level, sum_a = 0;
    for (size_t i = 0; i < robot->body->wheel_count; i++) {
        spec.motor = (uint8_t)(i + 1);
        assert_true(robot->sensors.motor_a[i] != 0);
        assert_true(sense(&rig, &spec).level == robot->sensors.motor_a[i]);
        // A chopper takes current from the battery for a part of the time.
        sum_a += robot->sensors.motor_a[i] * robot->actuators.motor[i];
    }
    assert_true(robot->sensors.motor_a[0] != robot->sensors.motor_a[1]);
    assert_true(all_a > 0 && fabs(all_a - sum_a) < 1e-9);
    rig_close(&rig);
}

static void a_servo_turns_a_sensor_as_fast_to_either_side(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene("world: {size: {x: 4, y: 4}}\n" ROBOT, NULL);
    struct sim_robot *robot = &rig.sim->robots[0];
    for (int side = -1; side <= 1; side += 2) {
        double was_rad = robot->aim_rad[0];
        robot->actuators.aim_rad[0] = side * 0.5;
        // 60 degrees in 0.1 s, so about 0.01 rad in a step of 1 ms.
        for (int i = 0; i < 40; i++) {
            sensors_actuate(robot);
            double by_rad = side * (robot->aim_rad[0] - was_rad);
            assert_true(by_rad > 0.0104 && by_rad < 0.0106);
            was_rad = robot->aim_rad[0];
        }
        for (int i = 0; i < 100; i++)
            sensors_actuate(robot);
        assert_true(fabs(robot->aim_rad[0] - side * 0.5) < 1e-12);
    }
    rig_close(&rig);
}

static void a_knock_is_felt_however_seldom_one_looks(void **state)
{
    (void)state;
    /* 0.5 m/s into a wall, while the firmware reads every 20 ms: the measured accelerations add up
     * to the speed. */
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

/* Puts the robot 1 mm into the wall at x = 4, or away from it, and makes one step. */
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
        cmocka_unit_test(each_of_two_scanners_measures_from_its_place),
        cmocka_unit_test(a_ray_starts_where_the_scanner_was_at_its_moment),
        cmocka_unit_test(a_compass_shows_north_as_the_sensor_is_mounted),
        cmocka_unit_test(a_polygon_is_met_at_its_edges),
        cmocka_unit_test(a_picture_of_the_floor_begins_at_the_corner_of_the_room),
        cmocka_unit_test(a_dark_box_throws_back_less_than_a_bright_one),
        cmocka_unit_test(a_lamp_is_brighter_near_by_and_hidden_behind_a_wall),
        cmocka_unit_test(another_robot_is_heard_less_from_farther_away_and_from_behind),
        cmocka_unit_test(
            a_sensor_inside_a_lamp_sees_all_light_and_one_on_a_wall_is_not_hidden_by_it),
        cmocka_unit_test(a_sound_comes_from_no_side_where_there_is_none),
        cmocka_unit_test(a_sensor_of_current_measures_its_motor_or_all),
        cmocka_unit_test(a_servo_turns_a_sensor_as_fast_to_either_side),
        cmocka_unit_test(a_knock_is_felt_however_seldom_one_looks),
        cmocka_unit_test(touches_within_a_tenth_of_a_second_are_one_collision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
