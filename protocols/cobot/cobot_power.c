/* The battery: lithium cells in series; three cells have a nominal voltage of 12 V (vendor
 * firmware). All other numbers are chosen. Left out: the voltage drop under load; motors always get
 * the nominal voltage, and an empty robot keeps running. */
#include "protocols/cobot/cobot_state.h"

#include <math.h>

#include "base/array.h"
#include "protocols/curve.h"

/* Voltage against charge of a cell: the usual curve of a lithium-ion cell. Chosen. */
static const struct curve_point cell[] = {
    {0, COBOT_CELL_EMPTY_V},
    {0.05, 3.30},
    {0.1, 3.45},
    {0.2, 3.55},
    {0.4, 3.67},
    {0.6, 3.82},
    {0.8, 3.98},
    {0.9, 4.07},
    {1, COBOT_CELL_FULL_V},
};

/* Current of the boards at rest, and of a charger. Chosen: a controller with its radio; a small
 * charger. */
static const double COBOT_IDLE_A = 0.25;
static const double COBOT_CHARGER_A = 2.0;
static const double COBOT_FULL_CHARGE = 0.9999;

double cobot_battery_charge(const void *options, double volts)
{
    int64_t cells = ((const struct cobot_options *)options)->battery_cells;
    return curve_inverse(cell, COUNT(cell), volts / (double)cells);
}

void cobot_power_read(struct cobot_state *state, const struct robot_sensors *sensors)
{
    struct cobot_power *power = &state->power;
    power->charge = sensors->battery_charge;
    power->is_charging = sensors->charger != CHARGER_NONE && power->charge < COBOT_FULL_CHARGE;
    power->battery_v =
        curve_at(cell, COUNT(cell), power->charge) * (double)state->options.battery_cells;
}

double cobot_power_charge_rate(const struct cobot_state *state)
{
    double load_a = COBOT_IDLE_A;
    for (int i = 0; i < COBOT_WHEELS; i++) {
        /* A bridge draws the motor's current times its duty. A braking motor returns no energy. */
        const struct cobot_wheel *wheel = &state->motion.wheel[i];
        load_a += fmax(0, wheel->current_a * wheel->duty);
    }
    double change_a = state->power.is_charging ? COBOT_CHARGER_A : -load_a;
    return change_a / (state->options.battery_ah * 3600);
}

void cobot_power_fill(struct cobot_state *state)
{
    /* Truncated to one byte. The real firmware wraps. */
    double tenths = floor(state->power.battery_v * 10);
    if (state->options.battery_overflow == COBOT_OVERFLOW_WRAP)
        tenths -= 256 * floor(tenths / 256);
    state->last.battery.voltage = wire_saturate_u8(tenths);
}
