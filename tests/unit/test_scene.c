/* Good scenes: the structs have the values of the file, and default values for everything that it
 * omits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include "base/angle.h"
#include "base/link_kind.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "sim/body/body_file.h"
#include "sim/parse/scene_parse.h"
#include "sim/scene/scene.h"
#include "tests/places.h"

static struct scene *parse_as(const char *text, const char *name)
{
    struct error error = {0};
    struct scene *scene = scene_parse(text, strlen(text), name, &error);
    if (!scene)
        fail_msg("%s", error.text);
    return scene;
}

static struct scene *parse(const char *text)
{
    return parse_as(text, "scene.yaml");
}

static void the_smallest_scene_has_all_defaults(void **state)
{
    (void)state;
    struct scene *scene = parse_as("world: {size: {x: 4, y: 3}}\n"
                                   "robots: [{name: a, type: kobuki, pose: {x: 2, y: 1}}]\n",
                                   "some/where/my_room.yaml");
    assert_string_equal(scene->name, "my_room");
    assert_int_equal(scene->seed, 1);
    assert_true(scene->size_x_m == 4 && scene->size_y_m == 3);
    assert_int_equal(scene->wall_count + scene->box_count + scene->disc_count + scene->cliff_count,
                     0);
    assert_int_equal(scene->robot_count, 1);

    const struct scene_robot *robot = &scene->robots[0];
    assert_string_equal(robot->label, "a");
    assert_true(robot->pose.x_m == 2 && robot->pose.y_m == 1 && robot->pose.heading_rad == 0);
    assert_int_equal(robot->link_count, 1);
    assert_int_equal(robot->links[0].channel, 0);
    assert_int_equal(robot->links[0].kind, LINK_PTY);
    assert_string_equal(robot->links[0].address, "a");
    assert_int_equal(robot->links[0].chunks, SCENE_CHUNKS_FRAME);
    assert_int_equal(robot->links[0].baud_check, SCENE_BAUD_WARN);
    assert_true(robot->links[0].is_default);

    uint8_t options[ROBOT_OPTIONS_MAX] = {0};
    option_defaults(robot->type->options, robot->type->option_count, options);
    assert_memory_equal(robot->options, options, sizeof options);
    scene_destroy(scene);
}

/* A name that is too long is cut. */
static void a_scene_without_a_name_is_named_like_its_file(void **state)
{
    (void)state;
    static const char text[] = "world: {size: {x: 4, y: 3}}\n"
                               "robots: [{name: a, type: kobuki, pose: {x: 2, y: 1}}]\n";
    char file[200], name[SCENE_LABEL_MAX] = "";
    memset(file, 'a', sizeof file);
    memset(name, 'a', sizeof name - 1);
    for (size_t size = SCENE_LABEL_MAX - 2; size <= SCENE_LABEL_MAX + 1; size++) {
        snprintf(file + size, sizeof file - size, ".yaml");
        struct scene *scene = parse_as(text, file);
        assert_int_equal(strlen(scene->name), size < SCENE_LABEL_MAX ? size : SCENE_LABEL_MAX - 1);
        assert_memory_equal(scene->name, name, strlen(scene->name));
        assert_int_equal(scene->seed, 1);
        assert_int_equal(scene->host_count, 0);
        memset(file, 'a', sizeof file);
        scene_destroy(scene);
    }
    struct scene *scene = parse_as(text, "dir.d/two.rooms.yaml");
    assert_string_equal(scene->name, "two.rooms");
    scene_destroy(scene);
}

static void the_world_is_read_in_meters_kilograms_and_radians(void **state)
{
    (void)state;
    struct scene *scene =
        parse("name: A room\n"
              "seed: 9007199254740992\n"
              "world:\n"
              "  size: {x: 6, y: 4}\n"
              "  walls: [{from: {x: 2, y: 0}, to: {x: 2, y: 1.5}}]\n"
              "  boxes:\n"
              "    - {pose: {x: 3, y: 1, heading: 20}, size: {x: 0.4, y: 0.3}, mass: 2.0}\n"
              "    - {size: {y: 1, x: 2}, pose: {x: 4.5, y: 3}}\n"
              "  discs: [{pose: {x: 4, y: 1, heading: -90}, radius: 0.1, mass: 5e-1}]\n"
              "  cliffs:\n"
              "    - points: [{x: 5, y: 0}, {x: 6, y: 0}, {x: 6, y: 0.8}]\n"
              "      depth: 0.5\n"
              "robots: [{name: a, type: kobuki, pose: {x: 1, y: 2, heading: 180}}]\n");
    assert_string_equal(scene->name, "A room");
    assert_true(scene->seed == UINT64_C(9007199254740992));
    assert_int_equal(scene->wall_count, 1);
    assert_true(scene->walls[0].from.x == 2 && scene->walls[0].to.y == 1.5);
    assert_int_equal(scene->box_count, 2);
    assert_true(fabs(scene->boxes[0].pose.heading_rad - ANGLE_PI / 9) < 1e-12);
    assert_true(scene->boxes[0].length_m == 0.4 && scene->boxes[0].width_m == 0.3);
    assert_true(scene->boxes[0].mass_kg == 2);
    assert_true(scene->boxes[1].length_m == 2 && scene->boxes[1].width_m == 1);
    assert_true(scene->boxes[1].mass_kg == 0);
    assert_int_equal(scene->disc_count, 1);
    assert_true(scene->discs[0].radius_m == 0.1 && scene->discs[0].mass_kg == 0.5);
    assert_true(fabs(scene->discs[0].pose.heading_rad + ANGLE_PI / 2) < 1e-12);
    assert_int_equal(scene->cliff_count, 1);
    assert_int_equal(scene->cliffs[0].point_count, 3);
    assert_true(scene->cliffs[0].points[2].y == 0.8 && scene->cliffs[0].depth_m == 0.5);
    assert_true(fabs(scene->robots[0].pose.heading_rad - ANGLE_PI) < 1e-12);
    assert_int_equal(scene->boxes[1].place.line, 8);
    assert_int_equal(scene->boxes[1].place.column, 7);
    scene_destroy(scene);
}

static void robots_keep_the_order_of_the_file_and_keys_have_none(void **state)
{
    (void)state;
    struct scene *scene =
        parse("robots:\n"
              "- {links: [{chunks: ftdi, pty: p}], pose: {y: 1, x: 3}, type: kobuki, name: z}\n"
              "- {options: {battery_v: 15}, name: a, type: kobuki, pose: {x: 1, y: 1}}\n"
              "world: {size: {x: 4, y: 4}}\n");
    assert_string_equal(scene->robots[0].name, "z");
    assert_string_equal(scene->robots[1].name, "a");
    assert_int_equal(scene->robots[0].links[0].chunks, SCENE_CHUNKS_FTDI);
    scene_destroy(scene);
}

static void labels_are_any_language(void **state)
{
    (void)state;
    struct scene *scene =
        parse("\xef\xbb\xbfname: 机器人房间 é\n"
              "world: {size: {x: 4, y: 4}}\n"
              "robots: [{name: a, label: \"机器人 \\u00e9\", type: kobuki, pose: {x: 1, y: 1}}]\n");
    assert_string_equal(scene->name, "机器人房间 é");
    assert_string_equal(scene->robots[0].label, "机器人 é");
    scene_destroy(scene);
}

static void storage_is_a_path_and_by_default_none(void **state)
{
    (void)state;
    struct scene *scene =
        parse("world: {size: {x: 4, y: 4}}\n"
              "robots:\n"
              "- {name: a, type: diff_board, pose: {x: 1, y: 1}, storage: memory/a.txt}\n"
              "- {name: b, type: diff_board, pose: {x: 2, y: 2}}\n"
              "- {name: c, type: diff_board, pose: {x: 3, y: 3}}\n");
    assert_string_equal(scene->robots[0].storage, "memory/a.txt");
    assert_string_equal(scene->robots[1].storage, "");
    assert_string_equal(scene->robots[2].storage, "");
    scene_destroy(scene);
}

/* One link of a robot, as written and as it is kept. */
static void expect_link(const char *text, enum link_kind kind, const char *address)
{
    char bytes[400];
    snprintf(bytes, sizeof bytes,
             "world: {size: {x: 4, y: 4}}\n"
             "robots:\n- name: a\n  type: kobuki\n  pose: {x: 1, y: 1}\n  links: [{%s}]\n",
             text);
    struct scene *scene = parse(bytes);
    assert_int_equal(scene->robots[0].link_count, 1);
    assert_int_equal(scene->robots[0].links[0].kind, kind);
    assert_string_equal(scene->robots[0].links[0].address, address);
    scene_destroy(scene);
}

static void addresses_are_kept_in_one_spelling(void **state)
{
    (void)state;
    expect_link("pty: kobuki", LINK_PTY, "kobuki");
    expect_link("pty: ./x//./kobuki", LINK_PTY, "x/kobuki");
    expect_link("pty: //tmp/./a..b", LINK_PTY, "/tmp/a..b");
    expect_link("pty: 机器人, channel: uart", LINK_PTY, "机器人");
    expect_link("uart: /dev/ttyUSB0", LINK_UART, "/dev/ttyUSB0");
    expect_link("tcp: auto", LINK_TCP, "auto");
    expect_link("rfc2217: auto", LINK_RFC2217, "auto");
    expect_link("rfc2217: 127.0.0.1:01000", LINK_RFC2217, "127.0.0.1:1000");
    expect_link("tcp: 127.0.0.1:1000", LINK_TCP, "127.0.0.1:1000");
    expect_link("tcp: \"Robot-1.local:01000\"", LINK_TCP, "robot-1.local:1000");
    expect_link("tcp: \"[FE80::1%eth0]:65535\"", LINK_TCP, "[fe80::1%eth0]:65535");
}

static void robots_may_share_what_is_not_one_place(void **state)
{
    (void)state;
    struct scene *scene =
        parse("world: {size: {x: 8, y: 4}}\n"
              "robots:\n"
              "- {name: a, type: kobuki, pose: {x: 1, y: 1}, links: []}\n"
              "- {name: b, type: kobuki, pose: {x: 2, y: 1}, links: [{tcp: auto}]}\n"
              "- {name: c, type: kobuki, pose: {x: 3, y: 1}, links: [{tcp: auto}]}\n"
              "- {name: d, type: kobuki, pose: {x: 4, y: 1}, links: [{pty: a}]}\n"
              "- {name: e, type: kobuki, pose: {x: 5, y: 1}, links: [{pty: ab}]}\n"
              "- {name: f, type: kobuki, pose: {x: 6, y: 1}, links: [{tcp: h:1}]}\n"
              "- {name: g, type: kobuki, pose: {x: 7, y: 1}, links: [{tcp: g:1}]}\n");
    assert_int_equal(scene->robots[0].link_count, 0);
    scene_destroy(scene);
}

static void a_robot_may_touch_walls_boxes_and_robots(void **state)
{
    (void)state;
    const struct robot_type *type = registry_find("kobuki");
    struct scene *probe = scene_of_type("kobuki", NULL);
    struct robot_body body = {0};
    robot_type_body(type, probe->robots[0].options, &body);
    scene_destroy(probe);
    assert_int_equal(body.shape, ROBOT_DISC);

    double radius_m = body.radius_m;
    double gap_m = 0;
    for (int i = 0; i < 2; i++) {
        char bytes[600];
        snprintf(bytes, sizeof bytes,
                 "world:\n"
                 "  size: {x: 4, y: 4}\n"
                 "  boxes: [{pose: {x: %.9f, y: %.9f}, size: {x: 1, y: 1}}]\n"
                 "  walls: [{from: {x: 0, y: %.9f}, to: {x: 4, y: %.9f}}]\n"
                 "robots:\n"
                 "- {name: a, type: kobuki, pose: {x: %.9f, y: %.9f}}\n"
                 "- {name: b, type: kobuki, pose: {x: %.9f, y: %.9f}}\n",
                 4 * radius_m + 0.5, radius_m, 2 * radius_m, 2 * radius_m, radius_m, radius_m,
                 3 * radius_m - gap_m, radius_m);
        struct error error = {0};
        struct scene *scene = scene_parse(bytes, strlen(bytes), "scene.yaml", &error);
        if (gap_m == 0 && !scene)
            fail_msg("%s", error.text);
        assert_true(gap_m == 0 || !scene);
        scene_destroy(scene);
        gap_m = 0.001; /* a millimeter less room is an overlap */
    }
}

static void a_type_alone_is_a_scene(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        struct error error = {0};
        struct scene *scene = scene_of_type(types[i]->name, &error);
        assert_non_null(scene);
        assert_true(scene_check(scene, &error));
        assert_string_equal(error.text, "");
        assert_string_equal(scene->name, types[i]->name);
        assert_int_equal(scene->robot_count, 1);
        assert_string_equal(scene->robots[0].name, types[i]->name);
        assert_ptr_equal(scene->robots[0].type, types[i]);
        assert_int_equal(scene->robots[0].link_count, 1);
        assert_int_equal(scene->seed, 1);
        assert_true(scene->robots[0].pose.x_m == scene->size_x_m / 2); /* in the middle */
        assert_true(scene->robots[0].pose.y_m == scene->size_y_m / 2);
        scene_destroy(scene);
    }
    struct error error = {0};
    assert_null(scene_of_type("kobuky", &error));
    assert_non_null(strstr(error.text, "no robot type 'kobuky'; did you mean 'kobuki'? allowed: "));
    assert_null(scene_of_type("", &error));
}

static void an_option_can_be_set_afterwards(void **state)
{
    (void)state;
    struct scene *scene = scene_of_type("kobuki", NULL);
    const struct robot_type *type = scene->robots[0].type;
    struct error error = {0};
    uint8_t options[ROBOT_OPTIONS_MAX] = {0};

    option_defaults(type->options, type->option_count, options);
    assert_true(option_set(option_find(type->options, type->option_count, "firmware"), "1.0.0",
                           options, &error));
    assert_true(scene_set(scene, "kobuki.firmware=1.0.0", &error));
    assert_memory_equal(scene->robots[0].options, options, sizeof options);
    assert_true(scene_check(scene, &error));

    static const struct {
        const char *assignment, *says;
    } wrong[] = {
        {"kobuki", "'kobuki' is not a setting; allowed: ROBOT.OPTION=VALUE"},
        {"", "'' is not a setting; allowed: ROBOT.OPTION=VALUE"},
        {"kobuki=1.0.0", "'kobuki=1.0.0' is not a setting; allowed: ROBOT.OPTION=VALUE"},
        {"kobuky.firmware=1.0.0", "kobuky: no such robot; did you mean 'kobuki'? allowed: kobuki"},
        {".firmware=1.0.0", ": no such robot; allowed: kobuki"},
        {"kobuki.firmwre=1.0.0",
         "kobuki.firmwre: no such option; did you mean 'firmware'? allowed: "},
        {"kobuki.battery_v=16 V",
         "kobuki.battery_v: '16 V' is not a number; allowed: a number from "},
        {"kobuki.firmware=", "kobuki.firmware: '' is not one of "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(scene_set(scene, wrong[i].assignment, &error));
        error.text[strlen(wrong[i].says)] = '\0';
        assert_string_equal(error.text, wrong[i].says);
    }
    assert_memory_equal(scene->robots[0].options, options, sizeof options);
    scene_destroy(scene);
}

static void an_unknown_option_is_answered_with_all_that_there_are(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        struct scene *scene = scene_of_type(types[i]->name, NULL);
        struct error error = {0};
        char assignment[64], says[TEXT_ADVICE_SIZE + 64] = "";
        snprintf(assignment, sizeof assignment, "%s.zzzzzzzz=1", types[i]->name);
        snprintf(says, sizeof says, "%s.zzzzzzzz: no such option; allowed: ", types[i]->name);
        for (size_t k = 0; k < types[i]->option_count; k++)
            text_add(says, sizeof says, k ? ", " : "", "%s", types[i]->options[k].key);
        assert_false(scene_set(scene, assignment, &error));
        if (types[i]->option_count <= 5) // no text is cut
            assert_string_equal(error.text, says);
        scene_destroy(scene);
    }
}

/* An option without a default; no built-in robot has one. */
static void what_a_robot_cannot_do_without_must_be_given(void **state)
{
    (void)state;
    static const char body[] = "firmware: {run: a}\nchannels: [{name: u, baud: 9600}]\n"
                               "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n";
    static const struct option_row options[] = {
        {.key = "speed", .type = OPTION_NUMBER, .max = 9, .unit = "", .note = ""},
        {.key = "color", .type = OPTION_NUMBER, .max = 9, .unit = "", .note = "", .fallback = "1"},
    };
    static const struct {
        const char *more, *says;
    } rows[] = {
        {"", "s.yaml:2:10: robots[0].options: missing; a r needs speed"},
        {", options: {}", "s.yaml:2:65: robots[0].options.speed: missing; "},
        {", options: {speed: 3}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct error error = {0};
        struct custom_robot *own = custom_robot_parse(body, sizeof body - 1, "r.yaml", &error);
        if (!own) {
            fail_msg("%s", error.text);
            return;
        }
        snprintf(own->word, sizeof own->word, "./r.yaml");
        own->type.options = options;
        own->type.option_count = sizeof options / sizeof options[0];
        own->type.options_size = ROBOT_OPTIONS_MAX;
        snprintf(text, sizeof text,
                 "world: {size: {x: 4, y: 4}}\nrobots: [{name: a, type: ./r.yaml, pose: {x: 1, y: "
                 "1}%s}]\n",
                 rows[i].more);
        struct scene *scene = scene_parse_own(text, strlen(text), "s.yaml", own, &error);
        if (!scene != !!rows[i].says ||
            (rows[i].says && strncmp(error.text, rows[i].says, strlen(rows[i].says)) != 0))
            fail_msg("'%s': %s", rows[i].more, error.text);
        scene_destroy(scene);
    }
}

static void a_pose_and_the_timeline_can_be_set_afterwards(void **state)
{
    (void)state;
    static const char text[] = "world: {size: {x: 6, y: 4}}\n"
                               "robots:\n"
                               "- {name: kobuki, type: kobuki, pose: {x: 2, y: 2}}\n"
                               "- {name: lidar, type: ld06, mount: {on: kobuki, x: 0.1, y: 0}}\n"
                               "timeline: [{at: 1, do: kobuki.lift}]\n";
    struct error error = {0};
    struct scene *scene = scene_parse(text, strlen(text), "s.yaml", &error);
    assert_non_null(scene);
    assert_true(scene_set(scene, "kobuki.pose=1,3.5,90", &error));
    assert_true(scene->robots[0].pose.x_m == 1 && scene->robots[0].pose.y_m == 3.5);
    assert_float_equal(scene->robots[0].pose.heading_rad, 1.5707963, 1e-6);
    assert_float_equal(scene->robots[1].pose.y_m, 3.6, 1e-9); // it rides along
    assert_true(scene_set(scene, "do=kobuki.fault uart=drop rate=0.1", &error));
    assert_int_equal(scene->action_count, 2);
    assert_string_equal(scene->actions[1].command, "kobuki.fault uart=drop rate=0.1");
    assert_true(scene->actions[1].at_s == 0);
    assert_true(scene_set(scene, "at=2.5 do=kobuki.lift", &error));
    assert_true(scene->actions[2].at_s == 2.5);
    assert_string_equal(scene->actions[2].command, "kobuki.lift");
    assert_true(scene_set(scene, "at=3  signal=SIGKILL", &error));
    assert_int_equal(scene->actions[3].interrupt, SCENE_SIGKILL);
    assert_true(scene_set(scene, "skip=0", &error));
    assert_true(scene->actions[0].is_left_out && !scene->actions[1].is_left_out);
    static const char *const wrong[] = {"kobuki.pose=1,2",
                                        "kobuki.pose=1,2,3,4",
                                        "kobuki.pose=1,2,x",
                                        "lidar.pose=1,2,3",
                                        "skip=4",
                                        "skip=-1",
                                        "skip=0.5",
                                        "at=x do=kobuki.lift",
                                        "at=-1 do=kobuki.lift",
                                        "at=1 kobuki.lift",
                                        "at=1 dox=kobuki.lift",
                                        "at=1 don=kobuki.lift",
                                        "at=1 signals=SIGTERM",
                                        "at=1 signal=SIGNAL",
                                        "at=1",
                                        "kobuki.pose="};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(scene_set(scene, wrong[i], &error));
    assert_true(scene->robots[0].pose.y_m == 3.5);
    scene_destroy(scene);
}

static void a_range_of_delays_is_read_in_microseconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t min_us, max_us;
    } good[] = {
        {"0..400ms", 0, 400000},
        {"50us..0.2s", 50, 200000},
        {"5ms", 5000, 5000},
        {"1..2s", 1000000, 2000000},
        {"0us..1000s", 0, 1000000000},
        {"1000s", 1000000000, 1000000000},
        {"3s..1000000ms", 3000000, 1000000000},
        {"0.6us", 1, 1}, /* rounded */
        {"1.4us..2.6us", 1, 3},
        {"0s", 0, 0},
    };
    static const char *const wrong[] = {
        "",        "5",      "1..2",    "soon",
        "ms",      "s",      "xms",     "-1ms",
        "-1..1ms", "2..1ms", "1001s",   "0..1001s",
        "1000.1s", "..5ms",  "5ms..",   "ms..5ms",
        "0..ms",   "1ms..2", "1..x2s",  "0..1000001ms",
        "nan ms",  "1e999s", "1..2ms ", "0000000000000000000000000000000001ms",
    };
    struct error error = {0};
    struct scene_host_delay delay;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!scene_host_delay_parse(good[i].text, &delay, &error))
            fail_msg("%s", error.text);
        assert_int_equal(delay.min_us, good[i].min_us);
        assert_int_equal(delay.max_us, good[i].max_us);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char says[128];
        delay = (struct scene_host_delay){1, 2};
        snprintf(says, sizeof says, "'%s' is not a range of delays; allowed: A..B with a unit",
                 wrong[i]);
        if (scene_host_delay_parse(wrong[i], &delay, &error))
            fail_msg("accepted: '%s'", wrong[i]);
        assert_memory_equal(error.text, says, strlen(says));
        assert_true(delay.min_us == 1 && delay.max_us == 2);
    }
}

static void what_does_not_fit_without_a_line_of_its_own_is_said_of_the_file(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_of_type("kobuki", NULL);
    if (!scene || !scene_check(scene, &error)) {
        fail_msg("%s", error.text);
        return;
    }
    scene->robots[0].pose.x_m = 1000;
    assert_false(scene_check(scene, &error));
    if (strncmp(error.text, "kobuki: robots[0]", 17) != 0)
        fail_msg("%s", error.text);
    scene_destroy(scene);
}

static void a_link_can_be_set_afterwards(void **state)
{
    (void)state;
    struct error error = {0};
    static const struct {
        const char *type, *assignment, *address;
        enum link_kind kind;
    } good[] = {
        {"kobuki", "kobuki=tcp:auto", "auto", LINK_TCP},
        {"kobuki", "kobuki=auto", "auto", LINK_TCP},
        {"kobuki", "kobuki=127.0.0.1:4000", "127.0.0.1:4000", LINK_TCP},
        {"kobuki", "kobuki.uart=[::1]:4000", "[::1]:4000", LINK_TCP},
        {"kobuki", "kobuki=rfc2217:auto", "auto", LINK_RFC2217},
        {"kobuki", "kobuki=uart:/dev/ttyUSB0", "/dev/ttyUSB0", LINK_UART},
        {"kobuki", "kobuki=pty:auto", "auto", LINK_PTY},
        {"kobuki", "kobuki=/tmp/a:b", "/tmp/a:b", LINK_PTY},
        {"kobuki", "kobuki=other", "other", LINK_PTY},
        {"epuck2", "epuck2=127.0.0.2:1000", "127.0.0.2:1000", LINK_TCP},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct scene *scene = scene_of_type(good[i].type, NULL);
        const struct scene_link *link = &scene->robots[0].links[0];
        if (!scene_link_set(scene, good[i].assignment, &error))
            fail_msg("%s: %s", good[i].assignment, error.text);
        assert_int_equal(link->kind, good[i].kind);
        assert_string_equal(link->address, good[i].address);
        assert_false(link->is_default);
        assert_int_equal(scene->robots[0].link_count, 1);
        scene_destroy(scene);
    }

    static const struct {
        const char *type, *assignment, *says;
    } wrong[] = {
        {"kobuki", "kobuki",
         "'kobuki' is not a link; allowed: ROBOT[.CHANNEL]=[TRANSPORT:]ADDRESS"},
        {"kobuki", "kobuky=auto", "kobuky: no such robot; did you mean 'kobuki'? allowed: kobuki"},
        {"kobuki", "kobuki.wart=auto",
         "kobuki: 'wart' is not a channel of a kobuki; did you mean 'uart'? allowed: uart"},
        {"kobuki", "kobuki=tcp:", "kobuki: '' is not a TCP address; allowed: auto, or host"},
        {"kobuki", "kobuki=", "kobuki: '' is not a file name; allowed: a name such as kobuki"},
        {"kobuki", "kobuki=ptty:a", "kobuki: 'ptty' is not a transport; did you mean 'pty'?"},
        {"kobuki", "kobuki=tpc:auto", "kobuki: 'tpc' is not a transport; did you mean 'tcp'?"},
        {"kobuki", "kobuki=urat:/dev/x", "kobuki: 'urat' is not a transport; did you mean 'uart'?"},
        {"kobuki", "kobuki=rfc2117:auto", "kobuki: 'rfc2117' is not a transport; did you mean "},
        {"epuck2", "epuck2=pty:epuck2",
         "epuck2: channel wifi of a epuck2 is a TCP server; allowed"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct scene *scene = scene_of_type(wrong[i].type, NULL);
        const struct scene_link before = scene->robots[0].links[0];
        assert_false(scene_link_set(scene, wrong[i].assignment, &error));
        error.text[strlen(wrong[i].says)] = '\0';
        assert_string_equal(error.text, wrong[i].says);
        assert_memory_equal(&scene->robots[0].links[0], &before, sizeof before);
        scene_destroy(scene);
    }
}

/* Other links do not change, and the other settings of the scene for this link stay. */
static void a_link_that_is_set_keeps_the_rest_of_the_scenes(void **state)
{
    (void)state;
    struct error error = {0};
    static const char text[] = "world: {size: {x: 4, y: 4}}\n"
                               "robots:\n"
                               "  - {name: a, type: cobot, pose: {x: 1, y: 1}, links: [{pty: a, "
                               "chunks: byte, channel: bluetooth}]}\n"
                               "  - {name: b, type: cobot, pose: {x: 3, y: 3}, links: []}\n";
    struct scene *scene = scene_parse(text, strlen(text), "two.yaml", &error);
    if (!scene)
        fail_msg("%s", error.text);
    assert_true(scene_link_set(scene, "a=auto", &error));
    assert_int_equal(scene->robots[0].link_count, 1);
    assert_int_equal(scene->robots[0].links[0].channel, 1);
    assert_int_equal(scene->robots[0].links[0].chunks, SCENE_CHUNKS_BYTE);
    assert_true(scene_link_set(scene, "b.bluetooth=here", &error));
    assert_int_equal(scene->robots[1].link_count, 1);
    assert_int_equal(scene->robots[1].links[0].channel, 1);
    assert_int_equal(scene->robots[1].links[0].baud_check, SCENE_BAUD_WARN);
    assert_true(scene_check(scene, &error));
    assert_true(scene_link_set(scene, "b.uart=here", &error));
    assert_int_equal(scene->robots[1].link_count, 2);
    assert_int_equal(scene->robots[1].links[1].channel, 0);
    assert_int_equal(scene->robots[1].links[1].baud_check, SCENE_BAUD_WARN);
    assert_false(scene_check(scene, &error));
    scene_destroy(scene);
}

/* Also the first channel of a robot without links. */
static void a_channel_that_gets_a_link_gets_what_a_link_has_by_default(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene =
        parse("world: {size: {x: 4, y: 4}}\n"
              "robots: [{name: a, type: kobuki, pose: {x: 1, y: 1}, links: []}]\n");
    assert_true(scene_link_set(scene, "a=here", &error));
    const struct scene_robot *robot = &scene->robots[0];
    assert_int_equal(robot->link_count, 1);
    assert_int_equal(robot->links[0].channel, 0);
    assert_int_equal(robot->links[0].baud_check, SCENE_BAUD_WARN);
    assert_int_equal(robot->links[0].chunks, SCENE_CHUNKS_FRAME);
    assert_int_equal(robot->links[0].place.line, robot->name_place.line);
    assert_int_equal(robot->links[0].place.column, robot->name_place.column);
    scene_destroy(scene);
}

/* The message names these transports and no other transports. */
static void a_server_is_answered_with_the_transports_that_it_can_have(void **state)
{
    (void)state;
    static const char says[] = "epuck2: channel wifi of a epuck2 is a TCP server; allowed: ";
    struct error error = {0};
    struct scene *scene = scene_of_type("epuck2", NULL);
    size_t kinds = 0;
    assert_false(scene_link_set(scene, "epuck2=pty:epuck2", &error));
    assert_memory_equal(error.text, says, sizeof says - 1);
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++) {
        char word[32];
        snprintf(word, sizeof word, " %s: \"", link_kinds[kind].name);
        bool is_named = strstr(error.text + sizeof says - 2, word);
        if (is_named != link_kind_fits(kind, true))
            fail_msg("%s%s", link_kinds[kind].name, error.text);
        kinds += is_named;
    }
    assert_true(kinds > 0);
    /* Both examples are accepted. */
    assert_non_null(strstr(error.text, ": tcp: auto, or tcp: \"127.0.0.1:1000\""));
    assert_true(scene_link_set(scene, "epuck2=tcp:auto", &error));
    assert_true(scene_link_set(scene, "epuck2=tcp:127.0.0.1:1000", &error));
    scene_destroy(scene);
}

static char *read_file(const char *path, size_t *size)
{
    char *bytes = malloc(SCENE_BYTES_MAX);
    FILE *file = fopen(path, "rb");
    assert_non_null(bytes);
    assert_non_null(file);
    *size = fread(bytes, 1, SCENE_BYTES_MAX, file);
    fclose(file);
    return bytes;
}

static void every_scene_of_the_repository_is_good(void **state)
{
    (void)state;
    DIR *folder = opendir(PTYBOT_SOURCE_DIR "/scenes");
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        char path[1000];
        size_t size;
        struct error error = {0};
        snprintf(path, sizeof path, PTYBOT_SOURCE_DIR "/scenes/%s", entry->d_name);
        char *bytes = read_file(path, &size);
        struct scene *scene = scene_parse(bytes, size, entry->d_name, &error);
        free(bytes);
        if (!scene)
            fail_msg("%s", error.text);
        scene_destroy(scene);
        count++;
    }
    closedir(folder);
    assert_true(count >= 3);
}

static void words_that_mean_files_are_found_before_the_scene_is_read(void **state)
{
    (void)state;
    static const char text[] =
        "world: 3\nrobots:\n- {type: kobuki}\n- {type: robots/own.so}\n- {type: own.yaml}\n"
        "- {type: own.yml, name: a}\n- {type: .yml}\n- {type: .yaml}\n- {type: own.so:two}\n"
        "- {type: own.yaml}\n- {name: b}\n- {type: [x]}\n- {type: own.yamlx}\n- {type: xyml}\n";
    static const char *const expected[] = {"robots/own.so", "own.yaml", "own.yml", "own.so:two"};
    size_t count;
    struct scene_type_word *words = scene_type_words(text, strlen(text), &count);
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(words[i].word, expected[i]);
    assert_int_equal(words[1].place.line, 5);
    assert_int_equal(words[1].place.column, 10);
    free(words);
    /* The shortest names, and a word that comes twice. */
    static const char *const single[] = {"robots: [{type: a.yaml}]", "robots: [{type: a.yml}]",
                                         "robots: [{type: a.yaml}, {type: a.yaml}]",
                                         "robots: [{type: kobuki}, {type: ./a}, {type: ./a}]"};
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) {
        words = scene_type_words(single[i], strlen(single[i]), &count);
        assert_int_equal(count, 1);
        assert_non_null(words);
        free(words);
    }
    static const char *const without[] = {"robots: [{type: kobuki}]", "[", "robots: 3", ""};
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        count = 7;
        assert_null(scene_type_words(without[i], strlen(without[i]), &count));
        assert_int_equal(count, 0);
    }
}

static void a_body_file_is_distinguished_from_a_scene(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_body;
    } rows[] = {
        {"body: {}", true},
        {"name: a\nbody: 3", true},
        {"world: {}", false},
        {"body: {}\nworld: {}", false},
        {"body: {}\nrobots: []", false},
        {"robots: []", false},
        {"[body]", false},
        {"", false},
        {"body: {", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (scene_is_body(rows[i].text, strlen(rows[i].text)) != rows[i].is_body)
            fail_msg("\"%s\"", rows[i].text);
}

static void what_varies_is_kept_word_by_word(void **state)
{
    (void)state;
    struct scene *scene =
        parse("world: {size: {x: 4, y: 4}}\nrobots: [{name: a, type: kobuki, pose: {x: 1, y: 1}}]\n"
              "sweep: [seed 1..9, a.battery_v 14..15]\n");
    assert_int_equal(scene->sweep_count, 2);
    assert_string_equal(scene->sweeps[0], "seed 1..9");
    assert_string_equal(scene->sweeps[1], "a.battery_v 14..15");
    scene_destroy(scene);
}

static void a_robot_may_be_named_like_a_key(void **state)
{
    (void)state;
    struct scene *scene = parse("name: world\nworld: {size: {x: 4, y: 4}}\n"
                                "robots: [{name: type, type: kobuki, pose: {x: 1, y: 1}}]\n");
    assert_string_equal(scene->robots[0].name, "type");
    assert_string_equal(scene->robots[0].type->name, "kobuki");
    assert_true(scene->size_x_m == 4);
    scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_mean_files_are_found_before_the_scene_is_read),
        cmocka_unit_test(a_body_file_is_distinguished_from_a_scene),
        cmocka_unit_test(what_varies_is_kept_word_by_word),
        cmocka_unit_test(a_robot_may_be_named_like_a_key),
        cmocka_unit_test(the_smallest_scene_has_all_defaults),
        cmocka_unit_test(a_scene_without_a_name_is_named_like_its_file),
        cmocka_unit_test(the_world_is_read_in_meters_kilograms_and_radians),
        cmocka_unit_test(robots_keep_the_order_of_the_file_and_keys_have_none),
        cmocka_unit_test(labels_are_any_language),
        cmocka_unit_test(storage_is_a_path_and_by_default_none),
        cmocka_unit_test(addresses_are_kept_in_one_spelling),
        cmocka_unit_test(robots_may_share_what_is_not_one_place),
        cmocka_unit_test(a_robot_may_touch_walls_boxes_and_robots),
        cmocka_unit_test(a_type_alone_is_a_scene),
        cmocka_unit_test(an_option_can_be_set_afterwards),
        cmocka_unit_test(an_unknown_option_is_answered_with_all_that_there_are),
        cmocka_unit_test(what_a_robot_cannot_do_without_must_be_given),
        cmocka_unit_test(a_range_of_delays_is_read_in_microseconds),
        cmocka_unit_test(a_pose_and_the_timeline_can_be_set_afterwards),
        cmocka_unit_test(what_does_not_fit_without_a_line_of_its_own_is_said_of_the_file),
        cmocka_unit_test(a_link_can_be_set_afterwards),
        cmocka_unit_test(a_link_that_is_set_keeps_the_rest_of_the_scenes),
        cmocka_unit_test(a_channel_that_gets_a_link_gets_what_a_link_has_by_default),
        cmocka_unit_test(a_server_is_answered_with_the_transports_that_it_can_have),
        cmocka_unit_test(every_scene_of_the_repository_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
