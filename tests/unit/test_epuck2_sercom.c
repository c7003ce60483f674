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

/* Lines that set lamps, and the LEDs and the red of the RGB LEDs after each. */
static void lamps_are_switched_off_on_and_over(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial("status_lamp=no");
    static const struct {
        const char *line, *answer;
        uint8_t leds, red[EPUCK2_RGB_COUNT];
    } cases[] = {
        {"B,1\r", "b\r\n", 0x10, {0}},
        {"B\r", "b\r\n", 0x10, {0}},
        {"F,1\r", "f\r\n", 0x30, {0}},
        {"F\r", "f\r\n", 0x30, {0}},
        {"B,2\r", "b\r\n", 0x20, {0}},
        {"B,2\r", "b\r\n", 0x30, {0}},
        {"B,0\r", "b\r\n", 0x20, {0}},
        {"F,2\r", "f\r\n", 0x00, {0}},
        {"F,2\r", "f\r\n", 0x20, {0}},
        {"F,0\r", "f\r\n", 0x00, {0}},
        {"L,0,1\r", "l\r\n", 0x01, {0}},
        {"L,2,2\r", "l\r\n", 0x03, {0}},
        {"L,4,1\r", "l\r\n", 0x07, {0}},
        {"L,6,1\r", "l\r\n", 0x0f, {0}},
        {"L,2,0\r", "l\r\n", 0x0d, {0}},
        {"L,1,1\r", "l\r\n", 0x0d, {100, 0, 0, 0}},
        {"L,3,2\r", "l\r\n", 0x0d, {100, 100, 0, 0}},
        {"L,5,1\r", "l\r\n", 0x0d, {100, 100, 100, 0}},
        {"L,7,1\r", "l\r\n", 0x0d, {100, 100, 100, 100}},
        {"L,3,0\r", "l\r\n", 0x0d, {100, 0, 100, 100}},
        {"L,8,2\r", "l\r\n", 0x02, {0, 100, 0, 0}},
        {"L,9,1\r", "l\r\n", 0x02, {0, 100, 0, 0}},
        {"L,0\r", "l\r\n", 0x02, {0, 100, 0, 0}},
        {"L,8,1\r", "l\r\n", 0x0f, {100, 100, 100, 100}},
        {"L,8,0\r", "l\r\n", 0x00, {0}},
        {"L,8,1\r", "l\r\n", 0x0f, {100, 100, 100, 100}},
        {"S\r", "s\r\n", 0x00, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(rig, cases[i].line, cases[i].answer);
        assert_int_equal(rig->state.lamps.leds, cases[i].leds);
        for (int led = 0; led < EPUCK2_RGB_COUNT; led++) {
            const uint8_t expected[3] = {cases[i].red[led], 0, 0};
            assert_memory_equal(rig->state.lamps.rgb[led], expected, 3);
        }
    }
    rig_free(rig);
}

static void binary_commands_set_lamps(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial("status_lamp=no");
    const uint8_t *answer;
    static const uint8_t rgb[] = {0xf6, 1, 2, 3, 10, 20, 30, 40, 50, 60, 70, 80, 90, 0};
    assert_int_equal(ask_binary(rig, rgb, sizeof rgb, &answer), 0);
    assert_memory_equal(rig->state.lamps.rgb, rgb + 1, 12);
    ask_binary(rig, "\xb4\x02\x01\x00", 4, &answer); /* -'L' 2 1 */
    assert_int_equal(rig->state.lamps.leds, 0x02);
    ask_binary(rig, "\xb4\x02\x02\x00", 4, &answer);
    assert_int_equal(rig->state.lamps.leds, 0x00);
    /* Actuators: no settings, speeds 300 and -300, LEDs, four RGB LEDs, no sound. */
    static const uint8_t all[] = {0xf7, 0,  0x2c, 1,  0xd4, 0xfe, 0x3f, 9,  8, 7, 11,
                                  21,   31, 41,   51, 61,   71,   81,   91, 0, 0};
    ask_binary(rig, all, sizeof all, &answer);
    assert_int_equal(rig->state.lamps.leds, 0x3f);
    assert_memory_equal(rig->state.lamps.rgb, all + 7, 12);
    ask(rig, "E\r", "e,300,-300\r\n");
    rig_free(rig);
}

/* They are the same numbers as in the packet of all sensors. */
static void binary_answers_are_little_endian_numbers(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial("ground_sensors=yes sd_card=yes");
    const uint8_t *answer;
    rig->sensors.buttons = 1;
    rig->sensors.accel_m_s2[0] = 3;
    rig->sensors.accel_m_s2[1] = -2;
    rig->sensors.gyro_rad_s[2] = 1;
    rig->sensors.temperature_c = 29;
    for (size_t i = 0; i < rig->body.sensor_count; i++) {
        rig->sensors.sensor[i].level = 0.1 * (double)i;
        if (rig->body.sensors[i].kind == SENSOR_GROUND)
            rig->sensors.sensor[i].reflectance = 0.05 * (double)i;
        else
            rig->sensors.sensor[i].distance_m = 0.02 + 0.003 * (double)i;
    }
    rig_run(rig, 300);
    static const uint8_t all[] = {0xf8, 0};
    uint8_t packet[103];
    assert_int_equal(ask_binary(rig, all, sizeof all, &answer), sizeof packet);
    memcpy(packet, answer, sizeof packet);
    /* Each code, and the place of its answer in the packet of all sensors (section 2.1). */
    static const struct {
        uint8_t code;
        size_t at, size;
    } parts[] = {{0x0c, 71, 8}, {0x0d, 69, 2}, {0x0e, 85, 1}, {'A', 6, 12},
                 {'b', 83, 2},  {'g', 18, 6},  {'M', 90, 6},  {'N', 37, 16},
                 {'O', 53, 16}, {'Q', 79, 4},  {'u', 71, 6}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const uint8_t batch[] = {(uint8_t)(0x100 - parts[i].code), 0};
        assert_true(ask_binary(rig, batch, sizeof batch, &answer) >= parts[i].size);
        assert_memory_equal(answer, packet + parts[i].at, parts[i].size);
    }
    assert_int_equal(ask_binary(rig, "\xf5\x00", 2, &answer), 1); /* the button */
    assert_int_equal(answer[0], 1);
    assert_int_equal(ask_binary(rig, "\x9f\x00", 2, &answer), 6); /* -'a': 2048 more */
    for (size_t i = 0; i < 3; i++) {
        int16_t plain = (int16_t)(packet[2 * i] | packet[2 * i + 1] << 8);
        assert_int_equal(answer[2 * i] | answer[2 * i + 1] << 8, plain + 2048);
    }
    /* Temperature and acknowledgements are 0, and the fourth pair of -'M' too. */
    static const uint8_t zeros[] = {0x8c, 0xf1, 1, 0xf0, 1, 0xef, 1, 0};
    assert_int_equal(ask_binary(rig, zeros, sizeof zeros, &answer), 4);
    assert_memory_equal(answer, "\0\0\0\0", 4);
    assert_int_equal(ask_binary(rig, "\xb3\x00", 2, &answer), 8);
    assert_memory_equal(answer + 6, "\0\0", 2);
    char line[16]; /* the line of text has the temperature */
    snprintf(line, sizeof line, "t,%d\r\n", (int8_t)packet[36]);
    ask(rig, "t\r", line);
    rig_free(rig);
}

/* A dot of the sensor is a quarter of a pixel wide. Only one pixel of the picture is white. */
static bool first_dot_is_white(struct epuck2_rig *rig, int row, int column)
{
    const uint8_t *answer;
    memset(rig->rgb, 0, sizeof rig->rgb);
    memset(rig->rgb + (size_t)3 * (size_t)(row * EPUCK2_IMAGE_WIDTH + column), 0xff, 3);
    assert_true(ask_binary(rig, "\xb7\x00", 2, &answer) > 3);
    return answer[3] == 0xff;
}

static void a_picture_is_the_part_of_the_sensor_that_was_set(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial(NULL);
    static const struct {
        const char *line, *set;
        int row, column; /* pixel of the first dot */
    } cases[] = {
        {"I\r", "i,1,40,40,8,3200\r\n", 20, 40}, /* at power-on */
        {"J,0,1,1,1,100,200\r", "i,0,1,1,1,1\r\n", 50, 25},
        {"J,0,1,1,1,639,479\r", "i,0,1,1,1,1\r\n", 119, 159},
        {"J,0,1,1,1,0,0\r", "i,0,1,1,1,1\r\n", 0, 0},
        {"J,0,1,1,1,640,200\r", "i,0,1,1,1,1\r\n", 50, 79}, /* outside of the sensor: the middle */
        {"J,0,1,1,1,100,480\r", "i,0,1,1,1,1\r\n", 59, 25},
        {"J,0,1,1,1,-1,-1\r", "i,0,1,1,1,1\r\n", 59, 79},
        {"J,0,1,1,1,100\r", "i,0,1,1,1,1\r\n", 59, 25},
        {"J,0,1,1,1\r", "i,0,1,1,1,1\r\n", 59, 79},
        {"J,1\r", "i,1,1,1,1,2\r\n", 59, 79},
        {"J,0,80,40,8\r", "i,0,80,40,8,3200\r\n", 20, 0},
        {"J,0,80,41,8\r", "i,1,40,40,8,3200\r\n", 20, 40}, /* no room in the memory */
        {"J,1,40,41,1\r", "i,1,40,40,8,3200\r\n", 20, 40},
        {"J,1,40,30,16\r", "i,1,40,30,16,2400\r\n", 0, 0},
        {"J,1,41,30,16\r", "i,1,40,40,8,3200\r\n", 20, 40}, /* beyond the sensor */
        {"J,1,40,31,16\r", "i,1,40,40,8,3200\r\n", 20, 40},
        {"J,1,4,4,16,384,224\r", "i,1,4,4,16,32\r\n", 56, 96},
        {"J,1,4,4,17\r", "i,1,40,40,8,3200\r\n", 20, 40},
        {"J,1,255,1,1\r", "i,1,255,1,1,510\r\n", 59, 48},
        {"J,1,1,255,1\r", "i,1,1,255,1,510\r\n", 28, 79},
        {"J,1,256,1,1\r", "i,1,40,40,8,3200\r\n", 20, 40},
        {"J,1,1,256,1\r", "i,1,40,40,8,3200\r\n", 20, 40},
        {"J,0,0,1,1\r", "i,1,40,40,8,3200\r\n", 20, 40},
        {"J,0,1,0,1\r", "i,1,40,40,8,3200\r\n", 20, 40},
        {"J,0,1,1,0\r", "i,1,40,40,8,3200\r\n", 20, 40},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (i > 0)
            ask(rig, cases[i].line, "j\r\n");
        ask(rig, "I\r", cases[i].set);
        if (!first_dot_is_white(rig, cases[i].row, cases[i].column))
            fail_msg("%s does not begin at row %d, column %d", cases[i].line, cases[i].row,
                     cases[i].column);
    }
    rig_free(rig);
}

static void only_0_ends_a_batch(void **state)
{
    (void)state;
    size_t size;
    struct epuck2_rig *rig = rig_serial(NULL);
    const uint8_t *answer;
    /* An unknown code, and text that does not count as a line. */
    assert_int_equal(ask_binary(rig,
                                "\x90"
                                "C\r\x00",
                                4, &answer),
                     0);
    assert_int_equal(rig->state.stats[EPUCK2_SERIAL].unknown_ids, 3);
    ask(rig, "C\r", "c,15\r\n");
    assert_int_equal(ask_binary(rig,
                                "\xf5"
                                "C\r\xf5",
                                4, &answer),
                     0); /* not ended yet */
    rig_forget(rig);
    rig_send(rig, EPUCK2_SERIAL, "\x00", 1);
    rig_run(rig, 10);
    heard(rig, &size);
    assert_int_equal(size, 2);
    rig_free(rig);
}

static void commands_are_counted_as_frames_and_unknown_letters_as_unknown(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial(NULL);
    const struct robot_stats *stats = &rig->state.stats[EPUCK2_SERIAL];
    const uint8_t *answer;
    ask(rig, "C\r", "c,15\r\n");
    ask(rig, "c\r", "c,15\r\n");
    assert_int_equal(stats->frames, 2);
    ask(rig, "x\r", "z,Command not found\r\n");
    ask(rig, "7\r", "z,Command not found\r\n");
    assert_int_equal(stats->frames, 2);
    assert_int_equal(stats->unknown_ids, 2);
    ask_binary(rig, "\xf5\xf2\x00", 3, &answer);
    assert_int_equal(stats->frames, 4);
    ask_binary(rig, "\x90\x91\x00", 3, &answer);
    assert_int_equal(stats->unknown_ids, 4);
    assert_int_equal(stats->frames, 4);
    rig_free(rig);
}

static void a_binary_calibration_delays_the_answers_behind_it(void **state)
{
    (void)state;
    size_t size;
    struct epuck2_rig *rig = rig_serial("calibration_s=1");
    uint8_t batch[23] = {0xf7, 0x01};
    batch[20] = 0xf5; /* the button */
    rig_forget(rig);
    rig_send(rig, EPUCK2_SERIAL, batch, 22);
    rig_run(rig, 900);
    heard(rig, &size);
    assert_int_equal(size, 0);
    rig_run(rig, 200);
    heard(rig, &size);
    assert_int_equal(size, 1);
    assert_int_equal(rig->state.prox.calibrations, 1);
    batch[1] = 0; /* without a calibration it answers at once */
    rig_forget(rig);
    rig_send(rig, EPUCK2_SERIAL, batch, 22);
    rig_run(rig, 1);
    heard(rig, &size);
    assert_int_equal(size, 1);
    rig_free(rig);
}

static void a_melody_ends_and_a_tone_does_not(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_serial(NULL);
    static const struct {
        const char *line;
        int ms; /* of all notes */
    } melodies[] = {{"T,1\r", 1000}, {"T,2\r", 875}, {"T,3\r", 1400}};
    for (size_t i = 0; i < sizeof melodies / sizeof melodies[0]; i++) {
        ask(rig, melodies[i].line, "t\r\n");
        int notes = 0;
        int ms = 10; /* of the question above */
        double hz = 0;
        for (; rig->state.play.melody != 0 && ms < 5000; ms++) {
            notes += rig->actuators.sound_hz != hz;
            hz = rig->actuators.sound_hz;
            rig_run(rig, 1);
        }
        assert_int_equal(ms, melodies[i].ms);
        assert_true(notes >= 5 && hz > 0);
        assert_true(rig->actuators.sound_hz == 0 && rig->actuators.sound_level == 0);
    }
    for (int tone = 0; tone < 2; tone++) {
        ask(rig, tone == 0 ? "T,4\r" : "T,5\r", "t\r\n");
        rig_run(rig, 5000);
        assert_true(rig->actuators.sound_hz == (tone == 0 ? 4000 : 10000));
    }
    ask(rig, "T\r", "t\r\n");
    assert_true(rig->actuators.sound_hz == 0);
    ask(rig, "T,4\r", "t\r\n");
    ask(rig, "T,6\r", "t\r\n");
    assert_true(rig->actuators.sound_hz == 0);
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
        cmocka_unit_test(lamps_are_switched_off_on_and_over),
        cmocka_unit_test(binary_commands_set_lamps),
        cmocka_unit_test(binary_answers_are_little_endian_numbers),
        cmocka_unit_test(a_picture_is_the_part_of_the_sensor_that_was_set),
        cmocka_unit_test(only_0_ends_a_batch),
        cmocka_unit_test(commands_are_counted_as_frames_and_unknown_letters_as_unknown),
        cmocka_unit_test(a_binary_calibration_delays_the_answers_behind_it),
        cmocka_unit_test(a_melody_ends_and_a_tone_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
