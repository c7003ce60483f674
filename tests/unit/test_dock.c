/* A dock in the complete simulation: where its light reaches and which receivers detect it, where
 * its pins make contact, and what the robot then reports on the wire. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "sim/room/beam.h"
#include "sim/state/state.h"
#include "tests/unit/kobuki_rig.h"

enum { LEFT = 0x11, CENTER = 0x0a, RIGHT = 0x24, NEAR = 0x07, FAR = 0x38 };

/* A dock at (1, 5) in a room of 10 x 10 m that looks along x: its face is at x = 1.04. */
static const struct pose dock = {1, 5, 0};
#define FACE_X 1.04

#define ROOM(things)                                                                               \
    "world:\n"                                                                                     \
    "  size: {x: 10, y: 10}\n"                                                                     \
    "  docks: [{name: dock, pose: {x: 1, y: 5}}]\n" things "robots:\n"                             \
    "  - {name: kobuki, type: kobuki, pose: {x: 3, y: 5, heading: 180}}\n"

static unsigned bits_at(double x, double y)
{
    return beams_at(BEAMS_OF_KOBUKI_DOCK, dock, (struct vec2){FACE_X + x, 5 + y});
}

/* The dock IR bytes of the last packet: right, center, left. */
static const uint8_t *lights(const struct rig *rig)
{
    size_t size;
    const uint8_t *data = rig_part(rig, 3, &size);
    assert_non_null(data);
    assert_int_equal(size, 3);
    return data;
}

static unsigned basic(const struct rig *rig, size_t offset)
{
    size_t size;
    const uint8_t *data = rig_part(rig, 1, &size);
    assert_non_null(data);
    return data[offset];
}

static unsigned bumper(const struct rig *rig)
{
    return basic(rig, 2);
}

static unsigned charger(const struct rig *rig)
{
    return basic(rig, 12);
}

static void place(struct rig *rig, double x, double y, double heading_deg)
{
    char command[96];
    snprintf(command, sizeof command, "kobuki.place x=%.6f y=%.6f heading=%.6f", x, y, heading_deg);
    rig_do(rig, command);
    rig_run(rig, 0.06);
}

/* ---- Light ---- */

static void the_light_has_the_docks_own_left_and_right(void **state)
{
    (void)state;
    assert_int_equal(bits_at(1, 0.3), LEFT);
    assert_int_equal(bits_at(1, -0.3), RIGHT);
    assert_int_equal(bits_at(1, 0), LEFT | CENTER | RIGHT);
    /* A dock with another heading rotates its regions. */
    struct pose turned = {5, 5, ANGLE_PI / 2};
    assert_int_equal(beams_at(BEAMS_OF_KOBUKI_DOCK, turned, (struct vec2){4.7, 6}), LEFT);
    assert_int_equal(beams_at(BEAMS_OF_KOBUKI_DOCK, turned, (struct vec2){5.3, 6}), RIGHT);
}

static void near_ends_at_half_the_way_and_never_comes_without_far(void **state)
{
    (void)state;
    assert_int_equal(bits_at(2.3, 0) & NEAR, NEAR);
    assert_int_equal(bits_at(2.5, 0) & NEAR, 0);
    assert_int_equal(bits_at(4.9, 0), FAR);
    assert_int_equal(bits_at(5.1, 0), 0);
    for (double x = 0; x < 5.2; x += 0.05)
        for (double y = -1.5; y <= 1.5; y += 0.01) {
            unsigned bits = bits_at(x, y);
            if (bits & NEAR)
                assert_int_equal((bits & LEFT) == LEFT || !(bits & LEFT), 1);
            assert_true((bits & NEAR) == 0 || (bits & FAR) != 0);
        }
}

static void regions_overlap_at_their_borders_and_narrow_towards_the_dock(void **state)
{
    (void)state;
    static const unsigned order[] = {LEFT, LEFT | CENTER, LEFT | CENTER | RIGHT, CENTER | RIGHT,
                                     RIGHT};
    for (double x = 0.05; x < 2.1; x += 0.25) {
        size_t at = 0;
        for (double y = 0.047; y > -0.047; y -= 0.0005) {
            unsigned bits = bits_at(x, y);
            if (bits != order[at])
                at++;
            assert_true(at < 5);
            assert_int_equal(bits, order[at]);
        }
        assert_int_equal(at, 4);
    }
    assert_int_equal(bits_at(0.05, 0.02), LEFT);
    assert_true(bits_at(4.5, 0.05) & CENTER);
}

static void beside_and_behind_the_dock_it_is_dark(void **state)
{
    (void)state;
    assert_int_equal(bits_at(-0.01, 0), 0);
    assert_int_equal(bits_at(-1, 0), 0);
    assert_int_equal(bits_at(0.1, 0.3), 0);
    assert_int_equal(bits_at(0.1, -0.3), 0);
    assert_int_equal(bits_at(4, 1.3), 0);
}

static void each_receiver_sees_what_lies_in_front_of_it(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    /* Far out in the left region, the dock ahead to the left (an example of docking.rst). */
    place(&rig, 4.5, 5.6, 160);
    assert_int_equal(lights(&rig)[0], 0);
    assert_int_equal(lights(&rig)[1], LEFT & FAR);
    assert_int_equal(lights(&rig)[2], LEFT & FAR);
    /* Crossing in front of the dock: the dock is first on the left, then on the right. */
    place(&rig, 3, 4.5, 110);
    assert_int_equal(lights(&rig)[0], 0);
    assert_int_equal(lights(&rig)[1], 0);
    assert_int_equal(lights(&rig)[2], RIGHT);
    place(&rig, 3, 4.5, -110);
    assert_int_equal(lights(&rig)[0], RIGHT);
    assert_int_equal(lights(&rig)[2], 0);
    /* With its back to the dock. */
    place(&rig, 3, 5, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lights(&rig)[i], 0);
    rig_close(&rig);
}

/* The center receiver is 0.165 m in front of the robot's center; the light is at x = 1.01. */
static void a_receiver_sees_as_far_as_the_light_reaches(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    place(&rig, 1.01 + 4.98 + 0.165, 5, 180);
    assert_int_equal(lights(&rig)[1], FAR);
    place(&rig, 1.01 + 5.02 + 0.165, 5, 180);
    assert_int_equal(lights(&rig)[1], 0);
    rig_close(&rig);
}

static void a_receiver_of_short_range_sees_no_farther_than_that(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    struct sensor_spec receiver = {
        .kind = SENSOR_DOCK_IR, .cone_half_rad = 0.5, .range_m = 1.5, .rays = 1};
    for (int mm = 1400; mm <= 1600; mm += 10) {
        place(&rig, 1.01 + mm / 1000.0, 5, 180);
        unsigned seen = beams_seen(&rig.sim->robots[0], &receiver);
        if (mm != 1500)
            assert_int_equal(seen, mm < 1500 ? LEFT | CENTER | RIGHT : 0);
    }
    rig_close(&rig);
}

static void a_lifted_robot_sees_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    rig_run(&rig, 0.1);
    assert_int_equal(lights(&rig)[1], LEFT | CENTER | RIGHT);
    rig_do(&rig, "kobuki.lift");
    rig_run(&rig, 0.1);
    assert_int_equal(lights(&rig)[1], 0);
    rig_close(&rig);
}

static void walls_and_bodies_block_the_light(void **state)
{
    (void)state;
    static const char *const rooms[] = {
        ROOM("  walls: [{from: {x: 2, y: 4}, to: {x: 2, y: 6}}]\n"),
        ROOM("  boxes: [{pose: {x: 2, y: 5}, size: {x: 0.1, y: 0.1}}]\n"),
        ROOM("  discs: [{pose: {x: 2, y: 5}, radius: 0.05}]\n"),
    };
    for (size_t i = 0; i < 3; i++) {
        struct rig rig = rig_open_scene(rooms[i], NULL);
        rig_run(&rig, 0.1);
        assert_int_equal(lights(&rig)[1], 0);
        place(&rig, 1.6, 5, 180); /* in front of it */
        assert_int_equal(lights(&rig)[1], LEFT | CENTER | RIGHT);
        rig_close(&rig);
    }
}

static void one_robot_blocks_another_ones_light(void **state)
{
    (void)state;
    struct rig rig =
        rig_open_scene(ROOM("") "  - {name: other, type: kobuki, pose: {x: 2, y: 5}}\n", NULL);
    rig_run(&rig, 0.1);
    assert_int_equal(lights(&rig)[1], 0);
    rig_do(&rig, "other.lift");
    rig_run(&rig, 0.1);
    assert_int_equal(lights(&rig)[1], LEFT | CENTER | RIGHT);
    rig_do(&rig, "other.lift up=false");
    rig_do(&rig, "other.place x=2 y=7");
    rig_run(&rig, 0.1);
    assert_int_equal(lights(&rig)[1], LEFT | CENTER | RIGHT);
    rig_close(&rig);
}

static void a_robot_between_two_docks_sees_both(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene("world:\n"
                                    "  size: {x: 10, y: 10}\n"
                                    "  docks:\n"
                                    "    - {name: west, pose: {x: 1, y: 5}}\n"
                                    "    - {name: east, pose: {x: 5, y: 5, heading: 180}}\n"
                                    "robots:\n"
                                    "  - {name: kobuki, type: kobuki, pose: {x: 3, y: 5.4, "
                                    "heading: 90}}\n",
                                    NULL);
    rig_run(&rig, 0.1);
    assert_int_equal(lights(&rig)[0], RIGHT); /* east faces it from the other side */
    assert_int_equal(lights(&rig)[2], LEFT);
    rig_close(&rig);
}

/* ---- Contact ---- */

/* Center of a robot whose bumper just touches the face. */
#define TOUCH_X (FACE_X + 0.176)

static void contact_comes_before_the_bumper_and_outlasts_it(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    place(&rig, TOUCH_X + 0.05, 5, 180);
    assert_int_equal(charger(&rig), 0);
    double contact_x = 0;
    for (int i = 0; i < 500 && !bumper(&rig); i++) {
        rig_drive(&rig, 20, 0, 0.02);
        if (charger(&rig) && contact_x == 0)
            contact_x = rig_get(&rig, "kobuki.x_m");
    }
    assert_true(bumper(&rig) & 2);
    assert_true(contact_x > TOUCH_X + 0.002 && contact_x < TOUCH_X + 0.012);

    /* Reversing at 1 and at 2 cm/s until the bumper is free, as the vendor's program does. */
    for (int speed = 10; speed <= 20; speed += 10) {
        rig_drive(&rig, 20, 0, 0.5);
        assert_true(bumper(&rig));
        for (int i = 0; i < 100 && bumper(&rig); i++) {
            rig_drive(&rig, -speed, 0, 0.02);
            assert_int_equal(charger(&rig), 6);
        }
        assert_int_equal(bumper(&rig), 0);
        rig_drive(&rig, 0, 0, 1);
        assert_int_equal(charger(&rig), 6);
        assert_true(rig_get(&rig, "kobuki.dock_contact") == 1);
    }
    rig_drive(&rig, -20, 0, 2);
    assert_int_equal(charger(&rig), 0);
    assert_true(rig_get(&rig, "kobuki.dock_contact") == 0);
    assert_true(rig_get(&rig, "kobuki.collisions") == 0);
    rig_close(&rig);
}

/* Whether a robot at the face has contact, with this distance, lateral offset and yaw. */
static bool has_contact(struct rig *rig, double away_m, double aside_m, double askew_deg)
{
    place(rig, 3, 5, 180);
    /* The offset is that of the pads, at any yaw, because the robot is guided by its front
     * receiver. */
    double front_m = 0.128 * sin(askew_deg * ANGLE_PI / 180);
    place(rig, TOUCH_X + away_m, 5 + aside_m + front_m, 180 + askew_deg);
    bool has = charger(rig) == 6;
    assert_int_equal(has, rig_get(rig, "kobuki.dock_contact") == 1);
    return has;
}

static void contact_forgives_fifteen_millimeters_and_ten_degrees(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    for (int side = -1; side <= 1; side += 2) {
        assert_true(has_contact(&rig, 0, side * 0.014, 0));
        assert_false(has_contact(&rig, 0, side * 0.016, 0));
        assert_true(has_contact(&rig, 0, 0, side * 9.5));
        assert_false(has_contact(&rig, 0, 0, side * 11));
    }
    assert_true(has_contact(&rig, 0.009, 0, 0));
    assert_false(has_contact(&rig, 0.011, 0, 0));
    rig_close(&rig);
}

static void a_robot_that_comes_backwards_gets_no_contact(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    place(&rig, TOUCH_X, 5, 0);
    assert_int_equal(charger(&rig), 0);
    rig_close(&rig);
}

static void touching_a_dock_presses_the_bumper_and_is_no_collision(void **state)
{
    (void)state;
    struct rig rig =
        rig_open_scene(ROOM("  walls: [{from: {x: 5, y: 0}, to: {x: 5, y: 10}}]\n"), NULL);
    place(&rig, TOUCH_X + 0.02, 5, 180);
    rig_drive(&rig, 50, 0, 2);
    assert_true(bumper(&rig) & 2);
    assert_true(rig_get(&rig, "kobuki.collisions") == 0);
    place(&rig, 5 - 0.176 - 0.02, 5, 0);
    assert_int_equal(bumper(&rig), 0);
    rig_drive(&rig, 50, 0, 2);
    assert_true(bumper(&rig) & 2);
    assert_true(rig_get(&rig, "kobuki.collisions") == 1);
    rig_close(&rig);
}

static void a_robot_cannot_be_put_into_a_dock(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(ROOM(""), NULL);
    struct error error = {0};
    assert_false(sim_do(rig.sim, "kobuki.place x=1.1 y=5", &error));
    assert_non_null(strstr(error.text, "is inside a wall, an obstacle or a robot"));
    rig_close(&rig);
}

/* ---- Charging ---- */

static void a_docked_robot_charges_and_says_so(void **state)
{
    (void)state;
    static const char *const low[] = {"kobuki.battery_v=14.5", NULL};
    struct rig rig = rig_open_scene(ROOM(""), low);
    rig_run(&rig, 1);
    double before = rig_get(&rig, "kobuki.charge"), sounds = rig_get(&rig, "kobuki.sounds");
    assert_true(rig_get(&rig, "kobuki.status_green") == 1);

    rig_do(&rig, "kobuki.place x=1.218 y=5 heading=180");
    rig_run(&rig, 0.06);
    assert_int_equal(charger(&rig), 6);
    assert_true(rig_get(&rig, "kobuki.melody") == 2); /* the recharge sound */
    assert_true(rig_get(&rig, "kobuki.sounds") == sounds + 1);
    assert_true(rig_get(&rig, "kobuki.recharge_outlet") == 1);
    int lit = 0;
    for (int i = 0; i < 100; i++) {
        rig_run(&rig, 0.02);
        lit += rig_get(&rig, "kobuki.status_green") == 1;
    }
    assert_true(lit > 30 && lit < 70); /* blinks green */
    rig_run(&rig, 60);
    assert_true(rig_get(&rig, "kobuki.charge") > before);

    /* Full: charged on the dock, and the lamp no longer blinks. */
    rig_do(&rig, "kobuki.battery v=16.7");
    rig_run(&rig, 1);
    assert_int_equal(charger(&rig), 2);
    assert_true(rig_get(&rig, "kobuki.status_green") == 1);
    rig_close(&rig);
}

static void the_adapter_goes_before_the_dock(void **state)
{
    (void)state;
    static const char *const low[] = {"kobuki.battery_v=14.5", NULL};
    struct rig rig = rig_open_scene(ROOM(""), low);
    place(&rig, TOUCH_X, 5, 180);
    rig_do(&rig, "kobuki.plug what=adapter");
    rig_run(&rig, 0.1);
    assert_int_equal(charger(&rig), 22);
    rig_do(&rig, "kobuki.unplug what=adapter");
    rig_run(&rig, 0.1);
    assert_int_equal(charger(&rig), 6);
    rig_do(&rig, "kobuki.lift");
    rig_run(&rig, 0.1);
    assert_int_equal(charger(&rig), 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_light_has_the_docks_own_left_and_right),
        cmocka_unit_test(near_ends_at_half_the_way_and_never_comes_without_far),
        cmocka_unit_test(regions_overlap_at_their_borders_and_narrow_towards_the_dock),
        cmocka_unit_test(beside_and_behind_the_dock_it_is_dark),
        cmocka_unit_test(each_receiver_sees_what_lies_in_front_of_it),
        cmocka_unit_test(a_receiver_sees_as_far_as_the_light_reaches),
        cmocka_unit_test(a_receiver_of_short_range_sees_no_farther_than_that),
        cmocka_unit_test(a_lifted_robot_sees_nothing),
        cmocka_unit_test(walls_and_bodies_block_the_light),
        cmocka_unit_test(one_robot_blocks_another_ones_light),
        cmocka_unit_test(a_robot_between_two_docks_sees_both),
        cmocka_unit_test(contact_comes_before_the_bumper_and_outlasts_it),
        cmocka_unit_test(contact_forgives_fifteen_millimeters_and_ten_degrees),
        cmocka_unit_test(a_robot_that_comes_backwards_gets_no_contact),
        cmocka_unit_test(touching_a_dock_presses_the_bumper_and_is_no_collision),
        cmocka_unit_test(a_robot_cannot_be_put_into_a_dock),
        cmocka_unit_test(a_docked_robot_charges_and_says_so),
        cmocka_unit_test(the_adapter_goes_before_the_dock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
