/* Decisions of the docking host, compared with the observed reactions of the vendor's program to
 * single bytes of the front receiver, and with its rules for bumper and charger. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/hosts/dock_drive.h"

static void step(struct dock_drive *drive, const struct kobuki_reading *reading, int packets)
{
    for (int i = 0; i < packets; i++)
        dock_drive_step(drive, reading);
}

static void expect(const struct dock_drive *drive, enum dock_state state, double v, double w)
{
    assert_string_equal(dock_state_name(drive->state), dock_state_name(state));
    assert_true(fabs(drive->v_m_s - v) < 1e-9);
    assert_true(fabs(drive->w_rad_s - w) < 1e-9);
}

static void scanning_goes_over_to_alignment_where_the_center_is_seen(void **state)
{
    (void)state;
    static const struct {
        uint8_t mid;
        bool is_aligned;
    } seen[] = {{0x00, 0}, {0x01, 0}, {0x03, 1}, {0x05, 0}, {0x11, 0}, {0x02, 1},
                {0x07, 1}, {0x3f, 1}, {0x04, 0}, {0x06, 1}, {0x24, 0}, {0x08, 1},
                {0x38, 1}, {0x10, 0}, {0x18, 1}, {0x30, 0}, {0x20, 0}, {0x28, 1}};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        struct dock_drive drive = {.state = DOCK_SCAN};
        step(&drive, &(struct kobuki_reading){.dock_ir = {0, seen[i].mid, 0}}, 1);
        if (seen[i].is_aligned)
            expect(&drive, DOCK_ALIGNED, 0.05, 0);
        else
            expect(&drive, DOCK_SCAN, 0, 0.66);
    }
    struct dock_drive odd = {.state = DOCK_SCAN};
    step(&odd, &(struct kobuki_reading){.dock_ir = {0, 0x40, 0}}, 1);
    expect(&odd, DOCK_SCAN, 0, 0.1);
}

static void an_aligned_robot_steers_by_its_front_receiver(void **state)
{
    (void)state;
    static const struct {
        uint8_t mid;
        enum dock_state state;
        double v, w;
    } seen[] = {
        {0x00, DOCK_SCAN, 0, 0.66},
        {0x40, DOCK_SCAN, 0, 0.66},
        {0x01, DOCK_ALIGNED_NEAR, 0.05, 0.1},
        {0x03, DOCK_ALIGNED_NEAR, 0.05, 0.1},
        {0x05, DOCK_ALIGNED_NEAR, 0.05, 0.1},
        {0x11, DOCK_ALIGNED_NEAR, 0.05, 0.1},
        {0x02, DOCK_ALIGNED_NEAR, 0.05, 0},
        {0x07, DOCK_ALIGNED_NEAR, 0.05, 0},
        {0x3f, DOCK_ALIGNED_NEAR, 0.05, 0},
        {0x04, DOCK_ALIGNED_NEAR, 0.05, -0.1},
        {0x06, DOCK_ALIGNED_NEAR, 0.05, -0.1},
        {0x24, DOCK_ALIGNED_NEAR, 0.05, -0.1},
        {0x08, DOCK_ALIGNED_FAR, 0.1, 0},
        {0x38, DOCK_ALIGNED_FAR, 0.1, 0},
        {0x10, DOCK_ALIGNED_FAR, 0.1, 0.3},
        {0x18, DOCK_ALIGNED_FAR, 0.1, 0.3},
        {0x30, DOCK_ALIGNED_FAR, 0.1, 0.3},
        {0x20, DOCK_ALIGNED_FAR, 0.1, -0.3},
        {0x28, DOCK_ALIGNED_FAR, 0.1, -0.3},
    };
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        struct dock_drive drive = {.state = DOCK_ALIGNED};
        step(&drive, &(struct kobuki_reading){.dock_ir = {0, seen[i].mid, 0}}, 1);
        expect(&drive, seen[i].state, seen[i].v, seen[i].w);
    }
}

static void lights_are_remembered_for_twenty_packets(void **state)
{
    (void)state;
    struct dock_drive drive = {.state = DOCK_ALIGNED};
    step(&drive, &(struct kobuki_reading){.dock_ir = {0, 0x02, 0}}, 1);
    step(&drive, &(struct kobuki_reading){0}, 19);
    expect(&drive, DOCK_ALIGNED_NEAR, 0.05, 0);
    step(&drive, &(struct kobuki_reading){0}, 1);
    expect(&drive, DOCK_SCAN, 0, 0.66);
}

/* One turn counter-clockwise in steps of ten degrees. The front receiver first receives MID. */
static void turn(struct dock_drive *drive, uint8_t mid)
{
    struct kobuki_reading reading = {.dock_ir = {0, mid, 0}};
    for (int deg = 0; deg <= 10; deg += 10)
        reading.heading_deg = deg, dock_drive_step(drive, &reading);
    reading.dock_ir[1] = 0;
    for (int deg = 25; deg <= 365; deg += 20)
        for (int half = 0; half <= 10; half += 10)
            reading.heading_deg = remainder(deg + half - 10, 360), dock_drive_step(drive, &reading);
}

static void after_a_turn_without_the_center_it_crosses_the_front_of_the_dock(void **state)
{
    (void)state;
    for (int is_right = 0; is_right <= 1; is_right++) {
        struct dock_drive drive = {0};
        turn(&drive, is_right ? 0x20 : 0x10);
        expect(&drive, DOCK_FIND_STREAM, 0, 0);
        struct kobuki_reading reading = {.heading_deg = 10};
        step(&drive, &reading, 1);
        expect(&drive, DOCK_FIND_STREAM, 0, is_right ? -0.33 : 0.33);
        uint8_t *leading = &reading.dock_ir[is_right ? 2 : 0];
        *leading = is_right ? 0x20 : 0x10;
        step(&drive, &reading, 1);
        expect(&drive, DOCK_GET_STREAM, 0.5, 0);
        step(&drive, &reading, 1);
        expect(&drive, DOCK_GET_STREAM, 0.05, 0);
        *leading = 0x30;
        step(&drive, &reading, 1);
        expect(&drive, DOCK_SCAN, 0, 0.1);
    }
}

static void a_bump_without_charge_leads_a_little_back(void **state)
{
    (void)state;
    struct dock_drive drive = {.state = DOCK_ALIGNED_NEAR};
    step(&drive, &(struct kobuki_reading){.bumper = KOBUKI_CENTER}, 3);
    expect(&drive, DOCK_BUMPED, -0.05, 0);
    step(&drive, &(struct kobuki_reading){0}, 10);
    expect(&drive, DOCK_BUMPED, -0.05, 0);
    step(&drive, &(struct kobuki_reading){0}, 1);
    expect(&drive, DOCK_SCAN, 0, 0);
}

static void charge_without_bumper_is_the_end_after_a_moment(void **state)
{
    (void)state;
    struct dock_drive drive = {.state = DOCK_ALIGNED_NEAR};
    step(&drive, &(struct kobuki_reading){.bumper = KOBUKI_CENTER, .charger = 6}, 5);
    expect(&drive, DOCK_BUMPED_DOCK, -0.01, 0);
    step(&drive, &(struct kobuki_reading){.charger = 6}, 20);
    expect(&drive, DOCK_DOCKED_IN, 0, 0);
    step(&drive, &(struct kobuki_reading){.charger = 6}, 1);
    expect(&drive, DOCK_DONE, 0, 0);
}

static void a_contact_that_is_lost_stops_it_for_ever(void **state)
{
    (void)state;
    struct dock_drive drive = {.state = DOCK_ALIGNED_NEAR};
    step(&drive, &(struct kobuki_reading){.charger = 6}, 5);
    step(&drive, &(struct kobuki_reading){.dock_ir = {0, 0x3f, 0}}, 100);
    expect(&drive, DOCK_LOST_CONTACT, 0, 0);
}

static void a_wary_one_makes_room_after_two_bumps_without_charge(void **state)
{
    (void)state;
    struct dock_drive drive = {.is_wary = true, .state = DOCK_ALIGNED_NEAR};
    struct kobuki_reading reading = {.dock_ir = {0, 0x3f, 0}};
    for (int bump = 0; bump < 2; bump++) {
        reading.bumper = KOBUKI_CENTER;
        step(&drive, &reading, 2);
        reading.bumper = 0;
        step(&drive, &reading, 11);
    }
    expect(&drive, DOCK_RETREAT, -0.1, 0);
    for (int i = 0; i < 1000 && drive.state == DOCK_RETREAT; i++) {
        reading.left_ticks = (uint16_t)(reading.left_ticks - 23); /* wraps below 0 */
        reading.right_ticks = (uint16_t)(reading.right_ticks - 23);
        step(&drive, &reading, 1);
        assert_true(i < 200);
    }
    expect(&drive, DOCK_SCAN, 0, 0.66);
}

static void a_wary_one_searches_again_when_the_dock_is_out_of_sight(void **state)
{
    (void)state;
    struct dock_drive drive = {.is_wary = true, .state = DOCK_GET_STREAM, .sides = 1};
    step(&drive, &(struct kobuki_reading){.dock_ir = {0, 0, 0x20}}, 100);
    expect(&drive, DOCK_GET_STREAM, 0.05, 0);
    step(&drive, &(struct kobuki_reading){0}, 100);
    expect(&drive, DOCK_SCAN, 0, 0.66);

    struct dock_drive vendor = {.state = DOCK_GET_STREAM, .sides = 1};
    step(&vendor, &(struct kobuki_reading){0}, 10000);
    expect(&vendor, DOCK_GET_STREAM, 0.05, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scanning_goes_over_to_alignment_where_the_center_is_seen),
        cmocka_unit_test(an_aligned_robot_steers_by_its_front_receiver),
        cmocka_unit_test(lights_are_remembered_for_twenty_packets),
        cmocka_unit_test(after_a_turn_without_the_center_it_crosses_the_front_of_the_dock),
        cmocka_unit_test(a_bump_without_charge_leads_a_little_back),
        cmocka_unit_test(charge_without_bumper_is_the_end_after_a_moment),
        cmocka_unit_test(a_contact_that_is_lost_stops_it_for_ever),
        cmocka_unit_test(a_wary_one_makes_room_after_two_bumps_without_charge),
        cmocka_unit_test(a_wary_one_searches_again_when_the_dock_is_out_of_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
