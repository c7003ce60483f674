/* Battery: one lithium cell of 1800 mAh (vendor). Approximated: its curve has no load and no age.
 * Left out: the firmware's switching off below 3.17 V. */
#include "protocols/epuck2/epuck2_power.h"

#include <math.h>

#include "base/array.h"
#include "protocols/curve.h"

/* Charge to volts. Chosen: the usual curve of a lithium-polymer cell. */
static const struct curve_point cell[] = {
    {0, EPUCK2_BATTERY_OFF_V},
    {0.03, 3.4},
    {0.1, 3.6},
    {0.3, 3.72},
    {0.5, 3.8},
    {0.7, 3.92},
    {0.9, 4.08},
    {1, EPUCK2_BATTERY_FULL_V},
};

static const double EPUCK2_CAPACITY_A_S = 1.8 * 3600;
static const double EPUCK2_IDLE_A = 0.4;    /* chosen: WiFi on; about 3 h in use (vendor) */
static const double EPUCK2_MOTOR_A = 0.15;  /* chosen: of one motor whose coils are on */
static const double EPUCK2_CHARGER_A = 0.9; /* chosen: USB, about 2.5 h */

double epuck2_battery_charge(double volts)
{
    return curve_inverse(cell, COUNT(cell), volts);
}

void epuck2_power_read(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    struct epuck2_power *power = &state->power;
    power->charge = sensors->battery_charge;
    power->battery_v = curve_at(cell, COUNT(cell), power->charge);
    power->raw = wire_saturate_u16(power->battery_v * EPUCK2_BATTERY_1_V);
    power->is_low = power->raw < EPUCK2_BATTERY_LOW;
    power->is_charging = sensors->charger != CHARGER_NONE;
}

double epuck2_power_charge_rate(const struct epuck2_state *state)
{
    double current_a = -EPUCK2_IDLE_A;
    for (int i = 0; i < EPUCK2_WHEELS; i++)
        current_a -= state->motion.wheel[i].driven != 0 ? EPUCK2_MOTOR_A : 0;
    /* The charger feeds the cell and not the load. */
    return (state->power.is_charging ? EPUCK2_CHARGER_A : current_a) / EPUCK2_CAPACITY_A_S;
}
