/* A serial port as a program without a driver sees it: opened without changes, or in raw mode. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/* Opens PATH for reading and writing and changes neither its mode nor the bytes that wait in it.
 * Returns the descriptor, or -1 with errno. */
int serial_port_open(const char *path);

/* serial_port_open, repeated until it works. */
int serial_port_await(const char *path);

/* Sets raw mode at SPEED (B115200...) and keeps the bytes that wait in it. */
void serial_port_set(int port, speed_t speed);

/* Reads the bytes that arrive within TIMEOUT_MS, at most CAP. Returns their number; 0: no bytes;
 * -1: the line is hung up. */
int serial_port_read(int port, uint8_t *out, size_t cap, int timeout_ms);

/* Writes all; false when the line is hung up. */
bool serial_port_write(int port, const void *bytes, size_t size);
