/* A tap in the cable between a robot and its driver. The driver opens a pty; the robot is at a
 * serial device. Bytes pass unchanged. Baud, DTR and RTS follow the driver, the other modem lines
 * follow the robot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/links/poller.h"
#include "base/error.h"

struct tap;

struct tap_config {
    const char *device;  /* path of the robot's device */
    const char *port;    /* path that the driver opens: absolute, or in the user's folder */
    const char *name;    /* name of the line: `kobuki.uart`; must live as long as the tap */
    const char *what;    /* type and channel: `kobuki uart` */
    uint32_t baud;       /* until the driver sets another */
    const char *capture; /* file of the recording; "": no recording */
    bool is_viewed;      /* shown in a window */
};

struct tap_counts {
    uint64_t to_robot, to_driver; /* bytes */
    uint64_t unheard;             /* bytes of the robot while no driver was connected */
    uint64_t lost; /* bytes that an end did not accept: a driver that does not read, a lost
                      device */
};

/* Opens device, port and recording. NULL with ERROR. */
struct tap *tap_open(const struct tap_config *config, struct error *error);

const char *tap_port(const struct tap *tap);

/* Relays until an end is requested (stop_is_wanted; this wakes POLLER). */
void tap_run(struct tap *tap, struct poller *poller);

struct tap_counts tap_counts(const struct tap *tap);

/* False, with ERROR, if the recording is incomplete. TAP may be NULL. */
bool tap_close(struct tap *tap, struct error *error);
