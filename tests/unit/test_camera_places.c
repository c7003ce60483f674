/* A camera's view of near things on all sides, and of many things in one column, compared with the
 * rays of the world and the shades of the floor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "protocols/epuck2/epuck2.h"
#include "sim/parse/scene_parse.h"
#include "sim/room/camera_view.h"
#include "sim/room/room.h"
#include "sim/room/sensors.h"
#include "tests/unit/camera_rig.h"

enum { MIDDLE = EYE_WIDTH / 2, HORIZON = EYE_HEIGHT / 2 };
/* The camera is then exactly at (2, 2). */
#define EYE_AT ((struct pose){2 - EYE_X_M, 2, 0})
#define ROOM   "  size: {x: 4, y: 4}\n"

static bool is_gray(uint32_t rgb)
{
    return (rgb & 0xff) == (rgb >> 16) && (rgb & 0xff) == (rgb >> 8 & 0xff);
}

static size_t count_of(const struct eye *eye, bool (*is_color)(uint32_t rgb))
{
    size_t count = 0;
    for (size_t row = 0; row < EYE_HEIGHT; row++)
        for (size_t column = 0; column < EYE_WIDTH; column++)
            count += is_color(eye_pixel(eye, column, row));
    return count;
}

/* ---- Places ---- */

/* Only the floor is gray then. */
static void paint_things(struct sim *sim)
{
    struct scenery *scenery = &sim->room->scenery;
    for (size_t i = 0; i < scenery->wall_count; i++)
        scenery->walls[i].rgb = 0xff8040;
    for (size_t i = 0; i < scenery->body_count; i++)
        scenery->bodies[i].rgb = 0xff8040;
}

/* Length of the ray that a column follows, to the first thing. LENGTH: for a depth of 1. */
static double meets_m(const struct eye *eye, size_t column, struct vec2 *ray, double *length)
{
    const struct sim *sim = eye->simulation.sim;
    double aside = ((EYE_WIDTH - 1) / 2.0 - (double)column) / eye->focal;
    *length = sqrt(1 + aside * aside);
    *ray = (struct vec2){1 / *length, aside / *length};
    struct world_hit hit = world_ray_toward(sim->world, (struct vec2){2, 2}, *ray, 100, 0);
    assert_true(hit.is_hit);
    return hit.distance_m;
}

/* The floor ends in each column where a ray ends. */
static void check_against_rays(const char *world)
{
    // Things may be nearer than its body would let them.
    struct eye eye = eye_open(world, (struct pose){0.3, 0.3, 0}, "");
    eye.simulation.sim->robots[0].pose = EYE_AT;
    paint_things(eye.simulation.sim);
    eye_capture(&eye);
    for (size_t column = 0; column < EYE_WIDTH; column++) {
        struct vec2 ray;
        double length, ends_m = meets_m(&eye, column, &ray, &length);
        for (size_t row = HORIZON; row < EYE_HEIGHT; row++) {
            double depth_m = EYE_Z_M * eye.focal / ((double)row - (EYE_HEIGHT - 1) / 2.0);
            uint32_t rgb = eye_pixel(&eye, column, row);
            if (fabs(depth_m * length - ends_m) > 1e-6 &&
                is_gray(rgb) != (depth_m * length < ends_m))
                fail_msg("%scolumn %zu, row %zu is %06x; the floor ends at %g m, this is at %g m",
                         world, column, row, (unsigned)rgb, ends_m, depth_m * length);
        }
    }
    eye_close(&eye);
}

static void a_wall_is_seen_from_whichever_end_it_is_given(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
    } walls[] = {
        {"{x: 3, y: 0.5}", "{x: 3, y: 3.5}"},      // wider than the picture
        {"{x: 3, y: 1.5}", "{x: 3, y: 2.5}"},      // as long as it is away
        {"{x: 2.5, y: 1.9}", "{x: 2.5, y: 2.05}"}, // in the middle
        {"{x: 3, y: 2.2}", "{x: 1.5, y: 1.95}"},   // behind the camera it changes sides
        {"{x: 3, y: 1.8}", "{x: 1.5, y: 2.05}"},   // the same on the right
        {"{x: 3, y: 2.4}", "{x: 1, y: 2.1}"},      // past the camera, on its left
        {"{x: 3, y: 2}", "{x: 3.5, y: 2}"},        // edge-on
        {"{x: 1.5, y: 1}", "{x: 1.5, y: 3}"},      // behind
    };
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++)
        for (int is_turned = 0; is_turned < 2; is_turned++) {
            char world[256];
            snprintf(world, sizeof world, ROOM "  walls: [{from: %s, to: %s}]\n",
                     is_turned ? walls[i].other : walls[i].one,
                     is_turned ? walls[i].one : walls[i].other);
            check_against_rays(world);
        }
}

static void a_disc_beside_the_camera_is_seen_and_hides_nothing_else(void **state)
{
    (void)state;
    static const char *const discs[] = {
        "{pose: {x: 2.1, y: 2.3}, radius: 0.28}",  // into the picture from the left
        "{pose: {x: 2.1, y: 1.7}, radius: 0.28}",  // and from the right
        "{pose: {x: 2, y: 2.3}, radius: 0.28}",    // to the left
        "{pose: {x: 1.8, y: 2.3}, radius: 0.25}",  // behind, but for its front
        "{pose: {x: 1.6, y: 2}, radius: 0.2}",     // behind
        "{pose: {x: 2.301, y: 2.1}, radius: 0.3}", // in front of the nose
        "{pose: {x: 2.5, y: 2.23}, radius: 0.1}",  // on the left edge of the picture
        "{pose: {x: 2.5, y: 1.77}, radius: 0.1}",  // and on the right one
        "{pose: {x: 2.2, y: 2.05}, radius: 0.04}", // seen as a whole
    };
    for (size_t i = 0; i < sizeof discs / sizeof *discs; i++) {
        char world[256];
        snprintf(world, sizeof world,
                 ROOM "  discs: [%s, {pose: {x: 2.8, y: 1.9}, radius: 0.1}, {pose: {x: 3.2, y: "
                      "2.4}, radius: 0.1}]\n",
                 discs[i]);
        check_against_rays(world);
    }
}

/* A box below the camera: its sides and its upper side, from where a ray enters to where it leaves
 * it. */
static void the_lid_of_a_low_box_ends_at_its_far_sides(void **state)
{
    (void)state;
    const double high_m = 0.01, past_m = 1;
    for (int heading = 0; heading < 360; heading += 15) {
        char world[256];
        size_t seen = 0;
        snprintf(world, sizeof world,
                 ROOM "  boxes: [{pose: {x: 2.25, y: 2.02, heading: %d}, size: {x: 0.1, y: 0.04}, "
                      "height: 0.01}]\n",
                 heading);
        struct eye eye = eye_open(world, EYE_AT, "");
        const struct sim *sim = eye.simulation.sim;
        paint_things(eye.simulation.sim);
        eye_capture(&eye);
        for (size_t column = 0; column < EYE_WIDTH; column++) {
            struct vec2 ray;
            double length, enters_m = meets_m(&eye, column, &ray, &length);
            struct vec2 behind = {2 + past_m * ray.x, 2 + past_m * ray.y};
            struct world_hit back =
                world_ray_toward(sim->world, behind, (struct vec2){-ray.x, -ray.y}, past_m, 0);
            if (!back.is_hit)
                continue;
            double enters = enters_m / length, leaves = (past_m - back.distance_m) / length;
            for (size_t row = HORIZON; row < EYE_HEIGHT; row++) {
                double slope = ((double)row - (EYE_HEIGHT - 1) / 2.0) / eye.focal;
                double at_top_m = (EYE_Z_M - high_m) / slope, at_floor_m = EYE_Z_M / slope;
                bool is_box = !is_gray(eye_pixel(&eye, column, row)), is_near = at_floor_m < past_m;
                if (is_near && fabs(at_top_m - leaves) > 1e-6 && fabs(at_floor_m - enters) > 1e-6)
                    assert_int_equal(is_box, at_top_m < leaves && at_floor_m > enters);
                seen += is_box && is_near;
            }
        }
        assert_true(seen > 200);
        eye_close(&eye);
    }
}

/* ---- Many things in one column ---- */

/* Also where the nearer one ends in the row below the uppermost. */
static void a_higher_thing_is_seen_above_a_nearer_one_up_to_the_first_row(void **state)
{
    (void)state;
    for (size_t row = 0; row < 4; row++) {
        char world[256];
        double slope =
            ((EYE_HEIGHT - 1) / 2.0 - ((double)row + 0.5)) / (EYE_WIDTH / 2 / tan(EYE_HALF_RAD));
        snprintf(world, sizeof world,
                 ROOM "  room: {color: lime, height: 3}\n"
                      "  walls: [{from: {x: 2.5, y: 1}, to: {x: 2.5, y: 3}, color: red, height: "
                      "%.17g}]\n",
                 EYE_Z_M + 0.5 * slope);
        struct eye eye = eye_open(world, EYE_AT, "");
        eye_capture(&eye);
        for (size_t at = 0; at < HORIZON; at++) {
            uint32_t rgb = eye_pixel(&eye, MIDDLE, at);
            assert_true(at <= row ? is_green(rgb) : is_red(rgb));
        }
        eye_close(&eye);
    }
}

/* Walls across the view: DEPTH_M away, their tops at a slope. Returns the bytes that TEXT has grown
 * by. */
static int add_wall(char *text, size_t size, double depth_m, double slope, const char *color)
{
    return snprintf(text, size,
                    "    - {from: {x: %.17g, y: 1}, to: {x: %.17g, y: 3}, color: %s, height: "
                    "%.17g}\n",
                    2 + depth_m, 2 + depth_m, color, EYE_Z_M + depth_m * slope);
}

static size_t row_of(const struct eye *eye, double slope)
{
    return (size_t)((EYE_HEIGHT - 1) / 2.0 - eye->focal * slope);
}

/* From the farthest hidden wall to the nearest, with falling heights. */
static void hidden_things_take_nothing_from_the_view_of_others(void **state)
{
    (void)state;
    char world[4096] = ROOM "  room: {color: lime, height: 1}\n  walls:\n";
    size_t used = strlen(world);
    used += (size_t)add_wall(world + used, sizeof world - used, 0.3, 0.24, "red");
    for (int i = 0; i < 15; i++)
        used += (size_t)add_wall(world + used, sizeof world - used, 1.5 - 0.07 * i, 0.2 - 0.01 * i,
                                 "blue");
    struct eye eye = eye_open(world, EYE_AT, "");
    eye_capture(&eye);
    for (size_t column = 0; column < EYE_WIDTH; column++) {
        assert_true(is_green(eye_pixel(&eye, column, row_of(&eye, 0.26))));
        assert_true(is_red(eye_pixel(&eye, column, row_of(&eye, 0.22))));
    }
    assert_int_equal(count_of(&eye, is_blue), 0);
    eye_close(&eye);
}

/* More of them than a column keeps: the nearest are seen, in any order of the scene. */
static void of_many_steps_of_a_stair_the_nearest_are_seen(void **state)
{
    (void)state;
    enum { STEPS = 20 };
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        char world[4096] = ROOM "  walls:\n";
        size_t used = strlen(world);
        for (int k = 0; k < STEPS; k++) {
            int i = is_turned ? STEPS - 1 - k : k;
            used += (size_t)add_wall(world + used, sizeof world - used, 0.3 + 0.08 * i,
                                     0.01 + 0.015 * i, i % 2 ? "blue" : "red");
        }
        struct eye eye = eye_open(world, EYE_AT, "");
        eye_capture(&eye);
        for (size_t column = 20; column < EYE_WIDTH - 20; column++)
            for (int i = 0; i < CAMERA_SLABS_MAX; i++) {
                uint32_t rgb = eye_pixel(&eye, column, row_of(&eye, 0.01 + 0.015 * i - 0.0075));
                assert_true(i % 2 ? is_blue(rgb) : is_red(rgb));
            }
        eye_close(&eye);
    }
}

static void of_two_walls_at_the_same_place_the_first_is_seen(void **state)
{
    (void)state;
    struct eye eye = eye_open(
        ROOM "  walls:\n"
             "    - {from: {x: 3, y: 1.7}, to: {x: 2.9, y: 2.3}, color: red, height: 0.2}\n"
             "    - {from: {x: 3, y: 1.7}, to: {x: 2.9, y: 2.3}, color: blue, height: "
             "0.2}\n",
        EYE_AT, "");
    eye_capture(&eye);
    assert_true(count_of(&eye, is_red) > 1000);
    assert_int_equal(count_of(&eye, is_blue), 0);
    eye_close(&eye);
}

/* ---- The floor ---- */

/* Each pixel of the floor, up to a distance, has the shade of its point. Returns how many are not
 * white. */
static size_t check_floor(const struct eye *eye, double high_m, double far_m)
{
    const struct scene *scene = eye->simulation.scene;
    size_t shaded = 0;
    for (size_t row = HORIZON; row < EYE_HEIGHT; row++) {
        double depth_m = high_m * eye->focal / ((double)row - (EYE_HEIGHT - 1) / 2.0);
        double light = 0.6 + 0.4 / (1 + 0.25 * depth_m * depth_m);
        for (size_t column = 0; depth_m < far_m && column < EYE_WIDTH; column++) {
            double left_m = depth_m * ((EYE_WIDTH - 1) / 2.0 - (double)column) / eye->focal;
            struct vec2 point = {2 + depth_m, 2 + left_m};
            if (point.y <= 0 || point.y >= scene->size_y_m)
                continue;
            double reflectance = sensors_floor_reflectance(scene, point);
            uint32_t rgb = eye_pixel(eye, column, row);
            if (!is_gray(rgb) || fabs((rgb & 0xff) - (26 + 204 * reflectance) * light) > 1)
                fail_msg("column %zu, row %zu is %06x; the floor has %g there", column, row,
                         (unsigned)rgb, reflectance);
            shaded += reflectance < 1;
        }
    }
    return shaded;
}

/* Lines that are shorter than they are wide, in any direction. */
static void short_lines_are_round(void **state)
{
    (void)state;
    for (int degrees = 0; degrees < 360; degrees += 15) {
        char world[256];
        double turn = degrees * ANGLE_PI / 180;
        snprintf(world, sizeof world,
                 ROOM "  lines: [{from: {x: 2.4, y: 2}, to: {x: %.17g, y: %.17g}, width: 0.1, "
                      "reflectance: 0.3}]\n",
                 2.4 + 0.03 * cos(turn), 2 + 0.03 * sin(turn));
        struct eye eye = eye_open(world, EYE_AT, "");
        eye_capture(&eye);
        assert_true(check_floor(&eye, EYE_Z_M, 1.5) > 100);
        eye_close(&eye);
    }
}

/* With as many corners as a shade may have. */
static void a_comb_on_the_floor_has_all_its_teeth(void **state)
{
    (void)state;
    enum { TIPS = SCENE_POINTS_MAX - 2 };
    char world[8192] = ROOM "  shades:\n    - {reflectance: 0.2, points: [";
    size_t used = strlen(world);
    for (int i = 0; i < TIPS; i++)
        used += (size_t)snprintf(world + used, sizeof world - used, "{x: %g, y: %.17g}, ",
                                 i % 2 ? 2.6 : 2.2, 2.1 - 0.2 * i / (TIPS - 1));
    snprintf(world + used, sizeof world - used, "{x: 2.15, y: 1.9}, {x: 2.15, y: 2.1}]}\n");
    struct eye eye = eye_open(world, EYE_AT, "");
    assert_int_equal(eye.simulation.scene->shades[0].point_count, SCENE_POINTS_MAX);
    eye_capture(&eye);
    assert_true(check_floor(&eye, EYE_Z_M, 1.5) > 500);
    eye_close(&eye);
}

static void a_camera_on_a_mast_sees_the_floor_far_away(void **state)
{
    (void)state;
    struct eye eye =
        eye_open("  size: {x: 20, y: 20}\n"
                 "  shades: [{points: [{x: 7, y: 1}, {x: 9, y: 1}, {x: 9, y: 3}, {x: "
                 "7, y: 3}], reflectance: 0.2}]\n"
                 "  lines: [{from: {x: 10, y: 1.2}, to: {x: 12, y: 2.9}, width: 0.2}]\n",
                 EYE_AT, "");
    struct sim_robot *robot = &eye.simulation.sim->robots[0];
    const struct sensor_spec mast = {.kind = SENSOR_CAMERA,
                                     .x_m = EYE_X_M,
                                     .z_m = 1.5,
                                     .cone_half_rad = EYE_HALF_RAD,
                                     .width = EYE_WIDTH,
                                     .height = EYE_HEIGHT};
    camera_destroy(eye.camera);
    eye.camera = robot->cameras[0] = camera_create(robot, &mast);
    assert_non_null(eye.camera);
    eye_capture(&eye);
    assert_true(check_floor(&eye, mast.z_m, 15) > 500);
    eye_close(&eye);
}

/* ---- Changes ---- */

static void walls_and_boxes_are_seen_once_they_are_built_and_no_longer(void **state)
{
    (void)state;
    struct eye eye = eye_open(ROOM, EYE_AT, "");
    struct sim *sim = eye.simulation.sim;
    static const char *const edits[][2] = {
        {"world.wall from_x=3 from_y=1.7 to_x=3 to_y=2.3 color=red", "world.remove wall=1"},
        {"world.box x=3 y=2 length=0.2 width=0.2 color=red", "world.remove box=1"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        eye_capture(&eye);
        assert_int_equal(count_of(&eye, is_red), 0);
        simulation_do(sim, edits[i][0]);
        eye_capture(&eye);
        assert_true(count_of(&eye, is_red) > 100);
        simulation_do(sim, edits[i][1]);
    }
    eye_capture(&eye);
    assert_int_equal(count_of(&eye, is_red), 0);
    eye_close(&eye);
}

static void a_dead_camera_gives_a_black_picture(void **state)
{
    (void)state;
    struct eye eye = eye_open(ROOM, EYE_AT, "");
    struct sim_robot *robot = &eye.simulation.sim->robots[0];
    struct robot_cameras cameras = camera_pictures(robot);
    assert_non_null(cameras.take);
    for (int is_dead = 0; is_dead < 2; is_dead++) {
        size_t black = 0;
        robot->blind = (uint32_t)is_dead;
        eye.image = cameras.take(cameras.context, 0, EYE_WIDTH);
        for (size_t i = 0; i < EYE_WIDTH * EYE_HEIGHT * 3; i++)
            black += eye.image.rgb[i] == 0;
        assert_int_equal(black, is_dead ? EYE_WIDTH * EYE_HEIGHT * 3 : 0);
    }
    eye_close(&eye);
}

static size_t lamps_of(const struct robot_type *type)
{
    static const char yaml[] = "world: {size: {x: 4, y: 4}}\n"
                               "robots: [{name: e, type: epuck2, pose: {x: 2, y: 2}}]\n";
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, strlen(yaml), "e.yaml", &error);
    assert_non_null(scene);
    if (type)
        scene->robots[0].type = type;
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    assert_non_null(sim);
    size_t count = sim->room->scenery.lamp_count;
    sim_destroy(sim);
    scene_destroy(scene);
    return count;
}

static void only_covers_that_light_shines_through_are_lamps(void **state)
{
    (void)state;
    enum { ROWS_MAX = 64 };
    static struct appearance_row rows[ROWS_MAX];
    struct robot_type opaque = epuck2_type;
    struct appearance_list list = *opaque.appearance;
    assert_true(lamps_of(NULL) > 4);
    assert_true(list.count <= ROWS_MAX);
    memcpy(rows, list.rows, list.count * sizeof *rows);
    for (size_t i = 0; i < list.count; i++)
        rows[i].color |= 0xff;
    list.rows = rows;
    opaque.appearance = &list;
    assert_int_equal(lamps_of(&opaque), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_is_seen_from_whichever_end_it_is_given),
        cmocka_unit_test(a_disc_beside_the_camera_is_seen_and_hides_nothing_else),
        cmocka_unit_test(the_lid_of_a_low_box_ends_at_its_far_sides),
        cmocka_unit_test(a_higher_thing_is_seen_above_a_nearer_one_up_to_the_first_row),
        cmocka_unit_test(hidden_things_take_nothing_from_the_view_of_others),
        cmocka_unit_test(of_many_steps_of_a_stair_the_nearest_are_seen),
        cmocka_unit_test(of_two_walls_at_the_same_place_the_first_is_seen),
        cmocka_unit_test(short_lines_are_round),
        cmocka_unit_test(a_comb_on_the_floor_has_all_its_teeth),
        cmocka_unit_test(a_camera_on_a_mast_sees_the_floor_far_away),
        cmocka_unit_test(walls_and_boxes_are_seen_once_they_are_built_and_no_longer),
        cmocka_unit_test(a_dead_camera_gives_a_black_picture),
        cmocka_unit_test(only_covers_that_light_shines_through_are_lamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
