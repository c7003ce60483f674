/* What is wired to the pins of a board that a robot's firmware runs on: rows of a body file, which
 * a firmware for an Arduino gets with its hello. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    PINS_MAX = 64, /* of a robot; chosen */
    PIN_ADVICE_SIZE = 64,
};

/* An Arduino board: pins have the names that are printed on it. */
enum pin_board { BOARD_UNO, BOARD_NANO, BOARD_LEONARDO, BOARD_MEGA };

enum pin_kind {
    /* Outputs of the board. The first four are of a DC motor's H-bridge, which has two inputs,
     * forward and backward, or a direction (high: forward); ENABLE lets it drive at all. Each may
     * be a level or a PWM. */
    PIN_FORWARD,
    PIN_BACKWARD,
    PIN_ENABLE,
    PIN_DIRECTION, /* also of a stepper's driver */
    PIN_STEP,      /* each rising edge turns a stepper by a step */
    PIN_ESC,       /* these three by the length of a pulse, as servos of models */
    PIN_STEERING,
    PIN_SERVO,   /* turns a sensor */
    PIN_SIGNAL,  /* its duty is shown as a signal of the body file */
    PIN_TRIGGER, /* of an ultrasonic sensor */
    /* Inputs. */
    PIN_ECHO, /* high while the sound of a trigger is on its way */
    PIN_ENCODER_A,
    PIN_ENCODER_B,
    PIN_BUMPER,  /* low while pressed */
    PIN_BUTTON,  /* the same */
    PIN_BATTERY, /* a voltage, as the next three */
    PIN_DISTANCE,
    PIN_REFLECTANCE,
    PIN_CURRENT,
    PIN_MPU6050, /* on the two pins of the I2C bus */
    PIN_SERIAL,  /* both pins of a UART */
};

struct pin {
    const char *name; /* 0 .. 53, A0 .. A15, Serial .. Serial3, Wire */
    enum pin_kind kind;
    const char *of; /* what it belongs to, as the body file names it; NULL: the robot */
    uint32_t index; /* of that wheel, sensor, bumper, button, signal or channel */
    double counts;  /* of both channels of an encoder for a turn of the wheel: four a slot; steps */
    double scale;   /* V at the pin for each V, m, A or 1; turn for each turn of a servo */
    double zero_v;  /* at the pin, for a reading of 0 */
};

/* In the order of the enumerations, NULL at the end. */
extern const char *const board_names[], *const pin_kind_names[];

/* Whether a board has a pin of that name for that kind. False, with those that it has in ADVICE. */
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
