/* E-puck2s in a world, controlled by bytes: their motion on the floor, and sensor packet fields
 * that change with causes in the world instead of values set by the test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/epuck2/epuck2_wire.h"
#include "tests/support/simulation.h"

enum { ROBOTS = 2, FRAME = 1 + EPUCK2_SENSORS_SIZE };

/* Two robots a and b in a room, each with a client. */
struct table {
    struct simulation simulation;
    struct sim *sim;
    struct epuck2_sensors seen[ROBOTS]; /* of the newest packet */
};

static void run(struct table *table, int ms)
{
    for (int i = 0; i < ms; i++) {
        sim_step(table->sim);
        for (size_t robot = 0; robot < ROBOTS; robot++) {
            const uint8_t *bytes;
            size_t size;
            while (sim_output(table->sim, sim_channel_index(table->sim, robot, 0), &bytes, &size))
                if (size == FRAME && bytes[0] == EPUCK2_ID_SENSORS)
                    wire_decode(&epuck2_sensors_packet, bytes + 1, FRAME - 1, &table->seen[robot]);
        }
    }
}

static void order(struct table *table, size_t robot, const struct epuck2_command *command)
{
    uint8_t frame[EPUCK2_COMMAND_FRAME] = {EPUCK2_ID_COMMAND};
    wire_encode(&epuck2_command_packet, command, frame + 1);
    sim_host_bytes(table->sim, sim_channel_index(table->sim, robot, 0), frame, sizeof frame);
}

static void drive(struct table *table, int16_t left, int16_t right)
{
    order(table, 0, &(struct epuck2_command){.request = 2, .left = left, .right = right});
}

static struct table set_table_with(const char *world, const char *const *options)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "world:\n  size: {x: 2, y: 2}\n%s"
             "robots:\n"
             "  - {name: a, type: epuck2, pose: {x: 0.5, y: 1}, links: [{tcp: auto}], "
             "options: {noise: off, ground_sensors: yes}}\n"
             "  - {name: b, type: epuck2, pose: {x: 1.5, y: 1, heading: 180}, "
             "links: [{tcp: auto}], options: {noise: off}}\n",
             world);
    struct table table = {.simulation = simulation_open(yaml, options)};
    table.sim = table.simulation.sim;
    for (size_t robot = 0; robot < ROBOTS; robot++) {
        sim_host_present(table.sim, sim_channel_index(table.sim, robot, 0), true);
        order(&table, robot, &(struct epuck2_command){.request = 2});
    }
    run(&table, 300);
    return table;
}

static struct table set_table(const char *world)
{
    return set_table_with(world, NULL);
}

static double get(const struct table *table, const char *name)
{
    return simulation_get(table->sim, name);
}

/* ---- On the floor ---- */

static void it_stands_at_once_when_its_coils_are_off(void **state)
{
    (void)state;
    struct table table = set_table("");
    drive(&table, 1000, 1000);
    run(&table, 1000);
    drive(&table, 0, 0);
    while (get(&table, "a.left_wanted") != 0)
        run(&table, 1);
    double x_m = get(&table, "a.x_m");
    run(&table, 1000);
    assert_true(fabs(get(&table, "a.speed_m_s")) < 1e-6);
    assert_true(get(&table, "a.x_m") - x_m < 0.005);

    drive(&table, -1000, 1000);
    run(&table, 1000);
    drive(&table, 0, 0);
    while (get(&table, "a.left_wanted") != 0)
        run(&table, 1);
    double heading_deg = get(&table, "a.heading_deg");
    run(&table, 1000);
    assert_true(fabs(get(&table, "a.heading_deg") - heading_deg) < 10);
    assert_true(fabs(table.seen[0].gyro_z / 131.0) < 0.5);
    simulation_close(&table.simulation);
}

static void its_counters_tell_how_far_it_has_gone(void **state)
{
    (void)state;
    struct table table = set_table("");
    double step_m = 0.041 * 3.14159265358979 / 1000;
    double x_m = get(&table, "a.x_m");
    drive(&table, 500, 500);
    run(&table, 5000);
    drive(&table, 0, 0);
    run(&table, 1000);
    double way_m = get(&table, "a.x_m") - x_m;
    assert_true(way_m > 0.3);
    assert_true(fabs(table.seen[0].left_steps * step_m - way_m) < 0.005);
    simulation_close(&table.simulation);
}

/* ---- Causes in the world ---- */

/* GCtronic's ROS driver computes it like this, with wheels of 40 mm (gctronic/epuck_driver_cpp). */
static void a_driver_that_takes_wheels_of_40_mm_reads_40_of_41_parts_of_the_way(void **state)
{
    (void)state;
    const double step_m = 0.04 * 3.14159265358979 / 1000;
    static const char *const sizes[] = {"41", "40"};
    for (int i = 0; i < 2; i++) {
        char option[64];
        snprintf(option, sizeof option, "a.wheel_diameter_mm=%s", sizes[i]);
        struct table table = set_table_with("", (const char *const[]){option, NULL});
        double x_m = get(&table, "a.x_m");
        drive(&table, 300, 300);
        run(&table, 5000);
        double way_m = get(&table, "a.x_m") - x_m;
        double read_m = get(&table, "a.left_steps") * step_m;
        assert_true(way_m > 0.1);
        assert_true(fabs(read_m / way_m - (i == 0 ? 40.0 / 41 : 1)) < 0.002);
        simulation_close(&table.simulation);
    }
}

static void a_collision_is_felt(void **state)
{
    (void)state;
    struct table table = set_table("");
    int hardest = 0;
    simulation_do(table.sim, "a.place x=0.15 y=1 heading=180");
    drive(&table, 1000, 1000);
    run(&table, 500);
    for (int i = 0; i < 1500; i++) {
        run(&table, 1);
        int felt = table.seen[0].acc_y < 0 ? -table.seen[0].acc_y : table.seen[0].acc_y;
        hardest = felt > hardest ? felt : hardest;
    }
    assert_true(get(&table, "a.collisions") >= 1);
    assert_true(hardest > 100); /* a seventh of gravity, along the way */
    assert_true(table.seen[0].prox[0] > 1000 && table.seen[0].prox[7] > 1000);
    simulation_close(&table.simulation);
}

static void a_sound_of_another_robot_is_heard_most_on_its_side(void **state)
{
    (void)state;
    struct table table = set_table("");
    simulation_do(table.sim, "b.place x=0.5 y=0.8 heading=0"); /* on the right of a */
    run(&table, 200);
    uint16_t quiet = table.seen[0].mic_right;
    order(&table, 1, &(struct epuck2_command){.request = 2, .sound = 8});
    run(&table, 300);
    const struct epuck2_sensors *seen = &table.seen[0];
    assert_true(seen->mic_right > quiet + 100);
    assert_true(seen->mic_right > seen->mic_front && seen->mic_right > seen->mic_back);
    assert_true(seen->mic_front > seen->mic_left && seen->mic_back > seen->mic_left);
    order(&table, 1, &(struct epuck2_command){.request = 2, .sound = 0x20});
    run(&table, 300);
    assert_int_equal(seen->mic_right, quiet);
    simulation_close(&table.simulation);
}

static void the_magnetic_field_turns_as_it_turns(void **state)
{
    (void)state;
    struct table table = set_table("");
    /* North is along y; the chip's axes are right and back. */
    static const struct {
        const char *place;
        int right, back;
    } cases[] = {{"a.place x=0.5 y=1 heading=0", -1, 0},
                 {"a.place x=0.5 y=1 heading=90", 0, -1},
                 {"a.place x=0.5 y=1 heading=180", 1, 0},
                 {"a.place x=0.5 y=1 heading=270", 0, 1}};
    for (size_t i = 0; i < 4; i++) {
        simulation_do(table.sim, cases[i].place);
        run(&table, 400);
        double x = table.seen[0].mag_x;
        double y = table.seen[0].mag_y;
        double field_ut = sqrt(x * x + y * y);
        assert_true(field_ut > 15 && field_ut < 30);
        assert_true(fabs(x / field_ut - cases[i].right) < 0.05);
        assert_true(fabs(y / field_ut - cases[i].back) < 0.05);
        assert_true(table.seen[0].mag_z < -30);
    }
    simulation_close(&table.simulation);
}

static void another_robot_and_the_line_below_are_seen(void **state)
{
    (void)state;
    struct table table =
        set_table("  lines: [{from: {x: 0.2, y: 0.5}, to: {x: 1.8, y: 0.5}, width: 0.03}]\n");
    assert_in_range(table.seen[0].tof, 900, 1100); /* b is 0.93 m away */
    assert_in_range(table.seen[0].ground[1], 900, 1023);
    simulation_do(table.sim, "b.place x=0.6 y=1");
    run(&table, 300);
    assert_in_range(table.seen[0].tof, 20, 90);
    assert_true(table.seen[0].prox[0] > 100 && table.seen[0].prox[7] > 100);
    assert_int_equal(table.seen[0].prox[3] + table.seen[0].prox[4], 0);
    simulation_do(table.sim, "a.place x=0.5 y=0.5 heading=0");
    run(&table, 300);
    assert_in_range(table.seen[0].ground[1], 0, 300);
    simulation_close(&table.simulation);
}

static void the_battery_goes_down_by_itself_and_faster_when_driving(void **state)
{
    (void)state;
    struct table table = set_table("");
    double lost[2];
    for (int i = 0; i < 2; i++) {
        double before = get(&table, "a.battery_charge");
        drive(&table, (int16_t)(i * -300), (int16_t)(i * 300));
        run(&table, 20000);
        lost[i] = before - get(&table, "a.battery_charge");
    }
    assert_true(lost[0] > 0 && lost[1] > 1.5 * lost[0]);
    uint16_t full = table.seen[0].battery;
    simulation_do(table.sim, "a.battery v=3.4");
    run(&table, 100);
    assert_in_range(table.seen[0].battery, 2780, 2790);
    assert_true(full > 3200);
    simulation_close(&table.simulation);
}

/* Number of bytes that are not black in the newest picture of robot a, after a while. */
static size_t picture_light(struct table *table)
{
    size_t light = SIZE_MAX;
    for (int i = 0; i < 600; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(table->sim);
        while (sim_output(table->sim, sim_channel_index(table->sim, 0, 0), &bytes, &size)) {
            if (size != 1 + EPUCK2_IMAGE_SIZE || bytes[0] != EPUCK2_ID_IMAGE)
                continue;
            light = 0;
            for (size_t k = 1; k < size; k++)
                light += bytes[k] != 0;
        }
    }
    return light;
}

static void the_picture_of_a_dead_camera_is_black(void **state)
{
    (void)state;
    struct table table = set_table("");
    order(&table, 0, &(struct epuck2_command){.request = EPUCK2_REQUEST_IMAGE});
    size_t light = picture_light(&table);
    assert_in_range(light, 1000, EPUCK2_IMAGE_SIZE);
    simulation_do(table.sim, "a.fault camera=dead");
    assert_int_equal(picture_light(&table), 0);
    simulation_do(table.sim, "a.fault camera=none");
    assert_int_equal(picture_light(&table), light);
    simulation_close(&table.simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stands_at_once_when_its_coils_are_off),
        cmocka_unit_test(its_counters_tell_how_far_it_has_gone),
        cmocka_unit_test(a_driver_that_takes_wheels_of_40_mm_reads_40_of_41_parts_of_the_way),
        cmocka_unit_test(a_collision_is_felt),
        cmocka_unit_test(a_sound_of_another_robot_is_heard_most_on_its_side),
        cmocka_unit_test(the_magnetic_field_turns_as_it_turns),
        cmocka_unit_test(another_robot_and_the_line_below_are_seen),
        cmocka_unit_test(the_battery_goes_down_by_itself_and_faster_when_driving),
        cmocka_unit_test(the_picture_of_a_dead_camera_is_black),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
