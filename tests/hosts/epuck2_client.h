/* Driver side of the public WiFi protocol of the e-puck2 ("E-PUCK2 WIFI protocol"): TCP port 1000,
 * sends commands, receives sensor data and images. One thread, plain libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EPUCK2_CLIENT_IMAGE = 1, /* packets, and bits that request them */
    EPUCK2_CLIENT_SENSORS = 2,
    EPUCK2_CLIENT_EMPTY = 3,
    EPUCK2_CLIENT_WIDTH = 160,
    EPUCK2_CLIENT_HEIGHT = 120,
    EPUCK2_CLIENT_IMAGE_SIZE = EPUCK2_CLIENT_WIDTH * EPUCK2_CLIENT_HEIGHT * 2,
    EPUCK2_CLIENT_SENSORS_SIZE = 104,
    EPUCK2_CLIENT_COMMAND_SIZE = 21,
};

struct epuck2_client {
    int socket;
    uint8_t command[EPUCK2_CLIENT_COMMAND_SIZE]; /* the command to send; 1: request, 3..6: speeds */
    uint8_t sensors[EPUCK2_CLIENT_SENSORS_SIZE]; /* the newest */
    uint8_t image[EPUCK2_CLIENT_IMAGE_SIZE];     /* the newest */
    uint64_t images, packets, empty;             /* received */
};

/* Connects to "HOST:PORT"; HOST without a port means port 1000. Returns NULL, or an error
 * message. */
const char *epuck2_client_open(struct epuck2_client *self, const char *address);
void epuck2_client_close(struct epuck2_client *self);

/* Sends the command with these speeds, steps/s. False: the connection is closed. */
bool epuck2_client_drive(struct epuck2_client *self, int left, int right);

/* Reads until a packet of this kind has arrived. False: no byte for TIMEOUT_MS, the connection is
 * closed, or the data violates the protocol. */
bool epuck2_client_wait(struct epuck2_client *self, int kind, int timeout_ms);

/* Values of the newest sensor packet: proximity 0..7 clockwise from the front right; ground left,
 * center, right; the step counters. */
unsigned epuck2_client_prox(const struct epuck2_client *self, unsigned which);
unsigned epuck2_client_ground(const struct epuck2_client *self, unsigned which);
int epuck2_client_steps(const struct epuck2_client *self, unsigned which);

/* A pixel of the newest image: red, green and blue, 0..255. */
void epuck2_client_pixel(const struct epuck2_client *self, unsigned column, unsigned row,
                         int rgb[3]);
