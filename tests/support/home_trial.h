/* A Create 2 that must return to its Home Base, in a real simulation in this process: by its
 * firmware's seek-dock command, or by a host (tests/hosts/create2_seek.h) in lockstep, which makes
 * one decision per frame. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"

#define HOME_TRIAL_LIMIT_S 240.0

enum home_trial_who { HOME_BY_FIRMWARE, HOME_BY_HOST };

struct home_outcome {
    bool is_charging;
    double took_s;
    uint64_t collisions; /* with anything but the dock */
    uint64_t damaged;    /* frames that the host found damaged, and bytes outside frames */
    struct pose end;
};

/* The dock's pose, in a room of 7 x 7 m. */
extern const struct pose home_trial_dock;

/* Poses in the light of the buoys, 0.45 to 2.3 m from it, with any heading, from a fixed seed. */
void home_trial_poses(uint64_t seed, struct pose *poses, size_t count);

struct home_outcome home_trial_run(enum home_trial_who who, struct pose start);
