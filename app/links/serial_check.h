/* Checks the settings that hosts give to the serial port of one channel: a pty carries all bytes
 * whatever its settings are, a real port does not. Independent of links and clocks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/serial_settings.h"

/* Hosts pass through other settings while they set up the port, and many restore the initial
 * settings at the end. Wrong settings therefore count only in two cases: bytes arrive while they
 * are set, or the host has never had the right ones and has not changed them for
 * SERIAL_CHECK_SETTLE_NS. That time must pass in wall-clock time and in simulated time: a host that
 * only probes the port stays long in wall-clock time on a busy machine, and long in simulated time
 * if that runs faster than real time. */
struct serial_check {
    struct serial_settings robot; /* those of the robot; baud 0: nothing to check */
    struct serial_settings known; /* those of the present host that count or that it has set itself;
                                     baud 0: none yet. The simulation gets these */
    /* The present host. */
    struct serial_settings now; /* its settings; baud 0: unknown */
    bool is_set;                /* it has changed a setting */
    bool has_right;             /* its settings were right once */
    bool is_reported;           /* serial_check_count has returned true */
    int64_t since_ns, since_us; /* wall-clock and simulated time of the last change */

    bool is_seen;                 /* the settings of some host counted or were right */
    struct serial_settings wrong; /* the first that counted, of any host; baud 0: none */
    int64_t wrong_us;             /* simulated time when they counted */
};

#define SERIAL_CHECK_SETTLE_NS INT64_C(300000000) /* chosen: hosts need less to set up a port */

/* A host connected, with unknown settings; or it disconnected. */
void serial_check_came(struct serial_check *check);
void serial_check_left(struct serial_check *check, int64_t now_ns, int64_t now_us);

/* The host has these settings from now on; baud 0: unknown. */
void serial_check_set(struct serial_check *check, struct serial_settings settings, int64_t now_ns,
                      int64_t now_us);

/* Checks whether the settings count now. HAS_BYTES: the host has sent bytes with them. Returns
 * whether a warning is due: wrong settings count for the first time with this host. */
bool serial_check_count(struct serial_check *check, bool has_bytes, int64_t now_ns, int64_t now_us);

enum { SERIAL_CHECK_TEXT_SIZE = 2 * SERIAL_SETTINGS_TEXT_SIZE + 96 };

/* Writes "the driver set 57600 baud, 8N1, raw; the robot has 115200 baud, 8N1, raw". */
void serial_check_text(const struct serial_check *check, struct serial_settings found,
                       char text[static SERIAL_CHECK_TEXT_SIZE]);
