/* Commands of the serial protocol and their answers. Left out: I2C (W, Y, Z), because its devices
 * do not exist (a binary read gives 0); switching sensors off, which is only acknowledged. The help
 * text is shorter. */
#include "protocols/epuck2/epuck2_sercom_commands.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "protocols/epuck2/epuck2_host.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"
#include "protocols/epuck2/epuck2_senses.h"

enum { ACC_OFFSET = 2048 }; /* of the e-puck1's accelerometer */

/* ---- Answers ---- */

void epuck2_sercom_add(struct epuck2_state *state, const void *bytes, size_t size)
{
    struct epuck2_sercom *sercom = &state->sercom;
    if (size > EPUCK2_ANSWER_MAX - (size_t)sercom->answer_size) {
        state->stats[EPUCK2_SERIAL].overruns++;
        return;
    }
    memcpy(sercom->answer + sercom->answer_size, bytes, size);
    sercom->answer_size = (uint16_t)(sercom->answer_size + size);
}

void epuck2_sercom_wait(struct epuck2_state *state, enum epuck2_wait waiting, int64_t until_us)
{
    state->sercom.waiting = (uint8_t)waiting;
    state->sercom.due_us = until_us;
}

/* ---- Lines of text ---- */

enum {
    NUMBERS_MAX = 6,
    PICTURE_MAX = 3200, /* bytes: 40 x 40 pixels of two */
    SENSOR_WIDTH = 640,
    SENSOR_HEIGHT = 480,
    CALIBRATION_LEAD_US = 500000, /* the LEDs are lit for half a second before (Asercom2.c) */
};

/* The numbers after the letter, separated by commas. COUNT: how many were read. */
struct numbers {
    int value[NUMBERS_MAX];
    int count;
};

__attribute__((format(printf, 2, 3))) static void say(struct epuck2_state *state,
                                                      const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(size >= 0 && (size_t)size < sizeof text);
    epuck2_sercom_add(state, text, (size_t)size);
}

/* Like sscanf with "%d,%d": stops at the first text that is not a number. */
static struct numbers numbers_of(const char *text)
{
    struct numbers numbers = {.count = 0};
    while (*text == ',' && numbers.count < NUMBERS_MAX) {
        const char *at = text + 1;
        bool is_negative = *at == '-';
        at += is_negative || *at == '+';
        int value = 0;
        const char *first = at;
        for (; *at >= '0' && *at <= '9'; at++)
            value = value > 100000 ? value : value * 10 + (*at - '0');
        if (at == first)
            break;
        numbers.value[numbers.count++] = is_negative ? -value : value;
        text = at;
    }
    return numbers;
}

/* The parameters of a command's function. */
struct call {
    struct epuck2_state *state;
    struct numbers numbers;   /* of a line */
    const uint8_t *arguments; /* of a binary command */
    int64_t now_us;
};

/* ---- Text commands ---- */

static void line_body(const struct call *call)
{
    if (call->numbers.count > 0)
        epuck2_lamps_switch(&call->state->lamps, EPUCK2_LED_BODY, call->numbers.value[0]);
    say(call->state, "b\r\n");
}

static void line_front(const struct call *call)
{
    if (call->numbers.count > 0)
        epuck2_lamps_switch(&call->state->lamps, EPUCK2_LED_FRONT, call->numbers.value[0]);
    say(call->state, "f\r\n");
}

static void line_led(const struct call *call)
{
    if (call->numbers.count > 1)
        epuck2_lamps_ring(&call->state->lamps, call->numbers.value[0], call->numbers.value[1]);
    say(call->state, "l\r\n");
}

static void line_acc(const struct call *call)
{
    const int16_t *acc = call->state->inertia.acc;
    say(call->state, "a,%d,%d,%d\r\n", acc[0] + ACC_OFFSET, acc[1] + ACC_OFFSET,
        acc[2] + ACC_OFFSET);
}

static void line_battery(const struct call *call)
{
    say(call->state, "b,%d (%d%%)\r\n", call->state->power.raw,
        (int)floor(call->state->power.charge * 100));
}

static void line_selector(const struct call *call)
{
    say(call->state, "c,%d\r\n", call->state->selector);
}

static void line_set_speed(const struct call *call)
{
    if (call->numbers.count > 1)
        epuck2_motion_speeds(call->state, call->numbers.value[0], call->numbers.value[1],
                             call->now_us);
    say(call->state, "d\r\n");
}

static void line_speed(const struct call *call)
{
    const struct epuck2_wheel *wheels = call->state->motion.wheel;
    say(call->state, "e,%d,%d\r\n", wheels[EPUCK2_LEFT].wanted, wheels[EPUCK2_RIGHT].wanted);
}

static void line_remote(const struct call *call)
{
    say(call->state, "g IR check : 0x%x, address : 0x%x, data : 0x%x\r\n",
        call->state->remote_toggle, call->state->remote_address, call->state->remote_data);
}

static void line_gyro(const struct call *call)
{
    const int16_t *gyro = call->state->inertia.gyro;
    say(call->state, "g,%d,%d,%d\r\n", gyro[0], gyro[1], gyro[2]);
}

static void line_camera(const struct call *call)
{
    const struct epuck2_sercom *sercom = &call->state->sercom;
    int pixel = sercom->camera_mode == 0 ? 1 : 2;
    say(call->state, "i,%d,%d,%d,%d,%d\r\n", sercom->camera_mode, sercom->camera_width,
        sercom->camera_height, sercom->camera_zoom,
        sercom->camera_width * sercom->camera_height * pixel);
}

/* Values beyond the sensor or the buffer are replaced by 40 x 40 pixels, as in the firmware. */
static void line_set_camera(const struct call *call)
{
    struct epuck2_sercom *sercom = &call->state->sercom;
    const int *value = call->numbers.value;
    int mode = call->numbers.count > 0 ? value[0] : sercom->camera_mode;
    int width = call->numbers.count > 1 ? value[1] : sercom->camera_width;
    int height = call->numbers.count > 2 ? value[2] : sercom->camera_height;
    int zoom = call->numbers.count > 3 ? value[3] : sercom->camera_zoom;
    bool is_good = zoom >= 1 && width >= 1 && height >= 1 && width <= 255 && height <= 255 &&
                   zoom <= 16 && width * zoom <= SENSOR_WIDTH && height * zoom <= SENSOR_HEIGHT &&
                   width * height * (mode == 0 ? 1 : 2) <= PICTURE_MAX;
    mode = is_good && mode == 0 ? 0 : 1;
    width = is_good ? width : 40;
    height = is_good ? height : 40;
    zoom = is_good ? zoom : 8;
    int x = is_good && call->numbers.count > 4 ? value[4] : -1;
    int y = is_good && call->numbers.count > 5 ? value[5] : -1;
    bool is_inside_x = x >= 0 && x + width * zoom <= SENSOR_WIDTH;
    bool is_inside_y = y >= 0 && y + height * zoom <= SENSOR_HEIGHT;
    sercom->camera_mode = (int16_t)mode;
    sercom->camera_width = (int16_t)width;
    sercom->camera_height = (int16_t)height;
    sercom->camera_zoom = (int16_t)zoom;
    sercom->camera_x = (int16_t)(is_inside_x ? x : (SENSOR_WIDTH - width * zoom) / 2);
    sercom->camera_y = (int16_t)(is_inside_y ? y : (SENSOR_HEIGHT - height * zoom) / 2);
    say(call->state, "j\r\n");
}

static void line_calibrate(const struct call *call)
{
    int64_t until_us = call->now_us + CALIBRATION_LEAD_US +
                       (int64_t)floor(call->state->options.calibration_s * 1e6);
    say(call->state, "k, Starting calibration - Remove any object in sensors range\r\n");
    epuck2_senses_calibrate(call->state);
    epuck2_sercom_wait(call->state, EPUCK2_WAIT_CALIBRATION, until_us);
}

static void line_ground(const struct call *call)
{
    const uint16_t *ground = call->state->ground;
    say(call->state, "m,%d,%d,%d,0,0\r\n", ground[0], ground[1], ground[2]);
}

static void say_eight(struct epuck2_state *state, char letter, const uint16_t *value)
{
    say(state, "%c,%d,%d,%d,%d,%d,%d,%d,%d\r\n", letter, value[0], value[1], value[2], value[3],
        value[4], value[5], value[6], value[7]);
}

static void line_prox(const struct call *call)
{
    say_eight(call->state, 'n', call->state->prox.value);
}

static void line_light(const struct call *call)
{
    say_eight(call->state, 'o', call->state->prox.ambient);
}

static void line_set_steps(const struct call *call)
{
    if (call->numbers.count > 1)
        epuck2_motion_count(call->state, wire_saturate_i16(call->numbers.value[0]),
                            wire_saturate_i16(call->numbers.value[1]), call->now_us);
    say(call->state, "p\r\n");
}

static void line_steps(const struct call *call)
{
    epuck2_motion_advance(call->state, call->now_us);
    const struct epuck2_wheel *wheels = call->state->motion.wheel;
    say(call->state, "q,%d,%d\r\n", (int)floor(wheels[EPUCK2_LEFT].steps),
        (int)floor(wheels[EPUCK2_RIGHT].steps));
}

static void do_nothing(const struct call *call)
{
    (void)call;
}

static void line_stop(const struct call *call)
{
    epuck2_motion_speeds(call->state, 0, 0, call->now_us);
    epuck2_lamps_ring(&call->state->lamps, 8, 0);
    say(call->state, "s\r\n");
}

static void line_sound(const struct call *call)
{
    int sound = call->numbers.count > 0 ? call->numbers.value[0] : 0;
    bool is_known = sound >= 1 && sound <= 5;
    epuck2_sounds_obey(&call->state->play,
                       (uint8_t)(is_known ? 1u << (sound - 1) : EPUCK2_SOUND_STOP), call->now_us);
    say(call->state, "t\r\n");
}

static void line_temperature(const struct call *call)
{
    say(call->state, "t,%d\r\n", call->state->inertia.temperature);
}

static void line_mics(const struct call *call)
{
    say(call->state, "u,%d,%d,%d\r\n", call->state->mic[0], call->state->mic[1],
        call->state->mic[2]);
}

static void line_version(const struct call *call)
{
    say(call->state, "v,Version 2.0 January 2018 GCtronic\r\nHW version: FFFF\r\n");
}

struct letter {
    char letter;
    void (*run)(const struct call *call);
    const char *help;
};

static void line_help(const struct call *call);

static const struct letter letters[] = {
    {'A', line_acc, "Accelerometer"},
    {'B', line_body, "Body led 0=off 1=on 2=inverse"},
    {'b', line_battery, "Battery value"},
    {'C', line_selector, "Selector position"},
    {'D', line_set_speed, "Set motor speed left,right"},
    {'E', line_speed, "Get motor speed left,right"},
    {'F', line_front, "Front led 0=off 1=on 2=inverse"},
    {'G', line_remote, "IR receiver"},
    {'g', line_gyro, "Gyro"},
    {'H', line_help, "Help"},
    {'I', line_camera, "Get camera parameter"},
    {'J', line_set_camera, "Set camera parameter mode,width,heigth,zoom,x1,y1"},
    {'K', line_calibrate, "Calibrate proximity sensors"},
    {'L', line_led, "Led number,0=off 1=on 2=inverse"},
    {'M', line_ground, "Floor sensors"},
    {'N', line_prox, "Proximity"},
    {'O', line_light, "Light sensors"},
    {'P', line_set_steps, "Set motor position left,right"},
    {'Q', line_steps, "Get motor position left,right"},
    {'R', do_nothing, "Reset e-puck"},
    {'S', line_stop, "Stop e-puck and turn off leds"},
    {'T', line_sound, "Play sound 1-5 else stop sound"},
    {'t', line_temperature, "Temperature"},
    {'U', line_mics, "Get microphone amplitude"},
    {'V', line_version, "Version of SerCom"},
};

static void line_help(const struct call *call)
{
    say(call->state, "\n");
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        say(call->state, "\"%c\"       %s\r\n", letters[i].letter, letters[i].help);
}

/* Lower-case letters count as upper-case letters, except b, g and t, which are separate
 * commands. */
static char capital(char letter)
{
    bool is_own = letter == 'b' || letter == 'g' || letter == 't';
    if (letter < 'a' || letter > 'z' || is_own)
        return letter;
    return (char)(letter - 'a' + 'A');
}

void epuck2_sercom_line(struct epuck2_state *state, const char *line, int64_t now_us)
{
    const struct call call = {.state = state, .numbers = numbers_of(line + 1), .now_us = now_us};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (letters[i].letter == capital(line[0])) {
            state->stats[EPUCK2_SERIAL].frames++;
            letters[i].run(&call);
            return;
        }
    }
    state->stats[EPUCK2_SERIAL].unknown_ids++;
    say(state, "z,Command not found\r\n");
}

/* ---- Binary commands ---- */

static void add_u8(struct epuck2_state *state, uint8_t value)
{
    epuck2_sercom_add(state, &value, 1);
}

static void add_u16(struct epuck2_state *state, unsigned value)
{
    const uint8_t bytes[2] = {(uint8_t)(value & 0xff), (uint8_t)(value >> 8 & 0xff)};
    epuck2_sercom_add(state, bytes, sizeof bytes);
}

static void add_list(struct epuck2_state *state, const uint16_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_u16(state, values[i]);
}

static int16_t i16_at(const uint8_t *bytes)
{
    return (int16_t)(uint16_t)(bytes[0] | bytes[1] << 8);
}

/* ---- Functions of the binary commands ---- */

/* The sensor packet of WiFi without the button, which the other processor reads. */
static void code_all(const struct call *call)
{
    uint8_t body[EPUCK2_SENSORS_SIZE];
    struct epuck2_sensors sensors = {0};
    epuck2_motion_advance(call->state, call->now_us);
    epuck2_senses_packet(call->state, &sensors);
    sensors.button = 0;
    wire_encode(&epuck2_sensors_packet, &sensors, body);
    epuck2_sercom_add(call->state, body, sizeof body - 1);
}

static void code_actuators(const struct call *call)
{
    uint8_t body[EPUCK2_COMMAND_SIZE] = {0};
    struct epuck2_command command;
    memcpy(body + 1, call->arguments, sizeof body - 1);
    wire_decode(&epuck2_command_packet, body, sizeof body, &command);
    int64_t free_us = epuck2_actuate(call->state, &command, call->now_us);
    if (free_us > call->now_us)
        epuck2_sercom_wait(call->state, EPUCK2_WAIT_SILENT_CALIBRATION, free_us);
}

static void code_rgb(const struct call *call)
{
    for (unsigned i = 0; i < EPUCK2_RGB_COUNT; i++)
        epuck2_lamps_rgb(&call->state->lamps, i, call->arguments + (size_t)3 * i);
}

/* Acknowledges with 0. The temperature is 0 too, because of a bug in the firmware. */
static void code_zero(const struct call *call)
{
    add_u8(call->state, 0);
}

static void code_acc(const struct call *call)
{
    for (int i = 0; i < 3; i++)
        add_u16(call->state, (unsigned)(call->state->inertia.acc[i] + ACC_OFFSET));
}

/* The three floats of the sensor packet: bytes 6 to 17. */
static void code_acc_spheric(const struct call *call)
{
    uint8_t body[EPUCK2_SENSORS_SIZE];
    struct epuck2_sensors sensors = {0};
    epuck2_senses_packet(call->state, &sensors);
    wire_encode(&epuck2_sensors_packet, &sensors, body);
    epuck2_sercom_add(call->state, body + 6, 12);
}

static void code_set_speed(const struct call *call)
{
    epuck2_motion_speeds(call->state, i16_at(call->arguments), i16_at(call->arguments + 2),
                         call->now_us);
}

static void code_speed(const struct call *call)
{
    add_u16(call->state, (uint16_t)call->state->motion.wheel[EPUCK2_LEFT].wanted);
    add_u16(call->state, (uint16_t)call->state->motion.wheel[EPUCK2_RIGHT].wanted);
}

static void code_image(const struct call *call)
{
    call->state->sercom.picture_at = (int16_t)call->state->sercom.answer_size;
}

static void code_led(const struct call *call)
{
    epuck2_lamps_ring(&call->state->lamps, call->arguments[0], call->arguments[1]);
}

static void code_ground(const struct call *call)
{
    add_list(call->state, call->state->ground, EPUCK2_GROUND_COUNT);
    add_u16(call->state, 0); /* cliff sensors, which are not mounted */
}

static void code_set_steps(const struct call *call)
{
    epuck2_motion_count(call->state, i16_at(call->arguments), i16_at(call->arguments + 2),
                        call->now_us);
}

static void code_steps(const struct call *call)
{
    epuck2_motion_advance(call->state, call->now_us);
    add_u16(call->state, (uint16_t)epuck2_motion_steps(&call->state->motion.wheel[EPUCK2_LEFT]));
    add_u16(call->state, (uint16_t)epuck2_motion_steps(&call->state->motion.wheel[EPUCK2_RIGHT]));
}

/* The answer of a command: from a function, or numbers of the state. */
static const struct binary {
    uint8_t code;
    uint8_t arguments; /* bytes */
    void (*run)(const struct call *call);
    size_t values;       /* offset */
    uint8_t count, size; /* number of values; size of each */
} commands[] = {
#define RUN(code, arguments, function)                                                             \
    {                                                                                              \
        code, arguments, function, 0, 0, 0                                                         \
    }
#define VALUES(code, member, count)                                                                \
    {                                                                                              \
        code, 0, NULL, offsetof(struct epuck2_state, member), count,                               \
            sizeof(((struct epuck2_state *)0)->member) / (count)                                   \
    }
    RUN(0x08, 0, code_all),
    RUN(0x09, EPUCK2_ARGUMENTS_MAX, code_actuators),
    RUN(0x0a, 12, code_rgb),
    VALUES(0x0b, has_button, 1),
    VALUES(0x0c, mic, EPUCK2_MIC_COUNT),
    VALUES(0x0d, tof, 1),
    VALUES(0x0e, has_sd, 1),
    RUN(0x0f, 1, code_zero),
    RUN(0x10, 1, code_zero),
    RUN(0x11, 1, code_zero),
    RUN('a', 0, code_acc),
    RUN('A', 0, code_acc_spheric),
    VALUES('b', power.raw, 1),
    RUN('D', 4, code_set_speed),
    RUN('E', 0, code_speed),
    VALUES('g', inertia.gyro, 3),
    RUN('I', 0, code_image),
    RUN('L', 2, code_led),
    RUN('M', 0, code_ground),
    VALUES('N', prox.value, EPUCK2_PROX_COUNT),
    VALUES('O', prox.ambient, EPUCK2_PROX_COUNT),
    RUN('P', 4, code_set_steps),
    RUN('Q', 0, code_steps),
    RUN('t', 0, code_zero),
    {'u', 0, NULL, offsetof(struct epuck2_state, mic), 3, 2},
    RUN('W', 3, do_nothing),
    RUN('Y', 2, code_zero),
};

static const struct binary *find(uint8_t code)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (commands[i].code == code)
            return &commands[i];
    return NULL;
}

int epuck2_sercom_arguments(uint8_t code)
{
    const struct binary *command = find(code);
    return command ? command->arguments : -1;
}

void epuck2_sercom_binary(struct epuck2_state *state, uint8_t code, const uint8_t *arguments,
                          int64_t now_us)
{
    const struct binary *command = find(code);
    const struct call call = {.state = state, .arguments = arguments, .now_us = now_us};
    const uint8_t *values = (const uint8_t *)state + command->values;
    if (command->run)
        command->run(&call);
    for (size_t i = 0; i < command->count; i++, values += command->size)
        if (command->size == 1)
            add_u8(state, *values);
        else
            add_u16(state, (unsigned)number_load(values, command->size));
}
