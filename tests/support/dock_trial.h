/* A docking host against a real simulation in this process, in lockstep: bytes out of the robot
 * into the host's decoder, bytes of the host's base control back, and a record of what came of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"
#include "tests/hosts/kobuki_client.h"

#define DOCK_TRIAL_LIMIT_S 180.0

/* A room of 7 x 7 m with a dock in the middle of its left wall, looking along x. */
extern const struct pose dock_trial_dock;
extern const struct vec2 dock_trial_face; /* middle of the housing's front */

/* A host's brain: takes what a packet said, says what to do; over: it has ended. */
struct dock_brain {
    void *self;
    void (*step)(void *self, const struct kobuki_reading *reading, double *v_m_s, double *w_rad_s,
                 bool *is_over);
};

struct dock_outcome {
    bool is_charging; /* the host has ended, the charger byte says so, and it is true */
    double took_s;    /* until the host ended, or the limit */
    struct pose end;
    uint64_t collisions; /* with anything but the dock */
    unsigned bumps;      /* packets with a bumper that came after one without */
    unsigned damaged;    /* packets that the host could not read */
};

/* Runs a brain from a pose for at most DOCK_TRIAL_LIMIT_S simulated seconds. Ends the program with
 * a message where the pose is not free. */
struct dock_outcome dock_trial_run(struct pose start, bool is_noisy, struct dock_brain brain);

/* The same with the state machine of dock_drive.h, wary or just as the original is. */
struct dock_outcome dock_trial_drive(struct pose start, bool is_noisy, bool is_wary);

/* The same with the plain way of straight_in.h. */
struct dock_outcome dock_trial_straight(struct pose start, bool is_noisy);

/* Whether any receiver reads any light while the robot turns once on the spot. */
bool dock_trial_can_see(struct pose start);

/* Poses by a fixed seed, 0.4 m or more from the dock's face, heading anywhere. Inside: the middle
 * of the robot is in a region, distances and angles spread evenly. Else: anywhere in the room that
 * is in none. */
void dock_trial_poses(uint64_t seed, bool is_inside, struct pose *poses, size_t count);

/* Poses in front of the dock, on the way in or a centimeter aside, 0.45 m off and 0.1 m farther
 * each, looking anywhere. */
void dock_trial_poses_in_front(struct pose *poses, size_t count);
