/* The battery. */
#pragma once

#include "protocols/cobot/cobot_state.h"

/* Lowest and highest voltage of the pack. */
double cobot_battery_empty_v(const struct cobot_options *options);
double cobot_battery_full_v(const struct cobot_options *options);

/* Charge at which the pack shows VOLTS, limited to 0..1. */
double cobot_battery_charge(const struct cobot_options *options, double volts);

void cobot_power_read(struct cobot_state *state, const struct robot_sensors *sensors);

/* Change of the charge with the present load and charger, 1/s. */
double cobot_power_charge_rate(const struct cobot_state *state);

/* Message 04. */
void cobot_power_fill(struct cobot_state *state);
