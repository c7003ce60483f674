/* A client of an e-puck2 over TCP that knows only the protocol: it cuts the stream into
 * packets and counts them. Failures end the test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EPUCK2_HOST_KINDS = 4, EPUCK2_HOST_PACKET_MAX = 38401 };

struct epuck2_host {
    int socket;
    uint64_t packets[EPUCK2_HOST_KINDS]; /* by id: image 1, sensors 2, empty 3 */
    uint8_t sensors[104];                /* of the last sensor packet */
    uint8_t last_id, last_but_one_id;
    uint8_t packet[EPUCK2_HOST_PACKET_MAX]; /* in the making */
    size_t used;
};

/* Connects; ADDRESS is "127.0.0.1", PORT as ptybot listens on. Waits for the listener. */
void epuck2_host_open(struct epuck2_host *self, const char *address, unsigned port);
void epuck2_host_close(struct epuck2_host *self);

/* Sends a command. */
void epuck2_host_order(struct epuck2_host *self, uint8_t request, uint8_t settings, int left,
                       int right);
void epuck2_host_send(struct epuck2_host *self, const void *bytes, size_t size);

/* Reads everything that arrives within MS milliseconds. A byte that does not begin a packet fails
 * the test. */
void epuck2_host_hear(struct epuck2_host *self, int ms);

/* Reads until COUNT more packets with that id have come. */
void epuck2_host_await(struct epuck2_host *self, uint8_t id, uint64_t count);

/* Step counter of a wheel (0 left, 1 right) in the last sensor packet. */
int epuck2_host_steps(const struct epuck2_host *self, int wheel);
