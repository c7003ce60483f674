/* What a robot whose firmware is a process of its own says to it, and what it answers: the packed
 * form, format 2. docs/reference/firmware-messages.md has every field with unit and range; the same
 * in JSON is made of these structs (app/firmware). Knows no descriptor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/robot.h"

enum {
    PROCESS_FORMAT = 2,          /* of both forms; a process says in its hello which it speaks */
    PROCESS_QUESTION_MAX = 8192, /* bytes; the largest has some 6000 */
    PROCESS_ANSWER_MAX = 16384,  /* bytes; chosen: a step of the fastest line has a hundred */
    PROCESS_INBOX_MAX = 1024,    /* bytes of a channel between two questions; chosen: two steps */
    PROCESS_SIGNALS_MAX = 64,
    PROCESS_COMMANDS_MAX = 16,         /* of a type, and between two questions */
    PROCESS_NUMBERS_MAX = 4,           /* arguments of a command */
    PROCESS_OBSERVATIONS_MAX = 8,      /* of an answer; chosen */
    PROCESS_RAYS_MAX = ROBOT_SCAN_MAX, /* of all looks of an answer */
    PROCESS_PIXELS_MAX = 640 * 480,    /* of all of them; chosen: what an e-puck2's camera has */
};

/* How much there is of each thing: both sides know it from the hello. */
struct process_shape {
    uint32_t wheel_count, sensor_count, channel_count, signal_count, command_count;
    uint32_t frame_max[ROBOT_CHANNELS_MAX];
    uint32_t is_dc; /* motors take -1 .. 1 */
    struct process_eye {
        uint32_t width, height; /* of a camera's picture; 0: it is none */
        uint32_t is_scanner;
    } eyes[ROBOT_SENSORS_MAX]; /* by sensor */
};

struct process_command {
    uint32_t index; /* in the list of the type */
    uint32_t reserved;
    double numbers[PROCESS_NUMBERS_MAX];
};

struct process_channel {
    uint32_t is_present, lines; /* of its host: MODEM_DTR, MODEM_RTS */
    uint32_t queued;            /* bytes that wait for the wire */
    uint32_t size;              /* of BYTES, which have come since the last question */
    uint8_t bytes[PROCESS_INBOX_MAX];
};

struct process_question {
    int64_t now_us;
    int64_t power_us; /* of the last power-on: up to a step before the first question after it */
    bool is_start;    /* power-on: what was before is gone */
    struct robot_sensors sensors;
    struct process_channel channels[ROBOT_CHANNELS_MAX];
    uint32_t command_count;
    struct process_command commands[PROCESS_COMMANDS_MAX];
};

struct process_frame {
    uint32_t channel;
    uint32_t size;
    const uint8_t *bytes; /* in the message that was read */
};

/* What the process wants to see with the next question, as it is then. */
struct process_observation {
    uint32_t sensor, reserved;
    int64_t width; /* of a camera: columns of its picture, 1 to its own, 0: all */
    int64_t rays;  /* of a scanner: evenly from one heading to the other, both among them */
    double from_rad, to_rad;
};

struct process_answer {
    struct robot_actuators actuators;
    int64_t wait_us; /* until the next question, at least 1; ROBOT_NEVER: until something comes */
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

/* Both write into OUT, and return the size. What an answer holds must fit PROCESS_ANSWER_MAX;
 * 0: it does not. */
size_t process_question_write(const struct process_shape *shape,
                              const struct process_question *question,
                              uint8_t out[PROCESS_QUESTION_MAX]);
size_t process_answer_write(const struct process_shape *shape, const struct process_answer *answer,
                            uint8_t out[PROCESS_ANSWER_MAX]);

/* What goes behind a question in bytes if the process has looked: sizes, pixels, rays. Returns the
 * size, 0 without sights; OUT may be NULL. */
size_t process_sights_write(const struct robot_sight *sights, size_t count, uint8_t *out);

/* The time of a question in bytes, microseconds. */
int64_t process_question_time(const uint8_t *bytes);

/* The question in bytes that process_question_write made; for JSON. False: they are no question. */
bool process_question_read(const struct process_shape *shape, const uint8_t *bytes, size_t size,
                           struct process_question *question);

/* The answer in these bytes. False, with what is wrong in ERROR: they are none, or it holds what no
 * robot of this shape may do. */
bool process_answer_read(const struct process_shape *shape, const uint8_t *bytes, size_t size,
                         struct process_answer *answer, struct error *error);

/* Whether a robot of this shape may do that. */
bool process_answer_check(const struct process_shape *shape, const struct process_answer *answer,
                          struct error *error);
