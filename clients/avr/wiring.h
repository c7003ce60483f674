/* Connects the board to the robot. Inputs: converts the robot's sensor values to levels and
 * voltages at the pins, with nanosecond resolution between two questions. Outputs: converts pin
 * levels to motor values. Times are in nanoseconds since power-on. */
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
    WIRING_FRAME_MAX = 1024, /* bytes of a port per span; chosen: 2 Mbit/s are 200 bytes in 1 ms */
    WIRING_NONE = -1,
};

/* Quadrature: count N of a turn has phase N mod 4. When the wheel turns forward, A leads B. */
struct wiring_encoder {
    int a, b;
    unsigned wheel;
    double counts_rad;   /* counts per rad */
    double start, end;   /* counts at the start and end of the span */
    int64_t count, next; /* present count; time of its next change */
};

struct wiring_sonar {
    int trigger, echo;
    unsigned sensor;
    int64_t rise, fall; /* times of the next edges of the echo pin */
};

/* A UART of the board, and its line to the driver. */
struct wiring_serial {
    int channel;         /* WIRING_NONE: not connected */
    int64_t byte_ns;     /* 0: the UART is off */
    const uint8_t *came; /* bytes received with the last question; those before PASSED were already
                            delivered */
    size_t size, passed;
    uint8_t sent[WIRING_FRAME_MAX];
    size_t used;
};

struct wiring_event {
    int pin;    /* pin whose level has changed; WIRING_NONE: none */
    int serial; /* UART that has received a byte; WIRING_NONE: none */
    uint8_t byte;
};

struct wiring {
    struct ptybot_firmware *firmware;
    enum pin_board board;
    struct { /* pins as in the body file */
        int pin;
        enum pin_kind kind;
        const struct ptybot_pin *row;
    } rows[PTYBOT_PINS_MAX];
    size_t row_count;
    struct wiring_encoder encoders[WIRING_PARTS];
    struct wiring_sonar sonars[WIRING_PARTS];
    size_t encoder_count, sonar_count;
    struct wiring_serial serials[WIRING_SERIALS];
    bool is_wired[WIRING_PINS]; /* input whose level is set from outside the board */
    bool level[WIRING_PINS];    /* levels of the wired pins */
    double duty[WIRING_PINS];   /* duty cycle that the board puts out, 0 .. 1 */
    double volts[WIRING_PINS];
    int64_t rise[WIRING_PINS], pulse_ns[WIRING_PINS]; /* time of the last rising edge, and length of
                                                         the last pulse; 0: no pulse yet */
    int64_t steps[PTYBOT_WHEELS_MAX]; /* steps of a stepper: forward minus backward */
    double turned_rad[PTYBOT_WHEELS_MAX], turned_rad_s[PTYBOT_WHEELS_MAX]; /* by the stepper */
    int64_t from, to; /* the span whose inputs are known */
};

/* Reads the pins that ptybot sent in its first message. FIRMWARE must outlive the wiring. */
void wiring_init(struct wiring *self, struct ptybot_firmware *firmware);

/* The Arduino pin number for a pin's name on the board. */
int wiring_number(enum pin_board board, const char *name);

/* Power-on: sets the inputs from the last question. */
void wiring_start(struct wiring *self);

/* Reads the last question. The inputs between the previous question and the last one are known from
 * then on. */
void wiring_take(struct wiring *self);

/* wiring_next: time of the next event at the inputs; INT64_MAX: none in the known span.
 * wiring_happen: executes that event. */
int64_t wiring_next(struct wiring *self);
struct wiring_event wiring_happen(struct wiring *self);

/* The board sets an output: a digital level is a duty cycle of 0 or 1. */
void wiring_set(struct wiring *self, int pin, double duty, int64_t now);

/* wiring_set_baud: the board configures a UART; 0: switches it off. wiring_send: sends a byte,
 * which is part of the next answer. */
void wiring_set_baud(struct wiring *self, unsigned number, uint32_t baud);
void wiring_send(struct wiring *self, unsigned number, uint8_t byte);

/* Writes motors, signals and sent bytes to the answer, from the present outputs. */
void wiring_act(struct wiring *self);
