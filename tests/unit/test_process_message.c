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

static const struct process_shape shape = {
    .wheel_count = 2,
    .sensor_count = 4,
    .eyes = {[1] = {640, 480, 0}, [2] = {.is_scanner = 1}, [3] = {4000, 3000, 0}},
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

/* An answer that requests a picture and a scan. */
static struct process_answer looking_answer(void)
{
    struct process_answer answer = good_answer();
    answer.observation_count = 2;
    answer.observations[0] = (struct process_observation){.sensor = 1, .width = 80};
    answer.observations[1] =
        (struct process_observation){.sensor = 2, .rays = 360, .from_rad = -3, .to_rad = 2.5};
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
        uint8_t *copy = malloc(cut + 1); /* so that a sanitizer detects a read past the end */
        memcpy(copy, bytes, cut);
        assert_false(process_answer_read(&shape, copy, cut, &read, &error));
        free(copy);
    }
    assert_false(process_answer_read(&shape, bytes, size + 1, &read, &error));
}

static void what_an_answer_looks_at_reads_as_it_was_written(void **state)
{
    (void)state;
    struct process_answer without = good_answer(), answer = looking_answer(), read;
    uint8_t bytes[PROCESS_ANSWER_MAX];
    struct error error = {0};
    size_t short_size = process_answer_write(&shape, &without, bytes);
    size_t size = process_answer_write(&shape, &answer, bytes);
    assert_int_equal(size, short_size + 4 + 2 * 28);
    assert_true(process_answer_read(&shape, bytes, size, &read, &error));
    assert_int_equal(read.observation_count, 2);
    assert_memory_equal(read.observations, answer.observations, sizeof read.observations);
    for (size_t cut = short_size + 1; cut < size; cut++) {
        uint8_t *copy = malloc(cut);
        memcpy(copy, bytes, cut);
        assert_false(process_answer_read(&shape, copy, cut, &read, &error));
        free(copy);
    }
    assert_true(process_answer_read(&shape, bytes, short_size, &read, &error));
    assert_int_equal(read.observation_count, 0);
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
    REFUSED(signals[0].index, 3, "signal 3 does not exist; the robot has 3");
    REFUSED(signals[0].value, INFINITY, "finite");
    REFUSED(frames[0].channel, 2, "channel 2, but there are 2");
    REFUSED(frames[0].size, 9, "allowed: 1 .. 8");
    REFUSED(frames[1].size, 0, "allowed: 1 .. 4");
    struct error error = {0};
    answer = good_answer();
    static const int64_t waits_us[] = {1, 3600000000, ROBOT_NEVER};
    for (size_t i = 0; i < 3; i++) {
        answer.wait_us = waits_us[i];
        assert_true(process_answer_check(&shape, &answer, &error));
    }
}

static void what_no_robot_can_see_is_refused(void **state)
{
    (void)state;
    struct process_answer answer;
#define BLIND(member, value, word)                                                                 \
    (answer = looking_answer(), answer.member = (value), assert_refused(&answer, word))
    BLIND(observations[0].sensor, 4, "observe: sensor 4 does not exist; the robot has 4");
    BLIND(observations[0].sensor, 0, "observe: sensor 0: not a camera or scanner");
    BLIND(observations[0].sensor, 2, "observe: sensor 2: width, of a scanner, is 80");
    BLIND(observations[1].sensor, 1, "observe: sensor 1: twice");
    BLIND(observations[0].width, 641, "observe: sensor 1: width is 641; allowed: 0 .. 640");
    BLIND(observations[0].width, -1, "width is -1");
    BLIND(observations[0].rays, 1, "rays, of a camera, is 1");
    BLIND(observations[1].rays, 0, "observe: sensor 2: rays is 0; allowed: 1 .. 2048");
    BLIND(observations[1].rays, 2049, "rays is 2049");
    BLIND(observations[1].from_rad, -11, "from_rad is -11");
    BLIND(observations[1].to_rad, NAN, "to_rad");
    answer = looking_answer();
    answer.observations[0] = (struct process_observation){.sensor = 3};
    assert_refused(&answer, "12000000 pixels; allowed: 307200 per answer");
    struct error error = {0};
    answer.observations[0].width = 640;
    assert_true(process_answer_check(&shape, &answer, &error));
    answer.observations[answer.observation_count++] =
        (struct process_observation){.sensor = 1, .width = 1};
    assert_refused(&answer, "307201 pixels");
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
    // All bytes are compared. An initializer leaves padding undefined, as clang 19 shows.
    static struct process_question question;
    question.now_us = 123456789;
    question.power_us = 1000;
    question.is_start = true;
    question.command_count = 1;
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
    question.sensors.sensor[0].distance_m = INFINITY;
    question.sensors.sensor[0].reflectance = 0.5;
    question.sensors.sensor[0].level = 0.25;
    question.sensors.sensor[0].beams = 0x42;
    question.sensors.bumpers = 5;
    question.sensors.buttons = 2;
    question.sensors.charger = CHARGER_DOCK;
    question.sensors.battery_charge = 0.75;
    question.channels[1].is_present = 1;
    question.channels[1].lines = 3;
    question.channels[1].size = 2;
    memcpy(question.channels[1].bytes, "hi", 2);
    question.commands[0].numbers[3] = 9;
    uint8_t bytes[PROCESS_QUESTION_MAX];
    static struct process_question read;
    size_t size = process_question_write(&shape, &question, bytes);
    assert_int_equal(process_question_time(bytes), 123456789);
    assert_true(process_question_read(&shape, bytes, size, &read));
    assert_memory_equal(&read, &question, sizeof read);
    assert_false(process_question_read(&shape, bytes, size - 1, &read));
}

/* The commands are at the end, behind their number. */
static void a_question_with_too_many_commands_is_refused(void **state)
{
    (void)state;
    enum { COMMAND = 4 + 8 * PROCESS_NUMBERS_MAX };
    static struct process_question question;
    static struct process_question read[2]; // room behind the first
    static uint8_t bytes[PROCESS_QUESTION_MAX + COMMAND];
    question.command_count = PROCESS_COMMANDS_MAX;
    size_t size = process_question_write(&shape, &question, bytes);
    assert_true(process_question_read(&shape, bytes, size, read));
    assert_int_equal(read->command_count, PROCESS_COMMANDS_MAX);
    uint8_t *count = bytes + size - (size_t)PROCESS_COMMANDS_MAX * COMMAND - 4;
    assert_int_equal(*count, PROCESS_COMMANDS_MAX);
    ++*count;
    memset(bytes + size, 0, COMMAND);
    assert_false(process_question_read(&shape, bytes, size + COMMAND, read));
}

/* Signal 0 of the template is the first of consecutive doubles. */
static void the_signals_of_the_process_are_those_doubles(void **state)
{
    (void)state;
    struct signal_row row = process_type.signals[0];
    size_t first = row.offset;
    assert_int_equal(process_signal_index(&row), 0);
    for (size_t i = 0; i < PROCESS_SIGNALS_MAX; i++) {
        row.offset = (first + i * sizeof(double));
        assert_int_equal(process_signal_index(&row), (int)i);
    }
    row.offset = (first + PROCESS_SIGNALS_MAX * sizeof(double));
    assert_int_equal(process_signal_index(&row), -1);
    row.offset = (first - sizeof(double));
    assert_int_equal(process_signal_index(&row), -1);
    row.offset = first;
    row.type = SIGNAL_BOOL;
    assert_int_equal(process_signal_index(&row), -1);
    for (size_t i = 1; i < process_type.signal_count; i++)
        assert_int_equal(process_signal_index(&process_type.signals[i]), -1);
}

static double number_at(const uint8_t *bytes)
{
    uint64_t bits = 0;
    double number;
    for (int i = 7; i >= 0; i--)
        bits = bits << 8 | bytes[i];
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void what_was_seen_lies_behind_the_question(void **state)
{
    (void)state;
    static const uint8_t pixels[] = "abcdef";
    static const struct robot_echo echoes[] = {{1.5, 0.25, 1}, {INFINITY, 0, 0}};
    static const struct robot_sight sights[] = {
        {.sensor = 7, .image = {2, 1, pixels}},
        {.sensor = 300, .echoes = echoes, .echo_count = 2},
    };
    static const uint8_t heads[] = {2, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
                         scan[] = {44, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
    uint8_t bytes[128];
    assert_int_equal(process_sights_write(sights, 0, bytes), 0);
    assert_int_equal(process_sights_write(sights, 2, NULL), 4 + 2 * 16 + 6 + 48);
    assert_int_equal(process_sights_write(sights, 2, bytes), 4 + 2 * 16 + 6 + 48);
    assert_memory_equal(bytes, heads, 20);
    assert_memory_equal(bytes + 20, "abcdef", 6);
    assert_memory_equal(bytes + 26, scan, 16);
    assert_true(number_at(bytes + 42) == 1.5 && number_at(bytes + 50) == 0.25);
    assert_true(number_at(bytes + 58) == 1 && isinf(number_at(bytes + 66)));
}

/* ---- The robot in a rig, with a function as its firmware ---- */

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

/* Represents the process: keeps the last question, answers with two frames. */
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

static size_t answer(void *context, const struct robot_question *question, uint8_t *out,
                     size_t room)
{
    struct partner *partner = context;
    assert_true(
        process_question_read(&partner->shape, question->bytes, question->size, &partner->asked));
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

/* ---- Observations ---- */

static const uint8_t black[80 * 60 * 3];

static struct robot_image take(void *context, size_t sensor, uint32_t width)
{
    assert_true(sensor == 1 && width <= 80);
    ++*(int *)context;
    return (struct robot_image){(uint16_t)width, (uint16_t)robot_image_rows(width, 80, 60), black};
}

/* The distance grows with the heading of the ray. */
static void cast(void *context, size_t sensor, double heading_rad, double aside_m, int64_t at_us,
                 struct robot_echo *echo)
{
    assert_true(sensor == 0 && aside_m == 0 && at_us == *(int64_t *)context);
    *echo = (struct robot_echo){heading_rad > 1.9 ? INFINITY : 2 + heading_rad, 0.5, 1};
}

static void make_seeing_body(const void *options, struct robot_body *body)
{
    make_body(options, body);
    body->sensor_count = 2;
    body->sensors[0] = (struct sensor_spec){.kind = SENSOR_SCANNER, .name = "lidar"};
    body->sensors[1] =
        (struct sensor_spec){.kind = SENSOR_CAMERA, .name = "eye", .width = 80, .height = 60};
}

/* Requests the observations in SAYS, and keeps the results. */
struct seer {
    struct process_shape shape;
    struct process_answer says;
    size_t seen_count;
    struct robot_sight seen[PROCESS_OBSERVATIONS_MAX];
    struct robot_echo echoes[8];
};

static size_t look(void *context, const struct robot_question *question, uint8_t *out, size_t room)
{
    struct seer *seer = context;
    (void)room;
    seer->seen_count = question->sight_count;
    for (size_t i = 0; i < question->sight_count; i++) {
        seer->seen[i] = question->sights[i];
        for (size_t k = 0; k < seer->seen[i].echo_count; k++)
            seer->echoes[k] = seer->seen[i].echoes[k];
    }
    return process_answer_write(&seer->shape, &seer->says, out);
}

static void what_it_looks_at_comes_once_with_the_next_question(void **state)
{
    (void)state;
    struct robot_type type = make_type();
    type.body = make_seeing_body;
    struct robot_rig rig;
    rig_open(&rig, &type, 0);
    int taken = 0;
    int64_t now_us = 1000;
    struct seer seer = {.shape = process_shape_of(&type, &rig.body),
                        .says = {.wait_us = 1000, .observation_count = 2}};
    seer.says.observations[0] = (struct process_observation){.sensor = 1, .width = 40};
    seer.says.observations[1] =
        (struct process_observation){.sensor = 0, .rays = 5, .from_rad = -1, .to_rad = 3};
    const struct robot_tx tx = {&seer, take_frame, queued, look};
    struct robot_actuators actuators = {0};
    rig.sensors.cameras = (struct robot_cameras){&taken, take};
    rig.sensors.rays = (struct robot_rays){&now_us, cast};

    type.tick(rig.state, &rig.sensors, &actuators, &tx, now_us);
    assert_true(seer.seen_count == 0 && taken == 0);
    now_us = 2000;
    type.tick(rig.state, &rig.sensors, &actuators, &tx, now_us);
    assert_true(seer.seen_count == 2 && taken == 1);
    assert_true(seer.seen[0].sensor == 1 && seer.seen[0].image.rgb == black);
    assert_true(seer.seen[0].image.width == 40 && seer.seen[0].image.height == 30);
    assert_true(seer.seen[1].sensor == 0 && seer.seen[1].echo_count == 5);
    assert_true(seer.echoes[0].distance_m == 1 && seer.echoes[2].distance_m == 3 &&
                isinf(seer.echoes[4].distance_m));

    // For the window: the points of the last scan. A ray without a hit has distance 0.
    const struct robot_scan *scan =
        (const struct robot_scan *)((const uint8_t *)rig.state + type.scan_offset);
    assert_true(scan->total == 5 && scan->count == 5 && scan->points[2].distance_mm == 3000);
    assert_true(scan->points[4].distance_mm == 0);
    assert_int_equal(scan->points[2].heading, (uint16_t)(65536 / (2 * 3.14159265358979)));

    seer.says.observation_count = 0;
    type.tick(rig.state, &rig.sensors, &actuators, &tx, now_us);
    type.tick(rig.state, &rig.sensors, &actuators, &tx, now_us);
    assert_true(seer.seen_count == 0 && taken == 2);

    // A power-on discards the requested observations.
    seer.says.observation_count = 2;
    type.tick(rig.state, &rig.sensors, &actuators, &tx, now_us);
    rig_reset(&rig);
    type.tick(rig.state, &rig.sensors, &actuators, &tx, now_us);
    assert_true(seer.seen_count == 0 && taken == 2);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_reads_as_it_was_written),
        cmocka_unit_test(what_an_answer_looks_at_reads_as_it_was_written),
        cmocka_unit_test(what_no_robot_may_do_is_refused),
        cmocka_unit_test(what_no_robot_can_see_is_refused),
        cmocka_unit_test(what_was_seen_lies_behind_the_question),
        cmocka_unit_test(random_bytes_are_no_answer_and_do_no_harm),
        cmocka_unit_test(a_question_reads_as_it_was_written),
        cmocka_unit_test(a_question_with_too_many_commands_is_refused),
        cmocka_unit_test(the_signals_of_the_process_are_those_doubles),
        cmocka_unit_test(bytes_that_nobody_has_room_for_are_counted),
        cmocka_unit_test(commands_wait_up_to_a_number),
        cmocka_unit_test(a_tick_asks_once_and_obeys),
        cmocka_unit_test(what_it_looks_at_comes_once_with_the_next_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
