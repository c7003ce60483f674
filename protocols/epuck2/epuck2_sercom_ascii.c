/* Lines of text. Left out: I2C (W, Y, Z), whose devices are not there; the help text is shorter. */
#include "protocols/epuck2/epuck2_sercom.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "protocols/epuck2/epuck2_lamps.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"
#include "protocols/epuck2/epuck2_senses.h"
#include "protocols/epuck2/epuck2_sounds.h"

enum {
    NUMBERS_MAX = 6,
    ACC_OFFSET = 2048,  /* of the e-puck1's accelerometer */
    PICTURE_MAX = 3200, /* bytes: 40 x 40 pixels of two */
    SENSOR_WIDTH = 640,
    SENSOR_HEIGHT = 480,
    CALIBRATION_LEAD_US = 500000, /* the LEDs are lit for half a second before (Asercom2.c) */
};

/* What follows the letter: numbers behind commas. COUNT of them were read. */
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

/* As sscanf reads "%d,%d": what is no number ends it. */
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

static int16_t short_of(int value)
{
    return wire_saturate_i16(value);
}

/* ---- The letters ---- */

static void run_body(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)now_us;
    if (numbers->count > 0)
        epuck2_lamps_switch(&state->lamps, EPUCK2_LED_BODY, numbers->value[0]);
    say(state, "b\r\n");
}

static void run_front(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)now_us;
    if (numbers->count > 0)
        epuck2_lamps_switch(&state->lamps, EPUCK2_LED_FRONT, numbers->value[0]);
    say(state, "f\r\n");
}

static void run_led(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)now_us;
    if (numbers->count > 1)
        epuck2_lamps_ring(&state->lamps, numbers->value[0], numbers->value[1]);
    say(state, "l\r\n");
}

static void run_acc(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    const int16_t *acc = state->inertia.acc;
    say(state, "a,%d,%d,%d\r\n", acc[0] + ACC_OFFSET, acc[1] + ACC_OFFSET, acc[2] + ACC_OFFSET);
}

static void run_battery(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say(state, "b,%d (%d%%)\r\n", state->power.raw, (int)floor(state->power.charge * 100));
}

static void run_selector(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say(state, "c,%d\r\n", state->selector);
}

static void run_set_speed(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    if (numbers->count > 1)
        epuck2_motion_speeds(state, numbers->value[0], numbers->value[1], now_us);
    say(state, "d\r\n");
}

static void run_speed(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    const struct epuck2_wheel *wheels = state->motion.wheel;
    say(state, "e,%d,%d\r\n", wheels[EPUCK2_LEFT].wanted, wheels[EPUCK2_RIGHT].wanted);
}

static void run_remote(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say(state, "g IR check : 0x%x, address : 0x%x, data : 0x%x\r\n", state->remote_toggle,
        state->remote_address, state->remote_data);
}

static void run_gyro(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    const int16_t *gyro = state->inertia.gyro;
    say(state, "g,%d,%d,%d\r\n", gyro[0], gyro[1], gyro[2]);
}

static void run_camera(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    const struct epuck2_sercom *sercom = &state->sercom;
    int pixel = sercom->camera_mode == 0 ? 1 : 2;
    say(state, "i,%d,%d,%d,%d,%d\r\n", sercom->camera_mode, sercom->camera_width,
        sercom->camera_height, sercom->camera_zoom,
        sercom->camera_width * sercom->camera_height * pixel);
}

/* What the sensor or the buffer cannot hold becomes 40 x 40 pixels, as in the firmware. */
static void run_set_camera(struct epuck2_state *state, const struct numbers *numbers,
                           int64_t now_us)
{
    (void)now_us;
    struct epuck2_sercom *sercom = &state->sercom;
    const int *value = numbers->value;
    int mode = numbers->count > 0 ? value[0] : sercom->camera_mode;
    int width = numbers->count > 1 ? value[1] : sercom->camera_width;
    int height = numbers->count > 2 ? value[2] : sercom->camera_height;
    int zoom = numbers->count > 3 ? value[3] : sercom->camera_zoom;
    bool is_good = zoom >= 1 && width >= 1 && height >= 1 && width <= 255 && height <= 255 &&
                   zoom <= 16 && width * zoom <= SENSOR_WIDTH && height * zoom <= SENSOR_HEIGHT &&
                   width * height * (mode == 0 ? 1 : 2) <= PICTURE_MAX;
    mode = is_good && mode == 0 ? 0 : 1;
    width = is_good ? width : 40;
    height = is_good ? height : 40;
    zoom = is_good ? zoom : 8;
    int x = is_good && numbers->count > 4 ? value[4] : -1;
    int y = is_good && numbers->count > 5 ? value[5] : -1;
    bool is_inside_x = x >= 0 && x + width * zoom <= SENSOR_WIDTH;
    bool is_inside_y = y >= 0 && y + height * zoom <= SENSOR_HEIGHT;
    sercom->camera_mode = (int16_t)mode;
    sercom->camera_width = (int16_t)width;
    sercom->camera_height = (int16_t)height;
    sercom->camera_zoom = (int16_t)zoom;
    sercom->camera_x = (int16_t)(is_inside_x ? x : (SENSOR_WIDTH - width * zoom) / 2);
    sercom->camera_y = (int16_t)(is_inside_y ? y : (SENSOR_HEIGHT - height * zoom) / 2);
    say(state, "j\r\n");
}

static void run_calibrate(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    int64_t until_us =
        now_us + CALIBRATION_LEAD_US + (int64_t)floor(state->options.calibration_s * 1e6);
    say(state, "k, Starting calibration - Remove any object in sensors range\r\n");
    epuck2_senses_calibrate(state);
    epuck2_sercom_wait(state, EPUCK2_WAIT_CALIBRATION, until_us);
}

static void run_ground(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    const uint16_t *ground = state->ground;
    say(state, "m,%d,%d,%d,0,0\r\n", ground[0], ground[1], ground[2]);
}

static void say_eight(struct epuck2_state *state, char letter, const uint16_t *value)
{
    say(state, "%c,%d,%d,%d,%d,%d,%d,%d,%d\r\n", letter, value[0], value[1], value[2], value[3],
        value[4], value[5], value[6], value[7]);
}

static void run_prox(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say_eight(state, 'n', state->prox.value);
}

static void run_light(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say_eight(state, 'o', state->prox.ambient);
}

static void run_set_steps(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    if (numbers->count > 1) {
        epuck2_motion_count(state, short_of(numbers->value[0]), short_of(numbers->value[1]),
                            now_us);
    }
    say(state, "p\r\n");
}

static void run_steps(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    epuck2_motion_advance(state, now_us);
    const struct epuck2_wheel *wheels = state->motion.wheel;
    say(state, "q,%d,%d\r\n", (int)floor(wheels[EPUCK2_LEFT].steps),
        (int)floor(wheels[EPUCK2_RIGHT].steps));
}

static void run_nothing(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)state;
    (void)numbers;
    (void)now_us;
}

static void run_stop(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    epuck2_motion_speeds(state, 0, 0, now_us);
    epuck2_lamps_ring(&state->lamps, 8, 0);
    say(state, "s\r\n");
}

static void run_sound(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    int sound = numbers->count > 0 ? numbers->value[0] : 0;
    bool is_known = sound >= 1 && sound <= 5;
    epuck2_sounds_obey(&state->play, (uint8_t)(is_known ? 1u << (sound - 1) : EPUCK2_SOUND_STOP),
                       now_us);
    say(state, "t\r\n");
}

static void run_temperature(struct epuck2_state *state, const struct numbers *numbers,
                            int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say(state, "t,%d\r\n", state->inertia.temperature);
}

static void run_mics(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say(state, "u,%d,%d,%d\r\n", state->mic[0], state->mic[1], state->mic[2]);
}

static void run_version(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say(state, "v,Version 2.0 January 2018 GCtronic\r\nHW version: FFFF\r\n");
}

struct letter {
    char letter;
    void (*run)(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us);
    const char *help;
};

static void run_help(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us);

static const struct letter letters[] = {
    {'A', run_acc, "Accelerometer"},
    {'B', run_body, "Body led 0=off 1=on 2=inverse"},
    {'b', run_battery, "Battery value"},
    {'C', run_selector, "Selector position"},
    {'D', run_set_speed, "Set motor speed left,right"},
    {'E', run_speed, "Get motor speed left,right"},
    {'F', run_front, "Front led 0=off 1=on 2=inverse"},
    {'G', run_remote, "IR receiver"},
    {'g', run_gyro, "Gyro"},
    {'H', run_help, "Help"},
    {'I', run_camera, "Get camera parameter"},
    {'J', run_set_camera, "Set camera parameter mode,width,heigth,zoom,x1,y1"},
    {'K', run_calibrate, "Calibrate proximity sensors"},
    {'L', run_led, "Led number,0=off 1=on 2=inverse"},
    {'M', run_ground, "Floor sensors"},
    {'N', run_prox, "Proximity"},
    {'O', run_light, "Light sensors"},
    {'P', run_set_steps, "Set motor position left,right"},
    {'Q', run_steps, "Get motor position left,right"},
    {'R', run_nothing, "Reset e-puck"},
    {'S', run_stop, "Stop e-puck and turn off leds"},
    {'T', run_sound, "Play sound 1-5 else stop sound"},
    {'t', run_temperature, "Temperature"},
    {'U', run_mics, "Get microphone amplitude"},
    {'V', run_version, "Version of SerCom"},
};

static void run_help(struct epuck2_state *state, const struct numbers *numbers, int64_t now_us)
{
    (void)numbers;
    (void)now_us;
    say(state, "\n");
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        say(state, "\"%c\"       %s\r\n", letters[i].letter, letters[i].help);
}

/* Small letters count as capital ones but for b, g and t, which are commands of their own. */
static char capital(char letter)
{
    bool is_own = letter == 'b' || letter == 'g' || letter == 't';
    return letter >= 'a' && letter <= 'z' && !is_own ? (char)(letter - 'a' + 'A') : letter;
}

void epuck2_sercom_line(struct epuck2_state *state, const char *line, int64_t now_us)
{
    const struct numbers numbers = numbers_of(line + 1);
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (letters[i].letter == capital(line[0])) {
            state->stats[EPUCK2_SERIAL].frames++;
            letters[i].run(state, &numbers, now_us);
            return;
        }
    }
    state->stats[EPUCK2_SERIAL].unknown_ids++;
    say(state, "z,Command not found\r\n");
}
