/* Judges the settings that hosts give to the serial port of one channel: a pty carries bytes
 * whatever they are, a real port does not. Knows no link and no clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/serial_settings.h"

/* Since hosts pass through other settings while they set up, and many put back what they found,
 * wrong ones count when bytes come under them; or when the host had none other for as long as
 * SERIAL_CHECK_SETTLE_NS, by the machine's clock and by the simulated one: a host that only looks
 * is there for long by the former on a busy machine, and by the latter in a world that runs faster.
 */
struct serial_check {
    struct serial_settings robot; /* what it speaks; baud 0: nothing to judge */
    struct serial_settings known; /* of the present host as far as they count or it has set them
                                     itself; baud 0: nothing yet. What the simulation learns */
    /* Of the present host. */
    struct serial_settings now; /* baud 0: unknown */
    bool is_set;                /* it has set something */
    bool has_right;             /* they were right once */
    bool is_reported;           /* serial_check_count has returned true */
    int64_t since_ns, since_us; /* when the present ones were seen; simulated */

    bool is_seen;                 /* settings of any host were known and counted, or were right */
    struct serial_settings wrong; /* the first that counted, of any host; baud 0: none */
    int64_t wrong_us;             /* simulated time of that */
};

#define SERIAL_CHECK_SETTLE_NS INT64_C(300000000) /* chosen: hosts set up faster */

/* A host came, with settings that are not known yet; or left. */
void serial_check_came(struct serial_check *check);
void serial_check_left(struct serial_check *check, int64_t now_ns, int64_t now_us);

/* The settings are these from now on; baud 0: unknown. */
void serial_check_set(struct serial_check *check, struct serial_settings settings, int64_t now_ns,
                      int64_t now_us);

/* Looks whether they count now: HAS_BYTES: the host has sent some under them. Returns whether a
 * warning is due: they are wrong and do, for the first time of this host. */
bool serial_check_count(struct serial_check *check, bool has_bytes, int64_t now_ns, int64_t now_us);

enum { SERIAL_CHECK_TEXT_SIZE = 2 * SERIAL_SETTINGS_TEXT_SIZE + 96 };

/* "the host set 57600 baud, 8N1, raw; the robot has 115200 baud, 8N1, raw". */
void serial_check_text(const struct serial_check *check, struct serial_settings found,
                       char text[static SERIAL_CHECK_TEXT_SIZE]);
