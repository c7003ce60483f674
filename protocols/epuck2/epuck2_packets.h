/* The packets of the e-puck2 WiFi protocol as plain structs. Source: the document "e-puck2 WiFi
 * protocol" and, for the offsets that it shows as a picture only, the firmware and its clients
 * (socket_e-puck2.c, Asercom2.c; the Qt monitor). */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_PACKETS_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_PACKETS_H

#include <stddef.h>
#include <stdint.h>

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

enum { EPUCK2_PACKET_COUNT = 6 };
extern const struct wire_packet *const epuck2_packets[EPUCK2_PACKET_COUNT];

extern const struct wire_packet epuck2_image_packet, epuck2_sensors_packet, epuck2_empty_packet,
    epuck2_command_packet;

/* Bytes of the serial channel, in one piece each. */
extern const struct wire_packet epuck2_answer_packet, epuck2_request_packet;

/* The packet of an id on the WiFi channel; NULL: none has it. */
const struct wire_packet *epuck2_packet_find(enum wire_direction direction, uint8_t id);

#endif
