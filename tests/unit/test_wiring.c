/* Events at the pins of a board, tested by the real messages over a socket pair. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "clients/avr/wiring.h"
#include "protocols/process/process_message.h"

enum { COUNTS = 400 };

static const char hello[] =
    "{\"ptybot_firmware\":2,\"channels\":[{\"name\":\"uart\",\"baud\":9600,\"frame_max\":8}],"
    "\"wheels\":2,\"sensors\":[\"eye\"],\"board\":\"uno\",\"pins\":["
    "{\"pin\":\"2\",\"is\":\"encoder_a\",\"of\":0,\"counts\":400},"
    "{\"pin\":\"3\",\"is\":\"encoder_b\",\"of\":0},"
    "{\"pin\":\"5\",\"is\":\"forward\",\"of\":0},{\"pin\":\"6\",\"is\":\"backward\",\"of\":0},"
    "{\"pin\":\"7\",\"is\":\"direction\",\"of\":1},{\"pin\":\"9\",\"is\":\"enable\",\"of\":1},"
    "{\"pin\":\"10\",\"is\":\"trigger\",\"of\":0},{\"pin\":\"11\",\"is\":\"echo\",\"of\":0},"
    "{\"pin\":\"4\",\"is\":\"bumper\",\"of\":1},"
    "{\"pin\":\"A0\",\"is\":\"battery\",\"low\":3,\"high\":4.2}]}\n";

struct stand {
    int socket; /* our end */
    struct ptybot_firmware *firmware;
    struct wiring wiring;
    struct process_question question;
};

static const struct process_shape shape = {
    .wheel_count = 2, .sensor_count = 1, .channel_count = 1, .frame_max = {8}, .is_dc = 1};

/* Writes the question of TIME_US, which the firmware reads. */
static void ask(struct stand *stand, int64_t time_us)
{
    uint8_t bytes[4 + PROCESS_QUESTION_MAX];
    stand->question.now_us = time_us;
    size_t size = process_question_write(&shape, &stand->question, bytes + 4);
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(size >> 8 * i);
    assert_int_equal(send(stand->socket, bytes, size + 4, 0), size + 4);
    assert_true(ptybot_firmware_ask(stand->firmware));
}

static int set_up(void **state)
{
    struct stand *stand = calloc(1, sizeof *stand);
    int ends[2];
    char number[16];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    stand->socket = ends[0];
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("PTYBOT_FIRMWARE_FD", number, 1);
    assert_int_equal(send(ends[0], hello, sizeof hello - 1, 0), sizeof hello - 1);
    stand->firmware = ptybot_firmware_open();
    assert_non_null(stand->firmware);
    char reply[128];
    assert_true(recv(ends[0], reply, sizeof reply, 0) > 0);
    wiring_init(&stand->wiring, stand->firmware);
    stand->question.is_start = true;
    stand->question.sensors.battery_charge = 0.5;
    ask(stand, 0);
    stand->question.is_start = false;
    wiring_start(&stand->wiring);
    *state = stand;
    return 0;
}

static int tear_down(void **state)
{
    struct stand *stand = *state;
    ptybot_firmware_close(stand->firmware);
    close(stand->socket);
    free(stand);
    return 0;
}

/* Reads the answer that the next question causes. */
static struct process_answer act(struct stand *stand, int64_t time_us)
{
    static uint8_t bytes[4 + PROCESS_ANSWER_MAX];
    struct process_answer answer;
    struct error error = {0};
    wiring_act(&stand->wiring);
    ask(stand, time_us);
    ssize_t got = recv(stand->socket, bytes, sizeof bytes, 0);
    assert_true(got > 4);
    if (!process_answer_read(&shape, bytes + 4, (size_t)got - 4, &answer, &error))
        fail_msg("%s", error.text);
    return answer;
}

static double turn_rad(double counts)
{
    return counts * 2 * 3.14159265358979323846 / COUNTS;
}

/* The two channels as bits. */
static int phase(const struct stand *stand)
{
    return stand->wiring.level[2] | stand->wiring.level[3] << 1;
}

static void edges_come_when_the_wheel_has_turned_so_far(void **state)
{
    struct stand *stand = *state;
    static const int forward[] = {1, 3, 2, 0, 1};
    stand->question.sensors.wheel_rad[0] = turn_rad(5.5);
    ask(stand, 1000);
    wiring_take(&stand->wiring);
    assert_int_equal(phase(stand), 0);
    for (int i = 0; i < 5; i++) {
        int64_t at = wiring_next(&stand->wiring);
        assert_true(llabs(at - (int64_t)((i + 1) / 5.5 * 1e6)) <= 1);
        struct wiring_event event = wiring_happen(&stand->wiring);
        assert_int_equal(event.pin, i % 2 == 0 ? 2 : 3);
        assert_int_equal(phase(stand), forward[i]);
    }
    assert_true(wiring_next(&stand->wiring) == INT64_MAX);
}

static void the_way_back_takes_the_edges_in_turn(void **state)
{
    struct stand *stand = *state;
    static const int both[] = {2, 3, 1, 0, 2, 3, 1, 0};
    stand->question.sensors.wheel_rad[0] = turn_rad(-7.25);
    ask(stand, 1000);
    wiring_take(&stand->wiring);
    int64_t last = -1;
    for (int i = 0; i < 8; i++) {
        assert_true(wiring_next(&stand->wiring) > last);
        last = wiring_next(&stand->wiring);
        wiring_happen(&stand->wiring);
        assert_int_equal(phase(stand), both[i]);
    }
    assert_true(wiring_next(&stand->wiring) == INT64_MAX && last < 1000000);
}

static void an_echo_is_as_long_as_the_sound_is_on_its_way(void **state)
{
    struct stand *stand = *state;
    stand->question.sensors.sensor[0].distance_m = 1.715;
    ask(stand, 1000);
    wiring_take(&stand->wiring);
    wiring_set(&stand->wiring, 10, 1, 100000);
    assert_true(wiring_next(&stand->wiring) == INT64_MAX);
    wiring_set(&stand->wiring, 10, 0, 110000);
    assert_int_equal(wiring_next(&stand->wiring), 110000 + 450000);
    assert_int_equal(wiring_happen(&stand->wiring).pin, 11);
    assert_true(stand->wiring.level[11]);
    assert_true(llabs(wiring_next(&stand->wiring) - (560000 + 10000000)) < 10);
    wiring_happen(&stand->wiring);
    assert_false(stand->wiring.level[11]);
}

static void levels_and_voltages_follow_what_is_wired(void **state)
{
    struct stand *stand = *state;
    assert_true(stand->wiring.level[4]);
    assert_true(fabs(stand->wiring.volts[14] - 3.6) < 1e-9);
    stand->question.sensors.bumpers = 2;
    stand->question.sensors.battery_charge = 1;
    ask(stand, 1000);
    wiring_take(&stand->wiring);
    assert_true(stand->wiring.level[4] && wiring_next(&stand->wiring) == 0);
    assert_int_equal(wiring_happen(&stand->wiring).pin, 4); /* so that it interrupts */
    assert_false(stand->wiring.level[4]);
    assert_true(wiring_next(&stand->wiring) == INT64_MAX);
    assert_true(fabs(stand->wiring.volts[14] - 4.2) < 1e-9);
}

static void bridges_make_motors_of_pins(void **state)
{
    struct stand *stand = *state;
    wiring_set(&stand->wiring, 5, 0.75, 0);
    wiring_set(&stand->wiring, 6, 0.25, 0);
    wiring_set(&stand->wiring, 9, 0.5, 0);
    struct process_answer answer = act(stand, 1000);
    assert_true(answer.actuators.motor[0] == 0.5 && answer.actuators.motor[1] == -0.5);
    wiring_set(&stand->wiring, 7, 1, 0);
    answer = act(stand, 2000);
    assert_true(answer.actuators.motor[1] == 0.5);
}

/* The last byte arrives at the end of the span, the others as long before it as the line takes. */
static void bytes_come_one_behind_the_other(void **state)
{
    struct stand *stand = *state;
    wiring_set_baud(&stand->wiring, 0, 57600);
    stand->question.channels[0].size = 3;
    memcpy(stand->question.channels[0].bytes, "abc", 3);
    ask(stand, 1000);
    wiring_take(&stand->wiring);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wiring_next(&stand->wiring), 1000000 - (2 - i) * 173611);
        struct wiring_event event = wiring_happen(&stand->wiring);
        assert_true(event.serial == 0 && event.byte == (uint8_t) "abc"[i] &&
                    event.pin == WIRING_NONE);
    }
    assert_true(wiring_next(&stand->wiring) == INT64_MAX);
}

static void what_is_sent_fits_the_channel(void **state)
{
    struct stand *stand = *state;
    wiring_set_baud(&stand->wiring, 0, 9600);
    for (const char *c = "twenty bytes to send"; *c; c++)
        wiring_send(&stand->wiring, 0, (uint8_t)*c);
    wiring_send(&stand->wiring, 1, 'x'); /* this channel is not connected */
    struct process_answer answer = act(stand, 1000);
    assert_int_equal(answer.frame_count, 3);
    assert_memory_equal(answer.frames[2].bytes, "send", 4);
    assert_int_equal(answer.actuators.baud[0], 9600);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(edges_come_when_the_wheel_has_turned_so_far),
        TEST(the_way_back_takes_the_edges_in_turn),
        TEST(an_echo_is_as_long_as_the_sound_is_on_its_way),
        TEST(levels_and_voltages_follow_what_is_wired),
        TEST(bridges_make_motors_of_pins),
        TEST(bytes_come_one_behind_the_other),
        TEST(what_is_sent_fits_the_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
