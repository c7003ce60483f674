/* Kinematics between wheel speeds and body velocity, from the table of wheels: the reference for
 * the physics. */
#pragma once

#include "physics/drive.h"

/* Velocity of the body's origin in its own frame: m/s, m/s, rad/s. */
struct twist {
    double x_m_s, y_m_s, turn_rad_s;
};

/* Wheel speeds (rad/s) for a twist, such that no wheel slips along its drive direction. Steered
 * wheels are assumed to point along their motion, see kinematics_steering. */
void kinematics_inverse(const struct drive_def *def, struct twist twist, double *wheel_rad_s);

/* The steering angle for a twist, by the bicycle model with its steered wheel midway between the
 * steered ones; 0 at rest. */
double kinematics_steering(const struct drive_def *def, struct twist twist);

/* The twist that fits wheel speeds best (least squares; plain wheels do not slip sideways).
 * STEER_RAD: of the bicycle model, for drives with steered wheels. */
struct twist kinematics_forward(const struct drive_def *def, const double *wheel_rad_s,
                                double steer_rad);

/* The effective track of plain wheels in two rows, which slip sideways in a turn: for turns on the
 * spot, with the weight shared evenly. */
double kinematics_skid_track_m(const struct drive_def *def);

/* Moves the wheels of a skid or tracked drive to an effective track. */
void kinematics_widen(struct drive_def *def, double track_m);
