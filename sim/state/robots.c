/* Queries of robots and channels, without changes. */
#include "sim/state/robots.h"

#include <assert.h>
#include <string.h>

#include "base/serial_settings.h"
#include "sim/scene/custom_robot.h"
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

const char *sim_robot_wire(const struct sim *sim, size_t robot)
{
    return custom_robot_wire(sim->scene->own, sim_robot_type(sim, robot));
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

const char *sim_channel_deaf(const struct sim *sim, size_t channel)
{
    const struct sim_robot *robot = robot_at(sim, channel_at(sim, channel)->robot);
    return robot->type->deaf ? robot->type->deaf(robot->state) : NULL;
}

bool sim_channel_is_plugged(const struct sim *sim, size_t channel)
{
    return channel_at(sim, channel)->is_plugged && !channel_at(sim, channel)->is_cut;
}

uint32_t sim_channel_host_baud(const struct sim *sim, size_t channel)
{
    return line_host_baud(channel_at(sim, channel)->line);
}

bool sim_channel_is_misread(const struct sim *sim, size_t channel)
{
    return line_is_misread(channel_at(sim, channel)->line);
}

unsigned sim_channel_host_lines(const struct sim *sim, size_t channel)
{
    return channel_at(sim, channel)->host_lines;
}

bool sim_channel_has_host(const struct sim *sim, size_t channel)
{
    return channel_at(sim, channel)->is_host;
}

unsigned sim_channel_lines(const struct sim *sim, size_t channel)
{
    return channel_at(sim, channel)->robot_lines;
}

/* ---- Handling ---- */

struct robot_handling robot_handling_none(void)
{
    struct robot_handling none = {.lift_until_us = ROBOT_NEVER};
    for (size_t i = 0; i < ROBOT_WHEELS_MAX; i++)
        none.hang_until_us[i] = ROBOT_NEVER;
    for (size_t i = 0; i < ROBOT_BUMPERS_MAX; i++)
        none.release_bumper_us[i] = ROBOT_NEVER;
    for (size_t i = 0; i < ROBOT_BUTTONS_MAX; i++)
        none.release_button_us[i] = ROBOT_NEVER;
    return none;
}

/* Clears the bits whose time is over. */
static void expire(uint32_t *bits, int64_t *until_us, size_t count, int64_t now_us)
{
    for (size_t i = 0; i < count; i++) {
        if (until_us[i] > now_us)
            continue;
        until_us[i] = ROBOT_NEVER;
        *bits &= ~(UINT32_C(1) << i);
    }
}

void robot_handling_expire(struct sim_robot *robot, int64_t now_us)
{
    struct robot_handling *handling = &robot->handling;
    expire(&handling->pressed_bumpers, handling->release_bumper_us, ROBOT_BUMPERS_MAX, now_us);
    expire(&handling->pressed_buttons, handling->release_button_us, ROBOT_BUTTONS_MAX, now_us);
    expire(&handling->hung_wheels, handling->hang_until_us, ROBOT_WHEELS_MAX, now_us);
    if (handling->lift_until_us > now_us)
        return;
    handling->lift_until_us = ROBOT_NEVER;
    handling->is_lifted = false;
    world_lift(robot->sim->world, robot->body_index, false);
}

void robot_handling_put_down(struct sim_robot *robot)
{
    const struct robot_handling none = robot_handling_none();
    struct robot_handling *handling = &robot->handling;
    handling->is_lifted = false;
    handling->hung_wheels = 0;
    handling->lift_until_us = none.lift_until_us;
    memcpy(handling->hang_until_us, none.hang_until_us, sizeof handling->hang_until_us);
    world_lift(robot->sim->world, robot->body_index, false);
}

void channel_set_mode(struct sim_channel *channel, uint32_t mode)
{
    channel->host_mode = mode;
    channel->is_host_raw = !(mode & SERIAL_NOT_RAW);
    channel->host_parity = (uint8_t)serial_mode_parity(mode);
    channel->host_data_bits = (uint8_t)serial_mode_data_bits(mode);
    channel->host_stop_bits = (uint8_t)serial_mode_stop_bits(mode);
}

void channel_set_ready(struct sim_channel *channel)
{
    channel->is_plugged = true;
    channel->replug_us = ROBOT_NEVER;
    channel->robot_lines = MODEM_ROBOT_READY;
}
