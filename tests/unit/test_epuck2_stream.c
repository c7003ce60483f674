/* The e-puck2's reply discipline in simulated time: which packets it sends without a further
 * request, and how it handles commands that arrive split, merged or in floods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/epuck2_rig.h"

static void order(struct epuck2_rig *rig, uint8_t request, int16_t speed)
{
    rig_order(rig, &(struct epuck2_command){.request = request, .left = speed, .right = speed});
}

static size_t of_id(const struct epuck2_rig *rig, uint8_t id)
{
    return rig_count(rig, EPUCK2_WIFI, id);
}

/* The port is hard-coded in the manufacturer's clients. */
static void its_clients_find_it_at_port_1000(void **state)
{
    (void)state;
    assert_int_equal(epuck2_type.channels[EPUCK2_WIFI].kind, CHANNEL_TCP_SERVER);
    assert_int_equal(epuck2_type.channels[EPUCK2_WIFI].tcp_port, 1000);
}

static void it_is_silent_until_the_first_whole_command(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    static const uint8_t noise[] = {1, 2, 3, 0x80, 2};
    rig_run(rig, 1000);
    assert_int_equal(rig->frame_count, 1); /* the greeting of the serial channel */
    rig_host(rig, EPUCK2_WIFI, true);
    rig_run(rig, 1000);
    rig_send(rig, EPUCK2_WIFI, noise, sizeof noise);
    rig_run(rig, 1000);
    assert_int_equal(rig->frame_count, 1);
    rig_send(rig, EPUCK2_WIFI, (uint8_t[19]){0}, 19);
    rig_run(rig, 100);
    assert_true(of_id(rig, EPUCK2_ID_SENSORS) > 0);
    rig_free(rig);
}

static void it_streams_what_was_requested_last_for_ever(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("sensors_hz=40 image_hz=10");
    rig_host(rig, EPUCK2_WIFI, true);
    order(rig, 0, 0);
    rig_run(rig, 10000);
    assert_in_range(of_id(rig, EPUCK2_ID_EMPTY), 395, 401);
    rig_forget(rig);
    order(rig, 2, 0);
    rig_run(rig, 10000);
    assert_in_range(of_id(rig, EPUCK2_ID_SENSORS), 395, 401);
    assert_true(of_id(rig, EPUCK2_ID_EMPTY) <= 1);
    rig_forget(rig);
    order(rig, 1, 0);
    rig_run(rig, 5000);
    assert_in_range(of_id(rig, EPUCK2_ID_IMAGE), 48, 51);
    assert_true(of_id(rig, EPUCK2_ID_SENSORS) <= 1);
    rig_free(rig);
}

static void image_and_sensors_come_by_turns_the_image_first(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("image_hz=10");
    rig_host(rig, EPUCK2_WIFI, true);
    order(rig, 3, 0);
    rig_run(rig, 3000);
    assert_int_equal(rig->frames[0].channel, EPUCK2_SERIAL);
    assert_true(rig->frame_count > 50);
    for (size_t i = 1; i < rig->frame_count; i++) {
        const struct rig_frame *frame = &rig->frames[i];
        bool is_image = i % 2 == 1;
        assert_int_equal(frame->bytes[0], is_image ? EPUCK2_ID_IMAGE : EPUCK2_ID_SENSORS);
        assert_int_equal(frame->size, is_image ? 38401 : 105); /* header and payload in one frame */
    }
    assert_in_range(rig->pictures, 29, 31); /* it takes no picture that it does not send */
    rig_free(rig);
}

static void a_request_of_unknown_bits_sends_and_obeys_nothing(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    order(rig, 0xfc, 500);
    rig_run(rig, 50);
    rig_forget(rig);
    rig_run(rig, 1000);
    assert_int_equal(rig->frame_count, 0);
    assert_true(rig->actuators.motor[0] == 0);
    rig_free(rig);
}

static void a_command_shows_in_the_second_or_third_packet_after_it(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("sensors_hz=50");
    rig_stream(rig);
    rig_forget(rig);
    rig_order(rig, &(struct epuck2_command){.request = 2, .settings = 4, .left = 77, .right = 78});
    rig_run(rig, 200);
    size_t first = 0;
    for (; first < rig->frame_count && rig->frames[first].bytes[1 + 79] != 77; first++) {
    }
    assert_in_range(first, 1, 2); /* counted from 0 */
    rig_free(rig);
}

static void a_command_that_has_begun_is_waited_for(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    uint8_t frame[EPUCK2_COMMAND_FRAME] = {EPUCK2_ID_COMMAND, 2};
    frame[3] = frame[5] = 100;
    rig_stream(rig);
    rig_send(rig, EPUCK2_WIFI, frame, 7);
    rig_run(rig, 50);
    rig_forget(rig);
    rig_run(rig, 1000);
    assert_int_equal(rig->frame_count, 0);
    rig_send(rig, EPUCK2_WIFI, frame + 7, sizeof frame - 7);
    rig_run(rig, 1000);
    assert_true(rig->frame_count > 30);
    assert_true(rig->actuators.motor[0] > 0);
    rig_free(rig);
}

static void one_command_is_taken_a_turn(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("sensors_hz=20");
    rig_stream(rig);
    for (int16_t i = 1; i <= 4; i++)
        order(rig, 2, (int16_t)(i * 100));
    int16_t last = 0;
    for (int16_t i = 1; i <= 4; i++) {
        while (rig->state.motion.wheel[0].wanted == last)
            rig_run(rig, 1);
        last = rig->state.motion.wheel[0].wanted;
        assert_int_equal(last, i * 100);
    }
    rig_free(rig);
}

static void of_five_commands_or_more_only_the_newest_counts(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    for (int16_t i = 1; i <= 200; i++)
        order(rig, 2, i);
    rig_run(rig, 25);
    assert_int_equal(rig->state.motion.wheel[0].wanted, 200);
    assert_int_equal(rig->state.framer.count, 0);
    assert_true(rig->state.stream.dropped_commands >= 4);
    rig_free(rig);
}

static void a_client_that_does_not_read_holds_up_the_loop(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    rig->is_unread = true;
    rig_run(rig, 100);
    rig_forget(rig);
    order(rig, 2, 300);
    rig_run(rig, 5000);
    assert_int_equal(rig->frame_count, 0);
    assert_true(rig->actuators.motor[0] == 0); /* commands wait too */
    rig->is_unread = false;
    rig_run(rig, 100);
    assert_true(rig->frame_count > 0);
    assert_true(rig->actuators.motor[0] > 0);
    rig_free(rig);
}

/* The robot tries again in each step of 1 ms, so the client may resume reading at any time. */
static void a_client_that_reads_again_gets_its_frame_at_once(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    for (int i = 0; i < 4; i++) {
        rig->is_unread = true;
        rig_run(rig, 100 + i);
        rig_forget(rig);
        rig->is_unread = false;
        rig_run(rig, 1);
        assert_int_equal(rig->frame_count, 1);
    }
    rig_free(rig);
}

/* A robot that has stopped because its client disconnected while it drove. */
static struct epuck2_rig *rig_of_stopped_client(void)
{
    struct epuck2_rig *rig = rig_new("disconnect=stop");
    rig_stream(rig);
    order(rig, 2, 300);
    rig_run(rig, 100);
    rig_host(rig, EPUCK2_WIFI, false);
    rig_run(rig, 200);
    assert_true(rig->actuators.motor[0] == 0);
    return rig;
}

static void a_client_without_a_word_moves_nothing(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_of_stopped_client();
    rig_host(rig, EPUCK2_WIFI, true);
    rig_run(rig, 200);
    rig_host(rig, EPUCK2_WIFI, false);
    for (int i = 0; i < 200; i++) {
        rig_run(rig, 1);
        assert_true(rig->actuators.motor[0] == 0 && rig->actuators.motor[1] == 0);
    }
    rig_free(rig);
}

static void when_the_client_goes_the_motors_keep_their_speed(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    order(rig, 2, 300);
    rig_run(rig, 1000);
    rig_host(rig, EPUCK2_WIFI, false);
    rig_run(rig, 100);
    rig_forget(rig);
    rig_run(rig, 10000);
    assert_int_equal(rig->frame_count, 0);
    assert_true(rig->actuators.motor[0] > 0);
    assert_int_equal(rig->state.stream.phase, EPUCK2_WAITING);

    /* The next client finds the counters unchanged. The robot sends nothing until the client sends
     * a request. */
    rig_host(rig, EPUCK2_WIFI, true);
    rig_run(rig, 500);
    assert_int_equal(rig->frame_count, 0);
    order(rig, 2, 0);
    rig_run(rig, 200);
    assert_true(rig_sensors(rig).left_steps > 2000);
    rig_free(rig);
}

static void a_last_command_before_the_end_is_still_obeyed(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    order(rig, 2, 300);
    rig_run(rig, 100);
    rig_host(rig, EPUCK2_WIFI, false); /* the wire reports the disconnection before these bytes */
    order(rig, 0, 0);
    rig_run(rig, 100);
    assert_true(rig->actuators.motor[0] == 0);
    assert_true(rig->actuators.motor_free[0]);
    rig_free(rig);
}

static void with_the_option_stop_the_end_of_the_client_stops_it(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_of_stopped_client();
    rig_free(rig);
}

static void a_calibration_silences_the_stream_and_is_repeated(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("calibration_s=1.5");
    rig_stream(rig);
    rig_order(rig, &(struct epuck2_command){.request = 2, .settings = 1});
    rig_run(rig, 50);
    rig_forget(rig);
    rig_run(rig, 6000);
    assert_in_range(rig->frame_count, 3, 4); /* one packet between the two calibrations */
    assert_in_range(rig->state.prox.calibrations, 3, 4);
    order(rig, 2, 0);
    rig_run(rig, 2000);
    rig_forget(rig);
    rig_run(rig, 1000);
    assert_true(rig->frame_count > 40);
    rig_free(rig);
}

/* Runs until this total number of sensor packets has arrived. Returns the time of the last one. */
static int64_t packets_at_us(struct epuck2_rig *rig, size_t count)
{
    while (rig_count(rig, EPUCK2_WIFI, EPUCK2_ID_SENSORS) < count && rig->now_us < 10000000)
        rig_run(rig, 1);
    return rig->now_us;
}

/* GCtronic's ROS driver does this (gctronic/epuck_driver_cpp): its first command has the bit, and
 * after the first packet it sends a command without the bit. */
static void a_calibration_that_is_asked_for_once_takes_two_to_three_seconds_in_all(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_host(rig, EPUCK2_WIFI, true);
    rig_order(rig, &(struct epuck2_command){.request = 2, .settings = 1});
    assert_in_range(packets_at_us(rig, 1), 1000000, 1100000);
    order(rig, 2, 0);
    int64_t second_us = packets_at_us(rig, 2);
    assert_in_range(second_us, 2000000, 3000000);
    assert_in_range(packets_at_us(rig, 12) - second_us, 220000, 230000);
    assert_int_equal(rig->state.prox.calibrations, 2);
    rig_free(rig);
}

static void a_latched_melody_starts_again_and_makes_the_stream_falter(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    rig_order(rig, &(struct epuck2_command){.request = 2, .sound = 1});
    rig_run(rig, 100);
    rig_forget(rig);
    rig_run(rig, 2000);
    size_t faltering = rig->frame_count;
    assert_true(faltering < 40 && faltering > 5);
    assert_true(rig->actuators.sound_hz > 0 && rig->actuators.sound_level > 0);
    rig_order(rig, &(struct epuck2_command){.request = 2, .sound = 0});
    rig_run(rig, 3000);
    assert_true(rig->actuators.sound_hz == 0);
    rig_forget(rig);
    rig_run(rig, 2000);
    assert_true(rig->frame_count > 80);
    rig_free(rig);
}

static void a_first_command_in_pieces_does_not_count_with_that_quirk(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("first_split=yes");
    uint8_t frame[EPUCK2_COMMAND_FRAME] = {EPUCK2_ID_COMMAND, 2};
    rig_host(rig, EPUCK2_WIFI, true);
    rig_send(rig, EPUCK2_WIFI, frame, 5);
    rig_run(rig, 50);
    rig_send(rig, EPUCK2_WIFI, frame + 5, sizeof frame - 5);
    rig_run(rig, 500);
    assert_int_equal(rig_count(rig, EPUCK2_WIFI, EPUCK2_ID_SENSORS), 0);
    rig_send(rig, EPUCK2_WIFI, frame, sizeof frame);
    rig_run(rig, 500);
    assert_true(rig_count(rig, EPUCK2_WIFI, EPUCK2_ID_SENSORS) > 0);
    rig_free(rig);
}

static void with_its_socket_leak_it_serves_so_many_clients_and_no_more(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("socket_limit=10");
    for (int i = 0; i < 12; i++) {
        rig_forget(rig);
        rig_host(rig, EPUCK2_WIFI, true);
        order(rig, 2, 0);
        rig_run(rig, 200);
        assert_int_equal(of_id(rig, EPUCK2_ID_SENSORS) > 0, i < 10);
        rig_host(rig, EPUCK2_WIFI, false);
        rig_run(rig, 200);
    }
    rig_free(rig);
}

static void a_bad_id_is_used_or_skipped_as_the_option_says(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        bool is_used;
    } cases[] = {{NULL, false}, {"bad_id=use", true}};
    for (size_t i = 0; i < 2; i++) {
        struct epuck2_rig *rig = rig_new(cases[i].options);
        uint8_t frame[EPUCK2_COMMAND_FRAME] = {0x55, 2, 0, 100, 0, 100};
        rig_stream(rig);
        rig_send(rig, EPUCK2_WIFI, frame, sizeof frame);
        rig_run(rig, 200);
        assert_int_equal(rig->actuators.motor[0] > 0, cases[i].is_used);
        rig_free(rig);
    }
}

static void led2_reports_the_state_of_wifi(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    const uint8_t *color = rig->state.lamps.color;
    rig_run(rig, 50);
    assert_int_equal(color[EPUCK2_RGB_LED2], EPUCK2_COLOR_GREEN);
    rig_host(rig, EPUCK2_WIFI, true);
    rig_run(rig, 50);
    assert_int_equal(color[EPUCK2_RGB_LED2], 0);
    rig_order(rig, &(struct epuck2_command){.request = 2, .led2 = {100, 0, 0}});
    int blue = 0;
    int dark = 0;
    for (int i = 0; i < 500; i++) {
        rig_run(rig, 1);
        blue += color[EPUCK2_RGB_LED2] == EPUCK2_COLOR_BLUE;
        dark += color[EPUCK2_RGB_LED2] == 0;
    }
    assert_true(blue > 50 && dark > 50);
    rig_host(rig, EPUCK2_WIFI, false);
    rig_run(rig, 100);
    assert_int_equal(color[EPUCK2_RGB_LED2], EPUCK2_COLOR_GREEN);
    rig_free(rig);
}

/* Both changes come before the robot's next turn. */
static void a_last_command_is_obeyed_when_the_next_client_comes_at_once(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    order(rig, 2, 300);
    rig_host(rig, EPUCK2_WIFI, false);
    rig_host(rig, EPUCK2_WIFI, true);
    rig_run(rig, 100);
    assert_true(rig->actuators.motor[0] > 0);
    rig_forget(rig);
    rig_run(rig, 500);
    assert_int_equal(rig->frame_count, 0); /* the new client has sent nothing yet */
    rig_free(rig);
}

static void a_client_that_leaves_behind_its_only_command_is_obeyed(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_run(rig, 100);
    rig_host(rig, EPUCK2_WIFI, true);
    order(rig, 2, 300);
    rig_host(rig, EPUCK2_WIFI, false);
    rig_run(rig, 100);
    assert_true(rig->actuators.motor[0] > 0 && rig->actuators.motor[1] > 0);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_clients_find_it_at_port_1000),
        cmocka_unit_test(it_is_silent_until_the_first_whole_command),
        cmocka_unit_test(it_streams_what_was_requested_last_for_ever),
        cmocka_unit_test(image_and_sensors_come_by_turns_the_image_first),
        cmocka_unit_test(a_request_of_unknown_bits_sends_and_obeys_nothing),
        cmocka_unit_test(a_command_shows_in_the_second_or_third_packet_after_it),
        cmocka_unit_test(a_command_that_has_begun_is_waited_for),
        cmocka_unit_test(one_command_is_taken_a_turn),
        cmocka_unit_test(of_five_commands_or_more_only_the_newest_counts),
        cmocka_unit_test(a_client_that_does_not_read_holds_up_the_loop),
        cmocka_unit_test(a_client_that_reads_again_gets_its_frame_at_once),
        cmocka_unit_test(a_client_without_a_word_moves_nothing),
        cmocka_unit_test(when_the_client_goes_the_motors_keep_their_speed),
        cmocka_unit_test(a_last_command_before_the_end_is_still_obeyed),
        cmocka_unit_test(with_the_option_stop_the_end_of_the_client_stops_it),
        cmocka_unit_test(a_calibration_silences_the_stream_and_is_repeated),
        cmocka_unit_test(a_calibration_that_is_asked_for_once_takes_two_to_three_seconds_in_all),
        cmocka_unit_test(a_latched_melody_starts_again_and_makes_the_stream_falter),
        cmocka_unit_test(a_first_command_in_pieces_does_not_count_with_that_quirk),
        cmocka_unit_test(with_its_socket_leak_it_serves_so_many_clients_and_no_more),
        cmocka_unit_test(a_bad_id_is_used_or_skipped_as_the_option_says),
        cmocka_unit_test(led2_reports_the_state_of_wifi),
        cmocka_unit_test(a_last_command_is_obeyed_when_the_next_client_comes_at_once),
        cmocka_unit_test(a_client_that_leaves_behind_its_only_command_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
