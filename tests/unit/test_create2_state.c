/* Parts of a Create 2's firmware without a world: brushes, currents, infrared characters, cleaning
 * and docking, with a state and sensors that the test sets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/modem_lines.h"
#include "protocols/create2/create2_motion.h"
#include "protocols/create2/create2_power.h"
#include "protocols/create2/create2_senses.h"

enum { SECOND_US = 1000000, SLOT_US = 15625, TRICKLE = 3 };

static void a_jam_holds_for_the_shortest_time_too(void **unused)
{
    (void)unused;
    static struct create2_state state;
    state.options.model = CREATE2_ROOMBA_500;
    create2_motion_motors(&state.motion, 1);
    double free_a = create2_motion_brush_a(&state, CREATE2_SIDE_BRUSH);
    create2_motion_jam(&state.motion, CREATE2_SIDE_BRUSH, 1e-3);
    assert_true(create2_motion_brush_a(&state, CREATE2_SIDE_BRUSH) > free_a);
    static struct robot_sensors sensors;
    create2_motion_pass(&state, &sensors);
    create2_motion_pass(&state, &sensors);
    assert_true(create2_motion_brush_a(&state, CREATE2_SIDE_BRUSH) == free_a);
}

/* OI, packet 14. */
static void each_over_current_has_its_bit(void **unused)
{
    (void)unused;
    static const int bits[] = {1, 4, 8, 16};
    static struct robot_sensors sensors;
    for (int i = 0; i < 4; i++) {
        static struct create2_state state;
        state.motion.jam[CREATE2_SIDE_BRUSH].is_over = i == 0;
        state.motion.jam[CREATE2_MAIN_BRUSH].is_over = i == 1;
        state.motion.wheel[CREATE2_RIGHT].is_over = i == 2;
        state.motion.wheel[CREATE2_LEFT].is_over = i == 3;
        create2_senses_slot(&state, &sensors, 0);
        assert_int_equal(state.readings.overcurrents, bits[i]);
    }
}

static void a_full_pack_takes_no_charge(void **unused)
{
    (void)unused;
    static struct create2_state state;
    state.power.state = TRICKLE;
    state.power.current_a = 0.06;
    state.power.charge = 0.998;
    double capacity_as = create2_profile(&state)->capacity_mah * 3.6;
    assert_true(fabs(create2_power_charge_rate(&state) * capacity_as - 0.06) < 1e-9);
    state.power.charge = 1;
    assert_true(create2_power_charge_rate(&state) == 0);
}

/* For firmware up to 3.4.0, a host must divide the angle by 0.324056 (libcreate). */
static void an_old_angle_is_multiplied_by_its_factor(void **unused)
{
    (void)unused;
    for (int has_bug = 0; has_bug < 2; has_bug++) {
        static struct create2_state state;
        state.options.has_angle_bug = has_bug;
        state.motion.angle_deg = 180;
        create2_senses_take_motion(&state);
        assert_int_equal(state.readings.angle, has_bug ? 58 : 180);
    }
}

/* ---- Infrared ---- */

/* A dock, a virtual wall and a lighthouse with number 3, all in the same place. */
static void all_senders_are_heard_in_turn(void **unused)
{
    (void)unused;
    static const uint8_t characters[] = {160 + 8 + 4 + 1, 162, 24, 25, 26, 27};
    static struct create2_state state;
    static struct robot_sensors sensors;
    bool was_heard[256] = {false};
    sensors.sensor[CREATE2_IR_OMNI].beams = BEAM_GREEN_BUOY | BEAM_RED_BUOY | BEAM_FORCE_FIELD |
                                            BEAM_VIRTUAL_WALL | BEAM_LIGHTHOUSE_FENCE |
                                            BEAM_LIGHTHOUSE_FIELD | BEAM_LIGHTHOUSE_GREEN |
                                            BEAM_LIGHTHOUSE_RED | 3u << BEAM_NUMBER_SHIFT;
    for (; state.slots < 64; state.slots++) {
        create2_senses_slot(&state, &sensors, (int64_t)state.slots * SLOT_US);
        was_heard[state.readings.ir_omni] = true;
    }
    for (size_t i = 0; i < COUNT(characters); i++) {
        assert_true(was_heard[characters[i]]);
        was_heard[characters[i]] = false;
    }
    for (size_t i = 0; i < COUNT(was_heard); i++)
        assert_false(was_heard[i]);
}

/* ---- Behaviour ---- */

static void begin(struct create2_state *state, enum create2_behaviour kind)
{
    memset(state, 0, sizeof *state);
    state->host.mode = CREATE2_MODE_PASSIVE;
    create2_conduct_begin(state, kind, 0);
}

/* OI: max cleans until the battery is empty. */
static void spot_and_clean_end_by_themselves_and_max_does_not(void **unused)
{
    (void)unused;
    static const struct {
        enum create2_behaviour kind;
        int64_t goes_on_s, is_over_s; /* 0: never */
    } rows[] = {
        {CREATE2_DO_SPOT, 30, 300}, {CREATE2_DO_CLEAN, 600, 3600}, {CREATE2_DO_MAX, 7200, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct create2_state state;
        begin(&state, rows[i].kind);
        create2_conduct_step(&state, rows[i].goes_on_s * SECOND_US);
        assert_int_equal(state.conduct.kind, rows[i].kind);
        if (rows[i].is_over_s == 0)
            continue;
        create2_conduct_step(&state, rows[i].is_over_s * SECOND_US);
        assert_int_equal(state.conduct.kind, CREATE2_IDLE);
    }
}

/* Direction of a rotation in place: 1 to the left, -1 to the right; 0: no rotation in place. */
static int spin_of(const struct create2_state *state)
{
    double left = state->motion.wheel[CREATE2_LEFT].target_m_s;
    double right = state->motion.wheel[CREATE2_RIGHT].target_m_s;
    return left + right != 0 || left == right ? 0 : right > left ? 1 : -1;
}

static void seek_dock_looks_all_around_before_it_drives_on(void **unused)
{
    (void)unused;
    static struct create2_state state;
    double turned_rad = 0;
    int64_t now_us = 0;
    begin(&state, CREATE2_DO_DOCK);
    for (; now_us < 60 * (int64_t)SECOND_US; now_us += SLOT_US) {
        create2_conduct_step(&state, now_us);
        if (spin_of(&state) == 0)
            break;
        double spun_m_s = state.motion.wheel[CREATE2_RIGHT].target_m_s -
                          state.motion.wheel[CREATE2_LEFT].target_m_s;
        turned_rad += spun_m_s / 0.235 * SLOT_US * 1e-6;
    }
    assert_true(fabs(turned_rad) > 2 * ANGLE_PI && fabs(turned_rad) < 6 * ANGLE_PI);
    assert_true(state.motion.wheel[CREATE2_LEFT].target_m_s > 0);
}

/* In green light, the robot is left of the border as seen facing the dock, and crosses to the
 * right. The dock is then on its left. If only the middle receiver detects the light, the robot
 * turns in that direction. */
static void across_its_light_the_dock_is_kept_on_the_inner_side(void **unused)
{
    (void)unused;
    enum { OMNI, LEFT, RIGHT };
    for (int is_red = 0; is_red < 2; is_red++) {
        static struct create2_state state;
        uint32_t light = is_red ? BEAM_RED_BUOY : BEAM_GREEN_BUOY;
        int inner = is_red ? RIGHT : LEFT, outer = is_red ? LEFT : RIGHT;
        int towards = is_red ? -1 : 1; /* the dock, by a turn to the left */
        begin(&state, CREATE2_DO_DOCK);
        state.beams[OMNI] = state.beams[LEFT] = state.beams[RIGHT] = light;
        create2_conduct_step(&state, SLOT_US);
        state.beams[LEFT] = state.beams[RIGHT] = 0;
        create2_conduct_step(&state, 2 * SLOT_US);
        assert_int_equal(spin_of(&state), towards);
        const struct create2_wheel *wheels = state.motion.wheel;
        state.beams[inner] = light;
        create2_conduct_step(&state, 3 * SLOT_US); // the correct direction: straight on
        assert_true(wheels[CREATE2_LEFT].target_m_s > 0);
        assert_true(wheels[CREATE2_LEFT].target_m_s == wheels[CREATE2_RIGHT].target_m_s);
        state.beams[outer] = light;
        create2_conduct_step(&state, 4 * SLOT_US); // away from the dock
        double turn_m_s = wheels[CREATE2_RIGHT].target_m_s - wheels[CREATE2_LEFT].target_m_s;
        assert_true(turn_m_s * towards < 0);
    }
}

static bool is_straight(const struct create2_state *state, int sign)
{
    double left = state->motion.wheel[CREATE2_LEFT].target_m_s;
    return left == state->motion.wheel[CREATE2_RIGHT].target_m_s && left * sign > 0;
}

/* Steps until it no longer drives backward. Returns the duration. */
static int64_t back_us(struct create2_state *state, int64_t from_us)
{
    int64_t now_us = from_us;
    create2_conduct_step(state, now_us);
    do {
        now_us += SLOT_US;
        create2_conduct_step(state, now_us);
    } while (is_straight(state, -1) && now_us < from_us + 60 * (int64_t)SECOND_US);
    return now_us - from_us;
}

static const struct obstacle {
    uint8_t bumpers, cliffs;
    uint32_t beams;
    int turn; /* 1: to the left */
} obstacles[] = {
    {CREATE2_TOUCH_LEFT, 0, 0, -1},
    {CREATE2_TOUCH_LEFT | CREATE2_TOUCH_RIGHT, 0, 0, -1},
    {CREATE2_TOUCH_RIGHT, 0, 0, 1},
    {0, 1, 0, -1},
    {0, 2, 0, -1},
    {0, 4, 0, 1},
    {0, 8, 0, 1},
    {0, 0, BEAM_VIRTUAL_WALL, 1},
    {0, 0, BEAM_FORCE_FIELD, 1},
    {0, 0, BEAM_LIGHTHOUSE_FENCE, 1},
};

static void cleaning_backs_off_from_each_obstacle_and_turns_away(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(obstacles); i++) {
        static struct create2_state state;
        begin(&state, CREATE2_DO_CLEAN);
        create2_conduct_step(&state, 5 * SECOND_US);
        assert_true(is_straight(&state, 1));
        state.bumpers = obstacles[i].bumpers;
        state.cliffs = obstacles[i].cliffs;
        state.beams[0] = obstacles[i].beams;
        create2_conduct_step(&state, 6 * SECOND_US);
        state.bumpers = state.cliffs = 0;
        state.beams[0] = 0;
        int64_t back = back_us(&state, 6 * SECOND_US + SLOT_US);
        assert_true(back > SECOND_US / 2 && back < 2 * SECOND_US);
        create2_conduct_step(&state, 8 * SECOND_US);
        assert_int_equal(spin_of(&state), obstacles[i].turn);
        create2_conduct_step(&state, 12 * SECOND_US); /* a turn takes at most 3.1 s */
        create2_conduct_step(&state, 12 * SECOND_US + SLOT_US);
        assert_true(is_straight(&state, 1));
    }
}

static void a_robot_leaves_its_dock_farther_than_an_obstacle(void **unused)
{
    (void)unused;
    static struct create2_state state;
    begin(&state, CREATE2_DO_CLEAN);
    state.bumpers = CREATE2_TOUCH_LEFT;
    create2_conduct_step(&state, SLOT_US);
    state.bumpers = 0;
    int64_t obstacle = back_us(&state, 2 * SLOT_US);
    begin(&state, CREATE2_IDLE);
    state.power.charger = CHARGER_DOCK;
    create2_conduct_begin(&state, CREATE2_DO_CLEAN, 0);
    state.power.charger = CHARGER_NONE;
    int64_t dock = back_us(&state, SLOT_US);
    assert_true(dock > 2 * obstacle && dock < 4 * obstacle);
}

/* It has crossed the light of one buoy and then sees both, or none. */
static void at_the_border_it_looks_for_the_dock_and_without_light_it_drives_on(void **unused)
{
    (void)unused;
    enum { OMNI, LEFT, RIGHT };
    for (int has_light = 0; has_light < 2; has_light++) {
        static struct create2_state state;
        begin(&state, CREATE2_DO_DOCK);
        state.beams[OMNI] = state.beams[LEFT] = state.beams[RIGHT] = BEAM_GREEN_BUOY;
        create2_conduct_step(&state, SLOT_US);
        state.beams[RIGHT] = 0;
        create2_conduct_step(&state, 2 * SLOT_US);
        assert_true(is_straight(&state, 1));
        double crossing_m_s = state.motion.wheel[CREATE2_LEFT].target_m_s;
        state.beams[OMNI] = has_light ? BEAM_GREEN_BUOY | BEAM_RED_BUOY : 0;
        state.beams[LEFT] = 0;
        create2_conduct_step(&state, 3 * SLOT_US);
        create2_conduct_step(&state, 4 * SLOT_US);
        if (has_light)
            assert_int_not_equal(spin_of(&state), 0);
        else
            assert_true(state.motion.wheel[CREATE2_LEFT].target_m_s > crossing_m_s);
    }
}

/* Along the border it turns to the receiver that alone sees the dock. */
static void it_turns_to_the_side_that_sees_the_dock(void **unused)
{
    (void)unused;
    enum { OMNI, LEFT, RIGHT };
    const uint32_t both = BEAM_GREEN_BUOY | BEAM_RED_BUOY;
    for (int side = LEFT; side <= RIGHT; side++) {
        static struct create2_state state;
        const struct create2_wheel *wheels = state.motion.wheel;
        begin(&state, CREATE2_DO_DOCK);
        state.beams[OMNI] = state.beams[LEFT] = state.beams[RIGHT] = both;
        create2_conduct_step(&state, SLOT_US);
        create2_conduct_step(&state, 2 * SLOT_US);
        assert_true(is_straight(&state, 1));
        state.beams[side == LEFT ? RIGHT : LEFT] = 0;
        create2_conduct_step(&state, 3 * SLOT_US);
        double turn_m_s = wheels[CREATE2_RIGHT].target_m_s - wheels[CREATE2_LEFT].target_m_s;
        assert_true(side == LEFT ? turn_m_s > 0.01 : turn_m_s < -0.01);
        state.beams[LEFT] = BEAM_GREEN_BUOY; /* as it should be */
        state.beams[RIGHT] = BEAM_RED_BUOY;
        create2_conduct_step(&state, 4 * SLOT_US);
        assert_true(is_straight(&state, 1));
        state.beams[OMNI] = side == LEFT ? BEAM_GREEN_BUOY : BEAM_RED_BUOY;
        create2_conduct_step(&state, 5 * SLOT_US); /* left of the border: to the right */
        turn_m_s = wheels[CREATE2_RIGHT].target_m_s - wheels[CREATE2_LEFT].target_m_s;
        assert_true(side == LEFT ? turn_m_s < 0 : turn_m_s > 0);
        assert_true(wheels[CREATE2_RIGHT].target_m_s > 0 && wheels[CREATE2_LEFT].target_m_s > 0);
    }
}

/* ---- Battery and display ---- */

/* Owners: 16.9 to 18.2 V. */
static void a_charging_pack_rises_from_16_9_to_18_2_volts_without_a_jump(void **unused)
{
    (void)unused;
    static struct create2_state state;
    static struct robot_sensors sensors;
    double before_v = 0;
    memset(&state, 0, sizeof state);
    sensors.charger = CHARGER_ADAPTER;
    for (int percent = 10; percent <= 100; percent++) {
        sensors.battery_charge = percent * 0.01;
        create2_power_read(&state, &sensors, 0);
        create2_power_read(&state, &sensors, 2 * (int64_t)SECOND_US);
        double now_v = state.power.battery_v;
        if (percent == 10)
            assert_true(fabs(now_v - 16.9) < 0.01);
        else
            assert_true(now_v > before_v && now_v < before_v + 0.05);
        before_v = now_v;
    }
    assert_true(fabs(before_v - 18.2) < 0.01);
}

/* Segments a to f are clockwise from the top, and g is in the middle. */
static void characters_have_the_usual_shapes_of_seven_segments(void **unused)
{
    (void)unused;
    static const struct {
        char character;
        const char *segments;
    } shapes[] = {
        {'0', "abcdef"}, {'1', "bc"},     {'2', "abdeg"}, {'3', "abcdg"},   {'4', "bcfg"},
        {'5', "acdfg"},  {'6', "acdefg"}, {'7', "abc"},   {'8', "abcdefg"}, {'9', "abcdfg"},
        {'A', "abcefg"}, {'B', "cdefg"},  {'C', "adef"},  {'D', "bcdeg"},   {'E', "adefg"},
        {'F', "aefg"},   {'G', "acdef"},  {'H', "bcefg"}, {'I', "ef"},      {'J', "bcde"},
        {'K', "acefg"},  {'L', "def"},    {'M', "ace"},   {'N', "ceg"},     {'O', "cdeg"},
        {'P', "abefg"},  {'Q', "abcfg"},  {'R', "eg"},    {'S', "acdfg"},   {'T', "defg"},
        {'U', "bcdef"},  {'V', "cde"},    {'W', "bdf"},   {'X', "bcefg"},   {'Y', "bcdfg"},
        {'Z', "abdeg"},  {'-', "g"},      {'_', "d"},     {'=', "dg"},      {'\'', "f"},
        {'"', "bf"},     {'(', "adef"},   {')', "abcd"},  {'[', "adef"},    {']', "abcd"},
        {'?', "abeg"},   {'!', "bd"}};
    bool is_known[256] = {false};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        uint8_t expected = 0;
        for (const char *at = shapes[i].segments; *at; at++)
            expected |= (uint8_t)(1u << (*at - 'a'));
        uint8_t upper = (uint8_t)shapes[i].character;
        uint8_t lower = upper >= 'A' && upper <= 'Z' ? (uint8_t)(upper + 32) : upper;
        assert_int_equal(create2_panel_segments(upper), expected);
        assert_int_equal(create2_panel_segments(lower), expected);
        is_known[upper] = is_known[lower] = true;
    }
    for (unsigned i = 0; i < 256; i++)
        assert_true(is_known[i] || create2_panel_segments((uint8_t)i) == 0);
}

/* ---- Serial line ---- */

/* OI: three low pulses of 50 to 500 ms, at least 2 s after power-on and before the start
 * command. */
static void three_pulses_of_the_right_width_select_19200_baud(void **unused)
{
    (void)unused;
    static const struct {
        int64_t from_us, width_us;
        int pulses;
        enum create2_mode mode;
        bool is_selected;
    } rows[] = {
        {2000000, 50000, 3, CREATE2_MODE_OFF, true},
        {2000000, 49999, 3, CREATE2_MODE_OFF, false},
        {2000000, 500000, 3, CREATE2_MODE_OFF, true},
        {2000000, 500001, 3, CREATE2_MODE_OFF, false},
        {1999999, 100000, 3, CREATE2_MODE_OFF, false},
        {2000000, 100000, 2, CREATE2_MODE_OFF, false},
        {2000000, 100000, 3, CREATE2_MODE_PASSIVE, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct create2_state state;
        memset(&state, 0, sizeof state);
        state.options.has_brc = true;
        state.host.mode = (uint8_t)rows[i].mode;
        state.host.baud_code = 11;
        int64_t now_us = rows[i].from_us;
        for (int pulse = 0; pulse < rows[i].pulses; pulse++) {
            create2_type.lines(&state, 0, MODEM_RTS, now_us);
            now_us += rows[i].width_us;
            create2_type.lines(&state, 0, 0, now_us);
            now_us += 100000;
        }
        assert_int_equal(state.host.baud_code, rows[i].is_selected ? 7 : 11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jam_holds_for_the_shortest_time_too),
        cmocka_unit_test(each_over_current_has_its_bit),
        cmocka_unit_test(a_full_pack_takes_no_charge),
        cmocka_unit_test(an_old_angle_is_multiplied_by_its_factor),
        cmocka_unit_test(all_senders_are_heard_in_turn),
        cmocka_unit_test(spot_and_clean_end_by_themselves_and_max_does_not),
        cmocka_unit_test(seek_dock_looks_all_around_before_it_drives_on),
        cmocka_unit_test(across_its_light_the_dock_is_kept_on_the_inner_side),
        cmocka_unit_test(cleaning_backs_off_from_each_obstacle_and_turns_away),
        cmocka_unit_test(a_robot_leaves_its_dock_farther_than_an_obstacle),
        cmocka_unit_test(at_the_border_it_looks_for_the_dock_and_without_light_it_drives_on),
        cmocka_unit_test(it_turns_to_the_side_that_sees_the_dock),
        cmocka_unit_test(a_charging_pack_rises_from_16_9_to_18_2_volts_without_a_jump),
        cmocka_unit_test(characters_have_the_usual_shapes_of_seven_segments),
        cmocka_unit_test(three_pulses_of_the_right_width_select_19200_baud),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
