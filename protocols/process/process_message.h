/* Messages between a robot and its firmware in a separate process: the question of the robot and
 * the answer of the firmware, in the binary form, format 2. docs/reference/firmware-messages.md
 * lists every field with unit and range. app/firmware makes the JSON form from these structs. This
 * file does not depend on descriptors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/robot.h"

enum {
    PROCESS_FORMAT = 2,          /* of both forms; a process gives its format in its hello */
    PROCESS_QUESTION_MAX = 8192, /* bytes; the largest question has about 6000 */
    PROCESS_ANSWER_MAX = 16384,  /* bytes; chosen: a step of the fastest line has a hundred */
    PROCESS_INBOX_MAX = 1024,    /* bytes of a channel between two questions; chosen: two steps */
    PROCESS_SIGNALS_MAX = 64,
    PROCESS_COMMANDS_MAX = 16,         /* of a type; also the limit between two questions */
    PROCESS_NUMBERS_MAX = 4,           /* arguments of a command */
    PROCESS_OBSERVATIONS_MAX = 8,      /* per answer; chosen */
    PROCESS_RAYS_MAX = ROBOT_SCAN_MAX, /* for all observations of an answer */
    PROCESS_PIXELS_MAX = 640 * 480,    /* for all observations of an answer; chosen: size of an
                                        * e-puck2's camera */
};

/* Number of each kind of item. Both sides know it from the hello. */
struct process_shape {
    uint32_t wheel_count, sensor_count, channel_count, signal_count, command_count;
    uint32_t frame_max[ROBOT_CHANNELS_MAX];
    uint32_t is_dc; /* motors accept -1 .. 1 */
    struct process_eye {
        uint32_t width, height; /* size of a camera's picture; 0: not a camera */
        uint32_t is_scanner;
    } eyes[ROBOT_SENSORS_MAX]; /* index: number of the sensor */
};

struct process_command {
    uint32_t index; /* in the type's list */
    uint32_t reserved;
    double numbers[PROCESS_NUMBERS_MAX];
};

struct process_channel {
    uint32_t is_present, lines; /* state of its host; LINES: MODEM_DTR, MODEM_RTS */
    uint32_t queued;            /* bytes that wait for transmission */
    uint32_t size;              /* number of BYTES, which arrived since the last question */
    uint8_t bytes[PROCESS_INBOX_MAX];
};

struct process_question {
    int64_t now_us;
    int64_t power_us; /* time of the last power-on; up to one step before the first question
                       * after it */
    bool is_start;    /* power-on: the process must forget its earlier state */
    struct robot_sensors sensors;
    struct process_channel channels[ROBOT_CHANNELS_MAX];
    uint32_t command_count;
    struct process_command commands[PROCESS_COMMANDS_MAX];
};

struct process_frame {
    uint32_t channel;
    uint32_t size;
    const uint8_t *bytes; /* inside the message that was read */
};

/* A picture or scan that the process requests with the next question. It is taken at the time of
 * that question. */
struct process_observation {
    uint32_t sensor, reserved;
    int64_t width; /* of a camera: columns of its picture, from 1 to those of the camera; 0: all */
    int64_t rays;  /* of a scanner: number of rays, evenly distributed from FROM_RAD to TO_RAD,
                    * including both */
    double from_rad, to_rad;
};

struct process_answer {
    struct robot_actuators actuators;
    int64_t wait_us; /* time until the next question, at least 1; ROBOT_NEVER: until the next
                      * input */
    uint32_t signal_count;
    struct {
        uint32_t index;
        double value;
    } signals[PROCESS_SIGNALS_MAX];
    uint32_t observation_count;
    struct process_observation observations[PROCESS_OBSERVATIONS_MAX];
    uint32_t frame_count;
    struct process_frame frames[256];
};

/* Both write into OUT and return the size. 0: the answer does not fit into PROCESS_ANSWER_MAX. */
size_t process_question_write(const struct process_shape *shape,
                              const struct process_question *question,
                              uint8_t out[PROCESS_QUESTION_MAX]);
size_t process_answer_write(const struct process_shape *shape, const struct process_answer *answer,
                            uint8_t out[PROCESS_ANSWER_MAX]);

/* Writes the part that follows a question if the process requested observations: sizes, pixels,
 * rays. Returns its size; 0 without sights. OUT may be NULL. */
size_t process_sights_write(const struct robot_sight *sights, size_t count, uint8_t *out);

/* The time of a question in BYTES, microseconds. */
int64_t process_question_time(const uint8_t *bytes);

/* Reads a question that process_question_write wrote, for conversion to JSON. False: BYTES are not
 * a question. */
bool process_question_read(const struct process_shape *shape, const uint8_t *bytes, size_t size,
                           struct process_question *question);

/* Reads an answer. False, with the problem in ERROR: BYTES are not an answer, or a robot of this
 * shape may not do what the answer requests. */
bool process_answer_read(const struct process_shape *shape, const uint8_t *bytes, size_t size,
                         struct process_answer *answer, struct error *error);

/* Whether a robot of this shape may do what the answer requests. */
bool process_answer_check(const struct process_shape *shape, const struct process_answer *answer,
                          struct error *error);
