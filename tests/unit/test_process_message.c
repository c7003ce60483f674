/* The packed messages of a robot whose firmware is a process, and the robot itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "protocols/process/process.h"
#include "tests/support/robot_rig.h"

static const struct process_shape shape = {.wheel_count = 2,
                                           .sensor_count = 1,
                                           .channel_count = 2,
                                           .signal_count = 3,
                                           .frame_max = {8, 4},
                                           .is_dc = 1};

static struct process_answer good_answer(void)
{
    struct process_answer answer = {.wait_us = 1000, .signal_count = 1, .frame_count = 2};
    answer.actuators.motor[0] = -0.25;
    answer.actuators.motor_free[1] = true;
    answer.actuators.sound_level = 0.5;
    answer.signals[0].index = 2;
    answer.signals[0].value = 1.5;
    answer.frames[0] = (struct process_frame){0, 3, (const uint8_t *)"abc"};
    answer.frames[1] = (struct process_frame){1, 4, (const uint8_t *)"defg"};
    return answer;
}

static void an_answer_reads_as_it_was_written(void **state)
{
    (void)state;
    struct process_answer answer = good_answer(), read;
    uint8_t bytes[PROCESS_ANSWER_MAX];
    struct error error = {0};
    size_t size = process_answer_write(&shape, &answer, bytes);
    assert_true(process_answer_read(&shape, bytes, size, &read, &error));
    assert_int_equal(read.wait_us, 1000);
    assert_true(read.actuators.motor[0] == -0.25 && read.actuators.motor_free[1]);
    assert_true(read.signals[0].index == 2 && read.signals[0].value == 1.5);
    assert_memory_equal(read.frames[1].bytes, "defg", 4);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut + 1); /* so that a sanitizer sees a look past the end */
        memcpy(copy, bytes, cut);
        assert_false(process_answer_read(&shape, copy, cut, &read, &error));
        free(copy);
    }
    assert_false(process_answer_read(&shape, bytes, size + 1, &read, &error));
}

static void assert_refused(const struct process_answer *answer, const char *word)
{
    struct error error = {0};
    assert_false(process_answer_check(&shape, answer, &error));
    if (!strstr(error.text, word))
        fail_msg("'%s' lacks '%s'", error.text, word);
}

static void what_no_robot_may_do_is_refused(void **state)
{
    (void)state;
    struct process_answer answer;
#define REFUSED(member, value, word)                                                               \
    (answer = good_answer(), answer.member = (value), assert_refused(&answer, word))
    REFUSED(wait_us, 0, "wait_us is 0");
    REFUSED(wait_us, INT64_C(3600000001), "wait_us");
    REFUSED(actuators.motor[1], 1.01, "wheel 1: motor");
    REFUSED(actuators.motor[0], NAN, "motor");
    REFUSED(actuators.sound_level, -0.1, "sound_level");
    REFUSED(actuators.sound_hz, INFINITY, "sound_hz");
    REFUSED(actuators.charge_rate_1_s, 2, "charge_rate");
    REFUSED(actuators.steer_rad, -11, "steer_rad");
    REFUSED(signals[0].index, 3, "signal 3; there are 3");
    REFUSED(signals[0].value, INFINITY, "finite");
    REFUSED(frames[0].channel, 2, "channel 2; there are 2");
    REFUSED(frames[0].size, 9, "allowed: 1 .. 8");
    REFUSED(frames[1].size, 0, "allowed: 1 .. 4");
    struct error error = {0};
    answer = good_answer();
    answer.wait_us = ROBOT_NEVER;
    assert_true(process_answer_check(&shape, &answer, &error));
}

static void random_bytes_are_no_answer_and_do_no_harm(void **state)
{
    (void)state;
    struct process_answer answer = good_answer(), read;
    uint8_t bytes[PROCESS_ANSWER_MAX], wrong[PROCESS_ANSWER_MAX];
    size_t size = process_answer_write(&shape, &answer, bytes);
    for (uint64_t seed = 0; seed < 20000; seed++) {
        memcpy(wrong, bytes, size);
        for (uint64_t i = 0; i < 1 + seed % 4; i++)
            wrong[rng_u64(seed, 2 * i) % size] = (uint8_t)rng_u64(seed, 2 * i + 1);
        struct error error = {0};
        if (process_answer_read(&shape, wrong, size, &read, &error))
            assert_true(process_answer_check(&shape, &read, &error));
    }
}

static void a_question_reads_as_it_was_written(void **state)
{
    (void)state;
    struct process_question question = {
        .now_us = 123456789, .power_us = 1000, .is_start = true, .command_count = 1};
    question.sensors.wheel_rad[1] = -7.25;
    question.sensors.wheel_rad_s[0] = 1.25;
    question.sensors.motor_a[1] = -0.5;
    question.sensors.wheel_dropped[1] = true;
    question.sensors.steer_rad = 0.125;
    for (size_t i = 0; i < 3; i++) {
        question.sensors.gyro_rad_s[i] = 0.1 + (double)i;
        question.sensors.accel_m_s2[i] = 9.8 - (double)i;
        question.sensors.field_ut[i] = 20.5 + (double)i;
    }
    question.sensors.roll_rad = 0.01;
    question.sensors.pitch_rad = -0.02;
    question.sensors.yaw_rad = 7.5;
    question.sensors.temperature_c = 22.5;
    question.sensors.sensor[0] = (struct sensor_reading){INFINITY, 0.5, 0.25, 0x42};
    question.sensors.bumpers = 5;
    question.sensors.buttons = 2;
    question.sensors.charger = CHARGER_DOCK;
    question.sensors.battery_charge = 0.75;
    question.channels[1] = (struct process_channel){.is_present = 1, .lines = 3, .size = 2};
    memcpy(question.channels[1].bytes, "hi", 2);
    question.commands[0].numbers[3] = 9;
    uint8_t bytes[PROCESS_QUESTION_MAX];
    struct process_question read = {0};
    size_t size = process_question_write(&shape, &question, bytes);
    assert_int_equal(process_question_time(bytes), 123456789);
    assert_true(process_question_read(&shape, bytes, size, &read));
    assert_memory_equal(&read, &question, sizeof read);
    assert_false(process_question_read(&shape, bytes, size - 1, &read));
}

/* ---- The robot, in a rig, beside a firmware that is a function here ---- */

static void make_body(const void *options, struct robot_body *body)
{
    (void)options;
    memset(body, 0, sizeof *body);
    body->radius_m = 0.1;
    body->height_m = 0.1;
    body->mass_kg = body->inertia_kg_m2 = 1;
    body->wheel_count = 2;
    body->wheels[0].radius_m = body->wheels[1].radius_m = 0.03;
    body->speed_max_m_s = 0.5;
}

static const struct channel_spec channels[] = {{.name = "uart", .baud = 115200, .frame_max = 64}};

static struct robot_type make_type(void)
{
    struct robot_type type = process_type;
    type.body = make_body;
    type.channels = channels;
    type.channel_count = 1;
    type.command_count = 1;
    return type;
}

static void bytes_that_nobody_has_room_for_are_counted(void **state)
{
    (void)state;
    const struct robot_type type = make_type();
    static const uint8_t bytes[PROCESS_INBOX_MAX + 7];
    struct robot_rig rig;
    rig_open(&rig, &type, 0);
    rig_rx(&rig, 0, bytes, sizeof bytes);
    assert_int_equal(rig_stats(&rig, 0)->noise_bytes, 7);
    rig_close(&rig);
}

static void commands_wait_up_to_a_number(void **state)
{
    (void)state;
    const struct robot_type type = make_type();
    const double numbers[PROCESS_NUMBERS_MAX] = {1, 2, 3, 4};
    struct robot_rig rig;
    struct error error = {0};
    rig_open(&rig, &type, 0);
    for (int i = 0; i < PROCESS_COMMANDS_MAX; i++)
        assert_true(type.commands[i].run(rig.state, numbers, 0, &error));
    assert_false(type.commands[0].run(rig.state, numbers, 0, &error));
    rig_close(&rig);
}

/* What stands for the process: keeps the last question, answers two frames. */
struct partner {
    struct process_shape shape;
    struct process_question asked;
    size_t sent, taken; /* frames that came, and how many of them the wire takes */
    uint8_t bytes[2][8];
};

static bool take_frame(void *context, unsigned channel, const uint8_t *bytes, size_t size)
{
    struct partner *partner = context;
    assert_true(channel == 0 && size == 3 && partner->sent < 2);
    memcpy(partner->bytes[partner->sent++], bytes, size);
    return partner->sent <= partner->taken;
}

static size_t queued(void *context, unsigned channel)
{
    (void)context;
    return 40 + channel;
}

static size_t answer(void *context, const uint8_t *question, size_t size, uint8_t *out, size_t room)
{
    struct partner *partner = context;
    assert_true(process_question_read(&partner->shape, question, size, &partner->asked));
    assert_true(room >= PROCESS_ANSWER_MAX);
    struct process_answer said = {.wait_us = 2000, .frame_count = 2};
    said.actuators.motor[1] = 0.25;
    said.frames[0] = (struct process_frame){0, 3, (const uint8_t *)"abc"};
    said.frames[1] = (struct process_frame){0, 3, (const uint8_t *)"def"};
    return process_answer_write(&partner->shape, &said, out);
}

static void a_tick_asks_once_and_obeys(void **state)
{
    (void)state;
    const struct robot_type type = make_type();
    const double numbers[PROCESS_NUMBERS_MAX] = {1, 2, 3, 4};
    struct error error = {0};
    struct robot_rig rig;
    rig_open(&rig, &type, 0);
    struct partner partner = {.shape = process_shape_of(&type, &rig.body), .taken = 1};
    const struct robot_tx tx = {&partner, take_frame, queued, answer};
    struct robot_actuators actuators = {0};
    type.rx(rig.state, 0, (const uint8_t *)"hello", 5, 0);
    assert_true(type.commands[0].run(rig.state, numbers, 0, &error));

    assert_int_equal(type.tick(rig.state, &rig.sensors, &actuators, &tx, 5000), 7000);
    assert_true(partner.asked.is_start && partner.asked.now_us == 5000);
    assert_int_equal(partner.asked.channels[0].queued, 40);
    assert_int_equal(partner.asked.channels[0].size, 5);
    assert_memory_equal(partner.asked.channels[0].bytes, "hello", 5);
    assert_int_equal(partner.asked.command_count, 1);
    assert_true(partner.asked.commands[0].numbers[3] == 4 && actuators.motor[1] == 0.25);
    assert_int_equal(partner.sent, 2);
    assert_memory_equal(partner.bytes[0], "abc", 3);
    assert_memory_equal(partner.bytes[1], "def", 3);
    assert_int_equal(rig_stats(&rig, 0)->sent, 1);
    assert_int_equal(rig_stats(&rig, 0)->overruns, 1);

    partner.sent = 0;
    type.tick(rig.state, &rig.sensors, &actuators, &tx, 7000);
    assert_false(partner.asked.is_start);
    assert_int_equal(partner.asked.channels[0].size, 0);
    assert_int_equal(partner.asked.command_count, 0);

    const struct robot_tx nobody = {&partner, take_frame, queued, NULL};
    assert_true(type.tick(rig.state, &rig.sensors, &actuators, &nobody, 9000) == ROBOT_NEVER);
    assert_true(actuators.motor[1] == 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_reads_as_it_was_written),
        cmocka_unit_test(what_no_robot_may_do_is_refused),
        cmocka_unit_test(random_bytes_are_no_answer_and_do_no_harm),
        cmocka_unit_test(a_question_reads_as_it_was_written),
        cmocka_unit_test(bytes_that_nobody_has_room_for_are_counted),
        cmocka_unit_test(commands_wait_up_to_a_number),
        cmocka_unit_test(a_tick_asks_once_and_obeys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
