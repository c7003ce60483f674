/* The Create 2 in short runs: line rates, charging, sleep and schedule, distances that a reading
 * clears. Expectations as in test_create2.c; longer runs are in test_create2_time.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/create2_rig.h"

enum { IDLE = 0, CLEAN = 2 };

/* OI, Baud. */
static void each_code_of_the_command_baud_is_a_rate(void **state)
{
    (void)state;
    static const int rates[] = {300,   600,   1200,  2400,  4800,  9600,
                                14400, 19200, 28800, 38400, 57600, 115200};
    for (unsigned code = 0; code < sizeof rates / sizeof rates[0]; code++) {
        struct create create;
        char hex[16];
        create_open(&create, NULL);
        snprintf(hex, sizeof hex, "80 81 %02x", code);
        create_say(&create, hex);
        create_run(&create, 30);
        assert_int_equal(create_get(&create, "uart.baud"), rates[code]);
        create_close(&create);
    }
}

/* ---- Charging ---- */

/* 16.9 to 18.2 V (owners). */
static void a_charger_shows_volts_as_owners_saw_them(void **state)
{
    (void)state;
    static const char *const volts[] = {"create.battery_v=13.6", "create.battery_v=14.6",
                                        "create.battery_v=15.7"};
    for (size_t i = 0; i < sizeof volts / sizeof volts[0]; i++) {
        struct create create;
        create_open(&create, (const char *const[]){volts[i], NULL});
        create_say(&create, "80");
        rig_do(&create.rig, "create.plug what=adapter");
        create_run(&create, 1500);
        assert_int_equal(create_u8(&create, 21), 2);
        assert_in_range(create_u16(&create, 22), 16850, 18200);
        create_close(&create);
    }
}

static void a_fault_of_the_charger_is_state_5_until_it_ends(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, (const char *const[]){"create.battery_v=14", NULL});
    create_say(&create, "80");
    rig_do(&create.rig, "create.charging_fault");
    create_run(&create, 40);
    assert_int_equal(create_u8(&create, 21), 0); /* no charger */
    rig_do(&create.rig, "create.plug what=adapter");
    create_run(&create, 1500);
    assert_int_equal(create_u8(&create, 21), 5);
    rig_do(&create.rig, "create.charging_fault on=no");
    create_run(&create, 40);
    assert_int_equal(create_u8(&create, 21), 2);
    create_close(&create);
}

static void a_trickle_is_slow(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, (const char *const[]){"create.battery_v=16.46", NULL});
    create_say(&create, "80");
    rig_do(&create.rig, "create.plug what=adapter");
    create_run(&create, 1500);
    assert_int_equal(create_u8(&create, 21), 3);
    double charge = create_get(&create, "battery_charge");
    create_run(&create, 5000);
    double more = create_get(&create, "battery_charge") - charge;
    assert_true(more > 0 && more < 0.001);
    create_close(&create);
}

/* ---- Sleep and schedule ---- */

static void questions_keep_it_awake(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, (const char *const[]){"create.sleep_after_s=1", NULL});
    create_say(&create, "80");
    for (int i = 0; i < 4; i++) {
        create_run(&create, 600);
        create_u8(&create, 35);
    }
    assert_true(create_get(&create, "asleep") == 0);
    create_run(&create, 1100);
    assert_true(create_get(&create, "asleep") == 1);
    create_close(&create);
}

/* Wednesday, 14:59; the schedule says Wednesday, 15:00. */
static void the_schedule_wakes_it_and_waits_for_no_driver(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        int asleep_before, behaviour;
    } rows[] = {{"80", 1, CLEAN}, {"83", 0, IDLE}, {"84", 0, IDLE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct create create;
        create_open(&create, (const char *const[]){"create.sleep_after_s=2", NULL});
        create_say(&create, "80 a8 03 0e 3b");
        create_say(&create, "a7 08 00 00 00 00 00 00 0f 00 00 00 00 00 00 00");
        create_say(&create, rows[i].mode);
        double minute = create_get(&create, "clock_min");
        create_run(&create, 58000);
        assert_true(create_get(&create, "asleep") == rows[i].asleep_before);
        assert_true(create_get(&create, "behaviour") == IDLE);
        create_run(&create, 3000);
        assert_true(create_get(&create, "clock_min") == minute + 1);
        assert_true(create_get(&create, "asleep") == 0);
        assert_true(create_get(&create, "behaviour") == rows[i].behaviour);
        create_close(&create);
    }
}

/* ---- Readings ---- */

/* OI: packets 19 and 20 are since they were last read, also in a group. */
static void a_group_with_the_distance_clears_it(void **state)
{
    (void)state;
    static const struct {
        uint8_t group, size;
        int at; /* of the distance; -1: it is not in there */
    } rows[] = {{0, 26, 12}, {2, 6, 2}, {6, 52, 12}, {100, 80, 12}, {3, 10, -1}, {101, 28, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct create create;
        create_open(&create, NULL);
        create_say(&create, "80 84 91 00 c8 00 c8");
        create_run(&create, 700);
        const uint8_t *data = create_ask(&create, rows[i].group, rows[i].size);
        if (rows[i].at >= 0) {
            const uint8_t *distance = data + rows[i].at;
            assert_in_range(distance[0] << 8 | distance[1], 100, 200);
            assert_in_range(create_i16(&create, 19), 0, 30);
        } else {
            assert_in_range(create_i16(&create, 19), 100, 200);
        }
        create_close(&create);
    }
}

/* The line of owners' logs, once a second while the interface is off. */
static void with_its_option_it_prints_how_it_charges(void **state)
{
    (void)state;
    struct create create;
    create_open(&create, (const char *const[]){"create.charge_text=yes", "create.battery_v=14",
                                               "create.sleep_after_s=0", NULL});
    create_run(&create, 1500);
    assert_int_equal(create.count, 0); /* no charger */
    rig_do(&create.rig, "create.plug what=adapter");
    create_run(&create, 62500);
    create.bytes[create.count] = '\0';
    char *last = NULL;
    unsigned lines = 0;
    for (char *at = (char *)create.bytes; (at = strstr(at, "bat:   min ")) != NULL; at++) {
        last = at;
        lines++;
    }
    assert_in_range(lines, 61, 63);
    assert_non_null(last);
    long min, sec, mv, ma, tenths, mah, charging;
    char end[3];
    assert_int_equal(sscanf(last,
                            "bat:   min %ld  sec %ld  mV %ld  mA %ld  tenths-deg-C %ld  mAH %ld  "
                            "state %ld%2[\r\n]",
                            &min, &sec, &mv, &ma, &tenths, &mah, &charging, end),
                     8);
    assert_string_equal(end, "\r\n");
    assert_int_equal(min, 1);
    assert_in_range(sec, 0, 3);
    create_say(&create, "80"); /* the interface is on: no more text */
    assert_true(labs(create_u16(&create, 22) - mv) < 50);
    assert_true(labs(create_i16(&create, 23) - ma) < 20);
    assert_int_equal(create_u8(&create, 24) * 10, tenths);
    assert_true(labs(create_u16(&create, 25) - mah) < 3);
    assert_int_equal(create_u8(&create, 21), charging);
    create_clear(&create);
    create_run(&create, 3000);
    assert_int_equal(create.count, 0);
    create_close(&create);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_code_of_the_command_baud_is_a_rate),
        cmocka_unit_test(a_charger_shows_volts_as_owners_saw_them),
        cmocka_unit_test(a_fault_of_the_charger_is_state_5_until_it_ends),
        cmocka_unit_test(a_trickle_is_slow),
        cmocka_unit_test(questions_keep_it_awake),
        cmocka_unit_test(the_schedule_wakes_it_and_waits_for_no_driver),
        cmocka_unit_test(a_group_with_the_distance_clears_it),
        cmocka_unit_test(with_its_option_it_prints_how_it_charges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
