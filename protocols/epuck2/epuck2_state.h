/* The state of a virtual e-puck2, shared by the files of this folder. It has no pointers, so
 * copying it is a snapshot. Message structs are filled member by member, so that padding stays
 * zero. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/epuck2/epuck2.h"
#include "protocols/epuck2/epuck2_wire.h"
#include "protocols/robot.h"

enum { EPUCK2_SENSE_PERIOD_US = 10000 }; /* 100 Hz: the proximity thread of the firmware */

/* State of the WiFi firmware (socket_e-puck2.c). */
enum epuck2_phase {
    EPUCK2_WAITING,   /* no client */
    EPUCK2_SILENT,    /* a client that has not sent a command yet */
    EPUCK2_STREAMING, /* the last command is executed again at each turn */
    EPUCK2_LEAVING,   /* the client is gone, but the firmware has not noticed yet */
};

struct epuck2_stream {
    uint8_t phase;      /* enum epuck2_phase */
    bool is_awaiting;   /* a command has begun; the loop waits for the rest */
    bool is_blocked;    /* in send(): waiting for a client that does not read */
    bool is_split;      /* the first command came in pieces, so it is not executed */
    bool has_command;   /* a command came over this connection */
    uint8_t turns_left; /* during LEAVING */
    int64_t due_us;     /* time of the next turn */
    uint64_t turns;
    uint64_t dropped_commands; /* dropped because newer commands were waiting */
    uint64_t hosts;
    uint64_t images;     /* sent */
    bool is_picture_due; /* wants_image at the end of this tick */
    bool had_picture;    /* a picture was requested at the last turn */
};

struct epuck2_wheel {
    int16_t wanted;      /* steps/s, as commanded and clamped */
    int16_t driven;      /* with obstacle avoidance */
    double true_steps_s; /* the speed that the timer can produce */
    double steps;        /* counter, with fractions of a step */
};

struct epuck2_motion {
    struct epuck2_wheel wheel[EPUCK2_WHEELS];
    bool is_avoiding;
    int64_t moved_us; /* time of the last update of the counters */
};

struct epuck2_prox {
    double raw[EPUCK2_PROX_COUNT];       /* ambient - reflected, before the offset */
    uint16_t offset[EPUCK2_PROX_COUNT];  /* found by calibration */
    uint16_t value[EPUCK2_PROX_COUNT];   /* as sent */
    uint16_t ambient[EPUCK2_PROX_COUNT]; /* as sent */
    double sum[EPUCK2_PROX_COUNT];       /* during calibration */
    uint32_t samples;
    bool is_calibrating;
    uint64_t calibrations;
};

struct epuck2_inertia {
    int16_t acc[3], gyro[3];
    float magnitude, orientation, inclination;
    float mag[3];
    int8_t temperature;
    double roll_rad, pitch_rad; /* attitude of a robot that a person holds */
};

/* The visible color of each RGB LED. Each color has its own bit, because an appearance row has one
 * color. */
enum epuck2_color {
    EPUCK2_COLOR_RED = 0x02, /* 1 << (red 1, green 2, blue 4) */
    EPUCK2_COLOR_GREEN = 0x04,
    EPUCK2_COLOR_YELLOW = 0x08,
    EPUCK2_COLOR_BLUE = 0x10,
    EPUCK2_COLOR_MAGENTA = 0x20,
    EPUCK2_COLOR_CYAN = 0x40,
    EPUCK2_COLOR_WHITE = 0x80,
};

struct epuck2_lamps {
    uint8_t leds;                     /* bits as in a command */
    uint8_t rgb[EPUCK2_RGB_COUNT][3]; /* percent */
    uint8_t color[EPUCK2_RGB_COUNT];  /* enum epuck2_color; 0: dark */
    int64_t sending_until_us;         /* LED2 is blue until then */
};

struct epuck2_play {
    uint8_t melody; /* enum epuck2_melody */
    uint32_t note;
    double hz;        /* 0: silence */
    int64_t until_us; /* end of the note; ROBOT_NEVER: no end */
    uint64_t started;
};

struct epuck2_power {
    double battery_v, charge;
    uint16_t raw;
    bool is_charging, is_low;
};

/* Event that the serial protocol awaits before it continues to read. */
enum epuck2_wait {
    EPUCK2_WAIT_NOTHING,
    EPUCK2_WAIT_PICTURE,
    EPUCK2_WAIT_CALIBRATION, /* a line of text reports its end */
    EPUCK2_WAIT_SILENT_CALIBRATION,
};

/* Item that the serial protocol is reading. */
enum epuck2_reading {
    EPUCK2_READING_NOTHING,
    EPUCK2_READING_CODE,      /* code in a batch of binary commands */
    EPUCK2_READING_ARGUMENTS, /* arguments of a binary command */
    EPUCK2_READING_LINE,
};

enum {
    EPUCK2_LINE_MAX = 80,      /* chosen: the longest command has 40 */
    EPUCK2_ARGUMENTS_MAX = 19, /* those of the actuators */
    EPUCK2_HELD_MAX = 128,     /* chosen: the size of the UART's queue */
    EPUCK2_ANSWER_MAX = 3072,  /* chosen: fits the help text, or 28 times all sensors */
};

/* The serial protocol of the main processor. */
struct epuck2_sercom {
    uint8_t reading; /* enum epuck2_reading */
    uint8_t code;    /* command of READING_ARGUMENTS */
    uint8_t used, needed;
    uint8_t bytes[EPUCK2_LINE_MAX]; /* of the line, or of the arguments */

    uint8_t waiting; /* enum epuck2_wait */
    int64_t due_us;  /* end of the wait, or time to send the answers */
    bool wants_picture;
    uint16_t held_size;
    uint8_t held[EPUCK2_HELD_MAX]; /* bytes that arrived during the wait */

    uint16_t answer_size;
    uint16_t ready_size; /* bytes of the answers that may be sent; those of an unfinished batch
                          * may not */
    int16_t picture_at;  /* position of the picture in the answers; -1: none */
    uint8_t answer[EPUCK2_ANSWER_MAX];

    int16_t camera_mode, camera_width, camera_height, camera_zoom, camera_x, camera_y;
};

struct epuck2_state {
    struct epuck2_options options;
    struct robot_stats stats[EPUCK2_CHANNEL_COUNT];
    struct epuck2_framer framer;
    struct {
        struct epuck2_command command; /* executed again at every turn */
        struct epuck2_sensors sensors; /* last values sent */
    } last;
    struct epuck2_sensors next; /* sampled at the last turn, sent at the next turn */
    double next_steps[EPUCK2_WHEELS], odometry_steps[EPUCK2_WHEELS]; /* steps of NEXT and of LAST
                                                                      * without wrapping */

    int64_t start_us, sense_due_us;
    uint64_t sense_passes;
    struct epuck2_stream stream;
    struct epuck2_motion motion;
    struct epuck2_prox prox;
    struct epuck2_inertia inertia;
    struct epuck2_lamps lamps;
    struct epuck2_play play;
    struct epuck2_power power;
    struct epuck2_sercom sercom;

    uint16_t mic[EPUCK2_MIC_COUNT];
    uint16_t tof;
    uint16_t ground[EPUCK2_GROUND_COUNT], ground_ambient[EPUCK2_GROUND_COUNT];
    bool has_button;
    bool has_sd;
    uint8_t selector;
    uint8_t remote_toggle, remote_address, remote_data;

    uint64_t prox_key, inertia_key, other_key; /* of the noise */
};
