/* Light of docks and beacons: the range of each beam. A robot detects only the light of beacons
 * from its own manufacturer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/angle.h"
#include "sim/room/beam.h"
#include "tests/unit/kobuki_rig.h"

static const struct pose origin = {0, 0, 0};
#define FACE_X (SCENE_DOCK_DEPTH_M / 2)

static uint32_t at(enum beam_source source, double x, double y)
{
    return beams_at(source, origin, (struct vec2){x, y});
}

static void who_drives_at_a_home_base_has_green_on_the_left(void **state)
{
    (void)state;
    assert_int_equal(at(BEAMS_OF_HOME_BASE, 1, -0.3), BEAM_GREEN_BUOY);
    assert_int_equal(at(BEAMS_OF_HOME_BASE, 1, 0.3), BEAM_RED_BUOY);
    assert_int_equal(at(BEAMS_OF_HOME_BASE, 1, 0), BEAM_GREEN_BUOY | BEAM_RED_BUOY);
    assert_int_equal(at(BEAMS_OF_HOME_BASE, 2.3, 0), BEAM_GREEN_BUOY | BEAM_RED_BUOY);
    assert_int_equal(at(BEAMS_OF_HOME_BASE, 2.5, 0), 0);
    assert_int_equal(at(BEAMS_OF_HOME_BASE, 0.2, 1), 0);
    /* A dock that is rotated rotates its light too. */
    struct pose turned = {5, 5, ANGLE_PI / 2};
    assert_int_equal(beams_at(BEAMS_OF_HOME_BASE, turned, (struct vec2){5.3, 6}), BEAM_GREEN_BUOY);
}

static void the_force_field_is_a_disc_in_front_of_the_face(void **state)
{
    (void)state;
    assert_true(at(BEAMS_OF_HOME_BASE, FACE_X + 0.1, 0) & BEAM_FORCE_FIELD);
    assert_true(at(BEAMS_OF_HOME_BASE, FACE_X + 0.01, 0.15) & BEAM_FORCE_FIELD);
    assert_false(at(BEAMS_OF_HOME_BASE, FACE_X + 0.2, 0) & BEAM_FORCE_FIELD);
    assert_int_equal(at(BEAMS_OF_HOME_BASE, FACE_X - 0.01, 0), 0);
    assert_int_equal(at(BEAMS_OF_HOME_BASE, -1, 0), 0);
}

static void beacons_send_along_their_heading_and_have_a_halo(void **state)
{
    (void)state;
    assert_int_equal(at(BEAMS_OF_VIRTUAL_WALL, 2.3, 0), BEAM_VIRTUAL_WALL);
    assert_int_equal(at(BEAMS_OF_VIRTUAL_WALL, 2.5, 0), 0);
    assert_int_equal(at(BEAMS_OF_VIRTUAL_WALL, 1, 0.3), 0);
    assert_int_equal(at(BEAMS_OF_VIRTUAL_WALL, -0.2, 0), BEAM_VIRTUAL_WALL);
    assert_int_equal(at(BEAMS_OF_VIRTUAL_WALL, -0.3, 0), 0);
    assert_int_equal(at(BEAMS_OF_LIGHTHOUSE, 1, 0.3), BEAM_LIGHTHOUSE_RED);
    assert_int_equal(at(BEAMS_OF_LIGHTHOUSE, 1, -0.3), BEAM_LIGHTHOUSE_GREEN);
    assert_int_equal(at(BEAMS_OF_LIGHTHOUSE, -0.1, 0), BEAM_LIGHTHOUSE_FIELD);
    assert_int_equal(at(BEAMS_OF_LIGHTHOUSE, 1, 0),
                     BEAM_LIGHTHOUSE_FENCE | BEAM_LIGHTHOUSE_GREEN | BEAM_LIGHTHOUSE_RED);
}

/* The drawn outlines contain the same points as the light itself. Two regions contain the beam of a
 * virtual wall; its fan is drawn. */
static void outlines_are_those_of_the_light(void **state)
{
    (void)state;
    static const struct {
        enum beam_source source;
        uint32_t beam;
    } cases[] = {
        {BEAMS_OF_HOME_BASE, BEAM_GREEN_BUOY},        {BEAMS_OF_HOME_BASE, BEAM_RED_BUOY},
        {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_FENCE}, {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_RED},
        {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_GREEN}, {BEAMS_OF_LIGHTHOUSE, BEAM_LIGHTHOUSE_FIELD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct vec2 points[64];
        size_t count = beam_outline(cases[i].beam, points, 64), wrong = 0, inside = 0;
        for (double x = -0.51; x < 2.6; x += 0.02)
            for (double y = -1.99; y < 2; y += 0.02) {
                bool is_lit = at(cases[i].source, x, y) & cases[i].beam;
                inside += is_lit;
                wrong += is_lit != geom_in_polygon(points, count, (struct vec2){x, y});
            }
        assert_true(inside > 100);
        assert_true(wrong * 30 < inside); /* corners of the arc are cut off */
    }
}

static void a_kobuki_knows_neither_light_nor_pins_of_a_home_base(void **state)
{
    (void)state;
    static const char *const types[] = {"kobuki", "home_base"};
    for (int i = 0; i < 2; i++) {
        char scene[400];
        size_t size;
        snprintf(scene, sizeof scene,
                 "world:\n  size: {x: 6, y: 6}\n"
                 "  docks: [{name: dock, type: %s, pose: {x: 1, y: 3}}]\n"
                 "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 3, y: 3, heading: 180}}\n",
                 types[i]);
        struct rig rig = rig_open_scene(scene, NULL);
        rig_run(&rig, 0.1);
        const uint8_t *seen = rig_part(&rig, 3, &size);
        assert_int_equal(seen[1] != 0, i == 0);
        rig_do(&rig, "kobuki.place x=1.218 y=3 heading=180");
        rig_run(&rig, 0.1);
        assert_int_equal(rig_get(&rig, "kobuki.dock_contact") == 1, i == 0);
        rig_close(&rig);
    }
}

static void a_receiver_sees_a_beacon_that_nothing_hides(void **state)
{
    (void)state;
    struct rig rig = rig_open_scene(
        "world:\n  size: {x: 6, y: 6}\n"
        "  walls: [{from: {x: 4, y: 0}, to: {x: 4, y: 2.5}}]\n"
        "  beacons:\n    - {type: virtual_wall, pose: {x: 5, y: 3, heading: 180}}\n"
        "    - {type: virtual_wall, pose: {x: 5, y: 2, heading: 180}}\n"
        "    - {type: lighthouse, number: 5, pose: {x: 1, y: 3}}\n"
        "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 3, y: 3, heading: 180}}\n",
        NULL);
    const struct sensor_spec omni = {
        .kind = SENSOR_DOCK_IR, .cone_half_rad = ANGLE_PI, .range_m = 5, .rays = 1};
    const struct sensor_spec ahead = {
        .kind = SENSOR_DOCK_IR, .cone_half_rad = 0.5, .range_m = 5, .rays = 1};
    uint32_t house = BEAM_LIGHTHOUSE_FENCE | BEAM_LIGHTHOUSE_GREEN | BEAM_LIGHTHOUSE_RED |
                     5u << BEAM_NUMBER_SHIFT;
    rig_run(&rig, 0.05);
    assert_int_equal(beams_seen(&rig.sim->robots[0], &omni), BEAM_VIRTUAL_WALL | house);
    assert_int_equal(beams_seen(&rig.sim->robots[0], &ahead), house);
    rig_do(&rig, "kobuki.place x=3 y=2 heading=180"); /* the second one is behind the wall */
    rig_run(&rig, 0.05);
    assert_int_equal(beams_seen(&rig.sim->robots[0], &omni) & BEAM_VIRTUAL_WALL, 0);
    rig_do(&rig, "kobuki.place x=4.5 y=2 heading=180");
    rig_run(&rig, 0.05);
    assert_int_equal(beams_seen(&rig.sim->robots[0], &omni) & BEAM_VIRTUAL_WALL, BEAM_VIRTUAL_WALL);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_drives_at_a_home_base_has_green_on_the_left),
        cmocka_unit_test(the_force_field_is_a_disc_in_front_of_the_face),
        cmocka_unit_test(beacons_send_along_their_heading_and_have_a_halo),
        cmocka_unit_test(outlines_are_those_of_the_light),
        cmocka_unit_test(a_kobuki_knows_neither_light_nor_pins_of_a_home_base),
        cmocka_unit_test(a_receiver_sees_a_beacon_that_nothing_hides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
