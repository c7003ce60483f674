/* Docking the plain way: a robot that sees the dock's left and right lights together is in front of
 * the dock, so it turns on the spot until it does, aims at the middle of where it does, and drives
 * straight in for as long as it sees both, bending back to where it sees both when one is lost. It
 * goes by the docking IR, bumper and charger bytes and counts packets; it reads neither gyro nor
 * encoders, and gives up where it is not in front of a dock. */
#pragma once

#include <stdbool.h>

#include "tests/hosts/kobuki_client.h"

enum straight_in_phase {
    STRAIGHT_TURNING,  /* turning until both lights are seen */
    STRAIGHT_LEAVING,  /* turning on until they are not */
    STRAIGHT_SWEEPING, /* turning back across them, to learn how wide they are seen */
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
    unsigned first;               /* in_phase when both lights came into sight; 0: not yet */
    unsigned width;               /* packets that both were seen for in the sweep */
    unsigned bumps;               /* failed approaches */
    double v_m_s, w_rad_s;
};

/* What to do after a packet: fills v_m_s and w_rad_s. A zeroed struct is the start. */
void straight_in_step(struct straight_in *self, const struct kobuki_reading *reading);

/* Whether it has come to its end, in the dock or not. */
bool straight_in_is_over(const struct straight_in *self);
