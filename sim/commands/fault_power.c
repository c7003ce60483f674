/* Power that fails: brown-out, off with the USB plug alive, and a board on USB power alone. */
#include "sim/state/state.h"

/* A TCP server dies with its robot; the USB plug of a serial one lives on its host's power. */
static void hang_up(struct sim_robot *robot, bool is_off)
{
    for (size_t c = 0; c < robot->type->channel_count; c++)
        if (robot->type->channels[c].kind == CHANNEL_TCP_SERVER)
            robot->sim->channels[robot->first_channel + c].is_cut = is_off;
}

/* The firmware starts, and hears of the hosts that are there. */
static void start(struct sim_robot *robot)
{
    robot_power_cycle(robot);
    for (unsigned c = 0; c < robot->type->channel_count; c++) {
        if (!robot->sim->channels[robot->first_channel + c].is_host)
            continue;
        int64_t due_us = robot->type->host(robot->state, c, true, robot->sim->now_us);
        if (due_us < robot->due_us)
            robot->due_us = due_us;
    }
}

void fault_set_power(struct sim_robot *robot, enum fault_power power, int64_t until_us)
{
    struct robot_faults *faults = &robot->faults;
    bool was_off = faults->power == FAULT_POWER_OFF, is_off = power == FAULT_POWER_OFF;
    faults->power = (uint8_t)power;
    faults->power_until_us = until_us;
    if (until_us < faults->next_us)
        faults->next_us = until_us;
    faults->is_any = faults->is_any || power != FAULT_POWER_ON;
    if (is_off == was_off)
        return;
    // A board that is off shows what one shows before its first pass, and never makes it.
    start(robot);
    if (is_off)
        robot->due_us = ROBOT_NEVER;
    hang_up(robot, is_off);
}
