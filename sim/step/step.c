#include "sim/step/step.h"

#include <assert.h>

#include "base/hash.h"
#include "sim/commands/fault.h"
#include "sim/room/camera.h"
#include "sim/room/sensors.h"
#include "sim/state/state.h"
#include "sim/verdict/expect.h"
#include "sim/verdict/measure.h"
#include "sim/verdict/timeline.h"

enum { RX_CHUNK = 512 }; /* more than any wire carries in a step; the rest follows in the next */

/* Power is off: no driver can receive anything. */
static bool is_off(const struct sim_robot *robot)
{
    return robot->faults.power == POWER_OFF;
}

/* After an input, the next tick of a firmware may come sooner, but not later. */
static void pull_due(struct sim_robot *robot, int64_t due_us)
{
    if (due_us < robot->due_us)
        robot->due_us = due_us;
}

static void notify_host(struct sim *sim, size_t channel)
{
    for (struct sim_watcher *at = sim->watchers; at; at = at->next)
        if (at->host)
            at->host(at, channel);
}

/* Every change of the driver's lines is reported, also if there are several between two steps. */
static void receive_lines(struct sim_robot *robot, unsigned c, struct sim_channel *channel)
{
    for (size_t i = 0; i < channel->line_change_count; i++) {
        channel->host_lines = channel->line_changes[i];
        notify_host(robot->sim, robot->first_channel + c);
        if (!robot->type->lines || is_off(robot))
            continue;
        int64_t due_us =
            robot->type->lines(robot->state, c, channel->host_lines, robot->sim->now_us);
        if (due_us == ROBOT_RESET)
            robot_power(robot, POWER_RESTART, ROBOT_NEVER);
        else
            pull_due(robot, due_us);
    }
    channel->line_change_count = 0;
}

static void receive(struct sim *sim, struct sim_robot *robot)
{
    for (unsigned c = 0; c < robot->type->channel_count; c++) {
        struct sim_channel *channel = &sim->channels[robot->first_channel + c];
        // Every connect and disconnect is reported, also if there are several between two steps.
        for (; channel->host_changes > 0; channel->host_changes--) {
            channel->is_host = !channel->is_host;
            line_set_host(channel->line, channel->is_host);
            notify_host(sim, robot->first_channel + c);
            if (channel->is_host)
                odometry_begin(&robot->odometry, robot->pose);
            if (robot->type->host && !is_off(robot))
                pull_due(robot, robot->type->host(robot->state, c, channel->is_host, sim->now_us));
        }
        receive_lines(robot, c, channel);
        uint8_t bytes[RX_CHUNK];
        size_t size = line_to_robot(channel->line, bytes, sizeof bytes, sim->now_us);
        if (size == 0 || is_off(robot))
            continue;
        pull_due(robot, robot->type->rx(robot->state, c, bytes, size, sim->now_us));
        for (struct sim_watcher *at = sim->watchers; at; at = at->next)
            if (at->received)
                at->received(at, robot->first_channel + c, bytes, size);
    }
}

static bool send_frame(void *context, unsigned channel, const uint8_t *bytes, size_t size)
{
    const struct sim_robot *robot = context;
    assert(channel < robot->type->channel_count);
    size_t index = robot->first_channel + channel;
    bool is_queued = line_frame(robot->sim->channels[index].line, bytes, size, robot->sim->now_us);
    for (struct sim_watcher *at = robot->sim->watchers; at; at = at->next)
        if (at->sent)
            at->sent(at, index, bytes, size, is_queued);
    return is_queued;
}

static size_t queued_bytes(void *context, unsigned channel)
{
    const struct sim_robot *robot = context;
    return line_queued(robot->sim->channels[robot->first_channel + channel].line,
                       robot->sim->now_us);
}

/* Sends a question to a firmware process. */
static size_t ask(void *context, const struct robot_question *question, uint8_t *answer,
                  size_t room)
{
    struct sim_robot *robot = context;
    struct sim *sim = robot->sim;
    size_t index = (size_t)(robot - sim->robots);
    size_t got =
        sim->run.ask ? sim->run.ask(sim->run.ask_context, index, question, answer, room) : 0;
    robot->is_abandoned = got == 0;
    input_notify(sim,
                 &(struct sim_input){
                     .kind = SIM_INPUT_ANSWER, .channel = index, .bytes = answer, .size = got});
    return got;
}

/* A firmware may change the baud rate of its serial channels. */
static void set_bauds(struct sim_robot *robot)
{
    for (unsigned c = 0; c < robot->type->channel_count; c++) {
        struct sim_channel *channel = &robot->sim->channels[robot->first_channel + c];
        uint32_t baud = robot->actuators.baud[c];
        if (baud == 0 || channel->baud == 0 || baud == channel->baud)
            continue;
        channel->baud = baud;
        line_set_baud(channel->line, baud);
    }
}

/* Takes an image with the robot's first camera, if it has one. */
static void take_image(struct sim_robot *robot)
{
    size_t first = 0;
    while (first < robot->body->sensor_count && !robot->cameras[first])
        first++;
    if (first < robot->body->sensor_count)
        robot->sensors.image = camera_render(robot->cameras[first]);
}

static void tick(struct sim_robot *robot)
{
    const struct robot_tx tx = {
        .context = robot, .frame = send_frame, .queued = queued_bytes, .ask = ask};
    sensors_sample(robot);
    if (robot->faults.is_any)
        fault_overlay(robot);
    robot->due_us = robot->type->tick(robot->state, &robot->sensors, &robot->actuators, &tx,
                                      robot->sim->now_us);
    set_bauds(robot);
    if (robot->actuators.wants_image)
        take_image(robot);
    odometry_follow(&robot->odometry, robot->type, robot->state, robot->sim->now_us);
    for (struct sim_watcher *at = robot->sim->watchers; at; at = at->next)
        if (at->ran)
            at->ran(at, (size_t)(robot - robot->sim->robots));
    if (robot->is_abandoned) {
        robot->is_abandoned = false;
        robot_power(robot, POWER_OFF, ROBOT_NEVER);
    }
}

static void use_battery(struct sim_robot *robot)
{
    if (robot->faults.power == POWER_ON)
        robot->charge += fault_charge_rate_1_s(robot) * (SIM_STEP_US * 1e-6);
    robot->charge = robot->charge < 0 ? 0 : robot->charge > 1 ? 1 : robot->charge;
}

/* Ends the temporary effects of commands: presses, a lift, an unplugged cable. */
static void release(struct sim *sim, struct sim_robot *robot)
{
    robot_handling_expire(robot, sim->now_us);
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
    timeline_run(sim);
    sim->now_us += SIM_STEP_US;
    sim->time_s = (double)sim->now_us * 1e-6;

    // Bytes reach the firmware. Firmware that is due runs one pass.
    for (size_t i = 0; i < sim->robot_count; i++) {
        struct sim_robot *robot = &sim->robots[sim->by_name[i]];
        release(sim, robot);
        if (robot->faults.next_us <= sim->now_us)
            fault_expire(robot);
        receive(sim, robot);
        if (robot->due_us <= sim->now_us)
            tick(robot);
        sensors_actuate(robot);
        use_battery(robot);
    }

    // The world advances with the present motor inputs, and the robots' poses and contacts are
    // updated.
    world_step(sim->world, SIM_STEP_US * 1e-6);
    sensors_update(sim);
    expect_judge(sim);
    measure_note(sim, SIM_STEP_US * 1e-6);
}

uint64_t sim_hash(const struct sim *sim)
{
    uint64_t hash = world_hash(sim->world, HASH_START);
    for (size_t i = 0; i < sim->signal_count; i++) {
        if (signal_is_live(&sim->signals[i]))
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
