/* Faults of servos and their status packets, as a driver's test injects them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "tests/unit/feetech_rig.h"

static const char arm_read[] = "ff ff fe 0a 82 38 02 01 02 03 04 05 06 26";

/* IDs of the valid frames received, as digits. */
static const char *heard_ids(const struct bus_rig *bus)
{
    static char text[64];
    size_t used = 0;
    for (size_t at = 0; at + 6 <= bus->size;) {
        const uint8_t *frame = bus->heard + at;
        size_t size = 4u + frame[3];
        uint8_t sum = 0;
        for (size_t i = 2; i < size && at + size <= bus->size; i++)
            sum = (uint8_t)(sum + frame[i]);
        if (frame[0] != 0xFF || frame[1] != 0xFF || at + size > bus->size)
            break;
        text[used++] = sum == 0xFF ? (char)('0' + frame[2]) : '!';
        at += size;
    }
    text[used] = '\0';
    return text;
}

static void exactly_one_status_is_lost_or_damaged_and_the_next_ones_come(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"lost", "12456"}, {"damaged", "12!456"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char command[64];
        struct bus_rig bus = bus_open("so101", "");
        snprintf(command, sizeof command, "fault elbow_flex=%s count=1", rows[i][0]);
        bus_do(&bus, command);
        bus_send(&bus, arm_read, 10);
        assert_string_equal(heard_ids(&bus), rows[i][1]);
        bus_send(&bus, arm_read, 10);
        assert_string_equal(heard_ids(&bus), "123456");
        assert_int_equal((int)bus_get(&bus, "fault_packets"), 1);
        bus_do(&bus, command); // a second fault
        bus_send(&bus, arm_read, 10);
        assert_string_equal(heard_ids(&bus), rows[i][1]);
        bus_close(&bus);
    }
}

static void a_rate_hits_its_share_of_the_packets(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "");
    bus_do(&bus, "fault gripper=lost rate=0.25");
    for (int i = 0; i < 400; i++)
        bus_send(&bus, "ff ff 06 02 01 f6", 2);
    assert_in_range((int)bus_get(&bus, "fault_packets"), 70, 130);
    bus_close(&bus);
}

/* Milliseconds until the answer of the first servo under a fault; NULL: without a fault. */
static int answer_ms(const char *fault)
{
    struct bus_rig bus = bus_open("so101", "");
    int ms = 0;
    if (fault)
        bus_do(&bus, fault);
    bus_send(&bus, "ff ff 01 04 02 38 02 be", 0); // position
    for (; bus.size == 0 && ms < 1000; ms++)
        bus_run(&bus, 0.001);
    assert_string_equal(heard_ids(&bus), "1");
    bus_close(&bus);
    return ms;
}

static void a_late_status_comes_as_much_later_as_was_said(void **state)
{
    (void)state;
    int usual_ms = answer_ms(NULL);
    assert_int_equal(answer_ms("fault shoulder_pan=late") - usual_ms,
                     60); // as in the list of faults
    assert_int_equal(answer_ms("fault shoulder_pan=late ms=60") - usual_ms, 60);
    assert_int_equal(answer_ms("fault shoulder_pan=late ms=7") - usual_ms, 7);
    assert_int_equal(answer_ms("fault shoulder_lift=late"), usual_ms);
}

static void a_late_status_answers_the_next_request(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "");
    bus_do(&bus, "fault shoulder_pan=late count=1");
    bus_send(&bus, "ff ff 01 04 02 38 02 be", 55); // position
    assert_int_equal(bus.size, 0);
    bus_send(&bus, "ff ff 01 04 02 1f 02 d7", 50); // offset: the position comes first
    assert_string_equal(heard_ids(&bus), "11");
    bus_close(&bus);
}

static void a_servo_without_power_is_silent_and_forgets(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "");
    bus_write(&bus, 4, 41, 1, 50);
    bus_write(&bus, 1, 41, 1, 50);
    bus_do(&bus, "fault wrist_flex=absent for=0.5");
    bus_send(&bus, "ff ff fe 02 01 fe", 20);
    assert_string_equal(heard_ids(&bus), "12356");
    bus_run(&bus, 0.5);
    assert_int_equal(bus_read(&bus, 4, 41, 1), -1); // it starts
    bus_run(&bus, 0.8);
    assert_int_equal(bus_read(&bus, 4, 41, 1), 0);
    assert_int_equal(bus_read(&bus, 1, 41, 1), 50);
    bus_do(&bus, "fault gripper=absent");
    bus_send(&bus, arm_read, 20);
    assert_string_equal(heard_ids(&bus), "12345");
    bus_do(&bus, "heal");
    bus_run(&bus, 0.9);
    bus_send(&bus, arm_read, 20);
    assert_string_equal(heard_ids(&bus), "123456");
    bus_close(&bus);
}

static void a_twin_spoils_what_differs(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "");
    bus_write(&bus, 1, 40, 1, 1);
    bus_write(&bus, 1, 42, 2, 2500);
    bus_run(&bus, 1);
    bus_do(&bus, "fault shoulder_pan=twin");
    bus_ask(&bus, "ff ff 01 02 01 fb", "ff ff 01 02 00 fc"); // the same from both
    assert_int_equal(bus_read(&bus, 1, 3, 2), 777);
    assert_int_equal(bus_read(&bus, 1, 56, 2), -1);
    bus_close(&bus);
}

static void health_is_in_the_error_byte(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        unsigned address;
        int bit, value;
    } rows[] = {{"hot", 63, 4, 90}, {"sag", 62, 1, 30}, {"sag v=3.5", 62, 1, 35}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char command[64];
        struct bus_rig bus = bus_open("so101", "");
        snprintf(command, sizeof command, "fault wrist_flex=%s", rows[i].fault);
        assert_int_equal(bus_write(&bus, 4, 41, 1, 1), 0);
        bus_do(&bus, command);
        bus_run(&bus, 0.01);
        assert_int_equal(bus_write(&bus, 4, 41, 1, 7), rows[i].bit);
        assert_int_equal(bus_read(&bus, 4, 41, 1), 7); // it took effect
        assert_int_equal(bus_read(&bus, 4, rows[i].address, 1), rows[i].value);
        bus_do(&bus, "heal");
        bus_run(&bus, 0.01);
        assert_int_equal(bus_write(&bus, 4, 41, 1, 7), 0);
        bus_close(&bus);
    }
}

static void a_jammed_joint_overloads_and_torque_0_clears_it(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "");
    bus_do(&bus, "fault gripper=jammed");
    bus_write(&bus, 6, 40, 1, 1);
    bus_write(&bus, 6, 42, 2, 2048 + 900);
    bus_run(&bus, 1.5);
    assert_int_equal(bus_read(&bus, 6, 60, 2), 1000); // its full torque
    assert_int_equal(bus_read(&bus, 6, 65, 1), 0);
    bus_run(&bus, 1);
    assert_int_equal(bus_read(&bus, 6, 65, 1), 0x20);
    assert_int_equal(bus_read(&bus, 6, 60, 2), 200); // the protective torque
    bus_do(&bus, "heal");
    bus_run(&bus, 1);
    assert_int_equal(bus_write(&bus, 6, 40, 1, 0), 0x20); // still set in the answer
    bus_run(&bus, 0.01);
    assert_int_equal(bus_read(&bus, 6, 65, 1), 0);
    bus_close(&bus);
}

static void a_foreign_servo_tells_another_model_and_firmware(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("lekiwi", "");
    bus_do(&bus, "fault back_wheel=foreign");
    bus_run(&bus, 0.002);
    assert_int_equal(bus_read(&bus, 8, 3, 2), 2825);
    assert_int_equal(bus_read(&bus, 8, 1, 1), 9);
    assert_int_equal(bus_read(&bus, 7, 1, 1), 10);
    bus_close(&bus);
}

static void a_weak_supply_sags_with_the_current(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "supply_ohm: 0.1, supply_v: 5");
    for (unsigned id = 1; id <= 6; id++) {
        bus_write(&bus, id, 40, 1, 1);
        bus_write(&bus, id, 42, 2, 2300);
    }
    bus_run(&bus, 0.05);
    assert_true(bus_get(&bus, "supply_v") < 4);
    assert_true(bus_get(&bus, "current_a") > 2.5);
    assert_int_equal(bus_read(&bus, 3, 65, 1) & 1, 1);
    bus_close(&bus);
}

static void a_servo_is_too_hot_above_the_limit_of_its_register(void **state)
{
    (void)state;
    for (int limit = 88; limit <= 92; limit++) {
        struct bus_rig bus = bus_open("so101", "");
        bus_write(&bus, 4, 13, 1, limit);
        bus_do(&bus, "fault wrist_flex=hot"); // 90 degrees
        bus_run(&bus, 0.01);
        assert_int_equal(bus_read(&bus, 4, 63, 1), 90);
        assert_int_equal(bus_read(&bus, 4, 65, 1), limit < 90 ? 4 : 0);
        bus_close(&bus);
    }
}

static void a_servo_reports_volts_outside_of_its_registers(void **state)
{
    (void)state;
    static const struct {
        int low, high, bit; /* 7.4 V */
    } rows[] = {{40, 80, 0}, {74, 80, 0}, {75, 80, 1}, {40, 74, 0}, {40, 73, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bus_rig bus = bus_open("sts3215", "");
        bus_write(&bus, 1, 14, 1, rows[i].high);
        bus_write(&bus, 1, 15, 1, rows[i].low);
        bus_run(&bus, 0.01);
        assert_int_equal(bus_read(&bus, 1, 62, 1), 74);
        assert_int_equal(bus_read(&bus, 1, 65, 1), rows[i].bit);
        bus_close(&bus);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_one_status_is_lost_or_damaged_and_the_next_ones_come),
        cmocka_unit_test(a_rate_hits_its_share_of_the_packets),
        cmocka_unit_test(a_late_status_comes_as_much_later_as_was_said),
        cmocka_unit_test(a_late_status_answers_the_next_request),
        cmocka_unit_test(a_servo_without_power_is_silent_and_forgets),
        cmocka_unit_test(a_twin_spoils_what_differs),
        cmocka_unit_test(health_is_in_the_error_byte),
        cmocka_unit_test(a_jammed_joint_overloads_and_torque_0_clears_it),
        cmocka_unit_test(a_foreign_servo_tells_another_model_and_firmware),
        cmocka_unit_test(a_weak_supply_sags_with_the_current),
        cmocka_unit_test(a_servo_is_too_hot_above_the_limit_of_its_register),
        cmocka_unit_test(a_servo_reports_volts_outside_of_its_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
