/* The picture of a camera: objects are at the correct places, and near objects hide those behind
 * them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "sim/room/room.h"
#include "sim/room/sensors.h"
#include "sim/state/state.h"
#include "tests/support/allocations.h"
#include "tests/support/picture.h"
#include "tests/unit/camera_rig.h"

/* ---- Colors ---- */

/* Every pixel of the color lies between these places in the picture, and every pixel there has the
 * color. */
static void check_rectangle(const struct eye *eye, bool (*is_color)(uint32_t rgb), double left,
                            double right, double top, double foot)
{
    for (size_t row = 0; row < EYE_HEIGHT; row++)
        for (size_t column = 0; column < EYE_WIDTH; column++) {
            double u = (double)column, v = (double)row;
            if (fabs(u - left) < 1e-9 || fabs(u - right) < 1e-9 || fabs(v - top) < 1e-9 ||
                fabs(v - foot) < 1e-9)
                continue; /* on the edge: either is right */
            bool is_inside = u > left && u < right && v > top && v < foot;
            if (is_color(eye_pixel(eye, column, row)) != is_inside)
                fail_msg("column %zu, row %zu is %06x; the box covers columns %.2f to %.2f and "
                         "rows %.2f to %.2f",
                         column, row, (unsigned)eye_pixel(eye, column, row), left, right, top,
                         foot);
        }
}

static void check_box(double heading_deg, double depth_m, double left_m, double width_m,
                      double high_m)
{
    char world[512];
    double heading = heading_deg * ANGLE_PI / 180;
    struct pose pose = {2, 2, heading};
    struct vec2 middle = geom_to_world(pose, (struct vec2){EYE_X_M + depth_m + 0.05, left_m});
    snprintf(world, sizeof world,
             "  size: {x: 4, y: 4}\n"
             "  boxes: [{pose: {x: %.17g, y: %.17g, heading: %.17g}, size: {x: 0.1, y: %.17g}, "
             "color: red, height: %.17g}]\n",
             middle.x, middle.y, heading_deg, width_m, high_m);
    struct eye eye = eye_open(world, pose, "");
    eye_capture(&eye);
    /* Only the front is visible here. Objects at the side or of low height would also show a flank
     * or the top. */
    check_rectangle(&eye, is_red, eye_column(&eye, depth_m, left_m + width_m / 2),
                    eye_column(&eye, depth_m, left_m - width_m / 2), eye_row(&eye, depth_m, high_m),
                    eye_row(&eye, depth_m, 0));
    eye_close(&eye);
}

static void a_box_covers_the_right_columns_and_rows(void **state)
{
    (void)state;
    for (int heading_deg = -180; heading_deg <= 180; heading_deg += 30) {
        check_box(heading_deg, 0.5, 0, 0.1, 0.1);
        check_box(heading_deg, 1.2, 0, 0.3, 0.2);
        check_box(heading_deg, 0.5, 0.01, 0.137, 0.083);
        check_box(heading_deg, 1.5, -0.05, 0.2, 0.43);
    }
}

static void a_disc_covers_the_columns_between_its_tangents(void **state)
{
    (void)state;
    static const double radius_m = 0.1, depth_m = 0.6, left_m = 0.07;
    struct eye eye = eye_open("  size: {x: 4, y: 4}\n"
                              "  discs: [{pose: {x: 2.63, y: 2.07}, radius: 0.1, color: blue}]\n",
                              (struct pose){2, 2, 0}, "");
    eye_capture(&eye);
    double bearing = atan2(left_m, depth_m);
    double half = asin(radius_m / sqrt(depth_m * depth_m + left_m * left_m));
    double left = eye_column(&eye, 1, tan(bearing + half));
    double right = eye_column(&eye, 1, tan(bearing - half));
    size_t horizon = EYE_HEIGHT / 2;
    for (size_t column = 0; column < EYE_WIDTH; column++)
        assert_int_equal(is_blue(eye_pixel(&eye, column, horizon)),
                         (double)column > left && (double)column < right);
    eye_close(&eye);
}

/* ---- What hides what ---- */

static void a_low_box_hides_the_foot_of_a_high_one_behind_it_in_any_order(void **state)
{
    (void)state;
    static const char *const boxes[] = {
        "{pose: {x: 2.58, y: 2}, size: {x: 0.1, y: 0.4}, color: \"#ff0000\", height: 0.06}",
        "{pose: {x: 3.08, y: 2}, size: {x: 0.1, y: 0.4}, color: \"#0000ff\", height: 0.3}",
    };
    for (int turned = 0; turned < 2; turned++) {
        char world[512];
        snprintf(world, sizeof world, "  size: {x: 4, y: 4}\n  boxes:\n    - %s\n    - %s\n",
                 boxes[turned], boxes[1 - turned]);
        struct eye eye = eye_open(world, (struct pose){2, 2, 0}, "");
        eye_capture(&eye);
        check_rectangle(&eye, is_red, eye_column(&eye, 0.5, 0.2), eye_column(&eye, 0.5, -0.2),
                        eye_row(&eye, 0.5, 0.06), eye_row(&eye, 0.5, 0));
        check_rectangle(&eye, is_blue, eye_column(&eye, 1, 0.2), eye_column(&eye, 1, -0.2),
                        eye_row(&eye, 1, 0.3), eye_row(&eye, 0.5, 0.06));
        eye_close(&eye);
    }
}

static void the_lid_of_a_box_below_the_eye_is_seen_and_the_floor_behind_it(void **state)
{
    (void)state;
    struct eye eye = eye_open("  size: {x: 4, y: 4}\n"
                              "  boxes:\n"
                              "    - {pose: {x: 2.28, y: 2}, size: {x: 0.1, y: 0.04}, color: red, "
                              "height: 0.01}\n",
                              (struct pose){2, 2, 0}, "");
    eye_capture(&eye);
    size_t middle = EYE_WIDTH / 2;
    for (size_t row = 0; row < EYE_HEIGHT; row++)
        assert_int_equal(is_red(eye_pixel(&eye, middle, row)),
                         (double)row > eye_row(&eye, 0.3, 0.01) &&
                             (double)row < eye_row(&eye, 0.2, 0));
    eye_close(&eye);
}

static void left_is_left_and_the_top_row_is_first(void **state)
{
    (void)state;
    struct eye eye =
        eye_open("  size: {x: 4, y: 4}\n"
                 "  room: {color: lime, height: 0.1}\n"
                 "  boxes:\n"
                 "    - {pose: {x: 2.6, y: 2.2}, size: {x: 0.1, y: 0.1}, color: red}\n"
                 "    - {pose: {x: 2.6, y: 1.8}, size: {x: 0.1, y: 0.1}, color: blue}\n",
                 (struct pose){2, 2, 0}, "");
    eye_capture(&eye);
    size_t reds = 0, blues = 0;
    for (size_t column = 0; column < EYE_WIDTH; column++) {
        reds += is_red(eye_pixel(&eye, column, 60)) && column < EYE_WIDTH / 2;
        blues += is_blue(eye_pixel(&eye, column, 60)) && column >= EYE_WIDTH / 2;
    }
    assert_true(reds > 10 && blues > 10);
    uint32_t sky = eye_pixel(&eye, 80, 0), wall = eye_pixel(&eye, 80, 58);
    uint32_t floor = eye_pixel(&eye, 80, EYE_HEIGHT - 1);
    assert_true((sky & 0xff) > (sky >> 16)); /* bluish */
    assert_true(is_green(wall));
    assert_true((floor & 0xff) == (floor >> 16));
    eye_close(&eye);
}

static void colors_are_named_or_hexadecimal_in_either_case(void **state)
{
    (void)state;
    struct eye eye =
        eye_open("  size: {x: 4, y: 4}\n"
                 "  room: {color: navy}\n"
                 "  walls: [{from: {x: 3, y: 1}, to: {x: 3, y: 3}, color: \"#1fC0aB\", "
                 "height: 0.7}, {from: {x: 0, y: 3}, to: {x: 4, y: 3}}]\n",
                 (struct pose){2, 2, 0}, "");
    const struct scene *scene = eye.simulation.scene;
    assert_int_equal(scene->room.rgb, 0x000080);
    assert_true(scene->room.height_m == 0.5);
    assert_int_equal(scene->walls[0].appearance.rgb, 0x1fc0ab);
    assert_true(scene->walls[0].appearance.height_m == 0.7);
    assert_int_equal(scene->walls[1].appearance.color[0], '\0');
    eye_close(&eye);
}

/* ---- Comparison with the world's rays and with the shades of the floor ---- */

/* Distance of the floor point that a pixel shows, along the direction of the camera. */
static double depth_of_row(const struct eye *eye, size_t row)
{
    return EYE_Z_M * eye->focal / ((double)row - (EYE_HEIGHT - 1) / 2.0);
}

static bool is_floor(uint32_t rgb)
{
    return (rgb & 0xff) == (rgb >> 16) && (rgb & 0xff) == (rgb >> 8 & 0xff);
}

static void check_column(const struct eye *eye, struct vec2 at, double heading_rad, size_t column,
                         size_t *shaded)
{
    const struct sim *sim = eye->simulation.sim;
    double aside = ((EYE_WIDTH - 1) / 2.0 - (double)column) / eye->focal;
    double length = sqrt(1 + aside * aside);
    struct vec2 ray = geom_rotate(heading_rad, (struct vec2){1 / length, aside / length});
    struct world_hit hit = world_ray_toward(sim->world, at, ray, 100, 0);
    assert_true(hit.is_hit);
    for (size_t row = EYE_HEIGHT / 2; row < EYE_HEIGHT; row++) {
        double away_m = depth_of_row(eye, row) * length;
        uint32_t rgb = eye_pixel(eye, column, row);
        if (fabs(away_m - hit.distance_m) < 1e-6)
            continue;
        if (is_floor(rgb) != (away_m < hit.distance_m))
            fail_msg("column %zu, row %zu is %06x; the floor ends at %g m, this is at %g m", column,
                     row, (unsigned)rgb, hit.distance_m, away_m);
        if (away_m > hit.distance_m)
            continue;
        struct vec2 point = {at.x + away_m * ray.x, at.y + away_m * ray.y};
        double reflectance = sensors_floor_reflectance(sim->scene, point);
        double light = 0.6 + 0.4 / (1 + 0.25 * pow(depth_of_row(eye, row), 2));
        assert_true(fabs((rgb & 0xff) - (26 + 204 * reflectance) * light) <= 1);
        *shaded += reflectance < 1;
    }
}

static void
every_pixel_below_the_horizon_shows_what_rays_and_ground_sensors_find_there(void **state)
{
    (void)state;
    /* Walls and things that are not gray tell themselves from the floor. */
    struct eye eye = eye_open(eye_course, (struct pose){2, 1.4, 0}, "");
    size_t shaded = 0;
    for (size_t i = 0; i < eye.simulation.sim->room->scenery.wall_count; i++)
        eye.simulation.sim->room->scenery.walls[i].rgb = 0xff8040;
    for (int i = 0; i < 72; i++) {
        struct pose pose = {2 + 0.1 * (i % 5), 1.45 - 0.03 * (i % 7), i * 5.1 * ANGLE_PI / 180};
        eye.simulation.sim->robots[0].pose = pose;
        struct vec2 at = geom_to_world(pose, (struct vec2){EYE_X_M, 0});
        eye_capture(&eye);
        for (size_t column = 0; column < EYE_WIDTH; column++)
            check_column(&eye, at, pose.heading_rad, column, &shaded);
    }
    print_message("%zu pixels of shades and lines\n", shaded);
    assert_true(shaded > 10000);
    eye_close(&eye);
}

static void check_floor_picture(double heading_rad)
{
    struct eye eye = eye_open("  size: {x: 4, y: 4}\n", (struct pose){2, 2, heading_rad}, "");
    struct sim *sim = eye.simulation.sim;
    static uint8_t gray[400 * 400];
    struct scene_floor *floor = &eye.simulation.scene->floor;
    *floor = (struct scene_floor){gray, 400, 400};
    for (size_t i = 0; i < 400 * 400; i++)
        gray[i] = (uint8_t)((i % 400 / 7 + i / 400 / 5) % 2 * 255);
    eye_capture(&eye);
    struct vec2 ahead = {cos(heading_rad), sin(heading_rad)};
    size_t wrong = 0, seen = 0;
    for (size_t row = 64; row < EYE_HEIGHT; row++)
        for (size_t column = 0; column < EYE_WIDTH; column++) {
            double depth_m = depth_of_row(&eye, row), away_m = EYE_X_M + depth_m;
            double left_m = depth_m * ((EYE_WIDTH - 1) / 2.0 - (double)column) / eye.focal;
            struct vec2 point = {2 + away_m * ahead.x - left_m * ahead.y,
                                 2 + away_m * ahead.y + left_m * ahead.x};
            bool is_white = sensors_floor_reflectance(sim->scene, point) > 0.5;
            wrong += is_white != ((eye_pixel(&eye, column, row) & 0xff) > 100);
            seen++;
        }
    assert_true(seen > 8000 && wrong * 500 < seen); /* rounding on the edges of its pixels */
    floor->gray = NULL;                             /* not the scene's */
    eye_close(&eye);
}

static void the_floor_picture_is_where_the_ground_sensors_have_it(void **state)
{
    (void)state;
    for (int i = 0; i < 7; i++)
        check_floor_picture(i * 0.9);
}

/* ---- Lamps of other robots ---- */

/* Sends an e-puck2 its command: sensors, at rest, LEDs, and red, green, blue of LED4 and LED8. */
static void light(struct sim *sim, size_t robot, uint8_t leds, const uint8_t led4[3],
                  const uint8_t led8[3])
{
    uint8_t command[21] = {0x80, 0x02, 0, 0, 0, 0, 0, leds};
    memcpy(command + 11, led4, 3);
    memcpy(command + 17, led8, 3);
    size_t channel = sim_channel_index(sim, robot, 0);
    sim_host_bytes(sim, channel, command, sizeof command);
    for (int i = 0; i < 200; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(sim);
        while (sim_output(sim, channel, &bytes, &size))
            continue;
    }
}

/* Pixels of a color that only a lamp has. */
static size_t count_color(const struct eye *eye, uint32_t rgb)
{
    size_t count = 0;
    for (size_t row = 0; row < EYE_HEIGHT; row++)
        for (size_t column = 0; column < EYE_WIDTH; column++)
            count += eye_pixel(eye, column, row) == rgb;
    return count;
}

static void lamps_of_another_robot_are_seen_on_the_side_where_they_are(void **state)
{
    (void)state;
    static const uint8_t blue[3] = {0, 0, 100}, red[3] = {100, 0, 0};
    enum { RED = 0xff3b30, BLUE = 0x0a84ff };
    struct eye eye =
        eye_open("  size: {x: 4, y: 4}\n", (struct pose){2, 2, 0},
                 "  - {name: mate, type: epuck2, pose: {x: 2.25, y: 2}, links: [{tcp: auto}]}\n");
    struct sim *sim = eye.simulation.sim;
    sim_host_present(sim, sim_channel_index(sim, 1, 0), true);
    sim_step(sim);
    eye_capture(&eye);
    assert_true(count_color(&eye, RED) == 0 && count_color(&eye, BLUE) == 0);
    light(sim, 1, 0, blue, red); /* LED4 is behind on its right: seen from here; LED8 is not */
    eye_capture(&eye);
    assert_true(count_color(&eye, RED) == 0 && count_color(&eye, BLUE) > 4);
    picture_check("camera_lamp", eye.image.rgb, EYE_WIDTH, EYE_HEIGHT);
    simulation_do(sim, "mate.place x=2.25 y=2 heading=180");
    light(sim, 1, 0x3f, blue, red); /* and all others, with the body's green */
    eye_capture(&eye);
    assert_true(count_color(&eye, RED) > 4 && count_color(&eye, BLUE) == 0);
    picture_check("camera_glow", eye.image.rgb, EYE_WIDTH, EYE_HEIGHT);
    eye_close(&eye);
}

/* A pixel equals the middle pixel of the five by five that it represents. */
static void a_narrower_picture_shows_the_same_with_fewer_pixels(void **state)
{
    (void)state;
    static uint8_t whole[EYE_WIDTH * EYE_HEIGHT * 3];
    struct eye eye = eye_open("  size: {x: 4, y: 4}\n  boxes: [{pose: {x: 2.6, y: 2.13}, size: {x: "
                              "0.2, y: 0.2}, color: red, height: 0.2}]\n",
                              (struct pose){2, 2, 0}, "");
    eye_capture(&eye);
    memcpy(whole, eye.image.rgb, sizeof whole);
    eye.image.rgb = whole;
    camera_resize(eye.camera, EYE_WIDTH / 5);
    struct robot_image small = camera_render(eye.camera);
    assert_int_equal(small.height, robot_image_rows(small.width, EYE_WIDTH, EYE_HEIGHT));
    size_t red = 0, same = 0, count = (size_t)small.width * small.height;
    for (size_t i = 0; i < count; i++) {
        size_t column = (i % small.width * 2 + 1) * EYE_WIDTH / (2 * small.width);
        size_t row = (i / small.width * 2 + 1) * EYE_HEIGHT / (2 * small.height);
        uint32_t rgb = (uint32_t)small.rgb[3 * i] << 16 | (uint32_t)small.rgb[3 * i + 1] << 8 |
                       small.rgb[3 * i + 2];
        red += is_red(rgb);
        same += is_red(rgb) == is_red(eye_pixel(&eye, column, row));
    }
    assert_true(red > 20);
    assert_int_equal(same, count);
    camera_resize(eye.camera, EYE_WIDTH);
    eye_capture(&eye);
    assert_memory_equal(eye.image.rgb, whole, sizeof whole);
    eye_close(&eye);
}

/* ---- Delivery of pictures ---- */

/* The command asks an e-puck2 for images. */
static void a_picture_is_taken_where_a_tick_wants_one_and_stays(void **state)
{
    (void)state;
    struct simulation simulation =
        simulation_open("world: {size: {x: 4, y: 4}}\n"
                        "robots: [{name: e, type: epuck2, pose: {x: 2, y: 2}}]\n",
                        NULL);
    struct sim *sim = simulation.sim;
    const struct robot_image *image = &sim->robots[0].sensors.image;
    static const uint8_t command[21] = {0x80, 0x01};
    for (int i = 0; i < 100; i++)
        sim_step(sim);
    assert_null(image->rgb);
    sim_host_present(sim, 0, true);
    sim_host_bytes(sim, 0, command, sizeof command);
    size_t before = allocations;
    for (int i = 0; i < 100; i++)
        sim_step(sim);
    assert_non_null(image->rgb);
    for (int i = 0; i < 1000; i++) {
        sim_step(sim);
        assert_non_null(image->rgb);
    }
    assert_int_equal(allocations, before);
    assert_int_equal(image->width, 160);
    assert_int_equal(image->height, 120);
    simulation_close(&simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_covers_the_right_columns_and_rows),
        cmocka_unit_test(a_disc_covers_the_columns_between_its_tangents),
        cmocka_unit_test(a_low_box_hides_the_foot_of_a_high_one_behind_it_in_any_order),
        cmocka_unit_test(the_lid_of_a_box_below_the_eye_is_seen_and_the_floor_behind_it),
        cmocka_unit_test(left_is_left_and_the_top_row_is_first),
        cmocka_unit_test(colors_are_named_or_hexadecimal_in_either_case),
        cmocka_unit_test(
            every_pixel_below_the_horizon_shows_what_rays_and_ground_sensors_find_there),
        cmocka_unit_test(the_floor_picture_is_where_the_ground_sensors_have_it),
        cmocka_unit_test(a_narrower_picture_shows_the_same_with_fewer_pixels),
        cmocka_unit_test(a_picture_is_taken_where_a_tick_wants_one_and_stays),
        cmocka_unit_test(lamps_of_another_robot_are_seen_on_the_side_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
