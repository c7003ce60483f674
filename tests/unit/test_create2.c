/* The Create 2 as a host sees it: modes and their transitions, every sensor packet, motion, sounds
 * and lights. Expected values are from the Open Interface document and from owners' reports. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/create2_rig.h"

enum { OFF, PASSIVE, SAFE, FULL };

static int mode_of(struct create *create)
{
    return (int)create_get(create, "oi_mode");
}

/* ---- Modes ---- */

static void every_command_leads_to_the_mode_of_the_document(void **state)
{
    (void)state;
    static const char *const to_mode[] = {"ad", "80", "83", "84"};
    static const struct {
        const char *hex;
        int after[4]; /* off, passive, safe, full */
    } rows[] = {
        {"80", {PASSIVE, PASSIVE, PASSIVE, PASSIVE}},
        {"81 0b", {OFF, PASSIVE, SAFE, FULL}},
        {"82", {OFF, SAFE, SAFE, SAFE}},
        {"83", {OFF, SAFE, SAFE, SAFE}},
        {"84", {OFF, FULL, FULL, FULL}},
        {"85", {OFF, PASSIVE, PASSIVE, PASSIVE}},
        {"86", {OFF, PASSIVE, PASSIVE, PASSIVE}},
        {"87", {OFF, PASSIVE, PASSIVE, PASSIVE}},
        {"88", {OFF, PASSIVE, PASSIVE, PASSIVE}},
        {"8f", {OFF, PASSIVE, PASSIVE, PASSIVE}},
        {"89 00 00 80 00", {OFF, PASSIVE, SAFE, FULL}},
        {"8a 01", {OFF, PASSIVE, SAFE, FULL}},
        {"8b 00 00 00", {OFF, PASSIVE, SAFE, FULL}},
        {"8c 00 01 45 01", {OFF, PASSIVE, SAFE, FULL}},
        {"8d 00", {OFF, PASSIVE, SAFE, FULL}},
        {"8e 23", {OFF, PASSIVE, SAFE, FULL}},
        {"90 01 01 01", {OFF, PASSIVE, SAFE, FULL}},
        {"91 00 00 00 00", {OFF, PASSIVE, SAFE, FULL}},
        {"92 00 00 00 00", {OFF, PASSIVE, SAFE, FULL}},
        {"94 01 23", {OFF, PASSIVE, SAFE, FULL}},
        {"95 01 23", {OFF, PASSIVE, SAFE, FULL}},
        {"96 01", {OFF, PASSIVE, SAFE, FULL}},
        {"a2 01 01", {OFF, PASSIVE, SAFE, FULL}},
        {"a3 01 01 01 01", {OFF, PASSIVE, SAFE, FULL}},
        {"a4 41 41 41 41", {OFF, PASSIVE, SAFE, FULL}},
        {"a5 08", {OFF, PASSIVE, SAFE, FULL}},
        {"a7 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", {OFF, PASSIVE, SAFE, FULL}},
        {"a8 00 00 00", {OFF, PASSIVE, SAFE, FULL}},
        {"ad", {OFF, OFF, OFF, OFF}},
        {"07", {OFF, OFF, OFF, OFF}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int mode = OFF; mode <= FULL; mode++) {
            struct create create;
            create_open(&create, NULL);
            create_say(&create, "80");
            create_say(&create, to_mode[mode]);
            assert_int_equal(mode_of(&create), mode);
            create_say(&create, rows[i].hex);
            if (mode_of(&create) != rows[i].after[mode])
                fail_msg("%s in mode %d leads to %d", rows[i].hex, mode, mode_of(&create));
            create_close(&create);
        }
}

static void nothing_is_answered_before_the_start(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "8e 23 95 01 07 94 01 07");
    create_run(&create, 100);
    assert_int_equal(create.count, 0);
    create_say(&create, "80 8e 23");
    assert_int_equal(create.count, 1);
    assert_int_equal(create.bytes[0], PASSIVE);
    create_close(&create);
}

static void passive_mode_takes_actuator_commands_and_does_not_obey(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 91 00 c8 00 c8 8b 0f ff ff a4 41 42 43 44");
    create_run(&create, 300);
    assert_true(create_get(&create, "left_target_m_s") == 0);
    assert_true(create_get(&create, "led_debris") == 0);
    assert_true(create_get(&create, "digit0_a") == 0);
    assert_true(create_get(&create, "ignored_commands") == 3);
    assert_int_equal(create_u8(&create, 35), PASSIVE); /* each command was read with all its data */
    create_close(&create);
}

static void safe_mode_ends_where_a_wheel_drops_an_edge_comes_or_a_charger(void **state)
{
    (void)state;
    static const struct {
        const char *command, *drive;
        int safe, full;
    } rows[] = {
        {"create.lift wheel=0", "91 00 00 00 00", PASSIVE, FULL},
        {"create.place x=11 y=4", "91 00 64 00 64", PASSIVE, FULL}, /* front sensors over it */
        {"create.place x=11 y=4", "91 00 00 00 00", SAFE, FULL},
        {"create.place x=11 y=4", "91 ff 9c ff 9c", SAFE, FULL},
        {"create.place x=11 y=4", "89 ff ce 00 64", PASSIVE, FULL}, /* back, radius 100 mm */
        {"create.plug what=adapter", "91 00 00 00 00", PASSIVE, FULL},
    };
    static const char scene[] =
        "world:\n  size: {x: 20, y: 20}\n"
        "  cliffs: [{points: [{x: 11.13, y: 3}, {x: 13, y: 3}, {x: 13, y: 5}, {x: 11.13, y: 5}]}]\n"
        "robots:\n  - {name: create, type: create2, pose: {x: 10, y: 10}}\n";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int is_full = 0; is_full < 2; is_full++) {
            struct create create;
            create_open_scene(&create, scene, NULL);
            create_say(&create, is_full ? "80 84" : "80 83");
            create_say(&create, rows[i].drive);
            create_run(&create, 30);
            rig_do(&create.rig, rows[i].command);
            create_run(&create, 60);
            if (mode_of(&create) != (is_full ? rows[i].full : rows[i].safe))
                fail_msg("row %zu, %s: mode %d", i, is_full ? "full" : "safe", mode_of(&create));
            if (!is_full && rows[i].safe == PASSIVE)
                assert_true(create_get(&create, "left_target_m_s") == 0);
            create_close(&create);
        }
}

/* ---- Commands ---- */

static void a_command_waits_for_its_bytes_as_long_as_it_takes(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 83 91 00");
    create_run(&create, 3000);
    create_say(&create, "64 00"); /* 80 is consumed as its last byte */
    create_say(&create, "80");
    assert_int_equal(mode_of(&create), SAFE);
    assert_true(fabs(create_get(&create, "right_target_m_s") - 0.1) < 1e-9);
    assert_true(fabs(create_get(&create, "left_target_m_s") - 0.128) < 1e-9);
    create_close(&create);
}

static void wheels_turn_as_drive_commands_say(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        double left, right;
    } rows[] = {
        {"91 00 c8 ff 38", -0.2, 0.2},     {"89 00 c8 80 00", 0.2, 0.2},
        {"89 00 c8 7f ff", 0.2, 0.2},      {"89 ff 38 80 00", -0.2, -0.2},
        {"89 00 c8 ff ff", 0.2, -0.2},     {"89 00 c8 00 01", -0.2, 0.2},
        {"89 00 c8 00 00", 0.2, 0.2},      {"89 00 c8 00 eb", 0.1, 0.3}, /* radius 235 */
        {"89 00 c8 ff 15", 0.3, 0.1},      {"91 03 e8 fc 18", -0.5, 0.5},
        {"89 01 f4 00 eb", 0.166667, 0.5}, /* 750 mm/s at the outer wheel is too fast: both are
                                              reduced */
    };
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 84");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        create_say(&create, rows[i].hex);
        if (fabs(create_get(&create, "left_target_m_s") - rows[i].left) > 1e-4 ||
            fabs(create_get(&create, "right_target_m_s") - rows[i].right) > 1e-4)
            fail_msg("%s: %g %g", rows[i].hex, create_get(&create, "left_target_m_s"),
                     create_get(&create, "right_target_m_s"));
    }
    create_say(&create, "92 ff 01 00 80");
    create_run(&create, 10);
    assert_true(fabs(create_get(&create, "right_duty") + 1) < 1e-9);
    assert_true(fabs(create_get(&create, "left_duty") - 128.0 / 255) < 1e-9);
    create_close(&create);
}

/* 200 mm/s for 1 s gave 185..190 mm, acceleration included (robotics.SE 6869). */
static void it_goes_as_far_as_a_real_one(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 84");
    create_i16(&create, 19);
    double from = create_get(&create, "x_m");
    create_say(&create, "91 00 c8 00 c8");
    create_run(&create, 980);
    double way = create_get(&create, "x_m") - from;
    if (way < 0.18 || way > 0.193)
        fail_msg("%g m in a second", way);
    create_say(&create, "91 00 00 00 00");
    create_run(&create, 1000);
    way = create_get(&create, "x_m") - from;
    int reported_mm = create_i16(&create, 19);
    assert_true(abs(reported_mm - (int)(way * 1000)) <= 2);
    assert_int_equal(create_i16(&create, 19), 0); /* reading resets it */
    int counts = create_i16(&create, 43);
    assert_true(fabs(counts * 0.444565e-3 - way) < 0.002);
    /* A turn in place of 360 degrees: 1660.7 counts a wheel. */
    create_say(&create, "91 00 64 ff 9c");
    for (double turned_deg = 0, was = create_get(&create, "heading_deg"); turned_deg < 360;) {
        create_run(&create, 1);
        double now = create_get(&create, "heading_deg");
        turned_deg += remainder(now - was, 360);
        was = now;
        assert_true(sim_now_us(create.rig.sim) < 60000000);
    }
    int turned = create_i16(&create, 44) - counts;
    if (abs(turned - 1661) > 30)
        fail_msg("%d counts in a turn", turned);
    int angle = create_i16(&create, 20);
    if (abs(angle - 362) > 6)
        fail_msg("%d degrees", angle);
    create_close(&create);
}

static void encoders_count_where_the_wheels_are_sent_and_wrap(void **state)
{
    (void)state;
    static const char *const options[] = {"create.left_encoder_start=32700",
                                          "create.right_encoder_start=-32700", NULL};
    struct create create;
    create_open(&create, options);
    create_say(&create, "80 84");
    assert_int_equal(create_i16(&create, 43), 32700);
    assert_int_equal(create_i16(&create, 44), -32700);
    create_say(&create, "91 ff 38 00 c8"); /* right back, left ahead */
    create_run(&create, 1000);
    assert_true(create_i16(&create, 43) < -32000);
    assert_true(create_i16(&create, 44) > 32000);
    rig_do(&create.rig, "create.encoder_jump left=1000");
    int before = create_i16(&create, 43);
    rig_do(&create.rig, "create.encoder_jump left=1000");
    int jumped = create_i16(&create, 43) - before;
    assert_true(jumped > 999 && jumped < 1100);
    create_close(&create);
}

static void songs_play_by_their_notes(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 83");
    create_run(&create, 500); /* the beep is over */
    assert_int_equal(create_u8(&create, 37), 0);
    create_say(&create, "8c 02 03 45 20 00 20 51 20 8d 01 8d 02"); /* song 1 has no notes */
    assert_true(fabs(create_get(&create, "sound_hz") - 440) < 1e-9);
    assert_int_equal(create_u8(&create, 37), 1);
    assert_int_equal(create_u8(&create, 36), 2);
    create_run(&create, 500); /* half a second a note */
    assert_true(create_get(&create, "sound_hz") == 0);
    create_run(&create, 500);
    assert_true(fabs(create_get(&create, "sound_hz") - 880) < 1e-9);
    create_run(&create, 600);
    assert_int_equal(create_u8(&create, 37), 0);
    create_say(&create, "8c 01 01 45 20 8d 01"); /* song 1 has one */
    assert_true(fabs(create_get(&create, "sound_hz") - 440) < 1e-9);
    create_run(&create, 600);
    create_say(&create, "8d 05"); /* there is no song 5 */
    assert_true(create_get(&create, "bad_values") == 1);
    assert_int_equal(create_u8(&create, 37), 0);
    create_say(&create,
               "8c 04 01 45 20 8c 00 11 45 20"); /* song 4; 17 notes: their data is taken */
    assert_true(create_get(&create, "bad_values") == 2);
    create_close(&create);
}

static void lamps_and_digits_shine(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 83 8b 0a ff 80 a4 31 20 41 2d a2 41 11");
    create_run(&create, 20);
    assert_true(create_get(&create, "led_spot") == 1 && create_get(&create, "led_check") == 1);
    assert_true(create_get(&create, "led_debris") == 0 && create_get(&create, "led_dock") == 0);
    assert_true(fabs(create_get(&create, "power_red") - 128.0 / 255) < 1e-9);
    assert_true(create_get(&create, "power_green") == 0);
    assert_true(create_get(&create, "digit0_b") == 1 && create_get(&create, "digit0_a") == 0);
    assert_true(create_get(&create, "digit1_g") == 0);
    assert_true(create_get(&create, "digit2_a") == 1 && create_get(&create, "digit2_d") == 0);
    assert_true(create_get(&create, "digit3_g") == 1 && create_get(&create, "digit3_a") == 0);
    assert_true(create_get(&create, "led_days") == 0x41 &&
                create_get(&create, "led_marks") == 0x11);
    create_say(&create, "a3 01 02 04 08");
    assert_true(create_get(&create, "digit0_a") == 1 && create_get(&create, "digit3_d") == 1);
    create_say(&create, "a4 5f 3d 2d 27"); /* _ = - ' */
    assert_true(create_get(&create, "digit0_d") == 1 && create_get(&create, "digit0_a") == 0);
    assert_true(create_get(&create, "digit1_d") == 1 && create_get(&create, "digit1_g") == 1);
    assert_true(create_get(&create, "digit2_d") == 0 && create_get(&create, "digit2_g") == 1);
    assert_true(create_get(&create, "digit3_f") == 1 && create_get(&create, "digit3_g") == 0);
    create_say(&create, "80"); /* the firmware controls them again */
    assert_true(create_get(&create, "led_check") == 0 && create_get(&create, "power_green") > 0.5);
    create_close(&create);
}

/* ---- Sensor packets ---- */

static void packets_have_the_sizes_of_the_document(void **state)
{
    (void)state;
    static const struct {
        uint8_t first, last, size;
    } rows[] = {{7, 18, 1},   {19, 20, 2}, {21, 21, 1},    {22, 23, 2},    {24, 24, 1},
                {25, 31, 2},  {32, 32, 1}, {33, 33, 2},    {34, 38, 1},    {39, 44, 2},
                {45, 45, 1},  {46, 51, 2}, {52, 53, 1},    {54, 57, 2},    {58, 58, 1},
                {0, 0, 26},   {1, 1, 10},  {2, 2, 6},      {3, 3, 10},     {4, 4, 14},
                {5, 5, 12},   {6, 6, 52},  {100, 100, 80}, {101, 101, 28}, {106, 106, 12},
                {107, 107, 9}};
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned id = rows[i].first; id <= rows[i].last; id++)
            create_ask(&create, (uint8_t)id, rows[i].size);
    create_ask(&create, 59, 0);
    create_ask(&create, 99, 0);
    assert_true(create_get(&create, "unknown_packets") == 2);
    create_close(&create);
}

static void a_stream_leaves_out_what_is_unknown_and_what_has_no_room(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 94 03 3b 07 63"); /* packets 59 and 99 */
    assert_true(create_get(&create, "unknown_packets") == 2);
    create_say(&create, "94 05 64 64 64 6b 07 94 00"); /* 3 x 81 + 10 + 2 bytes, all of a frame */
    assert_true(create_get(&create, "bad_values") == 0);
    create_say(&create, "94 04 64 64 64 6a 94 00"); /* one byte more */
    assert_true(create_get(&create, "bad_values") == 1);
    assert_true(create_get(&create, "unknown_packets") == 2);
    create_close(&create);
}

static void both_motors_draw_current_straight_ahead(void **state)
{
    (void)state;
    struct create create;
    static const char *const options[] = {"create.noise=no", NULL};
    create_open(&create, options);
    create_say(&create, "80 84 91 01 f4 01 f4");
    create_run(&create, 30);
    int left_mA = create_i16(&create, 54), right_mA = create_i16(&create, 55);
    if (left_mA < 50 || right_mA < 50 || left_mA > 2 * right_mA || right_mA > 2 * left_mA)
        fail_msg("left %d mA, right %d mA", left_mA, right_mA);
    create_close(&create);
}

static void a_group_is_its_packets_in_a_row(void **state)
{
    (void)state;
    struct create create;
    static const char *const options[] = {"create.noise=no", NULL};
    create_open(&create, options);
    create_say(&create, "80 84 91 00 64 00 32 a5 05");
    uint8_t group[80];
    memcpy(group, create_ask(&create, 100, 80), sizeof group);
    /* Offsets: checked by two drivers' decoders. */
    assert_int_equal(group[40], FULL);
    assert_int_equal(group[11], 5);
    assert_int_equal(group[48] << 8 | group[49], 100);
    assert_int_equal(group[50] << 8 | group[51], 50);
    assert_int_equal(group[24] << 8 | group[25], 2696);
    assert_int_equal((group[28] << 8 | group[29]), 2500);
    create_close(&create);
}

static void what_the_world_does_is_in_the_packets(void **state)
{
    (void)state;
    static const char scene[] =
        "world:\n  size: {x: 20, y: 20}\n"
        "  walls: [{from: {x: 5, y: 4}, to: {x: 5, y: 8}}]\n"
        "  cliffs: [{points: [{x: 11.13, y: 3}, {x: 13, y: 3}, {x: 13, y: 5}, {x: 11.13, y: 5}]}]\n"
        "  beacons:\n    - {type: virtual_wall, pose: {x: 14, y: 10, heading: 180}}\n"
        "    - {type: lighthouse, number: 3, pose: {x: 2, y: 15}}\n"
        "robots:\n  - {name: create, type: create2, pose: {x: 10, y: 10}}\n";
    struct create create;
    create_open_scene(&create, scene, NULL);
    create_say(&create, "80");
    assert_int_equal(create_u8(&create, 7), 0);
    rig_do(&create.rig, "create.press bumper=left");
    create_run(&create, 20);
    assert_int_equal(create_u8(&create, 7), 2);
    rig_do(&create.rig, "create.release bumper=left");
    rig_do(&create.rig, "create.lift wheel=1");
    create_run(&create, 20);
    assert_int_equal(create_u8(&create, 7), 4);
    rig_do(&create.rig, "create.lift up=no");

    rig_do(&create.rig, "create.place x=11 y=4 heading=0");
    create_run(&create, 30);
    assert_int_equal(create_u8(&create, 10), 1);
    assert_int_equal(create_u8(&create, 11), 1);
    assert_int_equal(create_u8(&create, 9), 0);
    assert_true(create_u16(&create, 29) < 100);
    assert_true(create_u16(&create, 28) > 2330 && create_u16(&create, 28) < 2680);

    rig_do(&create.rig, "create.place x=4.78 y=6 heading=0"); /* 46 mm before a wall */
    create_run(&create, 30);
    assert_int_equal(create_u8(&create, 45) & 0x0c, 0x0c);
    assert_true(create_u16(&create, 48) > 200);
    assert_int_equal(create_u8(&create, 8), 0);
    rig_do(&create.rig, "create.place x=4.79 y=6 heading=64"); /* on its right */
    create_run(&create, 30);
    assert_int_equal(create_u8(&create, 8), 1);
    assert_true(create_u16(&create, 27) > 50);
    assert_int_equal(create_u8(&create, 45) & 0x27, 32);

    assert_int_equal(create_u8(&create, 13), 0);
    rig_do(&create.rig, "create.place x=12 y=10 heading=0");
    create_run(&create, 30);
    assert_int_equal(create_u8(&create, 17), 162);
    assert_int_equal(create_u8(&create, 13), 1);
    rig_do(&create.rig, "create.place x=3 y=15.5 heading=180"); /* green and red of a dock: sides */
    create_run(&create, 30);
    assert_int_equal(create_u8(&create, 17), 3 << 3 | 3);
    rig_do(&create.rig, "create.ir code=136 for=1");
    create_run(&create, 30);
    assert_int_equal(create_u8(&create, 17), 136);
    assert_int_equal(create_u8(&create, 52), 136);
    rig_do(&create.rig, "create.dirt amount=77");
    create_run(&create, 20);
    assert_int_equal(create_u8(&create, 15), 77);
    create_close(&create);
}

static void a_jammed_brush_draws_more_and_says_so(void **state)
{
    (void)state;
    struct create create;
    static const char *const options[] = {"create.model=roomba_500", NULL};
    create_open(&create, options);
    create_say(&create, "80 84 8A 05"); /* full mode, both brushes */
    create_run(&create, 300);
    assert_int_equal(create_i16(&create, 56), 600);
    assert_int_equal(create_i16(&create, 57), 100);
    assert_int_equal(create_u8(&create, 14), 0);
    rig_do(&create.rig, "create.jam brush=side for=0.3");
    create_run(&create, 50);
    assert_int_equal(create_u8(&create, 14), 0); /* not yet 0.1 s */
    assert_int_equal(create_i16(&create, 57), 800);
    create_run(&create, 100);
    assert_int_equal(create_u8(&create, 14), 1);
    create_run(&create, 250);
    assert_int_equal(create_u8(&create, 14), 0); /* over */
    assert_int_equal(create_i16(&create, 57), 100);
    rig_do(&create.rig, "create.jam");
    create_run(&create, 200);
    assert_int_equal(create_u8(&create, 14), 4);
    assert_int_equal(create_i16(&create, 56), 2000);
    create_say(&create, "8A 00"); /* a motor that is not driven draws no current */
    create_run(&create, 50);
    assert_int_equal(create_u8(&create, 14), 0);
    create_say(&create, "8A 04");
    create_run(&create, 200);
    assert_int_equal(create_u8(&create, 14), 4);
    rig_do(&create.rig, "create.jam on=no");
    create_run(&create, 50);
    assert_int_equal(create_u8(&create, 14), 0);
    create_close(&create);
}

static void light_in_free_view_is_faint(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80");
    for (uint8_t id = 46; id <= 51; id++)
        assert_true(create_u16(&create, id) >= 2 && create_u16(&create, id) <= 35);
    assert_int_equal(create_u8(&create, 45), 0);
    create_close(&create);
}

static void buttons_are_seen_and_act_in_passive_mode(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 83");
    rig_do(&create.rig, "create.press button=clean");
    create_run(&create, 20);
    assert_int_equal(create_u8(&create, 18), 1);
    assert_true(create_get(&create, "behaviour") == 0);
    rig_do(&create.rig, "create.release button=clean");
    create_say(&create, "a5 06");
    assert_int_equal(create_u8(&create, 18), 6);
    create_run(&create, 180); /* released after a sixth of a second */
    assert_int_equal(create_u8(&create, 18), 0);
    create_say(&create, "a5 c0"); /* this model never reports its clock and schedule buttons */
    assert_int_equal(create_u8(&create, 18), 0);
    create_run(&create, 200);
    create_say(&create, "80 a5 02");
    create_run(&create, 20);
    assert_true(create_get(&create, "behaviour") == 1);
    create_close(&create);
}

static void setting_the_present_mode_again_keeps_it_driving(void **state)
{
    (void)state;
    static const char *const modes[] = {"83", "84"};
    for (int i = 0; i < 2; i++) {
        struct create create;
        create_open(&create, NULL);
        create_say(&create, "80");
        create_say(&create, modes[i]);
        create_say(&create, "91 00 64 00 64");
        create_run(&create, 500);
        create_say(&create, modes[i]);
        create_run(&create, 500);
        assert_true(create_get(&create, "speed_m_s") > 0.08);
        create_say(&create, modes[1 - i]); /* every other change stops it */
        create_run(&create, 1000);
        assert_true(fabs(create_get(&create, "speed_m_s")) < 0.01);
        create_close(&create);
    }
}

static void questions_of_one_slot_are_all_answered_in_their_order(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 83");
    create_clear(&create);
    create_say(&create, "8e 23 8e 20 95 02 23 16 8e 1a"); /* 35, 32, 35 and 22, 26 */
    create_run(&create, 50);
    assert_int_equal(create.count, 1 + 1 + 1 + 2 + 2);
    uint8_t answers[7];
    memcpy(answers, create.bytes, sizeof answers);
    assert_int_equal(answers[0], 2); /* safe mode */
    assert_int_equal(answers[1], create_u8(&create, 32));
    assert_int_equal(answers[2], 2);
    assert_int_equal(answers[3] << 8 | answers[4], create_u16(&create, 22));
    assert_int_equal(answers[5] << 8 | answers[6], create_u16(&create, 26));
    create_close(&create);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_leads_to_the_mode_of_the_document),
        cmocka_unit_test(nothing_is_answered_before_the_start),
        cmocka_unit_test(passive_mode_takes_actuator_commands_and_does_not_obey),
        cmocka_unit_test(safe_mode_ends_where_a_wheel_drops_an_edge_comes_or_a_charger),
        cmocka_unit_test(a_command_waits_for_its_bytes_as_long_as_it_takes),
        cmocka_unit_test(wheels_turn_as_drive_commands_say),
        cmocka_unit_test(it_goes_as_far_as_a_real_one),
        cmocka_unit_test(encoders_count_where_the_wheels_are_sent_and_wrap),
        cmocka_unit_test(songs_play_by_their_notes),
        cmocka_unit_test(lamps_and_digits_shine),
        cmocka_unit_test(packets_have_the_sizes_of_the_document),
        cmocka_unit_test(a_stream_leaves_out_what_is_unknown_and_what_has_no_room),
        cmocka_unit_test(both_motors_draw_current_straight_ahead),
        cmocka_unit_test(a_group_is_its_packets_in_a_row),
        cmocka_unit_test(what_the_world_does_is_in_the_packets),
        cmocka_unit_test(a_jammed_brush_draws_more_and_says_so),
        cmocka_unit_test(light_in_free_view_is_faint),
        cmocka_unit_test(buttons_are_seen_and_act_in_passive_mode),
        cmocka_unit_test(setting_the_present_mode_again_keeps_it_driving),
        cmocka_unit_test(questions_of_one_slot_are_all_answered_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
