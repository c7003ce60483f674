/* The serial port of an Arduino, as its core implements it. The receive buffer holds 63 bytes for
 * the loop of the firmware. The loop blocks while 63 bytes of its replies wait; two more are in the
 * chip (ArduinoCore-avr: HardwareSerial.h; data sheet: UDRn and the shift register). All zero:
 * empty. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARDUINO_PORT_MAX = 63, ARDUINO_PORT_STEP_MAX = 64 };

struct arduino_port {
    uint64_t count;
    uint8_t bytes[ARDUINO_PORT_MAX + ARDUINO_PORT_STEP_MAX + 1]; /* bytes after COUNT are 0 */
    int64_t sent_us; /* time when the last byte of all replies has been sent */
    int64_t free_us; /* the loop is blocked until then */
};

/* A byte has arrived. */
void arduino_port_put(struct arduino_port *self, uint8_t byte);

/* The loop reads the next byte. False: the loop is still blocked at NOW_US, or the buffer is
 * empty. */
bool arduino_port_take(struct arduino_port *self, int64_t now_us, uint8_t *byte);

/* Called after the bytes of a step and the reads of the loop. Bytes without room are lost; returns
 * their number. */
uint64_t arduino_port_settle(struct arduino_port *self);

/* The loop writes a reply of SIZE bytes, BYTE_US each, and blocks until there is room. */
void arduino_port_write(struct arduino_port *self, size_t size, int64_t byte_us, int64_t now_us);

/* The loop does something else for US microseconds. */
void arduino_port_wait(struct arduino_port *self, int64_t us, int64_t now_us);
