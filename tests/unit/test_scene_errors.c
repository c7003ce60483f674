/* Wrong scenes, each with the whole sentence that its author gets to read: place, key, what was
 * found, what is allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/robot_types.h"
#include "sim/scene.h"

#define ROOM  "world: {size: {x: 4, y: 4}}\n"
#define ROBOT "robots: [{name: a, type: kobuki, pose: {x: 1, y: 1}}]\n"

/* One line that goes into an otherwise good scene: as line 1, below the world, into the robot. */
#define TOP(line)   line "\n" ROOM ROBOT
#define WORLD(line) "world:\n  size: {x: 4, y: 4}\n  " line "\n" ROBOT
#define ITEM(line)  ROOM "robots:\n- name: a\n  type: kobuki\n  pose: {x: 1, y: 1}\n  " line "\n"
#define POSE(text)  ROOM "robots:\n- {name: a, type: kobuki, pose: " text "}\n"
#define LINK(text)  ITEM("links: [" text "]")
#define TWO(first, second)                                                                         \
    ROOM "robots:\n- {type: kobuki, pose: {x: 1, y: 1}, " first "}\n"                              \
         "- {type: kobuki, pose: {x: 3, y: 3}, " second "}\n"

/* SAYS is the whole message without the file's name. A last * stands for any end: lists of types
 * and options, sizes of robots. */
struct wrong {
    const char *scene, *says;
};

static void expect_message(const char *bytes, size_t size, const char *says)
{
    struct error error = {""};
    struct scene *scene = scene_parse(bytes, size, "s.yaml", &error);
    if (scene) {
        fail_msg("accepted: %.*s", (int)size, bytes);
    }
    char whole[600];
    snprintf(whole, sizeof whole, "s.yaml:%s", says);
    size_t length = strlen(whole);
    if (whole[length - 1] == '*') {
        error.text[length - 1] = '\0';
        whole[length - 1] = '\0';
    }
    assert_string_equal(error.text, whole);
}

static void expect_messages(const struct wrong *wrong, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect_message(wrong[i].scene, strlen(wrong[i].scene), wrong[i].says);
    }
}

#define EXPECT(table) expect_messages(table, sizeof(table) / sizeof(table)[0])

static void keys_that_are_unknown_missing_or_given_twice(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {TOP("sed: 1"),
         "1:1: sed: no such key; did you mean seed? allowed: name, seed, world, robots"},
        {TOP("timeline: []"), "1:1: timeline: no such key; allowed: name, seed, world, robots"},
        {WORLD("docks: []"),
         "3:3: world.docks: no such key; allowed: map, floor_image, size, walls, polygons, boxes, discs, cliffs, shades, lines"},
        {WORLD("zzzzzzzzzzzz: 1"),
         "3:3: world.zzzzzzzzzzzz: no such key; allowed: map, floor_image, size, walls, polygons, boxes, discs, cliffs, shades, lines"},
        {ITEM("lable: x"), "6:3: robots[0].lable: no such key; did you mean label? allowed: name, "
                           "label, storage, type, pose, links, options"},
        {LINK("{pty: a, chunk: byte}"),
         "6:20: robots[0].links[0].chunk: no such key; did you mean chunks? allowed: chunks, "
         "baud_check, pty, tcp, uart, channel"},
        {POSE("{x: 1, y: 1, headng: 3}"),
         "3:46: robots[0].pose.headng: no such key; did you mean heading? allowed: x, y, heading"},
        {ITEM("options: {firmwre: 1.0.0}"),
         "6:13: robots[0].options.firmwre: no such key; did you mean firmware? allowed: *"},
        {TOP("\"\\e[31m\": 1"),
         "1:1: (key): has the control character U+001B; allowed: a word before the colon"},
        {TOP("[a]: 1"), "1:1: (key): found a list; allowed: a word before the colon"},
        {TOP("? \n: 1"), "1:2: (key): found nothing; allowed: a word before the colon"},
        {TOP("seed: 1\nseed: 2"), "2:1: seed: given twice, first on line 1; keep one"},
        {ROOM ROOM ROBOT, "2:1: world: given twice, first on line 1; keep one"},
        {WORLD("size: {x: 1, y: 1}"), "3:3: world.size: given twice, first on line 2; keep one"},
        {ITEM("options: {battery_v: 15, battery_v: 15}"),
         "6:28: robots[0].options.battery_v: given twice, first on line 6; keep one"},
        {ROBOT, "1:1: world: missing; allowed: a mapping of map, floor_image, size, walls, polygons, boxes, discs, cliffs, shades, lines"},
        {ROOM, "1:1: robots: missing; allowed: a list of mappings of name, label, storage, "
               "type, pose, links, options"},
        {"world: {}\n" ROBOT, "1:8: world.size: missing; allowed: a mapping of x, y"},
        {"world: {size: {x: 4}}\n" ROBOT,
         "1:15: world.size.y: missing; allowed: a number from 0.1 to 1000 m"},
        {WORLD("boxes: [{pose: {x: 1, y: 1}}]"),
         "3:11: world.boxes[0].size: missing; allowed: a mapping of x, y"},
        {WORLD("discs: [{pose: {x: 1, y: 1}}]"),
         "3:11: world.discs[0].radius: missing; allowed: a number from 0.001 to 1000 m"},
        {WORLD("walls: [{from: {x: 1, y: 1}}]"),
         "3:11: world.walls[0].to: missing; allowed: a mapping of x, y"},
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

static void values_of_the_wrong_kind(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {TOP("seed: {a: 1}"), "1:7: seed: found a mapping; allowed: a whole number from 0 to 9*"},
        {TOP("seed: [1]"), "1:7: seed: found a list; allowed: a whole number from 0 to 9*"},
        {TOP("seed:"), "1:6: seed: found nothing; allowed: a whole number from 0 to 9*"},
        {TOP("seed: ~"), "1:7: seed: found nothing; allowed: a whole number from 0 to 9*"},
        {TOP("name: null"), "1:7: name: found nothing; allowed: a text of at most 127 bytes"},
        {"world: big\n" ROBOT,
         "1:8: world: found 'big'; allowed: a mapping of map, floor_image, size, walls, polygons, boxes, discs, cliffs, shades, lines"},
        {"world:\n" ROBOT,
         "1:7: world: found nothing; allowed: a mapping of map, floor_image, size, walls, polygons, boxes, discs, cliffs, shades, lines"},
        {"world: [1]\n" ROBOT,
         "1:8: world: found a list; allowed: a mapping of map, floor_image, size, walls, polygons, boxes, discs, cliffs, shades, lines"},
        {ROOM "robots: {name: a}\n", "2:9: robots: found a mapping; allowed: a list of mappings of "
                                     "name, label, storage, type, pose, links, options"},
        {ROOM "robots: []\n", "2:9: robots: has 0 items; allowed: at least 1, at most 1024"},
        {ROOM "robots: [a]\n",
         "2:10: robots[0]: found 'a'; allowed: a mapping of name, label, storage, "
         "type, pose, links, options"},
        {WORLD("walls: {}"),
         "3:10: world.walls: found a mapping; allowed: a list of mappings of from, to"},
        {POSE("[1, 2]"), "3:33: robots[0].pose: found a list; allowed: a mapping of x, y, heading"},
        {POSE("{x: {a: 1}, y: 1}"),
         "3:37: robots[0].pose.x: found a mapping; allowed: a number from -1000 to 1000 m"},
        {ITEM("options: [firmware]"),
         "6:12: robots[0].options: found a list; allowed: a mapping of *"},
        {ITEM("options:"), "6:11: robots[0].options: found nothing; allowed: a mapping of *"},
        {ITEM("links: kobuki"),
         "6:10: robots[0].links: found 'kobuki'; allowed: a list such as [{pty: kobuki}]"},
        {ITEM("links: [kobuki]"), "6:11: robots[0].links[0]: found 'kobuki'; allowed: a mapping of "
                                  "chunks, baud_check, pty, tcp, uart, channel"},
        {LINK("{pty: [a]}"), "6:17: robots[0].links[0].pty: found a list; allowed: a path"},
        {LINK("{pty: a, channel: [uart]}"),
         "6:29: robots[0].links[0].channel: found a list; allowed: a channel of the robot"},
        {ROOM "robots:\n- {name: a, type: [kobuki], pose: {x: 1, y: 1}}\n",
         "3:19: robots[0].type: found a list; allowed: the name of a robot type"},
        {"[]", "1:1: found a list; allowed: a mapping of name, seed, world, robots"},
        {"hello", "1:1: found 'hello'; allowed: a mapping of name, seed, world, robots"},
        {"---\n", "2:1: found nothing; allowed: a mapping of name, seed, world, robots"},
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
         "4:44: robots[1].name: robots[0] is called a already; choose another name"},
        {TWO("name: a", "name: B"),
         "4:44: robots[1].name: 'B' is no name for a robot; allowed: a letter, then letters, "
         "digits and _, all small (label takes any text)"},
        {TWO("name: a", "name: 1b"),
         "4:44: robots[1].name: '1b' is no name for a robot; allowed: a letter, then letters, "
         "digits and _, all small (label takes any text)"},
        {TWO("name: a", "name: b-c"),
         "4:44: robots[1].name: 'b-c' is no name for a robot; allowed: a letter, then letters, "
         "digits and _, all small (label takes any text)"},
        {TWO("name: a", "name: \"\""),
         "4:44: robots[1].name: '' is no name for a robot; allowed: a letter, then letters, digits "
         "and _, all small (label takes any text)"},
        {TWO("name: a", "name: world"), "4:44: robots[1].name: 'world' is taken by the world's own "
                                        "commands and signals; choose another name"},
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
         "3:19: robots[0].type: no robot type 'kobuky'; did you mean kobuki? allowed: *"},
        {ROOM "robots:\n- {name: a, type: \"\", pose: {x: 1, y: 1}}\n",
         "3:19: robots[0].type: no robot type ''; allowed: *"},
        {LINK("{pty: a, chunks: frames}"), "6:28: robots[0].links[0].chunks: 'frames' is not one "
                                           "of frame, byte, ftdi; did you mean frame?"},
        {LINK("{pty: a, baud_check: never}"),
         "6:32: robots[0].links[0].baud_check: 'never' is not one of off, warn, strict"},
    };
    EXPECT(wrong);
}

static void hidden_names_of_links(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{pty: .a}"), "6:17: robots[0].links[0].pty: '.a' has a name that begins with a dot; "
                            "those are kept for lock files"},
        {LINK("{pty: a/.b/c}"),
         "6:17: robots[0].links[0].pty: 'a/.b/c' has a name that begins with "
         "a dot; those are kept for lock files"},
    };
    EXPECT(wrong);
}

static void storage_that_cannot_be(void **state)
{
    (void)state;
#define BOARD(name, x, storage)                                                                    \
    "- {name: " name ", type: diff_board, pose: {x: " x ", y: 1}, storage: " storage "}\n"
    static const struct wrong wrong[] = {
        {ITEM("storage: a.txt"), "6:12: robots[0].storage: a kobuki has no memory that survives; "
                                 "leave the key out"},
        {ROOM "robots:\n" BOARD("a", "1", "\"\""),
         "3:60: robots[0].storage: is empty; allowed: the path of a file"},
        {ROOM "robots:\n" BOARD("a", "1", "[]"),
         "3:60: robots[0].storage: found a list; allowed: *"},
        {ROOM "robots:\n" BOARD("a", "1", "m") BOARD("b", "2", "m"),
         "4:60: robots[1].storage: m is the memory of robots[0] already; give each robot a file of "
         "its own"},
    };
    EXPECT(wrong);
}

static void links_that_lead_nowhere(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{}"), "6:11: robots[0].links[0]: has no carrier; allowed: one of pty, tcp, uart"},
        {LINK("{pty: a, tcp: auto}"),
         "6:11: robots[0].links[0]: has both pty and tcp; allowed: one of pty, tcp, uart"},
        {LINK("{pty: \"\"}"), "6:17: robots[0].links[0].pty: '' is no name of a file; allowed: a "
                              "name such as kobuki, or a path that does not end with /"},
        {LINK("{pty: \"a\\nb\"}"),
         "6:17: robots[0].links[0].pty: has the control character U+000A; allowed: a path"},
        {LINK("{pty: \"a\\0b\"}"),
         "6:17: robots[0].links[0].pty: has the control character U+0000; allowed: a path"},
        {LINK("{pty: ../a}"),
         "6:17: robots[0].links[0].pty: '../a' has a part `..`; write the path without it"},
        {LINK("{pty: /dev/}"),
         "6:17: robots[0].links[0].pty: '/dev/' is no name of a file; allowed: a name such as "
         "kobuki, or a path that does not end with /"},
        {LINK("{pty: .}"), "6:17: robots[0].links[0].pty: '.' is no name of a file; allowed: a "
                           "name such as kobuki, or a path that does not end with /"},
        {LINK("{pty: /}"), "6:17: robots[0].links[0].pty: '/' is no name of a file; allowed: a "
                           "name such as kobuki, or a path that does not end with /"},
        {LINK("{uart: ttyUSB0}"), "6:18: robots[0].links[0].uart: 'ttyUSB0' is no device; allowed: "
                                  "an absolute path such as /dev/ttyUSB0"},
        {LINK("{tcp: 1000}"),
         "6:17: robots[0].links[0].tcp: '1000' is no TCP address; allowed: auto, or host and port "
         "such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"127.0.0.1\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.0.1' is no TCP address; allowed: auto, or host and "
         "port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"127.0.0.1:0\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.0.1:0' has no good port; allowed: a port from 1 to "
         "65535 after the colon, or auto for any"},
        {LINK("{tcp: \"127.0.0.1:65536\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.0.1:65536' has no good port; allowed: a port from 1 "
         "to 65535 after the colon, or auto for any"},
        {LINK("{tcp: \"127.0.0.1:1000x\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.0.1:1000x' has no good port; allowed: a port from 1 "
         "to 65535 after the colon, or auto for any"},
        {LINK("{tcp: \"127.0.0.256:1000\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.0.256:1000' is no TCP address; allowed: auto, or "
         "host and port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"127.0.1:1000\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.1:1000' is no TCP address; allowed: auto, or host "
         "and port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"::1:1000\"}"),
         "6:17: robots[0].links[0].tcp: '::1:1000' is no TCP address; allowed: auto, or host and "
         "port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"[::1]\"}"),
         "6:17: robots[0].links[0].tcp: '[::1]' is no TCP address; allowed: auto, or host and port "
         "such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"[nonsense]:1000\"}"),
         "6:17: robots[0].links[0].tcp: '[nonsense]:1000' is no TCP address; allowed: auto, or "
         "host and port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"a b:1000\"}"),
         "6:17: robots[0].links[0].tcp: 'a b:1000' is no TCP address; allowed: auto, or host and "
         "port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{pty: a, channel: urt}"), "6:29: robots[0].links[0].channel: 'urt' is no channel of "
                                         "a kobuki; did you mean uart? allowed: uart"},
    };
    EXPECT(wrong);
}

static void links_that_cannot_be_used_beside_each_other(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{pty: a}, {pty: b}"), "6:21: robots[0].links[1]: channel uart has a link already, "
                                     "links[0]; allowed: one link a channel"},
        {TWO("name: a, links: [{pty: p}]", "name: b, links: [{pty: ./p}]"),
         "4:61: robots[1].links[0]: p cannot be used beside p of robots[0].links[0]; give each "
         "link a path of its own"},
        {TWO("name: a, links: [{pty: /tmp//p}]", "name: b, links: [{pty: /tmp/./p}]"),
         "4:61: robots[1].links[0]: /tmp/p cannot be used beside /tmp/p of robots[0].links[0]; "
         "give each link a path of its own"},
        {TWO("name: a, links: [{pty: p}]", "name: b, links: [{pty: p/q}]"),
         "4:61: robots[1].links[0]: p/q cannot be used beside p of robots[0].links[0]; give each "
         "link a path of its own"},
        {TWO("name: a", "name: b, links: [{pty: a}]"),
         "4:61: robots[1].links[0]: a cannot be used beside a of robots[0].links[0]; give each "
         "link a path of its own"},
        {TWO("name: b, links: [{pty: a}]", "name: a"),
         "4:44: robots[1].links[0]: a cannot be used beside a of robots[0].links[0]; give each "
         "link a path of its own"},
        {TWO("name: a, links: [{uart: /dev/ttyS0}]", "name: b, links: [{pty: /dev/ttyS0}]"),
         "4:61: robots[1].links[0]: /dev/ttyS0 cannot be used beside /dev/ttyS0 of "
         "robots[0].links[0]; give each link a path of its own"},
        {TWO("name: a, links: [{tcp: \"h:1\"}]", "name: b, links: [{tcp: \"H:01\"}]"),
         "4:61: robots[1].links[0]: h:1 cannot be used beside h:1 of robots[0].links[0]; give each "
         "link an address of its own"},
        {TWO("name: a, links: [{tcp: \"h:1\"}]", "name: b, links: [{tcp: \"0.0.0.0:1\"}]"),
         "4:61: robots[1].links[0]: 0.0.0.0:1 cannot be used beside h:1 of robots[0].links[0]; "
         "give each link an address of its own"},
    };
    EXPECT(wrong);
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
         "4:40: robots[0].pose: a at (1, 1) overlaps world.walls[0]; it reaches *"},
        {WORLD("boxes: [{pose: {x: 1.5, y: 1.5, heading: 45}, size: {x: 2, y: 0.2}}, {pose: {x: "
               "1.2, y: 1, heading: 90}, size: {x: 0.3, y: 0.3}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.boxes[0]; it reaches *"},
        {WORLD("boxes: [{pose: {x: 1, y: 1}, size: {x: 3, y: 3}}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.boxes[0]; it reaches *"},
        {WORLD("discs: [{pose: {x: 1.3, y: 1}, radius: 0.2}]"),
         "4:40: robots[0].pose: a at (1, 1) overlaps world.discs[0]; it reaches *"},
        {ROOM "robots:\n- {name: a, type: kobuki, pose: {x: 1, y: 1}}\n"
              "- {name: b, type: kobuki, pose: {x: 1.3, y: 1}}\n",
         "4:33: robots[1].pose: b at (1.3, 1) overlaps robots[0]; it reaches *"},
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

static void files_that_are_not_one_plain_document(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {"", "1:1: nothing in the file; a scene has at least the keys world and robots: see "
             "scenes/README.md"},
        {"\n \n", "1:1: nothing in the file; a scene has at least the keys world and robots: see "
                  "scenes/README.md"},
        {"# only\n# comments\n", "1:1: nothing in the file; a scene has at least the keys world "
                                 "and robots: see scenes/README.md"},
        {"\xef\xbb\xbf", "1:1: nothing in the file; a scene has at least the keys world and "
                         "robots: see scenes/README.md"},
        {TOP("--- {}") "...\n", "2:1: not YAML: did not find expected <document start>; look at "
                                "indentation, quotes and brackets here and above"},
        {ROOM ROBOT "---\na: 1\n", "3:1: a second document; a scene is one: remove the line ---"},
        {ROOM "robots: &r [{name: a}]\n",
         "2:9: an anchor (&); scenes have none: remove it, or quote the text"},
        {ROOM "robots: *r\n", "2:9: an alias (*); scenes have none: write the value out"},
        {TOP("name: *bold*"),
         "1:12: not YAML: while scanning an alias, did not find expected alphabetic or numeric "
         "character; look at indentation, quotes and brackets here and above"},
        {TOP("seed: !!int 1"), "1:7: a tag (!); scenes have none: remove it, or quote the text"},
        {TOP("name: !x y"), "1:7: a tag (!); scenes have none: remove it, or quote the text"},
        {TOP("<<: {seed: 1}"), "1:1: <<: a merge key; scenes have none: write the keys out"},
        {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "1:17: nested deeper than 16; allowed: 16 levels"},
        {"world: {size: {x: 4, y: 4}\n" ROBOT,
         "2:1: not YAML: while parsing a flow mapping, did not find expected ',' or '}'; look at "
         "indentation, quotes and brackets here and above"},
        {"world:\n  size: {x: 4, y: 4}\n\twalls: []\n" ROBOT,
         "3:1: not YAML: while scanning for the next token, found character that cannot start any "
         "token; indent with spaces, not tabs"},
        {"name: \"never closed\n",
         "2:1: not YAML: while scanning a quoted scalar, found unexpected end of stream; look at "
         "indentation, quotes and brackets here and above"},
        {"name: a: b\n", "1:8: not YAML: mapping values are not allowed in this context; look at "
                         "indentation, quotes and brackets here and above"},
        {"name: \xff\n", "1:7: not UTF-8 (byte 0xff); save the file as UTF-8"},
        {"# \xc3\xa9\xc3\xa9\xff\n", "1:5: not UTF-8 (byte 0xff); save the file as UTF-8"},
        {"name: \xed\xa0\x80\n", "1:7: not UTF-8 (byte 0xed); save the file as UTF-8"},
        {"name: \xc3", "1:7: not UTF-8 (byte 0xc3); save the file as UTF-8"},
        {"name: a\x01\n", "1:8: a control character (byte 0x01); remove it"},
        {"\xff\xfe"
         "a",
         "1:1: not UTF-8 (byte 0xff); save the file as UTF-8"},
        {"\t\n", "1:1: not YAML: while scanning for the next token, found character that cannot "
                 "start any token; indent with spaces, not tabs"},
    };
    EXPECT(wrong);
}

static void what_an_option_refuses_is_said_in_the_words_of_its_row(void **state)
{
    (void)state;
    static const char scene[] = ITEM("options: {battery_v: 16 V}");
    const struct robot_type *type = robot_type_find("kobuki");
    struct error error = {""};
    uint8_t options[ROBOT_OPTIONS_MAX];
    char says[600];

    const struct option_row *row = option_find(type->options, type->option_count, "battery_v");
    assert_false(option_set(row, "16 V", options, &error));
    snprintf(says, sizeof says, "6:24: robots[0].options.%s", error.text);
    expect_message(scene, strlen(scene), says);
}

static void texts_that_are_too_long(void **state)
{
    (void)state;
    char word[200];
    char scene[600];
    memset(word, 'a', sizeof word);

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
                   "key; allowed: name, seed, world, robots");
}

static void a_file_that_is_too_large_is_not_looked_at(void **state)
{
    (void)state;
    expect_message("x", 100u << 20, "1:1: the file has 104857600 bytes; allowed: at most 1048576");
}

static void no_bytes_at_all(void **state)
{
    (void)state;
    expect_message(NULL, 0, "1:1: nothing in the file; *");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_are_unknown_missing_or_given_twice),
        cmocka_unit_test(values_of_the_wrong_kind),
        cmocka_unit_test(numbers_that_are_none_or_out_of_range),
        cmocka_unit_test(names_and_texts),
        cmocka_unit_test(hidden_names_of_links),
        cmocka_unit_test(storage_that_cannot_be),
        cmocka_unit_test(links_that_lead_nowhere),
        cmocka_unit_test(links_that_cannot_be_used_beside_each_other),
        cmocka_unit_test(places_where_nothing_can_stand),
        cmocka_unit_test(files_that_are_not_one_plain_document),
        cmocka_unit_test(what_an_option_refuses_is_said_in_the_words_of_its_row),
        cmocka_unit_test(texts_that_are_too_long),
        cmocka_unit_test(a_file_that_is_too_large_is_not_looked_at),
        cmocka_unit_test(no_bytes_at_all),
        cmocka_unit_test(too_many_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
