/* The e-puck2's serial protocol: lines of text and batches of binary commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/epuck2_rig.h"

/* All bytes received over the serial channel since rig_forget, as one text. */
static const char *heard(const struct epuck2_rig *rig, size_t *size)
{
    static char bytes[16384];
    *size = 0;
    for (size_t i = 0; i < rig->frame_count; i++) {
        const struct rig_frame *frame = &rig->frames[i];
        if (frame->channel == EPUCK2_SERIAL) {
            assert_true(*size + frame->size < sizeof bytes);
            memcpy(bytes + *size, frame->bytes, frame->size);
            *size += frame->size;
        }
    }
    bytes[*size] = '\0';
    return bytes;
}

static struct epuck2_rig *rig_serial(const char *options)
{
    struct epuck2_rig *rig = rig_new(options);
    rig_host(rig, EPUCK2_SERIAL, true);
    rig_run(rig, 200);
    return rig;
}

static void ask(struct epuck2_rig *rig, const char *line, const char *expected)
{
    size_t size;
    rig_forget(rig);
    rig_send(rig, EPUCK2_SERIAL, line, strlen(line));
    rig_run(rig, 10);
    assert_string_equal(heard(rig, &size), expected);
}

static size_t ask_binary(struct epuck2_rig *rig, const void *bytes, size_t size,
                         const uint8_t **answer)
{
    size_t heard_size;
    rig_forget(rig);
    rig_send(rig, EPUCK2_SERIAL, bytes, size);
    rig_run(rig, 100);
    *answer = (const uint8_t *)heard(rig, &heard_size);
    return heard_size;
}

static void it_greets_at_power_on(void **state)
{
    (void)state;
    size_t size;
    struct epuck2_rig *rig = rig_serial(NULL);
    assert_string_equal(heard(rig, &size), "\f\aWELCOME to the SerCom protocol on e-Puck\r\n"
                                           "the EPFL education robot type \"H\" for help\r\n");
    rig_free(rig);
}

static void lines_are_answered_with_the_small_letter(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial("ground_sensors=yes");
    static const struct {
        const char *line, *answer;
    } cases[] = {
        {"A\r", "a,2048,2048,2816\r\n"},
        {"a\n", "a,2048,2048,2816\r\n"},
        {"b\r", "b,3277 (80%)\r\n"},
        {"B,1\r", "b\r\n"},
        {"C\r", "c,15\r\n"},
        {"D,500,-400\r", "d\r\n"},
        {"E\r", "e,500,-400\r\n"},
        {"S\r", "s\r\n"},
        {"E\r", "e,0,0\r\n"},
        {"F,1\r", "f\r\n"},
        {"G\r", "g IR check : 0x0, address : 0x0, data : 0x0\r\n"},
        {"g\r", "g,0,0,0\r\n"},
        {"I\r", "i,1,40,40,8,3200\r\n"},
        {"L,2,1\r", "l\r\n"},
        {"M\r", "m,1000,1000,1000,0,0\r\n"},
        {"N\r", "n,0,0,0,0,0,0,0,0\r\n"},
        {"O\r", "o,4000,4000,4000,4000,4000,4000,4000,4000\r\n"},
        {"P,10,-20\r", "p\r\n"},
        {"Q\r", "q,10,-20\r\n"},
        {"R\r", ""},
        {"T,2\r", "t\r\n"},
        {"t\r", "t,28\r\n"},
        {"U\r", "u,40,40,40\r\n"},
        {"V\r", "v,Version 2.0 January 2018 GCtronic\r\nHW version: FFFF\r\n"},
        {"x\r", "z,Command not found\r\n"},
        {"\r\n\r\n", ""},
        {"Q\r\nC\r\n", "q,10,-20\r\nc,15\r\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ask(rig, cases[i].line, cases[i].answer);
    assert_true(rig->actuators.sound_hz > 0);
    assert_int_equal(rig->state.lamps.leds & 0x02, 0x02);
    rig_free(rig);
}

/* Writes LETTER and eight numbers, as a line. */
static void eight(char out[96], char letter, const uint16_t *value)
{
    size_t used = (size_t)snprintf(out, 96, "%c", letter);
    for (size_t i = 0; i < EPUCK2_PROX_COUNT; i++)
        used += (size_t)snprintf(out + used, 96 - used, ",%d", value[i]);
    snprintf(out + used, 96 - used, "\r\n");
}

static void eight_sensors_are_reported_in_their_order(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial(NULL);
    char line[96];
    for (size_t i = 0; i < rig->body.sensor_count; i++) {
        rig->sensors.sensor[i].distance_m = 0.02 + 0.003 * (double)i;
        rig->sensors.sensor[i].level = 0.1 * (double)i;
    }
    rig_run(rig, 200);
    for (size_t i = 1; i < EPUCK2_PROX_COUNT; i++) {
        assert_int_not_equal(rig->state.prox.value[i], rig->state.prox.value[i - 1]);
        assert_int_not_equal(rig->state.prox.ambient[i], rig->state.prox.ambient[i - 1]);
    }
    eight(line, 'n', rig->state.prox.value);
    ask(rig, "N\r", line);
    eight(line, 'o', rig->state.prox.ambient);
    ask(rig, "O\r", line);
    rig_free(rig);
}

static void a_batch_of_all_sensors_is_the_packet_without_its_last_byte(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial(NULL);
    const uint8_t *answer;
    rig_host(rig, EPUCK2_WIFI, true);
    rig_order(rig, &(struct epuck2_command){.request = 2});
    rig_run(rig, 200);
    struct epuck2_sensors sensors = rig_sensors(rig);
    uint8_t body[104];
    wire_encode(&epuck2_sensors_packet, &sensors, body);
    /* The vendor's library sends this request: actuators, all sensors, end. */
    uint8_t batch[22] = {0xf7};
    batch[20] = 0xf8;
    assert_int_equal(ask_binary(rig, batch, sizeof batch, &answer) >= 103, true);
    rig_host(rig, EPUCK2_WIFI, false);
    rig_run(rig, 100);
    assert_int_equal(ask_binary(rig, batch, sizeof batch, &answer), 103);
    assert_memory_equal(answer, body, 102);
    rig_free(rig);
}

static void binary_commands_answer_in_their_sizes_one_behind_the_other(void **state)
{
    (void)state;
    static const struct {
        uint8_t code, arguments;
        size_t answer;
    } cases[] = {{0x08, 0, 103}, {0x09, 19, 0}, {0x0a, 12, 0}, {0x0b, 0, 1}, {0x0c, 0, 8},
                 {0x0d, 0, 2},   {0x0e, 0, 1},  {0x0f, 1, 1},  {0x10, 1, 1}, {0x11, 1, 1},
                 {'a', 0, 6},    {'A', 0, 12},  {'b', 0, 2},   {'D', 4, 0},  {'E', 0, 4},
                 {'g', 0, 6},    {'L', 2, 0},   {'M', 0, 8},   {'N', 0, 16}, {'O', 0, 16},
                 {'P', 4, 0},    {'Q', 0, 4},   {'t', 0, 1},   {'u', 0, 6}};
    struct epuck2_rig *rig = rig_serial(NULL);
    const uint8_t *answer;
    uint8_t all[256];
    size_t all_size = 0;
    size_t sum = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t batch[22] = {(uint8_t)(0x100 - cases[i].code)};
        size_t size = 1 + (size_t)cases[i].arguments;
        assert_int_equal(ask_binary(rig, batch, size + 1, &answer), cases[i].answer);
        memcpy(all + all_size, batch, size);
        all_size += size;
        sum += cases[i].answer;
    }
    all[all_size++] = 0;
    assert_int_equal(ask_binary(rig, all, all_size, &answer), sum);
    rig_free(rig);
}

static void a_binary_speed_drives_and_a_binary_count_sets(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial(NULL);
    const uint8_t *answer;
    ask_binary(rig, "\xb0\x0a\x00\xf6\xff\x00", 6, &answer); /* -'P' 10 -10 */
    assert_int_equal(ask_binary(rig, "\xaf\x00", 2, &answer), 4);
    assert_memory_equal(answer, "\x0a\x00\xf6\xff", 4);
    ask_binary(rig, "\xbc\xf4\x01\x0c\xfe\x00", 6, &answer); /* -'D' 500 -500 */
    assert_true(rig->actuators.motor[0] > 0 && rig->actuators.motor[1] < 0);
    rig_free(rig);
}

static void a_picture_comes_with_its_header(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial(NULL);
    const uint8_t *answer;
    memset(rig->rgb, 0xff, sizeof rig->rgb);
    /* Battery, picture, button. */
    assert_int_equal(ask_binary(rig, "\x9e\xb7\xf5\x00", 4, &answer), 2 + 3 + 3200 + 1);
    assert_memory_equal(answer + 2, "\x01\x28\x28\xff\xff", 5);
    ask(rig, "J,0,80,30,4\r", "j\r\n");
    assert_int_equal(ask_binary(rig, "\xb7\x00", 2, &answer), 3 + 2400);
    assert_memory_equal(answer, "\x00\x50\x1e\xff", 4);
    ask(rig, "J,1,640,480,1\r", "j\r\n"); /* too large for the robot's memory */
    ask(rig, "I\r", "i,1,40,40,8,3200\r\n");
    rig_free(rig);
}

static void a_calibration_is_reported_of_and_what_comes_meanwhile_waits(void **state)
{
    (void)state;
    static const char started[] =
        "k, Starting calibration - Remove any object in sensors range\r\n";
    size_t size;
    struct epuck2_rig *rig = rig_serial("calibration_s=1");
    rig_forget(rig);
    rig_send(rig, EPUCK2_SERIAL, "K\rC\r", 4);
    rig_run(rig, 1000);
    assert_string_not_equal(heard(rig, &size), "c,15\r\n");
    rig_run(rig, 1000);
    char expected[128];
    snprintf(expected, sizeof expected, "%sk, Calibration finished\r\nc,15\r\n", started);
    assert_string_equal(heard(rig, &size), expected);
    assert_int_equal(rig->state.prox.calibrations, 1);
    rig_free(rig);
}

static void help_lists_the_letters(void **state)
{
    (void)state;
    size_t size;
    struct epuck2_rig *rig = rig_serial(NULL);
    rig_forget(rig);
    rig_send(rig, EPUCK2_SERIAL, "H\r", 2);
    rig_run(rig, 100);
    const char *help = heard(rig, &size);
    assert_non_null(strstr(help, "\"D\""));
    assert_non_null(strstr(help, "Set motor speed left,right\r\n"));
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_greets_at_power_on),
        cmocka_unit_test(lines_are_answered_with_the_small_letter),
        cmocka_unit_test(eight_sensors_are_reported_in_their_order),
        cmocka_unit_test(a_batch_of_all_sensors_is_the_packet_without_its_last_byte),
        cmocka_unit_test(binary_commands_answer_in_their_sizes_one_behind_the_other),
        cmocka_unit_test(a_binary_speed_drives_and_a_binary_count_sets),
        cmocka_unit_test(a_picture_comes_with_its_header),
        cmocka_unit_test(a_calibration_is_reported_of_and_what_comes_meanwhile_waits),
        cmocka_unit_test(help_lists_the_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
