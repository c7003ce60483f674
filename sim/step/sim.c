/* The simulation: what one step does, and the doors for bytes in and out. */
#include "sim/sim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/modem_lines.h"
#include "base/rng.h"
#include "protocols/registry.h"
#include "sim/state/state.h"

enum { RX_CHUNK = 512 }; /* more than any wire carries in a step; the rest comes in the next */

/* ---- Power ---- */

static void power_on(struct sim_robot *robot, const struct robot_storage *storage)
{
    const struct robot_start start = {
        .options = robot->options,
        .storage = storage,
        .rng_key = robot->rng_key,
        .now_us = robot->sim->now_us,
    };
    robot->due_us = robot->type->reset(robot->state, &start);
    robot->actuators = (struct robot_actuators){0};
}

/* Off and on again; the wires keep what is on them. */
static void restart(struct sim_robot *robot)
{
    const struct robot_storage *storage =
        sim_robot_storage(robot->sim, (size_t)(robot - robot->sim->robots));
    struct robot_storage kept = storage ? *storage : (struct robot_storage){0};
    // The counters are the observer's, not the board's, as those of the wire are.
    uint8_t *stats = (uint8_t *)robot->state + robot->type->stats_offset;
    size_t stats_size = robot->type->channel_count * sizeof(struct robot_stats);
    struct robot_stats counted[ROBOT_CHANNELS_MAX];
    memcpy(counted, stats, stats_size);
    power_on(robot, storage ? &kept : NULL);
    memcpy(stats, counted, stats_size);
}

void robot_power_cycle(struct sim_robot *robot)
{
    struct sim *sim = robot->sim;
    for (unsigned c = 0; c < robot->type->channel_count; c++)
        line_reset(sim->channels[robot->first_channel + c].line, sim->now_us);
    restart(robot);
}

/* ---- One step ---- */

/* Nobody is there who could hear of anything. */
static bool is_off(const struct sim_robot *robot)
{
    return robot->faults.power == FAULT_POWER_OFF;
}

/* A firmware that was fed may want its next tick sooner, never later. */
static void pull_due(struct sim_robot *robot, int64_t due_us)
{
    if (due_us < robot->due_us)
        robot->due_us = due_us;
}

/* Each change of the host's lines is told, also when several fell between two steps. */
static void receive_lines(struct sim_robot *robot, unsigned c, struct sim_channel *channel)
{
    for (size_t i = 0; i < channel->line_change_count; i++) {
        channel->host_lines = channel->line_changes[i];
        if (!robot->type->lines || is_off(robot))
            continue;
        int64_t due_us =
            robot->type->lines(robot->state, c, channel->host_lines, robot->sim->now_us);
        if (due_us == ROBOT_RESET)
            restart(robot);
        else
            pull_due(robot, due_us);
    }
    channel->line_change_count = 0;
}

static void receive(struct sim *sim, struct sim_robot *robot)
{
    for (unsigned c = 0; c < robot->type->channel_count; c++) {
        struct sim_channel *channel = &sim->channels[robot->first_channel + c];
        // Each coming and going is told, also when several fell between two steps.
        for (; channel->host_changes > 0; channel->host_changes--) {
            channel->is_host = !channel->is_host;
            line_set_host(channel->line, channel->is_host);
            if (channel->is_host)
                odometry_begin(&robot->odometry, robot->pose);
            if (!is_off(robot))
                pull_due(robot, robot->type->host(robot->state, c, channel->is_host, sim->now_us));
        }
        receive_lines(robot, c, channel);
        uint8_t bytes[RX_CHUNK];
        size_t size = line_to_robot(channel->line, bytes, sizeof bytes, sim->now_us);
        if (size == 0 || is_off(robot))
            continue;
        pull_due(robot, robot->type->rx(robot->state, c, bytes, size, sim->now_us));
        frame_ring_push(&channel->frames[WIRE_TO_ROBOT], robot->type, c, bytes, size,
                        sim_channel_stats(sim, robot->first_channel + c)->frames, sim->now_us);
    }
}

static bool send_frame(void *context, unsigned channel, const uint8_t *bytes, size_t size)
{
    const struct sim_robot *robot = context;
    assert(channel < robot->type->channel_count);
    struct sim_channel *to = &robot->sim->channels[robot->first_channel + channel];
    bool is_queued = line_frame(to->line, bytes, size, robot->sim->now_us);
    frame_ring_add(&to->frames[WIRE_TO_HOST], bytes, size, is_queued, robot->sim->now_us);
    return is_queued;
}

static size_t queued_bytes(void *context, unsigned channel)
{
    const struct sim_robot *robot = context;
    return line_queued(robot->sim->channels[robot->first_channel + channel].line,
                       robot->sim->now_us);
}

static void tick(struct sim_robot *robot)
{
    const struct robot_tx tx = {.context = robot, .frame = send_frame, .queued = queued_bytes};
    sensors_sample(robot);
    if (robot->faults.is_any)
        fault_overlay(robot);
    robot->due_us = robot->type->tick(robot->state, &robot->sensors, &robot->actuators, &tx,
                                      robot->sim->now_us);
    if (robot->actuators.wants_image && robot->camera)
        robot->sensors.image = camera_render(robot->camera);
    odometry_follow(&robot->odometry, robot->type, robot->state, robot->pose, robot->sim->now_us);
}

/* Ends what a command started for a while: presses, a lift, a pulled plug. */
static void release(struct sim *sim, struct sim_robot *robot)
{
    for (size_t i = 0; i < ROBOT_BUMPERS_MAX; i++)
        if (robot->release_bumper_us[i] <= sim->now_us)
            robot->pressed_bumpers &= ~(UINT32_C(1) << i);
    for (size_t i = 0; i < ROBOT_BUTTONS_MAX; i++)
        if (robot->release_button_us[i] <= sim->now_us)
            robot->pressed_buttons &= ~(UINT32_C(1) << i);
    if (robot->drop_us <= sim->now_us) {
        robot->drop_us = ROBOT_NEVER;
        robot->is_lifted = false;
        robot->hung_wheels = 0;
        world_lift(sim->world, robot->body_index, false);
    }
    for (unsigned c = 0; c < robot->type->channel_count; c++) {
        struct sim_channel *channel = &sim->channels[robot->first_channel + c];
        if (channel->replug_us <= sim->now_us) {
            channel->replug_us = ROBOT_NEVER;
            channel->is_plugged = true;
        }
    }
}

void sim_step(struct sim *sim)
{
    sim->is_stepping = true;
    timeline_run(sim);
    sim->now_us += SIM_STEP_US;
    sim->time_s = (double)sim->now_us * 1e-6;

    // Bytes reach the firmware, and firmware whose time has come runs one pass.
    for (size_t i = 0; i < sim->robot_count; i++) {
        struct sim_robot *robot = &sim->robots[sim->by_name[i]];
        release(sim, robot);
        if (robot->faults.next_us <= sim->now_us)
            fault_expire(robot);
        receive(sim, robot);
        if (robot->due_us <= sim->now_us)
            tick(robot);
        sensors_obey(robot);
    }

    // The world moves on with the motors as they are now, and the robots feel it.
    world_step(sim->world, SIM_STEP_US * 1e-6);
    sensors_feel(sim);
    expect_judge(sim);
    sim->is_stepping = false;
}

/* ---- Making and unmaking ---- */

static bool make_channel(struct sim_robot *robot, unsigned c, const struct scene_robot *from)
{
    struct sim *sim = robot->sim;
    const struct robot_type *type = robot->type;
    struct sim_channel *channel = &sim->channels[robot->first_channel + c];
    const struct scene_link *wired = NULL;
    for (size_t i = 0; i < from->link_count; i++)
        if (from->links[i].channel == c)
            wired = &from->links[i];

    channel->robot = (size_t)(robot - sim->robots);
    channel->channel = c;
    channel->baud = type->baud ? type->baud(robot->options, c) : type->channels[c].baud;
    channel->is_plugged = true;
    channel->robot_lines = MODEM_CTS | MODEM_DSR | MODEM_DCD; // chosen: a robot that is ready
    channel->replug_us = ROBOT_NEVER;
    channel->line = line_create(&(struct line_config){
        .baud = channel->baud,
        .frame_max = type->channels[c].frame_max,
        .chunks = wired ? (enum line_chunks)wired->chunks : LINE_CHUNKS_FRAME,
        .garble = wired && wired->baud_check == SCENE_BAUD_STRICT,
        .rng_key = rng_key(robot->rng_key, type->channels[c].name),
    });
    channel->frames = calloc(2, sizeof *channel->frames);
    return channel->line && channel->frames;
}

static bool make_robot(struct sim *sim, size_t index, const struct scene_robot *from,
                       size_t first_channel)
{
    struct sim_robot *robot = &sim->robots[index];
    robot->sim = sim;
    memcpy(robot->name, from->name, sizeof robot->name);
    memcpy(robot->label, from->label, sizeof robot->label);
    robot->type = from->type;
    robot->pose = robot->start = from->pose;
    robot->first_channel = first_channel;
    robot->rng_key = rng_key(sim->seed, from->name);
    robot->drop_us = robot->due_us = ROBOT_NEVER;
    fault_reset(&robot->faults);
    robot->touched_us = -SIM_STEP_US * INT64_C(1000000);
    memcpy(robot->options, from->options, sizeof robot->options);
    robot->type->body(robot->options, &robot->body);
    robot->charge = robot->type->battery_start(robot->options);
    robot->state = calloc(1, robot->type->state_size);
    if (!robot->state)
        return false;
    for (unsigned c = 0; c < robot->type->channel_count; c++)
        if (!make_channel(robot, c, from))
            return false;
    return true;
}

static bool make_cameras(struct sim *sim)
{
    for (size_t i = 0; i < sim->robot_count; i++) {
        struct sim_robot *robot = &sim->robots[i];
        for (size_t s = 0; s < robot->body.sensor_count && !robot->camera; s++) {
            if (robot->body.sensors[s].kind != SENSOR_CAMERA)
                continue;
            robot->camera = camera_create(robot, &robot->body.sensors[s]);
            if (!robot->camera)
                return false;
        }
    }
    return true;
}

static void sort_by_name(struct sim *sim)
{
    for (size_t i = 0; i < sim->robot_count; i++) {
        size_t at = i;
        for (; at > 0; at--) {
            if (strcmp(sim->robots[sim->by_name[at - 1]].name, sim->robots[i].name) < 0)
                break;
            sim->by_name[at] = sim->by_name[at - 1];
        }
        sim->by_name[at] = i;
    }
}

static bool make_robots(struct sim *sim, const struct scene *scene)
{
    size_t channels = 0;
    for (size_t i = 0; i < scene->robot_count; i++)
        channels += scene->robots[i].type->channel_count;
    sim->robots = calloc(scene->robot_count + 1, sizeof *sim->robots);
    sim->by_name = calloc(scene->robot_count + 1, sizeof *sim->by_name);
    sim->channels = calloc(channels + 1, sizeof *sim->channels);
    if (!sim->robots || !sim->by_name || !sim->channels)
        return false;
    for (size_t i = 0; i < scene->robot_count; i++) {
        sim->robot_count++;
        size_t first = sim->channel_count;
        sim->channel_count += scene->robots[i].type->channel_count;
        if (!make_robot(sim, i, &scene->robots[i], first))
            return false;
    }
    sort_by_name(sim);
    return true;
}

struct sim *sim_create(const struct scene *scene, const struct robot_storage *storage,
                       struct error *error)
{
    struct sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        goto no_memory;
    sim->seed = scene->seed;
    sim->pace.speed = 1;
    if (!make_robots(sim, scene) || !build_world(sim, scene) || !signals_create(sim) ||
        !scenery_create(sim) || !make_cameras(sim))
        goto no_memory;
    if (!timeline_create(sim, scene, error) || !expect_create(sim, scene, error))
        goto fail;
    for (size_t i = 0; i < sim->robot_count; i++)
        power_on(&sim->robots[i], storage && storage[i].size > 0 ? &storage[i] : NULL);
    return sim;

no_memory:
    error_set(error, "not enough memory for a scene of %zu robots", scene->robot_count);
fail:
    sim_destroy(sim);
    return NULL;
}

bool sim_check_script(const struct scene *scene, struct error *error)
{
    if (scene->action_count + scene->expectation_count == 0)
        return true;
    // Robots and their signals are all that names are looked up in; a world is not needed.
    struct sim *sim = calloc(1, sizeof *sim);
    bool is_made = sim && make_robots(sim, scene) && signals_create(sim);
    if (!is_made)
        error_set(error, "not enough memory for a scene of %zu robots", scene->robot_count);
    bool is_good =
        is_made && timeline_create(sim, scene, error) && expect_create(sim, scene, error);
    sim_destroy(sim);
    return is_good;
}

void sim_destroy(struct sim *sim)
{
    if (!sim)
        return;
    for (size_t i = 0; i < sim->channel_count; i++) {
        line_destroy(sim->channels[i].line);
        free(sim->channels[i].frames);
    }
    for (size_t i = 0; i < sim->robot_count; i++) {
        free(sim->robots[i].state);
        camera_destroy(sim->robots[i].camera);
    }
    for (size_t i = 0; i < sim->cliff_count; i++)
        free(sim->cliffs[i].points);
    free(sim->cliffs);
    floor_destroy(sim);
    surroundings_destroy(&sim->surroundings);
    scenery_destroy(sim);
    free(sim->docks);
    free(sim->lamps);
    free(sim->channels);
    free(sim->robots);
    free(sim->by_name);
    free(sim->signals);
    timeline_destroy(sim);
    expect_destroy(sim);
    if (sim->world)
        world_destroy(sim->world);
    free(sim);
}

uint64_t sim_hash(const struct sim *sim)
{
    uint64_t hash = world_hash(sim->world, HASH_START);
    for (size_t i = 0; i < sim->signal_count; i++) {
        if (sim->signals[i].info.is_live)
            continue;
        double value = sim_signal_value(sim, i);
        hash = hash_bytes(hash, &value, sizeof value);
    }
    for (size_t i = 0; i < sim->channel_count; i++) {
        uint64_t wire = line_stats(sim->channels[i].line)->hash;
        hash = hash_bytes(hash, &wire, sizeof wire);
    }
    return hash;
}
