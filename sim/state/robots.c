/* Looks at robots and channels; changes nothing. */
#include "sim/state/robots.h"

#include <assert.h>

#include "sim/state/power.h"
#include "sim/state/state.h"

int64_t sim_now_us(const struct sim *sim)
{
    return sim->now_us;
}

size_t sim_robot_count(const struct sim *sim)
{
    return sim->robot_count;
}

static const struct sim_robot *robot_at(const struct sim *sim, size_t robot)
{
    assert(robot < sim->robot_count);
    return &sim->robots[robot];
}

const char *sim_robot_name(const struct sim *sim, size_t robot)
{
    return robot_at(sim, robot)->name;
}

const struct robot_type *sim_robot_type(const struct sim *sim, size_t robot)
{
    return robot_at(sim, robot)->type;
}

struct pose sim_robot_pose(const struct sim *sim, size_t robot)
{
    return robot_at(sim, robot)->pose;
}

const struct robot_storage *sim_robot_storage(const struct sim *sim, size_t robot)
{
    return robot_storage_of(robot_at(sim, robot));
}

/* ---- Channels ---- */

static struct sim_channel *channel_at(const struct sim *sim, size_t channel)
{
    assert(channel < sim->channel_count);
    return &sim->channels[channel];
}

size_t sim_channel_count(const struct sim *sim)
{
    return sim->channel_count;
}

size_t sim_channel_index(const struct sim *sim, size_t robot, unsigned channel)
{
    assert(channel < robot_at(sim, robot)->type->channel_count);
    return robot_at(sim, robot)->first_channel + channel;
}

size_t sim_channel_robot(const struct sim *sim, size_t channel, unsigned *channel_of_robot)
{
    *channel_of_robot = channel_at(sim, channel)->channel;
    return channel_at(sim, channel)->robot;
}

uint32_t sim_channel_baud(const struct sim *sim, size_t channel)
{
    return channel_at(sim, channel)->baud;
}

const struct line_stats *sim_channel_line(const struct sim *sim, size_t channel)
{
    return line_stats(channel_at(sim, channel)->line);
}

const struct robot_stats *sim_channel_stats(const struct sim *sim, size_t channel)
{
    const struct sim_channel *at = channel_at(sim, channel);
    const struct sim_robot *robot = robot_at(sim, at->robot);
    const uint8_t *stats = (const uint8_t *)robot->state + robot->type->stats_offset;
    return (const struct robot_stats *)stats + at->channel;
}

bool sim_channel_is_plugged(const struct sim *sim, size_t channel)
{
    return channel_at(sim, channel)->is_plugged && !channel_at(sim, channel)->is_cut;
}

unsigned sim_channel_lines(const struct sim *sim, size_t channel)
{
    return channel_at(sim, channel)->robot_lines;
}

/* ---- Handling ---- */

struct robot_handling robot_handling_none(void)
{
    struct robot_handling none = {.drop_us = ROBOT_NEVER};
    for (size_t i = 0; i < ROBOT_BUMPERS_MAX; i++)
        none.release_bumper_us[i] = ROBOT_NEVER;
    for (size_t i = 0; i < ROBOT_BUTTONS_MAX; i++)
        none.release_button_us[i] = ROBOT_NEVER;
    return none;
}
