/* The serial port of an Arduino, as its core has it: 63 bytes wait for the loop of the firmware.
 * The loop waits while 63 bytes of its replies wait, and two more are in the chip (ArduinoCore-avr:
 * HardwareSerial.h; data sheet: UDRn and the shift register). All zero: empty. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARDUINO_PORT_MAX = 63, ARDUINO_PORT_STEP_MAX = 64 };

struct arduino_port {
    uint64_t count;
    uint8_t bytes[ARDUINO_PORT_MAX + ARDUINO_PORT_STEP_MAX + 1]; /* those after COUNT are 0 */
    int64_t sent_us; /* when the last byte of all replies has left */
    int64_t free_us; /* the loop waits until then */
};

/* A byte has come. */
void arduino_port_put(struct arduino_port *self, uint8_t byte);

/* The loop reads the next byte. False: it is not free by NOW, or there is none. */
bool arduino_port_take(struct arduino_port *self, int64_t now_us, uint8_t *byte);

/* After the bytes of a step, and the reads of the loop: bytes without room are lost. Returns how
 * many. */
uint64_t arduino_port_settle(struct arduino_port *self);

/* The loop writes a reply, BYTE_US for each byte, and waits for room. */
void arduino_port_write(struct arduino_port *self, size_t size, int64_t byte_us, int64_t now_us);

/* The loop does something else for so long. */
void arduino_port_wait(struct arduino_port *self, int64_t us, int64_t now_us);
