#include "sim/state/power.h"

#include <string.h>

#include "sim/state/state.h"

/* Chosen: a server that starts again takes seconds to be back; a client needs to see that it was
 * gone, and a test not to wait. */
#define SERVER_BACK_US 100000

struct robot_storage *robot_storage_of(const struct sim_robot *robot)
{
    if (robot->type->storage_offset == SIZE_MAX)
        return NULL;
    return (struct robot_storage *)((uint8_t *)robot->state + robot->type->storage_offset);
}

/* The firmware starts, as after power-on. */
static void start_firmware(struct sim_robot *robot)
{
    const struct robot_storage *storage = robot_storage_of(robot);
    const struct robot_storage kept = storage ? *storage : (struct robot_storage){0};
    // The counters are the observer's, not the board's, as those of the wire are.
    uint8_t *stats = (uint8_t *)robot->state + robot->type->stats_offset;
    size_t stats_size = robot->type->channel_count * sizeof(struct robot_stats);
    struct robot_stats counted[ROBOT_CHANNELS_MAX];
    memcpy(counted, stats, stats_size);
    robot->due_us = robot->type->reset(robot->state, &(struct robot_start){
                                                         .options = robot->options,
                                                         .storage = kept.size > 0 ? &kept : NULL,
                                                         .rng_key = robot->rng_key,
                                                         .now_us = robot->sim->now_us,
                                                     });
    memcpy(stats, counted, stats_size);
    robot->actuators = (struct robot_actuators){0};
}

static void empty_wires(struct sim_robot *robot)
{
    for (size_t c = 0; c < robot->type->channel_count; c++)
        line_reset(robot->sim->channels[robot->first_channel + c].line, robot->sim->now_us);
}

/* The firmware hears of the hosts that are there. */
static void tell_hosts(struct sim_robot *robot)
{
    for (unsigned c = 0; c < robot->type->channel_count; c++) {
        if (!robot->sim->channels[robot->first_channel + c].is_host)
            continue;
        int64_t due_us = robot->type->host(robot->state, c, true, robot->sim->now_us);
        if (due_us < robot->due_us)
            robot->due_us = due_us;
    }
}

/* A TCP server dies with its robot; the USB plug of a serial one lives on its host's power. */
static void cut_servers(struct sim_robot *robot, bool is_off)
{
    for (size_t c = 0; c < robot->type->channel_count; c++)
        if (robot->type->channels[c].kind == CHANNEL_TCP_SERVER)
            robot->sim->channels[robot->first_channel + c].is_cut = is_off;
}

/* A server that starts again knows of no connection, unlike a serial port, which its host keeps. */
static void drop_clients(struct sim_robot *robot)
{
    for (size_t c = 0; c < robot->type->channel_count; c++) {
        struct sim_channel *channel = &robot->sim->channels[robot->first_channel + c];
        if (robot->type->channels[c].kind != CHANNEL_TCP_SERVER || !channel->is_plugged)
            continue;
        channel->is_plugged = false;
        channel->replug_us = robot->sim->now_us + SERVER_BACK_US;
    }
}

static void set_power(struct sim_robot *robot, enum power_change power, int64_t until_us)
{
    struct robot_faults *faults = &robot->faults;
    bool was_off = faults->power == POWER_OFF, is_off = power == POWER_OFF;
    faults->power = (uint8_t)power;
    faults->power_until_us = until_us;
    if (until_us < faults->next_us)
        faults->next_us = until_us;
    faults->is_any = faults->is_any || power != POWER_ON;
    if (is_off == was_off)
        return;
    // A board that is off shows what one shows before its first pass, and never makes it.
    empty_wires(robot);
    start_firmware(robot);
    tell_hosts(robot);
    if (is_off)
        robot->due_us = ROBOT_NEVER;
    cut_servers(robot, is_off);
}

void robot_power(struct sim_robot *robot, enum power_change change, int64_t until_us)
{
    switch (change) {
    case POWER_ON:
    case POWER_OFF:
    case POWER_USB:
        set_power(robot, change, until_us);
        break;
    case POWER_CYCLE:
        if (robot->faults.power == POWER_OFF) {
            set_power(robot, POWER_ON, ROBOT_NEVER);
        } else {
            empty_wires(robot);
            start_firmware(robot);
        }
        drop_clients(robot);
        break;
    case POWER_RESTART:
        start_firmware(robot);
        break;
    }
}
