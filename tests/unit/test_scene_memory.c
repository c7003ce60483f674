/* Scenes and body files when memory ends at any allocation: an error message mentions the memory,
 * and every block is freed. A separate program, since it replaces malloc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "sim/body/body_file.h"
#include "sim/parse/scene_map.h"
#include "sim/parse/scene_parse.h"
#include "sim/scene/custom_robot.h"
#include "tests/support/allocations.h"

/* A scene with items in each list. */
static const char scene_text[] =
    "name: all\nhost: [a, b]\nsweep: [seed 1..9]\n"
    "world:\n  size: {x: 9, y: 9}\n"
    "  walls: [{from: {x: 1, y: 4}, to: {x: 2, y: 4}}]\n"
    "  polygons: [{points: [{x: 5, y: 1}, {x: 6, y: 1}, {x: 6, y: 2}]},\n"
    "    {points: [{x: 7, y: 1}, {x: 8, y: 1}, {x: 8, y: 2}]}]\n"
    "  boxes: [{pose: {x: 3, y: 6}, size: {x: 0.1, y: 0.1}, mass: 1}]\n"
    "  discs: [{pose: {x: 4, y: 6}, radius: 0.1, color: red}]\n"
    "  cliffs: [{points: [{x: 5, y: 5}, {x: 6, y: 5}, {x: 6, y: 6}]},\n"
    "    {points: [{x: 7, y: 5}, {x: 8, y: 5}, {x: 8, y: 6}]}]\n"
    "  shades: [{points: [{x: 5, y: 7}, {x: 6, y: 7}, {x: 6, y: 8}]},\n"
    "    {points: [{x: 7, y: 7}, {x: 8, y: 7}, {x: 8, y: 8}]}]\n"
    "  lines: [{from: {x: 1, y: 5}, to: {x: 2, y: 5}}]\n"
    "  docks: [{name: d, pose: {x: 1, y: 7}}]\n"
    "  beacons: [{type: lighthouse, number: 2, pose: {x: 2, y: 7}}]\n"
    "  lamps: [{at: {x: 3, y: 7}}]\n"
    "robots:\n- {name: a, type: kobuki, pose: {x: 1, y: 1}, options: {battery_v: 14}}\n"
    "- {name: b, type: ld06, mount: {on: a}, links: [{tcp: auto}]}\n"
    "timeline: [{at: 1, do: a.lift}]\n"
    "expect: [{that: a.x_m > 0, always: true}]\nmeasure: [{name: x, value: a.x_m}]\n";

static const char body_text[] =
    "title: Mine\nfirmware: {run: a}\nbody: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
    "buttons: [go, stop]\nchannels: [{name: u, baud: 9600}]\nsignals: [{name: s, words: [a, b]}]\n"
    "commands: [{name: c, arguments: [{name: n, max: 3}]}]\n"
    "appearance: [{shape: disc, color: \"#102030\", label: one}]\n";

static bool make_scene(struct error *error)
{
    struct scene *scene = scene_parse(scene_text, sizeof scene_text - 1, "s.yaml", error);
    bool is_made = scene && scene_set(scene, "do=a.lift", error);
    scene_destroy(scene);
    return is_made;
}

static bool make_scene_of_type(struct error *error)
{
    struct scene *scene = scene_of_type("kobuki", error);
    scene_destroy(scene);
    return scene != NULL;
}

static bool make_scene_of_custom(struct error *error)
{
    struct custom_robot *own = custom_robot_parse(body_text, sizeof body_text - 1, "r.yaml", error);
    struct scene *scene = own ? scene_of_custom(own, error) : NULL;
    scene_destroy(scene);
    return scene != NULL;
}

/* The scene owns the type, also after a failure. */
static bool make_scene_with_custom(struct error *error)
{
    static const char text[] = "world: {size: {x: 4, y: 4}}\n"
                               "robots: [{name: a, type: ./r.yaml, pose: {x: 1, y: 1}}]\n";
    struct custom_robot *own = custom_robot_parse(body_text, sizeof body_text - 1, "r.yaml", error);
    if (!own)
        return false;
    snprintf(own->word, sizeof own->word, "./r.yaml");
    struct scene *scene = scene_parse_own(text, sizeof text - 1, "s.yaml", own, error);
    scene_destroy(scene);
    return scene != NULL;
}

static bool make_printed_body(struct error *error)
{
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX] = {0};
    const struct robot_type *type = registry_find("turtlebot3_burger");
    option_defaults(type->options, type->option_count, options);
    char *text = custom_robot_print(type, options, error);
    free(text);
    return text != NULL;
}

static bool make_map(struct error *error)
{
    static const char text[] =
        "world: {map: m.yaml, walls: [{from: {x: 1, y: 3}, to: {x: 2, y: 3}}]}\n"
        "robots: [{name: a, type: kobuki, pose: {x: 1, y: 1}}]\n";
    static const char map_text[] = "image: m.pgm\nresolution: 0.5\norigin: [0, 0, 0]\nnegate: 0\n"
                                   "occupied_thresh: 0.65\nfree_thresh: 0.196\n";
    uint8_t bytes[64];
    const struct scene_pixels pixels = {bytes, 8, 8, 1};
    struct scene_map map;
    memset(bytes, 254, sizeof bytes);
    bytes[7] = 0;
    struct scene *scene = scene_parse(text, sizeof text - 1, "s.yaml", error);
    bool is_made = scene && scene_map_parse(&map, map_text, sizeof map_text - 1, "m", error) &&
                   scene_map_apply(scene, &map, &pixels, error);
    scene_destroy(scene);
    return is_made;
}

/* The next two functions return no error message. */
static bool make_source(struct error *error)
{
    struct scene_source *list = NULL;
    bool is_made =
        scene_source_add(&list, "first", "bytes", 5) && scene_source_add(&list, "second", NULL, 0);
    if (!is_made)
        assert_null(scene_source_find(list, "second"));
    scene_source_free(&list);
    assert_null(list);
    return is_made || error_set(error, "memory");
}

static bool make_type_words(struct error *error)
{
    static const char text[] = "robots: [{type: own.yaml}, {type: own.so:a}]\n";
    size_t count = 7;
    struct scene_type_word *words = scene_type_words(text, sizeof text - 1, &count);
    assert_int_equal(count, words ? 2 : 0);
    free(words);
    return words || error_set(error, "memory");
}

static void wherever_memory_ends_it_is_said_and_nothing_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        bool (*make)(struct error *error);
    } rows[] = {
        {"a scene", make_scene},
        {"a type", make_scene_of_type},
        {"a body file", make_scene_of_custom},
        {"a scene with a body file", make_scene_with_custom},
        {"a body that is printed", make_printed_body},
        {"a map", make_map},
        {"a source", make_source},
        {"words", make_type_words},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_made = false;
        for (size_t end = 1; !is_made; end++) {
            struct error error = {0};
            size_t held = allocations_held;
            allocations = 0;
            allocations_end = end;
            is_made = rows[i].make(&error);
            allocations_end = 0;
            if (allocations_held != held)
                fail_msg("%s without memory from allocation %zu on: %zu blocks are left",
                         rows[i].what, end, allocations_held - held);
            if (is_made && allocations >= end)
                fail_msg("%s is made without allocation %zu", rows[i].what, end);
            if (!is_made && !strstr(error.text, "memory"))
                fail_msg("%s without memory from allocation %zu on: '%s'", rows[i].what, end,
                         error.text);
        }
        assert_true(allocations > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wherever_memory_ends_it_is_said_and_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
