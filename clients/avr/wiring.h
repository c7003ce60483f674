/* The machine as a board feels it: what the senses of a robot make of the levels and voltages at
 * its pins, to the nanosecond between two questions, and what its outputs make of the motors.
 * Times are in nanoseconds since power-on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/ptybot/firmware.h"
#include "protocols/pins.h"

enum {
    WIRING_PINS = 72,
    WIRING_PARTS = PTYBOT_WHEELS_MAX,
    WIRING_SERIALS = 4,
    WIRING_FRAME_MAX = 1024, /* bytes of a port in a span; chosen: 2 Mbit/s have 200 in 1 ms */
    WIRING_NONE = -1,
};

/* Quadrature: count N of a turn has phase N mod 4; forward, A leads B. */
struct wiring_encoder {
    int a, b;
    unsigned wheel;
    double counts_rad;   /* counts for each rad */
    double start, end;   /* counts at the ends of the span */
    int64_t count, next; /* count now; when it changes next */
};

struct wiring_sonar {
    int trigger, echo;
    unsigned sensor;
    int64_t rise, fall; /* of the echo pin that are to come */
};

/* A UART of the board, and its line. */
struct wiring_serial {
    int channel;         /* WIRING_NONE: nobody hears it */
    int64_t byte_ns;     /* 0: not begun */
    const uint8_t *came; /* with the last question; those before PASSED have happened */
    size_t size, passed;
    uint8_t sent[WIRING_FRAME_MAX];
    size_t used;
};

struct wiring_event {
    int pin;    /* whose level has changed; WIRING_NONE: none */
    int serial; /* that a byte has come to; WIRING_NONE: none */
    uint8_t byte;
};

struct wiring {
    struct ptybot_firmware *firmware;
    enum pin_board board;
    struct { /* as in the body file */
        int pin;
        enum pin_kind kind;
        const struct ptybot_pin *row;
    } rows[PTYBOT_PINS_MAX];
    size_t row_count;
    struct wiring_encoder encoders[WIRING_PARTS];
    struct wiring_sonar sonars[WIRING_PARTS];
    size_t encoder_count, sonar_count;
    struct wiring_serial serials[WIRING_SERIALS];
    bool is_wired[WIRING_PINS]; /* an input: something else sets its level */
    bool level[WIRING_PINS];    /* of what is wired */
    double duty[WIRING_PINS];   /* that the board puts out, 0 .. 1 */
    double volts[WIRING_PINS];
    int64_t rise[WIRING_PINS], pulse_ns[WIRING_PINS]; /* of the last pulse; 0: none yet */
    int64_t steps[PTYBOT_WHEELS_MAX];                 /* of a stepper, forward less backward */
    double turned_rad[PTYBOT_WHEELS_MAX], turned_rad_s[PTYBOT_WHEELS_MAX]; /* by it */
    int64_t from, to; /* the span that is known */
};

/* Reads the pins that came with the hello. FIRMWARE outlives it. */
void wiring_init(struct wiring *self, struct ptybot_firmware *firmware);

/* The number that Arduino gives to a pin, from its name on the board. */
int wiring_number(enum pin_board board, const char *name);

/* Power-on: as the last question has it. */
void wiring_start(struct wiring *self);

/* The time of the last question: what was between the one before and it is known now. */
void wiring_take(struct wiring *self);

/* When something happens next at the inputs, INT64_MAX: not in the known span; and lets it happen.
 */
int64_t wiring_next(struct wiring *self);
struct wiring_event wiring_happen(struct wiring *self);

/* The board sets an output: a level is a duty of 0 or 1. */
void wiring_set(struct wiring *self, int pin, double duty, int64_t now);

/* The board sets up a UART, 0: puts it away; and sends a byte, which leaves with the answer. */
void wiring_set_baud(struct wiring *self, unsigned number, uint32_t baud);
void wiring_send(struct wiring *self, unsigned number, uint8_t byte);

/* Puts motors, signals and sent bytes into the answer, as the outputs have them. */
void wiring_act(struct wiring *self);
