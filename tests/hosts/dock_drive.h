/* Finding the way into a Kobuki's dock, with the states, tests and speeds of the vendor's docking
 * program (kobuki_core: src/driver/dock_drive.cpp, dock_drive_states.cpp): same decisions, written
 * anew. It knows what the bytes of a packet say, and nothing else. Like the original it searches
 * for ever where there is no light. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/hosts/kobuki_client.h"

enum dock_state {
    DOCK_IDLE,
    DOCK_SCAN,        /* turning until the front receiver sees the center light */
    DOCK_FIND_STREAM, /* turning until a side receiver sees the side that one stands in */
    DOCK_GET_STREAM,  /* across the front of the dock, until that receiver sees the other side */
    DOCK_ALIGNED,
    DOCK_ALIGNED_FAR,
    DOCK_ALIGNED_NEAR,
    DOCK_BUMPED,      /* without charge: a little back, then again */
    DOCK_BUMPED_DOCK, /* with charge: back until the bumper is free */
    DOCK_DOCKED_IN,
    DOCK_DONE,
    DOCK_RETREAT,      /* is_wary only */
    DOCK_LOST_CONTACT, /* docked and then not: the original stands still for ever */
    DOCK_STATES,
};

enum { DOCK_WINDOW = 20 }; /* packets over which lights are OR-ed */

struct dock_drive {
    /* Set by the caller. The original creeps on for ever when the side receiver that leads it
     * across the front has lost the dock, and bumps for ever where it stands too much askew for
     * contact. True: then it searches again, in the latter case after going back a little. */
    bool is_wary;
    enum dock_state state;
    double v_m_s, w_rad_s; /* what to do now */
    bool has_heading;
    double gyro_deg;                /* of the last packet */
    double rotated;                 /* turns since the search began, counter-clockwise */
    int sides;                      /* lights of the right seen more often than of the left */
    unsigned released, docked;      /* packets since the bumper is free; on the contacts */
    uint8_t window[DOCK_WINDOW][3]; /* right, center, left */
    unsigned window_at;
    unsigned dark;     /* packets in a row in which the leading receiver saw nothing */
    unsigned bumps;    /* without charge, since the last search from afar */
    double back_m;     /* still to go back */
    uint16_t ticks[2]; /* left, right, of the last packet */
};

/* After a packet: the next state and speeds. A zeroed struct is the start. */
void dock_drive_step(struct dock_drive *self, const struct kobuki_reading *reading);

/* "searching", "docked" and so on: for people. */
const char *dock_state_name(enum dock_state state);
