/* Off and on again: a robot alone, or put back as the scene had it. */
#include "sim/commands/fault_kinds.h"
#include "sim/state/state.h"

/* Chosen: a server that starts again takes seconds to be back; a client needs to see that it was
 * gone, and a test not to wait. */
#define SERVER_BACK_US 100000

/* A server that starts again knows of no connection, unlike a serial port, which its host keeps. */
static void drop_clients(struct sim_robot *robot)
{
    for (unsigned c = 0; c < robot->type->channel_count; c++) {
        struct sim_channel *channel = &robot->sim->channels[robot->first_channel + c];
        if (robot->type->channels[c].kind != CHANNEL_TCP_SERVER || !channel->is_plugged)
            continue;
        channel->is_plugged = false;
        channel->replug_us = robot->sim->now_us + SERVER_BACK_US;
    }
}

bool hands_reset(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)data, (void)now_us, (void)error;
    struct sim_robot *robot = state;
    if (robot->faults.power == FAULT_POWER_OFF)
        fault_set_power(robot, FAULT_POWER_ON, ROBOT_NEVER);
    else
        robot_power_cycle(robot);
    drop_clients(robot);
    return true;
}

void hands_restart(struct sim_robot *robot)
{
    struct sim *sim = robot->sim;
    fault_heal(robot);
    robot->is_lifted = false;
    robot->hung_wheels = robot->pressed_bumpers = robot->pressed_buttons = 0;
    robot->drop_us = ROBOT_NEVER;
    for (size_t i = 0; i < ROBOT_BUMPERS_MAX; i++)
        robot->release_bumper_us[i] = ROBOT_NEVER;
    for (size_t i = 0; i < ROBOT_BUTTONS_MAX; i++)
        robot->release_button_us[i] = ROBOT_NEVER;
    robot->has_adapter = false;
    for (size_t c = 0; c < robot->type->channel_count; c++) {
        struct sim_channel *channel = &sim->channels[robot->first_channel + c];
        channel->is_plugged = true;
        channel->replug_us = ROBOT_NEVER;
    }
    world_lift(sim->world, robot->body_index, false);
    world_place(sim->world, robot->body_index, robot->start);
    robot->pose = robot->start;
    robot->collisions = 0;
    robot->charge = robot->type->battery_start(robot->options);
    robot_power_cycle(robot);
    drop_clients(robot);
}
