/* The Create 2 over time: stream and replies, charging, sleep, reset, schedule, options, and
 * actions without a command. test_create2.c names the sources of the expected values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/support/sample.h"
#include "tests/unit/create2_rig.h"

enum { OFF, PASSIVE, SAFE, FULL };

static int mode_of(struct create *create)
{
    return (int)create_get(create, "oi_mode");
}

/* ---- The stream ---- */

static void the_stream_comes_every_slot_with_a_good_sum(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 94 03 07 23 16");
    create_clear(&create);
    create_run(&create, 1500);
    assert_in_range(create.chunks, 95, 97);
    assert_int_equal(create.count, create.chunks * 10);
    for (size_t at = 0; at < create.count; at += 10) {
        unsigned sum = 0;
        for (size_t i = 0; i < 10; i++)
            sum += create.bytes[at + i];
        assert_int_equal(sum & 255, 0);
        assert_int_equal(create.bytes[at], 0x13);
        assert_int_equal(create.bytes[at + 1], 7);
    }
    assert_int_equal(create.bytes[5], PASSIVE);
    create_say(&create, "96 00");
    create_clear(&create);
    create_run(&create, 200);
    assert_int_equal(create.count, 0);
    create_say(&create, "80 96 01"); /* a start does not end it */
    create_run(&create, 200);
    assert_true(create.count > 100);
    assert_int_equal(create_get(&create, "stream_packets.value"), 3);
    create_say(&create, "ad");
    create_clear(&create);
    create_run(&create, 200);
    assert_int_equal(create.count, 0);
    create_close(&create);
}

/* A host that reads frames of the stream, 12 bytes each, and counts the bytes between them. */
struct reader {
    uint64_t frames, bad, outside;
    size_t used;
    uint8_t frame[12];
};

static void read_all(struct reader *reader, struct create *create)
{
    for (size_t at = 0; at < create->count; at++) {
        if (reader->used == 0 && create->bytes[at] != 0x13) {
            reader->outside++;
            continue;
        }
        reader->frame[reader->used++] = create->bytes[at];
        if (reader->used < sizeof reader->frame)
            continue;
        unsigned sum = 0;
        for (size_t k = 0; k < sizeof reader->frame; k++)
            sum += reader->frame[k];
        reader->bad += (sum & 255) != 0 || reader->frame[1] != 9;
        reader->frames++;
        reader->used = 0;
    }
    create_clear(create);
}

/* Commands other than sleep and off, and the number of bytes in their replies. */
static const struct {
    const char *hex;
    uint64_t answer;
} chatter[] = {
    {"80", 0},
    {"83", 0},
    {"84", 0},
    {"82", 0},
    {"91 00 96 ff 6a", 0},
    {"89 00 c8 01 f4", 0},
    {"89 ff 38 80 00", 0},
    {"92 00 40 00 80", 0},
    {"8a 07", 0},
    {"90 40 c0 7f", 0},
    {"8b 05 80 ff", 0},
    {"a4 31 32 33 34", 0},
    {"8c 01 02 45 08 48 08", 0},
    {"8d 01", 0},
    {"a2 01 02", 0},
    {"a3 01 02 03 04", 0},
    {"a8 01 02 03", 0},
    {"86", 0},
    {"8f", 0},
    {"88", 0},
    {"87", 0},
    {"96 01", 0},
    {"93 01", 0},
    {"98 02 01 02", 0},
    {"9a", 0},
    {"9c 01 00", 0},
    {"81 0b", 0},
    {"8e 23", 1},
    {"8e 23", 1},
    {"95 02 23 23", 2},
};

/* Ten minutes of stream, with a command about every 60 ms. Each command is counted, each frame
 * arrives complete, and between the frames there are only the replies. */
static void ten_minutes_of_stream_and_commands_balance(void **state)
{
    (void)state;
    enum { KINDS = sizeof chatter / sizeof chatter[0], COMMANDS = 9600 };
    static const char *const options[] = {"create.sleep_after_s=0", NULL};
    struct create create;
    struct reader reader = {0};
    uint64_t asked = 0;
    create_open(&create, options);
    create_say(&create, "80 94 04 07 23 2b 11");
    create_clear(&create);
    for (uint64_t i = 0; i < COMMANDS; i++) {
        uint64_t pick = rng_u64(9, i) % KINDS;
        asked += chatter[pick].answer;
        create_say(&create, chatter[pick].hex);
        create_run(&create, 20 + (int)(rng_u64(8, i) % 43));
        read_all(&reader, &create);
    }
    double time_s = (double)sim_now_us(create.rig.sim) * 1e-6;
    assert_true(time_s > 580);
    assert_int_equal(reader.bad, 0);
    assert_int_equal(reader.outside, asked);
    assert_int_equal(create_get(&create, "uart.frames"), COMMANDS + 2);
    assert_int_equal(create_get(&create, "uart.noise_bytes"), 0);
    assert_int_equal(create_get(&create, "uart.overruns"), 0);
    assert_int_equal(create_get(&create, "unknown_packets"), 0);
    assert_true(fabs((double)reader.frames - time_s * 64) < 8);
    create_close(&create);
}

/* Query and reply: the median of a Roomba 690 was 15.67 ms. */
static void an_answer_waits_for_the_next_slot(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80");
    create_run(&create, 77);
    double sum_ms = 0;
    for (int i = 0; i < 20; i++) {
        create_run(&create, 7 + i);
        create_clear(&create);
        int64_t asked_us = sim_now_us(create.rig.sim);
        create_say(&create, "8e 64");
        create_run(&create, 15);
        assert_int_equal(create.count, 80);
        double ms = (double)(create.first_us - asked_us) / 1000;
        assert_true(ms >= 7 && ms <= 24);
        sum_ms += ms;
    }
    assert_true(sum_ms / 20 > 11 && sum_ms / 20 < 19);
    create_close(&create);
}

static void the_baud_changes_by_command_and_by_pulses(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_run(&create, 2500);
    assert_int_equal(create_get(&create, "uart.baud"), 115200);
    for (int i = 0; i < 3; i++) {
        sim_host_lines(create.rig.sim, create.rig.channel, 0);
        create_run(&create, 100);
        assert_int_equal(create_get(&create, "uart.baud"), 115200);
        sim_host_lines(create.rig.sim, create.rig.channel, 2);
        create_run(&create, i == 0 ? 600 : 100); /* the first pulse is too long */
    }
    sim_host_lines(create.rig.sim, create.rig.channel, 0);
    create_run(&create, 100);
    assert_int_equal(create_get(&create, "uart.baud"), 115200);
    sim_host_lines(create.rig.sim, create.rig.channel, 2);
    create_run(&create, 100);
    sim_host_lines(create.rig.sim, create.rig.channel, 0);
    create_run(&create, 100);
    assert_int_equal(create_get(&create, "uart.baud"), 19200);
    create_say(&create, "80 81 0a");
    create_run(&create, 50);
    assert_int_equal(create_get(&create, "uart.baud"), 57600);
    create_clear(&create);
    int64_t asked_us = sim_now_us(create.rig.sim);
    create_say(&create, "8e 64");
    create_run(&create, 60);
    assert_int_equal(create.count, 80);
    assert_true(create.last_us - asked_us >= 13800); /* 80 bytes take that long */
    create_say(&create, "81 0c");
    assert_int_equal(create_get(&create, "uart.baud"), 57600);
    create_say(&create, "07"); /* as a battery change does */
    create_run(&create, 50);
    assert_int_equal(create_get(&create, "uart.baud"), 115200);
    create_close(&create);
}

/* ---- Power ---- */

static void charging_follows_the_documented_states(void **state)
{
    (void)state;
    struct create create;
    static const char *const options[] = {"create.battery_v=14", NULL};
    create_open(&create, options);
    create_say(&create, "80");
    assert_int_equal(create_u8(&create, 21), 0);
    int idle_ma = create_i16(&create, 23);
    assert_in_range(-idle_ma, 143, 151);
    rig_do(&create.rig, "create.plug what=adapter");
    create_run(&create, 100);
    assert_int_equal(create_u8(&create, 21), 4); /* waiting */
    assert_int_equal(create_u8(&create, 34), 1);
    create_run(&create, 1500);
    assert_int_equal(create_u8(&create, 21), 2);
    assert_in_range(create_i16(&create, 23), 891, 1232);
    assert_in_range(create_u16(&create, 22), 16900, 18200);
    create_say(&create, "84"); /* full mode ends charging; the charging source remains connected */
    create_run(&create, 40);
    assert_int_equal(create_u8(&create, 21), 0);
    assert_true(create_i16(&create, 23) < 0);
    assert_int_equal(create_u8(&create, 34), 1);
    create_say(&create, "80");
    rig_do(&create.rig, "create.battery v=12.1");
    create_run(&create, 40);
    assert_int_equal(create_u8(&create, 21), 1); /* reconditioning */
    rig_do(&create.rig, "create.battery v=16.5");
    create_run(&create, 40);
    assert_int_equal(create_u8(&create, 21), 3); /* trickle */
    rig_do(&create.rig, "create.charging_fault");
    create_run(&create, 40);
    assert_int_equal(create_u8(&create, 21), 5);
    create_close(&create);
}

static void idle_in_passive_mode_it_sleeps_and_wakes(void **state)
{
    (void)state;
    struct create create;
    static const char *const options[] = {"create.sleep_after_s=2", NULL};
    create_open(&create, options);
    create_say(&create, "80 94 01 07");
    create_run(&create, 1500);
    assert_true(create_get(&create, "asleep") == 0);
    create_run(&create, 1000); /* the stream does not keep it awake */
    assert_true(create_get(&create, "asleep") == 1);
    create_clear(&create);
    create_say(&create, "80 8e 23");
    create_run(&create, 100);
    assert_int_equal(create.count, 0);
    rig_do(&create.rig, "create.brc");
    create_run(&create, 200);
    assert_true(create_get(&create, "asleep") == 0);
    assert_true(create.count > 40); /* the stream continues after a line of text */
    assert_memory_equal(create.bytes, "key-wakeup\r\n", 12);
    assert_int_equal(mode_of(&create), PASSIVE);
    /* The host's RTS is connected to the pin. */
    create_run(&create, 2500);
    assert_true(create_get(&create, "asleep") == 1);
    sim_host_lines(create.rig.sim, create.rig.channel, 0);
    create_run(&create, 100);
    assert_true(create_get(&create, "asleep") == 1);
    sim_host_lines(create.rig.sim, create.rig.channel, 2);
    create_run(&create, 100);
    assert_true(create_get(&create, "asleep") == 0);
    /* Safe mode does not sleep. */
    create_say(&create, "83");
    create_run(&create, 4000);
    assert_true(create_get(&create, "asleep") == 0);
    create_say(&create, "85");
    create_run(&create, 50);
    assert_true(create_get(&create, "asleep") == 1);
    rig_do(&create.rig, "create.press button=clean");
    create_run(&create, 100);
    assert_true(create_get(&create, "asleep") == 0);
    create_close(&create);
}

static void a_reset_prints_the_boot_text_and_forgets(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 83 8c 00 01 45 20 94 01 07");
    create_clear(&create);
    create_say(&create, "07 80"); /* bytes that follow immediately are lost */
    create_run(&create, 1000);
    assert_memory_equal(create.bytes, "bl-start\r\nSTR730\r\n", 18);
    size_t early = create.count;
    create_run(&create, 4000);
    assert_true(create.count > early);
    create.bytes[create.count] = '\0';
    assert_non_null(strstr((const char *)create.bytes, "Roomba by iRobot!\r\n"));
    assert_int_equal(mode_of(&create), OFF);
    create_say(&create, "80 83 8d 00");
    create_run(&create, 600);
    assert_true(create_get(&create, "sound_hz") == 0); /* the song is lost */
    create_close(&create);
}

static void the_schedule_begins_to_clean(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 a8 03 0e 3b"); /* Wednesday, 14:59 */
    create_say(&create, "a7 28 00 00 00 00 00 00 0f 00 00 00 0a 24 00 00");
    create_run(&create, 59000);
    assert_true(create_get(&create, "behaviour") == 0);
    create_run(&create, 2000);
    assert_true(create_get(&create, "behaviour") == 2);
    create_close(&create);
}

/* ---- Options ---- */

static void bugs_of_old_firmware_are_options(void **state)
{
    (void)state;
    static const char *const options[] = {"create.distance_bug=yes", "create.angle_bug=yes",
                                          "create.mode_bug=yes", "create.dead_time_s=0.1", NULL};
    struct create create;
    create_open(&create, options);
    assert_int_equal((create_say(&create, "80"), create_u8(&create, 35)), 2); /* one too high */
    create_say(&create, "84 91 00 c8 00 c8");                                 /* too early */
    create_run(&create, 100);
    assert_true(create_get(&create, "left_target_m_s") == 0);
    create_say(&create, "91 00 c8 00 c8");
    create_run(&create, 1000);
    create_say(&create, "91 00 00 00 00");
    create_run(&create, 500);
    int reported_mm = create_i16(&create, 19);
    assert_true(reported_mm < -22 &&
                reported_mm > -28); /* robotics.SE 6869: 200 mm are reported as -25 */
    create_say(&create, "91 00 64 ff 9c");
    create_run(&create, 2000);
    double before = create_get(&create, "odometry_heading_deg");
    int reported_deg = create_i16(&create, 20);
    assert_true(fabs(reported_deg / 0.324056 - before) < 5);
    create_close(&create);
}

static void the_models_differ(void **state)
{
    (void)state;
    static const struct {
        const char *options[2];
        int capacity, buttons, brush;
    } rows[] = {{{"create.model=create2", NULL}, 2696, 0x3f, 0},
                {{"create.model=roomba_500", NULL}, 3000, 0xff, 600},
                {{"create.model=roomba_600", NULL}, 2696, 0x3f, 600}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct create create;
        create_open(&create, rows[i].options);
        create_say(&create, "80 83 8a 04 a5 ff");
        assert_int_equal(create_u16(&create, 26), rows[i].capacity);
        assert_int_equal(create_u8(&create, 18), rows[i].buttons);
        assert_int_equal(create_i16(&create, 56), rows[i].brush);
        create_close(&create);
    }
}

static void the_dock_is_heard_in_its_characters_and_lifts_the_robot(void **state)
{
    (void)state;
    static const char scene[] =
        "world:\n  size: {x: 6, y: 6}\n"
        "  docks: [{name: base, type: home_base, pose: {x: 1, y: 3}},\n"
        "          {name: other, type: kobuki, pose: {x: 1, y: 5}}]\n"
        "robots:\n  - {name: create, type: create2, pose: {x: 3, y: 3, heading: 180}}\n";
    static const struct {
        const char *place;
        int home_base, discovery;
    } rows[] = {
        {"create.place x=2.5 y=2.5 heading=180", 164, 244}, /* green beam, on its left */
        {"create.place x=2.5 y=3.5 heading=180", 168, 248}, /* red beam, on its right */
        {"create.place x=2.5 y=3 heading=180", 172, 252},   /* both beams */
        {"create.place x=1.32 y=3 heading=180", 173, 254},  /* both beams and the force field */
        {"create.place x=2.5 y=5 heading=180", 0, 0}, /* it does not detect the dock of a Kobuki */
    };
    for (int is_old = 0; is_old < 2; is_old++) {
        static const char *const options[] = {"create.dock_codes=discovery", NULL};
        struct create create;
        create_open_scene(&create, scene, is_old ? options : NULL);
        create_say(&create, "80");
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            rig_do(&create.rig, rows[i].place);
            create_run(&create, 30);
            assert_int_equal(create_u8(&create, 17),
                             is_old ? rows[i].discovery : rows[i].home_base);
        }
        rig_do(&create.rig, "create.place x=1.216 y=3 heading=180");
        create_run(&create, 50);
        assert_int_equal(create_u8(&create, 34), 2);
        assert_int_equal(create_u16(&create, 29), 0);
        assert_int_equal(create_u8(&create, 9) + create_u8(&create, 12), 2);
        create_say(&create, "83"); /* in safe mode it bounces on a powered dock */
        assert_int_equal(mode_of(&create), PASSIVE);
        rig_do(&create.rig, "create.place x=1.216 y=5 heading=180");
        create_run(&create, 50);
        assert_int_equal(create_u8(&create, 34), 0);
        create_close(&create);
    }
}

/* ---- Actions without a command ---- */

static void cleaning_leaves_walls_and_edges(void **state)
{
    (void)state;
    static const char scene[] =
        "world:\n  size: {x: 3, y: 3}\n"
        "  cliffs: [{points: [{x: 0, y: 2}, {x: 3, y: 2}, {x: 3, y: 3}, {x: 0, y: 3}]}]\n"
        "robots:\n  - {name: create, type: create2, pose: {x: 1, y: 1, heading: 60}}\n";
    struct create create;
    create_open_scene(&create, scene, NULL);
    create_say(&create, "80 87");
    double low = 9, high = 0;
    for (int i = 0; i < 1200; i++) {
        create_run(&create, 100);
        double x = create_get(&create, "x_m");
        low = x < low ? x : low;
        high = x > high ? x : high;
        assert_true(create_get(&create, "y_m") < 2.05); /* its wheels stay on the floor */
    }
    assert_true(create_get(&create, "behaviour") == 2);
    assert_true(low < 0.6 && high > 2.4);
    create_say(&create, "87"); /* a second Clean command pauses it */
    create_run(&create, 500);
    assert_true(create_get(&create, "behaviour") == 0);
    assert_true(fabs(create_get(&create, "speed_m_s")) < 0.01);
    create_close(&create);
}

/* ---- Slots ---- */

static void a_slot_is_a_sixty_fourth_and_one_in_25000_is_doubled(void **state)
{
    (void)state;
    enum { SECONDS = 2500 };
    static const char *const awake[] = {"create.sleep_after_s=0", NULL};
    static const char *const fast[] = {"create.sleep_after_s=0", "create.slot_ppm=-559", NULL};
    for (int i = 0; i < 2; i++) {
        struct create create;
        uint64_t chunks = 0;
        create_open(&create, i == 0 ? awake : fast);
        create_say(&create, "80 94 01 07");
        create_clear(&create);
        double slots = create_get(&create, "slots"), left = 0;
        for (int k = 0; k < SECONDS; k++) {
            create_run(&create, 1000);
            chunks += create.chunks;
            create_clear(&create);
        }
        slots = create_get(&create, "slots") - slots;
        left = slots - (double)chunks;
        assert_true(fabs(slots - SECONDS * 64 * (i == 0 ? 1 : 1.000559)) <= 2);
        assert_true(left >= 1 && left <= 20); /* 6.4 on average */
        create_close(&create);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_comes_every_slot_with_a_good_sum),
        cmocka_unit_test(ten_minutes_of_stream_and_commands_balance),
        cmocka_unit_test(an_answer_waits_for_the_next_slot),
        cmocka_unit_test(the_baud_changes_by_command_and_by_pulses),
        cmocka_unit_test(charging_follows_the_documented_states),
        cmocka_unit_test(idle_in_passive_mode_it_sleeps_and_wakes),
        cmocka_unit_test(a_reset_prints_the_boot_text_and_forgets),
        cmocka_unit_test(the_schedule_begins_to_clean),
        cmocka_unit_test(bugs_of_old_firmware_are_options),
        cmocka_unit_test(the_models_differ),
        cmocka_unit_test(the_dock_is_heard_in_its_characters_and_lifts_the_robot),
        cmocka_unit_test(cleaning_leaves_walls_and_edges),
    };
    /* Hours with identical slots. */
    const struct CMUnitTest more[] = {
        cmocka_unit_test(a_slot_is_a_sixty_fourth_and_one_in_25000_is_doubled),
    };
    return SAMPLE_RUN(tests, more);
}
