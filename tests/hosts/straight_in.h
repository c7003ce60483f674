/* Docking the plain way: a robot that sees the dock's left and right lights together is in front of
 * the dock, so it turns until it does, aims at the middle of where it does, and drives straight in
 * for as long as it sees both. It knows nothing of a dock but that, and gives up where it is not in
 * front of one. */
#ifndef TESTS_HOSTS_STRAIGHT_IN_H
#define TESTS_HOSTS_STRAIGHT_IN_H

#include <stdbool.h>

#include "tests/hosts/kobuki_client.h"

enum straight_in_phase {
    STRAIGHT_LEAVING,  /* turning until the dock is out of sight, to see where it begins */
    STRAIGHT_LOOKING,  /* turning until both lights are seen */
    STRAIGHT_SWEEPING, /* turning on until they are not */
    STRAIGHT_AIMING,   /* turning back to the middle */
    STRAIGHT_DRIVING,
    STRAIGHT_BACKING, /* bumped, and no charge */
    STRAIGHT_CHARGING,
    STRAIGHT_LOST, /* two turns without seeing both */
};

struct straight_in {
    enum straight_in_phase phase;
    bool is_started;
    double gyro_deg;   /* of the last packet */
    double turned_deg; /* since the start, counting turns */
    double phase_deg;  /* turned_deg when the phase began */
    double from_deg;   /* where both lights came into sight */
    double goal_deg;   /* the middle */
    double side;       /* 1: turns counter-clockwise to look, -1: clockwise */
    unsigned dark;     /* packets in a row in which not both lights were seen */
    unsigned in_phase; /* packets */
    double v_m_s, w_rad_s;
};

/* What to do after a packet: fills v_m_s and w_rad_s. A zeroed struct is the start. */
void straight_in_step(struct straight_in *self, const struct kobuki_reading *reading);

/* Whether it has come to its end, in the dock or not. */
bool straight_in_is_over(const struct straight_in *self);

#endif
