/* Battery, charger, lamps and the power outputs. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_POWER_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_POWER_H

#include "protocols/kobuki/kobuki_state.h"

/* Voltage of a pack at CHARGE (0..1), on its own or on a charger. */
double kobuki_battery_volts(enum kobuki_pack pack, double charge, bool is_charging);

/* Charge at which a pack on its own shows VOLTS, limited to 0..1. */
double kobuki_battery_charge(enum kobuki_pack pack, double volts);

/* Lowest and highest voltage of a pack on its own. */
double kobuki_battery_empty_v(enum kobuki_pack pack);
double kobuki_battery_full_v(enum kobuki_pack pack);

void kobuki_power_reset(struct kobuki_state *state);

/* Reads charge and charger; true when charging has just begun. */
bool kobuki_power_read(struct kobuki_state *state, const struct robot_sensors *sensors,
                       int64_t now_us);

/* Change of the charge with the present load and charger, 1/s. */
double kobuki_power_charge_rate(const struct kobuki_state *state);

/* Sets the output word; the powers follow, the lamps with the next kobuki_power_lamps. */
void kobuki_power_outputs(struct kobuki_state *state, uint16_t outputs);

/* What the lamps show at NOW_US. */
void kobuki_power_lamps(struct kobuki_state *state, int64_t now_us);

#endif
