/* ROS maps as worlds: thresholds, negation, origin, merged walls, and refused maps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/parse/scene_map.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"

#define MAP_WITH(origin, negate, rest)                                                             \
    "image: m.pgm\nresolution: 0.5\norigin: " origin "\nnegate: " negate "\n" rest
#define USUAL "occupied_thresh: 0.65\nfree_thresh: 0.196\n"

static struct scene *scene_with(const char *world)
{
    char yaml[512];
    struct error error = {0};
    snprintf(yaml, sizeof yaml,
             "world: {%s}\nrobots: [{name: a, type: kobuki, pose: {x: 0.75, y: 0.75}}]\n", world);
    struct scene *scene = scene_parse(yaml, strlen(yaml), "s.yaml", &error);
    if (!scene)
        fail_msg("%s", error.text);
    return scene;
}

static bool apply(struct scene *scene, const char *yaml, const struct scene_pixels *pixels,
                  struct error *error)
{
    struct scene_map map;
    if (!scene_map_parse(&map, yaml, strlen(yaml), "m.yaml", error))
        return false;
    return scene_map_apply(scene, &map, pixels, error);
}

/* Number of walls that a map makes from one row of gray pixels, inside a frame of free pixels. */
static size_t walls_of_gray(uint8_t gray, const char *yaml, uint8_t clear)
{
    uint8_t bytes[16 * 16];
    memset(bytes, clear, sizeof bytes);
    bytes[5 * 16 + 9] = gray;
    const struct scene_pixels pixels = {bytes, 16, 16, 1};
    struct scene *scene = scene_with("map: m.yaml");
    struct error error = {0};
    if (!apply(scene, yaml, &pixels, &error))
        fail_msg("%s", error.text);
    size_t count = scene->wall_count;
    scene_destroy(scene);
    return count;
}

static void a_pixel_is_a_wall_where_map_server_says_occupied(void **state)
{
    (void)state;
    /* (255 - 89) / 255 = 0.65098 and (255 - 90) / 255 = 0.64706, about the threshold 0.65. */
    const char *usual = MAP_WITH("[0, 0, 0]", "0", USUAL);
    assert_int_equal(walls_of_gray(0, usual, 254), 4);
    assert_int_equal(walls_of_gray(89, usual, 254), 4);
    assert_int_equal(walls_of_gray(90, usual, 254), 0);
    assert_int_equal(walls_of_gray(205, usual, 254), 0); /* unknown */
    const char *negated = MAP_WITH("[0, 0, 0]", "1", USUAL);
    assert_int_equal(walls_of_gray(255, negated, 0), 4);
    assert_int_equal(walls_of_gray(166, negated, 0), 4);
    assert_int_equal(walls_of_gray(165, negated, 0), 0);
    /* A value on the threshold is not above it: 0.2 = 51 / 255. */
    const char *low = MAP_WITH("[0, 0, 0]", "0", "occupied_thresh: 0.2\nfree_thresh: 0.1\n");
    assert_int_equal(walls_of_gray(204, low, 254), 0);
    assert_int_equal(walls_of_gray(203, low, 254), 4);
}

static void colors_count_by_their_mean(void **state)
{
    (void)state;
    uint8_t bytes[16 * 16 * 3];
    memset(bytes, 254, sizeof bytes);
    uint8_t *pixel = bytes + (size_t)(5 * 16 + 9) * 3;
    pixel[0] = 0;
    pixel[1] = 0;
    for (int blue = 255; blue >= 0; blue -= 255) {
        pixel[2] = (uint8_t)blue;
        struct scene *scene = scene_with("map: m.yaml");
        struct error error = {0};
        const struct scene_pixels pixels = {bytes, 16, 16, 3};
        assert_true(apply(scene,
                          MAP_WITH("[0, 0, 0]", "0",
                                   "occupied_thresh: 0.7\nfree_thresh: "
                                   "0.1\n"),
                          &pixels, &error));
        assert_int_equal(scene->wall_count, blue == 255 ? 0 : 4);
        scene_destroy(scene);
    }
}

static bool has_wall(const struct scene *scene, double ax, double ay, double bx, double by)
{
    for (size_t i = 0; i < scene->wall_count; i++) {
        const struct scene_wall *wall = &scene->walls[i];
        if (hypot(wall->from.x - ax, wall->from.y - ay) < 1e-9 &&
            hypot(wall->to.x - bx, wall->to.y - by) < 1e-9)
            return true;
    }
    return false;
}

static void straight_borders_are_one_wall_and_rows_count_from_below(void **state)
{
    (void)state;
    /* An L of cells: (4..7, 4) and (4, 5), from the lower left. */
    uint8_t bytes[10 * 10];
    memset(bytes, 254, sizeof bytes);
    for (size_t column = 4; column <= 7; column++)
        bytes[(9 - 4) * 10 + column] = 0;
    bytes[(9 - 5) * 10 + 4] = 0;
    const struct scene_pixels pixels = {bytes, 10, 10, 1};
    struct scene *scene = scene_with("map: m.yaml");
    struct error error = {0};
    assert_true(apply(scene, MAP_WITH("[-1, -0.5, 0]", "0", USUAL), &pixels, &error));
    assert_int_equal(scene->wall_count, 6);
    assert_true(has_wall(scene, 1, 1.5, 3, 1.5));
    assert_true(has_wall(scene, 1.5, 2, 3, 2));
    assert_true(has_wall(scene, 1, 2.5, 1.5, 2.5));
    assert_true(has_wall(scene, 1, 1.5, 1, 2.5));
    assert_true(has_wall(scene, 1.5, 2, 1.5, 2.5));
    assert_true(has_wall(scene, 3, 1.5, 3, 2));
    assert_true(scene->low.x == -1 && scene->low.y == -0.5);
    assert_true(scene->size_x_m == 5 && scene->size_y_m == 5);
    scene_destroy(scene);
}

/* No cell beyond the edge of the picture is occupied. */
static void a_cell_in_a_corner_of_the_map_has_four_walls(void **state)
{
    (void)state;
    for (int corner = 0; corner < 4; corner++) {
        uint8_t bytes[8 * 8];
        const struct scene_pixels pixels = {bytes, 8, 8, 1};
        double x = corner % 2 * 3.5, y = corner / 2 * 3.5;
        memset(bytes, 254, sizeof bytes);
        bytes[(corner / 2 ? 0 : 7) * 8 + corner % 2 * 7] = 0;
        struct scene *scene = scene_with("map: m.yaml");
        struct error error = {0};
        if (!apply(scene, MAP_WITH("[0, 0, 0]", "0", USUAL), &pixels, &error))
            fail_msg("%s", error.text);
        assert_int_equal(scene->wall_count, 4);
        assert_true(has_wall(scene, x, y, x + 0.5, y));
        assert_true(has_wall(scene, x, y + 0.5, x + 0.5, y + 0.5));
        assert_true(has_wall(scene, x, y, x, y + 0.5));
        assert_true(has_wall(scene, x + 0.5, y, x + 0.5, y + 0.5));
        scene_destroy(scene);
    }
}

static void the_yaw_turns_the_map_about_its_lower_left_corner(void **state)
{
    (void)state;
    uint8_t bytes[10 * 4];
    memset(bytes, 254, sizeof bytes);
    bytes[3 * 10 + 9] = 0; /* the lower right cell */
    const struct scene_pixels pixels = {bytes, 10, 4, 1};
    struct scene *scene = scene_with("map: m.yaml");
    struct error error = {0};
    if (!apply(scene, MAP_WITH("[2, 0, 1.5707963267948966]", "0", USUAL), &pixels, &error))
        fail_msg("%s", error.text);
    assert_true(has_wall(scene, 2, 4.5, 2, 5));
    assert_true(fabs(scene->low.x) < 1e-9 && fabs(scene->low.y) < 1e-9);
    assert_true(fabs(scene->size_x_m - 2) < 1e-9 && fabs(scene->size_y_m - 5) < 1e-9);
    scene_destroy(scene);
}

/* This holds for whichever corner of the map is then the lowest. */
static void the_room_is_the_rectangle_around_the_turned_map(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double low_x_m, low_y_m, size_x_m, size_y_m;
    } rows[] = {
        {MAP_WITH("[0, 0, 0]", "0", USUAL), 0, 0, 5, 2},
        {MAP_WITH("[2, 0, 1.5707963267948966]", "0", USUAL), 0, 0, 2, 5},
        {MAP_WITH("[2, 2, 3.1415926535897931]", "0", USUAL), -3, 0, 5, 2},
        {MAP_WITH("[0, 2, -1.5707963267948966]", "0", USUAL), 0, -3, 2, 5},
    };
    uint8_t bytes[10 * 4];
    memset(bytes, 254, sizeof bytes);
    const struct scene_pixels pixels = {bytes, 10, 4, 1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scene *scene = scene_with("map: m.yaml");
        struct error error = {0};
        if (!apply(scene, rows[i].yaml, &pixels, &error))
            fail_msg("%s", error.text);
        assert_true(fabs(scene->low.x - rows[i].low_x_m) < 1e-9);
        assert_true(fabs(scene->low.y - rows[i].low_y_m) < 1e-9);
        assert_true(fabs(scene->size_x_m - rows[i].size_x_m) < 1e-9);
        assert_true(fabs(scene->size_y_m - rows[i].size_y_m) < 1e-9);
        scene_destroy(scene);
    }
}

static void a_robot_drives_in_the_frame_of_the_map(void **state)
{
    (void)state;
    uint8_t bytes[10 * 10];
    memset(bytes, 254, sizeof bytes);
    const struct scene_pixels pixels = {bytes, 10, 10, 1};
    struct scene *scene =
        scene_with("map: m.yaml, walls: [{from: {x: -1, y: 2}, to: {x: 0, y: 2}}]");
    struct error error = {0};
    if (!apply(scene, MAP_WITH("[-2, -2, 0]", "0", USUAL), &pixels, &error))
        fail_msg("%s", error.text);
    assert_int_equal(scene->wall_count, 1);
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    assert_non_null(sim);
    assert_true(sim_do(sim, "a.place x=-1.5 y=-1.5", &error));
    assert_false(sim_do(sim, "a.place x=3.5 y=0", &error));
    sim_step(sim);
    assert_true(sim_robot_pose(sim, 0).x_m == -1.5);
    sim_destroy(sim);
    scene_destroy(scene);
}

static void expect_of(const char *world, const char *yaml, const uint8_t *bytes, size_t side,
                      const char *says)
{
    struct scene *scene = scene_with(world);
    struct error error = {0};
    const struct scene_pixels pixels = {bytes, side, side, 1};
    if (apply(scene, yaml, &pixels, &error))
        fail_msg("accepted: %s with %s", world, yaml);
    if (strncmp(error.text, says, strlen(says)) != 0)
        fail_msg("'%s' is said, and not '%s'", error.text, says);
    scene_destroy(scene);
}

static void expect(const char *yaml, const uint8_t *bytes, size_t side, const char *says)
{
    expect_of("map: m.yaml", yaml, bytes, side, says);
}

static void what_stands_in_a_wall_of_the_map_is_reported(void **state)
{
    (void)state;
    /* Solid from (2, 2) to (3.5, 3.5), in a room of 4 x 4 m. */
    uint8_t bytes[64];
    memset(bytes, 254, sizeof bytes);
    for (size_t i = 0; i < 9; i++)
        bytes[(1 + i / 3) * 8 + 4 + i % 3] = 0;
    const char *yaml = MAP_WITH("[0, 0, 0]", "0", USUAL);
    expect_of("map: m.yaml, docks: [{name: d, pose: {x: 2.75, y: 2.75}}]", yaml, bytes, 8,
              "s.yaml:1:30: world.docks[0]: d at (2.75, 2.75) is at an occupied place of the map; "
              "move it");
    expect_of("map: m.yaml, docks: [{name: d, pose: {x: 1.98, y: 2.75}}]", yaml, bytes, 8,
              "s.yaml:1:30: world.docks[0]: d at (1.98, 2.75) overlaps a wall of world.map, (2, 2) "
              "to (2, 3.5); its housing is 0.08 x 0.24 m: move one of them");
    expect_of("map: m.yaml, docks: [{name: d, pose: {x: 1, y: 2.75}}], walls: [{from: {x: 1, y: "
              "2}, to: {x: 1, y: 3}}]",
              yaml, bytes, 8,
              "s.yaml:1:30: world.docks[0]: d at (1, 2.75) overlaps world.walls[0]");
    memset(bytes, 254, sizeof bytes);
    bytes[6 * 8] = 0;
    expect(MAP_WITH("[0.1, 0, 0]", "0", USUAL), bytes, 8,
           "s.yaml:2:40: robots[0].pose: a at (0.75, 0.75) overlaps a wall of world.map, ");
}

/* Also in the first row and column of the picture, and in a turned map. */
static void what_stands_inside_a_solid_area_is_reported(void **state)
{
    (void)state;
    uint8_t bytes[256];
    memset(bytes, 254, sizeof bytes);
    for (size_t row = 0; row < 4; row++)
        memset(bytes + (7 - row) * 8, 0, 4);
    const char *yaml = MAP_WITH("[0, 0, 0]", "0", USUAL);
    expect_of("map: m.yaml, docks: [{name: d, pose: {x: 0.25, y: 1.25}}]", yaml, bytes, 8,
              "s.yaml:1:30: world.docks[0]: d at (0.25, 1.25) is at an occupied place of the map");
    expect_of("map: m.yaml, docks: [{name: d, pose: {x: 1.25, y: 0.25}}]", yaml, bytes, 8,
              "s.yaml:1:30: world.docks[0]: d at (1.25, 0.25) is at an occupied place of the map");
    expect(yaml, bytes, 8,
           "s.yaml:2:40: robots[0].pose: a at (0.75, 0.75) is at an occupied place of the map");
    /* The same place in a map that is turned by 90 degrees. */
    memset(bytes, 254, sizeof bytes);
    for (size_t row = 12; row < 16; row++)
        memset(bytes + (15 - row) * 16, 0, 4);
    expect(MAP_WITH("[8, 0, 1.5707963267948966]", "0", USUAL), bytes, 16,
           "s.yaml:2:40: robots[0].pose: a at (0.75, 0.75) is at an occupied place of the map");
}

static void errors_name_file_place_and_remedy(void **state)
{
    (void)state;
    uint8_t bytes[64];
    memset(bytes, 254, sizeof bytes);
    expect("image: a\n", bytes, 8, "m.yaml:1:1: resolution: missing; allowed: a number");
    expect("image: a\nresolution: 0.1\nnegate: 0\n" USUAL, bytes, 8,
           "m.yaml:1:1: origin: missing; allowed: a list of x and y in m and yaw in rad");
    expect(MAP_WITH("[0, 0]", "0", USUAL), bytes, 8, "m.yaml:3:9: origin: 2 items; allowed");
    expect(MAP_WITH("[0, 0, east]", "0", USUAL), bytes, 8,
           "m.yaml:3:16: origin[2]: 'east' is not a number");
    expect(MAP_WITH("[0, 0, 0]", "0", "mode: raw\n" USUAL), bytes, 8, "m.yaml:5:7: mode: ");
    expect(MAP_WITH("[0, 0, 0]", "0", "occupied_thresh: 0.1\nfree_thresh: 0.2\n"), bytes, 8,
           "s.yaml:1:14: world.map: m.yaml: free_thresh is above occupied_thresh");
    expect(MAP_WITH("[0, 0, 0]", "0", USUAL), bytes, 0,
           "s.yaml:1:14: world.map: m.yaml: the image has no pixel");
    expect(MAP_WITH("[5, 5, 0]", "0", USUAL), bytes, 8,
           "s.yaml:2:40: robots[0].pose: a at (0.75, 0.75) is not inside the room");
    bytes[6 * 8 + 1] = 0;
    expect(MAP_WITH("[0, 0, 0]", "0", USUAL), bytes, 8,
           "s.yaml:2:40: robots[0].pose: a at (0.75, 0.75) is at an occupied place of the map");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pixel_is_a_wall_where_map_server_says_occupied),
        cmocka_unit_test(colors_count_by_their_mean),
        cmocka_unit_test(straight_borders_are_one_wall_and_rows_count_from_below),
        cmocka_unit_test(a_cell_in_a_corner_of_the_map_has_four_walls),
        cmocka_unit_test(the_yaw_turns_the_map_about_its_lower_left_corner),
        cmocka_unit_test(the_room_is_the_rectangle_around_the_turned_map),
        cmocka_unit_test(a_robot_drives_in_the_frame_of_the_map),
        cmocka_unit_test(what_stands_in_a_wall_of_the_map_is_reported),
        cmocka_unit_test(what_stands_inside_a_solid_area_is_reported),
        cmocka_unit_test(errors_name_file_place_and_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
