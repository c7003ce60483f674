/* Runs a docking host against a real simulation in this process, in lockstep. The robot's bytes go
 * into the host's decoder, the host's base control bytes go back to the robot. Records the outcome.
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

/* The decisions of a host: reads the content of a packet and chooses the next command. over: the
 * host has ended. */
struct dock_brain {
    void *self;
    void (*step)(void *self, const struct kobuki_reading *reading, double *v_m_s, double *w_rad_s,
                 bool *is_over);
};

struct dock_outcome {
    bool is_charging; /* the host has ended, its charger byte reports charging, and the robot is in
                         the dock */
    double took_s;    /* until the host ended, or the limit */
    struct pose end;
    uint64_t collisions; /* with anything but the dock */
    unsigned bumps;      /* packets with a bumper that came after one without */
    unsigned damaged;    /* packets that the host could not read */
};

/* Runs a brain from a pose for at most DOCK_TRIAL_LIMIT_S simulated seconds. Ends the program with
 * a message if the pose is not free. */
struct dock_outcome dock_trial_run(struct pose start, bool is_noisy, struct dock_brain brain);

/* The same with the state machine of dock_drive.h: wary, or exactly like the original. */
struct dock_outcome dock_trial_drive(struct pose start, bool is_noisy, bool is_wary);

/* The same with the simple approach of straight_in.h. */
struct dock_outcome dock_trial_straight(struct pose start, bool is_noisy);

/* Whether any receiver reads any light while the robot turns once on the spot. */
bool dock_trial_can_see(struct pose start);

/* Poses from a fixed seed, 0.4 m or more from the dock's face, with any heading. Inside: the center
 * of the robot is in a region; distances and angles are uniformly distributed. Outside: anywhere in
 * the room except in these regions. */
void dock_trial_poses(uint64_t seed, bool is_inside, struct pose *poses, size_t count);

/* Poses in front of the dock, on its axis or a centimeter off it, the first 0.45 m away and each
 * further one 0.1 m more, with any heading. */
void dock_trial_poses_in_front(struct pose *poses, size_t count);
