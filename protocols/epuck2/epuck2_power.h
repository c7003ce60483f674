/* The battery. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_POWER_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_POWER_H

#include "protocols/epuck2/epuck2_state.h"

/* Raw reading 1 V: divider 220 k over 330 k, reference 3.0 V, 12 bit (firmware). */
#define EPUCK2_BATTERY_1_V    819.2
#define EPUCK2_BATTERY_OFF_V  (2600 / EPUCK2_BATTERY_1_V) /* BATTERY_OFF of the firmware */
#define EPUCK2_BATTERY_LOW    2900                        /* raw */
#define EPUCK2_BATTERY_FULL_V 4.2

double epuck2_battery_charge(double volts);

/* Reads the battery; one pass of 10 ms. */
void epuck2_power_read(struct epuck2_state *state, const struct robot_sensors *sensors);

/* Change of the charge, 1/s. */
double epuck2_power_charge_rate(const struct epuck2_state *state);

#endif
