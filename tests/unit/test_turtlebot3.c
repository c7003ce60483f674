/* The virtual TurtleBot3s in whole simulations, tested by the frames of turtlebot3_node. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/turtlebot3/turtlebot3_motion.h"
#include "protocols/turtlebot3/turtlebot3_senses.h"
#include "tests/support/simulation.h"

static const double PI = 3.14159265358979323846;

enum { TABLE_AT = 10, TABLE_SIZE = 172, DEBUG = 14, HEARTBEAT = 19, VELOCITY = 150 };

struct bench {
    struct simulation s;
    uint8_t heard[2048];
    size_t size;
    uint8_t beat;
};

static struct bench open_model(const char *model, const char *options, const char *more)
{
    struct bench bench = {0};
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "seed: 3\nworld: {size: {x: 9, y: 9}}\nrobots:\n- {name: bot, type: turtlebot3_%s, "
             "pose: {x: 4, y: 4}, options: {%s}%s}\n",
             model, options, more);
    bench.s = simulation_open(yaml, NULL);
    sim_host_present(bench.s.sim, 0, true);
    return bench;
}

static struct bench open_bench(const char *options)
{
    return open_model("burger", options, "");
}

static void run(struct bench *bench, int milliseconds)
{
    for (int i = 0; i < milliseconds; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(bench->s.sim);
        while (sim_output(bench->s.sim, 0, &bytes, &size)) {
            assert_true(bench->size + size <= sizeof bench->heard);
            memcpy(bench->heard + bench->size, bytes, size);
            bench->size += size;
        }
    }
}

static double get(const struct bench *bench, const char *signal)
{
    char name[64];
    snprintf(name, sizeof name, "bot.%s", signal);
    return simulation_get(bench->s.sim, name);
}

static void say(struct bench *bench, uint8_t id, uint8_t instruction, const void *parameters,
                size_t size)
{
    uint8_t frame[256] = {0xFF, 0xFF, 0xFD, 0, id, (uint8_t)(size + 3), 0, instruction};
    memcpy(frame + 8, parameters, size);
    uint16_t check = wire_crc16(frame, 8 + size);
    frame[8 + size] = (uint8_t)check;
    frame[9 + size] = (uint8_t)(check >> 8);
    sim_host_bytes(bench->s.sim, 0, frame, size + 10);
}

static void say_read(struct bench *bench, unsigned address, unsigned count)
{
    const uint8_t parameters[] = {(uint8_t)address, (uint8_t)(address >> 8), (uint8_t)count,
                                  (uint8_t)(count >> 8)};
    say(bench, 200, DYNAMIXEL2_READ, parameters, sizeof parameters);
}

static void say_write(struct bench *bench, unsigned address, const void *data, size_t size)
{
    uint8_t parameters[128] = {(uint8_t)address, (uint8_t)(address >> 8)};
    memcpy(parameters + 2, data, size);
    say(bench, 200, DYNAMIXEL2_WRITE, parameters, size + 2);
}

/* Waits up to 9 ms for a whole status packet. Returns its error; OUT receives its data. */
static int answer(struct bench *bench, uint8_t *out, size_t count)
{
    for (int i = 0; i < 9 && bench->size == 0; i++)
        run(bench, 1);
    if (bench->size == 0)
        return -1;
    uint8_t plain[512];
    assert_true(wire_frame_is_good(&turtlebot3_framing, bench->heard, bench->size));
    size_t size = wire_unstuff(bench->heard + 8, bench->size - 10, plain);
    assert_int_equal(size, 1 + count);
    if (count > 0)
        memcpy(out, plain + 1, count);
    bench->size = 0;
    return plain[0];
}

static void write_byte(struct bench *bench, unsigned address, uint8_t value)
{
    say_write(bench, address, &value, 1);
    assert_int_equal(answer(bench, NULL, 0), 0);
}

static void put(uint8_t *at, int32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)((uint32_t)value >> 8 * i);
}

static void drive(struct bench *bench, int linear, int angular)
{
    uint8_t data[24] = {0};
    put(data, linear);
    put(data + 20, angular);
    say_write(bench, VELOCITY, data, sizeof data);
    assert_int_equal(answer(bench, NULL, 0), 0);
}

static struct turtlebot3_table read_table(struct bench *bench)
{
    uint8_t body[1 + TABLE_SIZE] = {0};
    struct turtlebot3_table table = {0};
    say_read(bench, TABLE_AT, TABLE_SIZE);
    assert_int_equal(answer(bench, body + 1, TABLE_SIZE), 0);
    assert_true(wire_decode(&turtlebot3_table_packet, body, sizeof body, &table));
    return table;
}

/* Sends a heartbeat every 100 ms. */
static void live(struct bench *bench, int milliseconds)
{
    for (int i = 0; i < milliseconds / 100; i++) {
        write_byte(bench, HEARTBEAT, ++bench->beat);
        run(bench, 91);
        bench->size = 0;
    }
}

/* ---- Requests ---- */

static void a_driver_is_answered_as_by_the_board(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    uint8_t data[16] = {0};
    say(&bench, 200, DYNAMIXEL2_PING, "", 0);
    assert_int_equal(answer(&bench, data, 3), 0);
    assert_memory_equal(data, "\x00\x50\x05", 3);
    say(&bench, 254, DYNAMIXEL2_PING, "", 0);
    assert_int_equal(answer(&bench, NULL, 0), -1);
    say_read(&bench, 0, 10); // with the gap at 8
    assert_int_equal(answer(&bench, data, 10), 0);
    assert_memory_equal(data, "\x00\x50\x01\x00\x00\x00\x05\xC8\x00\x02", 10);
    say_read(&bench, 300, 8);
    assert_int_equal(answer(&bench, data, 8), 0);
    assert_memory_equal(data, "\0\0\0\0\0\0\0\0", 8);
    say_write(&bench, 2, "\7\0\0\0", 4);
    assert_int_equal(answer(&bench, NULL, 0), 7);
    struct turtlebot3_table table = read_table(&bench);
    assert_int_equal(table.millis % 20, 0);
    assert_int_equal(table.bumper1 + table.bumper2, 2);
    assert_int_equal(table.device_status, 0);
    assert_int_equal(table.motors_connected + table.torque, 2);
    assert_true(table.position_left >= 0 && table.position_left < 4096);
    assert_true(table.position_left != table.position_right);
    assert_true(table.gyro_x == 0 && table.gyro_y == 0 && table.gyro_z == 0);
    assert_true(fabs((double)table.accel_z - 9.81) < 0.1 && table.field_x == 0);
    assert_true(table.orientation_w == 1);
    assert_int_equal(table.battery, 1238); // 12.4 V in steps of 18.4 mV
    assert_int_equal(table.battery_percent, 10462);
    simulation_close(&bench.s);
}

static void answers_come_in_order_and_not_at_once(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    int least = 99, most = 0;
    for (int i = 0; i < 200; i++) {
        int waited = 0;
        say_read(&bench, 0, 2);
        for (; bench.size == 0; waited++)
            run(&bench, 1);
        least = waited < least ? waited : least;
        most = waited > most ? waited : most;
        bench.size = 0;
    }
    assert_int_equal(least, 2); // arrival, then the answer
    assert_in_range(most, 8, 9);
    for (int i = 0; i < 5; i++)
        say_read(&bench, 0, (unsigned)i + 1);
    run(&bench, 40);
    size_t at = 0;
    for (size_t i = 0; i < 5; i++) {
        size_t size = wire_frame_size(&turtlebot3_framing, bench.heard + at, bench.size - at);
        assert_int_equal(size, 11 + i + 1);
        at += size;
    }
    assert_int_equal(at, bench.size);
    simulation_close(&bench.s);
}

/* ---- Motion ---- */

static void a_velocity_becomes_goals_of_the_motors(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        int linear, angular, left, right;
    } rows[] = {
        {"burger", 10, -50, 176, 75},   {"burger", 50, 0, 266, 266},
        {"burger", -50, 0, -266, -266}, {"burger", 0, 400, -266, 266},
        {"waffle", 50, 0, 336, 336},    {"waffle_pi", 0, 400, -336, 336},
        {"burger", 21, 260, 2, 337},    {"burger", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench = open_model(rows[i].model, "", "");
        live(&bench, 100);
        drive(&bench, rows[i].linear, rows[i].angular);
        run(&bench, 20);
        assert_int_equal((int)get(&bench, "left_goal"), rows[i].left);
        assert_int_equal((int)get(&bench, "right_goal"), rows[i].right);
        assert_true(get(&bench, "table.linear_x") == rows[i].linear * 0.01);
        simulation_close(&bench.s);
    }
}

static void it_stops_half_a_second_after_the_last_heartbeat(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    drive(&bench, 10, 0); // not connected yet
    run(&bench, 100);
    assert_true(get(&bench, "left_goal") == 0);
    write_byte(&bench, HEARTBEAT, 0); // no change
    drive(&bench, 10, 0);
    run(&bench, 50);
    assert_true(get(&bench, "left_goal") == 0 && get(&bench, "connected") == 0);
    live(&bench, 5000);
    drive(&bench, 10, 0);
    live(&bench, 5000); // a command does not expire
    assert_true(get(&bench, "left_goal") == 126 && get(&bench, "table.connected") == 1);
    write_byte(&bench, HEARTBEAT, ++bench.beat);
    run(&bench, 490);
    assert_true(get(&bench, "left_goal") == 126);
    run(&bench, 40);
    assert_true(get(&bench, "left_goal") == 0 && get(&bench, "timeouts") == 1);
    assert_true(read_table(&bench).linear_x == 1000 / 100);
    live(&bench, 200);
    assert_true(get(&bench, "left_goal") == 0); // the command is gone
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 10, 0);
    run(&bench, 2000);
    assert_true(get(&bench, "left_goal") == 126);
    simulation_close(&bench.s);
}

static void the_wheels_reach_what_they_are_reported(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    live(&bench, 100);
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 10, 0);
    int start = 0, end = 0;
    for (int i = 0; i < 400; i++) {
        run(&bench, 1);
        double speed = get(&bench, "speed_m_s");
        start = start == 0 && speed > 0.01 ? i : start;
        end = end == 0 && speed > 0.0997 * 0.632 ? i : end;
    }
    assert_in_range(end - start, 35, 65); // of first order, 50 ms
    assert_true(fabs(get(&bench, "speed_m_s") - 126 * 0.229 * 2 * PI / 60 * 0.033) < 5e-4);
    uint8_t slope[8] = {0};
    put(slope, 1); // 0.3745 rad/s2: 12.4 mm/s2 at the rim
    put(slope + 4, 1);
    drive(&bench, 0, 0);
    run(&bench, 1000);
    say_write(&bench, 174, slope, sizeof slope);
    assert_int_equal(answer(&bench, NULL, 0), 0);
    drive(&bench, 10, 0);
    run(&bench, 4000);
    assert_true(fabs(get(&bench, "speed_m_s") - 4 * 0.01236) < 2e-3);
    simulation_close(&bench.s);
}

static void the_motors_give_what_the_battery_has(void **state)
{
    (void)state;
    struct bench bench = open_bench("battery_v: 11.1");
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 50, 0);
    run(&bench, 1500);
    double speed = get(&bench, "speed_m_s"); // 57 rpm are 0.197 m/s
    assert_true(speed > 0.17 && speed < 0.198);
    simulation_close(&bench.s);
}

static void torque_off_lets_the_wheels_go(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 10, 0);
    run(&bench, 500);
    assert_true(get(&bench, "left_duty") > 0 && get(&bench, "right_duty") > 0);
    write_byte(&bench, 149, 0);
    run(&bench, 1000);
    assert_true(get(&bench, "speed_m_s") == 0 && get(&bench, "table.torque") == 0);
    assert_true(get(&bench, "left_duty") == 0 && get(&bench, "right_duty") == 0);
    assert_true(get(&bench, "left_goal") == 126);
    write_byte(&bench, 149, 1);
    run(&bench, 500);
    assert_true(get(&bench, "speed_m_s") > 0.09);
    simulation_close(&bench.s);
}

static double heading_of(const struct turtlebot3_table *table)
{
    return 2 * atan2((double)table->orientation_z, (double)table->orientation_w);
}

/* Turns as turtlebot3_node counts: the heading of the IMU, counts of both wheels. */
static void a_square_ends_where_it_began(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    write_byte(&bench, DEBUG, 1);
    read_table(&bench);
    run(&bench, 1);
    for (int side = 0; side < 4; side++) {
        struct turtlebot3_table first = read_table(&bench), now = first;
        drive(&bench, 20, 0);
        while ((now.position_left - first.position_left) * 2 * PI / 4096 * 0.033 < 0.99) {
            run(&bench, 20);
            now = read_table(&bench);
        }
        drive(&bench, 0, 0);
        run(&bench, 500);
        double heading = heading_of(&now), turned = 0;
        drive(&bench, 0, 50);
        while (turned < PI / 2 - 0.055) {
            run(&bench, 20);
            now = read_table(&bench);
            turned = remainder(heading_of(&now) - heading, 2 * PI);
        }
        drive(&bench, 0, 0);
        run(&bench, 500);
    }
    read_table(&bench);
    run(&bench, 1);
    double x = get(&bench, "x_m") - 4, y = get(&bench, "y_m") - 4;
    assert_true(hypot(x, y) < 0.05);
    assert_true(hypot(get(&bench, "odometry_x_m") - get(&bench, "x_m"),
                      get(&bench, "odometry_y_m") - get(&bench, "y_m")) < 0.01);
    assert_true(fabs(get(&bench, "odometry_heading_deg") - get(&bench, "heading_deg")) < 1);
    simulation_close(&bench.s);
}

static void leds_show_where_it_drives(void **state)
{
    (void)state;
    static const struct {
        int linear, angular;
        const char *leds; // front left, front right, back left, back right
    } rows[] = {{0, 0, "0000"},     {10, 0, "1100"},    {-10, 0, "0011"},
                {0, 100, "1000"},   {0, -100, "0100"},  {10, 100, "1000"},
                {-10, 100, "0001"}, {10, -100, "0100"}, {-10, -100, "0010"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench bench = open_bench("");
        write_byte(&bench, DEBUG, 1);
        drive(&bench, rows[i].linear, rows[i].angular);
        run(&bench, 100);
        for (int led = 0; led < 4; led++) {
            char name[] = "table.led1";
            name[9] = (char)('1' + led);
            if (get(&bench, name) != rows[i].leds[led] - '0')
                fail_msg("%d %d: %s", rows[i].linear, rows[i].angular, name);
        }
        simulation_close(&bench.s);
    }
}

static void a_held_button_drives_without_a_host(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    simulation_do(bench.s.sim, "bot.press button=sw1 for=2.9");
    run(&bench, 3500);
    assert_true(get(&bench, "x_m") == 4);
    simulation_do(bench.s.sim, "bot.press button=sw1 for=3.2");
    run(&bench, 12000);
    assert_true(fabs(get(&bench, "x_m") - 4.3) < 0.01);
    simulation_do(bench.s.sim, "bot.press button=sw1 for=11"); // once, however long it is held
    run(&bench, 12000);
    assert_true(fabs(get(&bench, "x_m") - 4.6) < 0.02);
    simulation_do(bench.s.sim, "bot.press button=sw2 for=3.2");
    run(&bench, 4000);
    assert_true(get(&bench, "table.led2") == 1 && get(&bench, "table.led1") == 0);
    run(&bench, 8000);
    assert_true(fabs(get(&bench, "heading_deg") + 184) < 3);
    assert_true(get(&bench, "table.led2") == 0);
    simulation_close(&bench.s);
}

/* ---- Work that keeps the board busy ---- */

static void a_calibration_answers_after_2_6_seconds(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    uint8_t on = 1, data[2];
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 10, 0);
    run(&bench, 100);
    say_write(&bench, 59, &on, 1);
    run(&bench, 2550);
    assert_int_equal(bench.size, 0);
    assert_true(get(&bench, "calibrating") == 1);
    assert_true(get(&bench, "speed_m_s") > 0.09); // the motors keep their goals
    say_read(&bench, 0, 2);
    run(&bench, 20);
    size_t size = wire_frame_size(&turtlebot3_framing, bench.heard, bench.size);
    assert_int_equal(size, 11);
    memmove(bench.heard, bench.heard + size, bench.size -= size);
    assert_int_equal(answer(&bench, data, 2), 0);
    assert_int_equal(read_table(&bench).recalibrate, 0);
    simulation_close(&bench.s);
}

static void a_calibration_in_a_turn_spoils_the_gyro(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    uint8_t on = 1;
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 0, 100);
    run(&bench, 500);
    assert_true(fabs((double)read_table(&bench).gyro_z - 1) < 0.02);
    say_write(&bench, 59, &on, 1);
    run(&bench, 2700);
    bench.size = 0;
    assert_true(fabs((double)read_table(&bench).gyro_z) < 0.02);
    drive(&bench, 0, 0);
    run(&bench, 500);
    assert_true(fabs((double)read_table(&bench).gyro_z + 1) < 0.02);
    simulation_close(&bench.s);
}

static void a_board_that_starts_lets_requests_wait(void **state)
{
    (void)state;
    struct bench bench = open_model("burger", "", ", power_on: at_open");
    uint8_t data[2];
    say_read(&bench, 0, 2);
    run(&bench, 8190);
    assert_int_equal(bench.size, 0);
    run(&bench, 20);
    assert_int_equal(answer(&bench, data, 2), 0);
    assert_true(get(&bench, "sound_hz") == 262);
    simulation_close(&bench.s);
}

static void a_mute_motor_keeps_the_board_busy(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    uint8_t data[2];
    simulation_do(bench.s.sim, "bot.mute motor=left for=5");
    run(&bench, 100);
    int answered = 0;
    for (int i = 0; i < 40; i++) { // a host waits for 36 ms
        say_read(&bench, 0, 2);
        run(&bench, 36);
        answered += bench.size > 0;
        bench.size = 0;
    }
    assert_in_range(answered, 2, 10);
    run(&bench, 8000);
    bench.size = 0;
    say_read(&bench, 0, 2);
    assert_int_equal(answer(&bench, data, 2), 0);
    simulation_close(&bench.s);
}

static void a_mute_motor_runs_free_for_as_long_as_was_said(void **state)
{
    (void)state;
    struct bench bench = open_bench("");
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 10, 0);
    run(&bench, 500);
    simulation_do(bench.s.sim, "bot.mute motor=left for=1");
    run(&bench, 990);
    assert_true(get(&bench, "left_duty") == 0 && get(&bench, "right_duty") > 0);
    run(&bench, 20);
    assert_true(get(&bench, "left_duty") > 0);
    simulation_close(&bench.s);
}

static void a_low_battery_cuts_the_motors(void **state)
{
    (void)state;
    struct bench bench = open_bench("battery_v: 10.9");
    write_byte(&bench, DEBUG, 1);
    drive(&bench, 10, 0);
    run(&bench, 5000);
    assert_true(get(&bench, "speed_m_s") > 0.09);
    run(&bench, 2000);
    assert_true(get(&bench, "speed_m_s") == 0 && get(&bench, "motors_cut") == 1);
    bool is_heard = false;
    for (int i = 0; i < 200; i++) {
        run(&bench, 10);
        is_heard |= get(&bench, "sound_hz") == 1000;
    }
    assert_true(is_heard);
    simulation_do(bench.s.sim, "bot.battery v=12");
    run(&bench, 1000);
    bench.size = 0;
    assert_true(get(&bench, "motors_cut") == 0 && read_table(&bench).torque == 0);
    write_byte(&bench, 149, 1);
    run(&bench, 500);
    assert_true(get(&bench, "speed_m_s") > 0.09);
    simulation_close(&bench.s);
}

static void a_board_without_motors_says_so(void **state)
{
    (void)state;
    struct bench bench = open_bench("motors: no");
    struct turtlebot3_table table = read_table(&bench);
    assert_int_equal(table.device_status, -1);
    assert_int_equal(table.motors_connected + table.torque, 0);
    write_byte(&bench, DEBUG, 1);
    write_byte(&bench, 149, 1);
    drive(&bench, 10, 0);
    run(&bench, 500);
    assert_true(get(&bench, "speed_m_s") == 0);
    simulation_close(&bench.s);
    bench = open_bench("firmware: 4, imu: mpu9250, accessories: yes");
    table = read_table(&bench);
    assert_int_equal(table.motors_connected, 0);
    assert_int_equal(table.bumper1 + table.bumper2, 0);
    assert_true(table.illumination > 0 && table.infrared > 0 && table.field_z < 0);
    simulation_do(bench.s.sim, "bot.press bumper=left for=1");
    run(&bench, 30);
    assert_int_equal(read_table(&bench).bumper1, 1);
    assert_int_equal(read_table(&bench).bumper2, 0);
    simulation_do(bench.s.sim, "bot.press bumper=right for=1");
    run(&bench, 30);
    assert_int_equal(read_table(&bench).bumper2, 1);
    simulation_close(&bench.s);
}

/* The left velocity of a real robot: FF FF FD at its end, then the other numbers. */
static void an_old_library_spoils_what_follows_ff_ff_fd(void **state)
{
    (void)state;
    static const char *const libraries[] = {"library: 0.6.1", "library: 0.6.3"};
    for (int i = 0; i < 2; i++) {
        struct bench bench = open_bench(libraries[i]);
        uint8_t data[12] = {0}, echo[12];
        memset(data, 0xFF, 4);
        data[4] = 0xFD;
        data[8] = 0x11;
        say_write(&bench, 154, data, 4); // in two requests: none is stuffed
        assert_int_equal(answer(&bench, NULL, 0), 0);
        say_write(&bench, 158, data + 4, 8);
        assert_int_equal(answer(&bench, NULL, 0), 0);
        say_read(&bench, 154, 12);
        assert_int_equal(answer(&bench, echo, 12), 0);
        assert_memory_equal(echo, data, 5);
        if (i == 0)
            memset(data + 5, 0xFD, 7);
        assert_memory_equal(echo, data, 12);
        simulation_close(&bench.s);
    }
}

static void melodies_are_played_on_request(void **state)
{
    (void)state;
    static const int first_hz[] = {523, 262, 1000, 1000};
    struct bench bench = open_bench("");
    for (uint8_t i = 0; i < 4; i++) {
        write_byte(&bench, 50, i);
        run(&bench, 2);
        assert_int_equal((int)get(&bench, "sound_hz"), first_hz[i]);
    }
    run(&bench, 6000);
    write_byte(&bench, 50, 7);
    run(&bench, 2);
    assert_true(get(&bench, "sound_hz") == 0 && get(&bench, "sounds") == 4);
    simulation_close(&bench.s);
}

/* Firmware: off, on, low battery, error; between two notes it is silent for 0.3 of a note. */
static void melodies_have_the_notes_of_the_firmware(void **unused)
{
    (void)unused;
    static const struct {
        int hz[8];
        double note_s;
    } rows[] = {{{523, 494, 440, 392, 349, 330, 294, 262}, 0.25},
                {{262, 294, 330, 349, 392, 440, 494, 523}, 0.25},
                {{1000, 1000, 1000, 1000}, 1},
                {{1000, 500, 1000, 500, 1000, 500, 1000, 500}, 0.333}};
    for (uint8_t i = 0; i < 4; i++) {
        static struct turtlebot3_state state;
        turtlebot3_play(&state, i, 0);
        for (int note = 0; note < 8; note++) {
            double middle_us = (1.3 * note + 0.5) * rows[i].note_s * 1e6;
            assert_int_equal((int)turtlebot3_sound_hz(&state, (int64_t)middle_us),
                             rows[i].hz[note]);
            double pause_us = (1.3 * note + 1.15) * rows[i].note_s * 1e6;
            assert_int_equal((int)turtlebot3_sound_hz(&state, (int64_t)pause_us), 0);
        }
    }
}

static void a_note_ends_where_its_pause_begins_and_a_melody_after_eight(void **unused)
{
    (void)unused;
    static const double note_s[] = {0.25, 0.25, 1, 0.333};
    for (uint8_t i = 0; i < 4; i++) {
        static struct turtlebot3_state state;
        double note_us = note_s[i] * 1e6;
        turtlebot3_play(&state, i, 0);
        assert_true(turtlebot3_sound_hz(&state, (int64_t)note_us - 1) > 0);
        assert_true(turtlebot3_sound_hz(&state, (int64_t)note_us + (i == 3)) == 0);
        assert_true(state.play.is_playing);
        assert_true(turtlebot3_sound_hz(&state, (int64_t)(note_us * 1.3) * 8 + 100) == 0);
        assert_false(state.play.is_playing);
    }
}

/* Firmware: 0.5 s in each 2 s, from the cut on. */
static void a_cut_is_heard_a_quarter_of_the_time(void **unused)
{
    (void)unused;
    static struct turtlebot3_state state;
    const int64_t cut_us = 3700000;
    state.power.is_cut = true;
    state.power.low_us = cut_us;
    for (int ms = 0; ms < 10000; ms += 50)
        assert_int_equal((int)turtlebot3_sound_hz(&state, cut_us + ms * 1000),
                         ms % 2000 < 500 ? 1000 : 0);
}

static void accessories_report_distance_and_light(void **unused)
{
    (void)unused;
    static struct turtlebot3_state state;
    static struct robot_sensors sensors;
    for (int has_all = 0; has_all < 2; has_all++) {
        state.options.has_accessories = has_all;
        sensors.sensor[0].distance_m = TURTLEBOT3_CLIFF_RANGE_M / 4;
        sensors.sensor[1].level = 0.5;
        sensors.sensor[1].distance_m = TURTLEBOT3_CLIFF_RANGE_M;
        sensors.buttons = 2;
        sensors.bumpers = 1;
        turtlebot3_senses_pass(&state, &sensors, 1000);
        assert_int_equal(state.table.button1, 0);
        assert_int_equal(state.table.button2, 1);
        assert_int_equal(state.table.bumper1, 1);
        assert_int_equal(state.table.bumper2, has_all ? 0 : 1);
        assert_int_equal(state.table.infrared, has_all ? 767 : 0);
        assert_int_equal(state.table.illumination, has_all ? 512 : 0);
    }
    sensors.sensor[0].distance_m = 2 * TURTLEBOT3_CLIFF_RANGE_M;
    turtlebot3_senses_pass(&state, &sensors, 1000);
    assert_int_equal(state.table.infrared, 0);
}

/* The position in the first turn depends only on the shaft, so a reset does not change it. */
static void a_motor_starts_in_its_first_turn_at_the_angle_of_its_shaft(void **unused)
{
    (void)unused;
    static struct robot_sensors sensors;
    double at_0_rad = 0;
    for (int i = -40; i <= 40; i++) {
        static struct turtlebot3_state state;
        state.rng_key = 5;
        sensors.wheel_rad[0] = 0.5 * i;
        turtlebot3_motion_zero(&state, &sensors);
        double position_rad = sensors.wheel_rad[0] - state.servos[0].zero_rad;
        if (i == -40)
            at_0_rad = position_rad - sensors.wheel_rad[0];
        assert_true(position_rad >= 0 && position_rad < 2 * PI);
        assert_true(fabs(remainder(position_rad - sensors.wheel_rad[0] - at_0_rad, 2 * PI)) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_is_answered_as_by_the_board),
        cmocka_unit_test(answers_come_in_order_and_not_at_once),
        cmocka_unit_test(a_velocity_becomes_goals_of_the_motors),
        cmocka_unit_test(it_stops_half_a_second_after_the_last_heartbeat),
        cmocka_unit_test(the_wheels_reach_what_they_are_reported),
        cmocka_unit_test(the_motors_give_what_the_battery_has),
        cmocka_unit_test(torque_off_lets_the_wheels_go),
        cmocka_unit_test(a_square_ends_where_it_began),
        cmocka_unit_test(leds_show_where_it_drives),
        cmocka_unit_test(a_held_button_drives_without_a_host),
        cmocka_unit_test(a_calibration_answers_after_2_6_seconds),
        cmocka_unit_test(a_calibration_in_a_turn_spoils_the_gyro),
        cmocka_unit_test(a_board_that_starts_lets_requests_wait),
        cmocka_unit_test(a_mute_motor_keeps_the_board_busy),
        cmocka_unit_test(a_mute_motor_runs_free_for_as_long_as_was_said),
        cmocka_unit_test(a_low_battery_cuts_the_motors),
        cmocka_unit_test(a_board_without_motors_says_so),
        cmocka_unit_test(an_old_library_spoils_what_follows_ff_ff_fd),
        cmocka_unit_test(melodies_are_played_on_request),
        cmocka_unit_test(melodies_have_the_notes_of_the_firmware),
        cmocka_unit_test(a_note_ends_where_its_pause_begins_and_a_melody_after_eight),
        cmocka_unit_test(a_cut_is_heard_a_quarter_of_the_time),
        cmocka_unit_test(accessories_report_distance_and_light),
        cmocka_unit_test(a_motor_starts_in_its_first_turn_at_the_angle_of_its_shaft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
