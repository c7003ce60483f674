/* Docking of a Kobuki, with the states, tests and speeds of the vendor's docking program
 * (kobuki_core: src/driver/dock_drive.cpp, dock_drive_states.cpp): same decisions, new code. It
 * uses only the bytes of the packets. Like the original it searches forever if there is no
 * light. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/hosts/kobuki_client.h"

enum dock_state {
    DOCK_IDLE,
    DOCK_SCAN,        /* turning until the front receiver sees the center light */
    DOCK_FIND_STREAM, /* turning until a side receiver sees the light of the region around the robot
                       */
    DOCK_GET_STREAM,  /* across the front of the dock, until that receiver sees the light of the
                         other side */
    DOCK_ALIGNED,
    DOCK_ALIGNED_FAR,
    DOCK_ALIGNED_NEAR,
    DOCK_BUMPED,      /* without charge: back a little, then again */
    DOCK_BUMPED_DOCK, /* with charge: back until the bumper is released */
    DOCK_DOCKED_IN,
    DOCK_DONE,
    DOCK_RETREAT,      /* is_wary only */
    DOCK_LOST_CONTACT, /* contact lost after docking: the original stops forever */
    DOCK_STATES,
};

enum { DOCK_WINDOW = 20 }; /* packets whose lights are combined with OR */

struct dock_drive {
    /* Set by the caller. The original creeps on forever if the side receiver that guides it across
     * the front has lost the dock, and bumps forever if it is at too large an angle for contact.
     * True: then it searches again, in the second case after going back a little. */
    bool is_wary;
    enum dock_state state;
    double v_m_s, w_rad_s; /* present speeds */
    bool has_heading;
    double gyro_deg; /* of the last packet */
    double rotated;  /* turns since the search began, counter-clockwise */
    int sides;       /* how much more often lights of the right were seen than of the left */
    unsigned released, docked;      /* packets since the bumper was released; on the contacts */
    uint8_t window[DOCK_WINDOW][3]; /* right, center, left */
    unsigned window_at;
    unsigned dark;     /* consecutive packets without light at the guiding receiver */
    unsigned bumps;    /* without charge, since the last search from a distance */
    double back_m;     /* distance still to go back */
    uint16_t ticks[2]; /* left, right, of the last packet */
};

/* After a packet: computes the next state and speeds. A zeroed struct is the start. */
void dock_drive_step(struct dock_drive *self, const struct kobuki_reading *reading);

/* For people: "searching", "docked" and so on. */
const char *dock_state_name(enum dock_state state);
