/* Faults of a robot: the data that a host reads from a Kobuki whose sensors, wheels, battery or
 * power fail, and the counters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simulation.h"
#include "tests/unit/kobuki_rig.h"

static const char *const quiet[] = {"kobuki.noise=off", NULL};

/* Offsets in the basic sensor data (Kobuki protocol, Basic Sensor Data). */
enum { BUMPER = 2, CLIFF = 4, LEFT = 5, RIGHT = 7, BUTTON = 11, CHARGER = 12, BATTERY = 13 };

static unsigned basic(const struct rig *rig, size_t offset)
{
    size_t size;
    return rig_part(rig, 1, &size)[offset];
}

static unsigned word(const struct rig *rig, size_t offset)
{
    return basic(rig, offset) | basic(rig, offset + 1) << 8;
}

static double angle_deg(const struct rig *rig)
{
    size_t size;
    const uint8_t *inertia = rig_part(rig, 4, &size);
    return (int16_t)(uint16_t)(inertia[0] | inertia[1] << 8) * 0.01;
}

/* ---- Sensors ---- */

static void a_dead_cliff_sensor_sees_no_floor(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_do(&rig, "kobuki.fault cliff_center=dead for=1");
    rig_run(&rig, 0.5);
    assert_int_equal(basic(&rig, CLIFF), 0x02);
    assert_in_range((unsigned)rig_get(&rig, "kobuki.fault_dead"), 50, 150);
    rig_run(&rig, 0.6);
    assert_int_equal(basic(&rig, CLIFF), 0);
    rig_close(&rig);
}

static void a_stuck_cliff_sensor_goes_on_telling_of_the_floor(void **state)
{
    (void)state;
    static const char edge[] =
        "world:\n"
        "  size: {x: 6, y: 6}\n"
        "  cliffs: [{points: [{x: 4, y: 0}, {x: 6, y: 0}, {x: 6, y: 6}, {x: 4, y: 6}], "
        "depth: 0.3}]\n"
        "robots: [{name: kobuki, type: kobuki, pose: {x: 3.5, y: 3, heading: 0}}]\n";
    struct rig rig = rig_open_scene(edge, quiet);
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.fault cliff_center=stuck");
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.place x=3.87 y=3");
    rig_run(&rig, 0.1);
    assert_int_equal(basic(&rig, CLIFF), 0);
    assert_true(rig_get(&rig, "kobuki.fault_stuck") > 5);
    rig_do(&rig, "kobuki.fault cliff_center=none");
    rig_run(&rig, 0.1);
    assert_int_equal(basic(&rig, CLIFF), 0x02);
    rig_close(&rig);
}

static void a_sensor_may_fail_now_and_then(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    unsigned gone = 0;
    rig_do(&rig, "kobuki.fault cliff_left=dead rate=0.3");
    for (int i = 0; i < 200; i++) {
        rig_run(&rig, 0.02);
        gone += rig.packet_size > 0 && basic(&rig, CLIFF) == 0x04;
    }
    assert_in_range(gone, 30, 90);
    rig_close(&rig);
}

static void bumpers_and_buttons_may_be_dead_or_stuck(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_do(&rig, "kobuki.fault bumper_left=dead");
    rig_do(&rig, "kobuki.fault button_b0=dead");
    rig_do(&rig, "kobuki.press bumper=left for=0");
    rig_do(&rig, "kobuki.press bumper=right for=0");
    rig_do(&rig, "kobuki.press button=b0 for=0");
    rig_run(&rig, 0.1);
    assert_int_equal(basic(&rig, BUMPER), 0x01);
    assert_int_equal(basic(&rig, BUTTON), 0);
    rig_do(&rig, "kobuki.heal");
    rig_run(&rig, 0.1);
    assert_int_equal(basic(&rig, BUMPER), 0x05);
    assert_int_equal(basic(&rig, BUTTON), 0x01);

    rig_do(&rig, "kobuki.fault bumper_right=stuck");
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.release bumper=right");
    rig_run(&rig, 0.1);
    assert_int_equal(basic(&rig, BUMPER), 0x05); // left is still pressed
    rig_do(&rig, "kobuki.fault bumper_center=stuck");
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.press bumper=center for=0");
    rig_do(&rig, "kobuki.release bumper=left");
    rig_run(&rig, 0.1);
    assert_int_equal(basic(&rig, BUMPER), 0x01);
    rig_do(&rig, "kobuki.release bumper=center");
    rig_do(&rig, "kobuki.heal");
    rig_run(&rig, 0.1);
    assert_int_equal(basic(&rig, BUMPER), 0);
    rig_close(&rig);
}

/* ---- Encoders and wheels ---- */

static void a_dead_encoder_stands_still_and_counts_on_from_there(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, 200, 0, 1);
    rig_do(&rig, "kobuki.fault encoder_0=dead");
    rig_drive(&rig, 100, 0, 0.1);
    unsigned left = word(&rig, LEFT), right = word(&rig, RIGHT);
    rig_drive(&rig, 100, 0, 1);
    assert_int_equal(word(&rig, LEFT), left);
    assert_true(word(&rig, RIGHT) > right + 500);
    rig_drive(&rig, 0, 0, 2);
    rig_do(&rig, "kobuki.heal");
    rig_drive(&rig, 0, 0, 0.1);
    assert_in_range(word(&rig, LEFT), left - 30, left + 30);
    rig_drive(&rig, 100, 0, 1);
    assert_true(word(&rig, LEFT) > left + 500);
    rig_close(&rig);
}

static double ticks_a_meter(const char *fault, double *lost)
{
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, 0, 0, 0.1);
    if (fault)
        rig_do(&rig, fault);
    double x_m = rig_get(&rig, "kobuki.x_m"), y_m = rig_get(&rig, "kobuki.y_m");
    rig_drive(&rig, 300, 0, 5);
    rig_drive(&rig, 0, 0, 1);
    double way_m = hypot(rig_get(&rig, "kobuki.x_m") - x_m, rig_get(&rig, "kobuki.y_m") - y_m);
    double ticks = word(&rig, LEFT);
    *lost = rig_get(&rig, "kobuki.fault_lost_ticks");
    rig_close(&rig);
    return ticks / way_m;
}

static void an_encoder_that_loses_ticks_reports_a_shorter_way(void **state)
{
    (void)state;
    double lost;
    double usual = ticks_a_meter(NULL, &lost);
    assert_true(lost == 0);
    double fewer = ticks_a_meter("kobuki.fault encoders=loss rate=0.2", &lost);
    assert_true(lost > 1000);
    assert_true(fewer > 0.75 * usual && fewer < 0.85 * usual);
}

static void a_wheel_without_grip_turns_the_robot(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, 300, 0, 2);
    assert_true(fabs(rig_get(&rig, "kobuki.heading_deg")) < 2);
    rig_do(&rig, "kobuki.fault wheel_0=slip grip=0.01 for=1");
    rig_drive(&rig, 700, 0, 1.5);
    double heading = rig_get(&rig, "kobuki.heading_deg");
    assert_true(heading > 5); // the right wheel continues to push
    assert_true(rig_get(&rig, "kobuki.fault_slips") == 1);
    rig_drive(&rig, 0, 0, 1);
    heading = rig_get(&rig, "kobuki.heading_deg");
    rig_drive(&rig, 300, 0, 2);
    assert_true(fabs(rig_get(&rig, "kobuki.heading_deg") - heading) < 2);
    rig_close(&rig);
}

static void wheels_on_ice_turn_while_the_robot_hardly_moves(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_do(&rig, "kobuki.fault wheels=slip grip=0.02");
    rig_drive(&rig, 500, 0, 1);
    double way_mm = (rig_get(&rig, "kobuki.x_m") - 10) * 1000;
    // 11.7 ticks a millimeter (Kobuki protocol, Basic Sensor Data)
    assert_true(way_mm > 10 && way_mm < word(&rig, LEFT) / 11.7 * 0.5);
    rig_close(&rig);
}

/* ---- Gyro ---- */

static void a_gyro_that_drifts_turns_the_heading_and_not_the_robot(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 0.1);
    double from = angle_deg(&rig);
    rig_do(&rig, "kobuki.fault gyro=drift deg_s=20 for=2");
    rig_run(&rig, 3);
    double turned = angle_deg(&rig) - from;
    assert_true(turned > 36 && turned < 44);
    assert_true(fabs(rig_get(&rig, "kobuki.heading_deg")) < 0.1);
    assert_true(rig_get(&rig, "kobuki.fault_drifts") > 100);
    rig_close(&rig);
}

/* The COBOT's board integrates its heading from the gyro, so an accumulated error remains. */
static void healing_a_gyro_gives_a_heading_that_drifted_away_not_back(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open("world: {size: {x: 9, y: 9}}\n"
                        "robots: [{name: cobot, type: cobot, pose: {x: 4, y: 4}}]\n",
                        NULL);
    sim_host_present(self.sim, 0, true);
    simulation_do(self.sim, "cobot.fault gyro=drift deg_s=20");
    for (int i = 0; i < 2000; i++)
        sim_step(self.sim);
    simulation_do(self.sim, "cobot.heal");
    for (int i = 0; i < 1000; i++)
        sim_step(self.sim);
    double yaw_deg = simulation_get(self.sim, "cobot.attitude.yaw");
    assert_true(yaw_deg > 36 && yaw_deg < 44);
    assert_true(fabs(simulation_get(self.sim, "cobot.heading_deg")) < 0.1);
    simulation_close(&self);
}

static void a_dead_gyro_feels_no_turn_and_a_stuck_one_does_not_end_it(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.fault gyro=dead");
    rig_drive(&rig, 100, 1, 1);
    assert_true(fabs(angle_deg(&rig)) < 1);
    assert_true(rig_get(&rig, "kobuki.heading_deg") > 20);
    rig_do(&rig, "kobuki.fault gyro=stuck");
    rig_drive(&rig, 0, 0, 1);
    double from = angle_deg(&rig);
    rig_run(&rig, 1);
    assert_true(angle_deg(&rig) - from > 10);
    rig_close(&rig);
}

/* ---- Battery and power ---- */

static void a_battery_may_be_low_at_once_or_empty_fast(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 0.1);
    unsigned full = basic(&rig, BATTERY);
    rig_do(&rig, "kobuki.fault battery=drain factor=1000 for=5");
    double charge = rig_get(&rig, "kobuki.charge");
    rig_run(&rig, 5);
    double after = rig_get(&rig, "kobuki.charge"), drained = rig_get(&rig, "kobuki.fault_drained");
    assert_true(after < charge - 0.05);
    assert_true(fabs(charge - after - drained) < 0.01);
    rig_run(&rig, 5);
    assert_true(after - rig_get(&rig, "kobuki.charge") < 0.001);

    rig_do(&rig, "kobuki.fault battery=low v=13.5");
    rig_run(&rig, 0.1);
    assert_in_range(basic(&rig, BATTERY), 133, 136);
    rig_do(&rig, "kobuki.fault battery=low");
    rig_run(&rig, 0.1);
    assert_true(basic(&rig, BATTERY) < 132 && full > 132); // "dangerous" to the driver
    assert_true(rig_get(&rig, "kobuki.fault_battery_lows") == 2);
    rig_close(&rig);
}

static void what_a_drain_takes_is_what_the_robot_would_not_have_used(void **state)
{
    (void)state;
    for (int factor = 2; factor <= 8; factor *= 2) {
        char command[80];
        struct rig rig = rig_open(quiet);
        rig_run(&rig, 0.1);
        double charge = rig_get(&rig, "kobuki.charge");
        snprintf(command, sizeof command, "kobuki.fault battery=drain factor=%d", factor);
        rig_do(&rig, command);
        rig_run(&rig, 1);
        double used = charge - rig_get(&rig, "kobuki.charge");
        double wanted = used * (factor - 1) / factor;
        assert_true(used > 0);
        assert_true(fabs(rig_get(&rig, "kobuki.fault_drained") - wanted) < 1e-6 * wanted);
        rig_close(&rig);
    }
}

static void a_brown_out_is_a_silence_and_a_new_start(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, 200, 0, 2);
    assert_true(word(&rig, LEFT) > 1000);
    double sent = rig_get(&rig, "kobuki.uart.sent"), frames = rig_get(&rig, "kobuki.uart.frames");
    uint64_t packets = rig.packets;
    rig_do(&rig, "kobuki.fault power=brownout");
    assert_true(rig_get(&rig, "kobuki.power") == 1);
    for (int i = 0; i < 24; i++) {
        rig_base(&rig, 200, 0); // the robot is off and receives nothing
        rig_run(&rig, 0.02);
    }
    assert_int_equal(rig.packets, packets);
    assert_true(sim_channel_is_plugged(rig.sim, rig.channel));
    assert_true(rig_get(&rig, "kobuki.uart.frames") == frames);
    rig_run(&rig, 1.02);
    assert_true(rig_get(&rig, "kobuki.power") == 0);
    assert_in_range(rig.packets - packets, 48, 51);
    assert_int_equal(rig.bad_packets, 0);
    assert_int_equal(word(&rig, LEFT), 0);
    assert_in_range(word(&rig, 0), 900, 1100); // its clock restarted, ms
    assert_true(rig_get(&rig, "kobuki.speed_m_s") < 0.01);
    assert_true(rig_get(&rig, "kobuki.fault_brownouts") == 1);
    assert_true(rig_get(&rig, "kobuki.uart.sent") >
                sent); // the counters are kept, because they belong to the observer
    rig_drive(&rig, 200, 0, 1);
    assert_true(word(&rig, LEFT) > 1000);
    rig_close(&rig);
}

static void a_robot_that_is_off_keeps_its_port_and_says_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, 300, 0, 1);
    uint64_t packets = rig.packets;
    rig_do(&rig, "kobuki.fault power=off");
    rig_run(&rig, 60);
    assert_int_equal(rig.packets, packets);
    assert_true(sim_channel_is_plugged(rig.sim, rig.channel));
    assert_true(rig_get(&rig, "kobuki.speed_m_s") < 0.001);
    assert_true(rig_get(&rig, "kobuki.fault_power_cuts") == 1);
    // Hosts connect and disconnect meanwhile.
    sim_host_present(rig.sim, rig.channel, false);
    rig_run(&rig, 0.1);
    sim_host_present(rig.sim, rig.channel, true);
    rig_run(&rig, 0.1);
    assert_int_equal(rig.packets, packets);
    rig_do(&rig, "kobuki.reset");
    rig_run(&rig, 1);
    assert_in_range(rig.packets - packets, 48, 50);
    assert_true(rig_get(&rig, "kobuki.power") == 0);
    rig_close(&rig);
}

static void a_board_on_usb_power_talks_and_does_not_drive(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.plug what=adapter");
    rig_do(&rig, "kobuki.fault power=usb for=2");
    uint64_t packets = rig.packets;
    double charge = rig_get(&rig, "kobuki.charge");
    rig_drive(&rig, 300, 0, 1.9);
    assert_in_range(rig.packets - packets, 93, 96);
    assert_int_equal(word(&rig, LEFT), 0);
    assert_int_equal(basic(&rig, CHARGER), 0);
    assert_true(basic(&rig, BATTERY) < 132);
    assert_true(rig_get(&rig, "kobuki.charge") == charge);
    assert_true(rig_get(&rig, "kobuki.fault_power_cuts") == 1);
    rig_drive(&rig, 300, 0, 1);
    assert_true(word(&rig, LEFT) > 1000);
    assert_true(basic(&rig, BATTERY) > 132);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_cliff_sensor_sees_no_floor),
        cmocka_unit_test(a_stuck_cliff_sensor_goes_on_telling_of_the_floor),
        cmocka_unit_test(a_sensor_may_fail_now_and_then),
        cmocka_unit_test(bumpers_and_buttons_may_be_dead_or_stuck),
        cmocka_unit_test(a_dead_encoder_stands_still_and_counts_on_from_there),
        cmocka_unit_test(an_encoder_that_loses_ticks_reports_a_shorter_way),
        cmocka_unit_test(a_wheel_without_grip_turns_the_robot),
        cmocka_unit_test(wheels_on_ice_turn_while_the_robot_hardly_moves),
        cmocka_unit_test(a_gyro_that_drifts_turns_the_heading_and_not_the_robot),
        cmocka_unit_test(healing_a_gyro_gives_a_heading_that_drifted_away_not_back),
        cmocka_unit_test(a_dead_gyro_feels_no_turn_and_a_stuck_one_does_not_end_it),
        cmocka_unit_test(a_battery_may_be_low_at_once_or_empty_fast),
        cmocka_unit_test(what_a_drain_takes_is_what_the_robot_would_not_have_used),
        cmocka_unit_test(a_brown_out_is_a_silence_and_a_new_start),
        cmocka_unit_test(a_robot_that_is_off_keeps_its_port_and_says_nothing),
        cmocka_unit_test(a_board_on_usb_power_talks_and_does_not_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
