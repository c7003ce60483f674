/* The serial port of a virtual LiDAR, and standard nodes of an RPLIDAR, as in the vendors' SDKs.
 * Plain libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIDAR_STOP = 0x25, LIDAR_SCAN = 0x20, LIDAR_INFO = 0x50 };

/* Opens PATH in raw mode at BAUD (115200 or 230400), non-blocking, and drops old input. Returns the
 * descriptor, or -1. */
int lidar_open(const char *path, unsigned baud);

/* Sends a request without a payload. False: the port is gone. */
bool lidar_ask(int port, uint8_t command);

/* Milliseconds of the monotonic clock. */
double lidar_now_ms(void);

struct lidar_node {
    uint8_t bytes[5];
    size_t used;
    unsigned long stray; /* bytes outside nodes */
};

/* Takes one byte; true if it completed a node. */
bool lidar_node_push(struct lidar_node *self, uint8_t byte);
