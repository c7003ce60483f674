/* Field tables of the packets, received commands, and pictures. The sizes are those of the
 * documentation; a test compares them with the sums of the fields. Left out: noise and lens of the
 * real camera; its over-exposure is a gain. */
#include "protocols/epuck2/epuck2_wire.h"

#include <assert.h>
#include <string.h>

#include "protocols/epuck2/epuck2.h"

#define ROW(member, scale, unit, ...)   WIRE_FIELD(epuck2_sensors, member, scale, unit, __VA_ARGS__)
#define ARRAY(member, scale, unit, ...) WIRE_ARRAY(epuck2_sensors, member, scale, unit, __VA_ARGS__)
#define ROOM(amount)                    .tolerance = {WIRE_HELD_ROOM, amount, 0.1}
#define VALUE(amount)                   .tolerance = {WIRE_HELD_VALUE, amount, 0.05}
/* Chosen: 60 steps are 8 mm of floor (1000 per turn of a wheel of 41 mm), plus 1 % of the
 * distance. */
#define TRAVEL .tolerance = {WIRE_HELD_COUNT, 60, 0.01}
static const struct wire_field sensors_fields[] = {
    ROW(acc_x, 1.0 / 768, "g", "right", VALUE(0.2)),
    ROW(acc_y, 1.0 / 768, "g", "back", VALUE(0.2)),
    ROW(acc_z, 1.0 / 768, "g", "up: 1 when flat and at rest", VALUE(0.2)),
    ROW(acc_magnitude, 1.0 / 768, "g", "magnitude of the three numbers above", VALUE(0.2)),
    ROW(orientation, 1, "deg", "0..360; 0 when nearly flat or nearly upside down", ROOM(3)),
    ROW(inclination, 1, "deg", "0 flat, 180 upside down"),
    ROW(gyro_x, 1.0 / 131, "deg/s", "+-250"),
    ROW(gyro_y, 1.0 / 131, "deg/s", "+-250"),
    ROW(gyro_z, 1.0 / 131, "deg/s", "+-250, positive when turning left"),
    ROW(mag_x, 1, "uT", "8 Hz", ROOM(5)),
    ROW(mag_y, 1, "uT", "8 Hz", ROOM(5)),
    ROW(mag_z, 1, "uT", "8 Hz", ROOM(5)),
    ROW(temperature, 1, "C", "temperature of the inertial sensor", ROOM(5)),
    ARRAY(prox, 1, "", "0 nothing .. 4095 touching, clockwise from the front right", ROOM(100)),
    ARRAY(ambient, 1, "", "ADC: dark is high", ROOM(100)),
    ROW(tof, 1, "mm", "8190: out of range", ROOM(30)),
    ROW(mic_right, 1, "", "peak to peak of 10 ms", ROOM(100)),
    ROW(mic_left, 1, "", "peak to peak of 10 ms", ROOM(100)),
    ROW(mic_back, 1, "", "peak to peak of 10 ms", ROOM(100)),
    ROW(mic_front, 1, "", "peak to peak of 10 ms", ROOM(100)),
    ROW(left_steps, 1, "", "1000 per wheel turn, wraps", TRAVEL),
    ROW(right_steps, 1, "", "1000 per wheel turn, wraps", TRAVEL),
    ROW(battery, 1.0 / 819.2, "V", "12-bit ADC", VALUE(0.2)),
    ROW(sd, 1, "", "1: a card is present and usable"),
    ROW(remote_toggle, 1, "", "RC5: changes with each press"),
    ROW(remote_address, 1, "", "RC5"),
    ROW(remote_data, 1, "", "RC5: the key"),
    ROW(selector, 1, "", "0..15; 15 in WiFi mode"),
    ARRAY(ground, 1, "", "left, center, right: dark is low; 0 without the extension", ROOM(100)),
    ARRAY(ground_ambient, 1, "", "left, center, right: dark is high; 0 without the extension",
          ROOM(100)),
    ROW(button, 1, "", "1: pressed"),
    ROW(reserved, 1, "", "0"),
};
#undef TRAVEL
#undef VALUE
#undef ROOM
#undef ARRAY
#undef ROW

#define ROW(member, unit, note)   WIRE_FIELD(epuck2_command, member, 1, unit, note)
#define ARRAY(member, unit, note) WIRE_ARRAY(epuck2_command, member, 1, unit, note)
static const struct wire_field command_fields[] = {
    ROW(request, "", "image 0x01, sensors 0x02; 0: an empty packet at each turn"),
    ROW(settings, "", "calibrate IR 0x01, avoid obstacles 0x02, numbers are counters 0x04"),
    ROW(left, "1/s", "steps per second, limited to +-1100"),
    ROW(right, "1/s", "steps per second, limited to +-1100"),
    ROW(leds, "", "LED1 0x01, LED3 0x02, LED5 0x04, LED7 0x08, body 0x10, front 0x20"),
    ARRAY(led2, "%", "red, green, blue; above 100: unchanged. Controlled by the WiFi firmware"),
    ARRAY(led4, "%", "red, green, blue; above 100: unchanged"),
    ARRAY(led6, "%", "red, green, blue; above 100: unchanged"),
    ARRAY(led8, "%", "red, green, blue; above 100: unchanged"),
    ROW(sound, "", "Mario 1, Underworld 2, Star Wars 4, 4 kHz 8, 10 kHz 0x10, stop 0x20"),
};
#undef ARRAY
#undef ROW

struct pixel {
    uint16_t rgb565;
};
WIRE_FIELDS(pixel, WIRE_FIELD(pixel, rgb565, 1, "", "red 0xF800, green 0x07E0, blue 0x001F"));
static const struct wire_packet pixel_packet =
    WIRE_PACKET("pixel", EPUCK2_ID_IMAGE, WIRE_TO_HOST, WIRE_BIG_ENDIAN, 2, pixel_fields, pixel,
                .note = "160 in a row, 120 rows, top row first");

const struct wire_packet epuck2_image_packet = {
    .name = "image",
    .id = EPUCK2_ID_IMAGE,
    .direction = WIRE_TO_HOST,
    .order = WIRE_BIG_ENDIAN,
    .repeat = &pixel_packet,
    .note = "160 x 120 pixels, each turn while requested",
};
const struct wire_packet epuck2_sensors_packet = WIRE_PACKET(
    "sensors", EPUCK2_ID_SENSORS, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, EPUCK2_SENSORS_SIZE,
    sensors_fields, epuck2_sensors, .note = "each turn while requested, after the image",
    WIRE_EXAMPLE(epuck2_sensors, .acc_z = 768, .acc_magnitude = 768, .mag_x = 21.5f, .mag_y = -3,
                 .mag_z = -42, .temperature = 28,
                 .ambient = {3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600}, .tof = 219,
                 .mic_right = 40, .mic_left = 42, .mic_back = 38, .mic_front = 41,
                 .left_steps = 1000, .right_steps = -1000, .battery = 3277, .selector = 15));
const struct wire_packet epuck2_empty_packet = {
    .name = "empty",
    .id = EPUCK2_ID_EMPTY,
    .direction = WIRE_TO_HOST,
    .order = WIRE_LITTLE_ENDIAN,
    .note = "each turn while no data is requested",
};
const struct wire_packet epuck2_command_packet = WIRE_PACKET(
    "command", EPUCK2_ID_COMMAND, WIRE_TO_ROBOT, WIRE_LITTLE_ENDIAN, EPUCK2_COMMAND_SIZE,
    command_fields, epuck2_command, .note = "the last value stays active",
    WIRE_EXAMPLE(epuck2_command, .request = 2, .left = -300, .right = 300, .leds = 1,
                 .led4 = {100, 0, 0}));

struct byte {
    uint8_t value;
};
WIRE_FIELDS(byte, WIRE_FIELD(byte, value, 1, "", ""));
#define BYTE_PACKET(to)                                                                            \
    WIRE_PACKET("byte", 0, to, WIRE_LITTLE_ENDIAN, 1, byte_fields, byte,                           \
                .note = "byte of the serial channel")
static const struct wire_packet byte_to_host = BYTE_PACKET(WIRE_TO_HOST);
static const struct wire_packet byte_to_robot = BYTE_PACKET(WIRE_TO_ROBOT);

const struct wire_packet epuck2_answer_packet =
    WIRE_TEXT_PACKET("answer", WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, byte_to_host,
                     "serial: text, or the answers to a batch, concatenated", "d\r\n");
const struct wire_packet epuck2_request_packet =
    WIRE_TEXT_PACKET("request", WIRE_TO_ROBOT, WIRE_LITTLE_ENDIAN, byte_to_robot,
                     "serial: a line of text, or a batch of binary commands and 0", "D,300,300\r");

const struct wire_packet *const epuck2_packets[] = {
    &epuck2_image_packet,
    &epuck2_sensors_packet,
    &epuck2_empty_packet,
    &epuck2_command_packet,
    &epuck2_answer_packet,
    &epuck2_request_packet,
    NULL,
};

/* ---- Framing ---- */

static const struct wire_first_byte sizes_to_host[] = {
    {.byte = EPUCK2_ID_IMAGE, .size = 1 + EPUCK2_IMAGE_SIZE},
    {.byte = EPUCK2_ID_SENSORS, .size = 1 + EPUCK2_SENSORS_SIZE},
    {.byte = EPUCK2_ID_EMPTY, .size = 1},
    {.size = 0},
};
const struct wire_framing epuck2_framing_to_host = {.sizes = sizes_to_host, .body_at = 1};
const struct wire_framing epuck2_framing_to_robot = {
    .head = {EPUCK2_ID_COMMAND}, .head_size = 1, .size = EPUCK2_COMMAND_FRAME, .body_at = 1};
const struct wire_framing epuck2_framing_answer = {.line = &epuck2_answer_packet};
const struct wire_framing epuck2_framing_request = {.line = &epuck2_request_packet,
                                                    .has_end = true};

/* ---- Commands, byte by byte ---- */

/* If the queue is full, the newest command replaces the previous one, which would never be read. */
static void enqueue(struct epuck2_framer *framer)
{
    if (framer->count < EPUCK2_COMMAND_QUEUE)
        framer->count++;
    memcpy(framer->queue[framer->count - 1], framer->bytes + 1, EPUCK2_COMMAND_SIZE);
}

bool epuck2_framer_push(struct epuck2_framer *framer, uint8_t byte, bool uses_bad_id,
                        struct robot_stats *stats)
{
    if (framer->used == 0 && byte != EPUCK2_ID_COMMAND) {
        if (!uses_bad_id) {
            stats->noise_bytes++;
            return false;
        }
        stats->bad_frames++;
    }
    framer->bytes[framer->used++] = byte;
    if (framer->used < EPUCK2_COMMAND_FRAME)
        return false;
    stats->frames += framer->bytes[0] == EPUCK2_ID_COMMAND;
    enqueue(framer);
    /* Old bytes are cleared, so that noise leaves no trace in the state. */
    framer->used = 0;
    memset(framer->bytes, 0, sizeof framer->bytes);
    return true;
}

bool epuck2_framer_take(struct epuck2_framer *framer, struct epuck2_command *command,
                        uint64_t *dropped)
{
    unsigned count = framer->count;
    if (count == 0)
        return false;
    unsigned taken = count < EPUCK2_COMMAND_QUEUE ? 0 : count - 1;
    wire_decode(&epuck2_command_packet, framer->queue[taken], EPUCK2_COMMAND_SIZE, command);
    if (dropped)
        *dropped += taken;
    framer->count = (uint8_t)(count - taken - 1);
    memmove(framer->queue[0], framer->queue[taken + 1],
            (size_t)framer->count * EPUCK2_COMMAND_SIZE);
    memset(framer->queue[framer->count], 0,
           (size_t)(EPUCK2_COMMAND_QUEUE - framer->count) * EPUCK2_COMMAND_SIZE);
    return true;
}

void epuck2_framer_clear(struct epuck2_framer *framer)
{
    memset(framer, 0, sizeof *framer);
}

/* ---- Pictures: 24-bit color to RGB565 ---- */

/* Value of each 8-bit channel after the gain. The factor has 8 fractional bits. */
static void gain_table(double gain, uint8_t table[256])
{
    unsigned factor = (unsigned)(gain * 256 + 0.5);
    for (unsigned i = 0; i < 256; i++) {
        unsigned bright = i * factor / 256;
        table[i] = (uint8_t)(bright > 255 ? 255 : bright);
    }
}

void epuck2_image_write(const struct robot_image *image, double gain,
                        uint8_t out[EPUCK2_IMAGE_SIZE])
{
    if (!image->rgb) {
        memset(out, 0, EPUCK2_IMAGE_SIZE);
        return;
    }
    assert(image->width == EPUCK2_IMAGE_WIDTH && image->height == EPUCK2_IMAGE_HEIGHT);
    uint8_t table[256];
    gain_table(gain, table);
    const uint8_t *rgb = image->rgb;
    for (size_t i = 0; i < EPUCK2_IMAGE_SIZE; i += 2, rgb += 3) {
        unsigned red = table[rgb[0]] >> 3;
        unsigned green = table[rgb[1]] >> 2;
        unsigned blue = table[rgb[2]] >> 3;
        out[i] = (uint8_t)(red << 3 | green >> 3);
        out[i + 1] = (uint8_t)((green & 7) << 5 | blue);
    }
}

size_t epuck2_image_crop(const struct robot_image *image, double gain,
                         const struct epuck2_crop *crop, uint8_t *out)
{
    enum { SENSOR_PER_PIXEL = 4 }; /* 640 of the sensor to 160 of the picture */
    uint8_t table[256];
    size_t size = 0;
    gain_table(gain, table);
    for (int row = 0; row < crop->height; row++) {
        for (int column = 0; column < crop->width; column++) {
            int x = (crop->x + column * crop->zoom) / SENSOR_PER_PIXEL;
            int y = (crop->y + row * crop->zoom) / SENSOR_PER_PIXEL;
            const uint8_t dark[3] = {0};
            const uint8_t *rgb =
                image->rgb ? image->rgb + 3 * (size_t)(y * EPUCK2_IMAGE_WIDTH + x) : dark;
            unsigned red = table[rgb[0]];
            unsigned green = table[rgb[1]];
            unsigned blue = table[rgb[2]];
            if (crop->is_gray) {
                out[size++] = (uint8_t)((red + 2 * green + blue) / 4);
            } else {
                out[size++] = (uint8_t)((red & 0xf8) | green >> 5);
                out[size++] = (uint8_t)((green >> 2 & 7) << 5 | blue >> 3);
            }
        }
    }
    return size;
}
