/* Docking by a simple method: if a robot sees the left and right lights of the dock together, it is
 * in front of the dock. So it turns on the spot until it sees both, aims at the middle of that
 * range, and drives straight in as long as it sees both, steering back if it loses one. It uses the
 * docking IR, bumper and charger bytes and counts packets. It uses neither gyro nor encoders, and
 * gives up if it is not in front of a dock. */
#pragma once

#include <stdbool.h>

#include "tests/hosts/kobuki_client.h"

enum straight_in_phase {
    STRAIGHT_TURNING,  /* turning until both lights are seen */
    STRAIGHT_LEAVING,  /* turning on until they are out of sight */
    STRAIGHT_SWEEPING, /* turning back across them, to measure the range */
    STRAIGHT_AIMING,   /* turning to the middle */
    STRAIGHT_DRIVING,
    STRAIGHT_BACKING, /* bumped without a charge, or drove too long */
    STRAIGHT_CHARGING,
    STRAIGHT_LOST, /* no dock in front, or too many failed approaches */
};

struct straight_in {
    enum straight_in_phase phase;
    bool is_started;
    unsigned in_phase;            /* packets */
    unsigned left_age, right_age; /* packets since the front receiver saw that side */
    unsigned near_age;            /* since it saw a near light */
    unsigned first;               /* in_phase when both lights were first seen; 0: not yet */
    unsigned width;               /* packets with both lights in the sweep */
    unsigned bumps;               /* failed approaches */
    double v_m_s, w_rad_s;
};

/* Computes v_m_s and w_rad_s after a packet. A zeroed struct is the start. */
void straight_in_step(struct straight_in *self, const struct kobuki_reading *reading);

/* Whether it has ended, in the dock or not. */
bool straight_in_is_over(const struct straight_in *self);
