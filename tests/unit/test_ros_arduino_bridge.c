/* The virtual board of ros_arduino_bridge in a whole simulation, tested by its lines of text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/support/simulation.h"

struct bench {
    struct simulation s;
    char heard[8192];
};

static struct bench open_bench(const char *options)
{
    struct bench bench = {0};
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "seed: 1\nworld: {size: {x: 9, y: 9}}\nrobots:\n- {name: bot, type: "
             "ros_arduino_bridge, pose: {x: 4, y: 4}, options: {%s}}\n",
             options);
    bench.s = simulation_open(yaml, NULL);
    return bench;
}

static void run(struct bench *bench, int milliseconds)
{
    for (int i = 0; i < milliseconds; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(bench->s.sim);
        while (sim_output(bench->s.sim, 0, &bytes, &size))
            strncat(bench->heard, (const char *)bytes, size);
    }
}

static void say(struct bench *bench, const char *text)
{
    sim_host_bytes(bench->s.sim, 0, (const uint8_t *)text, strlen(text));
}

/* Text that is received within 50 ms after TEXT. */
static const char *ask(struct bench *bench, const char *text)
{
    bench->heard[0] = '\0';
    say(bench, text);
    run(bench, 50);
    return bench->heard;
}

static double get(const struct bench *bench, const char *signal)
{
    char name[64];
    snprintf(name, sizeof name, "bot.%s", signal);
    return simulation_get(bench->s.sim, name);
}

static struct bench open_with_host(const char *options)
{
    struct bench bench = open_bench(options);
    sim_host_present(bench.s.sim, 0, true);
    run(&bench, 10);
    return bench;
}

static void each_cr_gets_one_line(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"e\r", "0 0\r\n"},
        {"b\r", "57600\r\n"},
        {"r\r", "OK\r\n"},
        {"\r", "Invalid Command\r\n"},
        {"s 0 90\r", "Invalid Command\r\n"},
        {"e\r\ne\r\n", "0 0\r\n0 0\r\n"}, /* LF is the command letter until the next */
        {"zb 5 5\r", "57600\r\n"},        /* the last command letter counts */
        {"w 13 1\rd 13\rw 13 0\rd 13\r", "OK\r\n1\r\nOK\r\n0\r\n"},
        {"d 99\r", "0\r\n"},
        {"a 0\r", "859\r\n"}, /* 12.6 V / 3 of 5 V */
        {"p 7\r", "0\r\n"},   /* the wall is beyond 4 m */
        {"u 30:20:0:100\r", "OK\r\n"},
    };
    struct bench bench = open_with_host("");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(ask(&bench, pairs[i][0]), pairs[i][1]);
    assert_string_equal(ask(&bench, "e"), "");
    assert_string_equal(ask(&bench, "\r"), "0 0\r\n");
    simulation_close(&bench.s);
}

static void numbers_are_those_of_an_avr(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int left, right;
    } rows[] = {
        {"m 36.7 x\r", 36, 0},
        {"m -5 +7\r", -5, 7},
        {"m 5\r", 5, 0},
        {"m 65537 -65537\r", 1, -1},
        {"m 40000 1\r", -25536, 1},
        {"m 1 2 3\r", 1, 23},
        {"m 0000000000000009999 2\r", 0, 2}, /* 15 characters */
    };
    struct bench bench = open_with_host("");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(ask(&bench, rows[i].line), "OK\r\n");
        assert_int_equal((int)get(&bench, "left_target"), rows[i].left);
        assert_int_equal((int)get(&bench, "right_target"), rows[i].right);
    }
    simulation_close(&bench.s);
}

static void lines_after_any_noise_are_answered(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    for (uint64_t seed = 1; seed <= 50; seed++) {
        char noise[64] = "";
        for (size_t i = 0; i < sizeof noise - 1; i++)
            noise[i] = (char)(1 + rng_u64(seed, i) % 255);
        ask(&bench, noise);
        ask(&bench, "\r");
        assert_string_equal(ask(&bench, "b\r"), "57600\r\n");
    }
    simulation_close(&bench.s);
}

/* The same as the firmware answers in simavr: its loop waits while its port sends, and the port
 * accepts 63 bytes meanwhile. */
static void a_burst_loses_what_the_port_cannot_hold(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        int requests, replies;
    } rows[] = {{"e\r", 20, 20},   {"e\r", 40, 40},    {"b\r", 40, 40}, {"b\r", 80, 63},
                {"\r", 40, 40},    {"\r", 80, 72},     {"q\r", 40, 40}, {"q\r", 80, 45},
                {"a 0\r", 80, 80}, {"m 0 0\r", 80, 80}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench bench = open_with_host("");
        int replies = 0;
        for (int n = 0; n < rows[i].requests; n++)
            say(&bench, rows[i].request);
        run(&bench, 600);
        for (const char *at = bench.heard; (at = strchr(at, '\n')); at++)
            replies++;
        assert_int_equal(replies, rows[i].replies);
        assert_true((get(&bench, "uart.overruns") > 0) == (replies < rows[i].requests));
        simulation_close(&bench.s);
    }
}

/* 38 ms without an echo. The PID, which runs every 33 ms, waits too. */
static void the_loop_waits_for_an_echo(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    ask(&bench, "m 50 50\r");
    double pwm = get(&bench, "left_pwm");
    say(&bench, "p 7\re\r");
    bench.heard[0] = '\0';
    run(&bench, 37);
    assert_string_equal(bench.heard, "");
    assert_true(get(&bench, "left_pwm") == pwm);
    run(&bench, 10);
    assert_memory_equal(bench.heard, "0\r\n", 3);
    assert_true(strlen(bench.heard) > 6 && get(&bench, "left_pwm") != pwm);
    simulation_close(&bench.s);
}

/* 36 counts every 33 ms: 1090.9 per second, while hosts assume 30 passes per second. */
static void a_target_is_counts_in_33_ms(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    assert_string_equal(ask(&bench, "m 36 36\r"), "OK\r\n");
    run(&bench, 1450);
    double before = get(&bench, "left_count");
    ask(&bench, "m 36 36\r");
    run(&bench, 940); /* 990 ms in all: 30 passes */
    assert_true(fabs(get(&bench, "left_count") - before - 36 * 30) <= 36);
    assert_true(get(&bench, "x_m") > 4.1);
    simulation_close(&bench.s);
}

static void silence_of_two_seconds_stops_it(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    ask(&bench, "m 50 -50\r");
    run(&bench, 1940);
    assert_true(get(&bench, "running") == 1 && get(&bench, "left_pwm") > 20);
    run(&bench, 60);
    assert_true(get(&bench, "running") == 0 && get(&bench, "left_pwm") == 0);
    ask(&bench, "m 50 -50\r");
    run(&bench, 500);
    assert_true(get(&bench, "left_pwm") > 20);
    ask(&bench, "m 0 0\r");
    assert_true(get(&bench, "running") == 0 && get(&bench, "left_pwm") == 0);
    simulation_close(&bench.s);
}

static void raw_pwm_is_clipped_and_leaves_the_pid_off(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    ask(&bench, "o 300 -100\r");
    assert_true(get(&bench, "left_pwm") == 255 && get(&bench, "right_pwm") == -100);
    run(&bench, 500);
    assert_true(get(&bench, "running") == 0 && get(&bench, "right_pwm") == -100);
    run(&bench, 1500);
    assert_true(get(&bench, "left_pwm") == 0);
    simulation_close(&bench.s);
}

static void encoders_outlive_a_host_and_not_a_reset(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    ask(&bench, "m 30 30\r");
    run(&bench, 3000);
    assert_true(get(&bench, "left_count") > 1000);
    double count = get(&bench, "left_count");
    sim_host_present(bench.s.sim, 0, false);
    run(&bench, 50);
    sim_host_present(bench.s.sim, 0, true);
    run(&bench, 50);
    assert_true(get(&bench, "left_count") == count && get(&bench, "boots") == 1);
    assert_string_equal(ask(&bench, "r\re\r"), "OK\r\n0 0\r\n");
    simulation_close(&bench.s);
}

static void dtr_resets_a_board_that_is_wired_so(void **state)
{
    (void)state;
    struct bench bench = open_bench("auto_reset: yes");
    run(&bench, 2000);
    sim_host_present(bench.s.sim, 0, true);
    run(&bench, 10);
    assert_true(get(&bench, "boots") == 2 && get(&bench, "booting") == 1);
    assert_string_equal(ask(&bench, "e\r"), "");
    run(&bench, 1500);
    assert_string_equal(ask(&bench, "e\r"), "0 0\r\n");
    simulation_close(&bench.s);
}

static void gains_of_which_some_are_missing_keep_the_rest(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    assert_string_equal(ask(&bench, "u 0:0:0:0\rm 40 40\r"), "OK\r\nOK\r\n");
    run(&bench, 500);
    assert_true(get(&bench, "left_pwm") == 0); /* a divisor of 0 moves nothing */
    assert_string_equal(ask(&bench, "u 20\ru ::::20:12:0:50:9\r"), "OK\r\nOK\r\n");
    run(&bench, 500);
    assert_true(get(&bench, "left_pwm") > 10);
    simulation_close(&bench.s);
}

/* Only the last letter before a space counts; an argument has room for 15. */
static void letters_that_do_not_count_are_noise(void **state)
{
    (void)state;
    struct bench bench = open_with_host("");
    assert_string_equal(ask(&bench, "xyb\r"), "57600\r\n");
    assert_int_equal((int)get(&bench, "uart.noise_bytes"), 2);
    assert_string_equal(ask(&bench, "b\r"), "57600\r\n");
    assert_int_equal((int)get(&bench, "uart.noise_bytes"), 2);
    ask(&bench, "m 00000000000000050 1\r");
    assert_int_equal((int)get(&bench, "uart.noise_bytes"), 4);
    simulation_close(&bench.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cr_gets_one_line),
        cmocka_unit_test(numbers_are_those_of_an_avr),
        cmocka_unit_test(lines_after_any_noise_are_answered),
        cmocka_unit_test(a_burst_loses_what_the_port_cannot_hold),
        cmocka_unit_test(the_loop_waits_for_an_echo),
        cmocka_unit_test(a_target_is_counts_in_33_ms),
        cmocka_unit_test(silence_of_two_seconds_stops_it),
        cmocka_unit_test(raw_pwm_is_clipped_and_leaves_the_pid_off),
        cmocka_unit_test(encoders_outlive_a_host_and_not_a_reset),
        cmocka_unit_test(dtr_resets_a_board_that_is_wired_so),
        cmocka_unit_test(gains_of_which_some_are_missing_keep_the_rest),
        cmocka_unit_test(letters_that_do_not_count_are_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
