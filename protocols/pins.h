/* The wiring of the board that runs a robot's firmware: rows of a body file. A firmware for an
 * Arduino receives them in its hello message. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    PINS_MAX = 64, /* of a robot; chosen */
    PIN_ADVICE_SIZE = 64,
};

/* An Arduino board. Pins have the names printed on the board. */
enum pin_board { BOARD_UNO, BOARD_NANO, BOARD_LEONARDO, BOARD_MEGA };

enum pin_kind {
    /* Outputs of the board. The first four control the H-bridge of a DC motor. It has two inputs,
     * forward and backward, or a direction (high: forward). ENABLE switches it on. Each may be a
     * level or a PWM signal. */
    PIN_FORWARD,
    PIN_BACKWARD,
    PIN_ENABLE,
    PIN_DIRECTION, /* also the direction of a stepper driver */
    PIN_STEP,      /* each rising edge moves a stepper motor by one step */
    PIN_ESC,       /* these three: the length of a pulse sets the value, as for RC servos */
    PIN_STEERING,
    PIN_SERVO,   /* turns a sensor */
    PIN_SIGNAL,  /* its duty cycle is a signal that the body file defines */
    PIN_TRIGGER, /* of an ultrasonic sensor */
    /* Inputs. */
    PIN_ECHO, /* high from the trigger until the echo arrives */
    PIN_ENCODER_A,
    PIN_ENCODER_B,
    PIN_BUMPER,  /* low while pressed */
    PIN_BUTTON,  /* low while pressed */
    PIN_BATTERY, /* a voltage, like the next three */
    PIN_DISTANCE,
    PIN_REFLECTANCE,
    PIN_CURRENT,
    PIN_MPU6050, /* on the two pins of the I2C bus */
    PIN_SERIAL,  /* both pins of a UART */
};

struct pin {
    const char *name; /* 0 .. 53, A0 .. A15, Serial .. Serial3, Wire */
    enum pin_kind kind;
    const char *of; /* the part of the robot that it belongs to, by its name in the body file;
                     * NULL: the robot */
    uint32_t index; /* index of that wheel, sensor, bumper, button, signal or channel */
    double counts;  /* counts of both encoder channels per turn of the wheel (four per slot); or
                     * steps per turn */
    double scale;   /* V at the pin per V, m, A or 1; or turns of the sensor per turn of the
                     * servo */
    double zero_v;  /* voltage at the pin for a reading of 0 */
};

/* Names in the order of the enumerations; NULL-terminated. */
extern const char *const board_names[], *const pin_kind_names[];

/* Whether a board has a pin NAME for this kind. If not, returns false and writes its suitable pins
 * to ADVICE. */
bool board_has_pin(enum pin_board board, enum pin_kind kind, const char *name,
                   char advice[PIN_ADVICE_SIZE]);

/* Whether the board sets a pin of this kind. */
static inline bool pin_is_output(enum pin_kind kind)
{
    return kind <= PIN_TRIGGER;
}

static inline bool pin_is_analog(enum pin_kind kind)
{
    return kind >= PIN_BATTERY && kind <= PIN_CURRENT;
}
