/* Snapshots of whole simulations: their data about robots, wires, light and odometry. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "sim/parse/scene_map.h"
#include "sim/parse/scene_parse.h"
#include "sim/room/beam.h"
#include "sim/room/room.h"
#include "sim/room/scenery.h"
#include "sim/state/state.h"
#include "sim/watch/frame_splitter.h"
#include "sim/watch/snapshot.h"
#include "sim/watch/watch.h"
#include "tests/support/allocations.h"
#include "tests/support/simulation.h"

static const char DOCK_ROOM[] =
    "name: 对接\n"
    "world:\n"
    "  size: {x: 6, y: 4}\n"
    "  walls: [{from: {x: 1, y: 0}, to: {x: 1, y: 1}}]\n"
    "  boxes: [{pose: {x: 3, y: 3.4}, size: {x: 0.4, y: 0.3}, mass: 1}]\n"
    "  discs: [{pose: {x: 2, y: 3}, radius: 0.2}]\n"
    "  cliffs: [{points: [{x: 5, y: 0}, {x: 6, y: 0}, {x: 6, y: 0.5}], depth: 0.3}]\n"
    "  docks: [{name: dock, pose: {x: 5.7, y: 2, heading: 180}}]\n"
    "robots: [{name: kobuki, label: 小机器人, type: kobuki, pose: {x: 4.5, y: 2, heading: 0}}]\n";

/* ---- A simulation with a buffer for its snapshot ---- */

struct rig {
    struct simulation simulation;
    struct watch *watch;
    struct snapshot *snapshot;
    size_t size;
};

static struct rig rig_of(struct simulation simulation)
{
    struct rig rig = {.simulation = simulation};
    rig.watch = watch_create(rig.simulation.sim, WATCH_TRAILS_AND_FRAMES);
    assert_non_null(rig.watch);
    rig.size = snapshot_size(rig.simulation.sim);
    rig.snapshot = aligned_alloc(16, (rig.size + 15) & ~(size_t)15);
    assert_non_null(rig.snapshot);
    memset(rig.snapshot, 0, rig.size);
    return rig;
}

static struct rig rig_open(const char *yaml)
{
    return rig_of(simulation_open(yaml, NULL));
}

static void rig_close(struct rig *rig)
{
    free(rig->snapshot);
    watch_destroy(rig->watch);
    simulation_close(&rig->simulation);
}

/* Runs MS milliseconds with a host that reads all the time and writes BYTES every 100 ms. */
static void run(struct rig *rig, int ms, const uint8_t *bytes, size_t size)
{
    struct sim *sim = rig->simulation.sim;
    for (int i = 0; i < ms; i++) {
        if (size > 0 && i % 100 == 0)
            sim_host_bytes(sim, 0, bytes, size);
        sim_step(sim);
        const uint8_t *out;
        size_t out_size;
        while (sim_output(sim, 0, &out, &out_size)) {
        }
    }
    assert_true(snapshot_fill(sim, rig->watch, rig->snapshot, rig->size));
}

static const struct snapshot_robot *robot_of(const struct rig *rig)
{
    return snapshot_at(rig->snapshot, rig->snapshot->robots);
}

#define PI 3.14159265358979

static double distance(struct snapshot_pose a, struct snapshot_pose b)
{
    return hypot(a.x_m - b.x_m, a.y_m - b.y_m);
}

/* ---- Tests ---- */

static void all_signals_are_in_it(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    run(&rig, 50, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_signal *rows = snapshot_at(snapshot, snapshot->signals);
    const double *values = snapshot_at(snapshot, snapshot->values);
    assert_int_equal(snapshot->signals.count, sim_signal_count(rig.simulation.sim));
    for (size_t i = 0; i < snapshot->signals.count; i++) {
        const struct sim_signal info = sim_signal_info(rig.simulation.sim, i);
        assert_string_equal(snapshot_text(snapshot, rows[i].name), info.name);
        assert_string_equal(snapshot_text(snapshot, rows[i].unit), info.unit);
        const char *word = snapshot_text(snapshot, rows[i].words);
        assert_int_equal(rows[i].words != 0, info.names != NULL);
        for (size_t k = 0; info.names && info.names[k]; k++) {
            assert_string_equal(word, info.names[k]);
            word += strlen(word) + 1;
        }
        assert_true(!info.names || *word == '\0');
        assert_true(values[i] == sim_signal_value(rig.simulation.sim, i));
    }
    rig_close(&rig);
}

/* Those of its channels included, and no others: one robot in the room. */
static void the_signals_of_a_robot_begin_with_its_name(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    run(&rig, 1, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_robot *robot = robot_of(&rig);
    const struct snapshot_signal *rows = snapshot_at(snapshot, snapshot->signals);
    char start[SNAPSHOT_NAME_MAX + 1];
    snprintf(start, sizeof start, "%s.", robot->name);
    size_t count = 0;
    for (size_t i = 0; i < snapshot->signals.count; i++) {
        bool is_its = strncmp(snapshot_text(snapshot, rows[i].name), start, strlen(start)) == 0;
        bool is_in = i >= robot->first_signal && i < robot->first_signal + robot->signals.count;
        assert_int_equal(is_in, is_its);
        count += is_its;
    }
    assert_true(count > 20);
    assert_ptr_equal(snapshot_at(snapshot, robot->signals), rows + robot->first_signal);
    rig_close(&rig);
}

static void names_are_any_utf8(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    run(&rig, 1, NULL, 0);
    assert_string_equal(rig.snapshot->title, "对接");
    assert_string_equal(robot_of(&rig)->label, "小机器人");
    assert_string_equal(robot_of(&rig)->name, "kobuki");
    rig_close(&rig);
}

static void what_stands_in_the_room_is_in_it(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    run(&rig, 1, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_wall *walls = snapshot_at(snapshot, snapshot->walls);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    const struct snapshot_disc *discs = snapshot_at(snapshot, snapshot->discs);
    const struct snapshot_polygon *cliffs = snapshot_at(snapshot, snapshot->cliffs);
    assert_int_equal(snapshot->walls.count, 1);
    assert_true(walls[0].to.y_m == 1);
    assert_int_equal(snapshot->boxes.count, 1);
    assert_true(boxes[0].pose.x_m == 3 && boxes[0].mass_kg == 1);
    assert_int_equal(snapshot->discs.count, 1);
    assert_true(discs[0].pose.x_m == 2 && discs[0].mass_kg == 0);
    assert_int_equal(snapshot->cliffs.count, 1);
    assert_int_equal(cliffs[0].points.count, 3);
    const struct snapshot_point *corners = snapshot_at(snapshot, cliffs[0].points);
    assert_true(corners[0].x_m == 5 && corners[0].y_m == 0);
    assert_true(corners[2].x_m == 6 && corners[2].y_m == 0.5f);
    assert_true(fabsf(cliffs[0].value - 0.3f) < 1e-6f);
    rig_close(&rig);
}

static void shades_and_polygons_are_told_apart(void **state)
{
    (void)state;
    struct rig rig = rig_open(
        "world:\n"
        "  size: {x: 6, y: 4}\n"
        "  shades: [{points: [{x: 1, y: 1}, {x: 2, y: 1}, {x: 2, y: 2}], reflectance: 0.25}]\n"
        "  polygons: [{points: [{x: 3, y: 1}, {x: 4, y: 1}, {x: 4, y: 2}, {x: 3, y: 2}], color: "
        "\"#102030\"}]\n"
        "robots: [{name: a, type: kobuki, pose: {x: 5, y: 3}}]\n");
    run(&rig, 1, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_polygon *shades = snapshot_at(snapshot, snapshot->shades);
    const struct snapshot_polygon *polygons = snapshot_at(snapshot, snapshot->polygons);
    assert_int_equal(snapshot->shades.count, 1);
    assert_int_equal(shades[0].points.count, 3);
    assert_true(shades[0].value == 0.25f);
    assert_int_equal(snapshot->polygons.count, 1);
    assert_int_equal(polygons[0].points.count, 4);
    assert_true(polygons[0].color == 0x102030FF);
    rig_close(&rig);
}

static void lamps_lines_and_docks_are_in_it(void **state)
{
    (void)state;
    struct rig rig = rig_open(
        "world:\n"
        "  size: {x: 6, y: 4}\n"
        "  lamps: [{at: {x: 1, y: 2}, brightness: 0.5}, {at: {x: 3, y: 1}, brightness: 0.25}]\n"
        "  lines: [{from: {x: 1, y: 1}, to: {x: 2, y: 3}, width: 0.5, reflectance: 0.25}]\n"
        "  docks:\n"
        "  - {name: first, pose: {x: 5.7, y: 2, heading: 180}}\n"
        "  - {name: second, type: home_base, pose: {x: 5.7, y: 1, heading: 180}}\n"
        "robots: [{name: a, type: kobuki, pose: {x: 5, y: 3}}]\n");
    run(&rig, 1, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_lamp *lamps = snapshot_at(snapshot, snapshot->lamps);
    assert_int_equal(snapshot->lamps.count, 2);
    assert_true(lamps[0].at.x_m == 1 && lamps[0].at.y_m == 2 && lamps[0].brightness == 0.5f);
    assert_true(lamps[1].at.x_m == 3 && lamps[1].at.y_m == 1 && lamps[1].brightness == 0.25f);
    const struct snapshot_line *lines = snapshot_at(snapshot, snapshot->lines);
    assert_int_equal(snapshot->lines.count, 1);
    assert_true(lines[0].from.x_m == 1 && lines[0].from.y_m == 1);
    assert_true(lines[0].to.x_m == 2 && lines[0].to.y_m == 3);
    assert_true(lines[0].width_m == 0.5f && lines[0].reflectance == 0.25f);
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    assert_int_equal(snapshot->docks.count, 2);
    assert_string_equal(docks[0].name, "first");
    assert_string_equal(docks[1].name, "second");
    assert_int_equal(docks[0].kind, DOCK_KOBUKI);
    assert_int_equal(docks[1].kind, DOCK_HOME_BASE);
    assert_true(docks[1].pose.x_m == 5.7 && docks[1].pose.y_m == 1);
    rig_close(&rig);
}

static struct scene *parse(const char *yaml)
{
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, strlen(yaml), "rig.yaml", &error);
    if (!scene)
        fail_msg("%s", error.text);
    return scene;
}

static struct rig rig_open_scene(struct scene *scene)
{
    struct error error = {0};
    struct simulation simulation = {scene, sim_create(scene, NULL, NULL, &error)};
    if (!simulation.sim)
        fail_msg("%s", error.text);
    return rig_of(simulation);
}

static void a_picture_of_the_floor_is_in_it(void **state)
{
    (void)state;
    static const char pixels[] = "\x00\x33\xff\x66\x99\xcc";
    struct scene *scene = parse("world: {size: {x: 6, y: 4}, floor_image: f.png}\n"
                                "robots: [{name: a, type: kobuki, pose: {x: 5, y: 3}}]\n");
    scene->floor = (struct scene_floor){malloc(6), 3, 2};
    assert_non_null(scene->floor.gray);
    memcpy(scene->floor.gray, pixels, 6);
    struct rig rig = rig_open_scene(scene);
    run(&rig, 1, NULL, 0);
    assert_int_equal(rig.snapshot->floor_width, 3);
    assert_int_equal(rig.snapshot->floor_height, 2);
    assert_int_equal(rig.snapshot->floor.count, 6);
    assert_memory_equal(snapshot_at(rig.snapshot, rig.snapshot->floor), pixels, 6);
    rig_close(&rig);
}

/* Points that a LiDAR measured in a room of 4 m by 3 m. All are near the walls, relative to the
 * pose of the robot. */
static void check_scan(const struct rig *rig)
{
    const struct snapshot_robot *robot = robot_of(rig);
    const struct snapshot_point *points = snapshot_at(rig->snapshot, robot->scan);
    assert_in_range(robot->scan_count, 300, 900);
    double sine = sin((double)robot->pose.heading_rad),
           cosine = cos((double)robot->pose.heading_rad);
    for (uint32_t i = 0; i < robot->scan_count; i++) {
        double along = (double)points[i].x_m, aside = (double)points[i].y_m;
        double x = (double)robot->pose.x_m + along * cosine - aside * sine;
        double y = (double)robot->pose.y_m + along * sine + aside * cosine;
        double off = fmin(fmin(fabs(x), fabs(x - 4)), fmin(fabs(y), fabs(y - 3)));
        if (off > 0.1)
            fail_msg("point %u of %u is %g m from all walls", i, robot->scan_count, off);
    }
}

static void a_scan_is_drawn_on_the_walls_that_it_met(void **state)
{
    (void)state;
    struct rig rig = rig_open("world: {size: {x: 4, y: 3}}\n"
                              "robots: [{name: a, type: ld06, pose: {x: 1, y: 1, heading: 20}}]\n");
    run(&rig, 1000, NULL, 0);
    check_scan(&rig);
    assert_true(snapshot_fill(rig.simulation.sim, rig.watch, rig.snapshot, rig.size));
    check_scan(&rig);
    simulation_do(rig.simulation.sim, "a.place x=3 y=2 heading=100");
    run(&rig, 150, NULL, 0); /* a turn and a half */
    check_scan(&rig);
    rig_close(&rig);
}

static void sensors_are_drawn_with_what_they_measure(void **state)
{
    (void)state;
    struct rig rig =
        rig_open("world: {size: {x: 4, y: 3}}\n"
                 "robots: [{name: a, type: epuck2, pose: {x: 0.08, y: 1, heading: 170}}]\n");
    run(&rig, 100, NULL, 0);
    const struct sim_robot *robot = &rig.simulation.sim->robots[0];
    size_t near = 0;
    for (size_t i = 0; i < robot->body->sensor_count; i++) {
        const struct sensor_reading *is = &robot->sensors.sensor[i];
        assert_true(robot_of(&rig)->sensors[i].distance_m == (float)is->distance_m);
        near += is->distance_m > 0 && is->distance_m < 0.1;
    }
    assert_true(near > 2);
    rig_close(&rig);
}

/* Cameras see each side of a polygon, whatever the number of corners. */
static void a_polygon_is_closed(void **state)
{
    (void)state;
    static const double corners[][2] = {{1, 1}, {3, 1}, {3.5, 2}, {2, 3}, {0.8, 2.5}};
    for (size_t count = 3; count <= 5; count++) {
        char yaml[512] = "world:\n  size: {x: 6, y: 4}\n  polygons: [{points: [";
        for (size_t i = 0; i < count; i++)
            sprintf(yaml + strlen(yaml), "%s{x: %g, y: %g}", i ? ", " : "", corners[i][0],
                    corners[i][1]);
        strcat(yaml, "]}]\nrobots: [{name: a, type: kobuki, pose: {x: 5, y: 1}}]\n");
        struct simulation simulation = simulation_open(yaml, NULL);
        const struct scenery *scenery = &simulation.sim->room->scenery;
        for (size_t i = 0; i < count; i++) {
            const double *a = corners[i], *b = corners[(i + 1) % count];
            size_t found = 0;
            for (size_t k = 0; k < scenery->wall_count; k++) {
                const struct scenery_wall *wall = &scenery->walls[k];
                found += wall->a.x == a[0] && wall->a.y == a[1] && wall->b.x == b[0] &&
                         wall->b.y == b[1];
            }
            assert_int_equal(found, 1);
        }
        simulation_close(&simulation);
    }
}

static void a_robot_is_described_as_its_body_is(void **state)
{
    (void)state;
    struct rig rig = rig_open("world: {size: {x: 8, y: 4}}\n"
                              "robots:\n"
                              "- {name: a, type: kobuki, pose: {x: 1, y: 2}}\n"
                              "- {name: b, type: cobot, pose: {x: 3, y: 2}}\n"
                              "- {name: c, type: epuck2, pose: {x: 5, y: 2}}\n");
    run(&rig, 1, NULL, 0);
    const struct snapshot_robot *robots = snapshot_at(rig.snapshot, rig.snapshot->robots);
    assert_true(robots[0].sensor_count > 0);
    for (size_t r = 0; r < 3; r++) {
        const struct robot_body *body = rig.simulation.sim->robots[r].body;
        const struct snapshot_robot *out = &robots[r];
        assert_int_equal(out->shape, body->shape);
        assert_int_equal(out->drive, body->drive);
        assert_true(out->radius_m == (float)body->radius_m);
        assert_true(out->length_m == (float)body->length_m);
        assert_true(out->width_m == (float)body->width_m);
        assert_true(out->center_x_m == (float)body->center_x_m);
        assert_int_equal(out->wheel_count, body->wheel_count);
        for (size_t i = 0; i < body->wheel_count; i++) {
            assert_true(out->wheels[i].x_m == (float)body->wheels[i].x_m);
            assert_true(out->wheels[i].roller_rad == (float)body->wheels[i].roller_rad);
            assert_true(out->wheels[i].y_m == (float)body->wheels[i].y_m);
            assert_true(out->wheels[i].radius_m == (float)body->wheels[i].radius_m);
        }
        assert_true(out->wheels[body->wheel_count].radius_m == 0);
        assert_int_equal(out->sensor_count, body->sensor_count);
        for (size_t i = 0; i < body->sensor_count; i++) {
            assert_int_equal(out->sensors[i].kind, body->sensors[i].kind);
            assert_true(out->sensors[i].heading_rad == (float)body->sensors[i].heading_rad);
            assert_true(out->sensors[i].range_m == (float)body->sensors[i].range_m);
        }
    }
    rig_close(&rig);
}

/* So that the snapshot of a fleet stays small. */
static void robots_of_one_type_share_the_list_of_their_parts(void **state)
{
    (void)state;
    struct rig rig = rig_open("world: {size: {x: 8, y: 4}}\n"
                              "robots:\n"
                              "- {name: a, type: kobuki, pose: {x: 1, y: 2}}\n"
                              "- {name: b, type: kobuki, pose: {x: 3, y: 2}}\n"
                              "- {name: c, type: epuck2, pose: {x: 5, y: 2}}\n");
    run(&rig, 1, NULL, 0);
    const struct snapshot_robot *robots = snapshot_at(rig.snapshot, rig.snapshot->robots);
    assert_true(robots[0].parts.count > 10);
    assert_memory_equal(&robots[0].parts, &robots[1].parts, sizeof robots[0].parts);
    assert_memory_equal(&robots[0].appearance, &robots[1].appearance, sizeof robots[0].appearance);
    assert_true(robots[2].parts.at != robots[0].parts.at);
    assert_true(robots[2].appearance.at != robots[0].appearance.at);
    rig_close(&rig);
}

/* Parts of a drawing that are lit, by the signals of this robot and not of another one. */
static void a_part_is_lit_by_the_signal_that_it_names(void **state)
{
    (void)state;
    size_t lit = 0;
    struct rig rig = rig_open("world: {size: {x: 8, y: 4}}\n"
                              "robots:\n"
                              "- {name: a, type: kobuki, pose: {x: 1, y: 2}}\n"
                              "- {name: b, type: kobuki, pose: {x: 3, y: 2}}\n");
    run(&rig, 1, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    const struct snapshot_signal *rows = snapshot_at(snapshot, snapshot->signals);
    for (size_t r = 0; r < 2; r++) {
        const struct robot_type *type = rig.simulation.sim->robots[r].type;
        const uint32_t *lights = snapshot_at(snapshot, robots[r].lit_by);
        for (size_t i = 0; i < type->appearance->count; i++) {
            char name[SNAPSHOT_NAME_MAX + 64];
            if (!type->appearance->rows[i].lit_by) {
                assert_int_equal(lights[i], UINT32_MAX);
                continue;
            }
            snprintf(name, sizeof name, "%s.%s", robots[r].name, type->appearance->rows[i].lit_by);
            assert_true(lights[i] < snapshot->signals.count);
            assert_string_equal(snapshot_text(snapshot, rows[lights[i]].name), name);
            lit++;
        }
    }
    assert_true(lit > 2);
    rig_close(&rig);
}

static void a_buffer_that_is_too_small_is_left_alone(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    assert_false(snapshot_fill(rig.simulation.sim, rig.watch, rig.snapshot, rig.size - 1));
    assert_false(snapshot_fill(rig.simulation.sim, rig.watch, rig.snapshot, 8));
    assert_false(snapshot_is_whole(rig.snapshot, rig.size));
    assert_true(snapshot_fill(rig.simulation.sim, rig.watch, rig.snapshot, rig.size));
    assert_true(snapshot_is_whole(rig.snapshot, rig.size));
    assert_false(snapshot_is_whole(rig.snapshot, rig.size - 1));
    rig_close(&rig);
}

static void the_static_part_is_written_only_when_it_has_changed(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    struct sim *sim = rig.simulation.sim;
    struct snapshot *snapshot = rig.snapshot;
    run(&rig, 1, NULL, 0);
    snapshot->title[0] = '?';
    run(&rig, 1, NULL, 0);
    assert_int_equal(snapshot->title[0], '?');

    /* Neither is a snapshot of this build. */
    snapshot->version--;
    run(&rig, 1, NULL, 0);
    assert_true(snapshot_is_whole(snapshot, rig.size));
    assert_string_equal(snapshot->title, "对接");
    snapshot->title[0] = '?';
    snapshot->magic--;
    run(&rig, 1, NULL, 0);
    assert_true(snapshot_is_whole(snapshot, rig.size));
    assert_string_equal(snapshot->title, "对接");

    uint64_t generation = snapshot->generation;
    simulation_do(sim, "world.wall from_x=2 from_y=1 to_x=3 to_y=1");
    size_t larger = snapshot_size(sim);
    assert_true(larger > rig.size);
    assert_false(snapshot_fill(sim, rig.watch, snapshot, rig.size));
    assert_int_equal(snapshot->walls.count, 1);
    rig.snapshot = aligned_alloc(16, (larger + 15) & ~(size_t)15);
    assert_non_null(rig.snapshot);
    memset(rig.snapshot, 0, larger);
    memcpy(rig.snapshot, snapshot, rig.size);
    free(snapshot);
    rig.size = larger;
    run(&rig, 1, NULL, 0);
    assert_true(rig.snapshot->generation != generation);
    assert_int_equal(rig.snapshot->walls.count, 2);
    const struct snapshot_wall *walls = snapshot_at(rig.snapshot, rig.snapshot->walls);
    assert_true(walls[1].from.x_m == 2 && walls[1].to.x_m == 3);
    rig_close(&rig);
}

static void it_is_filled_without_allocating(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    allocations = 0;
    run(&rig, 1, NULL, 0);
    run(&rig, 1, NULL, 0);
    assert_int_equal(allocations, 0);
    rig_close(&rig);
}

/* Base control 100 mm/s straight on (Kobuki protocol, Base Control). */
static const uint8_t drive_on[] = {0xaa, 0x55, 6, 1, 4, 0x64, 0x00, 0x00, 0x00, 0x67};

static void wheels_turn_as_far_as_the_robot_drives(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 1000, drive_on, sizeof drive_on);
    const struct snapshot_robot *robot = robot_of(&rig);
    double way_m = robot->pose.x_m - 4.5;
    assert_true(way_m > 0.05 && way_m < 0.2);
    for (size_t i = 0; i < 2; i++) {
        const struct snapshot_wheel *wheel = &robot->wheels[i];
        assert_true(fabs((double)(wheel->turned_rad * wheel->radius_m) - way_m) < 0.01);
        assert_true(wheel->heading_rad == 0);
    }
    assert_true(robot->speed_m_s > 0.09f && robot->speed_m_s < 0.11f);
    assert_true(fabsf(robot->turn_rad_s) < 0.01f);
    rig_close(&rig);
}

static void a_robot_that_turns_has_a_rate(void **state)
{
    (void)state;
    /* 100 mm/s, radius 1 mm: counter-clockwise on the spot. */
    static const uint8_t spin[] = {0xaa, 0x55, 6, 1, 4, 0x64, 0x00, 0x01, 0x00, 0x66};
    struct rig rig = rig_open(DOCK_ROOM);
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 900, spin, sizeof spin);
    double before_rad = robot_of(&rig)->pose.heading_rad;
    run(&rig, 100, NULL, 0);
    double rate_rad_s = (robot_of(&rig)->pose.heading_rad - before_rad) / 0.1;
    assert_true(rate_rad_s > 0.5);
    assert_true(fabs((double)robot_of(&rig)->turn_rad_s - rate_rad_s) < 0.05);
    rig_close(&rig);
}

static void wheels_of_a_lifted_robot_are_dropped(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        bool is_lifted, left, right;
    } rows[] = {
        {"kobuki.lift wheel=0", false, true, false},
        {"kobuki.lift up=false", false, false, false},
        {"kobuki.lift", true, true, true},
    };
    struct rig rig = rig_open(DOCK_ROOM);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        simulation_do(rig.simulation.sim, rows[i].command);
        run(&rig, 100, NULL, 0);
        assert_int_equal(robot_of(&rig)->is_lifted, rows[i].is_lifted);
        assert_int_equal(robot_of(&rig)->wheels[0].is_dropped, rows[i].left);
        assert_int_equal(robot_of(&rig)->wheels[1].is_dropped, rows[i].right);
    }
    rig_close(&rig);
}

static void steered_wheels_are_shown_as_they_are_steered(void **state)
{
    (void)state;
    /* Message 01 of the vendor's document: 20 degrees to the left. */
    static const uint8_t steer[] = {0xcd, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 20, 1 ^ 20};
    struct rig rig = rig_open("world: {size: {x: 8, y: 4}}\n"
                              "robots: [{name: a, type: cobot, pose: {x: 1, y: 2}, "
                              "options: {model: ackermann}}]\n");
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 600, steer, sizeof steer);
    const struct snapshot_robot *robot = robot_of(&rig);
    assert_int_equal(robot->drive, ROBOT_ACKERMANN);
    double angles[2] = {0}; /* of the front wheels: left, right */
    for (size_t i = 0; i < robot->wheel_count; i++)
        if (robot->wheels[i].x_m > 0)
            angles[robot->wheels[i].y_m < 0] = (double)robot->wheels[i].heading_rad * 180 / PI;
        else
            assert_true(robot->wheels[i].heading_rad == 0);
    /* The wheel on the inside of the curve is turned farther. */
    assert_true(angles[0] > 20 && angles[0] < 30);
    assert_true(angles[1] < 20 && angles[1] > 12);
    rig_close(&rig);
}

static void a_channel_is_as_its_cable_and_its_host_are(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    struct sim *sim = rig.simulation.sim;
    run(&rig, 50, NULL, 0);
    const struct snapshot_channel *channel = snapshot_at(rig.snapshot, rig.snapshot->channels);
    assert_int_equal(rig.snapshot->channels.count, 1);
    assert_string_equal(channel->name, "uart");
    assert_int_equal(channel->baud, 115200);
    assert_true(!channel->is_host && channel->is_plugged && !channel->is_failing);

    sim_host_present(sim, 0, true);
    run(&rig, 300, drive_on, sizeof drive_on);
    const struct line_stats *line = sim_channel_line(sim, 0);
    assert_true(channel->is_host && channel->is_plugged);
    assert_true(line->to_host_bytes > 500);
    assert_true(channel->to_host_bytes == line->to_host_bytes);
    assert_true(channel->to_host_frames == line->to_host_frames);
    assert_int_equal(channel->from_host_bytes, 3 * sizeof drive_on);
    assert_int_equal(channel->stats.frames, 3);

    simulation_do(sim, "kobuki.unplug what=uart");
    run(&rig, 10, NULL, 0);
    assert_false(channel->is_plugged);
    rig_close(&rig);
}

static void frames_of_both_directions_are_kept(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 400, drive_on, sizeof drive_on);
    const struct snapshot_channel *channel = snapshot_at(rig.snapshot, rig.snapshot->channels);
    const struct frame_ring *to_robot = &channel->frames[WIRE_TO_ROBOT];
    const struct frame_ring *to_host = &channel->frames[WIRE_TO_HOST];
    assert_int_equal(to_robot->total, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(to_robot->records[i].is_good);
        assert_int_equal(to_robot->records[i].size, sizeof drive_on);
        assert_memory_equal(to_robot->records[i].bytes, drive_on, sizeof drive_on);
    }
    assert_int_equal(to_host->total, 20); /* 50 a second */
    assert_int_equal(to_host->records[0].bytes[0], 0xaa);
    rig_close(&rig);
}

static void what_is_no_frame_is_kept_as_bad(void **state)
{
    (void)state;
    static const uint8_t noisy[] = {0x01, 0x02, 0x03, 0xaa, 0x55, 6,    1,   4,
                                    0x64, 0x00, 0x00, 0x00, 0x67, 0x99, 0x98};
    struct rig rig = rig_open(DOCK_ROOM);
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 50, noisy, sizeof noisy);
    run(&rig, 300, NULL, 0);
    run(&rig, 50, drive_on, sizeof drive_on);
    const struct snapshot_channel *channel = snapshot_at(rig.snapshot, rig.snapshot->channels);
    const struct frame_ring *ring = &channel->frames[WIRE_TO_ROBOT];
    assert_int_equal(ring->total, 4);
    static const struct {
        bool is_good;
        uint32_t size;
    } expected[] = {{false, 3}, {true, 10}, {false, 2}, {true, 10}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ring->records[i].is_good, expected[i].is_good);
        assert_int_equal(ring->records[i].size, expected[i].size);
    }
    rig_close(&rig);
}

/* ---- Noise ---- */

static size_t looks;

/* The linker sends the calls of wire_frame_walk here (--wrap). */
bool __real_wire_frame_walk(const struct wire_framing *framing,
                            const struct wire_packet *const *packets, enum wire_direction direction,
                            const uint8_t *frame, size_t size, wire_visit *visit, void *user);
bool __wrap_wire_frame_walk(const struct wire_framing *framing,
                            const struct wire_packet *const *packets, enum wire_direction direction,
                            const uint8_t *frame, size_t size, wire_visit *visit, void *user);

bool __wrap_wire_frame_walk(const struct wire_framing *framing,
                            const struct wire_packet *const *packets, enum wire_direction direction,
                            const uint8_t *frame, size_t size, wire_visit *visit, void *user)
{
    looks++;
    return __real_wire_frame_walk(framing, packets, direction, frame, size, visit, user);
}

static void count_piece(void *context, const struct frame_piece *piece)
{
    size_t *good = context;
    *good += piece->is_good && piece->size == sizeof drive_on;
}

/* A bad piece is the first part of DRIVE_ON; adds its size to CONTEXT. */
static void keep_bad(void *context, const struct frame_piece *piece)
{
    size_t *bad = context;
    assert_false(piece->is_good);
    assert_memory_equal(piece->bytes, drive_on, piece->size);
    *bad += piece->size;
}

static void half_a_frame_at_the_end_is_bad(void **state)
{
    (void)state;
    struct frame_splitter splitter = {0};
    size_t bad = 0;
    const struct frame_splitter_user user = {
        .type = registry_find("kobuki"), .take = keep_bad, .context = &bad};
    frame_splitter_end(&splitter, &user);
    assert_int_equal(bad, 0);
    frame_splitter_push(&splitter, &user, drive_on, 5, &(struct robot_stats){0}, 1000);
    assert_int_equal(bad, 0);
    frame_splitter_end(&splitter, &user);
    assert_int_equal(bad, 5);
    frame_splitter_end(&splitter, &user);
    assert_int_equal(bad, 5);
}

/* The splitter looks for a frame at most once per position, instead of once for each possible end
 * at each position. */
static void noise_before_a_frame_is_looked_at_once(void **state)
{
    (void)state;
    const struct robot_type *type = registry_find("kobuki");
    struct frame_splitter splitter = {0};
    const struct robot_stats stats = {.frames = 1};
    uint8_t bytes[FRAME_SPLITTER_BYTES];
    size_t good = 0, noise = sizeof bytes - sizeof drive_on;
    for (size_t i = 0; i < noise; i++)
        bytes[i] = (uint8_t)(i * 89 + i / 7);
    memcpy(bytes + noise, drive_on, sizeof drive_on);
    looks = 0;
    frame_splitter_push(
        &splitter,
        &(struct frame_splitter_user){.type = type, .take = count_piece, .context = &good}, bytes,
        sizeof bytes, &stats, 1000);
    assert_int_equal(good, 1);
    print_message("%zu looks for a frame behind %zu bytes\n", looks, noise);
    assert_true(looks <= sizeof bytes);
}

static void a_host_believes_what_it_was_told(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    run(&rig, 100, NULL, 0);
    assert_false(robot_of(&rig)->has_odometry); /* there is no host yet that reads the odometry */
    struct sim *sim = rig.simulation.sim;
    assert_true(simulation_get(sim, "kobuki.odometry_x_m") == 4.5);
    assert_true(simulation_get(sim, "kobuki.odometry_y_m") == 2);
    assert_true(simulation_get(sim, "kobuki.odometry_heading_deg") == 0);
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 4000, drive_on, sizeof drive_on);
    const struct snapshot_robot *robot = robot_of(&rig);
    assert_true(robot->has_odometry);
    assert_true(robot->pose.x_m > 4.8);
    assert_true(distance(robot->pose, robot->odometry) < 0.02);
    assert_true(fabs(simulation_get(sim, "kobuki.odometry_x_m") - robot->odometry.x_m) < 1e-6);
    assert_true(fabs(simulation_get(sim, "kobuki.odometry_y_m") - robot->odometry.y_m) < 1e-6);
    double heading_rad = simulation_get(sim, "kobuki.odometry_heading_deg") * PI / 180;
    assert_true(fabs(heading_rad - robot->odometry.heading_rad) < 1e-6);
    assert_true(robot->trail.count > 5 && robot->odometry_trail.count > 5);
    /* A user moves the robot: only its ground truth follows. */
    simulation_do(rig.simulation.sim, "kobuki.place x=3 y=1 heading=90");
    run(&rig, 100, NULL, 0);
    assert_true(distance(robot->pose, robot->odometry) > 1.5);
    assert_in_range(robot->trail.count, 1, 2);
    for (uint32_t i = 0; i < robot->trail.count; i++)
        assert_true(fabsf(robot->trail.points[i].x_m - 3) < 0.2f);
    rig_close(&rig);
}

static void a_host_that_comes_anew_begins_a_trail_of_its_own(void **state)
{
    (void)state;
    static const uint8_t stand[] = {0xaa, 0x55, 6, 1, 4, 0, 0, 0, 0, 3};
    struct rig rig = rig_open(DOCK_ROOM);
    struct sim *sim = rig.simulation.sim;
    sim_host_present(sim, 0, true);
    run(&rig, 1800, drive_on, sizeof drive_on);
    const struct snapshot_trail *trail = &robot_of(&rig)->odometry_trail;
    assert_true(trail->count > 2);
    assert_true(trail->points[0].x_m < 4.52f);
    run(&rig, 300, stand, sizeof stand);
    sim_host_present(sim, 0, false);
    run(&rig, 100, NULL, 0);
    sim_host_present(sim, 0, true);
    run(&rig, 200, NULL, 0);
    assert_int_equal(trail->count, 1);
    assert_true(fabs((double)trail->points[0].x_m - robot_of(&rig)->pose.x_m) < 0.01);
    assert_true(robot_of(&rig)->pose.x_m > 4.6);
    rig_close(&rig);
}

static void light_ends_where_something_stands(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    run(&rig, 100, NULL, 0);
    const struct snapshot_dock *dock = snapshot_at(rig.snapshot, rig.snapshot->docks);
    const int ahead = (SNAPSHOT_LIGHT_RAYS - 1) / 2;
    /* The robot's rim is 5.7 - 4.5 - 0.176 m from the dock, the light a little nearer. */
    assert_true(fabs((double)dock->reach_m[ahead] - (1.024 - (double)dock->light_x_m)) < 1e-6);
    assert_true(dock->reach_m[ahead + 10] > 2); /* past it */
    assert_true(dock->seen & BEAM_NEAR_CENTER);
    simulation_do(rig.simulation.sim, "kobuki.place x=1.5 y=3.5 heading=180");
    run(&rig, 100, NULL, 0);
    assert_true(dock->reach_m[ahead] > 5);
    assert_int_equal(dock->seen, 0);
    rig_close(&rig);
}

/* Most of it left of the origin and below it. */
static void light_crosses_a_room_that_does_not_begin_at_the_origin(void **state)
{
    (void)state;
    uint8_t bytes[16 * 16];
    struct error error = {0};
    struct scene_map map;
    static const char yaml[] = "image: m.pgm\nresolution: 0.5\norigin: [-6, -6, 0]\nnegate: 0\n"
                               "occupied_thresh: 0.65\nfree_thresh: 0.196\n";
    memset(bytes, 254, sizeof bytes);
    struct scene *scene = parse("world: {map: m.yaml,\n"
                                "  docks: [{name: d, pose: {x: 1.9, y: 0, heading: 180}}]}\n"
                                "robots: [{name: a, type: kobuki, pose: {x: -5, y: -5}}]\n");
    assert_true(scene_map_parse(&map, yaml, sizeof yaml - 1, "m.yaml", &error));
    assert_true(scene_map_apply(scene, &map, &(struct scene_pixels){bytes, 16, 16, 1}, &error));
    struct rig rig = rig_open_scene(scene);
    run(&rig, 1, NULL, 0);
    assert_true(rig.snapshot->low.x_m == -6 && rig.snapshot->high.x_m == 2);
    const struct snapshot_dock *dock = snapshot_at(rig.snapshot, rig.snapshot->docks);
    const int ahead = (SNAPSHOT_LIGHT_RAYS - 1) / 2;
    assert_true(fabs((double)dock->reach_m[ahead] - (7.9 - (double)dock->light_x_m)) < 1e-5);
    rig_close(&rig);
}

static void light_of_a_beacon_ends_there_too(void **state)
{
    (void)state;
    struct rig rig =
        rig_open("world: {size: {x: 6, y: 4}, walls: [{from: {x: 1, y: 0}, to: {x: 1, y: 3}}],\n"
                 "  beacons: [{type: virtual_wall, pose: {x: 2, y: 2, heading: 90}}]}\n"
                 "robots: [{name: create, type: create2, pose: {x: 2, y: 3.4}}]\n");
    run(&rig, 100, NULL, 0);
    const struct snapshot_beacon *beacon = snapshot_at(rig.snapshot, rig.snapshot->beacons);
    const int ahead = (SNAPSHOT_LIGHT_RAYS - 1) / 2, quarter = ahead / 2;
    assert_true((double)beacon->reach_m[ahead] < 1.3); /* the robot */
    assert_true(fabs((double)beacon->reach_m[ahead + quarter] - 1) <
                0.1); /* the wall on its left */
    assert_true(fabs((double)beacon->reach_m[ahead - quarter] - 4) < 0.1); /* the room's wall */
    assert_true(fabs((double)beacon->reach_m[0] - 2) < 0.1); /* and the wall behind it */
    rig_close(&rig);
}

static void the_outlines_of_light_are_where_it_is_seen(void **state)
{
    (void)state;
    const struct pose origin = {0, 0, 0};
    for (uint32_t bit = 1; bit < BEAM_GREEN_BUOY; bit <<= 1) {
        struct vec2 points[64];
        size_t count = beam_outline(bit, points, 64);
        size_t wrong = 0, looked = 0;
        for (double x = 0.1; x < 5.2; x += 0.0473)
            for (double y = -1.3; y < 1.3; y += 0.0271) {
                struct vec2 at = {x, y};
                looked++;
                wrong += geom_in_polygon(points, count, at) !=
                         ((beams_at(BEAMS_OF_KOBUKI_DOCK, origin, at) & bit) != 0);
            }
        /* Only along the arc, which is a line of many pieces in the outline. */
        assert_true(wrong * 200 < looked);
    }
}

static void nothing_is_kept_before_somebody_watches(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    watch_destroy(rig.watch);
    watch_destroy(NULL);
    rig.watch = NULL;
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 400, drive_on, sizeof drive_on);
    const struct snapshot_channel *channel = snapshot_at(rig.snapshot, rig.snapshot->channels);
    assert_int_equal(channel->frames[WIRE_TO_ROBOT].total, 0);
    assert_int_equal(channel->frames[WIRE_TO_HOST].total, 0);
    assert_int_equal(robot_of(&rig)->trail.count, 0);
    // An observer that comes now receives new frames, and does not search earlier ones.
    rig.watch = watch_create(rig.simulation.sim, WATCH_TRAILS_AND_FRAMES);
    run(&rig, 100, (const uint8_t *)"noise", 5);
    assert_int_equal(channel->frames[WIRE_TO_ROBOT].total, 0);
    run(&rig, 200, drive_on, sizeof drive_on);
    assert_int_equal(channel->frames[WIRE_TO_ROBOT].total, 3);
    assert_false(channel->frames[WIRE_TO_ROBOT].records[0].is_good);
    assert_true(channel->frames[WIRE_TO_HOST].total > 0);
    assert_int_equal(robot_of(&rig)->trail.count, 1);
    rig_close(&rig);
}

static void a_watch_of_trails_keeps_no_frames(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    watch_destroy(rig.watch);
    rig.watch = watch_create(rig.simulation.sim, WATCH_TRAILS);
    sim_host_present(rig.simulation.sim, 0, true);
    run(&rig, 400, drive_on, sizeof drive_on);
    const struct snapshot_channel *channel = snapshot_at(rig.snapshot, rig.snapshot->channels);
    assert_int_equal(channel->frames[WIRE_TO_ROBOT].total, 0);
    assert_true(robot_of(&rig)->trail.count > 0);
    rig_close(&rig);
}

static void things_without_a_color_look_as_cameras_see_them(void **state)
{
    (void)state;
    struct rig rig = rig_open("world:\n"
                              "  size: {x: 6, y: 4}\n"
                              "  boxes:\n"
                              "  - {pose: {x: 1, y: 1}, size: {x: 0.4, y: 0.3}}\n"
                              "  - {pose: {x: 3, y: 1}, size: {x: 0.4, y: 0.3}, mass: 1}\n"
                              "  - {pose: {x: 5, y: 1}, size: {x: 0.4, y: 0.3}, color: red}\n"
                              "  discs: [{pose: {x: 2, y: 3}, radius: 0.2}]\n"
                              "robots: [{name: kobuki, type: kobuki, pose: {x: 4.5, y: 2}}]\n");
    assert_true(snapshot_fill(rig.simulation.sim, rig.watch, rig.snapshot, rig.size));
    const struct scenery *scenery = &rig.simulation.sim->room->scenery;
    size_t seen = 0;
    const struct snapshot_box *boxes = snapshot_at(rig.snapshot, rig.snapshot->boxes);
    const struct snapshot_disc *discs = snapshot_at(rig.snapshot, rig.snapshot->discs);
    const struct room *room = rig.simulation.sim->room;
    for (size_t i = 0; i < scenery->body_count; i++) {
        const struct scenery_body *one = &scenery->bodies[i];
        for (size_t b = 0; b < 3; b++)
            if (one->body == room->boxes[b].body) {
                assert_int_equal(boxes[b].color >> 8, one->rgb);
                seen++;
            }
        if (one->body == room->first_disc) {
            assert_int_equal(discs[0].color >> 8, one->rgb);
            seen++;
        }
    }
    assert_int_equal(seen, 4);
    assert_int_equal(boxes[0].color, boxes[1].color);
    assert_int_equal(boxes[2].color, 0xff0000ff);
    rig_close(&rig);
}

static void what_fails_and_what_is_to_come_is_in_it(void **state)
{
    (void)state;
    char yaml[sizeof DOCK_ROOM + 300];
    snprintf(yaml, sizeof yaml,
             "%stimeline:\n"
             "  - {at: 0.1, do: kobuki.fault dock_center=stuck}\n"
             "  - {at: 0.1, do: kobuki.fault uart=stall for=2}\n"
             "  - {at: 9.5, do: kobuki.lift}\n"
             "  - {when: kobuki.x_m > 100, do: kobuki.heal}\n",
             DOCK_ROOM);
    struct rig rig = rig_open(yaml);
    run(&rig, 50, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_robot *robot = robot_of(&rig);
    const struct snapshot_channel *channel = snapshot_at(snapshot, snapshot->channels);
    const struct snapshot_dock *dock = snapshot_at(snapshot, snapshot->docks);
    assert_int_equal(robot->fault_count + snapshot->fault_count + channel->is_failing, 0);
    assert_int_equal(snapshot->event_count, 4);
    assert_true(dock->seen & BEAM_FAR_CENTER);

    run(&rig, 150, NULL, 0);
    const struct snapshot_fault *faults = snapshot_at(snapshot, snapshot->faults);
    assert_int_equal(robot->fault_count, 2);
    assert_int_equal(snapshot->fault_count, 2);
    assert_string_equal(faults[0].part, "uart");
    assert_string_equal(faults[0].what, "stall");
    assert_true(fabsf(faults[0].left_s - 1.9f) < 0.01f);
    assert_string_equal(faults[1].what, "stuck");
    assert_true(isinf(faults[1].left_s));
    assert_true(channel->is_failing);
    uint32_t failing = 0;
    for (uint32_t i = 0; i < robot->sensor_count; i++)
        if (robot->sensors[i].is_failing) {
            assert_string_equal(rig.simulation.sim->robots[0].body->sensors[i].name, "dock_center");
            failing++;
        }
    assert_int_equal(failing, 1);
    assert_int_equal(snapshot->faults.count, SNAPSHOT_FAULTS_MAX);
    assert_true(snapshot_is_whole(snapshot, rig.size));
    assert_string_equal(snapshot->title, "对接");
    assert_int_equal(snapshot->event_count, 2);
    assert_int_equal(snapshot->events[0].at_us, 9500000);
    assert_string_equal(snapshot->events[0].when, "at 9.5 s");
    assert_string_equal(snapshot->events[0].command, "kobuki.lift");
    assert_int_equal(snapshot->events[1].at_us, ROBOT_NEVER);
    rig_close(&rig);
}

static void what_is_expected_and_how_it_came_out_is_in_it(void **state)
{
    (void)state;
    char yaml[sizeof DOCK_ROOM + 300];
    snprintf(yaml, sizeof yaml,
             "%sexpect:\n"
             "  - {name: early, that: world.time_s > 0.05, within: 1}\n"
             "  - {that: kobuki.x_m > 100, within: 0.1}\n"
             "  - {that: kobuki.x_m < 100, always: true}\n",
             DOCK_ROOM);
    struct rig rig = rig_open(yaml);
    run(&rig, 20, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    assert_int_equal(snapshot->verdicts.count, 3);
    const struct snapshot_verdict *verdicts = snapshot_at(snapshot, snapshot->verdicts);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(verdicts[i].verdict, SIM_PENDING);
        assert_int_equal(verdicts[i].at_us, 0);
        assert_string_equal(verdicts[i].found, "");
    }
    run(&rig, 200, NULL, 0);
    assert_int_equal(verdicts[0].verdict, SIM_PASSED);
    assert_true(verdicts[0].at_us > 50000 && verdicts[0].at_us < 60000);
    assert_string_equal(snapshot_text(snapshot, verdicts[0].name), "early");
    assert_string_equal(snapshot_text(snapshot, verdicts[0].when), "within 1 s");
    assert_int_equal(verdicts[1].verdict, SIM_FAILED);
    assert_string_equal(snapshot_text(snapshot, verdicts[1].that), "kobuki.x_m > 100");
    assert_non_null(strstr(verdicts[1].found, "kobuki.x_m"));
    assert_int_equal(verdicts[2].verdict, SIM_PENDING);
    rig_close(&rig);
}

static void a_fault_is_listed_once_in_each_snapshot(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    simulation_do(rig.simulation.sim, "kobuki.fault uart=drop rate=0.5");
    simulation_do(rig.simulation.sim, "kobuki.fault cliff_left=stuck");
    for (int i = 0; i < 3; i++) {
        run(&rig, 1, NULL, 0);
        assert_int_equal(rig.snapshot->fault_count, 2);
    }
    const struct snapshot_channel *channel = snapshot_at(rig.snapshot, rig.snapshot->channels);
    assert_true(channel->is_failing);
    simulation_do(rig.simulation.sim, "kobuki.heal");
    run(&rig, 1, NULL, 0);
    assert_int_equal(rig.snapshot->fault_count, 0);
    assert_false(channel->is_failing);
    for (uint32_t i = 0; i < robot_of(&rig)->sensor_count; i++)
        assert_false(robot_of(&rig)->sensors[i].is_failing);
    rig_close(&rig);
}

static void a_fault_is_shown_at_the_robot_that_has_it(void **state)
{
    (void)state;
    struct rig rig = rig_open("world: {size: {x: 8, y: 4}}\n"
                              "robots:\n"
                              "- {name: a, type: kobuki, pose: {x: 1, y: 2}}\n"
                              "- {name: b, type: kobuki, pose: {x: 3, y: 2}}\n"
                              "- {name: c, type: kobuki, pose: {x: 5, y: 2}}\n");
    simulation_do(rig.simulation.sim, "b.fault cliff_left=stuck");
    run(&rig, 1, NULL, 0);
    const struct snapshot_robot *robots = snapshot_at(rig.snapshot, rig.snapshot->robots);
    for (uint32_t i = 0; i < 3; i++) {
        size_t failing = 0;
        for (uint32_t k = 0; k < robots[i].sensor_count; k++)
            failing += robots[i].sensors[k].is_failing;
        assert_int_equal(failing, i == 1);
        assert_int_equal(robots[i].fault_count, i == 1);
    }
    rig_close(&rig);
}

static void each_part_says_which_faults_can_befall_it(void **state)
{
    (void)state;
    struct rig rig = rig_open(DOCK_ROOM);
    run(&rig, 1, NULL, 0);
    const struct snapshot *snapshot = rig.snapshot;
    const struct snapshot_fault_part *parts = snapshot_at(snapshot, robot_of(&rig)->parts);
    const struct snapshot_fault_kind *kinds = snapshot_at(snapshot, snapshot->fault_kinds);
    uint32_t tried = 0;
    for (uint32_t i = 0; i < robot_of(&rig)->parts.count; i++)
        for (uint32_t k = 0; k < snapshot->fault_kinds.count; k++) {
            char command[128];
            struct error error = {0};
            snprintf(command, sizeof command,
                     "kobuki.fault %s=%s rate=0.1 for=1 baud=9600 deg_s=1 factor=2",
                     snapshot_text(snapshot, parts[i].name),
                     snapshot_text(snapshot, kinds[k].name));
            // A command with all arguments never fits. Only for a kind that does not fit, the error
            // names the kind.
            assert_false(sim_check_do(rig.simulation.sim, command, &error));
            // Some kinds of several classes of parts have the same name.
            bool can_befall = false;
            for (uint32_t other = 0; other < snapshot->fault_kinds.count; other++)
                can_befall |= strcmp(snapshot_text(snapshot, kinds[other].name),
                                     snapshot_text(snapshot, kinds[k].name)) == 0 &&
                              (parts[i].kinds >> other & 1);
            assert_int_equal(strstr(error.text, "is not one of") == NULL, can_befall);
            tried += can_befall;
        }
    assert_true(tried > 50);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_signals_are_in_it),
        cmocka_unit_test(the_signals_of_a_robot_begin_with_its_name),
        cmocka_unit_test(names_are_any_utf8),
        cmocka_unit_test(what_stands_in_the_room_is_in_it),
        cmocka_unit_test(lamps_lines_and_docks_are_in_it),
        cmocka_unit_test(a_picture_of_the_floor_is_in_it),
        cmocka_unit_test(a_polygon_is_closed),
        cmocka_unit_test(shades_and_polygons_are_told_apart),
        cmocka_unit_test(a_scan_is_drawn_on_the_walls_that_it_met),
        cmocka_unit_test(sensors_are_drawn_with_what_they_measure),
        cmocka_unit_test(a_robot_is_described_as_its_body_is),
        cmocka_unit_test(robots_of_one_type_share_the_list_of_their_parts),
        cmocka_unit_test(a_part_is_lit_by_the_signal_that_it_names),
        cmocka_unit_test(a_buffer_that_is_too_small_is_left_alone),
        cmocka_unit_test(the_static_part_is_written_only_when_it_has_changed),
        cmocka_unit_test(it_is_filled_without_allocating),
        cmocka_unit_test(wheels_turn_as_far_as_the_robot_drives),
        cmocka_unit_test(a_robot_that_turns_has_a_rate),
        cmocka_unit_test(wheels_of_a_lifted_robot_are_dropped),
        cmocka_unit_test(steered_wheels_are_shown_as_they_are_steered),
        cmocka_unit_test(a_channel_is_as_its_cable_and_its_host_are),
        cmocka_unit_test(frames_of_both_directions_are_kept),
        cmocka_unit_test(what_is_no_frame_is_kept_as_bad),
        cmocka_unit_test(half_a_frame_at_the_end_is_bad),
        cmocka_unit_test(noise_before_a_frame_is_looked_at_once),
        cmocka_unit_test(a_host_believes_what_it_was_told),
        cmocka_unit_test(a_host_that_comes_anew_begins_a_trail_of_its_own),
        cmocka_unit_test(nothing_is_kept_before_somebody_watches),
        cmocka_unit_test(a_watch_of_trails_keeps_no_frames),
        cmocka_unit_test(light_ends_where_something_stands),
        cmocka_unit_test(light_crosses_a_room_that_does_not_begin_at_the_origin),
        cmocka_unit_test(light_of_a_beacon_ends_there_too),
        cmocka_unit_test(the_outlines_of_light_are_where_it_is_seen),
        cmocka_unit_test(things_without_a_color_look_as_cameras_see_them),
        cmocka_unit_test(what_fails_and_what_is_to_come_is_in_it),
        cmocka_unit_test(what_is_expected_and_how_it_came_out_is_in_it),
        cmocka_unit_test(a_fault_is_listed_once_in_each_snapshot),
        cmocka_unit_test(a_fault_is_shown_at_the_robot_that_has_it),
        cmocka_unit_test(each_part_says_which_faults_can_befall_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
