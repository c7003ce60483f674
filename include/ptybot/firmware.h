/* A robot's firmware in C, as a separate process. A body file names it by
 * `firmware: {run: ./my_firmware}`, and ptybot starts it. docs/reference/firmware-messages.md has
 * the messages, and the unit and range of each number. Link libptybot_client.
 *
 *     struct ptybot_firmware *robot = ptybot_firmware_open();
 *     while (ptybot_firmware_ask(robot)) {
 *         const struct ptybot_senses *now = ptybot_firmware_senses(robot);
 *         struct ptybot_deeds *does = ptybot_firmware_deeds(robot);
 *         does->motor[0] = does->motor[1] = now->time_us < 1000000 ? 0.5 : 0;
 *     }
 *     ptybot_firmware_close(robot);
 *
 * There are no callbacks. Only one thread may use these functions. */
#ifndef PTYBOT_FIRMWARE_H
#define PTYBOT_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PTYBOT_API
#if defined __GNUC__
#define PTYBOT_API __attribute__((visibility("default")))
#else
#define PTYBOT_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PTYBOT_WHEELS_MAX = 8,
    PTYBOT_SENSORS_MAX = 32,
    PTYBOT_CHANNELS_MAX = 4,
    PTYBOT_ORDERS_MAX = 16,
    PTYBOT_PINS_MAX = 64,
    PTYBOT_OBSERVATIONS_MAX = 8,
    PTYBOT_LOOKS_MAX = PTYBOT_OBSERVATIONS_MAX, /* old name, until the next release */
};

#define PTYBOT_NEVER INT64_MAX

struct ptybot_firmware;

/* Input of the firmware: its sensors, and the bytes and commands that have arrived. */
struct ptybot_senses {
    int64_t time_us, power_us; /* simulated time, and time of the last power-on */
    bool is_start;             /* power-on: forget everything */
    unsigned wheel_count, sensor_count, channel_count;
    double wheel_rad[PTYBOT_WHEELS_MAX], wheel_rad_s[PTYBOT_WHEELS_MAX];
    double motor_a[PTYBOT_WHEELS_MAX];
    bool wheel_dropped[PTYBOT_WHEELS_MAX];
    double steer_rad, gyro_rad_s[3], accel_m_s2[3], roll_rad, pitch_rad, yaw_rad, field_ut[3];
    double temperature_c, battery_charge;
    uint32_t charger, bumpers, buttons;
    struct {
        double distance_m, reflectance, level;
        uint32_t beams;
    } sensors[PTYBOT_SENSORS_MAX];
    struct {
        bool has_host;
        uint32_t lines, queued;
        const uint8_t *bytes; /* arrived since the last question; valid until the next */
        size_t size;
    } channels[PTYBOT_CHANNELS_MAX];
    unsigned order_count; /* commands of the body file; index: their number there */
    struct {
        uint32_t index;
        double numbers[4];
    } orders[PTYBOT_ORDERS_MAX];
};

/* Output of the firmware. Each value stays until it is changed. At power-on all are 0, wait_us
 * 1000. */
struct ptybot_deeds {
    int64_t wait_us; /* until the next question; PTYBOT_NEVER: until bytes or a command arrive */
    double motor[PTYBOT_WHEELS_MAX];
    bool motor_free[PTYBOT_WHEELS_MAX];
    double steer_rad, sound_hz, sound_level, charge_rate_1_s;
    double aim_rad[PTYBOT_SENSORS_MAX]; /* angle of a servo that turns a sensor, relative to the
                                           sensor's heading */
    uint32_t baud[PTYBOT_CHANNELS_MAX];
};

/* The first object that a ray of a scanner hits. */
struct ptybot_echo {
    double distance_m;  /* INFINITY: no object */
    double reflectance; /* 0 black to 1 white */
    double cosine;      /* of the angle of incidence: 1 head-on */
};

/* Image of a camera, or scan of a scanner, at the time of the question. */
struct ptybot_sight {
    unsigned width, height; /* of a picture; 0: it is a scanner */
    const uint8_t *rgb;     /* red, green, blue; top row first, left to right */
    unsigned ray_count;
    const struct ptybot_echo *rays; /* from the first heading to the last */
};

/* A part that the body file connects to a pin of a board: name and kind as in the file, and the
 * index of the wheel, sensor, bumper, button, signal or channel. */
struct ptybot_pin {
    char name[8], kind[16];
    unsigned of;
    double counts;        /* of an encoder, per turn of the wheel */
    double low_v, high_v; /* voltages at the pin for the measured values 0 and 1 */
};

/* Connects to the ptybot that has started this process. Prints an error to stderr and returns NULL
 * if there is none, or if it uses another version of the messages. */
PTYBOT_API struct ptybot_firmware *ptybot_firmware_open(void);
PTYBOT_API void ptybot_firmware_close(struct ptybot_firmware *self);

/* The pins of the body file; its board ("" without pins); the largest frame of a channel, in bytes.
 * Valid until the firmware is closed. */
PTYBOT_API const struct ptybot_pin *ptybot_firmware_pins(const struct ptybot_firmware *self,
                                                         size_t *count);
PTYBOT_API const char *ptybot_firmware_board(const struct ptybot_firmware *self);
PTYBOT_API size_t ptybot_firmware_frame_max(const struct ptybot_firmware *self, unsigned channel);

/* Answers the last question, if any, and waits for the next one. False: ptybot has ended. */
PTYBOT_API bool ptybot_firmware_ask(struct ptybot_firmware *self);

/* Input of the last question, and the output to fill in. Valid until the firmware is closed. */
PTYBOT_API const struct ptybot_senses *ptybot_firmware_senses(const struct ptybot_firmware *self);
PTYBOT_API struct ptybot_deeds *ptybot_firmware_deeds(struct ptybot_firmware *self);

/* Sends a frame with the answer: its bytes reach the driver together. False: there is no room. */
PTYBOT_API bool ptybot_firmware_send(struct ptybot_firmware *self, unsigned channel,
                                     const void *bytes, size_t size);

/* Requests an image of a camera, or a scan of a scanner: it is in the next question, taken at the
 * time of that question. SENSOR: index in the body file, from 0. WIDTH: columns of the image, 0:
 * all of the camera; the number of rows follows. RAYS are evenly spaced from FROM_RAD to TO_RAD,
 * both included, counter-clockwise from the sensor's own heading. False: PTYBOT_OBSERVATIONS_MAX
 * are requested already. */
PTYBOT_API bool ptybot_firmware_camera_image(struct ptybot_firmware *self, unsigned sensor,
                                             unsigned width);
PTYBOT_API bool ptybot_firmware_scan(struct ptybot_firmware *self, unsigned sensor, unsigned rays,
                                     double from_rad, double to_rad);
/* Old name of ptybot_firmware_camera_image, until the next release. */
PTYBOT_API bool ptybot_firmware_look(struct ptybot_firmware *self, unsigned sensor, unsigned width);

/* The image or scan of a sensor in the last question, valid until the next one. NULL: it was not
 * requested. */
PTYBOT_API const struct ptybot_sight *ptybot_firmware_seen(const struct ptybot_firmware *self,
                                                           unsigned sensor);

/* Sets the value of signal INDEX (from 0) of the body file. False: there is no room. */
PTYBOT_API bool ptybot_firmware_signal(struct ptybot_firmware *self, unsigned index, double value);

#ifdef __cplusplus
}
#endif

#endif
