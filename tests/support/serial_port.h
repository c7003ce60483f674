/* A serial port as a program without a driver sees it: opened as it is, or made raw. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/* Opens PATH for reading and writing and touches nothing: neither mode nor what waits in it.
 * Returns the descriptor, or -1 with errno. */
int serial_port_open(const char *path);

/* serial_port_open, repeated until it works. */
int serial_port_await(const char *path);

/* Makes it raw at SPEED (B115200...) and keeps what waits in it. */
void serial_port_set(int port, speed_t speed);

/* Reads what comes within TIMEOUT_MS, at most CAP bytes. Returns their number; 0: nothing came;
 * -1: the line is hung up. */
int serial_port_read(int port, uint8_t *out, size_t cap, int timeout_ms);

/* Writes all; false when the line is hung up. */
bool serial_port_write(int port, const void *bytes, size_t size);
