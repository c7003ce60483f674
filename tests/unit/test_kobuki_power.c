/* Battery, charger, lamps and power outputs of the Kobuki. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "tests/unit/kobuki_bench.h"

static void plug(struct bench *b, enum charger_kind kind, double charge)
{
    b->sensors.charger = kind;
    b->sensors.battery_charge = charge;
}

/* Charges or discharges as the robot reports, for a time that may be long. */
static void charge_for(struct bench *b, double seconds)
{
    double charge = b->sensors.battery_charge + b->actuators.charge_rate_1_s * seconds;
    b->sensors.battery_charge = fmax(0, fmin(1, charge));
    bench_run(b, 40);
}

/* ---- Charger ---- */

static void the_charger_byte_reports_kind_and_state(void **unused)
{
    (void)unused;
    static const struct {
        double charge;
        enum charger_kind kind;
        uint8_t byte;
    } rows[] = {
        {0.5, CHARGER_NONE, 0}, {1.0, CHARGER_NONE, 0},     {0.5, CHARGER_DOCK, 6},
        {1.0, CHARGER_DOCK, 2}, {0.5, CHARGER_ADAPTER, 22}, {1.0, CHARGER_ADAPTER, 18},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        bench_open(&b, NULL);
        plug(&b, rows[i].kind, rows[i].charge);
        bench_run(&b, 20);
        assert_int_equal(bench_basic(&b).charger, rows[i].byte);
        ASSERT_SIGNAL(&b, "charging", rows[i].byte == 6 || rows[i].byte == 22);
        ASSERT_SIGNAL(&b, "recharge_outlet", bench_signal(&b, "charging"));
        bench_close(&b);
    }
}

/* The charging plots: from empty to charged. */
static void each_pack_charges_in_its_time(void **unused)
{
    (void)unused;
    static const struct {
        const char *option;
        int minutes;
    } rows[] = {{"battery_pack=4s1p", 87}, {"battery_pack=4s2p", 156}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench b;
        bench_open(&b, rows[i].option, NULL);
        plug(&b, CHARGER_DOCK, 0);
        bench_run(&b, 40);
        ASSERT_NEAR(1 / b.actuators.charge_rate_1_s / 60, rows[i].minutes, 0.5);
        bench_close(&b);
    }
}

static void charging_ends_full_and_stays_full_until_unplugged(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    plug(&b, CHARGER_DOCK, 0);
    bench_run(&b, 40);
    charge_for(&b, 86 * 60);
    assert_int_equal(bench_basic(&b).charger, 6);
    charge_for(&b, 2 * 60); /* the charging plot: 87 minutes */
    assert_int_equal(bench_basic(&b).charger, 2);
    assert_int_equal(bench_basic(&b).battery, 167);
    assert_true(b.actuators.charge_rate_1_s == 0);
    charge_for(&b, 60);
    assert_int_equal(bench_basic(&b).charger, 2);
    plug(&b, CHARGER_NONE, 1);
    bench_run(&b, 40);
    assert_int_equal(bench_basic(&b).charger, 0);
    assert_true(b.actuators.charge_rate_1_s < 0);
    bench_close(&b);
}

static void a_full_pack_is_topped_up_only_below_98_percent(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    plug(&b, CHARGER_DOCK, 1);
    bench_run(&b, 40);
    plug(&b, CHARGER_DOCK, 0.985);
    bench_run(&b, 40);
    assert_int_equal(bench_basic(&b).charger, 2);
    plug(&b, CHARGER_DOCK, 0.975);
    bench_run(&b, 40);
    assert_int_equal(bench_basic(&b).charger, 6);
    bench_close(&b);
}

static void only_old_firmware_shows_charged_for_a_second(void **unused)
{
    (void)unused;
    static const char *const options[] = {"firmware=1.0.0", "firmware=1.2.0"};
    for (int i = 0; i < 2; i++) {
        struct bench b;
        bench_open(&b, options[i], NULL);
        bench_run(&b, 100);
        plug(&b, CHARGER_ADAPTER, 0.5);
        bench_run(&b, 500);
        assert_int_equal(bench_basic(&b).charger, i == 0 ? 18 : 22);
        bench_run(&b, 600);
        assert_int_equal(bench_basic(&b).charger, 22);
        bench_close(&b);
    }
}

/* ---- Battery ---- */

struct moment {
    double time; /* of the published plots, in their unit */
    double volts;
};

static void assert_plot(const char *pack, enum charger_kind charger, double length,
                        const struct moment *plot, size_t count)
{
    struct bench b;
    bench_open(&b, pack, NULL);
    for (size_t i = 0; i < count; i++) {
        double charge = plot[i].time / length;
        plug(&b, charger, charger == CHARGER_NONE ? 1 - charge : charge);
        bench_run(&b, 20);
        assert_int_equal(bench_basic(&b).battery, (int)round(plot[i].volts * 10));
    }
    bench_close(&b);
}

static void the_battery_byte_follows_the_published_curves(void **unused)
{
    (void)unused;
    static const struct moment out_1p[] = {{1, 15.4}, {2, 14.6},    {3, 14.2},
                                           {4, 13.7}, {4.33, 13.4}, {4.55, 10.7}};
    static const struct moment out_2p[] = {{2, 15.6}, {4, 14.8},   {6, 14.4},
                                           {8, 13.8}, {8.5, 13.5}, {8.9, 11.1}};
    static const struct moment in_1p[] = {{0, 14.1},  {3, 14.8},  {10, 15.1}, {20, 15.3},
                                          {32, 15.5}, {42, 15.7}, {51, 16.0}, {60, 16.5},
                                          {62, 16.6}, {71, 16.7}, {80, 16.7}, {87, 16.7}};
    static const struct moment in_2p[] = {{0, 13.3},   {6, 14.5},   {30, 15.0},  {58, 15.3},
                                          {79, 15.6},  {98, 16.1},  {112, 16.5}, {118, 16.6},
                                          {138, 16.7}, {150, 16.7}, {156, 16.7}};
    assert_plot("battery_pack=4s1p", CHARGER_NONE, 4.55, out_1p, COUNT(out_1p));
    assert_plot("battery_pack=4s2p", CHARGER_NONE, 8.9, out_2p, COUNT(out_2p));
    assert_plot("battery_pack=4s1p", CHARGER_ADAPTER, 87, in_1p, COUNT(in_1p));
    assert_plot("battery_pack=4s2p", CHARGER_DOCK, 156, in_2p, COUNT(in_2p));
}

static void every_voltage_of_the_option_shows_on_the_wire(void **unused)
{
    (void)unused;
    static const char *const packs[] = {"battery_pack=4s1p", "battery_pack=4s2p"};
    static const char *const volts[] = {"battery_v=11.5", "battery_v=13.0", "battery_v=14.0",
                                        "battery_v=15.7", "battery_v=16.4", "battery_v=16.7"};
    static const int bytes[] = {115, 130, 140, 157, 164, 167};
    for (int pack = 0; pack < 2; pack++) {
        for (int i = 0; i < 6; i++) {
            struct bench b;
            bench_open(&b, packs[pack], volts[i], NULL);
            bench_run(&b, 20);
            assert_int_equal(bench_basic(&b).battery, bytes[i]);
            assert_true(b.body.battery_min_v < 11.5 && b.body.battery_max_v >= 16.7);
            bench_close(&b);
        }
    }
}

static void a_spinning_robot_empties_its_pack_in_the_published_time(void **unused)
{
    (void)unused;
    static const struct {
        const char *option;
        double hours;
    } rows[] = {{"battery_pack=4s1p", 4.55}, {"battery_pack=4s2p", 8.9}};
    for (int i = 0; i < 2; i++) {
        struct bench b;
        bench_open(&b, rows[i].option, NULL);
        bench_drive(&b, 150, 1, 2000);
        double hours = -1 / b.actuators.charge_rate_1_s / 3600;
        ASSERT_NEAR(hours, rows[i].hours, rows[i].hours * 0.2);
        bench_drive(&b, 0, 0, 2000);
        assert_true(-1 / b.actuators.charge_rate_1_s / 3600 > hours);
        bench_close(&b);
    }
}

/* ---- Lamps and outputs ---- */

static void send_outputs(struct bench *b, uint16_t word)
{
    struct kobuki_flags outputs = {word};
    bench_send_packet(b, &kobuki_outputs_packet, &outputs);
    bench_run(b, 20);
}

static void leds_show_red_green_and_both_as_orange(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    for (int led1 = 0; led1 < 4; led1++) {
        for (int led2 = 0; led2 < 4; led2++) {
            send_outputs(&b, (uint16_t)(led1 << 8 | led2 << 10));
            ASSERT_SIGNAL(&b, "led1", led1);
            ASSERT_SIGNAL(&b, "led2", led2);
            ASSERT_SIGNAL(&b, "led1_red", led1 == 1);
            ASSERT_SIGNAL(&b, "led1_green", led1 == 2);
            ASSERT_SIGNAL(&b, "led1_orange", led1 == 3);
            ASSERT_SIGNAL(&b, "led2_orange", led2 == 3);
        }
    }
    bench_close(&b);
}

static void the_output_word_switches_rails_and_pins(void **unused)
{
    (void)unused;
    static const char *const names[] = {"output0",   "output1",  "output2",      "output3",
                                        "power_3v3", "power_5v", "power_12v_5a", "power_12v_1a5"};
    struct bench b;
    bench_open(&b, NULL);
    for (int i = 0; i < 8; i++)
        ASSERT_SIGNAL(&b, names[i], i >= 4); /* powers are on from the start */
    for (int i = 0; i < 8; i++) {
        send_outputs(&b, (uint16_t)(1u << i));
        for (int k = 0; k < 8; k++)
            ASSERT_SIGNAL(&b, names[k], k == i);
    }
    bench_close(&b);
}

static void set_power_moves_the_rails_alone_or_nothing(void **unused)
{
    (void)unused;
    struct kobuki_flags flags = {0x05};
    struct bench b;
    bench_open(&b, NULL);
    send_outputs(&b, 0x0103);
    bench_send_packet(&b, &kobuki_set_power_packet, &flags);
    ASSERT_SIGNAL(&b, "outputs", 0x0153);
    bench_close(&b);

    bench_open(&b, "set_power=ignore", NULL);
    bench_send_packet(&b, &kobuki_set_power_packet, &flags);
    ASSERT_SIGNAL(&b, "outputs", 0x00F0);
    assert_int_equal(bench_stats(&b)->unknown_ids, 0);
    bench_close(&b);
}

/* Number of times that the lamp came on during ten seconds. */
static int blinks(struct bench *b, const char *lamp)
{
    int count = 0;
    bool was_lit = bench_signal(b, lamp) != 0;
    for (int i = 0; i < 1000; i++) {
        bench_run(b, 10);
        bool is_lit = bench_signal(b, lamp) != 0;
        count += is_lit && !was_lit;
        was_lit = is_lit;
    }
    return count;
}

static void the_status_lamp_warns_of_a_low_battery(void **unused)
{
    (void)unused;
    static const struct {
        const char *volts, *lamp, *dark;
        int per_10_s;
    } rows[] = {
        {"battery_v=14.0", "status_green", "status_orange", 0},
        {"battery_v=13.6", "status_green", "status_orange", 0},
        {"battery_v=13.4", "status_orange", "status_green", 20},
        {"battery_v=13.0", "status_orange", "status_green", 40},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench b;
        bench_open(&b, rows[i].volts, NULL);
        bench_run(&b, 20);
        assert_int_equal(blinks(&b, rows[i].lamp), rows[i].per_10_s);
        assert_int_equal(blinks(&b, rows[i].dark), 0);
        if (rows[i].per_10_s == 0)
            ASSERT_SIGNAL(&b, rows[i].lamp, 1);
        ASSERT_SIGNAL(&b, rows[i].dark, 0);
        bench_close(&b);
    }
    struct bench b;
    bench_open(&b, "battery_v=13.0", NULL);
    plug(&b, CHARGER_ADAPTER, 0.2);
    bench_run(&b, 20);
    assert_true(blinks(&b, "status_green") > 0);
    assert_int_equal(blinks(&b, "status_orange"), 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_charger_byte_reports_kind_and_state),
        cmocka_unit_test(each_pack_charges_in_its_time),
        cmocka_unit_test(charging_ends_full_and_stays_full_until_unplugged),
        cmocka_unit_test(a_full_pack_is_topped_up_only_below_98_percent),
        cmocka_unit_test(only_old_firmware_shows_charged_for_a_second),
        cmocka_unit_test(the_battery_byte_follows_the_published_curves),
        cmocka_unit_test(every_voltage_of_the_option_shows_on_the_wire),
        cmocka_unit_test(a_spinning_robot_empties_its_pack_in_the_published_time),
        cmocka_unit_test(leds_show_red_green_and_both_as_orange),
        cmocka_unit_test(the_output_word_switches_rails_and_pins),
        cmocka_unit_test(set_power_moves_the_rails_alone_or_nothing),
        cmocka_unit_test(the_status_lamp_warns_of_a_low_battery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
