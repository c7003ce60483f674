/* The one translator between the world and a robot: world state becomes robot_sensors, and
 * robot_actuators become inputs of drives. Noise and curves belong to the firmware, not here. */
#ifndef PTYBOT_SIM_ROOM_SENSORS_H
#define PTYBOT_SIM_ROOM_SENSORS_H

struct sim;
struct sim_robot;

/* Fills what the firmware may know, for a tick that is due now. */
void sensors_sample(struct sim_robot *robot);
/* Hands what the firmware wants to the drive, for the coming step. */
void sensors_obey(struct sim_robot *robot);
/* After a step of the world: where each robot is, and what it has touched. */
void sensors_feel(struct sim *sim);

#endif
