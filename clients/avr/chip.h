/* A microcontroller on a board: simavr's, with the pins of the board. It does not know the messages
 * of ptybot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/pins.h"

struct chip;

/* Callbacks for the outputs of a chip. */
struct chip_ear {
    void *context;
    /* An output pin that was passed to chip_listen has changed to this level. Called inside
     * chip_run. */
    void (*level)(void *context, int pin, bool is_high, int64_t now);
    void (*byte)(void *context, unsigned serial, uint8_t byte);
};

/* Creates a chip of BOARD with the firmware of the file PATH (ELF, or Intel HEX if its name ends
 * with .hex). On an error, prints a message to stderr and returns NULL. EAR is copied. */
struct chip *chip_open(enum pin_board board, const char *path, const struct chip_ear *ear);

/* Reports the levels of a pin to the callback. */
void chip_listen(struct chip *self, int number);

/* Connects an MPU6050 to the I2C bus; it must outlive the chip. */
struct mpu6050;
void chip_attach_mpu6050(struct chip *self, struct mpu6050 *device);

/* Power-on: memory is cleared except the EEPROM. The chip starts at NOW and is inactive before. */
void chip_reset(struct chip *self, int64_t now);

/* Runs up to a time in ns since power-on, and possibly a few cycles longer. False: the chip has
 * crashed; the reason was printed. */
bool chip_run(struct chip *self, int64_t until);

void chip_set_level(struct chip *self, int number, bool is_high);
void chip_set_volts(struct chip *self, int number, double volts);
void chip_receive(struct chip *self, unsigned serial, uint8_t byte);

/* For an output pin: its level, or the duty cycle of its PWM. For an input pin: whether its pull-up
 * is on. */
double chip_duty(const struct chip *self, int number);

/* The standard baud rate nearest to the rate that the firmware has set. 0: not set. */
uint32_t chip_baud(const struct chip *self, unsigned serial);
