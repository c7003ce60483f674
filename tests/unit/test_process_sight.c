/* Cameras and scanners of a robot of a body file whose firmware is a process: several of each, with
 * dead ones among them, and on a robot that rides on another one. The process is a function. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/process/process.h"
#include "sim/body/body_file.h"
#include "sim/parse/scene_parse.h"
#include "sim/state/state.h"
#include "sim/watch/snapshot.h"
#include "sim/watch/watch.h"
#include "tests/support/allocations.h"
#include "tests/support/simulation.h"

enum { FRONT, REAR, LIDAR, BACK_LIDAR, SENSORS };

static const char body[] =
    "firmware: {run: nothing}\n"
    "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
    "sensors:\n"
    "- {name: front, kind: camera, x: 0.1, z: 0.08, cone_half: 30, width: 80, height: 60}\n"
    "- {name: rear, kind: camera, x: -0.1, z: 0.08, heading: 180, cone_half: 30, width: 64, "
    "height: "
    "64}\n"
    "- {name: lidar, kind: scanner, z: 0.09, range: 5}\n"
    "- {name: back_lidar, kind: scanner, x: -0.05, z: 0.09, heading: 180, range: 5}\n"
    "battery: {empty: 9, full: 12}\n"
    "channels: [{name: uart, baud: 9600}]\n";

/* A red box fills the middle of the front view; there is a wall 2 m behind the robot. */
static const char world[] =
    "world:\n  size: {x: 4, y: 4}\n"
    "  boxes: [{pose: {x: 2.6, y: 2}, size: {x: 0.2, y: 0.2}, color: red, height: 0.3}]\n";

/* Answers with SAYS, and keeps the sights of the last question. */
struct seer {
    struct process_shape shape;
    struct process_answer says;
    size_t count;
    struct robot_sight seen[PROCESS_OBSERVATIONS_MAX];
    double distances_m[SENSORS], last_m[SENSORS]; /* of the first and of the last ray */
    uint8_t middle[SENSORS][3];                   /* of pictures: the pixel in the middle */
};

static size_t answer(void *context, size_t robot, const struct robot_question *question,
                     uint8_t *out, size_t room)
{
    struct seer *seer = context;
    (void)robot, (void)room;
    seer->count = question->sight_count;
    for (size_t i = 0; i < question->sight_count; i++) {
        const struct robot_sight *sight = &question->sights[i];
        size_t middle = (size_t)(sight->image.height / 2) * sight->image.width;
        seer->seen[i] = *sight;
        if (sight->echo_count > 0) {
            seer->distances_m[sight->sensor] = sight->echoes[0].distance_m;
            seer->last_m[sight->sensor] = sight->echoes[sight->echo_count - 1].distance_m;
        } else {
            memcpy(seer->middle[sight->sensor],
                   sight->image.rgb + (middle + sight->image.width / 2) * 3, 3);
        }
    }
    return process_answer_write(&seer->shape, &seer->says, out);
}

struct stand {
    struct simulation simulation;
    struct seer seer;
};

static void stand_open_body(struct stand *stand, const char *own_body, const char *robots)
{
    char text[1024];
    struct error error = {0};
    struct custom_robot *own = custom_robot_parse(own_body, strlen(own_body), "seer.yaml", &error);
    if (!own)
        fail_msg("%s", error.text);
    snprintf(own->word, sizeof own->word, "./seer.yaml");
    snprintf(text, sizeof text, "%s%s", world, robots);
    const struct run_rows rows = {.ask = answer, .ask_context = &stand->seer};
    *stand = (struct stand){.seer.says = {.wait_us = 1000, .observation_count = SENSORS}};
    for (uint32_t i = 0; i < SENSORS; i++)
        stand->seer.says.observations[i] =
            (struct process_observation){.sensor = i, .rays = i >= LIDAR};
    stand->simulation.scene = scene_parse_own(text, strlen(text), "s.yaml", own, &error);
    if (stand->simulation.scene)
        stand->simulation.sim = sim_create(stand->simulation.scene, NULL, &rows, &error);
    if (!stand->simulation.sim)
        fail_msg("%s", error.text);
    const struct sim_robot *robot = &stand->simulation.sim->robots[0];
    stand->seer.shape = process_shape_of(robot->type, robot->body);
}

static void stand_open(struct stand *stand, const char *robots)
{
    stand_open_body(stand, body, robots);
}

static void steps(struct stand *stand, int count)
{
    for (int i = 0; i < count; i++)
        sim_step(stand->simulation.sim);
}

static bool is_red(const uint8_t *rgb)
{
    return rgb[0] > 60 && rgb[1] == 0 && rgb[2] == 0;
}

static bool is_black(const uint8_t *rgb)
{
    return rgb[0] + rgb[1] + rgb[2] == 0;
}

static const char alone[] = "robots: [{name: bot, type: ./seer.yaml, pose: {x: 2, y: 2}}]\n";

static void each_camera_and_scanner_sees_what_is_before_it(void **state)
{
    (void)state;
    struct stand stand;
    stand_open(&stand, alone);
    const struct seer *seer = &stand.seer;
    steps(&stand, 5);
    assert_int_equal(seer->count, SENSORS);
    assert_true(seer->seen[FRONT].image.width == 80 && seer->seen[FRONT].image.height == 60);
    assert_true(seer->seen[REAR].image.width == 64 && seer->seen[REAR].image.height == 64);
    assert_true(is_red(seer->middle[FRONT]) && !is_red(seer->middle[REAR]));
    assert_true(fabs(seer->distances_m[LIDAR] - 0.5) < 1e-6);
    assert_true(fabs(seer->distances_m[BACK_LIDAR] - 1.95) < 1e-6);

    // A smaller picture shows the same, and the window shows that picture.
    stand.seer.says.observations[FRONT].width = 9;
    size_t before = allocations;
    stand.seer.says.observation_count = 1;
    steps(&stand, 5);
    assert_true(seer->seen[FRONT].image.width == 9 && seer->seen[FRONT].image.height == 7);
    assert_true(is_red(seer->middle[FRONT]));
    assert_int_equal(stand.simulation.sim->robots[0].sensors.image.width, 9);
    assert_int_equal(allocations, before);
    simulation_close(&stand.simulation);
}

/* The rays go from each scanner's own heading to its left: first they hit the box or a wall, at the
 * end another wall. */
static void each_scanner_has_the_echoes_of_its_own_rays(void **state)
{
    (void)state;
    struct stand stand;
    stand_open(&stand, alone);
    const struct seer *seer = &stand.seer;
    for (int i = LIDAR; i <= BACK_LIDAR; i++) {
        stand.seer.says.observations[i].rays = i == LIDAR ? 500 : 300;
        stand.seer.says.observations[i].to_rad = 3.14159265358979323846 / 2;
    }
    steps(&stand, 5);
    assert_int_equal(seer->count, SENSORS);
    assert_int_equal(seer->seen[LIDAR].echo_count, 500);
    assert_int_equal(seer->seen[BACK_LIDAR].echo_count, 300);
    assert_true(fabs(seer->distances_m[LIDAR] - 0.5) < 1e-6);
    assert_true(fabs(seer->last_m[LIDAR] - 2) < 1e-6);
    assert_true(fabs(seer->distances_m[BACK_LIDAR] - 1.95) < 1e-6);
    assert_true(fabs(seer->last_m[BACK_LIDAR] - 2) < 1e-6);
    assert_true(is_red(seer->middle[FRONT]));
    simulation_close(&stand.simulation);
}

/* The last observations: a picture with red in the middle, and the end of each ray. */
static void a_window_shows_what_it_looked_at(void **state)
{
    (void)state;
    struct stand stand;
    stand_open(&stand, alone);
    struct sim *sim = stand.simulation.sim;
    stand.seer.says.observations[REAR] = stand.seer.says.observations[LIDAR];
    stand.seer.says.observations[REAR].rays = 3;
    stand.seer.says.observations[REAR].to_rad = 3;
    stand.seer.says.observation_count = 2;
    steps(&stand, 5);
    struct watch *watch = watch_create(sim, WATCH_TRAILS_AND_FRAMES);
    size_t size = snapshot_size(sim);
    struct snapshot *snapshot = aligned_alloc(16, (size + 15) & ~(size_t)15);
    assert_true(snapshot && watch && snapshot_fill(sim, watch, snapshot, size));
    const struct snapshot_robot *robot = snapshot_at(snapshot, snapshot->robots);
    const uint8_t *pixels = snapshot_at(snapshot, robot->image);
    assert_true(robot->image_width == 80 && robot->image_height == 60);
    assert_true(is_red(pixels + (30 * 80 + 40) * 3));
    const struct snapshot_point *points = snapshot_at(snapshot, robot->scan);
    assert_int_equal(robot->scan_count, 3);
    assert_true(fabs((double)points[0].x_m - 0.5) < 2e-3 && fabs((double)points[0].y_m) < 2e-3);
    free(snapshot);
    watch_destroy(watch);
    simulation_close(&stand.simulation);
}

static void a_picture_that_is_too_large_for_a_window_leaves_the_last_one(void **state)
{
    (void)state;
    static const char large[] =
        "firmware: {run: nothing}\n"
        "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
        "sensors:\n"
        "- {name: front, kind: camera, x: 0.1, z: 0.08, cone_half: 30, width: 320, height: 240}\n"
        "battery: {empty: 9, full: 12}\n"
        "channels: [{name: uart, baud: 9600}]\n";
    struct stand stand;
    stand_open_body(&stand, large, alone);
    struct sim *sim = stand.simulation.sim;
    size_t size = snapshot_size(sim);
    struct snapshot *snapshot = aligned_alloc(16, (size + 15) & ~(size_t)15);
    assert_non_null(snapshot);
    memset(snapshot, 0, size);
    assert_true(snapshot_fill(sim, NULL, snapshot, size));
    const struct snapshot_robot *robot = snapshot_at(snapshot, snapshot->robots);
    assert_true(robot->image_width == 0 && robot->image_height == 0);
    stand.seer.says.observation_count = 1;
    static const struct {
        uint32_t asked, seen, shown;
    } rows[] = {{80, 80, 80}, {0, 320, 80}, {120, 120, 120}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stand.seer.says.observations[FRONT].width = rows[i].asked;
        steps(&stand, 5);
        assert_int_equal(stand.seer.seen[0].image.width, rows[i].seen);
        assert_true(snapshot_fill(sim, NULL, snapshot, size));
        assert_int_equal(robot->image_width, rows[i].shown);
        assert_int_equal(robot->image_height, rows[i].shown * 3 / 4);
    }
    free(snapshot);
    simulation_close(&stand.simulation);
}

static void what_is_dead_sees_nothing_and_the_rest_goes_on(void **state)
{
    (void)state;
    struct stand stand;
    stand_open(&stand, alone);
    const struct seer *seer = &stand.seer;
    simulation_do(stand.simulation.sim, "bot.fault front=dead for=0.1");
    simulation_do(stand.simulation.sim, "bot.fault lidar=dead for=0.1");
    steps(&stand, 5);
    assert_true(is_black(seer->middle[FRONT]) && !is_black(seer->middle[REAR]));
    assert_true(isinf(seer->distances_m[LIDAR]) &&
                fabs(seer->distances_m[BACK_LIDAR] - 1.95) < 1e-6);
    steps(&stand, 200);
    assert_true(is_red(seer->middle[FRONT]) && fabs(seer->distances_m[LIDAR] - 0.5) < 1e-6);
    simulation_close(&stand.simulation);
}

/* Mounted at 0.4 m on a Kobuki, the sensors are above the box, which is 0.3 m high. They no longer
 * see it. */
static void a_camera_that_rides_sees_from_up_there(void **state)
{
    (void)state;
    struct stand stand;
    stand_open(&stand, "robots:\n- {name: bot, type: ./seer.yaml, mount: {on: kobuki, z: 0.4}}\n"
                       "- {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}\n");
    const struct seer *seer = &stand.seer;
    steps(&stand, 5);
    assert_int_equal(seer->count, SENSORS);
    assert_false(is_red(seer->middle[FRONT]));
    assert_true(fabs(seer->distances_m[LIDAR] - 2) < 1e-6);
    simulation_close(&stand.simulation);
}

/* Mounted off the middle of the Kobuki, and turned. The rear scanner is behind the middle of the
 * mounted robot, which is toward the Kobuki's right. */
static void a_scanner_that_rides_stands_where_both_put_it(void **state)
{
    (void)state;
    struct stand stand;
    stand_open(&stand,
               "robots:\n- {name: bot, type: ./seer.yaml, mount: {on: kobuki, x: 0.02, y: 0.1, "
               "z: 0.4, heading: 90}}\n"
               "- {name: kobuki, type: kobuki, pose: {x: 2, y: 2, heading: 90}}\n");
    const struct seer *seer = &stand.seer;
    steps(&stand, 5); // it is at (1.9, 2.02) and looks along -x
    assert_true(fabs(seer->distances_m[LIDAR] - 1.9) < 1e-6);
    assert_true(fabs(seer->distances_m[BACK_LIDAR] - (2.1 - 0.05)) < 1e-6);
    simulation_close(&stand.simulation);
}

static const char *power_of(const struct sim *sim)
{
    size_t signal = sim_signal_find(sim, "bot.power");
    assert_true(signal != SIZE_MAX);
    const struct sim_signal info = sim_signal_info(sim, signal);
    return sim_signal_word(&info, sim_signal_value(sim, signal));
}

/* The rows of the run are not used. */
static void a_robot_has_no_power_without_the_process_that_is_its_firmware(void **state)
{
    (void)state;
    struct stand stand;
    struct error error = {0};
    stand_open(&stand, alone);
    steps(&stand, 5);
    assert_string_equal(power_of(stand.simulation.sim), "on");
    sim_destroy(stand.simulation.sim);
    stand.simulation.sim = sim_create(stand.simulation.scene, NULL, NULL, &error);
    assert_non_null(stand.simulation.sim);
    steps(&stand, 5);
    assert_string_equal(power_of(stand.simulation.sim), "off");
    simulation_close(&stand.simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_camera_and_scanner_sees_what_is_before_it),
        cmocka_unit_test(each_scanner_has_the_echoes_of_its_own_rays),
        cmocka_unit_test(a_window_shows_what_it_looked_at),
        cmocka_unit_test(a_picture_that_is_too_large_for_a_window_leaves_the_last_one),
        cmocka_unit_test(what_is_dead_sees_nothing_and_the_rest_goes_on),
        cmocka_unit_test(a_camera_that_rides_sees_from_up_there),
        cmocka_unit_test(a_scanner_that_rides_stands_where_both_put_it),
        cmocka_unit_test(a_robot_has_no_power_without_the_process_that_is_its_firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
