/* A microcontroller on a board: simavr's, with the pins of the board. Knows no message. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/pins.h"

struct chip;

/* Who hears what a chip does. */
struct chip_ear {
    void *context;
    /* A pin of chip_listen that is an output has taken this level, from inside chip_run. */
    void (*level)(void *context, int pin, bool is_high, int64_t now);
    void (*byte)(void *context, unsigned serial, uint8_t byte);
};

/* A chip of BOARD with the firmware of the file PATH (ELF, or Intel HEX where its name ends so).
 * NULL, after a sentence on stderr. EAR is copied. */
struct chip *chip_open(enum pin_board board, const char *path, const struct chip_ear *ear);

/* Has its ear told of a pin's levels. */
void chip_listen(struct chip *self, int number);

/* Puts an MPU6050 on the I2C bus; it outlives the chip. */
struct mpu6050;
void chip_attach_mpu6050(struct chip *self, struct mpu6050 *device);

/* Power-on: memory is lost, but the EEPROM; the chip starts at NOW, and does nothing before. */
void chip_reset(struct chip *self, int64_t now);

/* Runs up to a time, ns since power-on; a few cycles more. False: it has crashed, and said why. */
bool chip_run(struct chip *self, int64_t until);

void chip_set_level(struct chip *self, int number, bool is_high);
void chip_set_volts(struct chip *self, int number, double volts);
void chip_receive(struct chip *self, unsigned serial, uint8_t byte);

/* Of a pin as an output: its level, or the duty of its PWM; of an input: whether its pull-up is on.
 */
double chip_duty(const struct chip *self, int number);

/* That the firmware has set: the nearest usual one. 0: none. */
uint32_t chip_baud(const struct chip *self, unsigned serial);
