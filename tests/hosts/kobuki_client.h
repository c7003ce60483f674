/* Driver side of the public Kobuki protocol (kobuki_documentation: protocol.rst; kobuki_core:
 * src/driver/kobuki.cpp) over a serial port, similar to the vendor's driver. One thread, plain
 * libc. Raw gyro samples and the general purpose inputs are not implemented. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KOBUKI_PAYLOAD_MAX = 255, /* LEN is one byte */

    /* basic.bumper, basic.cliff */
    KOBUKI_RIGHT = 1,
    KOBUKI_CENTER = 2,
    KOBUKI_LEFT = 4,
    /* basic.wheel_drop: different bits from the above */
    KOBUKI_RIGHT_DROPPED = 1,
    KOBUKI_LEFT_DROPPED = 2,
};

/* Conversions of conversions.rst and of diff_drive.cpp. */
#define KOBUKI_M_PER_TICK  0.000085292090497737556558
#define KOBUKI_WHEELBASE_M 0.23

/* Values of the last packet. */
struct kobuki_reading {
    uint16_t timestamp_ms; /* wraps after 65.5 s */
    uint8_t bumper, wheel_drop, cliff, buttons, charger, over_current;
    uint16_t left_ticks, right_ticks; /* wrap; forward counts up */
    int8_t left_pwm, right_pwm;       /* percent */
    double battery_v;
    double heading_deg; /* counter-clockwise, -180..180 */
    double turn_deg_s;
    uint8_t dock_ir[3];    /* right, center, left */
    uint16_t cliff_adc[3]; /* right, center, left; 0..4095 */
    double current_a[2];   /* left, right */
    unsigned gyro_samples;
    uint8_t gyro_frame; /* number of the first sample */
};

struct kobuki_version {
    uint8_t major, minor, patch;
};

/* Answers of the robot to requests; has_... shows which answers have come. */
struct kobuki_identity {
    bool has_hardware, has_firmware, has_udid, has_gains;
    struct kobuki_version hardware, firmware;
    uint32_t udid[3];
    uint8_t gain_type; /* 0 factory, 1 user */
    double gains[3];   /* P, I, D */
};

struct kobuki_counters {
    uint64_t packets;     /* complete, with a correct checksum */
    uint64_t bad_packets; /* wrong checksum */
    uint64_t skipped;     /* bytes outside packets */
    uint64_t malformed;   /* parts with an unknown id, or with a wrong length for the id */
};

struct kobuki_client {
    int descriptor; /* -1: closed */
    struct kobuki_reading reading;
    struct kobuki_identity identity;
    struct kobuki_counters counters;

    /* The packet being received: LEN, payload, checksum. */
    unsigned header; /* bytes of AA 55 seen */
    size_t size;
    uint8_t packet[1 + KOBUKI_PAYLOAD_MAX + 1];
    /* Bytes read but not processed yet. */
    uint8_t input[512];
    size_t input_at, input_size;
};

enum kobuki_wait { KOBUKI_PACKET, KOBUKI_SILENCE, KOBUKI_GONE };

/* Prepares a client without a port: for kobuki_client_push only. */
void kobuki_client_init(struct kobuki_client *self);

/* Opens PATH, locks it, sets raw mode at 115200 8N1 and drops old input. Returns NULL, or an error
 * message (in static memory). */
const char *kobuki_client_open(struct kobuki_client *self, const char *path);

/* Stops the wheels, as the vendor's driver does at the end, and closes the port. */
void kobuki_client_close(struct kobuki_client *self);

/* Waits for the next good packet. KOBUKI_SILENCE: no byte for TIMEOUT_MS, or a signal came.
 * KOBUKI_GONE: the cable was pulled. */
enum kobuki_wait kobuki_client_wait(struct kobuki_client *self, int timeout_ms);

/* Answers the last packet as the driver does: base control, then the requests without an answer.
 * False: the cable was pulled. */
bool kobuki_client_answer(struct kobuki_client *self, int16_t speed_mm_s, int16_t radius_mm);

/* Takes one byte from the robot; true if it completed a good packet, which is then decoded. */
bool kobuki_client_push(struct kobuki_client *self, uint8_t byte);

/* ---- Packets to the robot. Each function returns the size of the packet written to OUT. ---- */

enum { KOBUKI_COMMAND_MAX = 32 };

/* A packet that contains the part ID with SIZE bytes (at most 16) of DATA. */
size_t kobuki_packet(uint8_t *out, uint8_t id, const uint8_t *data, size_t size);

/* Base control as on the wire: SPEED is that of the outer wheel, radius 0 is straight, radius 1 is
 * rotation on the spot. */
size_t kobuki_base_control(uint8_t *out, int16_t speed_mm_s, int16_t radius_mm);

/* Base control for V_M_S and W_RAD_S by the rules of diff_drive.cpp (velocityCommands). */
void kobuki_encode_velocity(double v_m_s, double w_rad_s, int16_t *speed_mm_s, int16_t *radius_mm);

size_t kobuki_request_versions(uint8_t *out);
size_t kobuki_request_gains(uint8_t *out);
