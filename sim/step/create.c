#include "sim/step/create.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sim/commands/fault.h"
#include "sim/commands/robot_commands.h"
#include "sim/room/camera.h"
#include "sim/room/room.h"
#include "sim/scene/custom_robot.h"
#include "sim/state/signals.h"
#include "sim/state/state.h"
#include "sim/verdict/expect.h"
#include "sim/verdict/measure.h"
#include "sim/verdict/timeline.h"

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
    channel_set_ready(channel);
    channel_set_mode(channel, 0);
    channel->line = line_create(&(struct line_config){
        .baud = channel->baud,
        .frame_max = type->channels[c].frame_max,
        .chunks = wired ? (enum line_chunks)wired->chunks : LINE_CHUNKS_FRAME,
        .garble = wired && wired->baud_check == SCENE_BAUD_STRICT,
        .rng_key = rng_key(robot->rng_key, type->channels[c].name),
    });
    return channel->line != NULL;
}

/* The body of robot INDEX: that of an earlier robot with the same options, or a new one. NULL: out
 * of memory. */
static const struct robot_body *make_body(struct sim *sim, size_t index)
{
    const struct sim_robot *robot = &sim->robots[index];
    for (size_t i = index; i-- > 0;) {
        const struct sim_robot *other = &sim->robots[i];
        if (other->type == robot->type &&
            memcmp(other->options, robot->options, sizeof robot->options) == 0)
            return other->body;
    }
    struct robot_body *body = calloc(1, sizeof *body);
    if (!body)
        return NULL;
    robot_type_body(robot->type, robot->options, body);
    return sim->bodies[sim->body_count++] = body;
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
    odometry_init(&robot->odometry, from->pose);
    robot->first_channel = first_channel;
    robot->rng_key = rng_key(sim->seed, from->name);
    robot->due_us = ROBOT_NEVER;
    robot->handling = robot_handling_none();
    fault_reset(&robot->faults);
    robot->touched_us = -SIM_STEP_US * INT64_C(1000000);
    memcpy(robot->options, from->options, sizeof robot->options);
    robot->body = make_body(sim, index);
    if (!robot->body)
        return false;
    robot->charge = robot_start_charge(robot->type, robot->options);
    for (size_t i = 0; i < robot->body->part_count; i++) {
        const struct part_spec *part = &robot->body->parts[i];
        robot->parts[i] =
            (struct body_part){{part->x_m, part->y_m}, part->radius_m, part->low_m, part->high_m};
    }
    robot->part_count = robot->body->part_count;
    robot->mount.carrier = SIZE_MAX;
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
        for (size_t s = 0; s < robot->body->sensor_count; s++) {
            struct sensor_spec spec = robot->body->sensors[s];
            if (spec.kind != SENSOR_CAMERA)
                continue;
            spec.z_m += robot->mount.z_m;
            robot->cameras[s] = camera_create(robot, &spec);
            if (!robot->cameras[s])
                return false;
        }
    }
    return true;
}

/* Height of the highest part of a robot at a position in its frame. */
static double top_m(const struct sim_robot *robot, struct pose at)
{
    double high_m = robot->body->height_m;
    for (size_t i = 0; i < robot->body->part_count; i++) {
        const struct part_spec *part = &robot->body->parts[i];
        double x = at.x_m - part->x_m, y = at.y_m - part->y_m;
        if (x * x + y * y <= part->radius_m * part->radius_m && part->high_m > high_m)
            high_m = part->high_m;
    }
    return high_m;
}

/* Mounts a robot on its carrier, with a part for the rays of others. */
static void mount_robot(struct sim_robot *robot, size_t carrier, const struct scene_mount *from)
{
    struct sim_robot *under = &robot->sim->robots[carrier];
    double z_m = from->z_m > 0 ? from->z_m : top_m(under, from->pose);
    robot->mount.carrier = carrier;
    robot->mount.pose = from->pose;
    robot->mount.z_m = z_m;
    robot->mount.has_power = from->power == SCENE_POWER_OWN;
    assert(under->part_count < ROBOT_PARTS_MAX); // the scene was checked
    struct body_part *part = &under->parts[under->part_count++];
    robot->mount.own = part;
    *part = (struct body_part){.place = {from->pose.x_m, from->pose.y_m},
                               .radius_m = scene_part_radius_m(robot->body),
                               .low_m = z_m,
                               .high_m = z_m + robot->body->height_m};
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
    sim->bodies = calloc(scene->robot_count + 1, sizeof *sim->bodies);
    sim->by_name = calloc(scene->robot_count + 1, sizeof *sim->by_name);
    sim->channels = calloc(channels + 1, sizeof *sim->channels);
    if (!sim->robots || !sim->bodies || !sim->by_name || !sim->channels)
        return false;
    for (size_t i = 0; i < scene->robot_count; i++) {
        sim->robot_count++;
        size_t first = sim->channel_count;
        sim->channel_count += scene->robots[i].type->channel_count;
        if (!make_robot(sim, i, &scene->robots[i], first))
            return false;
    }
    for (size_t i = 0; i < scene->robot_count; i++) {
        size_t carrier = scene_carrier(scene, i);
        if (carrier != SIZE_MAX)
            mount_robot(&sim->robots[i], carrier, &scene->robots[i].mount);
    }
    sort_by_name(sim);
    return true;
}

struct sim *sim_create(const struct scene *scene, const struct robot_storage *storage,
                       const struct run_rows *rows, struct error *error)
{
    struct sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        goto no_memory;
    sim->scene = scene;
    sim->seed = scene->seed;
    if (rows)
        sim->run = *rows;
    if (!make_robots(sim, scene) || !signals_create(sim) || !room_create(sim) || !make_cameras(sim))
        goto no_memory;
    if (!timeline_create(sim, scene, error) || !expect_create(sim, scene, error) ||
        !measure_create(sim, scene, error))
        goto fail;
    for (size_t i = 0; i < sim->robot_count; i++) {
        struct robot_storage *memory = robot_storage_of(&sim->robots[i]);
        if (storage && memory)
            *memory = storage[i];
        bool was_on = scene->robots[i].power_on == SCENE_POWER_ON_BEFORE;
        robot_power(&sim->robots[i], was_on ? POWER_BEFORE : POWER_RESTART, ROBOT_NEVER);
    }
    return sim;

no_memory:
    error_set(error, "not enough memory for a scene of %zu robots", scene->robot_count);
fail:
    sim_destroy(sim);
    return NULL;
}

static bool is_taken(const struct custom_robot *own, const char *list, const char *name,
                     struct scene_place place, struct error *error)
{
    return error_set(error, "%s:%u:%u: %s: every robot already has %s; choose another name",
                     own->file, place.line, place.column, list, name);
}

/* Signals and commands of a program must not hide those of every robot. */
static bool check_own_names(const struct custom_robot *own, struct error *error)
{
    size_t count;
    const struct command_row *commands = sim_robot_commands(&count);
    for (size_t i = 0; i < own->signal_count; i++) {
        const char *name = own->signals[own->type.signal_count - own->signal_count + i].name;
        if (sim_signal_is_common(name))
            return is_taken(own, "signals", name, own->signal_places[i], error);
    }
    for (size_t i = 0; i < own->command_count; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(own->commands[i].name, commands[k].name) == 0)
                return is_taken(own, "commands", commands[k].name, own->command_places[i], error);
    return true;
}

bool sim_check_script(const struct scene *scene, const struct run_rows *rows, struct error *error)
{
    for (const struct custom_robot *own = scene->own; own; own = own->next)
        if (!own->base && !check_own_names(own, error))
            return false;
    if (scene->action_count + scene->expectation_count + scene->measure_count == 0)
        return true;
    // Names are searched only in robots and their signals, so no world is needed.
    struct sim *sim = calloc(1, sizeof *sim);
    if (sim)
        sim->scene = scene;
    if (sim && rows)
        sim->run = *rows;
    bool is_made = sim && make_robots(sim, scene) && signals_create(sim);
    if (!is_made)
        error_set(error, "not enough memory for a scene of %zu robots", scene->robot_count);
    bool is_good = is_made && timeline_create(sim, scene, error) &&
                   expect_create(sim, scene, error) && measure_create(sim, scene, error);
    sim_destroy(sim);
    return is_good;
}

void sim_destroy(struct sim *sim)
{
    if (!sim)
        return;
    for (size_t i = 0; i < sim->channel_count; i++)
        line_destroy(sim->channels[i].line);
    for (size_t i = 0; i < sim->robot_count; i++) {
        free(sim->robots[i].state);
        for (size_t s = 0; s < ROBOT_SENSORS_MAX; s++)
            camera_destroy(sim->robots[i].cameras[s]);
    }
    room_destroy(sim);
    for (size_t i = 0; i < sim->body_count; i++)
        free(sim->bodies[i]);
    free(sim->bodies);
    free(sim->channels);
    free(sim->robots);
    free(sim->by_name);
    signals_destroy(sim);
    free(sim->timeline);
    expect_destroy(sim);
    free(sim->measures);
    free(sim);
}
