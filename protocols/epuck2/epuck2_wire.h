/* The packets of the e-puck2 WiFi protocol as plain structs with field tables; received commands:
 * 0x80 and 20 bytes, no checksum, no length, and the queue of the few that wait for the firmware's
 * next turn; and the camera's picture. Source: the document "e-puck2 WiFi protocol". For the
 * offsets that it shows only as a picture: the firmware and its clients (socket_e-puck2.c,
 * Asercom2.c; the Qt monitor). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/epuck2/epuck2.h"
#include "protocols/robot.h"
#include "protocols/wire.h"

enum epuck2_id {
    EPUCK2_ID_IMAGE = 0x01,
    EPUCK2_ID_SENSORS = 0x02,
    EPUCK2_ID_EMPTY = 0x03,
    EPUCK2_ID_COMMAND = 0x80,
};

enum {
    EPUCK2_SENSORS_SIZE = 104,
    EPUCK2_COMMAND_SIZE = 20,
    EPUCK2_COMMAND_FRAME = 1 + EPUCK2_COMMAND_SIZE,
};

struct epuck2_sensors {
    int16_t acc_x, acc_y, acc_z;
    float acc_magnitude, orientation, inclination;
    int16_t gyro_x, gyro_y, gyro_z;
    float mag_x, mag_y, mag_z;
    int8_t temperature;
    uint16_t prox[8];
    uint16_t ambient[8];
    uint16_t tof;
    uint16_t mic_right, mic_left, mic_back, mic_front;
    int16_t left_steps, right_steps;
    uint16_t battery;
    uint8_t sd;
    uint8_t remote_toggle, remote_address, remote_data;
    uint8_t selector;
    uint16_t ground[3];
    uint16_t ground_ambient[3];
    uint8_t button;
    uint8_t reserved;
};

/* Bits of the bytes of a command. */
enum {
    EPUCK2_REQUEST_IMAGE = 0x01,
    EPUCK2_REQUEST_SENSORS = 0x02,
    EPUCK2_SETTING_CALIBRATE = 0x01,
    EPUCK2_SETTING_AVOID = 0x02,
    EPUCK2_SETTING_STEPS = 0x04,
    EPUCK2_LED_BODY = 0x10,
    EPUCK2_LED_FRONT = 0x20,
    EPUCK2_SOUND_STOP = 0x20,
};

/* The RGB LEDs in their order on the wire: LED2, LED4, LED6, LED8. */
enum { EPUCK2_RGB_LED2, EPUCK2_RGB_LED4, EPUCK2_RGB_LED6, EPUCK2_RGB_LED8, EPUCK2_RGB_COUNT };

struct epuck2_command {
    uint8_t request, settings;
    int16_t left, right;
    uint8_t leds;
    uint8_t led2[3], led4[3], led6[3], led8[3];
    uint8_t sound;
};

/* All packets, NULL-terminated. */
extern const struct wire_packet *const epuck2_packets[];

extern const struct wire_packet epuck2_image_packet, epuck2_sensors_packet, epuck2_empty_packet,
    epuck2_command_packet;

/* Packets of the serial channel; each is one run of bytes. */
extern const struct wire_packet epuck2_answer_packet, epuck2_request_packet;

/* Framing for observers: of the WiFi channel, and of lines of the serial channel. */
extern const struct wire_framing epuck2_framing_to_host, epuck2_framing_to_robot,
    epuck2_framing_answer, epuck2_framing_request;

/* ---- Received commands ---- */

/* If five or more commands wait, the firmware takes the newest and drops the others
 * (socket_e-puck2.c: 105 bytes). A queue of five is therefore sufficient. */
enum { EPUCK2_COMMAND_QUEUE = 5 };

/* All zero is the initial state. */
struct epuck2_framer {
    uint8_t used; /* bytes of an incomplete command */
    uint8_t count;
    uint8_t bytes[EPUCK2_COMMAND_FRAME];
    uint8_t queue[EPUCK2_COMMAND_QUEUE][EPUCK2_COMMAND_SIZE];
};

/* Takes a byte. True: the byte completed a command, which now waits. USES_BAD_ID: any 21 bytes are
 * a command, as in the firmware after the first command; otherwise bytes before 0x80 are skipped.
 * Counts frames, bad_frames and noise_bytes. */
bool epuck2_framer_push(struct epuck2_framer *framer, uint8_t byte, bool uses_bad_id,
                        struct robot_stats *stats);

/* Takes the next command as the firmware does: the oldest, or the newest of five or more. False: no
 * command waits. DROPPED (may be NULL) is increased by the number of skipped commands. */
bool epuck2_framer_take(struct epuck2_framer *framer, struct epuck2_command *command,
                        uint64_t *dropped);

/* Drops all bytes and commands, as a new connection does. */
void epuck2_framer_clear(struct epuck2_framer *framer);

/* ---- Pictures ---- */

/* Writes 160 x 120 pixels of RGB565, big-endian, multiplied by GAIN; black without a picture. */
void epuck2_image_write(const struct robot_image *image, double gain,
                        uint8_t out[EPUCK2_IMAGE_SIZE]);

/* The same for a part of the sensor's 640 x 480 pixels: WIDTH x HEIGHT pixels, each ZOOM x ZOOM
 * pixels of the sensor, from (X, Y) on. Gray has one byte per pixel. Returns the number of bytes
 * written. */
struct epuck2_crop {
    int width, height, zoom, x, y;
    bool is_gray;
};
size_t epuck2_image_crop(const struct robot_image *image, double gain,
                         const struct epuck2_crop *crop, uint8_t *out);
