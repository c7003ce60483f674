/* Scenes with objects at places where they cannot stand, each with the whole message. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/registry.h"
#include "sim/parse/scene_parse.h"

#include "tests/unit/wrong_scene.h"

#define RIDER(mount)                                                                               \
    ROOM "robots:\n- {name: a, type: kobuki, pose: {x: 1, y: 1}}\n"                                \
         "- {name: b, type: kobuki, mount: " mount "}\n"

static void mounts_that_cannot_be(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {RIDER("{on: a}"),
         "4:34: robots[1].mount: a kobuki has wheels, so it cannot be mounted; give it a pose"},
        {RIDER("{on: aa}"), "4:34: robots[1].mount.on: no robot 'aa'; allowed: a"},
        {RIDER("{on: b}"), "4:34: robots[1].mount.on: b is itself mounted on *"},
        {RIDER("{}"), "4:34: robots[1].mount.on: missing; *"},
        {RIDER("{on: a, z: 3}"), "4:45: robots[1].mount.z: *"},
        {RIDER("{on: a, power: sun}"), "4:49: robots[1].mount.power: *"},
        {RIDER("{on: a}, pose: {x: 1, y: 1}"), "4:34: robots[1].mount: the robot has both a mount "
                                               "and a pose; allowed: one of pose, mount"},
    };
    EXPECT(wrong);
}

/* Robots on the floor and on each other. */
#define STACK(list) ROOM "robots:\n- {name: a, type: kobuki, pose: {x: 1, y: 1}}\n" list

static void a_carrier_stands_on_the_floor(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {STACK(
             "- {name: b, type: ld06, mount: {on: a}}\n- {name: c, type: ld06, mount: {on: b}}\n"),
         "5:32: robots[2].mount.on: b is itself mounted on a robot; allowed: a robot on the floor"},
        {STACK("- {name: bb, type: ld06, mount: {on: cc}}\n"
               "- {name: cc, type: ld06, mount: {on: a}}\n"),
         "4:33: robots[1].mount.on: cc is itself mounted on a robot; allowed: a robot on the "
         "floor"},
        {STACK(
             "- {name: b, type: ld06, mount: {on: c}}\n- {name: d, type: ld06, mount: {on: a}}\n"),
         "4:32: robots[1].mount.on: no robot 'c'; allowed: a"},
    };
    EXPECT(wrong);
}

static void a_carrier_may_be_named_before_or_after_its_riders(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        ROOM "robots:\n- {name: eye, type: ld06, mount: {on: a, x: 0.1, y: 0.05, heading: 10}}\n"
             "- {name: a, type: kobuki, pose: {x: 1, y: 2, heading: 90}}\n",
        ROOM "robots:\n- {name: a, type: kobuki, pose: {x: 1, y: 2, heading: 90}}\n"
             "- {name: eye, type: ld06, mount: {on: a, x: 0.1, y: 0.05, heading: 10}}\n",
    };
    for (size_t i = 0; i < COUNT(scenes); i++) {
        struct error error = {0};
        struct scene *scene = scene_parse(scenes[i], strlen(scenes[i]), "s.yaml", &error);
        if (!scene) {
            fail_msg("%s", error.text);
            return;
        }
        const struct pose pose = scene->robots[i].pose;
        assert_true(fabs(pose.x_m - 0.95) < 1e-9 && fabs(pose.y_m - 2.1) < 1e-9);
        assert_true(fabs(pose.heading_rad - 100 * ANGLE_RAD_DEG) < 1e-9);
        assert_int_equal(scene_carrier(scene, i), 1 - i);
        assert_true(scene_carrier(scene, 1 - i) == SIZE_MAX);
        scene_destroy(scene);
    }
}

/* A message cannot list so many names. */
static void an_unknown_carrier_among_a_hundred_robots(void **state)
{
    (void)state;
    char scene[16384] = "world: {size: {x: 100, y: 4}}\nrobots:\n";
    for (int i = 0; i < 120; i++)
        sprintf(scene + strlen(scene), "- {name: r%d, type: epuck2, pose: {x: %g, y: 1}}\n", i,
                1 + i / 2.0);
    strcat(scene, "- {name: z, type: ld06, mount: {on: r777}}\n");
    expect_message(scene, strlen(scene),
                   "123:32: robots[120].mount.on: no robot 'r777'; did you mean *");
}

/* The parts of the kobuki itself count, too. */
static void as_many_robots_as_a_robot_carries_and_no_more(void **state)
{
    (void)state;
    char scene[8192] = ROOM "robots:\n- {name: a, type: kobuki, pose: {x: 1, y: 1}}\n";
    struct robot_body body = {0};
    const struct robot_type *type = registry_find("kobuki");
    uint8_t options[ROBOT_OPTIONS_MAX] = {0};
    option_defaults(type->options, type->option_count, options);
    robot_type_body(type, options, &body);
    size_t most = ROBOT_PARTS_MAX - body.part_count;
    for (size_t i = 0; i < most; i++)
        sprintf(scene + strlen(scene), "- {name: r%zu, type: ld06, mount: {on: a}}\n", i);
    struct error error = {0};
    struct scene *good = scene_parse(scene, strlen(scene), "s.yaml", &error);
    if (!good)
        fail_msg("%s", error.text);
    scene_destroy(good);
    strcat(scene, "- {name: z, type: ld06, mount: {on: a}}\n");
    char says[160];
    snprintf(says, sizeof says,
             "%zu:32: robots[%zu].mount.on: a carries too much; allowed: 32 parts and robots on "
             "one robot",
             4 + most, 1 + most);
    expect_message(scene, strlen(scene), says);
    /* The same with robot a at the end of the list. */
    char *first = strstr(scene, "- {name: r0"),
         last[] = "- {name: a, type: kobuki, pose: {x: 1, y: 1}}\n";
    memmove(strstr(scene, last), first, strlen(first) + 1);
    snprintf(says, sizeof says,
             "%zu:32: robots[%zu].mount.on: a carries too much; allowed: 32 parts and robots on "
             "one robot",
             3 + most, most);
    strcat(scene, last);
    expect_message(scene, strlen(scene), says);
    *strstr(scene, "- {name: z") = '\0';
    strcat(scene, last);
    good = scene_parse(scene, strlen(scene), "s.yaml", &error);
    if (!good)
        fail_msg("%s", error.text);
    scene_destroy(good);
}

static void outlines_cross_between_any_two_edges(void **state)
{
    (void)state;
    static const struct {
        const char *points;
        bool is_crossed;
    } rows[] = {
        {"{x: 1, y: 3}, {x: 2, y: 3}, {x: 2, y: 2}", false},
        {"{x: 1, y: 2}, {x: 3, y: 2}, {x: 3, y: 3}, {x: 1, y: 3}", false},
        {"{x: 1, y: 2}, {x: 3.5, y: 3.5}, {x: 3, y: 2}, {x: 1, y: 3}", true},
        {"{x: 1, y: 2}, {x: 3, y: 2}, {x: 1, y: 3}, {x: 3.5, y: 3}", true},
        {"{x: 1, y: 2}, {x: 3, y: 2}, {x: 3.5, y: 3}, {x: 2, y: 3.5}, {x: 0.5, y: 3}", false},
        /* an L, whose edges meet lines of others */
        {"{x: 1, y: 2}, {x: 3, y: 2}, {x: 3, y: 2.5}, {x: 2, y: 2.5}, {x: 2, y: 3}, {x: 1, y: 3}",
         false},
        /* a star; then the last edge alone crosses the first, and the second */
        {"{x: 2, y: 3.5}, {x: 1.4, y: 1.9}, {x: 2.8, y: 2.9}, {x: 1.2, y: 2.9}, {x: 2.6, y: 1.9}",
         true},
        {"{x: 1, y: 2}, {x: 3, y: 2}, {x: 3, y: 3}, {x: 2, y: 3}, {x: 2, y: 1.9}", true},
        {"{x: 1, y: 2}, {x: 2, y: 2}, {x: 2, y: 3}, {x: 3, y: 3}, {x: 3, y: 2.9}", true},
        /* a corner that touches an edge, from each start and in both directions */
        {"{x: 1, y: 2}, {x: 3, y: 2}, {x: 3, y: 3}, {x: 2, y: 2}, {x: 1, y: 3}", false},
        {"{x: 2, y: 2}, {x: 1, y: 3}, {x: 1, y: 2}, {x: 3, y: 2}, {x: 3, y: 3}", false},
        {"{x: 1, y: 3}, {x: 1, y: 2}, {x: 3, y: 2}, {x: 3, y: 3}, {x: 2, y: 2}", false},
        {"{x: 3, y: 2}, {x: 1, y: 2}, {x: 1, y: 3}, {x: 2, y: 2}, {x: 3, y: 3}", false},
        {"{x: 2, y: 2}, {x: 3, y: 3}, {x: 3, y: 2}, {x: 1, y: 2}, {x: 1, y: 3}", false},
        {"{x: 3, y: 3}, {x: 3, y: 2}, {x: 1, y: 2}, {x: 1, y: 3}, {x: 2, y: 2}", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char scene[512];
        struct error error = {0};
        snprintf(scene, sizeof scene, WORLD("polygons: [{points: [%s]}]"), rows[i].points);
        struct scene *good = scene_parse(scene, strlen(scene), "s.yaml", &error);
        if ((good == NULL) != rows[i].is_crossed || (!good && !strstr(error.text, "edges of the")))
            fail_msg("%s: %s", rows[i].points, error.text);
        scene_destroy(good);
    }
}

static void places_where_nothing_can_stand(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {POSE("{x: 5, y: 1}"),
         "3:33: robots[0].pose: a at (5, 1) is not inside the room of 4 x 4 m; keep its middle *"},
        {POSE("{x: 0.1, y: 1}"), "3:33: robots[0].pose: a at (0.1, 1) is not inside the room of 4 "
                                 "x 4 m; keep its middle *"},
        {POSE("{x: 1, y: 3.9}"), "3:33: robots[0].pose: a at (1, 3.9) is not inside the room of 4 "
                                 "x 4 m; keep its middle *"},
        {POSE("{x: 1, y: -1}"),
         "3:33: robots[0].pose: a at (1, -1) is not inside the room of 4 x 4 m; keep its middle *"},
        {WORLD("walls: [{from: {x: 1.1, y: 0}, to: {x: 1.1, y: 2}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.walls[0]; its radius is *"},
        {WORLD("boxes: [{pose: {x: 1.5, y: 1.5, heading: 45}, size: {x: 2, y: 0.2}}, {pose: {x: "
               "1.2, y: 1, heading: 90}, size: {x: 0.3, y: 0.3}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.boxes[0]; its radius is *"},
        {WORLD("boxes: [{pose: {x: 1, y: 1}, size: {x: 3, y: 3}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.boxes[0]; its radius is *"},
        {WORLD("polygons: [{points: [{x: 0.1, y: 0.1}, {x: 3, y: 0.1}, {x: 3, y: 3}, {x: 0.1, y: "
               "3}]}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.polygons[0]; its radius is *"},
        {WORLD("polygons: [{points: [{x: 1.1, y: 0.1}, {x: 3, y: 0.1}, {x: 1.1, y: 3}]}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.polygons[0]; its radius is *"},
        {WORLD("walls: [{from: {x: 1.1, y: 1}, to: {x: 1.1, y: 0.3}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.walls[0]; its radius is *"},
        {WORLD("walls: [{from: {x: 1, y: 1.1}, to: {x: 0.3, y: 1.1}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.walls[0]; its radius is *"},
        {WORLD("walls: [{from: {x: 3, y: 1.1}, to: {x: 0.9, y: 1.1}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.walls[0]; its radius is *"},
        {WORLD("discs: [{pose: {x: 1.3, y: 1}, radius: 0.2}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.discs[0]; its radius is *"},
        {ROOM "robots:\n- {name: a, type: kobuki, pose: {x: 1, y: 1}}\n"
              "- {name: b, type: kobuki, pose: {x: 1.3, y: 1}}\n",
         "4:33: robots[1].pose: b at (1.3, 1) overlaps robots[0]; its radius is *"},
        {WORLD("walls: [{from: {x: 1, y: 1}, to: {x: 1, y: 1}}]"),
         "3:11: world.walls[0]: the wall has no length; move one of its ends"},
        {WORLD("walls: [{from: {x: 2, y: 2}, to: {x: 2, y: 4.5}}]"),
         "3:11: world.walls[0]: the end (2, 4.5) is outside the room; allowed: x from 0 to 4, y "
         "from 0 to 4"},
        {WORLD("boxes: [{pose: {x: 5, y: 1}, size: {x: 1, y: 1}}]"),
         "3:11: world.boxes[0]: the center (5, 1) is outside the room; allowed: x from 0 to 4, y "
         "from 0 to 4"},
        {WORLD("discs: [{pose: {x: 1, y: -1}, radius: 1}]"),
         "3:11: world.discs[0]: the center (1, -1) is outside the room; allowed: x from 0 to 4, y "
         "from 0 to 4"},
        {WORLD("cliffs: [{points: [{x: 0, y: 0}, {x: 1, y: 0}, {x: 1, y: 5}]}]"),
         "3:12: world.cliffs[0]: the corner (1, 5) is outside the room; allowed: x from 0 to 4, y "
         "from 0 to 4"},
        {WORLD("cliffs: [{points: [{x: 0, y: 0}, {x: 1, y: 1}]}]"),
         "3:21: world.cliffs[0].points: has 2 items; allowed: at least 3, at most 64"},
        {WORLD("cliffs: [{points: [{x: 0, y: 0}, {x: 1, y: 1}, {x: 2, y: 2}]}]"),
         "3:12: world.cliffs[0]: the cliff has no area; allowed: corners one after the other "
         "around it"},
        {WORLD("cliffs: [{points: [{x: 0, y: 0}, {x: 2, y: 1}, {x: 2, y: 0}, {x: 0, y: 3}]}]"),
         "3:12: world.cliffs[0]: edges of the cliff cross; allowed: corners one after the other "
         "around it"},
    };
    EXPECT(wrong);
}

/* Whether a scene accepts a robot of TYPE at this pose, in a room of 4 m x 4 m. */
static bool may_stand(const char *type, double x_m, double y_m, int heading_deg)
{
    char scene[256];
    struct error error = {0};
    snprintf(scene, sizeof scene,
             ROOM "robots: [{name: a, type: %s, pose: {x: %.9f, y: %.9f, heading: %d}}]\n", type,
             x_m, y_m, heading_deg);
    struct scene *good = scene_parse(scene, strlen(scene), "s.yaml", &error);
    if (!good && !strstr(error.text, "is not inside the room"))
        fail_msg("%s", error.text);
    scene_destroy(good);
    return good != NULL;
}

/* Its pose need not be in the middle of its outline. */
static void a_robot_stands_inside_the_room_if_its_outline_does(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        uint8_t options[ROBOT_OPTIONS_MAX] = {0};
        struct robot_body body = {0};
        const char *type = types[i]->name;
        option_defaults(types[i]->options, types[i]->option_count, options);
        robot_type_body(types[i], options, &body);
        bool is_disc = body.shape == ROBOT_DISC;
        double front_m = body.center_x_m + (is_disc ? body.radius_m : body.length_m / 2);
        double back_m = (is_disc ? body.radius_m : body.length_m / 2) - body.center_x_m;
        double side_m = is_disc ? body.radius_m : body.width_m / 2;
        for (int k = 0; k < 2; k++) {
            double gap_m = k == 0 ? 0.001 : -0.001;
            assert_true(may_stand(type, 4 - front_m - gap_m, 2, 0) == (k == 0));
            assert_true(may_stand(type, 4 - back_m - gap_m, 2, 180) == (k == 0));
            assert_true(may_stand(type, back_m + gap_m, 2, 0) == (k == 0));
            assert_true(may_stand(type, 2, front_m + gap_m, -90) == (k == 0));
            assert_true(may_stand(type, 2, 4 - side_m - gap_m, 0) == (k == 0));
            assert_true(may_stand(type, 2, side_m + gap_m, 180) == (k == 0));
        }
    }
}

/* With each heading, a different corner is nearest to the wall. */
static void each_corner_of_a_housing_is_inside_the_room(void **state)
{
    (void)state;
    for (int heading_deg = 10; heading_deg < 360; heading_deg += 20) {
        double turn = heading_deg * ANGLE_RAD_DEG;
        double reach_m =
            fabs(cos(turn)) * SCENE_DOCK_DEPTH_M / 2 + fabs(sin(turn)) * SCENE_DOCK_WIDTH_M / 2;
        for (int k = 0; k < 2; k++) {
            char scene[256];
            struct error error = {0};
            snprintf(scene, sizeof scene,
                     WORLD("docks: [{name: d, pose: {x: %.9f, y: 3, heading: %d}}]"),
                     4 - reach_m - (k == 0 ? 0.001 : -0.001), heading_deg);
            struct scene *good = scene_parse(scene, strlen(scene), "s.yaml", &error);
            if ((good != NULL) != (k == 0) ||
                (!good && !strstr(error.text, "world.docks[0]: d at ")))
                fail_msg("%d degrees: %s", heading_deg, error.text);
            scene_destroy(good);
        }
    }
}

static void movable_things_inside_each_other(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {WORLD("boxes: [{pose: {x: 3, y: 3}, size: {x: 0.1, y: 0.1}}, {pose: {x: 3, y: 2}, size: "
               "{x: 0.2, y: 0.2}, mass: 1}, {pose: {x: 3.1, y: 2.1, heading: 20}, size: {x: 0.2, "
               "y: 0.2}}]"),
         "3:57: world.boxes: boxes[1] and boxes[2] overlap*"},
        {WORLD(
             "boxes: [{pose: {x: 3, y: 3}, size: {x: 0.2, y: 0.2}}]\n  discs: [{pose: {x: 3.1, y: "
             "3}, radius: 0.1, mass: 1}]"),
         "3:11: world.boxes: boxes[0] and discs[0] overlap*"},
        {WORLD("discs: [{pose: {x: 3, y: 3}, radius: 0.1}, {pose: {x: 3.1, y: 3}, radius: 0.1, "
               "mass: 1}]"),
         "3:11: world.discs: discs[0] and discs[1] overlap*"},
        {WORLD("walls: [{from: {x: 3, y: 2}, to: {x: 3, y: 4}}]\n  boxes: [{pose: {x: 3, y: 1}, "
               "size: "
               "{x: 0.2, y: 0.2}, mass: 1}, {pose: {x: 3.05, y: 3}, size: {x: 0.2, y: 0.2}, mass: "
               "1}]"),
         "4:66: world.boxes[1]: a movable object overlaps world.walls[0]: move one of them, or "
         "leave out mass"},
        {WORLD("polygons: [{points: [{x: 2, y: 2}, {x: 3.9, y: 2}, {x: 3.9, y: 3.9}]}]\n  discs: "
               "[{pose: {x: 3.5, y: 3}, radius: 0.1, mass: 1}]"),
         "4:11: world.discs[0]: a movable object overlaps world.polygons[0]*"},
        {WORLD("boxes: [{pose: {x: 3.95, y: 3}, size: {x: 0.2, y: 0.2}, mass: 1}]"),
         "3:11: world.boxes[0]: a movable object overlaps a wall of the room*"},
    };
    EXPECT(wrong);
}

static void docks_that_do_not_fit(void **state)
{
    (void)state;
#define DOCK(pose) "docks: [{name: d, pose: " pose "}]"
    static const struct wrong wrong[] = {
        {WORLD("docks: [{name: d}]"),
         "3:11: world.docks[0].pose: missing; allowed: a mapping of x, y, heading"},
        {WORLD("docks: [{pose: {x: 3, y: 3}}]"),
         "3:11: world.docks[0].name: missing; allowed: a text of at most 32 bytes"},
        {WORLD("docks: [{name: My dock, pose: {x: 3, y: 3}}]"),
         "3:18: world.docks[0].name: 'My dock' is not a valid name of a dock; allowed: a letter, "
         "then "
         "letters, digits and _, all lower-case"},
        {WORLD("docks: [{name: d, pose: {x: 3, y: 3}}, {name: d, pose: {x: 3, y: 2}}]"),
         "3:49: world.docks[1].name: world.docks[0] already has the name d; choose another name"},
        {WORLD("docks: [{name: d, pose: {x: 3, y: 3}, size: 2}]"),
         "3:41: world.docks[0].size: no such key; allowed: name, type, pose"},
        {WORLD("docks: [{name: d, type: homebase, pose: {x: 3, y: 3}}]"),
         "3:27: world.docks[0].type: 'homebase'*"},
        {WORLD(DOCK("{x: 3.97, y: 3}")),
         "3:11: world.docks[0]: d at (3.97, 3) is not inside the room of 4 x 4 m; its housing is "
         "0.08 m deep and 0.24 m wide around that place"},
        {WORLD(DOCK("{x: 5, y: 3}")), "3:11: world.docks[0]: d at (5, 3) is not inside the room*"},
        {WORLD("walls: [{from: {x: 3, y: 2}, to: {x: 3, y: 4}}]\n  " DOCK("{x: 3.02, y: 3}")),
         "4:11: world.docks[0]: d at (3.02, 3) overlaps world.walls[0]; its housing is 0.08 x 0.24 "
         "m: move one of them"},
        {WORLD("boxes: [{pose: {x: 3, y: 3}, size: {x: 1, y: 1}}]\n  " DOCK("{x: 3, y: 3}")),
         "4:11: world.docks[0]: d at (3, 3) overlaps world.boxes[0]*"},
        {WORLD("polygons: [{points: [{x: 2, y: 2}, {x: 3.9, y: 2}, {x: 3.9, y: 3.9}]}]\n  " DOCK(
             "{x: 3.5, y: 3}")),
         "4:11: world.docks[0]: d at (3.5, 3) overlaps world.polygons[0]; its housing is 0.08 x "
         "0.24 m: move one of them"},
        {WORLD("polygons: [{points: [{x: 2, y: 2}, {x: 3.5, y: 2}, {x: 3.5, y: 3.9}]}]\n  " DOCK(
             "{x: 3.53, y: 3}")),
         "4:11: world.docks[0]: d at (3.53, 3) overlaps world.polygons[0]*"},
        {WORLD("discs: [{pose: {x: 3, y: 3}, radius: 0.1}]\n  " DOCK("{x: 3, y: 3.2}")),
         "4:11: world.docks[0]: d at (3, 3.2) overlaps world.discs[0]*"},
        {WORLD("docks: [{name: d, pose: {x: 3, y: 3}}, {name: e, pose: {x: 3, y: 3.2}}]"),
         "3:42: world.docks[1]: e at (3, 3.2) overlaps world.docks[0]*"},
        {WORLD(DOCK("{x: 1.2, y: 1}")), "4:40: robots[0].pose: a at (1, 1) overlaps "
                                        "world.docks[0]; its radius is 0.176 m: "
                                        "move one of them"},
    };
    EXPECT(wrong);
}

/* Expects these warnings of a valid scene, in this order. */
static void expect_warnings(const char *text, const char *const *says, size_t count)
{
    struct error error = {0};
    struct scene *scene = scene_parse(text, strlen(text), "s.yaml", &error);
    if (!scene)
        fail_msg("%s", error.text);
    size_t next = 0, found = 0;
    for (struct error warning = {0}; scene_warning(scene, &next, &warning); found++)
        if (found >= count || strncmp(warning.text, says[found], strlen(says[found])) != 0)
            fail_msg("%zu: %s", found, warning.text);
    assert_int_equal(found, count);
    assert_false(scene_warning(scene, &next, &error)); /* no more follow */
    scene_destroy(scene);
}

static void all_that_is_suspicious_is_warned_of(void **state)
{
    (void)state;
    static const char far[] = STACK("- {name: eye, type: ld06, mount: {on: a, x: 0.3, z: 0.9}}\n"
                                    "- {name: b, type: kobuki, pose: {x: 3, y: 3}}\n"
                                    "- {name: ear, type: ld06, mount: {on: b, x: -0.3, z: 0.2}}\n");
    static const char *const says[] = {
        "s.yaml:4:34: robots[1].mount: eye extends beyond a by 0.1",
        "s.yaml:4:34: robots[1]: the scanner of eye is 0.9",
        "s.yaml:6:34: robots[3].mount: ear extends beyond b by 0.1",
    };
    expect_warnings(far, says, COUNT(says));
    expect_warnings(STACK(""), NULL, 0);
}

/* A ray at the height of a wall hits it. One wall, box or disc of that height is enough. */
static void a_scanner_is_not_above_what_is_as_high(void **state)
{
    (void)state;
    static const char *const high[] = {
        "walls: [{from: {x: 3, y: 3}, to: {x: 3, y: 3.5}, height: %.17g}]",
        "boxes: [{pose: {x: 3, y: 3}, size: {x: 0.1, y: 0.1}, height: %.17g}]",
        "discs: [{pose: {x: 3, y: 3}, radius: 0.1, height: %.17g}]",
        "polygons: [{points: [{x: 3, y: 3}, {x: 3.5, y: 3}, {x: 3, y: 3.5}], height: %.17g}]",
        "room: {height: %.17g}",
    };
    const struct robot_type *type = registry_find("ld06");
    uint8_t options[ROBOT_OPTIONS_MAX] = {0};
    struct robot_body body = {0};
    option_defaults(type->options, type->option_count, options);
    robot_type_body(type, options, &body);
    double z_m = body.sensors[0].z_m + 0.75; /* the same sum as in the check */
    for (size_t i = 0; i < COUNT(high); i++)
        for (int k = 0; k < 2; k++) {
            static const char *const says[] = {"s.yaml:4:34: robots[1]: the scanner of eye is "};
            char thing[200], scene[600];
            snprintf(thing, sizeof thing, high[i], k == 0 ? z_m : z_m - 1e-6);
            snprintf(scene, sizeof scene,
                     "world: {size: {x: 4, y: 4}, %s}\nrobots:\n"
                     "- {name: a, type: kobuki, pose: {x: 1, y: 1}}\n"
                     "- {name: eye, type: ld06, mount: {on: a, z: 0.75}}\n",
                     thing);
            expect_warnings(scene, says, (size_t)k);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mounts_that_cannot_be),
        cmocka_unit_test(a_carrier_stands_on_the_floor),
        cmocka_unit_test(a_carrier_may_be_named_before_or_after_its_riders),
        cmocka_unit_test(an_unknown_carrier_among_a_hundred_robots),
        cmocka_unit_test(as_many_robots_as_a_robot_carries_and_no_more),
        cmocka_unit_test(outlines_cross_between_any_two_edges),
        cmocka_unit_test(places_where_nothing_can_stand),
        cmocka_unit_test(a_robot_stands_inside_the_room_if_its_outline_does),
        cmocka_unit_test(each_corner_of_a_housing_is_inside_the_room),
        cmocka_unit_test(movable_things_inside_each_other),
        cmocka_unit_test(docks_that_do_not_fit),
        cmocka_unit_test(all_that_is_suspicious_is_warned_of),
        cmocka_unit_test(a_scanner_is_not_above_what_is_as_high),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
