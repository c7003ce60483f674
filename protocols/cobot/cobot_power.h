/* The battery. */
#pragma once

#include "protocols/cobot/cobot_state.h"

/* Lowest and highest voltage of a cell. */
#define COBOT_CELL_EMPTY_V 3.00
#define COBOT_CELL_FULL_V  4.20

/* Charge at which the pack shows VOLTS, limited to 0..1. OPTIONS: a struct cobot_options. */
double cobot_battery_charge(const void *options, double volts);

void cobot_power_read(struct cobot_state *state, const struct robot_sensors *sensors);

/* Change of the charge with the present load and charger, 1/s. */
double cobot_power_charge_rate(const struct cobot_state *state);

/* Message 04. */
void cobot_power_fill(struct cobot_state *state);
