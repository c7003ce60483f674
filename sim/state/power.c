#include "sim/state/power.h"

#include <string.h>

#include "sim/state/state.h"

/* Chosen: a real server needs seconds to restart. A client must notice that it was gone, and a test
 * must not have to wait. */
#define SERVER_BACK_US 100000

struct robot_storage *robot_storage_of(const struct sim_robot *robot)
{
    if (robot->type->storage_offset == SIZE_MAX)
        return NULL;
    return (struct robot_storage *)((uint8_t *)robot->state + robot->type->storage_offset);
}

/* Counters for the observer, which therefore survive a start of the firmware. */
struct counters {
    struct robot_stats stats[ROBOT_CHANNELS_MAX];
    uint64_t boots;
};

static struct counters counters_take(const struct sim_robot *robot)
{
    const struct robot_type *type = robot->type;
    const uint8_t *state = robot->state;
    struct counters counters = {0};
    memcpy(counters.stats, state + type->stats_offset,
           type->channel_count * sizeof(struct robot_stats));
    if (type->boots_offset != SIZE_MAX)
        memcpy(&counters.boots, state + type->boots_offset, sizeof counters.boots);
    return counters;
}

/* A board that is off has not booted. */
static void counters_put(struct sim_robot *robot, struct counters counters)
{
    const struct robot_type *type = robot->type;
    uint8_t *state = robot->state;
    memcpy(state + type->stats_offset, counters.stats,
           type->channel_count * sizeof(struct robot_stats));
    counters.boots += robot->faults.power != POWER_OFF;
    if (type->boots_offset != SIZE_MAX)
        memcpy(state + type->boots_offset, &counters.boots, sizeof counters.boots);
}

/* Starts the firmware as after power-on, with the connected drivers. After a power cycle a TCP
 * server has no clients. */
static void start_firmware(struct sim_robot *robot, bool has_clients, bool has_booted)
{
    const struct robot_storage *storage = robot_storage_of(robot);
    const struct robot_storage kept = storage ? *storage : (struct robot_storage){0};
    struct counters counters = counters_take(robot);
    struct robot_start start = {
        .type = robot->type,
        .body = robot->body,
        .options = robot->options,
        .storage = kept.size > 0 ? &kept : NULL,
        .rng_key = robot->rng_key,
        .now_us = robot->sim->now_us,
        .has_booted = has_booted,
    };
    for (size_t c = 0; c < robot->type->channel_count; c++) {
        const struct sim_channel *channel = &robot->sim->channels[robot->first_channel + c];
        if (channel->is_host && (has_clients || robot->type->channels[c].kind == CHANNEL_SERIAL))
            start.hosts[c] = (struct robot_host){.is_present = true, .lines = channel->host_lines};
    }
    robot->due_us = robot->type->reset(robot->state, &start);
    counters_put(robot, counters);
    robot->actuators = (struct robot_actuators){0};
}

static void empty_wires(struct sim_robot *robot)
{
    for (size_t c = 0; c < robot->type->channel_count; c++)
        line_reset(robot->sim->channels[robot->first_channel + c].line, robot->sim->now_us);
}

/* A TCP server disappears with its robot's power; the driver's machine powers the USB plug of a
 * serial port. */
static void cut_servers(struct sim_robot *robot, bool is_off)
{
    for (size_t c = 0; c < robot->type->channel_count; c++)
        if (robot->type->channels[c].kind == CHANNEL_TCP_SERVER)
            robot->sim->channels[robot->first_channel + c].is_cut = is_off;
}

/* A TCP server that restarts has lost its connections. A serial port stays open in the driver. */
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
    // A board that is off has the state before its first pass, and never runs it.
    empty_wires(robot);
    start_firmware(robot, true, false);
    if (is_off)
        robot->due_us = ROBOT_NEVER;
    cut_servers(robot, is_off);
}

static void change_power(struct sim_robot *robot, enum power_change change, int64_t until_us)
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
            start_firmware(robot, false, false);
        }
        drop_clients(robot);
        break;
    case POWER_RESTART:
    case POWER_BEFORE:
        start_firmware(robot, true, change == POWER_BEFORE);
        break;
    }
}

/* The carrier's battery feeds mounted robots, unless they have their own power. */
void robot_power(struct sim_robot *robot, enum power_change change, int64_t until_us)
{
    change_power(robot, change, until_us);
    for (size_t i = 0; i < robot->sim->robot_count; i++) {
        struct sim_robot *rider = &robot->sim->robots[i];
        if (robot_is_mounted(rider) && robot_carrier(rider) == robot && !rider->mount.has_power &&
            change < POWER_RESTART)
            change_power(rider, change == POWER_USB ? POWER_OFF : change, until_us);
    }
}
