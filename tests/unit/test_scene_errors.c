/* Wrong scenes, each with the whole message for its author: place, key, found value, allowed
 * values. Links, places and files have separate test programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/link_kind.h"
#include "protocols/registry.h"
#include "sim/scene/scene.h"
#include "tests/unit/wrong_scene.h"

static void keys_that_are_unknown_missing_or_given_twice(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {TOP("sed: 1"), "1:1: sed: no such key; did you mean 'seed'? allowed: name, seed, "
                        "continue_after_driver, driver_deadline, host, world, "
                        "robots, timeline, expect, measure, sweep"},
        {TOP("timelime: []"), "1:1: timelime: no such key; did you mean 'timeline'? allowed: name, "
                              "seed, continue_after_driver, driver_deadline, host, world, robots, "
                              "timeline, expect, measure, sweep"},
        {WORLD("zzzzzzzzzzzz: 1"),
         "3:3: world.zzzzzzzzzzzz: no such key; allowed: map, floor_image, light, size, walls, "
         "polygons, boxes, discs, cliffs, shades, lines, docks, beacons, room, lamps"},
        {ITEM("lable: x"),
         "6:3: robots[0].lable: no such key; did you mean 'label'? allowed: name, "
         "label, storage, power_on, type, pose, mount, links, options"},
        {LINK("{pty: a, chunk: byte}"),
         "6:20: robots[0].links[0].chunk: no such key; did you mean 'chunks'? allowed: chunks, "
         "baud_check, unread, " LINK_KIND_NAMES ", channel"},
        {POSE("{x: 1, y: 1, headng: 3}"), "3:46: robots[0].pose.headng: no such key; did you mean "
                                          "'heading'? allowed: x, y, heading"},
        {ITEM("options: {firmwre: 1.0.0}"),
         "6:13: robots[0].options.firmwre: no such key; did you mean 'firmware'? allowed: *"},
        {TOP("\"\\e[31m\": 1"),
         "1:1: (key): has the control character U+001B; allowed: a word before the colon"},
        {TOP("[a]: 1"), "1:1: (key): found a list; allowed: a word before the colon"},
        {TOP("? \n: 1"), "1:2: (key): found nothing; allowed: a word before the colon"},
        {TOP("seed: 1\nseed: 2"), "2:1: seed: given twice, first on line 1; remove one"},
        {ROOM ROOM ROBOT, "2:1: world: given twice, first on line 1; remove one"},
        {WORLD("size: {x: 1, y: 1}"), "3:3: world.size: given twice, first on line 2; remove one"},
        {ITEM("options: {battery_v: 15, battery_v: 15}"),
         "6:28: robots[0].options.battery_v: given twice, first on line 6; remove one"},
        {ROBOT,
         "1:1: world: missing; allowed: a mapping of map, floor_image, light, size, "
         "walls, polygons, boxes, discs, cliffs, shades, lines, docks, beacons, room, lamps"},
        {ROOM, "1:1: robots: missing; allowed: a list of mappings of name, label, storage, "
               "power_on, type, pose, mount, links, options"},
        {"world: {}\n" ROBOT, "1:8: world.size: missing; allowed: a mapping of x, y"},
        {"world: {size: {x: 4}}\n" ROBOT,
         "1:15: world.size.y: missing; allowed: a number from 0.1 to 1000 m"},
        {WORLD("boxes: [{pose: {x: 1, y: 1}}]"),
         "3:11: world.boxes[0].size: missing; allowed: a mapping of x, y"},
        {WORLD("discs: [{pose: {x: 1, y: 1}}]"),
         "3:11: world.discs[0].radius: missing; allowed: a number from 0.001 to 1000 m"},
        {WORLD("walls: [{from: {x: 1, y: 1}}]"),
         "3:11: world.walls[0].to: missing; allowed: a mapping of x, y"},
        {WORLD("lamps: [{brightness: 1}]"),
         "3:11: world.lamps[0].at: missing; allowed: a mapping of x, y"},
        {WORLD("discs: [{pose: {x: 3, y: 1}, radius: 0.2, colour: red}]"),
         "3:45: world.discs[0].colour: no such key; did you mean 'color'? allowed: *"},
        {WORLD("cliffs: [{depth: 1}]"),
         "3:12: world.cliffs[0].points: missing; allowed: a list of mappings of x, y"},
        {ROOM "robots:\n- {type: kobuki, pose: {x: 1, y: 1}}\n",
         "3:3: robots[0].name: missing; allowed: a text of at most 32 bytes"},
        {ROOM "robots:\n- {name: a, pose: {x: 1, y: 1}}\n",
         "3:3: robots[0].type: missing; allowed: *"},
        {ROOM "robots:\n- {name: a, type: kobuki}\n",
         "3:3: robots[0].pose: missing; allowed: a mapping of x, y, heading"},
    };
    EXPECT(wrong);
}

static void hosts_of_the_wrong_kind(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {"host: {a: 1}\n", "1:8: host.a: no such key; allowed: delay, wake_order, command"},
        {"host: {command: {a: 1}}\n",
         "1:17: host.command: found a mapping; allowed: a command for /bin/sh, or a list of them"},
        {"host: {delay: 5..1ms}\n",
         "1:15: host.delay: '5..1ms' is not a range of delays; allowed: A..B with a unit (us, ms, "
         "s) from 0 to 1000 s, such as 0..400ms"},
        {"host: []\n", "1:7: host: has 0 items; allowed: at least 1, at most 16"},
        {"host: [a, '']\n", "1:11: host[1]: is empty; allowed: a command for /bin/sh"},
        {"host: [a, [b]]\n", "1:11: host[1]: found a list; allowed: a text of at most 511 bytes"},
        {"host: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]\n",
         "1:7: host: has 17 items; allowed: at least 1, at most 16"},
    };
    EXPECT(wrong);
}

static void values_of_the_wrong_kind(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {TOP("seed: {a: 1}"), "1:7: seed: found a mapping; allowed: a whole number from 0 to 9*"},
        {TOP("seed: [1]"), "1:7: seed: found a list; allowed: a whole number from 0 to 9*"},
        {TOP("seed:"), "1:6: seed: found nothing; allowed: a whole number from 0 to 9*"},
        {TOP("seed: ~"), "1:7: seed: found nothing; allowed: a whole number from 0 to 9*"},
        {TOP("name: null"), "1:7: name: found nothing; allowed: a text of at most 127 bytes"},
        {"world: big\n" ROBOT, "1:8: world: found 'big'; allowed: a mapping of map, floor_image, "
                               "light, size, walls, polygons, boxes, discs, cliffs, shades, lines, "
                               "docks, beacons, room, lamps"},
        {"world:\n" ROBOT, "1:7: world: found nothing; allowed: a mapping of map, floor_image, "
                           "light, size, walls, polygons, boxes, discs, cliffs, shades, lines, "
                           "docks, beacons, room, lamps"},
        {"world: [1]\n" ROBOT, "1:8: world: found a list; allowed: a mapping of map, floor_image, "
                               "light, size, walls, polygons, boxes, discs, cliffs, shades, lines, "
                               "docks, beacons, room, lamps"},
        {ROOM "robots: {name: a}\n",
         "2:9: robots: found a mapping; allowed: a list of mappings of "
         "name, label, storage, power_on, type, pose, mount, links, options"},
        {ROOM "robots: []\n", "2:9: robots: has 0 items; allowed: at least 1, at most 1024"},
        {ROOM "robots: [a]\n",
         "2:10: robots[0]: found 'a'; allowed: a mapping of name, label, storage, "
         "power_on, type, pose, mount, links, options"},
        {WORLD("walls: {}"), "3:10: world.walls: found a mapping; allowed: a list of mappings of "
                             "color, height, from, to"},
        {WORLD("lamps: [{at: 1}]"),
         "3:16: world.lamps[0].at: found '1'; allowed: a mapping of x, y"},
        {POSE("[1, 2]"), "3:33: robots[0].pose: found a list; allowed: a mapping of x, y, heading"},
        {POSE("{x: {a: 1}, y: 1}"),
         "3:37: robots[0].pose.x: found a mapping; allowed: a number from -1000 to 1000 m"},
        {ITEM("options: [firmware]"),
         "6:12: robots[0].options: found a list; allowed: a mapping of *"},
        {ITEM("options:"), "6:11: robots[0].options: found nothing; allowed: a mapping of *"},
        {ITEM("links: kobuki"),
         "6:10: robots[0].links: found 'kobuki'; allowed: a list such as [{pty: kobuki}]"},
        {ITEM("links: [kobuki]"), "6:11: robots[0].links[0]: found 'kobuki'; allowed: a mapping of "
                                  "chunks, baud_check, unread, " LINK_KIND_NAMES ", channel"},
        {LINK("{pty: [a]}"), "6:17: robots[0].links[0].pty: found a list; allowed: a path"},
        {LINK("{pty: a, channel: [uart]}"),
         "6:29: robots[0].links[0].channel: found a list; allowed: a channel of the robot"},
        {ROOM "robots:\n- {name: a, type: [kobuki], pose: {x: 1, y: 1}}\n",
         "3:19: robots[0].type: found a list; allowed: the name of a robot type"},
        {"[]", "1:1: found a list; allowed: a mapping of name, seed, continue_after_driver, "
               "driver_deadline, host, world, robots, "
               "timeline, expect, measure, sweep"},
        {"hello", "1:1: found 'hello'; allowed: a mapping of name, seed, continue_after_driver, "
                  "driver_deadline, host, world, robots, "
                  "timeline, expect, measure, sweep"},
        {"---\n", "2:1: found nothing; allowed: a mapping of name, seed, continue_after_driver, "
                  "driver_deadline, host, world, robots, "
                  "timeline, expect, measure, sweep"},
    };
    EXPECT(wrong);
}

static void numbers_that_are_none_or_out_of_range(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {POSE("{x: 1 m, y: 1}"), "3:37: robots[0].pose.x: '1 m' is not a number; allowed: a number "
                                 "from -1000 to 1000 (unit m, written without it)"},
        {POSE("{x: .nan, y: 1}"), "3:37: robots[0].pose.x: '.nan' is not a number; allowed: a "
                                  "number from -1000 to 1000 (unit m, written without it)"},
        {POSE("{x: 1, y: .inf}"), "3:43: robots[0].pose.y: '.inf' is not a number; allowed: a "
                                  "number from -1000 to 1000 (unit m, written without it)"},
        {POSE("{x: 1, y: 1e999}"), "3:43: robots[0].pose.y: '1e999' is not a number; allowed: a "
                                   "number from -1000 to 1000 (unit m, written without it)"},
        {POSE("{x: 0x1, y: 1}"), "3:37: robots[0].pose.x: '0x1' is not a number; allowed: a number "
                                 "from -1000 to 1000 (unit m, written without it)"},
        {POSE("{x: 1, y: 1, heading: 361}"),
         "3:55: robots[0].pose.heading: '361' is out of range; allowed: a number from -360 to 360 "
         "(unit degrees, written without it)"},
        {"world: {size: {x: -4, y: 4}}\n" ROBOT,
         "1:19: world.size.x: '-4' is out of range; allowed: a number from 0.1 to 1000 (unit m, "
         "written without it)"},
        {"world: {size: {x: 4, y: 0}}\n" ROBOT,
         "1:25: world.size.y: '0' is out of range; allowed: a number from 0.1 to 1000 (unit m, "
         "written without it)"},
        {WORLD("boxes: [{pose: {x: 1, y: 1}, size: {x: 1, y: -1}}]"),
         "3:48: world.boxes[0].size.y: '-1' is out of range; allowed: a number from 0.001 to 1000 "
         "(unit m, written without it)"},
        {WORLD("boxes: [{pose: {x: 1, y: 1}, size: {x: 1, y: 1}, mass: -2}]"),
         "3:58: world.boxes[0].mass: '-2' is out of range; allowed: a number from 0 to 1000000 "
         "(unit kg, written without it)"},
        {WORLD("discs: [{pose: {x: 1, y: 1}, radius: 0}]"),
         "3:40: world.discs[0].radius: '0' is out of range; allowed: a number from 0.001 to 1000 "
         "(unit m, written without it)"},
        {WORLD("cliffs: [{depth: -1, points: []}]"),
         "3:20: world.cliffs[0].depth: '-1' is out of range; allowed: a number from 0.001 to 100 "
         "(unit m, written without it)"},
        {TOP("seed: -1"), "1:7: seed: '-1' is out of range; allowed: a whole number from 0 to 9*"},
        {TOP("seed: 9007199254740993"),
         "1:7: seed: '9007199254740993' is out of range; allowed: a whole number from 0 to 9*"},
        {TOP("seed: 1.5"),
         "1:7: seed: '1.5' is not a whole number; allowed: a whole number from 0 to 9*"},
        {TOP("seed: 99999999999999999999"), "1:7: seed: '99999999999999999999' is *"},
    };
    EXPECT(wrong);
}

static void names_and_texts(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {TWO("name: a", "name: a"),
         "4:44: robots[1].name: robots[0] already has the name a; choose another name"},
        {TWO("name: a", "name: B"), "4:44: robots[1].name: 'B' is not a valid name of a robot; "
                                    "allowed: a letter, then letters, "
                                    "digits and _, all lower-case (label takes any text)"},
        {TWO("name: a", "name: 1b"), "4:44: robots[1].name: '1b' is not a valid name of a robot; "
                                     "allowed: a letter, then letters, "
                                     "digits and _, all lower-case (label takes any text)"},
        {TWO("name: a", "name: b-c"), "4:44: robots[1].name: 'b-c' is not a valid name of a robot; "
                                      "allowed: a letter, then letters, "
                                      "digits and _, all lower-case (label takes any text)"},
        {TWO("name: a", "name: \"\""), "4:44: robots[1].name: '' is not a valid name of a robot; "
                                       "allowed: a letter, then letters, digits "
                                       "and _, all lower-case (label takes any text)"},
        {TWO("name: a", "name: world"), "4:44: robots[1].name: 'world' is reserved for the "
                                        "commands and signals of the world; choose another name"},
        {TWO("name: a", "name: a23456789012345678901234567890123"),
         "4:44: robots[1].name: 'a23456789012345678901234567890123' is too long; allowed: a text "
         "of at most 32 bytes"},
        {ITEM("label: \"a\\nb\""), "6:10: robots[0].label: has the control character U+000A; "
                                   "allowed: a text of at most 127 bytes"},
        {ITEM("label: \"a\\x1b[31m\""), "6:10: robots[0].label: has the control character U+001B; "
                                        "allowed: a text of at most 127 bytes"},
        {ITEM("label: \"a\\0b\""), "6:10: robots[0].label: has the control character U+0000; "
                                   "allowed: a text of at most 127 bytes"},
        {ITEM("label: \"a\\u0085b\""), "6:10: robots[0].label: has the control character U+0085; "
                                       "allowed: a text of at most 127 bytes"},
        {TOP("name: \"\\x7f\""),
         "1:7: name: has the control character U+007F; allowed: a text of at most 127 bytes"},
        {ROOM "robots:\n- {name: a, type: kobuky, pose: {x: 1, y: 1}}\n",
         "3:19: robots[0].type: no robot type 'kobuky'; did you mean 'kobuki'? allowed: "
         "*"},
        {ROOM "robots:\n- {name: a, type: \"\", pose: {x: 1, y: 1}}\n",
         "3:19: robots[0].type: no robot type ''; allowed: *"},
        {LINK("{pty: a, chunks: frames}"), "6:28: robots[0].links[0].chunks: 'frames' is not one "
                                           "of frame, byte, ftdi; did you mean 'frame'?"},
        {LINK("{pty: a, baud_check: never}"),
         "6:32: robots[0].links[0].baud_check: 'never' is not one of off, warn, strict"},
    };
    EXPECT(wrong);
}

static void what_an_option_refuses_is_said_in_the_words_of_its_row(void **state)
{
    (void)state;
    static const char scene[] = ITEM("options: {battery_v: 16 V}");
    const struct robot_type *type = registry_find("kobuki");
    struct error error = {0};
    uint8_t options[ROBOT_OPTIONS_MAX];
    char says[856];

    const struct option_row *row = option_find(type->options, type->option_count, "battery_v");
    assert_false(option_set(row, "16 V", options, &error));
    snprintf(says, sizeof says, "6:24: robots[0].options.%s", error.text);
    expect_message(scene, strlen(scene), says);
}

static void texts_and_lists_that_are_too_long(void **state)
{
    (void)state;
    char word[200];
    char scene[600], sweep[2 * SCENE_LINE_MAX];
    memset(word, 'a', sizeof word);

    int size = snprintf(sweep, sizeof sweep, "sweep: [\"%0*d\"]\n" ROOM ROBOT, SCENE_LINE_MAX, 0);
    expect_message(sweep, (size_t)size, "1:9: sweep[0]: longer than 511 bytes");

    size = snprintf(sweep, sizeof sweep, "sweep: [[1]]\n" ROOM ROBOT);
    expect_message(sweep, (size_t)size,
                   "1:9: sweep[0]: found a list; allowed: a text, like seed 1..9");
    size = snprintf(sweep, sizeof sweep, "sweep: [");
    for (int i = 1; i <= 17; i++)
        size += snprintf(sweep + size, sizeof sweep - (size_t)size, "seed %d%s", i,
                         i < 17 ? ", " : "]\n" ROOM ROBOT);
    expect_message(sweep, (size_t)size, "1:8: sweep: has 17 items; allowed: at most 16");

    snprintf(scene, sizeof scene, LINK("{pty: %.128s}"), word);
    expect_message(scene, strlen(scene),
                   "6:17: robots[0].links[0].pty: "
                   "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is too long; "
                   "allowed: at most 127 bytes");
    snprintf(scene, sizeof scene, ITEM("label: %.128s"), word);
    expect_message(scene, strlen(scene), "6:10: robots[0].label: 'aaaaaa*");
    snprintf(scene, sizeof scene, TOP("%.200s: 1"), word);
    expect_message(scene, strlen(scene),
                   "1:1: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...: no such "
                   "key; allowed: name, seed, continue_after_driver, driver_deadline, host, world, "
                   "robots, timeline, expect, measure, sweep");
}

static void too_many_robots(void **state)
{
    (void)state;
    enum { COUNT = SCENE_ROBOTS_MAX + 1, LINE = 64 };
    char *scene = malloc(COUNT * LINE + LINE);
    assert_non_null(scene);
    size_t used = (size_t)sprintf(scene, "world: {size: {x: 1000, y: 1000}}\nrobots:\n");
    for (int i = 0; i < COUNT; i++) {
        used += (size_t)sprintf(scene + used, "- {name: a%d, type: kobuki, pose: {x: %d, y: %d}}\n",
                                i, 1 + i % 100, 1 + i / 100);
    }
    expect_message(scene, used, "3:1: robots: has 1025 items; allowed: at least 1, at most 1024");
    free(scene);
}

#define COLORED(text) WORLD("boxes: [{pose: {x: 3, y: 3}, size: {x: 1, y: 1}, color: " text "}]")

static void colors_and_heights_that_are_none(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {COLORED("rad"), "3:59: world.boxes[0].color: 'rad' is not a color; did you mean 'red'? "
                         "allowed: black, white, *"},
        {COLORED("\"#12345\""),
         "3:59: world.boxes[0].color: '#12345' is not a color; allowed: black, white, *"},
        {COLORED("\"#12345g\""),
         "3:59: world.boxes[0].color: '#12345g' is not a color; allowed: black, white, *"},
        /* Without quotes YAML takes it for a comment. */
        {COLORED("#123456\n   "), "4:4: world.boxes[0].color: found nothing; allowed: a text of "
                                  "at most 23 bytes"},
        {COLORED("red, height: 0"), "3:72: world.boxes[0].height: '0' is out of range; allowed: *"},
        {WORLD("room: {color: whyte}"),
         "3:17: world.room.color: 'whyte' is not a color; did you mean 'white'? *"},
        {WORLD("light: 2"), "3:10: world.light: *"},
    };
    EXPECT(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_are_unknown_missing_or_given_twice),
        cmocka_unit_test(hosts_of_the_wrong_kind),
        cmocka_unit_test(values_of_the_wrong_kind),
        cmocka_unit_test(colors_and_heights_that_are_none),
        cmocka_unit_test(numbers_that_are_none_or_out_of_range),
        cmocka_unit_test(names_and_texts),
        cmocka_unit_test(what_an_option_refuses_is_said_in_the_words_of_its_row),
        cmocka_unit_test(texts_and_lists_that_are_too_long),
        cmocka_unit_test(too_many_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
