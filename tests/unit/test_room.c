/* Walls and boxes that are built and removed while the simulation runs, and the reset to the start.
 */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/array.h"
#include "sim/parse/scene_parse.h"
#include "sim/room/room.h"
#include "sim/watch/snapshot.h"
#include "tests/support/simulation.h"

static const char scene[] = "world:\n"
                            "  size: {x: 4, y: 4}\n"
                            "  walls: [{from: {x: 0.5, y: 0}, to: {x: 0.5, y: 1}}]\n"
                            "  boxes: [{pose: {x: 3, y: 3, heading: 0}, size: {x: 0.4, y: 0.4}, "
                            "mass: 1}]\n"
                            "robots:\n"
                            "  - {name: kobuki, type: kobuki, pose: {x: 2, y: 2, heading: 0}}\n";

static void steps(struct sim *sim, int count)
{
    for (int i = 0; i < count; i++)
        sim_step(sim);
}

/* Drives straight on at 200 mm/s (Kobuki protocol, Base Control). A host sends the command for this
 * many seconds. */
static void drive(struct sim *sim, double seconds)
{
    static const uint8_t forward[] = {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x00, 0x00, 0xcb};
    sim_host_present(sim, 0, true);
    for (int i = 0; i < (int)(seconds * 10); i++) {
        const uint8_t *bytes;
        size_t size;
        sim_host_bytes(sim, 0, forward, sizeof forward);
        for (int k = 0; k < 100; k++) {
            sim_step(sim);
            while (sim_output(sim, 0, &bytes, &size)) {
            }
        }
    }
}

static void refused(struct sim *sim, const char *command, const char *said)
{
    struct error error = {0};
    assert_false(sim_do(sim, command, &error));
    if (!strstr(error.text, said))
        fail_msg("%s: %s", command, error.text);
}

static struct snapshot *look(const struct sim *sim)
{
    size_t size = snapshot_size(sim);
    struct snapshot *snapshot = aligned_alloc(16, (size + 15) & ~(size_t)15);
    assert_non_null(snapshot);
    memset(snapshot, 0, size);
    assert_true(snapshot_fill(sim, NULL, snapshot, size));
    return snapshot;
}

static void a_wall_that_is_built_stops_a_robot_and_one_that_is_removed_lets_it_go(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    simulation_do(self.sim, "world.wall from_x=2.6 from_y=1 to_x=2.6 to_y=3 color=red");
    drive(self.sim, 4);
    assert_true(simulation_get(self.sim, "kobuki.x_m") < 2.6 - 0.16);
    assert_true(simulation_get(self.sim, "kobuki.collisions") > 0);
    simulation_do(self.sim, "world.remove wall=2");
    drive(self.sim, 4);
    assert_true(simulation_get(self.sim, "kobuki.x_m") > 2.7);
    simulation_close(&self);
}

static void a_box_that_is_put_up_is_pushed(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    simulation_do(self.sim, "world.box x=2.6 y=2 length=0.3 width=0.3 mass=0.5");
    drive(self.sim, 4);
    struct snapshot *snapshot = look(self.sim);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    assert_int_equal(snapshot->boxes.count, 2);
    assert_int_equal(boxes[1].number, 2);
    assert_true(boxes[1].pose.x_m > 2.65);
    free(snapshot);
    simulation_close(&self);
}

/* The box is fixed, so that the robot cannot push it aside. */
static void a_box_that_is_removed_is_in_nobodys_way(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    simulation_do(self.sim, "world.box x=2.6 y=2 length=0.3 width=0.3");
    drive(self.sim, 3);
    assert_true(simulation_get(self.sim, "kobuki.x_m") < 2.45 - 0.16);
    double collisions = simulation_get(self.sim, "kobuki.collisions");
    assert_true(collisions > 0);
    simulation_do(self.sim, "world.remove box=2");
    drive(self.sim, 3);
    assert_true(simulation_get(self.sim, "kobuki.x_m") > 2.7);
    assert_true(simulation_get(self.sim, "kobuki.collisions") == collisions);
    simulation_close(&self);
}

static void numbers_stay_and_a_free_one_is_used_again(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    simulation_do(self.sim, "world.wall from_x=1 from_y=3 to_x=2 to_y=3");
    simulation_do(self.sim, "world.wall from_x=1 from_y=3.2 to_x=2 to_y=3.2");
    simulation_do(self.sim, "world.remove wall=2");
    refused(self.sim, "world.remove wall=2", "there is no wall 2");
    refused(self.sim, "world.wall number=3 from_x=1 from_y=1 to_x=2 to_y=1",
            "wall 3 already exists");
    refused(self.sim, "world.wall number=9 from_x=1 from_y=1 to_x=2 to_y=1",
            "next free number is 4");
    simulation_do(self.sim, "world.wall from_x=1 from_y=1 to_x=2 to_y=1");
    struct snapshot *snapshot = look(self.sim);
    const struct snapshot_wall *walls = snapshot_at(snapshot, snapshot->walls);
    assert_int_equal(snapshot->walls.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(walls[i].number, i + 1);
    assert_float_equal((double)walls[1].from.y_m, 1, 1e-6);
    free(snapshot);
    simulation_close(&self);
}

static void what_is_built_has_the_color_and_height_that_were_given(void **state)
{
    (void)state;
    static const struct {
        const char *given;
        double height_m;
        uint32_t color; /* of the snapshot: 0xRRGGBBAA; 0: none */
    } walls[] = {
        {"", 0, 0}, // like the walls of the room
        {"color=red", 0.7, 0xff0000ff},
        {"height=1", 1, 0},
        {"height=1 color=#123456", 1, 0x123456ff},
        {"height=0.2 color=red", 0.2, 0xff0000ff},
    };
    struct simulation self = simulation_open("world:\n"
                                             "  size: {x: 4, y: 4}\n"
                                             "  room: {height: 0.7}\n"
                                             "robots:\n"
                                             "- {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}\n",
                                             NULL);
    assert_true(self.sim->room->appearance.height_m == 0.7);
    for (size_t i = 0; i < COUNT(walls); i++) {
        char command[128];
        snprintf(command, sizeof command, "world.wall from_x=1 from_y=3.%zu to_x=2 to_y=3 %s", i,
                 walls[i].given);
        simulation_do(self.sim, command);
        assert_true(self.sim->room->walls[i].shape->appearance.height_m == walls[i].height_m);
    }
    simulation_do(self.sim, "world.box x=1 y=1 length=0.2 width=0.2 color=red");
    simulation_do(self.sim, "world.box x=1.5 y=1 length=0.2 width=0.2 color=#123456 height=0.3");
    struct snapshot *snapshot = look(self.sim);
    const struct snapshot_wall *seen = snapshot_at(snapshot, snapshot->walls);
    for (size_t i = 0; i < COUNT(walls); i++)
        assert_int_equal(seen[i].color, walls[i].color);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    assert_int_equal(boxes[0].color, 0xff0000ff);
    assert_int_equal(boxes[1].color, 0x123456ff);
    assert_true(self.sim->room->boxes[0].shape->appearance.height_m == 0.2);
    assert_true(self.sim->room->boxes[1].shape->appearance.height_m == 0.3);
    free(snapshot);
    simulation_close(&self);
}

/* Like a room that is made from a map. */
static void a_room_may_begin_anywhere(void **state)
{
    (void)state;
    static const struct {
        const char *place;
        bool is_inside;
    } rows[] = {
        {"x=-2 y=-7", true},    {"x=2 y=-3", true},    {"x=0 y=-5", true},
        {"x=-2.1 y=-5", false}, {"x=2.1 y=-5", false}, {"x=0 y=-7.1", false},
        {"x=0 y=-2.9", false},  {"x=2.1 y=5", false},  {"x=0 y=5", false},
    };
    struct error error = {0};
    struct scene *anywhere = scene_parse(scene, strlen(scene), "room.yaml", &error);
    assert_non_null(anywhere);
    anywhere->low = (struct vec2){-2, -7};
    anywhere->robots[0].pose = (struct pose){1, -4, 0};
    anywhere->wall_count = anywhere->box_count = 0;
    struct sim *sim = sim_create(anywhere, NULL, NULL, &error);
    if (!sim)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char command[128];
        snprintf(command, sizeof command, "world.box %s length=0.1 width=0.1", rows[i].place);
        if (sim_do(sim, command, &error) != rows[i].is_inside)
            fail_msg("%s: %s", rows[i].place, error.text);
        if (!rows[i].is_inside && !strstr(error.text, "is outside the room of 4 x 4 m"))
            fail_msg("%s", error.text);
    }
    sim_destroy(sim);
    scene_destroy(anywhere);
}

static void what_makes_no_sense_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    refused(self.sim, "world.wall from_x=1 from_y=1 to_x=9 to_y=1", "outside the room");
    refused(self.sim, "world.wall from_x=1 from_y=1 to_x=1 to_y=1", "at the same place");
    refused(self.sim, "world.wall from_x=1 from_y=1 to_x=2 to_y=1 color=rad", "is not a color");
    refused(self.sim, "world.box x=1 y=1 length=0 width=1", "length");
    refused(self.sim, "world.box x=-1 y=1 length=1 width=1", "outside the room");
    // A box must not enclose a robot or a movable object so that the only way out is through the
    // box.
    refused(self.sim, "world.box x=2 y=2 length=3.9 width=3.99", "overlap kobuki");
    simulation_do(self.sim, "kobuki.lift");
    refused(self.sim, "world.box x=2 y=2 length=3.9 width=3.99", "overlap kobuki");
    simulation_do(self.sim, "world.box x=1 y=3 length=0.2 width=0.2 mass=1 number=2");
    refused(self.sim, "world.box x=1.15 y=3 length=0.2 width=0.2", "overlap box 2");
    simulation_do(self.sim, "world.remove box=2");
    simulation_do(self.sim, "world.box x=1.15 y=3 length=0.2 width=0.2");
    refused(self.sim, "world.remove", "give wall=NUMBER or box=NUMBER");
    refused(self.sim, "world.remove wall=1 box=1", "give wall=NUMBER or box=NUMBER");
    simulation_close(&self);
}

static void nothing_is_built_into_what_it_would_push(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    refused(self.sim, "world.wall from_x=1 from_y=2 to_x=3 to_y=2", "overlap kobuki");
    refused(self.sim, "world.wall from_x=2.05 from_y=2 to_x=2.1 to_y=2", "overlap kobuki");
    refused(self.sim, "world.wall from_x=2.9 from_y=2 to_x=2.9 to_y=4", "overlap box 1");
    simulation_do(self.sim, "kobuki.lift");
    refused(self.sim, "world.wall from_x=1 from_y=2 to_x=3 to_y=2", "overlap kobuki");
    // A movable box may overlap neither a wall of the scene nor a wall of the room. A fixed box
    // may.
    refused(self.sim, "world.box x=0.55 y=0.5 length=0.2 width=0.2 mass=1", "overlap a wall");
    refused(self.sim, "world.box x=3.95 y=0.5 length=0.2 width=0.2 mass=1", "overlap a wall");
    simulation_do(self.sim, "world.box x=0.55 y=0.5 length=0.2 width=0.2");
    simulation_close(&self);
}

static void reset_puts_nothing_into_what_was_built_since(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    simulation_do(self.sim, "kobuki.place x=1 y=3 heading=0");
    simulation_do(self.sim, "kobuki.press bumper=left for=0");
    simulation_do(self.sim, "world.box x=2 y=2 length=0.4 width=0.4");
    steps(self.sim, 10);
    refused(self.sim, "world.reset", "kobuki would start in box 2; world.remove box=2");
    assert_float_equal(simulation_get(self.sim, "kobuki.x_m"), 1, 1e-6);
    assert_true(simulation_get(self.sim, "kobuki.bumper_left") == 1);
    simulation_do(self.sim, "world.remove box=2");
    simulation_do(self.sim, "world.wall from_x=2 from_y=2 to_x=2 to_y=1");
    refused(self.sim, "world.reset", "kobuki would start in wall 2; world.remove wall=2");
    simulation_do(self.sim, "world.remove wall=2");
    // A box that was pushed away has a start too, also if it was added during the run.
    simulation_do(self.sim, "world.box x=1.5 y=3 length=0.3 width=0.3 mass=0.5");
    drive(self.sim, 6);
    simulation_do(self.sim, "kobuki.place x=1 y=1 heading=0");
    simulation_do(self.sim, "world.box x=1.5 y=3 length=0.1 width=0.1");
    refused(self.sim, "world.reset", "box 3 would start in box 2; world.remove box=2");
    simulation_do(self.sim, "world.remove box=3");
    simulation_do(self.sim, "world.reset");
    steps(self.sim, 100);
    assert_float_equal(simulation_get(self.sim, "kobuki.x_m"), 2, 1e-6);
    simulation_close(&self);
}

/* Otherwise, a crowd on one spot that is put down at once would cost seconds per step. */
static void a_lifted_robot_keeps_its_place(void **state)
{
    (void)state;
    struct simulation self = simulation_open("world: {size: {x: 4, y: 4}}\nrobots:\n"
                                             "  - {name: a, type: kobuki, pose: {x: 1, y: 1}}\n"
                                             "  - {name: b, type: kobuki, pose: {x: 3, y: 3}}\n",
                                             NULL);
    simulation_do(self.sim, "a.lift");
    simulation_do(self.sim, "b.lift");
    refused(self.sim, "b.place x=1.1 y=1", "inside a wall, an obstacle or a robot");
    simulation_do(self.sim, "a.place x=1.1 y=1");
    simulation_do(self.sim, "b.place x=1.5 y=1");
    simulation_close(&self);
}

static void as_many_as_there_is_room_for_and_no_more(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    for (int i = 0; i < 64; i++)
        simulation_do(self.sim, "world.wall from_x=1 from_y=1 to_x=2 to_y=1");
    refused(self.sim, "world.wall from_x=1 from_y=1 to_x=2 to_y=1", "the last 65");
    for (int i = 0; i < 32; i++)
        simulation_do(self.sim, "world.box x=1 y=3 length=0.1 width=0.1");
    refused(self.sim, "world.box x=1 y=3 length=0.1 width=0.1", "the last 33");
    steps(self.sim, 100);
    simulation_close(&self);
}

static void refusals_name_what_is_in_the_way(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open("world:\n  size: {x: 4, y: 4}\n"
                        "  discs: [{pose: {x: 1, y: 1}, radius: 0.1, mass: 0.5}, {pose: {x: 3, y: "
                        "1}, radius: 0.1}]\n"
                        "  boxes: [{pose: {x: 3, y: 3}, size: {x: 0.2, y: 0.2}}]\n"
                        "robots: [{name: a, type: kobuki, pose: {x: 2, y: 2}}]\n",
                        NULL);
    static const struct {
        const char *command, *said;
    } rows[] = {
        // A disc that can be pushed, and a fixed disc.
        {"world.wall from_x=0.5 from_y=1 to_x=1.5 to_y=1", "overlap discs[0]"},
        {"world.box x=1.1 y=1 length=0.2 width=0.2", "overlap discs[0]"},
        {"world.box x=1.1 y=1 length=0.2 width=0.2 mass=1", "overlap discs[0]"},
        {"world.box x=3.1 y=1 length=0.2 width=0.2 mass=1", "overlap discs[1]"},
        {"world.box x=3.1 y=3 length=0.2 width=0.2 mass=1", "overlap box 1:"},
        {"world.box x=2.1 y=2 length=0.2 width=0.2", "overlap a:"},
        {"world.box x=1 y=3 length=0.2 width=0.2 number=1", "number: box 1 already exists"},
        {"world.box x=1 y=3 length=0.2 width=0.2 number=3", "next free number is 2, the last 33"},
        {"world.remove box=2", "there is no box 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(self.sim, rows[i].command, rows[i].said);
    simulation_do(self.sim, "world.wall from_x=2.5 from_y=1 to_x=3.5 to_y=1");
    simulation_do(self.sim, "world.box x=3.1 y=3 length=0.2 width=0.2");
    simulation_close(&self);
}

/* Also the first wall of a scene that has none, and a robot whose name is one letter. */
static void whatever_was_built_at_a_start_is_named(void **state)
{
    (void)state;
    struct simulation self = simulation_open("world: {size: {x: 4, y: 4}}\n"
                                             "robots: [{name: a, type: kobuki, pose: {x: 2, y: "
                                             "2}}]\n",
                                             NULL);
    simulation_do(self.sim, "a.place x=1 y=1 heading=0");
    simulation_do(self.sim, "world.wall from_x=1.5 from_y=2 to_x=2.5 to_y=2");
    refused(self.sim, "world.reset", "a would start in wall 1; world.remove wall=1 first");
    simulation_do(self.sim, "world.remove wall=1");
    simulation_do(self.sim, "world.box x=2 y=2 length=0.2 width=0.2");
    refused(self.sim, "world.reset", "a would start in box 1; world.remove box=1 first");
    simulation_do(self.sim, "world.remove box=1");
    simulation_do(self.sim, "world.reset");
    simulation_close(&self);
}

/* Windows draw the fixed parts again when the generation has changed. */
static void every_edit_is_a_new_generation_of_the_room(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    static const char *const edits[] = {
        "world.wall from_x=1 from_y=3 to_x=2 to_y=3",
        "world.box x=1 y=1 length=0.2 width=0.2",
        "world.remove wall=2",
        "world.remove box=2",
    };
    struct snapshot *before = look(self.sim);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        simulation_do(self.sim, edits[i]);
        struct snapshot *after = look(self.sim);
        assert_true(after->generation > before->generation);
        free(before);
        before = after;
    }
    steps(self.sim, 10);
    refused(self.sim, "world.remove wall=2", "there is no wall 2");
    struct snapshot *after = look(self.sim);
    assert_true(after->generation == before->generation);
    free(after);
    free(before);
    simulation_close(&self);
}

/* Polygons do not use up the room for walls and boxes that are added later. */
static void there_is_room_for_edits_however_many_edges_polygons_have(void **state)
{
    (void)state;
    enum { POLYGONS = 4, POINTS = 64 };
    char *yaml = malloc(32 * POLYGONS * POINTS + 512);
    assert_non_null(yaml);
    int used = sprintf(yaml, "world:\n  size: {x: 4, y: 4}\n  polygons:\n");
    for (int i = 0; i < POLYGONS; i++)
        for (int k = 0; k < POINTS; k++) {
            double angle = 2 * 3.14159 * k / POINTS;
            used += sprintf(yaml + used, "%s{x: %.4f, y: %.4f}%s",
                            k == 0 ? "    - {points: [" : ", ", 0.5 + i + 0.3 * cos(angle),
                            3.5 + 0.3 * sin(angle), k == POINTS - 1 ? "]}\n" : "");
        }
    sprintf(yaml + used, "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\n");
    struct simulation self = simulation_open(yaml, NULL);
    for (int i = 0; i < 64; i++)
        simulation_do(self.sim, "world.wall from_x=1 from_y=1 to_x=2 to_y=1");
    for (int i = 0; i < 32; i++)
        simulation_do(self.sim, "world.box x=1 y=3 length=0.1 width=0.1");
    refused(self.sim, "world.wall from_x=1 from_y=1 to_x=2 to_y=1", "the last 64");
    simulation_do(self.sim, "world.remove wall=64");
    simulation_do(self.sim, "world.wall from_x=1 from_y=1 to_x=2 to_y=1");
    steps(self.sim, 10);
    simulation_close(&self);
    free(yaml);
}

static uint64_t hash_of_a_lively_run(void)
{
    struct simulation self = simulation_open(scene, NULL);
    simulation_do(self.sim, "world.wall from_x=2.8 from_y=1 to_x=2.6 to_y=3");
    simulation_do(self.sim, "world.box x=2.45 y=2 length=0.2 width=0.3 mass=0.5 heading=20");
    drive(self.sim, 3);
    simulation_do(self.sim, "world.remove wall=2");
    drive(self.sim, 2);
    simulation_do(self.sim, "world.reset");
    drive(self.sim, 1);
    uint64_t hash = sim_hash(self.sim);
    simulation_close(&self);
    return hash;
}

static void the_same_commands_at_the_same_steps_give_the_same_run(void **state)
{
    (void)state;
    assert_true(hash_of_a_lively_run() == hash_of_a_lively_run());
}

static void reset_puts_robots_and_things_back(void **state)
{
    (void)state;
    struct simulation self = simulation_open(scene, NULL);
    simulation_do(self.sim, "kobuki.place x=2.5 y=3 heading=0");
    drive(self.sim, 3);
    assert_true(simulation_get(self.sim, "kobuki.collisions") > 0);
    simulation_do(self.sim, "kobuki.modem what=uart cts=off ri=on");
    simulation_do(self.sim, "kobuki.plug what=adapter");
    simulation_do(self.sim, "kobuki.lift");
    simulation_do(self.sim, "kobuki.unplug what=uart");
    simulation_do(self.sim, "kobuki.press bumper=left for=0");
    simulation_do(self.sim, "world.reset");
    steps(self.sim, 100);
    assert_float_equal(simulation_get(self.sim, "kobuki.x_m"), 2, 1e-6);
    assert_float_equal(simulation_get(self.sim, "kobuki.y_m"), 2, 1e-6);
    assert_true(simulation_get(self.sim, "kobuki.collisions") == 0);
    assert_true(simulation_get(self.sim, "kobuki.adapter") == 0);
    assert_true(simulation_get(self.sim, "kobuki.uart.cts") == 1);
    assert_true(simulation_get(self.sim, "kobuki.uart.dsr") == 1);
    assert_true(simulation_get(self.sim, "kobuki.uart.ri") == 0);
    assert_true(simulation_get(self.sim, "kobuki.lifted") == 0);
    assert_true(simulation_get(self.sim, "kobuki.uart.plugged") == 1);
    assert_true(simulation_get(self.sim, "kobuki.bumper_left") == 0);
    struct snapshot *snapshot = look(self.sim);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    assert_float_equal(boxes[0].pose.x_m, 3, 1e-6);
    free(snapshot);
    simulation_close(&self);
}

/* ---- Many robots ---- */

static char *crowd(int robots)
{
    char *yaml = malloc(128 * (size_t)robots + 128);
    assert_non_null(yaml);
    int used = sprintf(yaml, "world: {size: {x: 20, y: 60}}\nrobots:\n");
    for (int i = 0; i < robots; i++)
        used +=
            sprintf(yaml + used, "  - {name: r%d, type: epuck2, pose: {x: %d, y: %d}, links: []}\n",
                    i, 1 + i % 18, 1 + i / 18);
    return yaml;
}

/* clock() counts whole ticks if a limit of CPU time is set; CLOCK_THREAD_CPUTIME_ID does not. */
static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* CPU time in seconds to build and remove a wall and a box: the least of several turns. */
static double edit_time(int robots)
{
    char *yaml = crowd(robots);
    struct simulation self = simulation_open(yaml, NULL);
    double least = INFINITY;
    for (int turn = 0; turn < 20; turn++) {
        double start = cpu_s();
        for (int i = 0; i < 5; i++) {
            simulation_do(self.sim, "world.wall from_x=0.2 from_y=0.1 to_x=2 to_y=0.1");
            simulation_do(self.sim, "world.box x=0.4 y=0.4 length=0.1 width=0.1");
            simulation_do(self.sim, "world.remove wall=1");
            simulation_do(self.sim, "world.remove box=1");
        }
        least = fmin(least, cpu_s() - start);
    }
    simulation_close(&self);
    free(yaml);
    return least;
}

/* The same, for reading and checking a scene and creating its simulation. */
static double create_time(int robots)
{
    char *yaml = crowd(robots);
    double least = INFINITY;
    struct error error = {0};
    for (int turn = 0; turn < 4; turn++) {
        double start = cpu_s();
        struct scene *parsed = scene_parse(yaml, strlen(yaml), "crowd.yaml", &error);
        assert_non_null(parsed);
        assert_true(scene_check(parsed, &error));
        struct sim *sim = sim_create(parsed, NULL, NULL, &error);
        least = fmin(least, cpu_s() - start);
        assert_non_null(sim);
        sim_destroy(sim);
        scene_destroy(parsed);
    }
    free(yaml);
    return least;
}

static void an_edit_costs_at_most_in_proportion_to_the_robots(void **state)
{
    (void)state;
    double few = edit_time(25), many = edit_time(150);
    print_message("20 edits: %.0f us, with six times the robots %.0f us\n", 1e6 * few, 1e6 * many);
    /* The factor is 6 if each robot is asked whether it is at that place, and 36 if each robot
     * searches all signals for its lamps. */
    assert_true(many < 15 * few);
}

static void the_start_takes_time_in_proportion_to_the_robots(void **state)
{
    (void)state;
    double few = create_time(64), many = create_time(512);
    print_message("start: %.0f us, with eight times the robots %.0f us\n", 1e6 * few, 1e6 * many);
    assert_true(many < 24 * few); /* 64 if the time grows with the square */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_that_is_built_stops_a_robot_and_one_that_is_removed_lets_it_go),
        cmocka_unit_test(a_box_that_is_put_up_is_pushed),
        cmocka_unit_test(a_box_that_is_removed_is_in_nobodys_way),
        cmocka_unit_test(numbers_stay_and_a_free_one_is_used_again),
        cmocka_unit_test(what_is_built_has_the_color_and_height_that_were_given),
        cmocka_unit_test(a_room_may_begin_anywhere),
        cmocka_unit_test(what_makes_no_sense_is_refused_with_the_reason),
        cmocka_unit_test(nothing_is_built_into_what_it_would_push),
        cmocka_unit_test(reset_puts_nothing_into_what_was_built_since),
        cmocka_unit_test(a_lifted_robot_keeps_its_place),
        cmocka_unit_test(as_many_as_there_is_room_for_and_no_more),
        cmocka_unit_test(refusals_name_what_is_in_the_way),
        cmocka_unit_test(whatever_was_built_at_a_start_is_named),
        cmocka_unit_test(every_edit_is_a_new_generation_of_the_room),
        cmocka_unit_test(there_is_room_for_edits_however_many_edges_polygons_have),
        cmocka_unit_test(the_same_commands_at_the_same_steps_give_the_same_run),
        cmocka_unit_test(reset_puts_robots_and_things_back),
        cmocka_unit_test(an_edit_costs_at_most_in_proportion_to_the_robots),
        cmocka_unit_test(the_start_takes_time_in_proportion_to_the_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
