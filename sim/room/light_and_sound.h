/* Light and sound at a place: the room's light and lamps, and what other robots play. Leaves out
 * echoes, colors of light and pitches of sound. */
#ifndef PTYBOT_SIM_ROOM_LIGHT_AND_SOUND_H
#define PTYBOT_SIM_ROOM_LIGHT_AND_SOUND_H

#include "protocols/robot.h"

struct sim_robot;

/* How bright it is where a sensor looks, 0 dark .. 1. */
double ambience_light(const struct sim_robot *robot, const struct sensor_spec *spec);

/* How loud it is at a microphone, 0 .. 1. */
double ambience_sound(const struct sim_robot *robot, const struct sensor_spec *spec);

#endif
